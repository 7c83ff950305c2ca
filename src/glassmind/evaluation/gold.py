"""A gold set: queries with the notes that answer them, and where they were read."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from glassmind.evaluation.faults import BadGold
from glassmind.model.search import Intent
from glassmind.search.query import plain

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
