"""The files of the keyword index: fields, errors of tantivy, marker, checksums."""

import json
import re
import struct
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from glassmind.errors import IndexDamaged, IndexFault, IndexUnwritable

if TYPE_CHECKING:
    import tantivy

_DISK = (
    "No space left", "StorageFull", "Input/output error", "File too large",
    "Read-only file system", "ReadOnlyFilesystem", "PermissionDenied",
    "Permission denied", "Disk quota", "QuotaExceeded", "FileTooLarge",
    "io::Error most likely",
)  # fmt: skip
"""Signs of a disk that does not take what is written; the last is all that is said of
a thread that could not write."""


@contextmanager
def faults_named(place: str) -> Iterator[None]:
    """Turn what tantivy raises into an error that says what happened."""
    try:
        yield
    except OSError as error:
        raise IndexUnwritable(place, str(error)) from error
    except UnicodeEncodeError:
        raise  # what was asked is no text: the files are not to blame
    except ValueError as error:
        raise _named(place, str(error)) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise IndexDamaged(place, "the word index does not read well") from None


def _named(place: str, message: str) -> IndexDamaged | IndexUnwritable:
    full = next((sign for sign in _DISK if sign in message), None)
    if full is not None:
        return IndexUnwritable(place, full.replace("io::Error", "a fault of the disk"))
    return IndexDamaged(place, message)


WEIGHTS: dict[str, float] = {
    "title": 1.2,
    "aliases": 1.2,
    "headings": 0.5,
    "tags": 0.6,
    "path": 0.3,
    "properties": 0.3,
    "body": 1.0,
    "body_stem": 1.0,
    "name": 3.0,
    "singles": 1.0,
}
"""What a match in each field counts; chosen on several sets, see docs/ranking.md."""

SHOWN_AS = {
    "name": "title",
    "body_stem": "body",
    "singles": "body",
}
"""Fields that a person knows by another name."""

STEMMED_FIELDS = (
    "title",
    "aliases",
    "headings",
    "tags",
    "path",
    "properties",
    "body_stem",
)

TAG, PATH, PROPERTY = "#", "/", "="
"""Each term of the field `fact`, which filters look in, begins with one of these.

One field of three kinds of terms takes half the work of three fields.
"""

SEPARATOR = "\x1f"
"""Stands between a property's name and value; no YAML plain text holds it."""


def schema() -> "tantivy.Schema":
    """Return the schema; a change of it makes the sidecar rebuild itself."""
    import tantivy  # noqa: PLC0415 - 5 ms

    from glassmind.store.lexical import analysis  # noqa: PLC0415 - tantivy

    build = tantivy.SchemaBuilder()
    for name in STEMMED_FIELDS:
        build.add_text_field(name, tokenizer_name=analysis.STEMMED)
    build.add_text_field("body", tokenizer_name=analysis.EXACT)
    build.add_text_field(
        "singles", tokenizer_name=analysis.SINGLES, index_option="basic"
    )
    for name in ("fact", "name"):
        build.add_text_field(name, tokenizer_name="raw", index_option="basic")
    build.add_integer_field("day", fast=True)
    build.add_integer_field("mtime", fast=True)
    build.add_integer_field("note", indexed=True, fast=True)
    build.add_integer_field("chunk", indexed=True, fast=True)
    build.add_text_field(
        "marker", stored=True, tokenizer_name="raw", index_option="basic"
    )
    return build.build()


_EPOCH_DAY = date(1970, 1, 1).toordinal()


def day_number(day: str) -> int:
    return date.fromisoformat(day).toordinal() - _EPOCH_DAY


def local_day(seconds: int) -> str:
    """Return the day, where this machine is, of a moment counted from 1970."""
    try:
        return date.fromtimestamp(seconds).isoformat()  # noqa: DTZ012 - local is meant
    except (OverflowError, OSError, ValueError):
        return "1970-01-01"  # a file from no time that a calendar knows


def name_term(text: str) -> str:
    from glassmind.store.lexical import analysis  # noqa: PLC0415 - tantivy

    return analysis.folded(text) or text.strip().lower()


FOLDER, META = "lexical", "meta.json"

_OURS = re.compile(
    r"[0-9a-f]{32}(\.\d+)?\.\w+|meta\.json|\.managed\.json|\.(tantivy|tmp).*"
)
"""How tantivy calls its files."""

DOCUMENTS_VERSION = 8
"""Raised whenever the same rows make other documents, so that all are made anew."""

MARKER_NOTE = -1
"""The note id of the marker document; no row has it."""


def discard(folder: Path) -> None:
    """Delete the word index, which is made anew from the rows; other files stay."""
    place = folder / FOLDER
    with suppress(OSError):
        for file in list(place.iterdir()):
            if _OURS.fullmatch(file.name):
                file.unlink(missing_ok=True)
        place.rmdir()


def open_index(place: Path) -> "tantivy.Index":
    """Open the index in an existing folder; an empty folder becomes an empty index."""
    import tantivy  # noqa: PLC0415 - 5 ms

    from glassmind.store.lexical import analysis  # noqa: PLC0415 - tantivy

    index = tantivy.Index(schema(), path=str(place))
    analysis.register(index)
    return index


def read_marker(searcher: "tantivy.Searcher", known: "tantivy.Schema") -> str | None:
    """Return the marker of the last commit; None when there is none."""
    import tantivy  # noqa: PLC0415 - 5 ms

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
    """Return how many documents are deleted but still counted, and their share."""
    with faults_named(str(place)):
        found = json.loads((place / META).read_text("utf-8"))
    total = sum(segment["max_doc"] for segment in found["segments"])
    gone = sum(
        segment["deletes"]["num_deleted_docs"]
        for segment in found["segments"]
        if segment.get("deletes")
    )
    return gone, gone / total if total else 0.0


_MAGIC = 1337
"""What tantivy writes as the last four bytes of every file with a footer."""

_TAIL = struct.Struct("<II")


def damage_in(place: Path) -> str | None:
    """Return what is wrong with the first damaged file, or None.

    Only files of segments that are in use count: a killed writer leaves empty ones.
    """
    try:
        found = json.loads((place / META).read_text("utf-8"))
        segments = [
            segment["segment_id"].replace("-", "") for segment in found["segments"]
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"{META} cannot be read: {error}"
    for segment in sorted(segments):
        for file in sorted(place.glob(f"{segment}.*")):
            problem = _problem(file.read_bytes())
            if problem is not None:
                return f"{file.name} {problem}"
    return None


def _problem(content: bytes) -> str | None:
    if len(content) < _TAIL.size:
        return "is cut short"
    length, magic = _TAIL.unpack_from(content, len(content) - _TAIL.size)
    end = len(content) - _TAIL.size - length
    if magic != _MAGIC or end < 0:
        return "has no footer"
    try:
        expected = json.loads(content[end : end + length])["crc"]
    except (ValueError, KeyError, TypeError):
        return "has a footer that cannot be read"
    return None if zlib.crc32(content[:end]) == expected else "has changed"


def linked_copy(place: Path) -> "tempfile.TemporaryDirectory[str]":
    folder = tempfile.TemporaryDirectory(prefix="glassmind-")
    for file in place.iterdir():
        if file.suffix != ".lock":
            Path(folder.name, file.name).symlink_to(file.resolve())
    return folder
