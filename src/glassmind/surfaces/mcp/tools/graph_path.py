"""`glassmind_path`: chains of links between two notes."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from glassmind.operations.model_text import named, one_line
from glassmind.render.chains import chains_as_json
from glassmind.render.connections_text import arrow_of
from glassmind.surfaces.mcp.tool import Action, Answer, Argument, Call, Tool
from glassmind.surfaces.mcp.tools.naming import NAME_ARGUMENT, note_name
from glassmind.surfaces.mcp.tools.paged import Listing, answer_of, in_place
from glassmind.surfaces.mcp.tools.shapes import CURSOR, FORMAT, concise, shortly

NAME = "glassmind_path"

MOST_CHAINS, MOST_HOPS = 50, 20

KEPT_OF_LINK = ("source", "kind", "property", "line", "sentence")


def run(call: Call) -> Answer:
    """Find the shortest chains, or say why there is none."""
    given, vault = call.given, call.engine.config.vault
    found = call.engine.knowledge.path(
        note_name(call, NAME, "source"),
        note_name(call, NAME, "target"),
        limit=given["limit"],
        most_hops=given["most_hops"],
        ghosts=given["ghosts"],
    )
    values = chains_as_json(found, vault=vault.name)
    reason = values["reason"]
    listing = Listing(
        values["chains"],
        in_place(values, "chains"),
        _brief,
        _lines,
        head="There may be more chains than these." if values["cut"] else "",
        around=tuple(_around(values)),
        nothing="There is no chain." if reason else "",
        notices=found.notices,
    )
    stops = [stop for chain in values["chains"] for stop in chain["notes"]]
    paths = [stop["path"] for stop in stops if not stop["ghost"]]
    return answer_of(NAME, call, listing, actions=tuple(_actions(values)), links=paths)


def _brief(chain: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "length": chain["length"],
        "notes": [concise(stop, ("path", "title")) for stop in chain["notes"]],
        "steps": [
            {
                "directions": step["directions"],
                "edges": [concise(edge, KEPT_OF_LINK) for edge in step["edges"][:1]],
                "edges_total": step["edges_total"],
            }
            for step in chain["steps"]
        ],
    }


def _around(values: Mapping[str, Any]) -> Iterator[str]:
    if values["reason"]:
        yield one_line(values["reason"]["text"])
    if values["common"]:
        listed = ", ".join(named(one["path"]) for one in values["common"])
        yield f"linked with both ({values['common_total']:,}): {listed}"


def _lines(number: int, chain: Mapping[str, Any]) -> Iterator[str]:
    yield f"{number}. {named(chain['notes'][0]['path'])}"
    for step, (_, stop) in zip(chain["steps"], pairwise(chain["notes"]), strict=True):
        for edge in step["edges"]:
            said = one_line(edge.get("sentence", "")) or f"({edge['kind']})"
            place = f"{named(edge['source'])}:{edge['line']}"
            yield f"      {place} > {shortly(said)}"
        yield f"   {arrow_of(step['directions'])} {named(stop['path'])}"


def _actions(values: Mapping[str, Any]) -> Iterator[Action]:
    reason = values["reason"]
    if reason and reason["kind"] == "too_far" and reason["shortest"] <= MOST_HOPS:
        ends = {name: values[name]["path"] for name in ("source", "target")}
        again = {**ends, "most_hops": reason["shortest"]}
        yield Action(NAME, again, "see the shortest chain there is")
    elif not values["chains"] and not values["source"]["ghost"]:
        own = {"name": values["source"]["path"], "depth": 2}
        yield Action("glassmind_connections", own, "see what the first is linked with")


TOOL = Tool(
    NAME,
    "Find paths between notes",
    "Find chains of links between two notes, the shortest first, each link with its "
    "sentence, and the notes linked with both. Links are followed either way; without "
    "a chain, it says why.",
    (
        NAME_ARGUMENT._replace(name="source"),
        NAME_ARGUMENT._replace(name="target", doc=""),
        Argument("limit", "integer", "chains", 5, least=1, most=MOST_CHAINS),
        Argument("most_hops", "integer", "", 6, least=1, most=MOST_HOPS),
        Argument("ghosts", "boolean", "also through names without a note", False),
        FORMAT,
        CURSOR,
    ),
    run,
)
