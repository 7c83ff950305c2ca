"""Writing the word index: documents in, one marker a commit.

The rules were each found by breaking it: collect garbage right after opening, or a
killed commit blocks every later one; roll back after any failure, or the writer
silently drops what follows; give every value its type, or one bad value loses a whole
batch.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from copy import copy
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

import tantivy

from glassmind.model.index import Document
from glassmind.obsidian.properties import OWN, is_memo, memo_own_text
from glassmind.store.lexical import analysis
from glassmind.store.lexical.files import (
    DOCUMENTS_VERSION,
    FOLDER,
    MARKER_NOTE,
    PATH,
    PROPERTY,
    SEPARATOR,
    TAG,
    day_number,
    faults_named,
    local_day,
    name_term,
    open_index,
    read_marker,
)

_LARGE_NOTE_CHARS, _QUEUE_CHARS = 250_000, 32_000_000
"""Text of large notes that waits to be indexed; in the queue it takes three times as
much memory. Ordinary notes are indexed as fast as they are read."""

_SMALL_HEAP, _LARGE_HEAP = 15_000_000, 100_000_000
"""Bytes: the least that tantivy takes, and what a first run gains from; not more."""

_LONGEST_TERM = 8_000
"""Characters of a raw term; tantivy drops those over 64 KB without a word."""


class WordWriter:
    """The one writer of a word index; the caller holds the writer lock."""

    def __init__(self, folder: Path, *, large: bool = False) -> None:
        self._place = folder / FOLDER
        heap = _LARGE_HEAP if large else _SMALL_HEAP
        with self._faults():
            self._place.mkdir(parents=True, exist_ok=True)
            self._index = open_index(self._place)
            self._writer = self._index.writer(heap_size=heap, num_threads=1)
            self._writer.garbage_collect_files()
        self._fresh = False
        self._queued_chars = 0

    def _faults(self) -> AbstractContextManager[None]:
        return faults_named(str(self._place))

    def marker(self) -> str | None:
        """Return how far this index has followed the log; None when it cannot tell."""
        with self._faults():
            self._index.reload()
            return read_marker(self._index.searcher(), self._index.schema)

    def reset(self) -> None:
        """Begin again from nothing; takes effect with the next commit.

        That may be one of `put`, and has no marker: the index then counts as behind.
        """
        with self._faults():
            self._writer.delete_all_documents()
        self._fresh = True

    def put(self, note_ids: Iterable[int], documents: Sequence[Document]) -> None:
        by_id = {note.note_id: note for note in documents}
        schema, add = self._index.schema, self._writer.add_document
        with self._faults():
            for note_id in dict.fromkeys((*note_ids, *by_id)):
                if not self._fresh:
                    self._writer.delete_documents_by_term("note", note_id)
                note = by_id.get(note_id)
                if note is None:
                    continue
                for document in _documents(note, schema):
                    add(document)
                self._drain(sum(len(passage.text) for passage in note.passages))

    def _drain(self, chars: int) -> None:
        """Wait for the indexing thread when large notes fill its queue.

        A commit is the only way to wait. Readers then see some of the changed notes
        before the others. The marker stays, so that after a crash all are put again.
        """
        self._queued_chars += chars if chars > _LARGE_NOTE_CHARS else 0
        if self._queued_chars > _QUEUE_CHARS:
            self._writer.commit()
            self._queued_chars = 0

    def commit(self, marker: str) -> None:
        """Make everything since the last commit visible, with a new marker."""
        document = tantivy.Document()
        document.add_integer("note", MARKER_NOTE)
        document.add_text("marker", f"{DOCUMENTS_VERSION} {marker}")
        with self._faults():
            self._writer.delete_documents_by_term("note", MARKER_NOTE)
            self._writer.add_document(document)
            self._writer.commit()
        self._fresh = False

    def rollback(self) -> None:
        with self._faults():
            self._writer.rollback()

    def close(self) -> None:
        with self._faults():
            self._writer.wait_merging_threads()


Fields = dict[str, Any]

_MOST_FACTS = 1_000
"""Tags and properties of a note that can be filtered by; every passage repeats them."""


def _documents(note: Document, schema: tantivy.Schema) -> Iterator[tantivy.Document]:
    """Yield the passages of one note, working out what they share only once.

    Words of the folder, tags and properties stand in the first passage alone, which is
    the frontmatter where there is one: they lead to the note, and in every passage they
    would be a third of the work. The name as a whole stands where the text begins. Of a
    memo its own words count alone.
    """
    values = [(name, _flat(value)) for name, value in note.properties]
    memo = is_memo(dict(note.properties))
    shared = tantivy.Document.from_dict(_shared(note, values), schema)
    headed = len(note.passages) > 1 and note.passages[0].text.startswith("---")
    begins = 1 if headed else 0
    titles = "\n".join((note.title, *note.aliases))
    unspaced = analysis.has_unspaced(titles)
    for number, (chunk_id, headings, text) in enumerate(note.passages):
        said = "" if memo and number < begins else memo_own_text(text)
        under, body = " \n".join(headings), analysis.prepared(said)
        passage = copy(shared)
        passage.add_integer("chunk", chunk_id)
        passage.add_text("headings", analysis.prepared(under))
        passage.add_text("body", body)
        passage.add_text("body_stem", body)
        if unspaced or analysis.has_unspaced(said) or analysis.has_unspaced(under):
            singles = analysis.singles_text(f"{titles}\n{under}\n{said}")
            passage.add_text("singles", singles)
        if number == 0:
            passage.extend(_first(note, values, memo=memo), schema)
        if number == begins:
            for name in (note.title, *note.aliases):
                passage.add_text("name", name_term(name))
        yield passage


def _shared(note: Document, values: Sequence[tuple[str, list[str]]]) -> Fields:
    """Return what every passage has: the title, and all that is filtered by."""
    seconds = note.mtime_ns // 1_000_000_000
    facts = [PATH + note.path.lower(), *_tag_facts(note.tags)]
    facts += [
        f"{PROPERTY}{name.lower()}{SEPARATOR}{item.lower()}"[:_LONGEST_TERM]
        for name, items in values
        for item in items
    ]
    fields: Fields = {
        "title": analysis.prepared(note.title),
        "fact": facts[:_MOST_FACTS],
        "day": day_number(note.day or local_day(seconds)),
        "mtime": seconds,
        "note": note.note_id,
    }
    if note.aliases:
        fields["aliases"] = [analysis.prepared(alias) for alias in note.aliases]
    return fields


def _first(
    note: Document, values: Sequence[tuple[str, list[str]]], *, memo: bool
) -> Fields:
    shown = [
        f"{name} {' '.join(items)}"
        for name, items in values
        if name not in ("tags", "aliases") and (name in OWN or not memo)
    ]
    return {
        "path": "" if memo else analysis.prepared(note.path.rpartition("/")[0]),
        "tags": analysis.prepared(" ".join(note.tags)),
        "properties": analysis.prepared(" \n".join(shown)),
    }


def _tag_facts(tags: Iterable[str]) -> dict[str, None]:
    """Return each tag and the tags above it, once."""
    above = (accumulate(tag.split("/"), "{}/{}".format) for tag in tags)
    return {TAG + tag: None for tag in chain.from_iterable(above)}


def _flat(value: Any) -> list[str]:
    """Return every scalar of a property as text; an empty property is "null"."""
    if isinstance(value, bool):
        return ["true" if value else "false"]
    if value is None or value in ([], {}):
        return ["null"]
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, list):
        return [text for item in value for text in _flat(item)]
    return [str(value)]
