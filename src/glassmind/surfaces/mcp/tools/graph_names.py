"""`glassmind_resolve` and `glassmind_ontology`: what the vault calls things."""

from collections.abc import Iterator, Mapping
from typing import Any

from glassmind.operations.model_text import fenced, labelled, named, one_line
from glassmind.render.ontology import ontology_as_json
from glassmind.render.ontology_text import ontology_as_text
from glassmind.render.resolution import resolution_as_json
from glassmind.render.style import Style
from glassmind.surfaces.mcp.pages import MOST_TOKENS, USUAL_TOKENS, tokens_of
from glassmind.surfaces.mcp.tool import Action, Answer, Argument, Call, Tool
from glassmind.surfaces.mcp.tools.paged import Listing, answer_of, in_place, kept
from glassmind.surfaces.mcp.tools.shapes import CURSOR, FORMAT, is_detailed

RESOLVE, ONTOLOGY = "glassmind_resolve", "glassmind_ontology"

MOST_CANDIDATES, MOST_OF_EACH = 20, 100

LEFT_OUT = frozenset(("examples", "kinds", "uri"))
"""What a concise overview does without: examples are had by glassmind_list."""

LEAST_OF_EACH = 1
"""Of each kind that an overview shows, however long their names are."""


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


def ontology(call: Call) -> Answer:
    """Tell the vocabulary, as much of each kind as fits."""
    given, vault = call.given, call.engine.config.vault
    budget = MOST_TOKENS if is_detailed(given) else USUAL_TOKENS
    wanted = limit = given["limit"]
    while True:
        found = call.engine.knowledge.ontology(limit=limit)
        values = ontology_as_json(found, vault=vault.name)
        values = values if is_detailed(given) else _slim(values)
        if tokens_of(values) <= budget or limit == LEAST_OF_EACH:
            break
        limit = max(limit * 2 // 3, LEAST_OF_EACH)
    text = fenced(ontology_as_text(found, Style()))
    cut = limit < wanted
    actions = []
    if cut:
        text += f"\nTruncated to fit: up to {limit} of each kind are shown."
    if cut and not is_detailed(given):
        whole = {"limit": wanted, "response_format": "detailed"}
        actions = [Action(ONTOLOGY, whole, "see more of each kind")]
    return Answer(text, labelled({**values, "truncated": cut}), tuple(actions))


def _slim(value: Any) -> Any:
    """Return values without what can be done without, nor what says nothing."""
    if isinstance(value, list):
        return [_slim(one) for one in value]
    if not isinstance(value, dict):
        return value
    says = {name: _slim(one) for name, one in value.items() if name not in LEFT_OUT}
    return {name: one for name, one in says.items() if one is not None}


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

ONTOLOGY_TOOL = Tool(
    ONTOLOGY,
    "Show the vocabulary",
    "Show what the vault calls things: categories, tags, folders, properties and "
    "which of them occur together, spellings that differ, hubs and hierarchies. Look "
    "before choosing properties or tags for a note.",
    (
        Argument("limit", "integer", "of each kind", 20, least=1, most=MOST_OF_EACH),
        FORMAT,
    ),
    ontology,
)
