"""`glassmind_rank`: the notes that matter most."""

from collections.abc import Iterator, Mapping
from typing import Any

from glassmind.operations.model_text import named, one_line
from glassmind.render.ranks import ranking_as_json
from glassmind.surfaces.mcp.tool import Action, Answer, Argument, Call, Tool
from glassmind.surfaces.mcp.tools.paged import (
    Listing,
    answer_of,
    in_place,
    kept,
    wanted,
)
from glassmind.surfaces.mcp.tools.shapes import CURSOR, FORMAT
from glassmind.types.ranks import METRICS

NAME = "glassmind_rank"

MOST_NOTES, FURTHEST = 100, 1_000
"""Notes of one answer, and those that can be reached by cursors."""


def run(call: Call) -> Answer:
    """Rank notes by one measure."""
    given, vault = call.given, call.engine.config.vault
    found = call.engine.knowledge.rank(
        metric=given["metric"],
        limit=min(wanted(NAME, given), FURTHEST),
        theme=given["theme"],
        about=given["about"],
        least_inbound=given["least_inbound"],
        ghosts=given["ghosts"],
    )
    values = ranking_as_json(found, vault=vault.name)
    listing = Listing(
        values["notes"],
        in_place(values, "notes"),
        kept("rank", "path", "title", "score", "inbound", "outbound", "reason"),
        _lines,
        head=_head(values),
        nothing="No note comes into question.",
        notices=found.notices,
        most=given["limit"],
    )
    paths = [note["path"] for note in values["notes"] if not note["ghost"]]
    actions = []
    if paths:
        first = {"name": paths[0]}
        actions = [Action("glassmind_connections", first, "see why the first matters")]
    return answer_of(NAME, call, listing, actions=actions, links=paths)


def _head(values: Mapping[str, Any]) -> str:
    said = f"Of {values['total']:,} notes, by {values['metric']}."
    if values["margin"]:
        off, samples = values["margin"], values["samples"]
        said += f" Measured from {samples:,} notes: a score may be off by {off:.2g}."
    return said


def _lines(_: int, note: Mapping[str, Any]) -> Iterator[str]:
    where = f"{note['rank']}. {named(note['path'])} {note['score']:.4f}"
    yield f"{where} {one_line(note.get('reason', ''))}".rstrip()


TOOL = Tool(
    NAME,
    "Rank notes",
    "Rank notes: influence (led to by notes that matter), bridging (between groups), "
    "hubs (lead to much), authorities (led to by hubs); of the vault, one theme, or "
    "around what a query finds.",
    (
        Argument("metric", "string", "", "influence", METRICS),
        Argument("limit", "integer", "", 20, least=1, most=MOST_NOTES),
        Argument("theme", "label", "number or label", None, most=1000),
        Argument("about", "string", "a search query", None),
        Argument(
            "least_inbound", "integer", "others that lead to it", 0, least=0, most=10**6
        ),
        Argument("ghosts", "boolean", "linked names without a note too", False),
        FORMAT,
        CURSOR,
    ),
    run,
)
