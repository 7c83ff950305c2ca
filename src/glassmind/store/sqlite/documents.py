"""Notes as the word index sees them, read from the rows."""

import json
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import apsw

from glassmind.model.sidecar import Document, Passage

DOC_NOTES = """
select n.id, f.path, n.title, n.aliases, n.day, f.mtime_ns
from notes n join files f on f.id = n.id where n.id in (select value from json_each(?))
"""
DOC_TAGS = """
select distinct note_id, folded from tags
where note_id in (select value from json_each(?)) order by note_id, folded
"""
DOC_PROPERTIES = """
select note_id, name, value from properties
where note_id in (select value from json_each(?)) order by note_id, seq
"""
DOC_CHUNKS = """
select note_id, id, heading_path, start_line, end_line, text from chunks
where note_id in (select value from json_each(?)) order by note_id, chunk_index
"""
DOC_HEADINGS = """
select note_id, line, text from headings
where note_id in (select value from json_each(?)) order by note_id, seq
"""


def documents(
    db: apsw.Connection, note_ids: Iterable[int], just_written: Mapping[int, Document]
) -> list[Document]:
    """Return the notes as they are, by id; one that is gone has none.

    Those in `just_written` are not read again.
    """
    wanted = sorted(note_ids)
    unread = [note_id for note_id in wanted if note_id not in just_written]
    read = _read(db, unread) if unread else {}
    return [found for i in wanted if (found := just_written.get(i) or read.get(i))]


def _read(db: apsw.Connection, note_ids: Sequence[int]) -> dict[int, Document]:
    ids, ask = (json.dumps(note_ids),), db.execute
    tags = _grouped(ask(DOC_TAGS, ids))
    properties = _grouped(ask(DOC_PROPERTIES, ids))
    headings = _grouped(ask(DOC_HEADINGS, ids))
    chunks = _grouped(ask(DOC_CHUNKS, ids))
    found = {}
    for note_id, path, title, aliases, day, mtime_ns in ask(DOC_NOTES, ids):
        titles = headings.get(note_id, [])
        found[note_id] = Document(
            note_id,
            path,
            title,
            json.loads(aliases),
            [name for (name,) in tags.get(note_id, ())],
            [(name, json.loads(v)) for name, v in properties.get(note_id, ())],
            day,
            mtime_ns,
            [
                Passage(i, headings_of(json.loads(under), titles, span), text)
                for i, under, *span, text in chunks.get(note_id, ())
            ],
        )
    return found


def headings_of(
    under: Sequence[str], titles: Sequence[tuple[int, str]], span: Iterable[int]
) -> Sequence[str]:
    """Return the headings a passage stands under and those inside it, each once.

    `titles` are all headings of the note with their lines, in order.
    """
    first, last = span
    begin, end = bisect_left(titles, (first,)), bisect_left(titles, (last + 1,))
    inside = [text for _, text in titles[begin:end]]
    told = (*under, *inside) if inside != [*under[-1:]] else under
    return told if len(told) < 2 else list(dict.fromkeys(told))  # noqa: PLR2004


def _grouped(rows: Iterable[tuple[Any, ...]]) -> dict[int, list[tuple[Any, ...]]]:
    groups: dict[int, list[tuple[Any, ...]]] = {}
    for row in rows:
        groups.setdefault(row[0], []).append(row[1:])
    return groups
