"""The queries and judgments that search is measured by, as files have them."""

from collections.abc import Iterator, Mapping, Sequence
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


class NotMeasurable(ModelFault):
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


Row = TypeVar("Row")


def rows_of(file: Path, kind: type[Row]) -> Iterator[tuple[int, Row]]:
    """Yield the JSON objects of a file, one a line, with their line numbers from 1."""
    decoder = msgspec.json.Decoder(kind)
    for number, line in lines_of(file):
        try:
            yield number, decoder.decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            raise BadGold(str(file), number, str(error)) from None


def lines_of(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file that are not blank, numbered from 1."""
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
        query = _query_of(row, number)
        problem = (
            (not query.text and "'query' holds no word")
            or (not query.grades and "'relevant' names no note")
            or (query.id in queries and f"the id {query.id!r} is there twice")
        )
        if problem:
            raise BadGold(str(file), number, problem)
        queries[query.id] = query
    if not queries:
        raise BadGold(str(file), 0, "it holds no query")
    hopeless = sum(
        gold_query.left_out >= gold_query.grades.keys()
        for gold_query in queries.values()
    )
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
