"""Recalling memos: by what they say, or the newest first."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, NamedTuple, get_args

from glassmind.errors import BadLimit, UnknownKind
from glassmind.memory.files import (
    known_memos,
    unreadable_notices,
    whole,
)
from glassmind.memory.vault import MemoryStore
from glassmind.model import NotePath
from glassmind.model.memory import (
    MemoKind,
    MemoryItem,
    Recalled,
    RecalledMemory,
    extended,
)
from glassmind.obsidian.properties import parse_project
from glassmind.obsidian.text import fold

if TYPE_CHECKING:
    from glassmind.model.search import Hit, SearchReply

MOST = 200  # memos that are returned at once: as many as a search returns

FIRST_POOL = 50  # hits that are asked for at first; filters may leave few of them

LEAST_COSINES: Mapping[str, float] = {
    "all-minilm-l6-v2": 0.25,
    "bge-small-en-v1.5": 0.53,
    "wordllama-256": 0.21,
}
"""From where on a memo without a word of the query means it, by the model. Of twelve
memos that were asked for in other words each model finds eleven, and of twenty
unrelated questions at most one finds any: of these the nearest came to .22 by the
first, .55 by the second and .24 by the third."""

UNMEASURED = 0.53
"""The same for other models: the highest, so that memos are recalled by their words."""

_FILTER = re.compile(r'-?\w+:(?:"[^"]*"|\S*)|-?\[[^\]]*\]')
_WORD = re.compile(r"\w+")


class RecallRequest(NamedTuple):
    """Which memos are wanted; None means any."""

    query: str | None = None
    project: str | None = None
    kind: str | None = None
    since: date | None = None
    until: date | None = None
    superseded: bool = False
    limit: int = 10


class _Found(NamedTuple):
    """A memo that was found, its share of the best score, and the search's reason."""

    memo: MemoryItem
    relevance: float
    why: str = ""


def recall(vault: MemoryStore, request: RecallRequest, today: date) -> Recalled:
    """Return the memos that pass every filter, best or newest first."""
    if request.kind is not None and request.kind not in get_args(MemoKind):
        raise UnknownKind(str(request.kind), get_args(MemoKind))
    if not 1 <= request.limit <= MOST:
        raise BadLimit(request.limit, MOST)
    is_wanted = _project(vault, request.project) if request.project else None
    passing = [
        memo
        for memo in known_memos(vault, superseded=request.superseded)
        if request.kind in (None, memo.kind)
        and (is_wanted is None or is_wanted(memo))
        and _is_between(memo, request.since, request.until)
    ]
    reply: SearchReply | None = None
    if request.query is None:
        found = [_Found(memo, 1.0) for memo in passing]
    else:
        found, reply = _by_query(vault, request, request.query, passing, today)
    notices = [
        *unreadable_notices(vault),
        *(reply.degraded if reply else ()),
    ]
    project = request.project
    if not found and project is not None:
        hint = vault.unknown_project(project)
        if hint is not None:
            notices.insert(0, f"no note belongs to the project {project[:80]!r}{hint}")
    if not vault.config.index.include_agent_dir:
        left_out = f"{vault.folder}/ is left out of the index and so is not recalled"
        notices.insert(0, f"{left_out}; see index.include_agent_dir")
    shown = found[: request.limit]
    memos = whole(vault, [one.memo for one in shown])
    recalled = [
        extended(
            RecalledMemory,
            memos[one.memo.path],
            relevance=one.relevance,
            why=one.why or _captured(one.memo),
        )
        for one in shown
        if one.memo.path in memos
    ]
    return Recalled(
        tuple(recalled),
        len(found),
        tuple(notices),
        reply.confidence if reply else None,
        bool(found) and reply is not None and reply.is_doubtful,
    )


def _project(vault: MemoryStore, project: str) -> Callable[[MemoryItem], bool]:
    name = parse_project(project)
    members = {note.path for note in vault.rows().project_notes(name)}

    def is_of(memo: MemoryItem) -> bool:
        own = parse_project(memo.project)
        same_form = own.form == name.form or "any" in (own.form, name.form)
        same_name = bool(own.name) and _last(own.name) == _last(name.name)
        return memo.path in members or (same_form and same_name)

    return is_of


def _last(name: str) -> str:
    return fold(name).rpartition("/")[2]


def _is_between(memo: MemoryItem, since: date | None, until: date | None) -> bool:
    if since is None and until is None:
        return True
    day = _day(memo.created)
    if day is None:
        return False
    return (since is None or day >= since) and (until is None or day < until)


def _day(created: str) -> date | None:
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return None
    return (moment.astimezone() if moment.tzinfo else moment).date()


def _captured(memo: MemoryItem) -> str:
    day = _day(memo.created)
    return "captured, on a day it does not tell" if day is None else f"captured {day}"


def _by_query(
    vault: MemoryStore,
    request: RecallRequest,
    query: str,
    passing: Sequence[MemoryItem],
    today: date,
) -> "tuple[list[_Found], SearchReply]":
    """Return what a search finds among memos, best first, and its reply.

    A search finds something for every query. A memo is recalled only if it has a word
    of the query, or is near enough to what it means.
    """
    items = {memo.path: memo for memo in passing}
    space = vault.rows().answering_space()
    least = least_cosine("" if space is None else space.name)
    for pool in (max(FIRST_POOL, request.limit), MOST):
        replies = [
            vault.search(
                f"{only} {query}",
                limit=pool,
                intent=None,
                today=today,
            )
            for only in _filters(vault.folder, items)
        ]
        hits = _near([hit for reply in replies for hit in reply.hits], query, least)
        found = _found(hits, items)
        is_all = all(len(reply.hits) < pool for reply in replies)
        if len(found) >= request.limit or is_all:
            break
    return found, replies[0]


def _filters(folder: str, wanted: Iterable[NotePath]) -> list[str]:
    """Return filters that leave a search few notes but memos.

    They are put before the query, which may have an open quote. Memos outside of the
    agent folder are told from notes by a property.
    """
    below = f'path:"{folder}/"'
    are_inside = all(path.startswith(f"{folder}/") for path in wanted)
    return [below] if are_inside else ["[kind]", below]


def least_cosine(space: str) -> float:
    return LEAST_COSINES.get(space.partition("@")[0], UNMEASURED)


def _near(hits: "Sequence[Hit]", query: str, least: float) -> "list[Hit]":
    if _WORD.search(_FILTER.sub(" ", query)) is None:
        return list(hits)
    return [
        hit
        for hit in hits
        if (hit.similarity or 0.0) >= least
        or any(
            evidence.channel == "lexical" and (evidence.share > 0 or hit.snippet.marks)
            for evidence in hit.evidence
        )
    ]


def _found(
    hits: "Sequence[Hit]", wanted: Mapping[NotePath, MemoryItem]
) -> list[_Found]:
    """Return the memos of hits, each once, best first.

    Summaries come behind what was captured: they repeat it.
    """
    found: dict[NotePath, _Found] = {}
    for hit in (hit for hit in hits if hit.path in wanted):
        memo = wanted[hit.path]
        found.setdefault(hit.path, _Found(memo, hit.relevance, hit.match_reason))
    order = sorted(found.values(), key=lambda one: one.memo.kind == "summary")
    best = least = order[0].relevance or 1.0 if order else 1.0
    shared = []
    for one in order:
        least = min(least, one.relevance)
        shared.append(one._replace(relevance=round(least / best, 4)))
    return shared
