"""`glassmind_resolve`: whether the vault has what a name means."""

from collections.abc import Iterator, Mapping
from typing import Any

from glassmind.operations.model_text import named, one_line
from glassmind.render.resolution import resolution_as_json
from glassmind.serve.mcp.tool import Action, Answer, Argument, Call, Tool
from glassmind.serve.mcp.tools.paged import Listing, answer_of, in_place, kept
from glassmind.serve.mcp.tools.shapes import CURSOR, FORMAT

RESOLVE = "glassmind_resolve"

MOST_CANDIDATES = 20


def resolve(call: Call) -> Answer:
    """Tell whether the vault has what a text names."""
    given, vault = call.given, call.engine.config.vault
    found = call.engine.knowledge.resolve(given["text"], limit=given["limit"])
    values = resolution_as_json(found, vault=vault.name)
    listing = Listing(
        values["candidates"],
        in_place(values, "candidates"),
        kept("kind", "path", "title", "link", "score", "reason", "matched"),
        _candidate,
        head=f"Verdict: {values['verdict']}.",
        around=(one_line(values["advice"]),),
        nothing="",
        notices=found.notices,
    )
    actions = []
    if found.verdict != "new" and found.candidates and found.candidates[0].path:
        first = {"name": found.candidates[0].path}
        actions = [Action("glassmind_read", first, "read the best candidate")]
    return answer_of(RESOLVE, call, listing, actions=actions)


def _candidate(_: int, one: Mapping[str, Any]) -> Iterator[str]:
    where = named(one["path"]) if one.get("path") else one_line(one["title"])
    link = one_line(one.get("link", ""))
    yield f"{one['score']:.2f} {one['kind']} {where}: {one_line(one['reason'])} {link}"


RESOLVE_TOOL = Tool(
    RESOLVE,
    "Resolve a name",
    "Tell whether the vault already has a note, alias, tag or heading for a name, and "
    "the link to write. Ask before making a note or a link, so that nothing is made "
    "twice. Verdicts: exists, likely, ambiguous, new.",
    (
        Argument("text", "string", "the name", most=1000),
        Argument("limit", "integer", "candidates", 5, least=1, most=MOST_CANDIDATES),
        FORMAT,
        CURSOR,
    ),
    resolve,
)
