"""The queries and judgments that search is measured by, as files have them."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from glassmind.errors import ModelFault, QueryError
from glassmind.model.search import Intent
from glassmind.search.query import plain


class BadGold(QueryError):
    """A set of queries cannot be used; `line` is 0 when no line is to blame."""

    def __init__(self, file: str, line: int, problem: str) -> None:
        place = f"{file}:{line}" if line else file
        super().__init__(f"{place} cannot be used: {problem}")
        self.file, self.line, self.problem = file, line, problem


class TooFewQueries(QueryError):
    """There is too little to measure by."""

    def __init__(self, found: int, needed: int) -> None:
        super().__init__(
            f"the vault's own links, aliases and headings give {found} queries, and "
            f"{needed} are needed to tell a gain from noise; nothing was changed"
        )
        self.found, self.needed = found, needed


class LimitTooLow(QueryError):
    """Fewer queries are wanted than can tell anything."""

    def __init__(self, limit: int, needed: int) -> None:
        super().__init__(
            f"at most {limit} queries are to be asked, and {needed} are needed to tell "
            "a gain from noise; nothing was changed"
        )
        self.limit, self.needed = limit, needed


class NothingToUndo(QueryError):
    """No tuning of this vault is on record."""

    def __init__(self, vault: str) -> None:
        super().__init__(f"no tuning of {vault} is on record; nothing was changed")
        self.vault = vault


class Unmeasurable(ModelFault):
    """What is to be measured cannot be asked: its figures would be another's."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"nothing was measured: {reason}")
        self.reason = reason


ELSEWHERE = "check the path, or ask a vault about itself: glassmind eval --self"


class GoldQuery(NamedTuple):
    """One query, and what is known about its answer.

    `grades` say how relevant a note is, by path; `left_out` are notes that a result is
    not judged by: where the query was taken from, for one.
    """

    id: str
    text: str
    grades: Mapping[str, float]
    left_out: frozenset[str] = frozenset()
    kind: str = ""
    intent: str | None = None
    root_note: str | None = None

    @property
    def group(self) -> str:
        """The target: queries of one group are alike, and stay in one fold."""
        return min(self.grades, default=self.id)


class Gold(NamedTuple):
    """The queries of one set, and what was odd about it."""

    queries: Sequence[GoldQuery]
    notices: Sequence[str] = ()


Text = Annotated[str, Meta(pattern=r"\S")]


class _QueryRow(msgspec.Struct):
    query: Text
    relevant: dict[str, float] | list[str] | str
    id: str | int | None = None
    kind: str | None = None
    source: list[str] | str | None = None
    exclude: list[str] | str | None = None
    intent: Intent | Literal["auto"] | None = None
    root_note: str | None = None


class _Document(msgspec.Struct):
    id: Text | int = msgspec.field(name="_id")
    title: str | None = None
    text: str | None = None


class _Question(msgspec.Struct):
    id: Text | int = msgspec.field(name="_id")
    text: Text


Row = TypeVar("Row")


def rows_of(file: Path, kind: type[Row]) -> Iterator[tuple[int, Row]]:
    """Yield the JSON objects of a file, one a line, with their line numbers from 1.

    Raises BadGold.
    """
    decoder = msgspec.json.Decoder(kind)
    for number, line in lines_of(file):
        try:
            yield number, decoder.decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            raise BadGold(str(file), number, str(error)) from None


def lines_of(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file that are not blank, numbered from 1.

    Raises BadGold.
    """
    try:
        text = file.read_text("utf-8-sig")
    except OSError as error:
        problem = f"{error.strerror or error}; {ELSEWHERE}"
        raise BadGold(str(file), 0, problem) from error
    except UnicodeDecodeError as error:
        raise BadGold(str(file), 0, "it is not UTF-8 text") from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line.rstrip("\r")


def read_queries(file: Path) -> Gold:
    """Return the queries of a file in the form of one JSON object a line.

    Each has `query` and `relevant` (paths, or an object of paths and grades), and may
    have `id`, `kind`, `source`, `exclude`, `intent` and `root_note`. Raises BadGold.
    """
    queries: dict[str, GoldQuery] = {}
    for number, row in rows_of(file, _QueryRow):
        found = _query_of(row, number)
        problem = (
            (not found.text and "'query' holds no word")
            or (not found.grades and "'relevant' names no note")
            or (found.id in queries and f"the id {found.id!r} is there twice")
        )
        if problem:
            raise BadGold(str(file), number, problem)
        queries[found.id] = found
    if not queries:
        raise BadGold(str(file), 0, "it holds no query")
    hopeless = sum(one.left_out >= one.grades.keys() for one in queries.values())
    said = f"of {hopeless} queries every relevant note is left out: they score 0"
    return Gold([*queries.values()], [said] if hopeless else [])


def _query_of(row: _QueryRow, number: int) -> GoldQuery:
    grades = row.relevant
    if not isinstance(grades, dict):
        grades = dict.fromkeys(_listed(grades), 1.0)
    return GoldQuery(
        f"line-{number}" if row.id is None else str(row.id),
        plain(row.query),
        {path: grade for path, grade in grades.items() if grade > 0},
        frozenset((*_listed(row.source), *_listed(row.exclude))),
        row.kind or "",
        row.intent,
        row.root_note or None,
    )


def _listed(value: list[str] | str | None) -> list[str]:
    return [value] if isinstance(value, str) else value or []


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
