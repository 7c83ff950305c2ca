"""The names of a vault, and behind them some that no file has any more."""

from collections.abc import Iterable

from glassmind.files.resolve import NOTE_SUFFIX, ROOTED, Names, fold, rooted
from glassmind.model import NotePath


class FormerNames(Names):
    """Names that lead where links lead now; those in vain, to paths that are no more.

    A lost link means one of them only if it is written as that very path, or from its
    note leads there: a mere name that is lost too is another matter.
    """

    def __init__(self, now: Names, former: Iterable[NotePath]) -> None:
        super().__init__()
        self._now = now
        self._former = {_key(path): path for path in former}

    def resolve(
        self, target: str, source: NotePath, *, markdown: bool = False
    ) -> NotePath | None:
        """Return where a link leads, or which path that is no more it means."""
        found = self._now.resolve(target, source, markdown=markdown)
        if found is not None:
            return found
        place = rooted(target, source) if target.startswith(ROOTED) else target
        return None if place is None else self._former.get(_key(place))


def _key(place: str) -> str:
    return fold(place.removeprefix("/")).removesuffix(NOTE_SUFFIX)
