"""From a ranking to hits: the passages that are shown, and why each is there."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from msgspec import UNSET

from glassmind.model import NotePath, Span
from glassmind.model.graph import Hop
from glassmind.model.search import (
    ChannelName,
    Evidence,
    Hit,
    HitChunk,
    Passage,
    Snippet,
)
from glassmind.obsidian.text import heading_address

if TYPE_CHECKING:  # keyword search needs none of them
    from glassmind.search.plan import HitPlace, Run
    from glassmind.search.ranking import Ranking
    from glassmind.store.protocol import KeywordQuery

WIDTH, LEAD, REACH = 240, 60, 180
"""Characters: about three lines on a terminal, what stands before the first match, and
how far from it another may begin."""

MarkWords = Callable[[str], list[tuple[int, int]]]  # tells which ranges of a text match


def cut_snippet(text: str, places: Sequence[int], mark: MarkWords) -> Snippet:
    """Return the stretch where the most of the query stands, on one line and marked.

    `places` are where each word of the query is first met, in order. Without one it is
    the beginning of the passage. Only the stretch is marked, not the passage: a hit has
    a few microseconds.
    """
    best, most = 0, 0
    if places and places[-1] > REACH:
        for number, place in enumerate(places):
            count = sum(other <= place + REACH for other in places[number:])
            if count > most:
                best, most = max(0, place - LEAD), count
    start, end = _whole_words(text, best)
    line = " ".join(text[start:end].split())
    return Snippet(line, tuple(mark(line)))


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


MOST_WORDS = 5  # words a reason names; more would say less


def word_reason(score: float, snippet: Snippet, asked: "KeywordQuery") -> str:
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
    return path.startswith(f"{agent.strip('/')}/inbox/")


def hit_of(chunk: HitChunk, score: float, snippet: Snippet) -> Hit:
    return Hit(
        chunk.path,
        chunk.title,
        chunk.heading_path,
        chunk.lines,
        chunk.chunk_index,
        score,
        snippet,
        (),
        chunk.digest,
        chunk.mtime_ns,
        generated=chunk.generated,
    )


DIGITS = 6  # decimals of a score that count when two are compared


def hits_of(run: "Run", ranking: "Ranking") -> Iterator[Hit]:
    """Yield the hits of a ranking, best first, as many as were asked for.

    What is gone, or farther than asked for, is left out; relevance and threshold are
    shares of the best of the others. Raises IndexDamaged.
    """
    wish, keys, scores = run.wish, ranking.keys, ranking.scores
    ranks: dict[ChannelName, dict[int, int]] = {}
    for name, candidates in run.votes.items():
        notes = dict.fromkeys([note for _, note, _ in candidates])
        ranks[name] = {note: rank for rank, note in enumerate(notes, 1)}
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


def _with_ties(ranking: "Ranking", at: int, count: int) -> Sequence[int]:
    keys, end = ranking.keys, min(at + count, len(ranking.keys))
    last = round(ranking.scores[keys[end - 1]], DIGITS)
    while end < len(keys) and round(ranking.scores[keys[end]], DIGITS) == last:
        end += 1
    return keys[at:end]


def _batch(
    run: "Run",
    ranking: "Ranking",
    keys: Sequence[int],
    ranks: Mapping[ChannelName, Mapping[int, int]],
) -> list[Hit]:
    from glassmind.search.plan import HitPlace  # noqa: PLC0415 - see above

    chunks = _chunks_of(run, ranking, keys)
    ids = list(dict.fromkeys(c for some in chunks.values() for c in some if c > 0))
    hit_chunks = {**run.facts, **run.rows.hit_rows(ids)}
    cosines = {**run.fact_cosines, **run.cosines(ids)}
    routes = {
        key: [run.channels[n].route(ranking.notes[key]) for n in ranking.shares_of(key)]
        for key in keys
    }
    via = {note for some in routes.values() for route in some for note in route.via}
    names = run.rows.names(via) if via else {}
    least, hits = run.wish.min_similarity, []
    for key in keys:
        passages = [hit_chunks[chunk] for chunk in chunks[key] if chunk in hit_chunks]
        near = [cosines[chunk] for chunk in chunks[key] if chunk in cosines]
        similarity = max(near, default=None) if passages else None
        is_far = least is not None and (similarity is None or similarity < least)
        if not passages or (is_far and run.vector is not None):
            continue
        main, note = passages[0], ranking.notes[key]
        text = main.text
        snippet = cut_snippet(text, run.query.places(text), run.query.mark)
        place = HitPlace(note, main.path, snippet, similarity, names)
        lines, others = merged(main, passages[1:])
        paths = {note: path for note, (path, _) in names.items()} | {note: main.path}
        route = routes[key][0]  # meaning names every note of a small vault
        hit = hit_of(main, ranking.scores[key], snippet)
        hits.append(
            hit._replace(
                lines=lines,
                evidence=tuple(_evidence(run, ranking.shares_of(key), place, ranks)),
                adjustments=ranking.adjustments.get(key, ()),
                more=tuple(map(partial(_passage, run.query), others)),
                similarity=similarity,
                depth=route.depth,
                connected_via=tuple(paths[n] for n in route.via if n in paths),
                hops=tuple(
                    Hop(paths[source], paths[target], kind, name)
                    for source, target, name, kind in route.steps
                    if source in paths and target in paths
                ),
            )
        )
    by_day = run.is_about_days and "recent" in run.weights
    return sorted(hits, key=lambda hit: _order_of(hit, by_day=by_day))


def _chunks_of(
    run: "Run", ranking: "Ranking", keys: Sequence[int]
) -> dict[int, list[int]]:
    """Return at most two chunks that speak for each key, the best first."""
    chunks = {key: ranking.chunks_of(key)[:2] for key in keys}
    silent = [key for key in keys if not chunks[key]]
    held = run.rows.chunk_ids_of([ranking.notes[key] for key in silent])
    for key in silent:
        passing = run.passing(held.get(ranking.notes[key], []))
        nearest = [candidate.chunk_id for candidate in run.nearest(passing, 1)]
        chunks[key] = nearest or passing[:1]
    return chunks


def _passage(query: "KeywordQuery", chunk: HitChunk) -> Passage:
    return Passage(
        chunk.heading_path,
        heading_address(chunk.path, chunk.heading_path),
        chunk.lines,
        chunk.chunk_index,
        cut_snippet(chunk.text, query.places(chunk.text), query.mark),
        chunk.digest,
    )


def _evidence(
    run: "Run",
    shares: Mapping[ChannelName, float],
    place: "HitPlace",
    ranks: Mapping[ChannelName, Mapping[int, int]],
) -> Iterator[Evidence]:
    for name, share in shares.items():
        rank = ranks[name].get(place.note_id)
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
    ranks = (
        evidence.rank
        for evidence in hit.evidence
        if by_day and evidence.channel == "recent"
    )
    score = -round(hit.score, DIGITS)
    return score, not hit.is_note, next(ranks, 0), -hit.mtime_ns, hit.path


def merged(main: HitChunk, others: Sequence[HitChunk]) -> tuple[Span, list[HitChunk]]:
    lines, rest = main.lines, []
    for other in others:
        if abs(other.chunk_index - main.chunk_index) == 1:
            start, end = other.lines
            lines = Span(min(lines.start, start), max(lines.end, end))
        else:
            rest.append(other)
    return lines, rest
