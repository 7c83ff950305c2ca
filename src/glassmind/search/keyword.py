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
    asked = index.ask(query)
    chosen = _chosen(asked, rows, wish.limit, per_note=wish.unique == "notes")
    ids = [candidate.chunk_id for candidate in chosen]
    shown = rows.hit_rows(ids)
    shares = asked.shares(ids) if wish.explain else {}
    top = chosen[0].score if chosen else 0.0
    scores: dict[int, float] = {}
    for candidate in chosen:
        scores.setdefault(candidate.note_id, candidate.score)
    lost = losses(scores, successors, LOSS * max(top, LEAST)) if successors else {}
    hits = []
    for rank, (chunk, note, score) in enumerate(chosen, 1):
        if chunk not in shown:
            continue
        if shown[chunk].note_id != note:
            reason = "a passage is said to be another note's"
            raise IndexDamaged("the word index", reason)
        text = shown[chunk].text
        snippet = cut_snippet(text, asked.places(text), asked.mark)
        reason = word_reason(score, snippet, asked)
        why = Evidence("lexical", rank, score, reason, shares.get(chunk, {}))
        hit = hit_of(shown[chunk], score, snippet)._replace(evidence=(why,))
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
    found = asked.best(count)
    kept = _one_a_note(found) if per_note else found
    full = len(found) == count < MOST_CHUNKS
    if full and (len(kept) <= limit or not _above(kept[limit - 1], found[-1])):
        found = asked.best(MOST_CHUNKS)
        kept = _one_a_note(found) if per_note else found
    if len(kept) > limit:  # with those that tie with the last
        kept = [one for one in kept if not _above(kept[limit - 1], one)]
    ids = [one.chunk_id for one in kept]
    is_scored = any(one.score for one in kept)
    places = rows.chunk_places(ids, listed=not is_scored)
    there = [one for one in kept if one.chunk_id in places]
    there.sort(key=lambda one: (-round(one.score, DIGITS), places[one.chunk_id]))
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
