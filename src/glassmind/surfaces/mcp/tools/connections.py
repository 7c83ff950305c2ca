"""`glassmind_connections`: what stands around a note, hop by hop."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from glassmind.operations.model_text import named, one_line
from glassmind.render.connections import connections_as_json
from glassmind.render.connections_text import arrow_of
from glassmind.surfaces.mcp.tool import Action, Answer, Argument, Call, Tool
from glassmind.surfaces.mcp.tools.naming import NAME_ARGUMENT, note_name
from glassmind.surfaces.mcp.tools.paged import Listing, answer_of
from glassmind.surfaces.mcp.tools.shapes import CURSOR, FORMAT, concise, shortly

NAME = "glassmind_connections"

MOST_SHOWN = 200
"""Neighbours of one hop."""

KEPT = ("path", "title", "hop", "directions", "via", "shared_tags")
KEPT_OF_LINK = ("kind", "property", "line", "sentence")
"""What a concise answer keeps of a neighbour, and of each of its links."""


def run(call: Call) -> Answer:
    """Tell what links tie to a note."""
    given, vault = call.given, call.engine.config.vault
    found = call.engine.knowledge.connections(
        note_name(call, NAME),
        depth=given["depth"],
        limit=given["limit"],
        ghosts=given["ghosts"],
    )
    values = connections_as_json(found, vault=vault.name)
    near = [one for hop in values["hops"] for one in hop["neighbours"]]
    listing = Listing(
        near,
        lambda shown: _put(values, shown),
        _brief,
        lines_of,
        head=_head(values),
        around=tuple(_around(values)),
        nothing="No note is linked with it.",
        notices=found.notices,
    )
    paths = [one["path"] for one in near if not one["ghost"]]
    actions = tuple(_actions(values, near))
    return answer_of(NAME, call, listing, actions=actions, links=paths)


def _put(
    values: Mapping[str, Any], shown: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    hops = [
        {**hop, "neighbours": [one for one in shown if one["hop"] == hop["hop"]]}
        for hop in values["hops"]
    ]
    return {**values, "hops": hops}


def _brief(near: Mapping[str, Any]) -> dict[str, Any]:
    both = len(near["directions"]) > 1  # which note a line is of goes without saying
    names = ("source", *KEPT_OF_LINK) if both else KEPT_OF_LINK
    edges = [concise(edge, names) for edge in near["edges"]]
    made = concise(near, KEPT) | {"edges": edges, "edges_total": near["edges_total"]}
    return made | ({"ghost": True} if near["ghost"] else {})


def _head(values: Mapping[str, Any]) -> str:
    told = [
        f"{hop['hop']} away: {hop['total']:,} ({hop['inbound_total']:,} lead here, "
        f"{hop['outbound_total']:,} are led to)"
        for hop in values["hops"]
    ]
    return f"Notes by how many links away they are. {'; '.join(told)}." if told else ""


def _around(values: Mapping[str, Any]) -> Iterator[str]:
    tags = " ".join(f"#{one_line(tag)}" for tag in values["tags"])
    yield f"{named(values['path'])} {tags}".rstrip()
    if values["theme"]:
        theme = values["theme"]
        yield f"theme {theme['id']}: {one_line(theme['label'])}"
    for one in values["similar"]:
        yield f"alike, not linked: {named(one['path'])} ({one['similarity']:.2f})"


def lines_of(number: int, near: Mapping[str, Any]) -> Iterator[str]:
    """Yield a neighbour in words: which way links run, and what they say."""
    arrow = arrow_of(near["directions"])
    via = "".join(f" via {named(one)}" for one in near.get("via", ()))
    tags = "".join(f" #{one_line(tag)}" for tag in near.get("shared_tags", ()))
    ghost = " (no such note yet)" if near.get("ghost") else ""
    yield f"{number}. {arrow} {named(near['path'])}{ghost}{tags}{via}"
    # a concise link that runs one way does without its source
    usual = near["path"] if arrow == "<-" else ""
    for edge in near["edges"]:
        said = one_line(edge.get("sentence", "")) or f"({edge['kind']})"
        its = "its line" if edge.get("source", usual) == near["path"] else "line"
        yield f"   {its} {edge['line']} > {shortly(said)}"


def _actions(
    values: Mapping[str, Any], near: Sequence[Mapping[str, Any]]
) -> Iterator[Action]:
    written = [one for one in near if not one["ghost"]]
    if written:
        first = {"name": written[0]["path"]}
        yield Action("glassmind_read", first, "read the note that is tied closest")
    if written and written[-1]["hop"] > 1 and not values["ghost"]:
        ends = {"source": values["path"], "target": written[-1]["path"]}
        yield Action("glassmind_path", ends, "see how the furthest note is reached")


TOOL = Tool(
    NAME,
    "Show connections",
    "Show what links tie to a note, hop by hop, each with the sentence around the "
    "link, and notes that are alike without a link. <- leads to it, -> is led to.",
    (
        NAME_ARGUMENT,
        Argument("depth", "integer", "links away", 1, least=1, most=3),
        Argument("limit", "integer", "per hop", 50, least=1, most=MOST_SHOWN),
        Argument("ghosts", "boolean", "linked names without a note too", False),
        FORMAT,
        CURSOR,
    ),
    run,
)
