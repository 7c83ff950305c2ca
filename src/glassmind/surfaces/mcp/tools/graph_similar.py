"""`glassmind_similar`: notes that are alike without a link."""

from collections.abc import Iterator, Mapping
from typing import Any

from glassmind.operations.model_text import named
from glassmind.render.pairs import similar_as_json
from glassmind.render.pairs_text import NOT_COMPARED, pair_status_as_text
from glassmind.surfaces.mcp.tool import Action, Answer, Argument, Call, Tool
from glassmind.surfaces.mcp.tools.naming import NAME_ARGUMENT, note_name
from glassmind.surfaces.mcp.tools.paged import (
    Listing,
    answer_of,
    in_place,
    kept,
    wanted,
)
from glassmind.surfaces.mcp.tools.shapes import CURSOR, FORMAT
from glassmind.types.pairs import Similar

NAME = "glassmind_similar"

MOST_PAIRS, FURTHEST = 100, 1_000
"""Pairs of one answer, and those that can be reached by cursors."""


def run(call: Call) -> Answer:
    """Tell which notes are alike, of one note or of the vault."""
    given, vault = call.given, call.engine.config.vault
    name = note_name(call, NAME) if given["name"] is not None else None
    found = call.engine.knowledge.similar(
        name, limit=min(wanted(NAME, given), FURTHEST), least=given["least"]
    )
    values = similar_as_json(found, vault=vault.name)
    listing = Listing(
        values["pairs"],
        in_place(values, "pairs"),
        kept("path", "other_path", "similarity"),
        _lines,
        head=_head(found),
        nothing="No notes are alike without a link." if found.status.state else "",
        most=given["limit"],
        notices=found.notices,
    )
    paths = [path for one in found.pairs for path in (one.path, one.other_path)]
    actions = []
    if found.pairs:
        first = {"name": found.pairs[0].path}
        said = "see which links to write"
        actions = [Action("glassmind_suggest", first, said)]
    return answer_of(NAME, call, listing, actions=actions, links=paths)


def _head(found: Similar) -> str:
    if found.status.state is None:
        return f"{NOT_COMPARED.capitalize()}."
    gone = f", {found.dismissed:,} dismissed" if found.dismissed else ""
    status = pair_status_as_text(found.status)
    return f"{found.total:,} alike without a link{gone}; compared: {status}."


def _lines(number: int, pair: Mapping[str, Any]) -> Iterator[str]:
    ends = f"{named(pair['path'])} ~ {named(pair['other_path'])}"
    yield f"{number}. {pair['similarity']:.2f} {ends}"


TOOL = Tool(
    NAME,
    "Show similar notes",
    "Show notes that are alike by meaning without a link between them, of one note or "
    "the whole vault, the most similar first.",
    (
        NAME_ARGUMENT._replace(default=None, doc="a note; else the whole vault"),
        Argument("limit", "integer", "", 20, least=1, most=MOST_PAIRS),
        Argument("least", "number", "least cosine", 0.0, least=0, most=1),
        FORMAT,
        CURSOR,
    ),
    run,
)
