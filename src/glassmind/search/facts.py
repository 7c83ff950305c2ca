"""What Hindsight remembers of a question, among what the vault says.

A fact is no row of the index. It goes by an id below zero, which no note and no passage
has, and is known by that wherever votes become hits. How much it has to do with the
question is told here, by its words and its meaning: a memory always answers, and the
best it has need not be good.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from glassmind.errors import GlassmindError
from glassmind.model.search import Candidate, ChannelName, FusionName
from glassmind.obsidian.secrets import redacted
from glassmind.ports.retrieval import AskedWords
from glassmind.search.channels import Semantic
from glassmind.search.plan import Question
from glassmind.search.ranking import Votes

if TYPE_CHECKING:  # nothing of it is needed where nobody is asked
    from glassmind.model.hindsight import RecalledFact
    from glassmind.ports.hindsight import Hear

KINDS: Mapping[str, str] = {"world": "world fact"}
"""What we call the kinds of facts; the others as Hindsight does."""

MOST = 5
"""Facts among the hits: half of a list. The server has its best first, and to tell what
one has to do with the question takes a model as long as the question itself."""

SURE = 0.4
"""Cosine of the default model that an answer mostly has. Where no note comes as near, a
fact is not measured by the nearest of them: both may have nothing to do with it."""

WEAK: Mapping[FusionName, float] = {"weighted_rrf": 0.25, "rrf": 0.5}
"""Strength below which a fact has no place where ranks alone count: they see none."""

UNASKED = "none is asked; set hindsight.url to where one listens"
FILTERED = "its facts pass no filter, so it is not asked"


def is_fact(note_id: int) -> bool:
    """Whether an id is that of a fact, and of no note or passage."""
    return note_id < 0


def begun(
    question: Question, ask: "Callable[[str], Hear] | None", degraded: list[str]
) -> "Hear | None":
    """Begin to ask for facts, where they are wanted and can be had."""
    wish = question.wish
    named = wish.channels is not None and Facts.name in wish.channels
    usual = wish.channels is None and wish.mode == "hybrid" and wish.facts
    if not (named or (usual and question.intent != "backlink")):
        return None
    lacks = UNASKED if ask is None else FILTERED if question.words.filters else ""
    if named and lacks:
        degraded.append(f"{Facts.name}: {lacks}")
    if lacks or ask is None or not question.meaning.strip():
        return None
    return ask(question.meaning)


class Facts:
    """Finds what Hindsight remembers, and keeps it with how near it is.

    `is_ours` tells a fact that was made of a memo of this vault, which is found itself,
    or was forgotten; `nearest` is the cosine of the nearest note.
    """

    name: ChannelName = "hindsight"

    def __init__(
        self,
        hear: "Hear",
        asked: AskedWords,
        semantic: Semantic | None,
        is_ours: Callable[[str], bool],
        nearest: float = 0.0,
    ) -> None:
        self._hear, self._asked, self._semantic = hear, asked, semantic
        self._is_ours, self._nearest = is_ours, max(nearest, SURE)
        self.found: dict[int, RecalledFact] = {}
        self.cosines: dict[int, float] = {}

    def candidates(self, question: Question) -> list[Candidate]:
        """Return facts by how much they have to do with the question, best first.

        The better of two: how much of its words they say, and how near they are beside
        the nearest note, squared, since no two texts have nothing at all in common.

        Raises:
            HindsightFailed, RemoteRefused: there are none to be had.
        """
        told = map(_without_secrets, self._hear())
        heard = [one for one in told if self._may_stand(one, question)]
        self.found = {-number: one for number, one in enumerate(heard[:MOST], 1)}
        self.cosines = self._near()
        scored = [
            Candidate(key, key, self._strength(key, one.text))
            for key, one in self.found.items()
        ]
        least = WEAK.get(question.wish.fusion, 0.0)
        enough = [one for one in scored if one.score >= least]
        self.found = {one.note_id: self.found[one.note_id] for one in enough}
        return sorted(enough, key=lambda one: (-one.score, -one.note_id))

    def texts(self) -> dict[int, str]:
        """Return what each fact says."""
        return {key: one.text for key, one in self.found.items()}

    def near(self) -> list[Candidate]:
        """Return the facts by their cosines, nearest first."""
        near = {key: one for key, one in self.cosines.items() if key in self.found}
        found = [Candidate(key, key, cosine) for key, cosine in near.items()]
        return sorted(found, key=lambda one: (-one.score, -one.note_id))

    def _may_stand(self, fact: "RecalledFact", question: Question) -> bool:
        """Whether a fact passes what a query insists on, and is news to the vault."""
        text, words = fact.text.casefold(), question.words
        if any(phrase.casefold() not in text for phrase in words.phrases):
            return False
        if any(phrase.casefold() in text for phrase in words.excluded):
            return False
        return not (fact.document and self._is_ours(fact.document))

    def _near(self) -> dict[int, float]:
        if self._semantic is None or not self.found:
            return {}
        try:
            cosines = self._semantic.cosines([one.text for one in self.found.values()])
        except GlassmindError:  # the model fails; words tell as well
            return {}
        return dict(zip(self.found, cosines, strict=False))

    def _strength(self, key: int, text: str) -> float:
        by_meaning = (max(0.0, self.cosines.get(key, 0.0)) / self._nearest) ** 2
        return min(1.0, max(self._asked.coverage(text), by_meaning))


def _without_secrets(fact: "RecalledFact") -> "RecalledFact":
    """Return a fact with nothing in it that has the shape of a credential."""
    return fact._replace(
        text=redacted(fact.text),
        entities=tuple(map(redacted, fact.entities)),
        tags=tuple(map(redacted, fact.tags)),
    )


def among(votes: Votes, facts: Sequence[Candidate]) -> Votes:
    """Return votes by meaning with those of facts, best first.

    The scale stays that of the notes: a fact farther than all of them has no vote, and
    one nearer than all of them the vote of the nearest.
    """
    if not votes:
        return votes
    scores = [one.score for one in votes.values()]
    low, high = min(scores), max(scores)
    taken = {
        one.note_id: one._replace(score=min(one.score, high))
        for one in facts
        if one.score >= low
    }
    every = {**votes, **taken}
    return dict(sorted(every.items(), key=lambda item: -item[1].score))


def kind_said(fact: "RecalledFact") -> str:
    """Return what kind of a fact it is, in words."""
    return KINDS.get(fact.kind, fact.kind) or "fact"


def fact_reason(fact: "RecalledFact") -> str:
    """Say that Hindsight remembers a fact, of which kind, and of when."""
    known = ", ".join(part for part in (kind_said(fact), fact.day) if part)
    return f"remembered by Hindsight ({known})"
