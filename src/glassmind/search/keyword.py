"""Answer by keywords alone: what the keyword index found, by its own scores."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from glassmind.errors import IndexDamaged
from glassmind.model.search import Candidate, Evidence, Hit, SearchOptions, WordQuery
from glassmind.search.hits import cut_snippet, hit_of, word_reason
from glassmind.search.ranking import LOSS, losses

if TYPE_CHECKING:
    from glassmind.model.search import Successor
    from glassmind.store.protocol import KeywordQuery, Keywords, Rows

OVERFETCH = 4
"""Chunks asked for per hit wanted: a long note may hold several of the best."""

MOST_CHUNKS = 10_000
"""Chunks asked for where ties are cut in two; beyond it only equal scores remain."""

LEAST = 1.0  # the best score that a loss is taken of at least: filters alone give none
DIGITS = 4
"""Decimals of a score that count: below lies the order in which floats were added."""


def search_words(
    query: WordQuery,
    wish: SearchOptions,
    index: "Keywords",
    rows: "Rows",
    successors: "Mapping[int, Successor]",
) -> list[Hit]:
    """Return the best passages, best first, or the best one of each note.

    Ties go newest first, then by path and place in the note; so does what a query
    without words lists, by the day of its note before its last change. A note that
    `successors` names comes below what took its place. Raises IndexDamaged.
    """
    keyword_query = index.ask(query)
    candidates = _chosen(
        keyword_query, rows, wish.limit, per_note=wish.unique == "notes"
    )
    ids = [candidate.chunk_id for candidate in candidates]
    chunks = rows.hit_rows(ids)
    shares = keyword_query.shares(ids) if wish.explain else {}
    top = candidates[0].score if candidates else 0.0
    scores: dict[int, float] = {}
    for candidate in candidates:
        scores.setdefault(candidate.note_id, candidate.score)
    lost = losses(scores, successors, LOSS * max(top, LEAST)) if successors else {}
    hits = []
    for rank, (chunk, note, score) in enumerate(candidates, 1):
        if chunk not in chunks:
            continue
        if chunks[chunk].note_id != note:
            reason = "a passage is said to be another note's"
            raise IndexDamaged("the word index", reason)
        text = chunks[chunk].text
        snippet = cut_snippet(text, keyword_query.places(text), keyword_query.mark)
        reason = word_reason(score, snippet, keyword_query)
        why = Evidence("lexical", rank, score, reason, shares.get(chunk, {}))
        hit = hit_of(chunks[chunk], score, snippet)._replace(evidence=(why,))
        if note in lost:
            loss = lost[note]
            hit = hit._replace(score=score + loss.share, adjustments=(loss,))
        hits.append(hit)
    if lost:
        hits.sort(key=lambda hit: -round(hit.score, DIGITS))
    best = hits[0].score if hits else 0.0
    hits = [hit._replace(relevance=_relevance(hit.score, best)) for hit in hits]
    return [hit for hit in hits if hit.relevance >= wish.threshold]


def _relevance(score: float, best: float) -> float:
    return min(1.0, max(0.0, score / best)) if best > 0 else 1.0


def _chosen(
    asked: "KeywordQuery", rows: "Rows", limit: int, *, per_note: bool
) -> list[Candidate]:
    count = limit * OVERFETCH
    candidates = asked.best(count)
    kept = _one_a_note(candidates) if per_note else candidates
    full = len(candidates) == count < MOST_CHUNKS
    if full and (len(kept) <= limit or not _above(kept[limit - 1], candidates[-1])):
        candidates = asked.best(MOST_CHUNKS)
        kept = _one_a_note(candidates) if per_note else candidates
    if len(kept) > limit:  # with those that tie with the last
        kept = [
            candidate for candidate in kept if not _above(kept[limit - 1], candidate)
        ]
    ids = [candidate.chunk_id for candidate in kept]
    is_scored = any(candidate.score for candidate in kept)
    places = rows.chunk_places(ids, listed=not is_scored)
    there = [candidate for candidate in kept if candidate.chunk_id in places]
    there.sort(
        key=lambda candidate: (
            -round(candidate.score, DIGITS),
            places[candidate.chunk_id],
        )
    )
    return there[:limit]


def _one_a_note(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the best chunk of each note; of equal ones the first in the note."""
    best: dict[int, Candidate] = {}
    for candidate in found:
        known = best.setdefault(candidate.note_id, candidate)
        if not _above(known, candidate) and candidate.chunk_id < known.chunk_id:
            best[candidate.note_id] = candidate
    return list(best.values())


def _above(candidate: Candidate, other: Candidate) -> bool:
    return round(candidate.score, DIGITS) > round(other.score, DIGITS)
