"""`glassmind_dismiss`: what is not to be brought up again."""

from glassmind.errors.serving import BadArgument
from glassmind.operations.model_text import fenced, labelled
from glassmind.render.dismissals import dismissed_as_json, dismissed_as_text
from glassmind.render.style import Style
from glassmind.surfaces.asking import check_untainted
from glassmind.surfaces.mcp.tool import Answer, Argument, Call, Tool
from glassmind.surfaces.mcp.tools.naming import NAME_ARGUMENT, note_name

NAME = "glassmind_dismiss"

DISMISSED = "what is dismissed"
"""What is written, for who may not."""

NEITHER = "it takes two notes, 'a' and 'b', or a 'finding' of glassmind_health"


def run(call: Call) -> Answer:
    """Dismiss two notes or a finding, or take that back."""
    given = call.given
    check_untainted(call.engine, call.client, DISMISSED)
    knowledge = call.engine.knowledge
    pair = given["a"] is not None or given["b"] is not None
    if pair == (given["finding"] is not None):
        raise BadArgument(NAME, NEITHER)
    if pair and (given["a"] is None or given["b"] is None):
        raise BadArgument(NAME, NEITHER)
    back = given["restore"]
    if pair:
        notes = note_name(call, NAME, "a"), note_name(call, NAME, "b")
        done = (knowledge.restore_pair if back else knowledge.dismiss)(*notes)
    else:
        check, _, subject = given["finding"].partition(":")
        settle = knowledge.restore_finding if back else knowledge.dismiss_finding
        done = settle(check, subject)
    text = fenced(dismissed_as_text(done, Style(), back=back))
    return Answer(text, labelled(dismissed_as_json(done)))


NOTE = NAME_ARGUMENT._replace(default=None)

TOOL = Tool(
    NAME,
    "Dismiss a suggestion",
    "Never bring two notes up as alike again, be it in a search, or a finding of "
    "glassmind_health; with restore, take that back. Writes a line to the vault's "
    "agent folder. Only when the user wants it.",
    (
        NOTE._replace(name="a", doc="a note"),
        NOTE._replace(name="b", doc="the other"),
        Argument("finding", "string", "its key", None, most=4096),
        Argument("restore", "boolean", "", False),
    ),
    run,
    read_only=False,
)
