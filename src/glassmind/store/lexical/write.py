"""Writing the word index: documents in, one marker a commit.

The rules were each found by breaking it: collect garbage right after opening, or a
killed commit blocks every later one; roll back after any failure, or the writer
silently drops what follows; give every value its type, or one bad value loses a whole
batch.
"""

import json
import shutil
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import tantivy

from glassmind.store.lexical import words
from glassmind.store.lexical.faults import faults_named
from glassmind.store.lexical.fields import SEPARATOR, day_number
from glassmind.store.lexical.place import (
    FOLDER,
    MARKER_NOTE,
    open_index,
    read_marker,
)
from glassmind.types.sidecar import Document

SMALL_HEAP, LARGE_HEAP = 15_000_000, 100_000_000
"""Bytes: the least tantivy takes for one thread, and the sweet spot for two."""

LONGEST_TERM = 8_000
"""Characters of a raw term; tantivy drops those over 64 KB without a word."""


def discard(folder: Path) -> None:
    """Delete the word index; it is made anew from the rows."""
    shutil.rmtree(folder / FOLDER, ignore_errors=True)


class WordWriter:
    """The one writer of a word index; the caller holds the writer lock."""

    def __init__(self, folder: Path, *, large: bool = False) -> None:
        self._place = folder / FOLDER
        heap, threads = (LARGE_HEAP, 2) if large else (SMALL_HEAP, 1)
        with self._faults():
            self._place.mkdir(parents=True, exist_ok=True)
            self._index = open_index(self._place)
            self._writer = self._index.writer(heap_size=heap, num_threads=threads)
            self._writer.garbage_collect_files()
        self._fresh = False

    def _faults(self) -> AbstractContextManager[None]:
        return faults_named(str(self._place))

    def marker(self) -> str | None:
        """Return how far this index has followed the log; None when it cannot tell."""
        with self._faults():
            self._index.reload()
            return read_marker(self._index.searcher(), self._index.schema)

    def reset(self) -> None:
        """Begin again from nothing; takes effect with the next commit."""
        with self._faults():
            self._writer.delete_all_documents()
        self._fresh = True

    def put(self, note_ids: Iterable[int], documents: Sequence[Document]) -> None:
        """Replace everything known of the notes by these documents."""
        with self._faults():
            if not self._fresh:
                for note_id in note_ids:
                    self._writer.delete_documents_by_term("note", note_id)
            for document in documents:
                self._writer.add_document(_tantivy_document(document))

    def commit(self, marker: str) -> None:
        """Make everything since the last commit visible, or nothing of it."""
        document = tantivy.Document()
        document.add_integer("note", MARKER_NOTE)
        document.add_text("marker", marker)
        with self._faults():
            self._writer.delete_documents_by_term("note", MARKER_NOTE)
            self._writer.add_document(document)
            self._writer.commit()
        self._fresh = False

    def rollback(self) -> None:
        """Forget everything since the last commit."""
        with self._faults():
            self._writer.rollback()

    def close(self) -> None:
        """Wait for merges under way and give the index back."""
        with self._faults():
            self._writer.wait_merging_threads()


def _tantivy_document(source: Document) -> tantivy.Document:
    document = tantivy.Document()
    text, headings = source.text, " \n".join(source.headings)
    titles = " \n".join((source.title, *source.aliases))
    shown = list(_property_words(source.properties))
    if words.has_unspaced(text) or words.has_unspaced(titles + headings):
        document.add_text("pairs", words.pairs_text(text))
        document.add_text("pairs_title", words.pairs_text(f"{titles}\n{headings}"))
        document.add_text(
            "singles", words.singles_text(f"{titles}\n{headings}\n{text}")
        )
        text, headings = words.spaced_part(text), words.spaced_part(headings)
    document.add_text("title", words.spaced_part(source.title))
    for alias in source.aliases:
        document.add_text("aliases", words.spaced_part(alias))
    document.add_text("headings", headings)
    document.add_text("path", words.spaced_part(source.path.rpartition("/")[0]))
    document.add_text("tags", " ".join(source.tags))
    document.add_text("properties", " \n".join(shown))
    document.add_text("body", text)
    document.add_text("body_stem", text)
    _add_filters(document, source)
    return document


def _add_filters(document: tantivy.Document, source: Document) -> None:
    for tag in source.tags:
        parts = tag.split("/")
        for depth in range(1, len(parts) + 1):
            document.add_text("tag", "/".join(parts[:depth]))
    folded = source.path.lower()
    document.add_text("whole_path", folded)
    document.add_text("file", folded.rpartition("/")[2])
    for name, value in source.properties:
        for item in _flat(json.loads(value)):
            term = f"{name.lower()}{SEPARATOR}{item.lower()}"
            document.add_text("property", term[:LONGEST_TERM])
    seconds = source.mtime_ns // 1_000_000_000
    day = day_number(source.day) if source.day else seconds // 86_400
    document.add_integer("day", day)
    document.add_integer("mtime", seconds)
    document.add_integer("note", source.note_id)
    document.add_integer("chunk", source.chunk_id)


def _property_words(properties: Iterable[tuple[str, str]]) -> Iterable[str]:
    for name, value in properties:
        if name not in ("tags", "aliases"):
            yield f"{name} {' '.join(_flat(json.loads(value)))}"


def _flat(value: Any) -> list[str]:
    """Return every scalar of a property as text; an empty property is "null"."""
    match value:
        case None:
            return ["null"]
        case bool():
            return ["true" if value else "false"]
        case list():
            return [text for item in value for text in _flat(item)]
        case dict():
            return [text for item in value.values() for text in _flat(item)]
        case _:
            return [str(value)]
