"""The vault as one question for suggestions sees it: glances, looks, suggestions."""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from glassmind.knowledge.suggest import scoring as rank
from glassmind.knowledge.suggest.answers import answer_suggested, answers_about
from glassmind.knowledge.suggest.commons import Commons
from glassmind.knowledge.suggest.edits import Pen, edit_for_mention, edit_for_relation
from glassmind.knowledge.suggest.mentions import Spot, mentions_in
from glassmind.knowledge.suggest.outlook import (
    Outlook,
    Pages,
    Places,
    Sources,
    outlook_of,
)
from glassmind.knowledge.suggest.reciprocal import Missing
from glassmind.knowledge.suggest.signs import UNKNOWN, similarities
from glassmind.knowledge.suggest.vault_mentions import Said, likely_mentions
from glassmind.types import NotePath
from glassmind.types.suggestions import (
    Mention,
    ProposedEdit,
    Sign,
    SignName,
    Suggestion,
)

if TYPE_CHECKING:
    from glassmind.knowledge.study import Study

MOST_SHARED = 5
"""Notes and tags that two have in common, and others of a name, that are shown."""

LOOKED_AT = 3
"""Pairs of a whole vault that are looked at for each that is wanted: about one in three
names stands in code or in a link."""

AT_A_TIME = 256
"""Notes whose similarities to all others are held at once: 20 MB of 10,000 notes."""


class Glance(NamedTuple):
    """A pair as it seems from one of its notes, and where that names the other."""

    score: float
    node: int
    other: int
    strengths: Mapping[SignName, float]
    cosine: float
    spot: Spot | None


class Look(NamedTuple):
    """A pair that was looked at: its signs, and where the other names this note."""

    glance: Glance
    score: float
    signs: tuple[Sign, ...]
    back: Spot | None


