"""The hindsight channel: what Hindsight remembers of a question.

A fact is not a row of the index. It has an id below zero, which no note and no passage
has. How much it has to do with the question is measured here, by its words and its
meaning: a memory always answers, and the best it has need not be good.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from glassmind.errors import GlassmindError
from glassmind.model import NotePath, Span
from glassmind.model.search import Candidate, ChannelName, FusionName, HitChunk, memo_of
from glassmind.model.vectors import Embeddable
from glassmind.obsidian.secrets import redacted
from glassmind.search.plan import Channel, HitPlace, Reason, Run

if TYPE_CHECKING:  # nothing of it is needed where nobody is asked
    from glassmind.model.search import RecalledFact
    from glassmind.models.hindsight import Hear

KINDS: Mapping[str, str] = {"world": "world fact"}
"""What we call the kinds of facts; the others as Hindsight does."""

MOST = 5
"""Facts among the hits: half of a list. The server has its best first, and to measure
what one has to do with the question takes a model as long as the question itself."""

SURE = 0.4
"""Cosine of the default model that an answer mostly has. Where no note comes as near, a
fact is not measured by the nearest of them: both may have nothing to do with it."""

WEAK: Mapping[FusionName, float] = {"weighted_rrf": 0.25, "rrf": 0.5}
"""Strength below which a fact has no place where ranks alone count: they see none."""

NOT_SET = "none is asked; set hindsight.url to where one listens"
FILTERED = "its facts pass no filter, so it is not asked"


class HindsightChannel(Channel):
    """Finds what Hindsight remembers; leaves the facts in `run.facts`.

    The weight is explained in docs/hindsight.md.
    """

    name: ChannelName = "hindsight"
    weight = 0.3

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self._hear: Hear | None = None
        self._recalled: dict[int, RecalledFact] = {}

    def begin(self) -> None:
        run, wish, memory = self.run, self.run.wish, self.run.vault.hindsight
        named = wish.channels is not None and self.name in wish.channels
        usual = wish.channels is None and wish.mode == "hybrid" and wish.facts
        if not (named or (usual and run.intent != "backlink")):
            return
        lack = NOT_SET if memory is None else FILTERED if run.words.filters else ""
        if named and lack:
            run.degraded.append(f"{self.name}: {lack}")
        if memory is not None and not lack and run.text.strip():
            self._hear = memory.ask(run.text)

    def candidates(self) -> Iterable[Candidate]:
        """Return facts by how much they have to do with the question, best first.

        The better of two: how much of its words they say, and how near they are beside
        the nearest note, squared, since no two texts have nothing at all in common.
        """
        run = self.run
        if self._hear is None:
            return []
        recalled = (fact._replace(text=redacted(fact.text)) for fact in self._hear())
        recalled_facts = [fact for fact in recalled if self._is_new(fact)]
        facts = {-number: one for number, one in enumerate(recalled_facts[:MOST], 1)}
        cosines = self._cosines(facts)
        least = WEAK.get(run.wish.fusion, 0.0)
        nearest = max(
            [SURE, *(vote.score for vote in run.votes.get("semantic", ())[:1])]
        )
        candidates = []
        for key, fact in facts.items():
            by_meaning = (max(0.0, cosines.get(key, 0.0)) / nearest) ** 2
            strength = min(1.0, max(run.query.coverage(fact.text), by_meaning))
            if strength >= least:
                candidates.append(Candidate(key, key, strength))
                self._recalled[key] = fact
                path, title = NotePath(fact.path), f"Hindsight: {_kind(fact)}"
                run.facts[key] = HitChunk(
                    key, path, title, (), Span(1, 1), 0, "", 0, fact.text, key
                )
                run.fact_cosines.update({key: cosines[key]} if key in cosines else {})
        return sorted(
            candidates, key=lambda candidate: (-candidate.score, -candidate.note_id)
        )

    def _is_new(self, fact: "RecalledFact") -> bool:
        """Whether a fact passes what a query insists on, and is not from this vault."""
        text, words = fact.text.casefold(), self.run.words
        if any(phrase.casefold() not in text for phrase in words.phrases):
            return False
        if any(phrase.casefold() in text for phrase in words.excluded):
            return False
        name = self.run.vault.config.vault.name
        return not (fact.document and memo_of(fact.document, name))

    def _cosines(self, facts: "Mapping[int, RecalledFact]") -> dict[int, float]:
        """Return how near facts are; none where there is no model, or it fails."""
        semantic, vector = self.run.semantic, self.run.vector
        if semantic is None or vector is None or not facts:
            return {}
        parts = [Embeddable("", fact.text) for fact in facts.values()]
        try:
            made = list(semantic.embedder.passages(parts))
        except GlassmindError:  # words tell as well
            return {}
        near = [float((rows @ vector).max()) for rows in made]
        return dict(zip(facts, near, strict=False))

    def reason(self, place: HitPlace) -> Reason:
        fact = self._recalled[place.note_id]
        known = ", ".join(part for part in (_kind(fact), fact.day) if part)
        return Reason(f"remembered by Hindsight ({known})")


def _kind(fact: "RecalledFact") -> str:
    return KINDS.get(fact.kind, fact.kind) or "fact"
