"""Where the word index lies, and the marker that says how far it has followed."""

import json
from pathlib import Path

import tantivy

from glassmind.errors import IndexFault
from glassmind.store.lexical import words
from glassmind.store.lexical.faults import faults_named
from glassmind.store.lexical.fields import schema

FOLDER, META = "lexical", "meta.json"

DOCUMENTS_VERSION = 8
"""Raised whenever the same rows make other documents, so that all are made anew."""

MARKER_NOTE = -1
"""The note id of the marker document; no row has it."""


def open_index(place: Path) -> tantivy.Index:
    """Open the index in an existing folder; an empty folder becomes an empty index.

    Raises:
        ValueError: what lies there is damaged or has another schema.
    """
    index = tantivy.Index(schema(), path=str(place))
    words.register(index)
    return index


def read_marker(searcher: tantivy.Searcher, known: tantivy.Schema) -> str | None:
    """Return the marker of the last commit; None when there is none."""
    query = tantivy.Query.term_query(known, "note", MARKER_NOTE)
    hits = searcher.search(query, limit=2, count=False).hits
    if len(hits) != 1:
        return None
    found = searcher.doc(hits[0][1]).get_first("marker")
    version, _, marker = str(found).partition(" ")
    return marker if version == str(DOCUMENTS_VERSION) else None


def marker_in(place: Path) -> str | None:
    """Return how far the index in a folder has come; None when it cannot be told."""
    if not (place / META).is_file():
        return None
    try:
        with faults_named(str(place)):
            index = open_index(place)
            return read_marker(index.searcher(), index.schema)
    except IndexFault:
        return None


def deleted_share(place: Path) -> tuple[int, float]:
    """Return how many documents are deleted but still counted, and their share.

    Raises:
        IndexDamaged: the list of segments does not read well.
        IndexUnwritable: the disk does not give it back.
    """
    with faults_named(str(place)):
        found = json.loads((place / META).read_text("utf-8"))
    total = sum(segment["max_doc"] for segment in found["segments"])
    gone = sum(
        segment["deletes"]["num_deleted_docs"]
        for segment in found["segments"]
        if segment.get("deletes")
    )
    return gone, gone / total if total else 0.0