class Desk:
    """The vault as one call sees it: what was read and found is kept till its end."""

    def __init__(self, study: "Study", pages: Pages) -> None:
        self._study, self.pages = study, pages
        self.facts = study.facts()
        self._pen = Pen(self.facts.ground.files, self.facts.markdown)
        self._dismissed = study.book.now()
        self._spots: dict[int, Mapping[int, Spot]] = {}
        self._is_common = Commons(study.mention_rows(), study.words())

    def outlooks(
        self, wanted: Mapping[int, Collection[int] | None]
    ) -> Iterator[Outlook]:
        """Yield how others look from some notes: all of them, or those wanted.

        All vectors are read once for some hundreds of notes.
        """
        rows, net = self._study.mention_rows(), self.facts.net
        places = Places(net, self._study.words())
        sources = Sources(self.facts, rows, places, self._is_common)
        order = iter(sorted(wanted))
        while nodes := list(islice(order, AT_A_TIME)):
            for node, cosines in similarities(self.facts, nodes, rows).items():
                page = self.pages.at(net.paths[node])
                yield outlook_of(sources, node, page, cosines, wanted[node])

    def glances_of(self, note: NotePath) -> Iterator[Glance]:
        """Yield a note with each that may be suggested for it."""
        node = self.facts.net.node_at(note)
        if node is not None:
            for outlook in self.outlooks({node: None}):
                for at in np.flatnonzero(outlook.scores >= rank.LEAST):
                    yield _glance(outlook, int(at))

    def glances_of_vault(self, limit: int, said: Said) -> Iterator[Glance]:
        """Yield the pairs of a whole vault that are worth a closer look.

        As many that a name speaks for as are alike; `said` is what passages hold.
        """
        wanted: dict[int, dict[int, None]] = {}
        for node, other in self._pairs_of_vault(LOOKED_AT * limit, said):
            wanted.setdefault(node, {})[other] = None
        for outlook in self.outlooks(wanted):
            for other in wanted[outlook.node]:
                yield _glance(outlook, other)

    def _pairs_of_vault(self, most: int, said: Said) -> list[tuple[int, int]]:
        net, rows = self.facts.net, self._study.mention_rows()
        likely = likely_mentions(self.facts, rows, most, said)
        named = [(a, b) for _, a, b in likely]
        alike = []
        for pair in self._study.pairs().pairs()[: LOOKED_AT * most]:
            ends = net.node_at(pair.path), net.node_at(pair.other_path)
            if ends[0] is not None and ends[1] is not None:
                alike.append((ends[0], ends[1]))
        seen = {frozenset(pair) for pair in named}
        return named + [p for p in alike[:most] if frozenset(p) not in seen]

    def is_dismissed(self, node: int, other: int) -> bool:
        """Whether a person wants to hear no more of a pair."""
        one, two = self.facts.net.paths[node], self.facts.net.paths[other]
        return self._dismissed.has_pair(NotePath(one), NotePath(two))

    def missing(self, note: NotePath | None) -> list[Missing]:
        """Return the properties that should lead back, the surest first."""
        return answers_about(self.facts, note, self._dismissed.has_pair)

    def answer(self, missing: Missing) -> Suggestion | None:
        """Return a property that should lead back; None where a note is gone."""
        return answer_suggested(missing, self.facts, self.pages, self._pen)

    def look(self, glance: Glance) -> Look:
        """Return what speaks for a pair once both notes were looked at."""
        strengths, back = dict(glance.strengths), None
        if strengths["mentioned"]:
            node_id = int(self.facts.net.ids[glance.node])
            back = self._spots_in(glance.other).get(node_id)
            strengths["mentioned"] *= back is not None
        signs = rank.shares(strengths)
        return Look(glance, fsum(sign.share for sign in signs), signs, back)

    def _spots_in(self, node: int) -> Mapping[int, Spot]:
        """Return the names in the prose of a note, by note id."""
        if node not in self._spots:
            page = self.pages.at(self.facts.net.paths[node])
            table, is_common = self.facts.ground.table, self._is_common
            found = mentions_in(page.note, table, is_common) if page else {}
            self._spots[node] = found
        return self._spots[node]

    def suggested(self, look: Look) -> Suggestion:
        """Return a pair as a suggestion, with the edit its best reason asks for."""
        net, glance = self.facts.net, look.glance
        node, other, cosine = glance.node, glance.other, glance.cosine
        spot = glance.spot or look.back
        if glance.spot is None and look.back is not None:
            node, other = other, node
        source, target = NotePath(net.paths[node]), NotePath(net.paths[other])
        mention = None if spot is None else self._mention(spot, other)
        tags = self.facts.ground.tags
        own, theirs = (tags.get(int(net.ids[n]), frozenset()) for n in (node, other))
        return Suggestion(
            kind=rank.kind_of(look.signs) if mention is None else "mention",
            source=source,
            source_title=net.titles[node],
            target=target,
            target_title=net.titles[other],
            score=look.score,
            reason=rank.reason_for(look.signs, mention, cosine),
            signs=look.signs,
            mention=mention,
            similarity=None if cosine == UNKNOWN else cosine,
            shared_notes=self._shared_notes(node, other),
            shared_tags=tuple(sorted(own & theirs))[:MOST_SHARED],
            edit=self._edit(source, target, mention),
        )

    def _edit(
        self, source: NotePath, target: NotePath, mention: Mention | None
    ) -> ProposedEdit | None:
        page = self.pages.at(source)
        if page is None:
            return None
        if mention is None:
            return edit_for_relation(page, target, self._pen)
        return edit_for_mention(page, mention, target, self._pen)

    def _mention(self, spot: Spot, meant: int) -> Mention:
        net = self.facts.net
        nodes = (net.node_of(note) for note in spot.notes)
        others = sorted(node for node in nodes if node not in {None, meant})
        namesakes = tuple(NotePath(net.paths[node]) for node in others[:MOST_SHARED])
        return Mention(
            spot.text, spot.line, spot.start, spot.end, spot.sentence, namesakes
        )

    def _shared_notes(self, node: int, other: int) -> tuple[NotePath, ...]:
        """Return notes linked with both, those with the fewest links first."""
        view = self.facts.net.both_view
        shared = np.intersect1d(view.of(node), view.of(other))
        degrees = np.diff(view.starts)
        order = sorted(shared.tolist(), key=lambda one: (int(degrees[one]), one))
        return tuple(NotePath(self.facts.net.paths[n]) for n in order[:MOST_SHARED])


def _glance(outlook: Outlook, other: int) -> Glance:
    return Glance(
        float(outlook.scores[other]),
        outlook.node,
        other,
        outlook.strengths(other),
        float(outlook.cosines[other]),
        outlook.spots.get(other),
    )
