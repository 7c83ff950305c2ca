"""`glassmind_read`: a note, a section or some lines, as they stand on disk."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from glassmind.errors import NoteNotFound
from glassmind.errors.serving import BadArgument
from glassmind.markdown.tokens import QUARTERS, reach
from glassmind.operations.model_text import fenced, labelled, named, one_line
from glassmind.operations.names import is_address, named_by
from glassmind.render.address import obsidian_uri
from glassmind.render.approval import UNREAD
from glassmind.render.notes import note_as_json
from glassmind.retrieval.notes import GuessedNote
from glassmind.surfaces.mcp.cursors import Cursor, read_cursor, trace_of, write_cursor
from glassmind.surfaces.mcp.pages import MOST_TOKENS, USUAL_TOKENS
from glassmind.surfaces.mcp.tool import Action, Answer, Argument, Call, Tool
from glassmind.surfaces.mcp.tools.shapes import CURSOR
from glassmind.types import Span
from glassmind.types.catalogue import NoteText

NAME = "glassmind_read"

LEAST_TOKENS = 50

_RANGE = re.compile(r"\s*([0-9]{1,9})\s*(?:(-)\s*([0-9]{1,9})?\s*)?")


def run(call: Call) -> Answer:
    """Read a note, or as much of it as fits."""
    given, vault = call.given, call.engine.config.vault.name
    cursor = read_cursor(NAME, given)
    name = named_by(given["name"], vault=vault, owner=NAME)
    lines = lines_of(given["lines"])
    note = call.engine.read(name, heading=given["heading"], lines=lines)
    if is_address(given["name"]) and isinstance(note, GuessedNote):
        raise NoteNotFound(name, (note.path,))
    part, end = cut(note, cursor.offset, given["max_tokens"])
    more = end < len(note.text)
    following = Cursor(end, trace_of(note.path, note.digest))
    mark = write_cursor(NAME, given, following) if more else None
    notices = _notices(note, cursor)
    content = note_as_json(part, vault=vault) | {
        "notices": [*note.notices, *notices],
        "truncated": more,
        "next_cursor": mark,
    }
    actions = _actions(given, mark)
    text = _text(part, notices, mark, vault)
    return Answer(text, labelled(content), actions, (note.path,))


def lines_of(text: str | None) -> tuple[int, int | None] | None:
    """Return the ends of `12-34`, of one line, or of `12-`, which has no last one.

    Raises:
        BadArgument: it is neither, or runs backwards.
    """
    if not text:
        return None
    found = _RANGE.fullmatch(text)
    if not found:
        raise BadArgument(NAME, "'lines' must be a range such as 12-34, or 12-")
    first = int(found[1])
    if found[2] and not found[3]:
        return first, None
    last = int(found[3] or first)
    if first > last:
        raise BadArgument(NAME, "the first of 'lines' is after the last")
    return first, last


def cut(note: NoteText, start: int, budget_tokens: int) -> tuple[NoteText, int]:
    """Return what fits of a text from a letter on, and where it ends.

    It ends with a line where it can, and the lines it tells are those it shows.
    """
    text = note.text
    start = min(start, len(text))
    end = reach(text, start, len(text), budget_tokens * QUARTERS) if text else 0
    if end < len(text):
        whole = text.rfind("\n", start, end) + 1
        end = whole if whole > start else end
    first = note.span.start + text.count("\n", 0, start)
    shown = text[start:end]
    last = first + shown.count("\n", 0, max(len(shown) - 1, 0))
    return replace(note, text=shown, span=Span(first, last)), end


def _notices(note: NoteText, cursor: Cursor) -> list[str]:
    said = []
    if isinstance(note, GuessedNote):
        said.append("no note has this very name; this is the closest")
    if cursor.offset and cursor.trace != trace_of(note.path, note.digest):
        said.append(
            "the note changed since the cursor was given; to be sure, read it again "
            "without it"
        )
    return said


def _text(note: NoteText, notices: list[str], mark: str | None, vault: str) -> str:
    unread = [UNREAD] if note.generated else []  # values have a mark of their own
    head = [f"Notice: {said}" for said in (*unread, *notices)]
    path = named(note.path)
    where = [f"notice: {one_line(said)}" for said in note.notices]  # they name notes
    where.append(f"{path}:{note.span.start}-{note.span.end}")
    if note.heading_path:
        where.append(f"under: {' > '.join(one_line(h) for h in note.heading_path)}")
    where.append(f"digest: {note.digest[:16]}")  # `expected` of an edit
    where.append(obsidian_uri(vault, note.path, note.heading_path))
    tail = [f"Truncated. More: the same call with cursor={mark}"] if mark else []
    return "\n".join([*head, fenced("\n".join([*where, "", note.text])), *tail])


def _actions(given: Mapping[str, Any], mark: str | None) -> tuple[Action, ...]:
    if mark is None:
        return ()
    again = {name: value for name, value in given.items() if value not in (None, "")}
    return (Action(NAME, again | {"cursor": mark}, "read on"),)


TOOL = Tool(
    NAME,
    "Read a note",
    "Read a note as it stands on disk: all of it, the section under a heading, or some "
    "lines. Long notes come in parts; go on with the cursor.",
    (
        Argument(
            "name",
            "string",
            "path, title, alias, address or receipt; Note#Heading, Note.md:12-18",
            most=4096,
        ),
        Argument("heading", "string", "", "", most=1000),
        Argument("lines", "string", "12-34, or 12- to the end", None, most=40),
        Argument(
            "max_tokens",
            "integer",
            "",
            USUAL_TOKENS,
            least=LEAST_TOKENS,
            most=MOST_TOKENS,
        ),
        CURSOR,
    ),
    run,
)
