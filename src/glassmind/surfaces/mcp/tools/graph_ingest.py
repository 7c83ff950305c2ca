"""`glassmind_ingest`: what a note names, and what the vault has of it."""

from collections.abc import Iterator, Mapping
from typing import Any

from glassmind.operations.model_text import named, one_line
from glassmind.render.ingestion import STATES, ingestion_as_json
from glassmind.surfaces.mcp.tool import Answer, Argument, Call, Tool
from glassmind.surfaces.mcp.tools.naming import NAME_ARGUMENT, note_name
from glassmind.surfaces.mcp.tools.paged import Listing, answer_of, in_place
from glassmind.surfaces.mcp.tools.shapes import CURSOR, FORMAT, concise, shortly

NAME = "glassmind_ingest"

MOST_ENTITIES = 500

KEPT = ("name", "state", "link", "path", "stub")


def run(call: Call) -> Answer:
    """Match each thing that a note names; nothing is written."""
    given, vault = call.given, call.engine.config.vault
    found = call.engine.knowledge.ingest(note_name(call, NAME), limit=MOST_ENTITIES)
    values = ingestion_as_json(found, vault=vault.name)
    listing = Listing(
        values["entities"],
        in_place(values, "entities"),
        _brief,
        _lines,
        head=_head(values),
        around=(named(values["path"]),),
        nothing="It names nothing that the vault could have a note of.",
        notices=found.notices,
        most=given["limit"],
    )
    return answer_of(NAME, call, listing, links=(values["path"],))


def _brief(entity: Mapping[str, Any]) -> dict[str, Any]:
    made = concise(entity, KEPT) | {"mentions": entity["mentions"][:1]}
    if entity["state"] == "unsure":
        kept = ("path", "title", "link", "reason")
        made["candidates"] = [concise(one, kept) for one in entity["candidates"]]
    return made


def _head(values: Mapping[str, Any]) -> str:
    counts = values["counts"].items()
    told = [f"{count:,} {STATES[state]}" for state, count in counts if count]
    said = f"{values['total']:,} names: {', '.join(told)}." if told else ""
    return f"{said} A proposal, nothing is written.".lstrip()


def _lines(_: int, entity: Mapping[str, Any]) -> Iterator[str]:
    link = one_line(entity.get("link") or "")
    state = STATES[entity["state"]]
    yield f"{one_line(entity['name'])} ({state}) {link}".rstrip()
    for mention in entity["mentions"][:1]:
        line = f"line {mention['line']} > " if mention["line"] else ""
        yield f"   {line}{shortly(one_line(mention['text']))}"
    if entity["state"] == "unsure":
        for one in entity.get("candidates", ()):
            known = one["link"] or one.get("path") or one["title"]
            yield f"   perhaps {one_line(known)}: {one_line(one['reason'])}"
    if stub := entity.get("stub"):
        yield f"   would be {named(stub['path'])}: {one_line(stub['reason'])}"


TOOL = Tool(
    NAME,
    "Match what a note names",
    "Match each thing that a note names (people, projects, terms) with the note that "
    "the vault has of it, or propose a new one with path and text. Nothing is written.",
    (
        NAME_ARGUMENT,
        Argument("limit", "integer", "", 50, least=1, most=MOST_ENTITIES),
        FORMAT,
        CURSOR,
    ),
    run,
)
