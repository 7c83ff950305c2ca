"""Notes that should be linked, for one note or for the whole vault.

What could be linked is ranked by signs that cost little. Then the best are looked at on
disk, one by one: whether the name is still in the prose, and how a link would be put
there. What does not hold loses that sign, and its place.
"""

from collections.abc import Iterator, Sequence
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from glassmind.errors import BadLimit
from glassmind.graph.pairs.implicit import unknown
from glassmind.graph.suggest import scoring as rank
from glassmind.graph.suggest.desk import Desk
from glassmind.graph.suggest.facts import Facts
from glassmind.graph.suggest.outlook import Outlook, Pages
from glassmind.graph.suggest.ranking import Ranking
from glassmind.graph.suggest.vault_mentions import Said
from glassmind.graph.suggest.vectors import KeptVectors
from glassmind.model import NotePath
from glassmind.model.suggestions import Suggestions

if TYPE_CHECKING:
    from glassmind.graph.study import Study

MOST = 1_000
"""Suggestions that one answer gives at most, as the other lists of the engine do."""

FEW = 100
"""Up to so many are found among the same pairs, so that one page follows another."""

NO_VECTORS = (
    "nothing is embedded yet, so that notes are compared by their words alone; "
    "glassmind index embeds where a model is chosen"
)


def suggest(
    study: "Study", kept: "KeptRankings", note: NotePath | None, *, limit: int
) -> Suggestions:
    """Return what should be linked, best first, each with the edit that would do it.

    Notes that are linked already, either way, are not suggested, but for a property
    that should lead back. Neither are dismissed pairs, the agent folder or templates.

    Raises:
        BadLimit: so many cannot be given.
    """
    if not 1 <= limit <= MOST:
        raise BadLimit(limit, MOST)
    with study.files() as files:
        desk = Desk(study, Pages(files), kept.vectors)
        if note is None:
            ranking = kept.of_vault(study, desk, FEW if limit <= FEW else MOST)
        else:
            ranking = Ranking(desk.glances_of(note))
        found = ranking.first(desk, note, limit)
    return Suggestions(note, tuple(found), tuple(_unknown(study, note)))


def _unknown(study: "Study", note: NotePath | None) -> Iterator[str]:
    """Yield what was not looked at; one note is compared with all there and then."""
    if not study.mention_rows().width():
        yield NO_VECTORS
    elif note is None:
        yield from unknown(study)
        return
    yield from study.book.now().problems


def outlooks(
    study: "Study", notes: Sequence[NotePath]
) -> Iterator[tuple[Outlook, Sequence[str]]]:
    """Yield how all others look from some notes, and the path of every node.

    What `suggest` ranks by, before anything is looked at on disk.
    """
    with study.files() as files:
        desk, net = Desk(study, Pages(files), KeptVectors()), study.facts().net
        known = (net.node_at(note) for note in notes)
        for outlook in desk.outlooks(
            {node: None for node in known if node is not None}
        ):
            yield outlook, net.paths


class _State(NamedTuple):
    """What the pairs of a vault follow from, but for the notes as they are on disk."""

    facts: Facts
    vectors: str
    words: str | None

    def is_still(self, now: "_State") -> bool:
        return self.facts is now.facts and self[1:] == now[1:]


class KeptRankings:
    """Owns the pairs of the whole vault as they were last ranked, and all vectors.

    They are ranked again once the rows, or a note that was looked at, are others.
    """

    def __init__(self) -> None:
        self._ranking = Lock()
        self._kept: dict[int, tuple[_State, Ranking]] = {}
        self._said = Said()
        self.vectors = KeptVectors()

    def of_vault(self, study: "Study", desk: Desk, most: int) -> Ranking:
        """Return the pairs that the first `most` suggestions are found among."""
        words = study.words()
        level = words.level_with if words is not None else None
        now = _State(desk.facts, study.mention_rows().stamp(), level)
        with self._ranking:
            state, ranking = self._kept.get(most, (None, None))
            if state is None or ranking is None or not state.is_still(now):
                self._kept.clear()  # of another state, all of them
                ranking = None
            elif not desk.pages.are_still(ranking.seen):
                ranking = None
            if ranking is None:
                glances = desk.glances_of_vault(most, self._said)
                ranking = Ranking(glances, least=rank.LEAST_OF_VAULT)
                ranking.seen.update(desk.pages.seen())
                self._kept[most] = now, ranking
            return ranking
