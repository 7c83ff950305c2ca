"""`glassmind_timeline`: how what stands around a note grew."""

from collections.abc import Iterator, Mapping
from typing import Any

from glassmind.operations.model_text import named, one_line
from glassmind.render.timeline import timeline_as_json
from glassmind.surfaces.mcp.tool import Answer, Argument, Call, Tool
from glassmind.surfaces.mcp.tools.naming import NAME_ARGUMENT, note_name
from glassmind.surfaces.mcp.tools.paged import Listing, answer_of, in_place, kept
from glassmind.surfaces.mcp.tools.shapes import CURSOR, FORMAT, shortly

NAME = "glassmind_timeline"

MOST_EVENTS = 1_000


def run(call: Call) -> Answer:
    """Tell what happened around a note, the first thing first."""
    given, vault = call.given, call.engine.config.vault
    found = call.engine.knowledge.timeline(note_name(call, NAME), limit=given["limit"])
    values = timeline_as_json(found, vault=vault.name)
    left = found.total - len(found.events)
    listing = Listing(
        values["events"],
        in_place(values, "events"),
        kept("day", "kind", "path", "origin", "detail", "sentence"),
        _lines,
        head=f"{left:,} earlier events are left out." if left else "",
        around=(named(values["path"]),),
        nothing="Nothing about it is dated.",
        notices=found.notices,
    )
    paths = [event["path"] for event in values["events"]]
    return answer_of(NAME, call, listing, links=paths)


def _lines(_: int, event: Mapping[str, Any]) -> Iterator[str]:
    said = one_line(event.get("sentence", ""))
    sentence = f" > {shortly(said)}" if said else ""
    detail = one_line(event["detail"])
    yield f"{event['day']} {detail} (by {event['origin']}){sentence}"


TOOL = Tool(
    NAME,
    "Show a timeline",
    "Show how what stands around a note grew: when it was made, when links to it and "
    "from it appeared, each with where the date is from (properties, names, git, "
    "files).",
    (
        NAME_ARGUMENT,
        Argument("limit", "integer", "the latest", 100, least=1, most=MOST_EVENTS),
        FORMAT,
        CURSOR,
    ),
    run,
)
