"""Answering a query: ask the channels, put their votes together, show the passages."""

import json
from collections.abc import Mapping
from typing import Any

import xxhash

from glassmind.errors import IndexDamaged
from glassmind.ports.retrieval import AskedWords, HitRows, WordSearch
from glassmind.retrieval.snippet import cut_snippet
from glassmind.types import NotePath, Span
from glassmind.types.search import Candidate, Evidence, Hit, WordQuery

OVERFETCH = 4
"""Chunks asked for per note wanted: a long note may hold several of the best."""

MOST_CHUNKS = 10_000
"""Where asking for more ends; beyond it only equal scores remain."""


def search_words(
    query: WordQuery,
    words: WordSearch,
    rows: HitRows,
    *,
    limit: int,
    per_note: bool = True,
) -> list[Hit]:
    """Return the best passages, best first; with `per_note`, one of each note.

    Ties, and a query without words, go newest first, then by path and place in the
    note.

    Raises:
        IndexDamaged: a passage is not the text that was indexed.
    """
    asked = words.ask(query)
    ranked = _ranked(asked, rows, limit=limit, per_note=per_note)
    ids = [candidate.chunk_id for candidate in ranked]
    shown, shares = rows.hit_rows(ids), asked.shares(ids)
    return [
        _hit(candidate, rank, shown[candidate.chunk_id], shares, asked)
        for rank, candidate in enumerate(ranked, 1)
        if candidate.chunk_id in shown
    ]


def _ranked(
    asked: AskedWords, rows: HitRows, *, limit: int, per_note: bool
) -> list[Candidate]:
    """Return the candidates to show, asking for more while ties are cut in two."""
    count = limit * OVERFETCH
    while True:
        found = asked.best(count)
        places = rows.chunk_places([candidate.chunk_id for candidate in found])
        kept: dict[object, Candidate] = {}
        for candidate in sorted(
            (c for c in found if c.chunk_id in places),
            key=lambda c: (-round(c.score, DIGITS), _order(places[c.chunk_id])),
        ):
            path = places[candidate.chunk_id][0]
            kept.setdefault(path if per_note else candidate.chunk_id, candidate)
        best = list(kept.values())[:limit]
        full = len(best) == limit and _above(best[-1], found[-1])
        if full or len(found) < count or count >= MOST_CHUNKS:
            return best
        count *= OVERFETCH


DIGITS = 4
"""Decimals of a score that count: below lies the order in which floats were added."""


def _above(candidate: Candidate, other: Candidate) -> bool:
    return round(candidate.score, DIGITS) > round(other.score, DIGITS)


def _order(place: tuple[str, int, int]) -> tuple[int, str, int]:
    path, index, mtime_ns = place
    return (-mtime_ns, path, index)


def _hit(
    candidate: Candidate,
    rank: int,
    row: tuple[Any, ...],
    shares: Mapping[int, Mapping[str, float]],
    asked: AskedWords,
) -> Hit:
    _, path, title, under, first, last, index, digest, mtime_ns, text = row
    if xxhash.xxh3_128_hexdigest(text.encode()) != digest:
        raise IndexDamaged("index.db", f"a passage of {path} is not what was indexed")
    fields = shares.get(candidate.chunk_id, {})
    why = Evidence("lexical", rank, candidate.score, _reason(fields), fields)
    return Hit(
        path=NotePath(path),
        title=title,
        heading_path=tuple(json.loads(under)) if under != "[]" else (),
        span=Span(first, last),
        chunk_index=index,
        score=candidate.score,
        snippet=cut_snippet(text, asked.mark(text)),
        evidence=(why,),
        digest=digest,
        mtime_ns=mtime_ns,
    )


def _reason(fields: Mapping[str, float]) -> str:
    if not fields:
        return "passes the filters"
    ranked = sorted(fields, key=lambda field: (-fields[field], field))
    return f"words found in {', '.join(ranked)}"
