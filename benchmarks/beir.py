"""Collections in the BEIR layout, such as SciFact, as vaults to measure search on."""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import msgspec

from glassmind.evaluation.bench import (
    Bench,
    BenchOptions,
    Open,
    config_of,
    model_of,
    opener_for,
    place_for,
    ready,
)
from glassmind.evaluation.gold import (
    BadGold,
    Gold,
    GoldQuery,
    Text,
    lines_of,
    rows_of,
)
from glassmind.search.query import plain


@contextmanager
def collection_bench(
    open_: Open, folder: Path, wanted: BenchOptions
) -> Iterator[Bench]:
    """Yield a collection as notes, ready to be asked. Raises BadGold."""
    documents = read_collection(folder)
    model = model_of(config_of(open_, folder, wanted))
    with place_for(folder, "dataset", model, fresh=wanted.fresh) as place:
        write_notes(documents.notes, place / "vault")
        opener = opener_for(open_, place, wanted)
        yield ready("dataset", folder, documents.gold, opener, wanted)


def write_notes(notes: Mapping[str, str], folder: Path) -> None:
    """Make a folder hold these notes and no others, touching only what differs."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in sorted(folder.rglob("*.md")):
        if file.relative_to(folder).as_posix() not in notes:
            file.unlink()
    for path, text in notes.items():
        place, raw = folder / path, text.encode("utf-8", "replace")
        if place.is_file() and place.read_bytes() == raw:
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(raw)


class _Document(msgspec.Struct):
    id: Text | int = msgspec.field(name="_id")
    title: str | None = None
    text: str | None = None


class _Question(msgspec.Struct):
    id: Text | int = msgspec.field(name="_id")
    text: Text


JUDGMENTS = "qrels/test.tsv"

LONGEST_NAME = 200
"""Letters of a file name; most disks take 255 bytes, and `.md` follows."""

TREC_COLUMNS = 4
"""Columns of a TREC file, whose second has no meaning."""

_UNSAFE = re.compile(r"[^A-Za-z0-9_. -]|^[. ]|[. ]$")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Names that Windows keeps for devices."""


class Documents(NamedTuple):
    """Documents as notes, by path, and the queries about them."""

    notes: Mapping[str, str]
    gold: Gold


def read_collection(folder: Path) -> Documents:
    """Return the notes and queries of a collection.

    Queries without a relevant document are left out, and so is, for a query taken from
    the collection, the document of its own id. Raises BadGold.
    """
    names, notes, notices = _documents(folder / "corpus.jsonl")
    asked = {
        str(row.id): plain(row.text)
        for _, row in rows_of(folder / "queries.jsonl", _Question)
    }
    wanted, strange = _judgments(folder / JUDGMENTS, names)
    unknown = sorted(wanted.keys() - asked.keys())
    if unknown:
        notices.append(f"{len(unknown)} judged queries have no text: {unknown[0]}, ...")
    if strange:
        notices.append(f"{strange} judged documents are not in the corpus: none finds")
    queries = [
        GoldQuery(
            id_, asked[id_], grades, frozenset({names.get(id_, "")} - {"", *grades})
        )
        for id_, grades in wanted.items()
        if asked.get(id_)
    ]
    if not queries:
        raise BadGold(str(folder), 0, "no query has a relevant document")
    return Documents(notes, Gold(queries, notices))


def _documents(file: Path) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """Return the path of each document by id, the text of each note by path."""
    names: dict[str, str] = {}
    notes: dict[str, str] = {}
    taken: set[str] = set()
    twice = 0
    for _, row in rows_of(file, _Document):
        if str(row.id) in names:
            twice += 1
            continue
        path = note_path(str(row.id), taken)
        taken.add(path.lower())
        names[str(row.id)] = path
        notes[path] = _as_note(row.title or "", row.text or "")
    if not notes:
        raise BadGold(str(file), 0, "it holds no document")
    said = f"{twice} documents have the id of another: the first of each counts"
    return names, notes, [said] if twice else []


def _as_note(title: str, text: str) -> str:
    heading = " ".join(title.split())
    # Without a heading above it, a first line of dashes would open frontmatter.
    return f"# {heading}\n\n{text}\n" if heading else f"\n{text}\n"


def note_path(id_: str, taken: Collection[str] = ()) -> str:
    """Return the path of a document's note: its id, where a disk takes that.

    Else its digest. Paths in `taken` are in lower case, as disks may see no difference.
    """
    name = _UNSAFE.sub(_escaped, id_)
    odd = _RESERVED.fullmatch(name) or len(name) > LONGEST_NAME
    if odd or f"{name}.md".lower() in taken:
        name = sha256(id_.encode("utf-8", "replace")).hexdigest()
    return f"{name}.md"


def _escaped(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace"))


def _judgments(
    file: Path, names: Mapping[str, str]
) -> tuple[dict[str, dict[str, float]], int]:
    """Return the grades of each query by path, and how many documents are unknown.

    A first line that is no judgment is a heading.
    """
    wanted: dict[str, dict[str, float]] = {}
    strange = 0
    for number, line in lines_of(file):
        parts = line.split("\t") if "\t" in line else line.split()
        if len(parts) == TREC_COLUMNS:
            parts = [parts[0], *parts[2:]]
        try:
            query, document, said = (part.strip() for part in parts)
            grade = float(said)
        except ValueError:
            if number == 1:
                continue
            problem = "not a query, a document and a number"
            raise BadGold(str(file), number, problem) from None
        if grade > 0:
            strange += document not in names
            path = names.get(document, f"not in the corpus: {document}")
            wanted.setdefault(query, {})[path] = grade
    return wanted, strange
