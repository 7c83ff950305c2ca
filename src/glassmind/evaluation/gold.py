"""What can be wrong with the queries and judgments that search is measured by."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args
from urllib.parse import unquote

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
"""The way on where a file cannot be read."""


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


def read_queries(file: Path) -> Gold:
    """Return the queries of a file in the form of one JSON object a line.

    Each has `query` and `relevant` (paths, or an object of paths and grades), and may
    have `id`, `kind`, `source`, `exclude`, `intent` and `root_note`.

    Raises:
        BadGold: a line is not of that form, or the file cannot be read.
    """
    queries: list[GoldQuery] = []
    ids: set[str] = set()
    for number, row in rows_of(file):
        found = _query_of(row, file, number)
        if found.id in ids:
            raise BadGold(str(file), number, f"the id {found.id!r} is there twice")
        ids.add(found.id)
        queries.append(found)
    if not queries:
        raise BadGold(str(file), 0, "it holds no query")
    hopeless = sum(query.left_out >= query.grades.keys() for query in queries)
    said = f"of {hopeless} queries every relevant note is left out: they score 0"
    return Gold(queries, [said] if hopeless else [])


def rows_of(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file, one a line, with their line numbers from 1.

    Raises:
        BadGold: the file cannot be read, or a line is no JSON object.
    """
    for number, line in lines_of(file):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            problem = getattr(error, "msg", "it cannot be read")
            raise BadGold(str(file), number, f"no JSON ({problem})") from None
        if not isinstance(row, dict):
            raise BadGold(str(file), number, "not a JSON object")
        yield number, row


def lines_of(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file that are not blank, numbered from 1.

    Raises:
        BadGold: the file cannot be read, or is not UTF-8.
    """
    number = 0
    try:
        with file.open("rb") as opened:
            for number, raw in enumerate(opened, 1):
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip("\r\n")
                if line.strip():
                    yield number, line
    except OSError as error:
        problem = f"{error.strerror or error}; {ELSEWHERE}"
        raise BadGold(str(file), 0, problem) from error
    except UnicodeDecodeError as error:
        raise BadGold(str(file), number, "it is not UTF-8 text") from error


def text_of(row: Mapping[str, Any], name: str, file: Path, number: int) -> str:
    """Return a text that a row must have; a number is as good.

    Raises:
        BadGold: it is not there, or something else.
    """
    value = row.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise BadGold(str(file), number, f"{name!r} is missing or no text")
    return value


def _query_of(row: Mapping[str, Any], file: Path, number: int) -> GoldQuery:
    text = plain(text_of(row, "query", file, number))
    if not text:
        raise BadGold(str(file), number, "'query' holds no word")
    grades = _grades(row.get("relevant"), file, number)
    left_out = {
        path
        for name in ("source", "exclude")
        for path in _paths(row.get(name), name, file, number)
    }
    return GoldQuery(
        text_of(row, "id", file, number) if "id" in row else f"line-{number}",
        text,
        grades,
        frozenset(left_out),
        _optional(row, "kind", file, number) or "",
        _intent(row, file, number),
        _optional(row, "root_note", file, number),
    )


def _grades(value: object, file: Path, number: int) -> dict[str, float]:
    if isinstance(value, Mapping):
        for path, grade in value.items():
            if isinstance(grade, bool) or not isinstance(grade, int | float):
                raise BadGold(str(file), number, f"the grade of {path!r} is no number")
        found = {path: float(grade) for path, grade in value.items() if grade > 0}
    else:
        found = dict.fromkeys(_paths(value, "relevant", file, number), 1.0)
    if not found:
        raise BadGold(str(file), number, "'relevant' names no note")
    return found


def _paths(value: object, name: str, file: Path, number: int) -> list[str]:
    if value is None:
        return []
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(p, str) for p in listed):
        raise BadGold(str(file), number, f"{name!r} is no list of paths")
    return listed


def _optional(row: Mapping[str, Any], name: str, file: Path, number: int) -> str | None:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise BadGold(str(file), number, f"{name!r} is no text")
    return value or None


def _intent(row: Mapping[str, Any], file: Path, number: int) -> str | None:
    found = _optional(row, "intent", file, number)
    known = (*get_args(Intent), "auto")
    if found is not None and found not in known:
        said = f"intent {found!r} is none of {', '.join(known)}"
        raise BadGold(str(file), number, said)
    return found


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
