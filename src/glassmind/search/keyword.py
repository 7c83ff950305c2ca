"""Answering by words alone: what the word index found, in its own order and scores."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from glassmind.errors import IndexDamaged
from glassmind.model.search import (
    Candidate,
    Evidence,
    Hit,
    WordQuery,
)
from glassmind.search.hits import shown_of, snippet_of, word_reason
from glassmind.search.ranking import LOSS, losses

if TYPE_CHECKING:
    from glassmind.model.search import Adjustment, Successor
    from glassmind.store.lexical.search import KeywordIndex, KeywordQuery
    from glassmind.store.sqlite.notes import Rows


OVERFETCH = 4
"""Chunks asked for per note wanted: a long note may hold several of the best."""

MOST_CHUNKS = 10_000
"""Where asking for more ends; beyond it only equal scores remain."""


def search_words(  # noqa: PLR0913 - each choice by its name
    query: WordQuery,
    words: "KeywordIndex",
    rows: "Rows",
    *,
    limit: int,
    per_note: bool = True,
    threshold: float = 0.0,
    explain: bool = False,
    successors: "Mapping[int, Successor]" = MappingProxyType({}),
) -> list[Hit]:
    """Return the best passages, best first; with `per_note`, one of each note.

    None scores less than `threshold` of the best.

    Ties go newest first, then by path and place in the note; so does what a query
    without words lists, by the day of its note before its last change. With `explain`,
    each hit says what every field gave to its score. A note that `successors` names
    comes below what took its place.

    Raises:
        IndexDamaged: a passage is not the text that was indexed.
    """
    asked = words.ask(query)
    chosen = _chosen(asked, rows, limit=limit, per_note=per_note)
    ids = [candidate.chunk_id for candidate in chosen]
    shown = rows.hit_rows(ids)
    for candidate in chosen:
        row = shown.get(candidate.chunk_id)
        if row is not None and row[OWNER] != candidate.note_id:
            raise _mistaken(candidate, rows)
    shares = asked.shares(ids) if explain else {}
    listed = {} if _is_scored(chosen) else rows.listed_places(ids)
    ranked = sorted(
        (c for c in chosen if c.chunk_id in shown),
        key=lambda c: (
            -round(c.score, DIGITS),
            listed.get(c.chunk_id) or _place(shown[c.chunk_id]),
        ),
    )
    top = ranked[0].score if ranked else 0.0
    hits = [
        _hit(candidate, rank, shown[candidate.chunk_id], shares, asked, top)
        for rank, candidate in enumerate(ranked, 1)
    ]
    if successors:
        hits = _with_losses(hits, ranked, successors)
    return [hit for hit in hits if hit.relevance >= threshold]


def _with_losses(
    hits: Sequence[Hit],
    ranked: Sequence[Candidate],
    successors: "Mapping[int, Successor]",
) -> list[Hit]:
    """Return hits with what superseded ones lose, in the order that makes."""
    scores: dict[int, float] = {}
    for candidate in ranked:
        scores.setdefault(candidate.note_id, candidate.score)
    top = ranked[0].score if ranked else 0.0
    lost = losses(scores, successors, LOSS * max(top, LEAST))
    if not lost:
        return list(hits)
    lowered = [
        _lowered(hit, lost.get(candidate.note_id))
        for hit, candidate in zip(hits, ranked, strict=True)
    ]
    lowered.sort(key=lambda hit: -round(hit.score, DIGITS))
    best = lowered[0].score
    return [
        hit._replace(relevance=min(1.0, max(0.0, hit.score / best)))
        if best > 0
        else hit
        for hit in lowered
    ]


def _lowered(hit: Hit, loss: "Adjustment | None") -> Hit:
    if loss is None:
        return hit
    return hit._replace(score=hit.score + loss.share, adjustments=(loss,))


LEAST = 1.0
"""The best score that a loss is taken of at least: filters alone give none."""


OWNER = 10
"""Where a row says which note its passage belongs to."""


def _mistaken(candidate: Candidate, rows: "Rows") -> IndexDamaged:
    """Return whose fault it is that the word index and the rows name other notes."""
    wrong = "a passage is said to be another note's"
    if rows.owner_agrees(candidate.chunk_id):
        return IndexDamaged("the word index", wrong)
    return IndexDamaged("index.db", wrong)


def _chosen(
    asked: "KeywordQuery", rows: "Rows", *, limit: int, per_note: bool
) -> list[Candidate]:
    """Return the candidates to show, asking for more while ties are cut in two."""
    count = limit * (OVERFETCH if per_note else 2)
    while True:
        found = asked.best(count)
        kept = _one_a_note(found) if per_note else found
        if len(found) < count or count >= MOST_CHUNKS:
            return _cut(kept, rows, limit)
        if len(kept) > limit and _above(kept[limit - 1], found[-1]):
            return _cut(kept, rows, limit)
        # of a list all are tied: there is no use in a little more
        count = count * OVERFETCH if _is_scored(found) else MOST_CHUNKS


def _one_a_note(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the best chunk of each note; of equal ones the first in the note."""
    best: dict[int, Candidate] = {}
    for candidate in found:
        known = best.setdefault(candidate.note_id, candidate)
        equal = not _above(known, candidate)
        if equal and candidate.chunk_id < known.chunk_id:
            best[candidate.note_id] = candidate
    return list(best.values())


