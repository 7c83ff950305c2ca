"""From a ranking to hits: the passages that are shown, and why each is there."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import inf
from typing import NamedTuple

from msgspec import UNSET

from glassmind.model import NotePath, Span
from glassmind.model.graph import Edge, Hop
from glassmind.model.search import (
    ChannelName,
    Evidence,
    Hit,
    Passage,
    Snippet,
    Wish,
)
from glassmind.obsidian.text import heading_address
from glassmind.ports.retrieval import HitRows, NoteFacts
from glassmind.search.facts import fact_reason, is_fact, kind_said
from glassmind.search.graph import Vote
from glassmind.search.implicit import Likeness
from glassmind.search.passages import (
    Shown,
    cut_snippet,
    shown_of,
    snippet_of,
    waits_in_inbox,
    word_reason,
)
from glassmind.search.ranking import Ranked
from glassmind.search.search import Search, Sources

DIGITS = 6
"""Decimals of a score that count when two are compared."""

PLAIN_REASONS: Mapping[ChannelName, str] = {
    "memory": "remembered",
    "recent": "from the days asked for",
}

UNAPPROVED = "captured by an agent, not approved"
"""Why a memo is here that waits in the inbox."""

CLOSE = 0.25
"""Cosine of the default model that questions of strangers rarely reach."""

LINE_SHOWN = 120
"""Characters of the line around a link that a reason quotes."""


def hits_of(search: Search, ranking: Sequence[Ranked], sources: Sources) -> list[Hit]:
    """Return the hits of a ranking, best first, as many as were wished for.

    Raises:
        IndexDamaged: a passage is not the text that was indexed.
    """
    return list(Answer(search, sources).hits(ranking, search.question.wish))


class Answer:
    """Reads the passages of a ranking and says why they are there."""

    def __init__(self, search: Search, sources: Sources) -> None:
        self._search, self._asked = search, search.asked
        self._rows: HitRows = sources.rows
        self._notes: NoteFacts = sources.notes
        self._agent = sources.folder
        self._ranks = {
            name: _first_ranks(one.note_id for one in found)
            for name, found in search.votes.items()
        }

    def hits(self, ranking: Sequence[Ranked], wish: Wish) -> Iterator[Hit]:
        """Yield hits until there are enough; what is gone, or far, is left out.

        The best of the others is what relevance and threshold are told from.
        """
        given, at, top, least = 0, 0, None, -inf
        while given < wish.limit and at < len(ranking) and ranking[at].score >= least:
            batch = _with_ties(ranking, at, wish.limit - given)
            at += len(batch)
            for hit in self._batch(batch, wish)[: wish.limit - given]:
                if top is None:
                    top, least = hit.score, wish.threshold * hit.score
                if hit.score >= least:
                    given += 1
                    yield hit._replace(relevance=_relevance(hit, top))

    def _batch(self, batch: Sequence[Ranked], wish: Wish) -> list[Hit]:
        facts = [one for one in batch if is_fact(one.note_id)]
        batch = [one for one in batch if not is_fact(one.note_id)]
        chosen = self._chosen(batch)
        wanted = list(dict.fromkeys(chain.from_iterable(chosen.values())))
        rows = self._rows.hit_rows(wanted)
        shown = {chunk: shown_of(row) for chunk, row in rows.items()}
        near = self._search.semantic.near(wanted) if self._search.semantic else {}
        names = self._names(batch)
        made = []
        for one in batch:
            passages = [shown[c] for c in chosen[one.key] if c in shown]
            if not passages:
                continue
            cosines = [near[p.chunk_id] for p in passages if p.chunk_id in near]
            similarity = max(cosines, default=None)
            if self._is_near(similarity, wish):
                made.append(self._hit(one, passages, similarity, names))
        told = (self._fact_hit(one) for one in facts)
        made += [hit for hit in told if self._is_near(hit.similarity, wish)]
        by_day = self._search.is_by_days
        return sorted(made, key=lambda hit: _order_of(hit, by_day=by_day))

    def _is_near(self, similarity: float | None, wish: Wish) -> bool:
        """Whether something is as near as was wished for, where that can be told."""
        least = wish.min_similarity
        if least is None or not self._search.by_meaning:
            return True
        return similarity is not None and similarity >= least

    def _chosen(self, batch: Sequence[Ranked]) -> dict[int, list[int]]:
        """Return the chunks that each place shows, the telling one first.

        Of a note that only links speak for: the chunk nearest to the question.
        """
        chosen: dict[int, list[int]] = {}
        for one in batch:
            by_share = sorted(one.chunks, key=lambda name: -one.shares.get(name, 0.0))
            chosen[one.key] = list(dict.fromkeys(one.chunks[n] for n in by_share))[:2]
        silent = [one for one in batch if not chosen[one.key]]
        if silent:
            held = self._notes.chunks_of([one.note_id for one in silent])
            for one in silent:
                passing = self._search.passing(held.get(one.note_id, []))
                chosen[one.key] = self._telling(passing)
        return chosen

    def _telling(self, chunks: Sequence[int]) -> list[int]:
        if self._search.semantic is not None:
            best = self._search.semantic.best_of(chunks, 1)
            if best:
                return [best[0].chunk_id]
        return list(chunks[:1])

    def _names(self, batch: Sequence[Ranked]) -> dict[int, tuple[NotePath, str]]:
        """Return path and title of the notes that hits were found through."""
        via: set[int] = set()
        for one in batch:
            vote, like = self._vote(one), self._likeness(one)
            via.update(vote.via if vote is not None else ())
            via.update((like.via,) if like is not None else ())
        return self._notes.names(via) if via else {}

    def _vote(self, one: Ranked) -> Vote | None:
        graph = self._search.graph
        return None if graph is None else graph.votes.get(one.note_id)

    def _likeness(self, one: Ranked) -> Likeness | None:
        implicit = self._search.implicit
        return None if implicit is None else implicit.votes.get(one.note_id)

    def _hit(
        self,
        one: Ranked,
        passages: Sequence[Shown],
        similarity: float | None,
        names: dict[int, tuple[NotePath, str]],
    ) -> Hit:
        main, *others = passages
        span, rest = merged(main, others)
        snippet = snippet_of(main, self._asked)
        vote, like = self._vote(one), self._likeness(one)
        # meaning names every note of a small vault, however far: the most counts
        most = max(one.shares, key=lambda name: one.shares[name], default=None)
        way = _way(vote if most == "graph" else like if most == "implicit" else None)
        paths = {note: path for note, (path, _) in names.items()}
        paths[one.note_id] = main.path
        return Hit(
            main.path,
            main.title,
            main.heading_path,
            span,
            main.chunk_index,
            one.score,
            snippet,
            tuple(self._evidence(one, main.path, snippet, similarity, names)),
            main.digest,
            main.mtime_ns,
            adjustments=one.adjustments,
            more=tuple(self._passage(shown) for shown in rest),
            similarity=similarity,
            depth=way.depth,
            connected_via=tuple(paths[note] for note in way.via if note in paths),
            hops=tuple(_hops(way.steps, paths)),
            generated=main.generated,
        )

    def _fact_hit(self, one: Ranked) -> Hit:
        """Return what Hindsight remembers as a hit that stands in no note."""
        fact, cosine = self._search.fact(one.note_id)
        places = self._asked.places(fact.text)
        evidence = []
        for name in sorted(one.shares, key=lambda name: (-one.shares[name], name)):
            rank = self._ranks[name].get(one.note_id, 0)
            reason = fact_reason(fact)
            if name == "semantic":
                rank = 1 + self._nearer(cosine or 0.0)
                reason = meaning_reason(cosine)
            evidence.append(Evidence(name, rank, one.shares[name], reason, {}))
        return Hit(
            NotePath(fact.path),
            f"Hindsight: {kind_said(fact)}",
            (),
            Span(1, 1),
            0,
            one.score,
            cut_snippet(fact.text, places, self._asked.mark),
            tuple(evidence),
            "",
            0,
            adjustments=one.adjustments,
            similarity=cosine,
        )

    def _nearer(self, cosine: float) -> int:
        """Return how many notes are nearer in meaning than that."""
        votes = self._search.votes.get("semantic", ())
        return len({one.note_id for one in votes if one.score > cosine})

    def _passage(self, shown: Shown) -> Passage:
        snippet = snippet_of(shown, self._asked)
        return Passage(
            shown.heading_path,
            heading_address(shown.path, shown.heading_path),
            shown.span,
            shown.chunk_index,
            snippet,
            shown.digest,
        )

    def _evidence(
        self,
        one: Ranked,
        path: NotePath,
        snippet: Snippet,
        similarity: float | None,
        names: dict[int, tuple[NotePath, str]],
    ) -> Iterator[Evidence]:
        for name in sorted(one.shares, key=lambda name: (-one.shares[name], name)):
            rank, quoted = self._ranks[name].get(one.note_id, 0), ""
            match name:
                case "lexical":
                    reason = word_reason(1.0, snippet, self._asked)
                case "semantic":
                    reason = meaning_reason(similarity)
                case "graph":
                    reason = link_reason(self._vote(one), names)
                    quoted = quoted_by(self._vote(one), names)
                case "implicit":
                    reason = likeness_reason(self._likeness(one), names)
                case "memory" if waits_in_inbox(path, self._agent):
                    reason = UNAPPROVED
                case _:
                    reason = PLAIN_REASONS[name]
            yield Evidence(name, rank, one.shares[name], reason, {}, quoted or UNSET)


def _order_of(hit: Hit, *, by_day: bool) -> tuple[float, bool, int, int, str]:
    """Return what hits are sorted by: a note before a fact that counts as much.

    Of a question about days alone all score the same, and the newest day comes first.
    """
    ranks = (one.rank for one in hit.evidence if by_day and one.channel == "recent")
    score = -round(hit.score, DIGITS)
    return score, not hit.is_note, next(ranks, 0), -hit.mtime_ns, hit.path


def _relevance(hit: Hit, top: float) -> float:
    return min(1.0, max(0.0, hit.score / top)) if top > 0 else 1.0


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


def _with_ties(ranking: Sequence[Ranked], at: int, count: int) -> Sequence[Ranked]:
    """Return the next `count`, and those that score the same as the last of them."""
    end = min(at + count, len(ranking))
    last = round(ranking[end - 1].score, DIGITS)
    while end < len(ranking) and round(ranking[end].score, DIGITS) == last:
        end += 1
    return ranking[at:end]


def _first_ranks(notes: Iterator[int]) -> dict[int, int]:
    ranks: dict[int, int] = {}
    for note_id in notes:
        ranks.setdefault(note_id, len(ranks) + 1)
    return ranks


class _Way(NamedTuple):
    """How far a note is from what led to it, the notes on the way, and the links."""

    depth: int = 0
    via: tuple[int, ...] = ()
    steps: tuple[Edge, ...] = ()


def _way(found: Vote | Likeness | None) -> _Way:
    match found:
        case None:
            return _Way()
        case Likeness():
            step = Edge(found.via, found.note_id, "", "implicit")
            return _Way(1, (found.via,), (step,))
        case Vote():
            return _Way(found.depth, found.via, found.steps)


def _hops(steps: Sequence[Edge], paths: Mapping[int, NotePath]) -> Iterator[Hop]:
    for source, target, name, kind in steps:
        if source in paths and target in paths:
            yield Hop(paths[source], paths[target], kind, name)


def likeness_reason(
    like: Likeness | None, names: dict[int, tuple[NotePath, str]]
) -> str:
    """Say which hit a note is like, and how much."""
    if like is None or like.via not in names:
        return "similar to a good hit"
    return f"similar to {names[like.via][1]} ({like.similarity:.2f})"


def meaning_reason(similarity: float | None) -> str:
    """Say how near a passage is; the nearest of a vault may still be far away."""
    if similarity is None:
        return "close in meaning"
    said = (
        "close in meaning" if similarity >= CLOSE else "nearest in meaning, not close"
    )
    return f"{said} (cosine {similarity:.2f})"


def link_reason(vote: Vote | None, names: dict[int, tuple[NotePath, str]]) -> str:
    """Say how links, or the theme that it shares with others, lead to a note."""
    if vote is None:
        return "the note asked about"
    theme = f"in the theme {vote.theme} with other good hits" if vote.theme else ""
    if not vote.linked:
        return theme
    linked = _linked(vote, names)  # may end in a whole sentence of the note
    return f"{linked} ({theme})" if theme else linked


def quoted_by(vote: Vote | None, names: dict[int, tuple[NotePath, str]]) -> str:
    """Return the note a line of which is in the reason; empty where there is none."""
    if vote is None or not vote.linked or not vote.line:
        return ""
    return next((names[one][0] for one in reversed(vote.via) if one in names), "")


def _linked(vote: Vote, names: dict[int, tuple[NotePath, str]]) -> str:
    if not vote.via:
        return "the note asked about"
    titles = [names[note][1] for note in vote.via if note in names]
    if not titles:
        return "linked with a good hit"
    if vote.line:
        line = (
            vote.line if len(vote.line) <= LINE_SHOWN else f"{vote.line[:LINE_SHOWN]}…"
        )
        return f"linked from {titles[-1]}: {line}"
    way = " > ".join(titles)
    said = f"links to {way}" if vote.backward else f"linked from {way}"
    last = vote.steps[-1].property if vote.steps else ""
    return f"{said} as {last}" if last else said
