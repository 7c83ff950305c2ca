"""Answering a question: ask the channels, put their votes together, show the passages.

Words and meaning vote first, side by side. Their best lead the graph; what was
captured, and the days that a question names, vote where there are any. All votes
become one ranking of notes, which a few bounded adjustments and, if wanted, a reader of
question and passage together correct.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from glassmind.errors import GlassmindError
from glassmind.model.adjustments import AdjustmentName, Successor
from glassmind.model.search import (
    Candidate,
    ChannelName,
)
from glassmind.ports.models import Reranker
from glassmind.ports.retrieval import AskedWords, HitRows, NoteFacts, WordSearch
from glassmind.search.channels import (
    DEPTH,
    Channel,
    Graph,
    Lexical,
    Meaning,
    Memory,
    Recent,
    Semantic,
)
from glassmind.search.facts import Facts, among, begun, is_fact
from glassmind.search.graph import LINKING_CHUNKS, SEEDS, Described
from glassmind.search.implicit import Implicit, Partners
from glassmind.search.plan import (
    RANKS_ALONE,
    Question,
    Settled,
    is_by_days,
    weights_of,
)
from glassmind.search.ranking import (
    CANDIDATES,
    COLD,
    RRF_K,
    Ranked,
    Ranking,
    Votes,
    Warm,
    Weights,
    adjust,
    asked_words,
    by_chunk,
    by_note,
    fact_of,
    fuse,
    homes_of,
    losses,
    placed,
    rerank,
    stretch_of,
)

if TYPE_CHECKING:
    from glassmind.model.hindsight import RecalledFact
    from glassmind.ports.hindsight import Hear

POOL = 200
"""Notes that scores are stretched over, unless more are asked for (docs/ranking.md)."""

TEXT = 9
"""Where a row of `HitRows.hit_rows` has the text of its chunk."""

ADJUSTED = 50
"""Notes, from the best, that adjustments look at."""


class Sources(NamedTuple):
    """What a search asks, and how much each of it counts.

    `meaning` raises why there is none, and `covered` is the share of the vault that has
    vectors; `folder` is the agent's. `partners` are notes that are alike, and
    `unpaired` says what is not known of them. `successors` has what took the place of
    other notes, and `heat` how warm notes are, asked only where that counts. `recall`
    begins to ask Hindsight, where there is one, and `is_ours` tells what it was told by
    this vault.
    """

    words: WordSearch
    rows: HitRows
    notes: NoteFacts
    meaning: Callable[[], Meaning]
    covered: Callable[[], float]
    folder: str
    lifts: Mapping[AdjustmentName, float]
    settled: Settled
    reranker: Callable[[], Reranker]
    rerank_budget_s: float
    partners: Partners
    unpaired: Callable[[], Sequence[str]]
    successors: Callable[[], Mapping[int, Successor]] = dict
    heat: Callable[[], Mapping[int, Warm]] = dict
    recall: "Callable[[str], Hear] | None" = None
    is_ours: Callable[[str], bool] = lambda _: False


class Search:
    """One question on its way to an answer; keeps what the channels said."""

    def __init__(
        self, question: Question, sources: Sources, reach: int | None = None
    ) -> None:
        """Begin; `reach` is how many hits are looked for, by default those wished."""
        self.question, self._sources = question, sources
        self.asked: AskedWords = sources.words.ask(question.words)
        self.weights = weights_of(question, sources.settled)
        self.degraded: list[str] = []
        self.failed: dict[ChannelName, str] = {}
        self.votes: dict[ChannelName, list[Candidate]] = {}
        self.semantic: Semantic | None = None
        self.graph: Graph | None = None
        self.implicit: Implicit | None = None
        self.facts: Facts | None = None
        self._hear: Hear | None = None
        self.reranked = 0
        self._described = Described(sources.notes, self.asked)
        reach = reach or question.wish.limit
        self._depth = max(DEPTH, 4 * reach)
        self._pool = max(POOL, 2 * reach)

    def ranked(self) -> list[Ranked]:
        """Return every note that a channel named, best first, with its shares."""
        self._follow(self._led())
        facts = () if self.facts is None else self.facts.near()
        ranking = self._fused(tuple(self.votes), self.weights, facts)
        ranking = self._adjusted(ranking)
        if self.question.intent == "backlink":  # what is asked about is no answer
            ranking = [o for o in ranking if o.note_id not in self.question.roots]
        if self.question.wish.rerank == "on":
            ranking = self._reranked(ranking)
        return self._lowered(ranking)

    def fact(self, key: int) -> "tuple[RecalledFact, float | None]":
        """Return a fact that was ranked, and how near it is, if that is known."""
        facts = self.facts
        if facts is None:
            raise KeyError(key)
        return facts.found[key], facts.cosines.get(key)

    @property
    def by_meaning(self) -> bool:
        """Whether the question has a vector, that passages are near to or far from."""
        return self.semantic is not None and self.semantic.vector is not None

    @property
    def is_by_days(self) -> bool:
        """Whether nothing but days is asked for, and they are looked for."""
        return "recent" in self.weights and is_by_days(self.question)

    def leaders(self) -> list[int]:
        """Return the notes that words and meaning found, best first."""
        return [one.note_id for one in self._led()]

    def _led(self) -> list[Ranked]:
        """Return what words and meaning found, be they wished for or not."""
        return self._fused(BOTH, {name: self.weights.get(name, 1.0) for name in BOTH})

    def passing(self, chunk_ids: Sequence[int]) -> list[int]:
        """Return those of some chunks that pass the filters, in their order."""
        if self._allowed is None:
            return list(chunk_ids)
        allowed = {one.chunk_id for one in self._allowed}
        return [chunk for chunk in chunk_ids if chunk in allowed]

    @cached_property
    def _allowed(self) -> list[Candidate] | None:
        return self.asked.allowed()

    def _passing(self) -> set[int] | None:
        """Return the notes that pass the filters; None when there are none."""
        if self._allowed is None:
            return None
        return {one.note_id for one in self._allowed}

    def understand(self, question: Question) -> None:
        """Go on with a question of which more is known than when it was put."""
        self.question = question
        self.weights = self._weighed(question)

    def _weighed(self, question: Question) -> dict[ChannelName, float]:
        """Return the weights of the channels, that of meaning by what it covers.

        While a vault is being embedded, the nearest of what has a vector need not be
        near at all: squared, half of a vault counts a quarter.
        """
        weights = weights_of(question, self._sources.settled)
        if self.semantic is not None and len(weights) > 1 and "semantic" in weights:
            weights["semantic"] *= self._sources.covered() ** 2
        return weights

    def vote(self, meanwhile: Callable[[], None]) -> None:
        """Ask words and meaning, side by side; do `meanwhile` while meaning is at work.

        Raises:
            IndexDamaged: the word index or the rows are not what was written.
        """
        self._hear = begun(self.question, self._sources.recall, self.degraded)
        found: list[Candidate] = []
        running: threading.Thread | None = None
        if "semantic" in self.weights and (semantic := self._opened()) is not None:
            self.semantic = semantic

            def ask() -> None:
                found.extend(self._candidates(semantic))

            running = threading.Thread(target=ask, name="glassmind-semantic")
            running.start()
        try:
            if self.weights.keys() & {"lexical", "graph", "implicit"}:
                lexical = Lexical(self.asked, self._depth)
                self.votes["lexical"] = lexical.candidates(self.question)
            if "graph" in self.weights:
                self._read_links("lexical")
            meanwhile()
        finally:
            if running is not None:
                running.join()
        if found:
            self.votes["semantic"] = found

    def _opened(self) -> Semantic | None:
        """Return the channel of meaning; None when it cannot be asked."""
        try:
            meaning = self._sources.meaning()
        except Exception as error:  # noqa: BLE001 - the other channels still answer
            self._fail("semantic", str(error))
            return None
        return Semantic(meaning, lambda: self._allowed, self._depth)

    def _candidates(self, channel: Channel) -> list[Candidate]:
        """Return a channel's votes; of one that fails none, and the answer says so."""
        try:
            return list(channel.candidates(self.question))
        except GlassmindError as error:
            self._fail(channel.name, str(error))
        except Exception as error:  # noqa: BLE001 - the other channels still answer
            self._fail(channel.name, f"{type(error).__name__}: {error}")
        return []

    def _fail(self, channel: ChannelName, reason: str) -> None:
        self.failed[channel] = reason
        self.degraded.append(f"{channel}: {reason}")

    def _follow(self, leaders: Sequence[Ranked]) -> None:
        """Ask the channels that build on the first two, or stand apart."""
        chosen: list[Channel] = []
        if "graph" in self.weights:
            chosen.append(self._graph(leaders))
        if "memory" in self.weights:
            folder, words = self._sources.folder, self._sources.words
            notes = self._sources.notes
            chosen.append(Memory(folder, words, notes, self.semantic, self._best))
        if "implicit" in self.weights:
            seeds = [(one.note_id, one.score) for one in leaders]
            partners = self._sources.partners
            self.implicit = Implicit(seeds, partners, self._passing)
            chosen.append(self.implicit)
            lacks = self._sources.unpaired()
            self.degraded += [f"{self.implicit.name}: {said}" for said in lacks]
        if "recent" in self.weights:
            chosen.append(Recent(self._sources.words))
        if self._hear is not None and "hindsight" in self.weights:  # the last to come
            is_ours = self._sources.is_ours
            near = max((one.score for one in self.votes.get("semantic", ())), default=0)
            self.facts = Facts(self._hear, self.asked, self.semantic, is_ours, near)
            chosen.append(self.facts)
        for channel in chosen:
            found = self._candidates(channel)
            if found:
                self.votes[channel.name] = found

    def _best(self) -> float:
        """Return the best score by words."""
        found = self.votes.get("lexical") or self.asked.best(1)
        return max((one.score for one in found[:1]), default=0.0)

    def _graph(self, leaders: Sequence[Ranked]) -> Graph:
        seeds = [(one.note_id, one.score) for one in leaders[:SEEDS]]
        for name in BOTH:
            self._read_links(name)
        notes = self._sources.notes
        by_theme = self.question.wish.fusion not in RANKS_ALONE
        self.graph = Graph(
            notes, seeds, self._described, self._passing, by_theme=by_theme
        )
        return self.graph

    def _read_links(self, name: ChannelName) -> None:
        """Read the lines with a link in the best chunks of a channel."""
        best = self.votes.get(name, [])[:LINKING_CHUNKS]
        self._described.read(one.chunk_id for one in best)

    def _fused(
        self,
        names: Sequence[ChannelName],
        weights: Weights,
        facts: Sequence[Candidate] = (),
    ) -> list[Ranked]:
        """Return what some channels named, by the fusion wished for.

        `facts` are those of Hindsight, by their meaning.
        """
        taking = [n for n in names if n in self.votes and weights.get(n)]
        votes = {name: self._under_keys(self.votes[name]) for name in taking}
        if facts and "semantic" in votes:
            votes["semantic"] = among(votes["semantic"], facts)
        rankings: dict[ChannelName, Ranking] = {
            name: [(key, one.score) for key, one in found.items()]
            for name, found in votes.items()
        }
        return placed(fuse(self.question.wish.fusion, rankings, weights), votes)

    def _under_keys(self, candidates: Sequence[Candidate]) -> Votes:
        if self.question.wish.unique == "notes":
            return by_note(candidates, self._pool)
        homes = homes_of(self.votes.get(name, ()) for name in BOTH)
        return by_chunk(candidates, self._pool, homes)

    def _adjusted(self, ranking: list[Ranked]) -> list[Ranked]:
        """Return the ranking after what is added to the best of it."""
        lifts, question = self._lifts(), self.question
        if not any(lifts.values()):
            return ranking
        head, tail = ranking[:ADJUSTED], ranking[ADJUSTED:]
        rows = self._sources.notes.facts([one.note_id for one in head])
        by_heat = lifts.get("hot") or lifts.get("pinned")
        heat = self._sources.heat() if by_heat else {}
        asked = asked_words(question.meaning)
        lifted = []
        for one in head:
            row = rows.get(one.note_id)
            if row is not None:
                fact = fact_of(row, heat.get(one.note_id, COLD))
                made = adjust(fact, asked, lifts, question.today)
                lifted.append(one.with_adjustments(made))
            elif is_fact(one.note_id):
                lifted.append(one)
        return sorted(lifted, key=lambda one: (-one.score, one.key)) + tail

    def _lifts(self) -> Mapping[AdjustmentName, float]:
        """Return the most that each adjustment adds, on the scale of the fusion."""
        lifts, fusion = self._sources.lifts, self.question.wish.fusion
        if fusion in RANKS_ALONE:  # where the best has 1 / 61 a channel
            lifts = {name: lift / (RRF_K + 1) for name, lift in lifts.items()}
        if fusion == "weighted_sum":
            lifts = {**lifts, **self._sources.settled.lifts}
        if self.is_by_days:  # what is newer there is told by the day of a note
            lifts = {**lifts, "recency": 0.0}
        return lifts

    def _lowered(self, ranking: list[Ranked]) -> list[Ranked]:
        """Return a ranking with what superseded notes lose; each by its best score.

        Last of all, so that nothing puts the old above the new again.
        """
        successors = self._sources.successors()
        loss = self._lifts().get("superseded", 0.0)
        if not successors or not loss:
            return ranking
        scores: dict[int, float] = {}
        for one in ranking:
            scores[one.note_id] = max(one.score, scores.get(one.note_id, one.score))
        lost = losses(scores, successors, loss)
        if not lost:
            return ranking
        lowered = [
            one.with_adjustments([lost[one.note_id]]) if one.note_id in lost else one
            for one in ranking
        ]
        return sorted(lowered, key=lambda one: (-one.score, one.key))

    def _reranked(self, ranking: list[Ranked]) -> list[Ranked]:
        """Return the ranking after its best passages were read with the question."""
        best = [one for one in ranking[:CANDIDATES] if one.chunks]
        chunks = [max(one.chunks, key=lambda n: one.shares.get(n, 0.0)) for one in best]
        ids = [one.chunks[name] for one, name in zip(best, chunks, strict=True)]
        texts = {c: row[TEXT] for c, row in self._sources.rows.hit_rows(ids).items()}
        texts |= {} if self.facts is None else self.facts.texts()
        there = [(o, texts[c]) for o, c in zip(best, ids, strict=True) if c in texts]
        read = [one for one, _ in there]
        unread = [one for one in ranking if one not in read]
        done = rerank(
            self.question.meaning,
            read,
            [stretch_of(text, self.asked.places(text)) for _, text in there],
            self._sources.reranker,
            budget_s=self._sources.rerank_budget_s,
            floor=unread[0].score if unread else 0.0,
        )
        self.reranked = done.scored
        if done.failure is not None:
            self.degraded.append(done.failure)
        return sorted([*done.ranking, *unread], key=lambda one: (-one.score, one.key))


BOTH: tuple[ChannelName, ...] = ("lexical", "semantic")