def _cut(kept: Sequence[Candidate], rows: "Rows", limit: int) -> list[Candidate]:
    """Return the best `limit`; of those tied at the cut, the first by place."""
    if len(kept) <= limit or _above(kept[limit - 1], kept[limit]):
        return list(kept[:limit])
    edge = kept[limit - 1]
    clear = [candidate for candidate in kept if _above(candidate, edge)]
    tied = [c for c in kept if not _above(c, edge) and not _above(edge, c)]
    chunks = [candidate.chunk_id for candidate in tied]
    scored = _is_scored(tied)
    places = rows.chunk_places(chunks) if scored else rows.listed_places(chunks)
    there = [candidate for candidate in tied if candidate.chunk_id in places]
    there.sort(key=lambda candidate: places[candidate.chunk_id])
    return [*clear, *there[: limit - len(clear)]]


DIGITS = 4
"""Decimals of a score that count: below lies the order in which floats were added."""


def _above(candidate: Candidate, other: Candidate) -> bool:
    return round(candidate.score, DIGITS) > round(other.score, DIGITS)


def _is_scored(found: Sequence[Candidate]) -> bool:
    """Whether words were looked for; what passes filters alone has no score."""
    return any(candidate.score for candidate in found)


def _place(row: tuple[Any, ...]) -> tuple[int, str, int]:
    """Return what ties are broken by: newest note, path, place in the note."""
    return (-row[8], row[1], row[6])


def _hit(  # noqa: PLR0913, PLR0917 - all that a hit shows
    candidate: Candidate,
    rank: int,
    row: tuple[Any, ...],
    shares: Mapping[int, Mapping[str, float]],
    asked: "KeywordQuery",
    top: float,
) -> Hit:
    shown = shown_of(row)
    snippet = snippet_of(shown, asked)
    fields = shares.get(candidate.chunk_id, NO_FIELDS)
    reason = word_reason(candidate.score, snippet, asked)
    why = Evidence("lexical", rank, candidate.score, reason, fields)
    return Hit(
        shown.path,
        shown.title,
        shown.heading_path,
        shown.span,
        shown.chunk_index,
        candidate.score,
        snippet,
        (why,),
        shown.digest,
        shown.mtime_ns,
        relevance=min(1.0, candidate.score / top) if top > 0 else 1.0,
        generated=shown.generated,
    )


NO_FIELDS: Mapping[str, float] = {}
