"""From a ranking to hits: the passages that are shown, and why each is there."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import xxhash
from msgspec import UNSET

from glassmind.errors import IndexDamaged
from glassmind.model import NotePath, Span
from glassmind.model.graph import Edge, Hop
from glassmind.model.search import ChannelName, Evidence, Hit, Passage, Snippet
from glassmind.obsidian.text import heading_address
from glassmind.search.plan import Place, Route, Run
from glassmind.search.ranking import Ranking

if TYPE_CHECKING:
    from glassmind.store.lexical.search import KeywordQuery

WIDTH, LEAD, REACH = 240, 60, 180
"""Characters: about three lines on a terminal, what stands before the first match, and
how far from it another may begin."""

MarkWords = Callable[[str], list[tuple[int, int]]]
"""Tells which ranges of a text match."""


def cut_snippet(text: str, places: Sequence[int], mark: MarkWords) -> Snippet:
    """Return the stretch where the most of the query stands, on one line and marked.

    `places` are where each word of the query is first met, in order. Without one it is
    the beginning of the passage. Only the stretch is marked, not the passage: a hit has
    a few microseconds.
    """
    start, end = _whole_words(text, _best_start(places))
    line = " ".join(text[start:end].split())
    return Snippet(line, tuple(mark(line)))


def _best_start(places: Sequence[int]) -> int:
    if not places or places[-1] <= REACH:
        return 0
    best, most = 0, 0
    for number, place in enumerate(places):
        count = sum(other <= place + REACH for other in places[number:])
        if count > most:
            best, most = max(0, place - LEAD), count
    return best


def _whole_words(text: str, start: int) -> tuple[int, int]:
    """Return the ends of the window, moved inwards to blanks where they are near."""
    end = min(len(text), start + WIDTH)
    if start > 0:
        blank = text.find(" ", start, start + 30)
        start = blank + 1 if blank >= 0 else start
    if end < len(text):
        blank = text.rfind(" ", max(start, end - 30), end)
        end = blank if blank >= 0 else end
    return start, end


class Shown(NamedTuple):
    """A chunk as a hit shows it."""

    chunk_id: int
    path: NotePath
    title: str
    heading_path: tuple[str, ...]
    span: Span
    chunk_index: int
    digest: str
    mtime_ns: int
    text: str
    note_id: int
    generated: bool = False


def shown_of(row: tuple[Any, ...]) -> Shown:
    """Return a row of `Rows.hit_rows`, with its text held to its digest.

    Raises:
        IndexDamaged: the passage is not the text that was indexed.
    """
    *first_of, digest, mtime_ns, text, note, generated = row
    chunk, path, title, under, first, last, index = first_of
    if xxhash.xxh3_128_hexdigest(text.encode()) != digest:
        raise IndexDamaged("index.db", f"a passage of {path} is not what was indexed")
    span = Span(first, last)
    above = _heading_path(under)
    return Shown(
        chunk,
        path,
        title,
        above,
        span,
        index,
        digest,
        mtime_ns,
        text,
        note,
        bool(generated),
    )


@lru_cache(maxsize=1_000)
def _heading_path(text: str) -> tuple[str, ...]:
    """Return the headings of a row; passages of one note share most of theirs."""
    return tuple(json.loads(text))


def snippet_of(shown: Shown, asked: "KeywordQuery") -> Snippet:
    """Return the stretch of a passage where the most of the query stands."""
    return cut_snippet(shown.text, asked.places(shown.text), asked.mark)


MOST_WORDS = 5
"""Words a reason names; more would say less."""


def word_reason(score: float, snippet: Snippet, asked: "KeywordQuery") -> str:
    """Say which words of the query brought a passage here."""
    if not score:
        return "passes the filters"
    found = {snippet.text[start:end].lower(): None for start, end in snippet.marks}
    if not found:
        return "words found in the note's title, headings, tags, properties or folder"
    named = [
        f"{word} (for {typed})" if (typed := asked.typed(word)) else word
        for word in list(found)[:MOST_WORDS]
    ]
    return f"words found: {', '.join(named)}"


def is_in_inbox(path: NotePath, agent: str) -> bool:
    """Whether a note is in the inbox of the agent folder, where nobody approved it."""
    return path.startswith(f"{agent.strip('/')}/inbox/")


DIGITS = 6
"""Decimals of a score that count when two are compared."""


def hits_of(run: Run, ranking: Ranking) -> Iterator[Hit]:
    """Yield the hits of a ranking, best first, as many as were asked for.

    What is gone, or farther than asked for, is left out; relevance and threshold are
    shares of the best of the others.

    Raises:
        IndexDamaged: a passage is not the text that was indexed.
    """
    wish, keys, scores = run.question.wish, ranking.keys, ranking.scores
    ranks = {name: _ranks(found) for name, found in run.votes.items()}
    given, at, top, least = 0, 0, None, -inf
    while given < wish.limit and at < len(keys) and scores[keys[at]] >= least:
        batch = _with_ties(ranking, at, wish.limit - given)
        at += len(batch)
        for hit in _batch(run, ranking, batch, ranks)[: wish.limit - given]:
            if top is None:
                top, least = hit.score, wish.threshold * hit.score
            if hit.score >= least:
                given += 1
                relevance = min(1.0, max(0.0, hit.score / top)) if top > 0 else 1.0
                yield hit._replace(relevance=relevance)


def _ranks(found: Sequence[tuple[int, int, float]]) -> dict[int, int]:
    """Return the rank of each note in a channel."""
    notes = dict.fromkeys([note for _, note, _ in found])
    return {note: rank for rank, note in enumerate(notes, 1)}


def _with_ties(ranking: Ranking, at: int, count: int) -> Sequence[int]:
    """Return the next `count` keys, and those that score the same as the last."""
    keys, end = ranking.keys, min(at + count, len(ranking.keys))
    last = round(ranking.scores[keys[end - 1]], DIGITS)
    while end < len(keys) and round(ranking.scores[keys[end]], DIGITS) == last:
        end += 1
    return keys[at:end]


class _Context(NamedTuple):
    """What is known of a hit before its passages are read."""

    key: int
    note_id: int
    shares: Mapping[ChannelName, float]
    routes: Sequence[Route]
    chunks: Sequence[int]


def _batch(
    run: Run,
    ranking: Ranking,
    keys: Sequence[int],
    ranks: Mapping[ChannelName, Mapping[int, int]],
) -> list[Hit]:
    """Return the hits for some keys, those left out that are gone or too far."""
    contexts = _contexts(run, ranking, keys)
    chunks = list(dict.fromkeys(c for one in contexts for c in one.chunks if c > 0))
    rows = run.sources.rows.hit_rows(chunks)
    shown = {**run.facts, **{chunk: shown_of(row) for chunk, row in rows.items()}}
    cosines = {**run.fact_cosines, **run.cosines(chunks)}
    via = {note for one in contexts for route in one.routes for note in route.via}
    names = run.sources.notes.names(via) if via else {}
    least, made = run.question.wish.min_similarity, []
    for one in contexts:
        passages = [shown[chunk] for chunk in one.chunks if chunk in shown]
        near = [cosines[chunk] for chunk in one.chunks if chunk in cosines]
        similarity = max(near, default=None) if passages else None
        is_far = least is not None and (similarity is None or similarity < least)
        if not passages or (is_far and run.vector is not None):
            continue
        main = passages[0]
        snippet = snippet_of(main, run.query)
        place = Place(one.note_id, main.path, snippet, similarity, names)
        span, others = merged(main, passages[1:])
        more = [_passage(other, run) for other in others]
        hit = _hit(one, main, span, more, place)
        evidence = tuple(_evidence(run, one, place, ranks))
        adjustments = ranking.adjustments.get(one.key, ())
        score = ranking.scores[one.key]
        made.append(
            hit._replace(score=score, evidence=evidence, adjustments=adjustments)
        )
    by_day = run.question.is_about_days and "recent" in run.weights
    return sorted(made, key=lambda hit: _order_of(hit, by_day=by_day))


def _contexts(run: Run, ranking: Ranking, keys: Sequence[int]) -> list[_Context]:
    """Return each key with at most two chunks that speak for it, the best first.

    Of a note that only links speak for, that is the chunk nearest to the question.
    """
    chunks = {key: ranking.chunks_of(key)[:2] for key in keys}
    silent = [key for key in keys if not chunks[key]]
    held = run.sources.notes.chunks_of([ranking.notes[key] for key in silent])
    for key in silent:
        passing = run.passing(held.get(ranking.notes[key], []))
        nearest = [one.chunk_id for one in run.nearest(passing, 1)]
        chunks[key] = nearest or passing[:1]
    made = []
    for key in keys:
        note, shares = ranking.notes[key], ranking.shares_of(key)
        routes = [run.channels[name].route(note) for name in shares]
        made.append(_Context(key, note, shares, routes, chunks[key]))
    return made


def _hit(
    context: _Context, main: Shown, span: Span, more: Sequence[Passage], place: Place
) -> Hit:
    """Return a hit without its score and what that is made of."""
    # meaning names every note of a small vault, however far: the most counts
    route = next(iter(context.routes), Route())
    paths = {note: path for note, (path, _) in place.names.items()}
    paths[context.note_id] = main.path
    return Hit(
        main.path,
        main.title,
        main.heading_path,
        span,
        main.chunk_index,
        0.0,
        place.snippet,
        (),
        main.digest,
        main.mtime_ns,
        more=tuple(more),
        similarity=place.similarity,
        depth=route.depth,
        connected_via=tuple(paths[note] for note in route.via if note in paths),
        hops=tuple(_hops(route.steps, paths)),
        generated=main.generated,
    )


def _passage(shown: Shown, run: Run) -> Passage:
    return Passage(
        shown.heading_path,
        heading_address(shown.path, shown.heading_path),
        shown.span,
        shown.chunk_index,
        snippet_of(shown, run.query),
        shown.digest,
    )


def _evidence(
    run: Run,
    context: _Context,
    place: Place,
    ranks: Mapping[ChannelName, Mapping[int, int]],
) -> Iterator[Evidence]:
    for name, share in context.shares.items():
        rank = ranks[name].get(context.note_id)
        if rank is None:  # a fact among notes
            cosine = place.similarity or 0.0
            notes = {note for _, note, score in run.votes[name] if score > cosine}
            rank = 1 + len(notes)
        reason = run.channels[name].reason(place)
        yield Evidence(name, rank, share, reason.text, {}, reason.quoted or UNSET)


def _order_of(hit: Hit, *, by_day: bool) -> tuple[float, bool, int, int, str]:
    """Return what hits are sorted by: a note before a fact that counts as much.

    Of a question about days alone all score the same, and the newest day comes first.
    """
    ranks = (one.rank for one in hit.evidence if by_day and one.channel == "recent")
    score = -round(hit.score, DIGITS)
    return score, not hit.is_note, next(ranks, 0), -hit.mtime_ns, hit.path


def merged(main: Shown, others: Sequence[Shown]) -> tuple[Span, list[Shown]]:
    """Return the lines of a passage with those of its neighbours, and the rest."""
    span, rest = main.span, []
    for other in others:
        if abs(other.chunk_index - main.chunk_index) == 1:
            span = Span(
                min(span.start, other.span.start), max(span.end, other.span.end)
            )
        else:
            rest.append(other)
    return span, rest


def _hops(steps: Sequence[Edge], paths: Mapping[int, NotePath]) -> Iterator[Hop]:
    for source, target, name, kind in steps:
        if source in paths and target in paths:
            yield Hop(paths[source], paths[target], kind, name)
