"""The vault as one question for suggestions sees it: glances, looks, suggestions."""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from glassmind.graph.suggest import scoring as rank
from glassmind.graph.suggest.answers import answer_suggested, answers_about
from glassmind.graph.suggest.commons import Commons
from glassmind.graph.suggest.edits import (
    KeptPlaces,
    Page,
    edit_for_mention,
    edit_for_relation,
)
from glassmind.graph.suggest.mentions import Spot, mentions_in
from glassmind.graph.suggest.outlook import (
    Outlook,
    Pages,
    Places,
    Sources,
    outlook_of,
    words_in,
)
from glassmind.graph.suggest.reciprocal import Missing
from glassmind.graph.suggest.signs import UNKNOWN, similarities, worded_in
from glassmind.graph.suggest.vault_mentions import Said, likely_mentions
from glassmind.graph.suggest.vectors import KeptVectors
from glassmind.links.walks import common
from glassmind.model import NotePath
from glassmind.model.suggestions import (
    Mention,
    ProposedEdit,
    Sign,
    SignName,
    Suggestion,
    suggestion_key,
)

if TYPE_CHECKING:
    from glassmind.graph.study import Study

MOST_SHARED = 5
"""Notes and tags that two have in common, and others of a name, that are shown."""

LOOKED_AT = 3
"""Pairs of a whole vault that are looked at for each that is wanted: about one in three
names stands in code or in a link."""

AT_A_TIME = 256
"""Notes whose similarities to all others are held at once: 20 MB of 10,000 notes."""


class Glance(NamedTuple):
    """A pair as it seems from one of its notes, and where that names the other.

    `alone` says that it may be suggested though neither names the other, `paired` that
    it is, however little else speaks for it: the two are alike enough to be told so.
    """

    score: float
    node: int
    other: int
    strengths: Mapping[SignName, float]
    cosine: float
    spot: Spot | None
    alone: bool
    paired: bool


class Look(NamedTuple):
    """A pair that was looked at: its signs, and where the other names this note."""

    glance: Glance
    score: float
    signs: tuple[Sign, ...]
    back: Spot | None

    @property
    def is_worth(self) -> bool:
        """Whether one note names the other, or need not."""
        return self.glance.alone or (self.glance.spot or self.back) is not None


