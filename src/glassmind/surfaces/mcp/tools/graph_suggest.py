"""`glassmind_suggest`: notes that should be linked."""

from collections.abc import Iterator, Mapping
from typing import Any

from glassmind.operations.model_text import named, one_line
from glassmind.render.suggestions import suggestions_as_json
from glassmind.surfaces.mcp.tool import Answer, Argument, Call, Tool
from glassmind.surfaces.mcp.tools.naming import NAME_ARGUMENT, note_name
from glassmind.surfaces.mcp.tools.paged import (
    Listing,
    answer_of,
    in_place,
    wanted,
)
from glassmind.surfaces.mcp.tools.shapes import CURSOR, FORMAT, concise, shortly

NAME = "glassmind_suggest"

MOST_SUGGESTIONS, FURTHEST = 100, 1_000
"""Suggestions of one answer, and those that can be reached by cursors."""

KEPT = ("key", "kind", "source", "target", "score", "reason", "property", "similarity")
KEPT_OF_EDIT = ("path", "line", "before", "after")


def run(call: Call) -> Answer:
    """Suggest links, for one note or for the vault."""
    given, vault = call.given, call.engine.config.vault
    name = note_name(call, NAME) if given["name"] is not None else None
    found = call.engine.knowledge.suggest(
        name, limit=min(wanted(NAME, given), FURTHEST)
    )
    values = suggestions_as_json(found, vault=vault.name)
    listing = Listing(
        values["suggestions"],
        in_place(values, "suggestions"),
        _brief,
        _lines,
        head="Proposals, of which nothing is written.",
        nothing="There is nothing to suggest.",
        notices=found.notices,
        most=given["limit"],
    )
    paths = [one["source"] for one in values["suggestions"]]
    return answer_of(NAME, call, listing, links=paths)


def _brief(one: Mapping[str, Any]) -> dict[str, Any]:
    made = concise(one, KEPT)
    if one["mention"]:
        made["mention"] = concise(one["mention"], ("text", "line", "sentence"))
    if one["edit"]:
        made["edit"] = concise(one["edit"], KEPT_OF_EDIT)
    return made


def _lines(number: int, one: Mapping[str, Any]) -> Iterator[str]:
    ends = f"{named(one['source'])} -> {named(one['target'])}"
    if one.get("property"):  # as its key has it
        ends += f" ({one_line(one['property'])})"
    yield f"{number}. {ends} ({one['kind']} {one['score']:.2f})"
    yield f"   {one_line(one['reason'])}"
    if mention := one.get("mention"):
        said = shortly(one_line(mention["sentence"]))
        yield f"   line {mention['line']} > {said}"
    if edit := one.get("edit"):
        before, after = (one_line(edit.get(name, "")) for name in ("before", "after"))
        yield f"   at {named(edit['path'])}:{edit['line']} '{before}' to '{after}'"


TOOL = Tool(
    NAME,
    "Suggest links",
    "Suggest notes that should be linked, for one note or the whole vault: names in "
    "the text without a link, notes that are alike, properties that are not answered; "
    "each with reason and proposed edit. Nothing is written.",
    (
        NAME_ARGUMENT._replace(default=None, doc="a note; else the whole vault"),
        Argument("limit", "integer", "", 20, least=1, most=MOST_SUGGESTIONS),
        FORMAT,
        CURSOR,
    ),
    run,
    timeout_s=120,
)
