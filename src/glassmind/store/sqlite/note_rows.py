"""What is read from a note as rows, and as the word index sees it."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, repeat
from typing import Any

import apsw

from glassmind.model.index import Indexed
from glassmind.model.notes import Chunk, all_of
from glassmind.model.sidecar import Document, Passage
from glassmind.store.sqlite.documents import headings_of

PUT_NOTE = "insert into notes values (?, ?, ?, ?, ?, ?, ?, ?, ?)"
PUT_CHUNK = """
insert into chunks (id, note_id, chunk_index, kind, heading_path, start_line, end_line,
  text, overlap, tokens, digest, start_byte)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
PUT_HEADING = """
insert into headings (note_id, seq, level, text, line, start_byte, end_byte)
values (?, ?, ?, ?, ?, ?, ?)
"""
PUT_LINK = """
insert into links (note_id, seq, kind, target, subpath, display, embed, line,
  start_byte, end_byte, property, name_key, target_id, settled)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
PUT_TAG = """
insert into tags (note_id, seq, name, line, start_byte, end_byte, in_properties, folded)
values (?, ?, ?, ?, ?, ?, ?, ?)
"""
PUT_PROPERTY = "insert into properties (note_id, seq, name, value) values (?, ?, ?, ?)"
PUT_TASK = """
insert into tasks (note_id, seq, status, text, line, start_byte, end_byte, depth,
  parent_line) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
PUT_BLOCK = """
insert into blocks (note_id, seq, name, line, start_byte, end_byte)
values (?, ?, ?, ?, ?, ?)
"""
PUT_FIELD = """
insert into fields (note_id, seq, key, value, form, line, start_byte, end_byte)
values (?, ?, ?, ?, ?, ?, ?, ?)
"""
PUT_CALLOUT = """
insert into callouts (note_id, seq, kind, title, fold, start_line, end_line, start_byte,
  end_byte) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def _query_for(put: str, order: str = "seq") -> str:
    """Return what reads the rows of one note that a statement wrote."""
    table, columns = re.findall(r"into (\w+) \(([^)]+)\)", put)[0]
    return f"select {columns} from {table} where note_id = ? order by {order}"  # noqa: S608


ROWS_OF_NOTE = {
    PUT_NOTE: "select * from notes where id = ?",
    PUT_CHUNK: _query_for(PUT_CHUNK, "chunk_index"),
    **{
        put: _query_for(put)
        for put in (PUT_HEADING, PUT_LINK, PUT_TAG, PUT_PROPERTY, PUT_TASK, PUT_BLOCK,
                    PUT_FIELD, PUT_CALLOUT)
    },
}  # fmt: skip
"""Reads what each statement wrote of one note, in the same order."""

LINK_END = 2
"""Columns at the end of a link that depend on other files: its end, and if found."""

NameKey = Callable[[str], str]

to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""Returns compact JSON text, letters of every script as they are."""


def _texts_json(texts: Sequence[str]) -> str:
    """Return texts as JSON, in a quarter of the time that any other list takes."""
    return f"[{','.join(map(to_json, texts))}]"


def rows_of(
    ids: Sequence[int],
    batch: Sequence[Indexed],
    chunk_ids: Sequence[Sequence[int]],
    name_key: NameKey,
) -> list[tuple[str, list[tuple[Any, ...]]]]:
    """Return each statement with all its rows, parents before children.

    The columns of a statement stand in the order of the named tuple they come from.
    """
    tables: dict[str, list[tuple[Any, ...]]] = {
        PUT_NOTE: [], PUT_CHUNK: [], PUT_HEADING: [], PUT_LINK: [], PUT_TAG: [],
        PUT_PROPERTY: [], PUT_TASK: [], PUT_BLOCK: [], PUT_FIELD: [], PUT_CALLOUT: [],
    }  # fmt: skip
    for i, places, item in zip(ids, chunk_ids, batch, strict=True):
        note = item.note
        tables[PUT_NOTE].append(_note_row(i, item))
        tables[PUT_CHUNK] += [
            (place, i, index, kind, _texts_json(path), first, last, *rest, start)
            for place, start, (index, kind, path, (first, last), *rest)
            in zip(places, _starts(item.chunks), item.chunks, strict=True)
        ]  # fmt: skip
        ends = item.ends if item.ends is not None else repeat(None, len(note.links))
        settled = item.ends is not None
        tables[PUT_LINK] += [
            (i, n, *link, name_key(link.target), end, settled)
            for n, (link, end) in enumerate(zip(note.links, ends, strict=True))
        ]
        tables[PUT_TAG] += [
            (i, n, *tag, tag.name.lower()) for n, tag in enumerate(note.tags)
        ]
        tables[PUT_PROPERTY] += [
            (i, n, name, to_json(value))
            for n, (name, value) in enumerate(note.frontmatter.properties.items())
        ]
        tables[PUT_CALLOUT] += [
            (i, n, kind, title, fold, *span, start, end)
            for n, (kind, title, fold, span, start, end) in enumerate(note.callouts)
        ]
        for statement, pieces in (
            (PUT_HEADING, note.headings),
            (PUT_TASK, note.tasks),
            (PUT_BLOCK, note.block_ids),
            (PUT_FIELD, note.fields),
        ):
            tables[statement] += [(i, n, *piece) for n, piece in enumerate(pieces)]
    return list(tables.items())


def has_rows(
    db: apsw.Connection, note_id: int, item: Indexed, name_key: NameKey
) -> bool:
    """Whether the database has exactly the rows of a note, ends of links aside."""
    found = {
        statement: [tuple(row) for row in db.execute(query, (note_id,))]
        for statement, query in ROWS_OF_NOTE.items()
    }
    chunk_ids = [row[0] for row in found[PUT_CHUNK]]
    if len(chunk_ids) != len(item.chunks):
        return False
    found[PUT_LINK] = [row[:-LINK_END] for row in found[PUT_LINK]]
    expected = dict(rows_of([note_id], [item], [chunk_ids], name_key))
    expected[PUT_LINK] = [row[:-LINK_END] for row in expected[PUT_LINK]]
    return found == expected


def _starts(chunks: Sequence[Chunk]) -> list[int]:
    """Return the byte of the note at which what is each chunk's own begins."""
    lengths = [
        len(chunk.text) - chunk.overlap
        if chunk.text.isascii()
        else len(chunk.text[chunk.overlap :].encode())
        for chunk in chunks[:-1]
    ]
    return list(accumulate(lengths, initial=0))


def _note_row(note_id: int, item: Indexed) -> tuple[Any, ...]:
    note = item.note
    error = note.frontmatter.error
    return (note_id, note.kind, note.title, item.digest, item.encoding, item.day,
            _texts_json(note.aliases), error, _texts_json(item.warnings))  # fmt: skip


def document_of(note_id: int, chunk_ids: Iterable[int], item: Indexed) -> Document:
    """Return what would be read from the rows of a note that were just written."""
    note = item.note
    titles = [(heading.line, heading.text) for heading in note.headings]
    passages = [
        (i, headings_of(chunk.heading_path, titles, chunk.span), chunk.text)
        for i, chunk in zip(chunk_ids, item.chunks, strict=True)
    ]
    return Document(
        note_id,
        note.path,
        note.title,
        note.aliases,
        sorted({tag.name.lower() for tag in note.tags}),
        list(note.frontmatter.properties.items()),
        item.day,
        item.file.mtime_ns,
        all_of(Passage, passages),
    )
