"""Notes that should be linked, for one note or for the whole vault.

What could be linked is ranked by signs that cost little. Then the best are looked at on
disk, one by one: whether the name is still in the prose, and how a link would be put
there. What does not hold loses that sign, and its place.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from glassmind.errors import BadLimit
from glassmind.knowledge.suggest import scoring as rank
from glassmind.knowledge.suggest.answers import answer_suggested, answers_about
from glassmind.knowledge.suggest.edits import Pen, edit_for_mention, edit_for_relation
from glassmind.knowledge.suggest.mentions import Spot, mentions_in
from glassmind.knowledge.suggest.outlook import Outlook, Pages, Sources, outlook_of
from glassmind.knowledge.suggest.signs import UNKNOWN, similarities
from glassmind.knowledge.suggest.vault_mentions import likely_mentions
from glassmind.types import NotePath
from glassmind.types.suggestions import (
    Mention,
    ProposedEdit,
    Sign,
    Suggestion,
    Suggestions,
)
from glassmind.vault.read import VaultFiles

if TYPE_CHECKING:
    from glassmind.knowledge.study import Study

MOST = 1_000
"""Suggestions that one answer gives at most, as the other lists of the engine do."""

MOST_SHARED = 5
"""Notes and tags that two have in common and that are shown."""

LOOKED_AT = 3
"""Pairs of a whole vault that are looked at for each that is wanted: about one in three
names stands in code or in a link."""

ROUNDING = 1e-9
"""What two ways to add the same shares may differ by."""

NO_VECTORS = (
    "nothing is embedded yet, so that similar notes are not looked for; "
    "glassmind index does that where a model is chosen"
)


def suggest(study: "Study", note: NotePath | None, *, limit: int) -> Suggestions:
    """Return what should be linked, best first, each with the edit that would do it.

    Notes that are linked already, either way, are not suggested, but for a property
    that should lead back. Neither are dismissed pairs, the agent folder or templates.

    Raises:
        BadLimit: so many cannot be given.
    """
    if not 1 <= limit <= MOST:
        raise BadLimit(limit, MOST)
    with VaultFiles(study.config.vault.path) as files:
        desk = _Desk(study, Pages(files))
        pairs = desk.pairs_of(note) if note else desk.pairs_of_vault(limit)
        found = desk.best(pairs, limit) + desk.answers(note, limit)
    found.sort(key=lambda one: (-one.score, one.source, one.target))
    notices = () if study.mention_rows().width() else (NO_VECTORS,)
    return Suggestions(note, tuple(found[:limit]), notices)


def outlooks(
    study: "Study", notes: Sequence[NotePath]
) -> Iterator[tuple[Outlook, Sequence[str]]]:
    """Yield how all others look from some notes, and the path of every node.

    What `suggest` ranks by, before anything is looked at on disk.
    """
    with VaultFiles(study.config.vault.path) as files:
        desk = _Desk(study, Pages(files))
        for note in notes:
            desk.pairs_of(note)
        for outlook in desk.seen():
            yield outlook, study.facts().net.paths


class _Desk:
    """The vault as one call sees it: what was read and found is kept till its end."""

    def __init__(self, study: "Study", pages: Pages) -> None:
        self._study, self._pages = study, pages
        self._facts = study.facts()
        self._pen = Pen(self._facts.ground.files, self._facts.markdown)
        self._dismissed = study.book.now()
        self._outlooks: dict[int, Outlook] = {}
        self._spots: dict[int, Mapping[int, Spot]] = {}

    def look_out(self, nodes: Iterable[int]) -> None:
        """See how the others look from some notes; all vectors are read once for it."""
        rows = self._study.mention_rows()
        sources = Sources(self._facts, rows, self._study.words())
        wanted = sorted(set(nodes))
        for node, cosines in similarities(self._facts, wanted, rows).items():
            page = self._pages.at(self._facts.net.paths[node])
            self._outlooks[node] = outlook_of(sources, node, page, cosines)

    def seen(self) -> Sequence[Outlook]:
        """Return every outlook there is so far."""
        return tuple(self._outlooks.values())

    def pairs_of(self, note: NotePath) -> list[tuple[int, int]]:
        """Return a note with each that may be suggested for it."""
        node = self._facts.net.node_at(note)
        if node is None:
            return []
        self.look_out([node])
        scores = self._outlooks[node].scores
        return [(node, int(at)) for at in np.flatnonzero(scores >= rank.LEAST)]

    def pairs_of_vault(self, limit: int) -> list[tuple[int, int]]:
        """Return the pairs of a whole vault that are worth a closer look.

        By turns those that a name speaks for and those that are alike.
        """
        most, net = LOOKED_AT * limit, self._facts.net
        rows = self._study.mention_rows()
        named = [(a, b) for _, a, b in likely_mentions(self._facts, rows, most)]
        alike = []
        for pair in self._study.pairs().pairs()[: LOOKED_AT * most]:
            ends = net.node_at(pair.path), net.node_at(pair.other_path)
            if ends[0] is not None and ends[1] is not None:
                alike.append((ends[0], ends[1]))
        seen = {frozenset(pair) for pair in named}
        found = named + [p for p in alike[:most] if frozenset(p) not in seen]
        self.look_out(a for a, _ in found)
        return found

    def best(self, pairs: Iterable[tuple[int, int]], limit: int) -> list[Suggestion]:
        """Return the best of some pairs as suggestions, each looked at on disk."""
        heap = [(-float(self._outlooks[a].scores[b]), a, b) for a, b in pairs]
        heapify(heap)
        found: list[Suggestion] = []
        seen: set[frozenset[int]] = set()
        while heap and len(found) < limit and -heap[0][0] >= rank.LEAST:
            below, node, other = heappop(heap)
            if frozenset((node, other)) in seen or self._is_dismissed(node, other):
                continue
            look = self._look(node, other)
            score = fsum(sign.share for sign in look.signs)
            if score < -below - ROUNDING:  # a name was not where it seemed to stand
                heappush(heap, (-score, node, other))
                continue
            seen.add(frozenset((node, other)))
            found.append(self._suggested(look, score))
        return found

    def answers(self, note: NotePath | None, limit: int) -> list[Suggestion]:
        """Return the properties that should lead back, the surest first."""
        dismissed = self._dismissed.has_pair
        wanted = answers_about(self._facts, note, dismissed)[:limit]
        made = (
            answer_suggested(m, self._facts, self._pages, self._pen) for m in wanted
        )
        return [one for one in made if one is not None]

    def _is_dismissed(self, node: int, other: int) -> bool:
        one, two = self._facts.net.paths[node], self._facts.net.paths[other]
        return self._dismissed.has_pair(NotePath(one), NotePath(two))

    def _look(self, node: int, other: int) -> "_Look":
        """Return what speaks for a pair once both notes were looked at."""
        outlook = self._outlooks[node]
        strengths = outlook.strengths(other)
        back = None
        if strengths["mentioned"]:
            back = self._spots_in(other).get(int(self._facts.net.ids[node]))
            strengths["mentioned"] *= back is not None
        return _Look(outlook, other, rank.shares(strengths), back)

    def _spots_in(self, node: int) -> Mapping[int, Spot]:
        """Return the names in the prose of a note, by note id."""
        if node not in self._spots:
            page = self._pages.at(self._facts.net.paths[node])
            table = self._facts.ground.table
            self._spots[node] = mentions_in(page.note, table) if page else {}
        return self._spots[node]

    def _suggested(self, look: "_Look", score: float) -> Suggestion:
        """Return a pair as a suggestion, with the edit its best reason asks for."""
        net, node, other = self._facts.net, look.outlook.node, look.other
        spot = look.outlook.spots.get(other) or look.back
        if other not in look.outlook.spots and look.back is not None:
            node, other = other, node
        source, target = NotePath(net.paths[node]), NotePath(net.paths[other])
        mention = None if spot is None else self._mention(spot, other)
        cosine = float(look.outlook.cosines[look.other])
        tags = self._facts.ground.tags
        own, theirs = (tags.get(int(net.ids[n]), frozenset()) for n in (node, other))
        return Suggestion(
            kind=rank.kind_of(look.signs) if mention is None else "mention",
            source=source,
            source_title=net.titles[node],
            target=target,
            target_title=net.titles[other],
            score=score,
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
        page = self._pages.at(source)
        if page is None:
            return None
        if mention is None:
            return edit_for_relation(page, target, self._pen)
        return edit_for_mention(page, mention, target, self._pen)

    def _mention(self, spot: Spot, meant: int) -> Mention:
        net = self._facts.net
        nodes = (net.node_of(note) for note in spot.notes)
        others = sorted(node for node in nodes if node not in {None, meant})
        namesakes = tuple(NotePath(net.paths[node]) for node in others)
        return Mention(
            spot.text, spot.line, spot.start, spot.end, spot.sentence, namesakes
        )

    def _shared_notes(self, node: int, other: int) -> tuple[NotePath, ...]:
        """Return notes linked with both, those with the fewest links first."""
        view = self._facts.net.both_view
        shared = np.intersect1d(view.of(node), view.of(other))
        degrees = np.diff(view.starts)
        order = sorted(shared.tolist(), key=lambda one: (int(degrees[one]), one))
        return tuple(NotePath(self._facts.net.paths[n]) for n in order[:MOST_SHARED])


class _Look(NamedTuple):
    """A pair that was looked at: its signs, and where the other names this note."""

    outlook: Outlook
    other: int
    signs: tuple[Sign, ...]
    back: Spot | None