class Desk:
    """The vault as one call sees it: what was read and found is kept till its end."""

    def __init__(self, study: "Study", pages: Pages, vectors: KeptVectors) -> None:
        self._study, self.pages, self._vectors = study, pages, vectors
        self.facts = study.facts()
        self._pen = self.facts.pen
        self._dismissed = study.book.now()
        self._spots: dict[int, Mapping[int, Spot]] = {}
        self._places = KeptPlaces()
        self._is_common = Commons(study.mention_rows(), study.words())

    def outlooks(
        self, wanted: Mapping[int, Collection[int] | None]
    ) -> Iterator[Outlook]:
        """Yield how others look from some notes: all of them, or those wanted.

        All vectors are gone through once for some hundreds of notes.
        """
        rows = self._study.mention_rows()
        places = Places(self.facts.net, self._study.words())
        sources = Sources(self.facts, rows, places, self._is_common)
        order = iter(sorted(wanted))
        while nodes := list(islice(order, AT_A_TIME)):
            known = self._vectors.of(rows)
            for node, cosines in similarities(self.facts, nodes, known).items():
                page = self._page(node)
                yield outlook_of(sources, node, page, cosines, wanted[node])

    def glances_of(self, note: NotePath) -> Iterator[Glance]:
        """Yield a note with each that may be suggested for it."""
        node = self.facts.net.node_at(note)
        if node is not None:
            for outlook in self.outlooks({node: None}):
                paired = self._paired_with(note)
                worth = outlook.scores >= rank.LEAST
                worth[list(paired)] |= outlook.open_[list(paired)]
                for at in np.flatnonzero(worth).tolist():
                    alone = not self._are_days(node, at)
                    yield _glance(outlook, at, alone=alone, paired=at in paired)

    def glances_of_vault(self, limit: int, said: Said) -> Iterator[Glance]:
        """Yield the pairs of a whole vault that are worth a closer look.

        As many that a name speaks for as are alike; `said` is what passages hold. What
        is not alike has to be named: in a whole vault some words are shared by chance.
        """
        most = LOOKED_AT * limit
        likely = likely_mentions(self.facts, self._study.mention_rows(), most, said)
        pairs = self._alike()
        few = {frozenset(pair): pair for pair in pairs[:most]}
        for _, node, other in likely:
            few.pop(frozenset((node, other)), None)
        wanted: dict[int, dict[int, None]] = {}
        for _, node, other in likely:
            wanted.setdefault(node, {})[other] = None
        for node, other in map(self._seen_from, few.values()):
            wanted.setdefault(node, {})[other] = None
        known = {frozenset(pair) for pair in pairs}
        for outlook in self.outlooks(wanted):
            for other in wanted[outlook.node]:
                alike = frozenset((outlook.node, other)) in known
                paired = alike and bool(outlook.open_[other])
                yield _glance(outlook, other, alone=alike, paired=paired)

    def _alike(self) -> list[tuple[int, int]]:
        """Return the pairs of similar notes, the most similar first."""
        node_at, found = self.facts.net.node_at, []
        for pair in self._study.pairs().pairs():
            one, other = node_at(pair.path), node_at(pair.other_path)
            if one is not None and other is not None and not self._are_days(one, other):
                found.append((one, other))
        return found

    def _paired_with(self, note: NotePath) -> set[int]:
        """Return the notes that one is alike enough to be told so."""
        found = (
            self.facts.net.node_at(pair.other_path)
            for pair in self._study.pairs().of_note(note)
        )
        return {node for node in found if node is not None}

    def _seen_from(self, pair: tuple[int, int]) -> tuple[int, int]:
        """Return a pair with the note first that is read, where only one is."""
        barred = self.pages.is_barred(self.facts.net.paths[pair[0]])
        return pair[::-1] if barred else pair

    def _are_days(self, node: int, other: int) -> bool:
        return bool(self.facts.days[node] and self.facts.days[other])

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
        if strengths["worded"] and (page := self._page(glance.other)) is not None:
            said = words_in(page.note)
            strengths["worded"] = min(
                strengths["worded"], worded_in(self.facts, glance.node, said)
            )
        signs = rank.shares(strengths)
        return Look(glance, fsum(sign.share for sign in signs), signs, back)

    def _page(self, node: int) -> Page | None:
        return self.pages.at(self.facts.net.paths[node])

    def _spots_in(self, node: int) -> Mapping[int, Spot]:
        """Return the names in the prose of a note, by note id."""
        if node not in self._spots:
            page = self._page(node)
            table, is_common = self.facts.ground.table, self._is_common
            found = mentions_in(page.note, table, is_common) if page else {}
            self._spots[node] = found
        return self._spots[node]

    def suggested(self, look: Look) -> Suggestion:
        """Return a pair as a suggestion, with the edit its best reason asks for."""
        net, glance = self.facts.net, look.glance
        node, other, cosine = glance.node, glance.other, glance.cosine
        spot, signs = glance.spot or look.back, look.signs
        barred = self.pages.is_barred(net.paths[node])
        if glance.spot is None and (look.back or barred):
            node, other = other, node
            signs = rank.from_the_other(signs)
        source, target = NotePath(net.paths[node]), NotePath(net.paths[other])
        mention = None if spot is None else self._mention(spot, other)
        tags = self.facts.ground.tags
        own, theirs = (tags.get(int(net.ids[n]), frozenset()) for n in (node, other))
        return Suggestion(
            key=suggestion_key(source, target),
            kind=rank.kind_of(signs) if mention is None else "mention",
            source=source,
            source_title=net.titles[node],
            target=target,
            target_title=net.titles[other],
            score=look.score,
            reason=rank.reason_for(signs, mention, cosine),
            signs=signs,
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
            return edit_for_relation(page, target, self._pen, self._places)
        return edit_for_mention(page, mention, target, self._pen)

    def _mention(self, spot: Spot, meant: int) -> Mention:
        net = self.facts.net
        nodes = (net.node_of(note) for note in spot.notes)
        others = sorted(node for node in nodes if node not in {None, meant})
        namesakes = tuple(NotePath(net.paths[node]) for node in others[:MOST_SHARED])
        return Mention(
            spot.text, spot.line, (spot.start, spot.end), spot.sentence, namesakes
        )

    def _shared_notes(self, node: int, other: int) -> tuple[NotePath, ...]:
        """Return notes linked with both, those with the fewest links first."""
        net = self.facts.net
        shared = common(net, node, other).tolist()
        order = sorted(shared, key=lambda one: (len(net.around(one)), one))
        return tuple(NotePath(net.paths[n]) for n in order[:MOST_SHARED])


def _glance(outlook: Outlook, other: int, *, alone: bool, paired: bool) -> Glance:
    return Glance(
        float(outlook.scores[other]),
        outlook.node,
        other,
        outlook.strengths(other),
        float(outlook.cosines[other]),
        outlook.spots.get(other),
        alone,
        paired,
    )
