"""Where the vectors of a space lie, and what their header tells without the rest."""

import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from glassmind.errors import IndexFault
from glassmind.store.vectors.faults import faults_named
from glassmind.store.vectors.header import HEADER, OURS, read_header

FOLDER = "vectors"

_LONGEST = 40
"""Characters of a space's name that its folder shows; the digest tells them apart."""


def place_of(folder: Path, space: str) -> Path:
    """Return where an index folder keeps the vectors of an embedding space."""
    return folder / FOLDER / slug(space)


def slug(space: str) -> str:
    """Return a folder name for a space: its first words, and a digest of all of it."""
    words = re.sub(r"[^a-z0-9]+", "-", space.lower())[:_LONGEST].strip("-")
    return f"{words or 'space'}-{sha256(space.encode()).hexdigest()[:12]}"


def places_in(folder: Path) -> list[Path]:
    """Return the folders of every space that an index folder keeps, by name."""
    try:
        return sorted(place for place in (folder / FOLDER).iterdir() if place.is_dir())
    except OSError:
        return []


def marker_in(place: Path) -> str | None:
    """Return how far the vectors in a folder have come; None when it cannot be told."""
    try:
        with faults_named(str(place)):
            header = read_header(place)
    except IndexFault:
        return None
    return header.marker if header else None


def deleted_share(place: Path) -> tuple[int, float]:
    """Return how many rows are dead but still scanned, and their share.

    Raises:
        IndexDamaged: the header is not what was written.
        IndexUnwritable: the disk does not give it back.
    """
    with faults_named(str(place)):
        header = read_header(place)
    if header is None or not header.rows:
        return 0, 0.0
    return header.gone, header.gone / header.rows


def discard(place: Path) -> None:
    """Delete the vectors of a space, which are made anew; other files stay."""
    with suppress(OSError):
        (place / HEADER).unlink(missing_ok=True)
    remove_files(place, keep=())
    with suppress(OSError):
        place.rmdir()


def remove_files(place: Path, keep: tuple[str, ...]) -> None:
    """Delete files of ours that are not to be kept.

    One that a reader still maps stays where the system does not let it go; the next
    writer tries again.
    """
    try:
        found = list(place.iterdir())
    except OSError:
        return
    for file in found:
        if OURS.fullmatch(file.name) and file.name not in keep:
            with suppress(OSError):
                file.unlink(missing_ok=True)
