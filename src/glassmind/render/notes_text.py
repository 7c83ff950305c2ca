"""Chunks and lists of notes as people read them."""

from collections.abc import Sequence

from glassmind.render.address import heading_address, iso_time
from glassmind.render.style import Style
from glassmind.types.catalogue import ChunkText, NoteFacts, NoteList


def chunks_as_text(path: str, chunks: Sequence[ChunkText], style: Style) -> str:
    """Return each chunk with its address and size above it."""
    return "\n".join(_chunk(path, chunk, style) for chunk in chunks)


def _chunk(path: str, chunk: ChunkText, style: Style) -> str:
    address = style.strong(heading_address(path, chunk.heading_path))
    lines = style.faint(f":{chunk.span.start}-{chunk.span.end}")
    size = style.faint(f"{chunk.kind}, {chunk.tokens:,} tokens")
    text = style.clean(chunk.text.rstrip("\n"))
    return f"[{chunk.index}] {address}{lines}  {size}\n{text}\n"


def list_as_text(found: NoteList, style: Style) -> str:
    """Return a line for each note: its day, its size, its path and tags."""
    return "".join(f"{_row(note, style)}\n" for note in found.notes)


def _row(note: NoteFacts, style: Style) -> str:
    # What has a known width comes first: no alphabet can push a column aside.
    day = note.day or iso_time(note.mtime_ns)[:10]
    tags = " ".join(f"#{tag}" for tag in note.tags)
    row = f"{day}  {bytes_in_words(note.size):>9}  {style.strong(note.path)}"
    return f"{row}  {style.faint(tags)}" if tags else row


def bytes_in_words(size: int) -> str:
    """Return a size such as `546.1 KiB`."""
    value = float(size)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":  # noqa: PLR2004 - what a KiB is
            break
        value /= 1024
    return f"{size:,} B" if unit == "B" else f"{value:,.1f} {unit}"
