"""Notes, chunks and lists of notes as programs read them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from glassmind.render.address import heading_address, iso_time, obsidian_uri
from glassmind.render.approval import mark_of
from glassmind.types import Span
from glassmind.types.catalogue import (
    ChunkText,
    LinkEnd,
    NoteFacts,
    NoteLinks,
    NoteList,
    NoteText,
)


def note_as_json(note: NoteText, *, vault: str) -> dict[str, Any]:
    """Return a note, or the part of it that was asked for."""
    return {
        "path": note.path,
        "title": note.title,
        "heading_path": list(note.heading_path),
        "heading": heading_address(note.path, note.heading_path),
        "lines": [note.span.start, note.span.end],
        "text": note.text,
        "digest": note.digest,
        "uri": obsidian_uri(vault, note.path, note.heading_path),
        "notices": list(note.notices),
        **mark_of(generated=note.generated),
    }


def part_of(note: NoteText, start: int, end: int) -> NoteText:
    """Return some letters of a text; the lines it tells are those it shows."""
    shown = note.text[start:end]
    first = note.span.start + note.text.count("\n", 0, start)
    first = min(first, note.span.end)  # behind the last letter no line begins
    last = first + shown.count("\n", 0, max(len(shown) - 1, 0))
    return replace(note, text=shown, span=Span(first, last))


def chunks_as_json(path: str, chunks: Sequence[ChunkText]) -> dict[str, Any]:
    """Return a note as it was split."""
    return {"path": path, "chunks": [_chunk(path, chunk) for chunk in chunks]}


def _chunk(path: str, chunk: ChunkText) -> dict[str, Any]:
    return {
        "chunk_index": chunk.index,
        "kind": chunk.kind,
        "heading_path": list(chunk.heading_path),
        "heading": heading_address(path, chunk.heading_path),
        "lines": [chunk.span.start, chunk.span.end],
        "tokens": chunk.tokens,
        "overlap": chunk.overlap,
        "digest": chunk.digest,
        "text": chunk.text,
    }


def links_as_json(links: NoteLinks, *, vault: str) -> dict[str, Any]:
    """Return a note with its links, and how many there are each way."""
    return {
        "note": facts_as_json(links.note, vault=vault),
        "outgoing": [_end(end) for end in links.outgoing],
        "incoming": [_end(end) for end in links.incoming],
        "outgoing_total": links.outgoing_total,
        "incoming_total": links.incoming_total,
    }


def _end(end: LinkEnd) -> dict[str, Any]:
    return {
        "path": end.path,
        "title": end.title,
        "target": end.target,
        "property": end.property,
        "embed": end.embed,
        "line": end.line,
        "context": end.context,
    }


def list_as_json(
    found: NoteList, *, offset: int, vault: str, root: str
) -> dict[str, Any]:
    """Return a page of notes and how many there are in all.

    `vault` is the name that Obsidian knows the vault by, `root` its folder.
    """
    notes = [facts_as_json(note, vault=vault) for note in found.notes]
    return {
        "vault": root,
        "notes": notes,
        "total": found.total,
        "offset": offset,
        "notices": list(found.notices),
    }


def facts_as_json(note: NoteFacts, *, vault: str) -> dict[str, Any]:
    """Return a note as a list shows it."""
    return {
        "path": note.path,
        "title": note.title,
        "kind": note.kind,
        "size": note.size,
        "modified": iso_time(note.mtime_ns),
        "day": note.day,
        "tags": list(note.tags),
        "aliases": list(note.aliases),
        "properties": dict(note.properties),
        "uri": obsidian_uri(vault, note.path),
    }
