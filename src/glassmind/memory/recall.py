"""What was captured, asked for again: by what it says, or the newest first."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, NamedTuple, get_args

from glassmind.errors import BadLimit, UnknownKind
from glassmind.memory.files import (
    KnownMemo,
    broken_told,
    copies_kept,
    copies_told,
    fresh_memos,
    known_memos,
    whole,
)
from glassmind.memory.format import sections_in
from glassmind.memory.parts import Cabinet
from glassmind.model import NotePath, Span
from glassmind.model.memory import MemoKind, Recalled, RecalledMemory, extended
from glassmind.obsidian.properties import parse_project
from glassmind.obsidian.text import fold

if TYPE_CHECKING:
    from glassmind.model.search import Hit, SearchReply


_WORD_AMONG = re.compile(r"\w+")


class _Lines(NamedTuple):
    """A memo of a note: the lines up to the next one, and what stands there."""

    span: Span
    text: str


class Among:
    """Tells the memos of passages that one query found; notes are read once."""

    def __init__(self, cabinet: Cabinet, query: str) -> None:
        self._cabinet, self._words = cabinet, set(_WORD_AMONG.findall(query.casefold()))
        self._notes: dict[NotePath, dict[str, _Lines]] = {}

    def of(self, hit: "Hit", memos: Sequence[KnownMemo]) -> list[KnownMemo]:
        """Return the memos of a note that a passage of it is about, best first.

        Where some of those that stand in it say a word of the query, these alone.
        """
        if not any(memo.section for memo in memos):
            return list(memos)
        lines = self._lines(hit.path)
        there = [
            (self._said(known.text, hit), memo)
            for memo in memos
            if (known := lines.get(memo.section)) and _meet(known.span, hit.lines)
        ]
        most = max((count for count, _ in there), default=0)
        there.sort(key=lambda one: -one[0])
        return [memo for count, memo in there if count or not most]

    def _said(self, text: str, hit: "Hit") -> int:
        """Return how many words of a query stand in a text, as they matched or not."""
        marked = {hit.snippet.text[start:end] for start, end in hit.snippet.marks}
        wanted = self._words | {word.casefold() for word in marked}
        return len(wanted & set(_WORD_AMONG.findall(text.casefold())))

    def _lines(self, path: NotePath) -> dict[str, _Lines]:
        if path not in self._notes:
            text = self._cabinet.memos().texts([path]).get(path, "")
            self._notes[path] = _lines_of(text)
        return self._notes[path]


def _meet(one: Span, other: Span) -> bool:
    return one.start <= other.end and other.start <= one.end


def _lines_of(text: str) -> dict[str, _Lines]:
    sections = sections_in(text)
    ends = [*(one.start for one in sections[1:]), len(text)]
    found: dict[str, _Lines] = {}
    line, at = 1, 0
    for one, end in zip(sections, ends, strict=True):
        line, at = line + text.count("\n", at, one.start), one.start
        last = line + max(0, text.count("\n", one.start, end) - (end < len(text)))
        said = f"{one.heading}\n{one.block}{one.body}"
        found.setdefault(one.heading, _Lines(Span(line, last), said))
    return found


MOST = 200
"""Memos that are given at once: as many as a search gives."""

FIRST_POOL = 50
"""Hits that are asked for at first; filters may leave few of them."""

LEAST_COSINES: Mapping[str, float] = {
    "all-minilm-l6-v2": 0.25,
    "bge-small-en-v1.5": 0.53,
    "wordllama-256": 0.21,
}
"""Where a memo without a word of the query begins to mean it, by the model. Of twelve
memos that were asked for in other words each finds eleven there, and of twenty
questions of strangers at most one finds any: of these the nearest came to .22 by the
first, .55 by the second and .24 by the third."""

UNMEASURED = 0.53
"""The same for a model that nobody measured: the highest. Where its cosines lie lower
than those of bge-small, memos are recalled by their words."""

FRESH = "changed a moment ago, and says every word"
"""Why a memo is told that the words of the index do not know yet."""

_FILTER = re.compile(r'-?\w+:(?:"[^"]*"|\S*)|-?\[[^\]]*\]')
_WORD = re.compile(r"\w")


class Asked(NamedTuple):
    """Which memos are wanted: what is None, any."""

    query: str | None = None
    project: str | None = None
    kind: str | None = None
    since: date | None = None
    until: date | None = None
    superseded: bool = False
    limit: int = 10


class _Found(NamedTuple):
    """A memo that was found, its share of the best score, and why, if by a query."""

    memo: KnownMemo
    relevance: float
    why: str = ""


def recall(cabinet: Cabinet, asked: Asked, today: date) -> Recalled:
    """Return the memos that pass every filter, best or newest first.

    Raises:
        UnknownKind, BadLimit: there is no such kind, or so many are not given.
        NothingAsked: the query holds nothing to look for.
    """
    if asked.kind is not None and asked.kind not in get_args(MemoKind):
        raise UnknownKind(str(asked.kind), get_args(MemoKind))
    if not 1 <= asked.limit <= MOST:
        raise BadLimit(asked.limit, MOST)
    passing = _passing(cabinet, asked)
    reply: SearchReply | None = None
    if asked.query is None:
        found = [_Found(memo, 1.0) for memo in passing]
    else:
        found, reply = _by_query(cabinet, asked, passing, today)
    missing = (
        *_missing(cabinet),
        *(() if found else _unknown_project(cabinet, asked.project)),
        *copies_told(copies_kept(cabinet)),
        *broken_told(cabinet),
    )
    shown = found[: asked.limit]
    memos = whole(cabinet, [one.memo for one in shown])
    return Recalled(
        tuple(
            extended(
                RecalledMemory,
                memos[one.memo.key],
                relevance=one.relevance,
                why=one.why or _captured(one.memo),
            )
            for one in shown
            if one.memo.key in memos
        ),
        len(found),
        (*missing, *(reply.degraded if reply else ())),
        reply.confidence if reply else None,
        bool(found) and reply is not None and reply.is_doubtful,
    )


def _missing(cabinet: Cabinet) -> tuple[str, ...]:
    """Return why nothing can be recalled, if the settings are the reason."""
    if cabinet.config.index.include_agent_dir:
        return ()
    left_out = f"{cabinet.folder}/ is left out of the index"
    return (f"{left_out} and so is not recalled; see index.include_agent_dir",)


def _unknown_project(cabinet: Cabinet, project: str | None) -> tuple[str, ...]:
    """Say so where a project is asked for that nothing belongs to."""
    if project is None or cabinet.projects().members(parse_project(project)):
        return ()
    closest = cabinet.projects().closest(project)
    hint = f"; there is {', '.join(map(repr, closest))}" if closest else ""
    return (f"no note belongs to the project {project[:80]!r}{hint}",)


def _by_query(
    cabinet: Cabinet, asked: Asked, passing: Sequence[KnownMemo], today: date
) -> "tuple[list[_Found], SearchReply]":
    """Return what a search finds among memos, best first, and its reply.

    A search has something for everything that is asked. Only what says a word of the
    query, or comes near enough to what it means, is remembered because of it.
    """
    wanted: dict[NotePath, list[KnownMemo]] = {}
    for memo in passing:
        wanted.setdefault(memo.path, []).append(memo)
    among = any(memo.section for memo in passing)
    for pool in (max(FIRST_POOL, asked.limit), MOST):
        replies = [
            cabinet.acts.search(
                f"{only} {asked.query}",
                limit=pool,
                intent=None,
                unique="chunks" if among else "notes",
                today=today,
            )
            for only in _filters(cabinet.folder, wanted)
        ]
        hits = [hit for reply in replies for hit in reply.hits]
        found = _found(
            _near(hits, asked.query or "", least_cosine(cabinet.space())),
            wanted,
            Among(cabinet, asked.query or ""),
        )
        is_all = all(len(one.hits) < pool for one in replies)
        if len(found) >= asked.limit or is_all:
            break
    if is_all:
        keys = {one.memo.key for one in found}
        fresh = fresh_memos(cabinet, asked.query or "", passing, keys)
        found = [*(_Found(memo, 1.0, FRESH) for memo in fresh), *found]
    return found, replies[0]


def _filters(folder: str, wanted: Iterable[NotePath]) -> list[str]:
    """Return what leaves a search few but memos; hits of the first filter come first.

    It stands before the query: a quote that this leaves open cannot swallow it. Where a
    person moved memos out of the agent folder, what tells them from notes is a property
    that all have but those that a person wrote there.
    """
    below = f'path:"{folder}/"'
    are_inside = all(path.startswith(f"{folder}/") for path in wanted)
    return [below] if are_inside else ["[kind]", below]


def least_cosine(space: str) -> float:
    """Return from where on the vectors of a space say that a memo means a query."""
    return LEAST_COSINES.get(space.partition("@")[0], UNMEASURED)


def _near(hits: "Sequence[Hit]", query: str, least: float) -> "list[Hit]":
    """Return what has to do with a query at all; with all that passes bare filters."""
    if _WORD.search(_FILTER.sub(" ", query)) is None:
        return list(hits)
    return [hit for hit in hits if _is_near(hit, least)]


def _is_near(hit: "Hit", least: float) -> bool:
    """Whether a hit says a word that was asked for, or comes near to its meaning."""
    by_words = any(one.channel == "lexical" and one.share > 0 for one in hit.evidence)
    said = "lexical" in hit.channels and (by_words or bool(hit.snippet.marks))
    return said or (hit.similarity or 0.0) >= least


def _found(
    hits: "Sequence[Hit]",
    wanted: Mapping[NotePath, Sequence[KnownMemo]],
    among: Among,
) -> list[_Found]:
    """Return the memos that hits are of, each once, in the order of the best.

    Summaries come behind what was captured: they say it again, as it once was.
    """
    found: dict[tuple[NotePath, str], _Found] = {}
    for hit in (hit for hit in hits if hit.path in wanted):
        for memo in among.of(hit, wanted[hit.path]):
            one = _Found(memo, hit.relevance, hit.match_reason)
            found.setdefault(memo.key, one)
    order = sorted(found.values(), key=lambda one: one.memo.kind == "summary")
    best = least = order[0].relevance or 1.0 if order else 1.0
    shared = []
    for one in order:
        least = min(least, one.relevance)
        shared.append(one._replace(relevance=round(least / best, 4)))
    return shared


def _passing(cabinet: Cabinet, asked: Asked) -> list[KnownMemo]:
    """Return the memos that pass the filters, the newest first."""
    memos: Iterable[KnownMemo] = known_memos(cabinet)
    if asked.kind is not None:
        memos = [memo for memo in memos if memo.kind == asked.kind]
    if not asked.superseded:
        memos = [memo for memo in memos if not memo.superseded]
    if asked.project is not None:
        is_of = _project(cabinet, asked.project)
        memos = [memo for memo in memos if is_of(memo)]
    return [memo for memo in memos if _is_between(memo, asked.since, asked.until)]


def _project(cabinet: Cabinet, project: str) -> Callable[[KnownMemo], bool]:
    """Return whether a memo is of a project: by its property, or as any note is."""
    wanted = parse_project(project)
    members = {note.path for note in cabinet.projects().members(wanted)}

    def is_of(memo: KnownMemo) -> bool:
        if memo.path in members:
            return True
        said = parse_project(memo.project)
        forms = {said.form, wanted.form}
        same_form = len(forms) == 1 or "any" in forms
        return bool(said.name) and same_form and _last(said.name) == _last(wanted.name)

    return is_of


def _last(name: str) -> str:
    return fold(name).rpartition("/")[2]


def _is_between(memo: KnownMemo, since: date | None, until: date | None) -> bool:
    """Whether a memo was captured from one day on and before another."""
    if since is None and until is None:
        return True
    day = _day(memo.created)
    if day is None:
        return False
    return (since is None or day >= since) and (until is None or day < until)


def _day(created: str) -> date | None:
    """Return the day on which something was captured, where we are."""
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return None
    return (moment.astimezone() if moment.tzinfo else moment).date()


def _captured(memo: KnownMemo) -> str:
    day = _day(memo.created)
    return "captured, on a day it does not tell" if day is None else f"captured {day}"
