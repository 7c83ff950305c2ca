"""A collection in the BEIR layout as notes and queries.

`corpus.jsonl` holds the documents, `queries.jsonl` the questions, `qrels/test.tsv` who
answers what. Each document becomes a note named by its id.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from glassmind.evaluation.faults import BadGold
from glassmind.evaluation.gold import (
    Gold,
    GoldQuery,
    lines_of,
    rows_of,
    text_of,
)
from glassmind.search.query import plain

JUDGMENTS = ("qrels/test.tsv", "qrels/test*.tsv", "test*.tsv", "qrels*.tsv")
"""Where judgments may stand, the best place first."""

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
    the collection, the document of its own id.

    Raises:
        BadGold: a file is missing or not of the form it should have.
    """
    names, notes, notices = _documents(folder / "corpus.jsonl")
    file = folder / "queries.jsonl"
    asked = {
        text_of(row, "_id", file, n): plain(text_of(row, "text", file, n))
        for n, row in rows_of(file)
    }
    wanted, strange = _judgments(_judgment_file(folder), names)
    unknown = sorted(wanted.keys() - asked.keys())
    if unknown:
        notices.append(f"{len(unknown)} judged queries have no text: {unknown[0]}, ...")
    if strange:
        notices.append(f"{strange} judged documents are not in the corpus: none finds")
    queries = [
        GoldQuery(id_, asked[id_], grades, _itself(id_, names, grades))
        for id_, grades in wanted.items()
        if asked.get(id_)
    ]
    if not queries:
        raise BadGold(str(folder), 0, "no query has a relevant document")
    return Documents(notes, Gold(queries, notices))


def _itself(
    id_: str, names: Mapping[str, str], grades: Mapping[str, float]
) -> frozenset[str]:
    path = names.get(id_)
    return frozenset([path]) if path and path not in grades else frozenset()


def _documents(file: Path) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """Return the path of each document by id, the text of each note by path."""
    names: dict[str, str] = {}
    notes: dict[str, str] = {}
    taken: set[str] = set()
    twice = 0
    for number, row in rows_of(file):
        id_ = text_of(row, "_id", file, number)
        if id_ in names:
            twice += 1
            continue
        title, text = (str(row.get(part) or "") for part in ("title", "text"))
        path = note_path(id_, taken)
        taken.add(path.lower())
        names[id_] = path
        notes[path] = _as_note(title, text)
    if not notes:
        raise BadGold(str(file), 0, "it holds no document")
    said = f"{twice} documents have the id of another: the first of each counts"
    return names, notes, [said] if twice else []


def _as_note(title: str, text: str) -> str:
    heading = " ".join(title.split())
    # Without a heading above it, a first line of dashes would open frontmatter.
    return f"# {heading}\n\n{text}\n" if heading else f"\n{text}\n"


def note_path(id_: str, taken: Collection[str] = ()) -> str:
    """Return the path of a document's note; `document_id` undoes it.

    Where a disk would take it for one in `taken` (in lower case), all its letters are
    spelt as escapes.
    """
    name = _UNSAFE.sub(_escaped, id_)
    if _RESERVED.fullmatch(name):
        name = _escaped(name[0]) + name[1:]
    if len(name) > LONGEST_NAME:
        name = "/".join(_cut(re.sub(r"[^A-Za-z0-9_-]", _escaped, id_)))
    if f"{name}.md".lower() in taken:
        name = "/".join(_cut(_escaped(id_)))
    return f"{name}.md"


def _escaped(found: re.Match[str] | str) -> str:
    letters = found if isinstance(found, str) else found[0]
    return "".join(f"%{byte:02X}" for byte in letters.encode("utf-8", "replace"))


def _cut(name: str) -> list[str]:
    return [name[at : at + LONGEST_NAME] for at in range(0, len(name), LONGEST_NAME)]


def document_id(path: str) -> str:
    """Return the id of the document that a note was made from."""
    return unquote(path.removesuffix(".md").replace("/", ""))


def _judgment_file(folder: Path) -> Path:
    for pattern in JUDGMENTS:
        found = sorted(folder.glob(pattern))
        if found:
            return found[0]
    raise BadGold(str(folder / JUDGMENTS[0]), 0, "there is no such file")


def _judgments(
    file: Path, names: Mapping[str, str]
) -> tuple[dict[str, dict[str, float]], int]:
    """Return the grades of each query by path, and how many documents are unknown."""
    wanted: dict[str, dict[str, float]] = {}
    strange = 0
    for query, document, grade in _judged(file):
        if grade <= 0:
            continue
        strange += document not in names
        path = names.get(document, f"not in the corpus: {document}")
        wanted.setdefault(query, {})[path] = grade
    return wanted, strange


def _judged(file: Path) -> Iterator[tuple[str, str, float]]:
    """Yield query, document and grade of each line; a head is passed over."""
    first = True
    for number, line in lines_of(file):
        parts = line.split("\t") if "\t" in line else line.split()
        if len(parts) == TREC_COLUMNS:
            parts = [parts[0], *parts[2:]]
        try:
            query, document, grade = (part.strip() for part in parts)
            yield query, document, float(grade)
        except ValueError:
            if not first:
                problem = "not a query, a document and a number"
                raise BadGold(str(file), number, problem) from None
        first = False
