"""`glassmind_repair`: findings that are mended, and suggestions that are followed."""

from glassmind.errors.serving import BadArgument
from glassmind.serve.edits import DRY_RUN
from glassmind.serve.mcp.tool import Answer, Argument, Call, Tool
from glassmind.serve.mcp.tools.naming import LONGEST_NAME, note_name
from glassmind.serve.mcp.tools.write_answers import PATIENT_S, answer_of, asking
from glassmind.serve.mcp.tools.write_edit import PROPOSED

NAME = "glassmind_repair"

FINDINGS, LINKS = "findings", "links"

TAKES = {FINDINGS: ("checks",), LINKS: ("name", "keys", "mentions")}
"""What goes with each."""


def run(call: Call) -> Answer:
    """Mend findings of vault health, or make links that are suggested."""
    given, what = call.given, call.given["what"]
    other = LINKS if what == FINDINGS else FINDINGS
    for name in TAKES[other]:
        if given[name]:
            raise BadArgument(NAME, f"{name!r} goes with {other!r}")
    wish = asking(call, dry_run=given["dry_run"])
    if what == FINDINGS:
        found = call.engine.knowledge.repairs(checks=given["checks"])
    else:
        note = None if given["name"] is None else note_name(call, NAME)
        found = call.engine.knowledge.links_to_add(
            note, keys=given["keys"], mentions=given["mentions"]
        )
    return answer_of(call.engine.editing.repair(found, wish))


TOOL = Tool(
    NAME,
    "Repair the vault",
    "findings: mend what glassmind_health found, as far as nobody has to decide. "
    "links: make those that glassmind_suggest lists, by key, or of all names in texts. "
    f"One change; what is left is told with the reason. {PROPOSED}",
    (
        Argument("what", "string", "", choices=(FINDINGS, LINKS)),
        Argument("checks", "strings", "of findings; else all", None),
        Argument("name", "string", "a note; else the vault", None, most=LONGEST_NAME),
        Argument("keys", "strings", "of suggestions; else the first 20", None),
        Argument("mentions", "boolean", "every name in a text", False),
        DRY_RUN,
    ),
    run,
    read_only=False,
    destructive=True,
    idempotent=False,
    timeout_s=PATIENT_S,
)
