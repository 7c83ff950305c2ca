"""`glassmind_list`: notes by folder, tag, property or day."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from glassmind.errors.serving import BadArgument
from glassmind.operations.model_text import fenced, labelled, named, one_line
from glassmind.render.notes import facts_as_json, list_as_json
from glassmind.surfaces.mcp.cursors import Cursor, read_cursor, trace_of, write_cursor
from glassmind.surfaces.mcp.pages import MOST_TOKENS, USUAL_TOKENS, fitting
from glassmind.surfaces.mcp.tool import Action, Answer, Argument, Call, Tool
from glassmind.surfaces.mcp.tools.nothing_listed import Reason, property_of, reasons
from glassmind.surfaces.mcp.tools.shapes import CURSOR, FORMAT, concise, is_detailed
from glassmind.types.catalogue import NoteFacts, NoteList

NAME = "glassmind_list"

KEPT = ("path", "title", "modified", "day", "tags")
"""What a concise answer keeps of a note."""

MOST_NOTES = 200

CHANGED = (
    "the list changed since the cursor was given: notes may come twice or be missing; "
    "to be sure, list again without it"
)


def run(call: Call) -> Answer:
    """List as many notes as were asked for and fit."""
    given, vault = call.given, call.engine.config.vault
    cursor = read_cursor(NAME, given)
    if given["tag"] and not given["tag"].strip(" #/"):
        raise BadArgument(NAME, "'tag' names no tag; write it such as project/garden")
    name, value = property_of(given["property"])
    # one note before the page tells whether the list is still the one it was
    before = 1 if cursor.offset else 0
    found = call.engine.list_notes(
        folder=given["folder"],
        tag=given["tag"],
        property_name=name,
        property_value=value,
        since=given["since"],
        until=given["until"],
        newest=given["newest"],
        limit=given["limit"] + before,
        offset=cursor.offset - before,
    )

    def shown(note: NoteFacts) -> dict[str, Any]:
        made = facts_as_json(note, vault=vault.name)
        return made if is_detailed(given) else concise(made, KEPT)

    wrong = [] if found.total else reasons(call.engine, given)
    budget = MOST_TOKENS if is_detailed(given) else USUAL_TOKENS
    asked = found.notes[before:]
    notes = fitting(asked, shown, budget)
    end = cursor.offset + len(notes)
    mark = None
    if notes and end < found.total:
        following = Cursor(end, trace_of(notes[-1].path, found.total))
        mark = write_cursor(NAME, given, following)
    content = list_as_json(
        NoteList(notes, found.total),
        offset=cursor.offset,
        vault=vault.name,
        root=str(vault.path),
    )
    content |= {
        "notes": [shown(note) for note in notes],
        "notices": [*found.notices, *_notices(found, cursor), *(w.said for w in wrong)],
        "truncated": len(notes) < len(asked),
        "next_cursor": mark,
    }
    if any(reason.closest for reason in wrong):
        content["closest"] = {one.argument: list(one.closest) for one in wrong}
    links = tuple(str(note.path) for note in notes) if is_detailed(given) else ()
    text = "\n".join(_lines(content))
    return Answer(text, labelled(content), tuple(_actions(given, mark, wrong)), links)


def _notices(found: NoteList, cursor: Cursor) -> list[str]:
    if not cursor.offset:
        return []
    if found.notes and trace_of(found.notes[0].path, found.total) == cursor.trace:
        return []
    return [CHANGED]


def _lines(content: Mapping[str, Any]) -> Iterator[str]:
    for said in content["notices"]:
        yield f"Notice: {said}"
    if not content["notes"]:
        yield "No note passes." if not content["total"] else "No more notes."
        if near := content.get("closest"):
            yield fenced("\n".join(_near(*one) for one in near.items() if one[1]))
        return
    first = content["offset"] + 1
    last = content["offset"] + len(content["notes"])
    yield f"Notes {first:,} to {last:,} of {content['total']:,}."
    yield fenced("\n".join(_row(note) for note in content["notes"]))
    if content["truncated"]:
        yield "Truncated to fit."
    if content["next_cursor"]:
        yield f"More: the same call with cursor={content['next_cursor']}"


def _near(argument: str, closest: Sequence[str]) -> str:
    return f"closest {argument}: {', '.join(one_line(one) for one in closest)}"


def _row(note: Mapping[str, Any]) -> str:
    day = note.get("day") or note["modified"][:10]
    tags = " ".join(f"#{one_line(tag)}" for tag in note.get("tags", ()))
    row = f"{day} {named(note['path'])} {tags}".rstrip()
    properties = note.get("properties", {}).items()
    more = [f"   {_property(k, v)}" for k, v in properties if k != "tags"]
    return "\n".join([row, *more])


def _property(name: str, value: object) -> str:
    shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return one_line(f"{name}: {shown}")


def _actions(
    given: Mapping[str, Any], mark: str | None, wrong: Sequence[Reason]
) -> Iterator[Action]:
    again = {k: v for k, v in given.items() if v not in (None, "")}
    for one in wrong:
        rest = {k: v for k, v in again.items() if k not in {one.argument, "cursor"}}
        if one.closest:
            near = rest | {one.argument: one.closest[0]}
            yield Action(NAME, near, f"list by the closest {one.argument}")
        else:
            yield Action(NAME, rest, f"list without {one.argument}")
    if mark is not None:
        yield Action(NAME, again | {"cursor": mark}, "see more notes")


TOOL = Tool(
    NAME,
    "List notes",
    "List notes that pass every filter given, by path or newest first. To find what "
    "notes say use glassmind_search.",
    (
        Argument("folder", "string", "notes in or below it", "", most=4096),
        Argument("tag", "string", "the tag or one below it", "", most=1000),
        Argument("property", "string", "name, name=value or name:value", "", most=1000),
        Argument("since", "string", "day such as 2026-03-12, 2026-03 or 7d", None),
        Argument("until", "string", "day, itself excluded", None),
        Argument("newest", "boolean", "last modified first", False),
        Argument("limit", "integer", "", 25, least=1, most=MOST_NOTES),
        FORMAT,
        CURSOR,
    ),
    run,
)
