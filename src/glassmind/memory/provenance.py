"""What a client was given to read before it captured something, in this process.

What an agent writes down may be what a note told it to. So a capture says which notes
its client was given before, and whether one of them is of those that nobody vouches
for; see `writes.untrusted`.
"""

from collections import OrderedDict
from collections.abc import Iterable
from threading import Lock
from typing import NamedTuple

from glassmind.errors import IndexFault
from glassmind.memory.cabinet import Cabinet
from glassmind.model import NotePath

MOST_CLIENTS, MOST_NOTES = 500, 500
"""That are remembered, of each the latest: names of clients are of their own choice."""

MOST_TOLD = 20
"""Notes that a capture names, the latest."""

NAMELESS = ("http", "mcp")
"""Clients that said no name: what they were given may be any client's."""


class Provenance(NamedTuple):
    """Where a capture may come from; `held` says that a person has to look at it."""

    derived_from: tuple[NotePath, ...] = ()
    untrusted: bool = False
    held: bool = False


class Given:
    """The notes that clients of a process were given; for any number of threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._notes: OrderedDict[tuple[str, str], OrderedDict[str, bool]] = (
            OrderedDict()
        )

    def hand(
        self, vault: str, client: str, texts: Iterable[str], named: Iterable[str] = ()
    ) -> None:
        """Remember notes whose text a client was given, and those only named to it."""
        with self._lock:
            known = self._notes.setdefault((vault, client), OrderedDict())
            self._notes.move_to_end((vault, client))
            for path in named:
                known.setdefault(path, False)
            for path in texts:
                known[path] = True
                known.move_to_end(path)
            while len(known) > MOST_NOTES:
                known.popitem(last=False)
            while len(self._notes) > MOST_CLIENTS:
                self._notes.popitem(last=False)

    def to(self, vault: str, client: str) -> dict[str, bool]:
        """Return what a client was given, the latest last, and whether it was text."""
        found: dict[str, bool] = {}
        with self._lock:
            for name in dict.fromkeys((*NAMELESS, client)):
                for path, is_text in self._notes.get((vault, name), {}).items():
                    found[path] = found.pop(path, False) or is_text
        return found


GIVEN = Given()
"""What was given in this process."""


def provenance_of(cabinet: Cabinet, client: str) -> Provenance:
    """Return what a client that captures something was given before."""
    given = GIVEN.to(str(cabinet.root), client)
    texts = tuple(NotePath(path) for path, is_text in given.items() if is_text)
    untrusted = bool(given) and cabinet.untrusted([NotePath(one) for one in given])
    held = untrusted and cabinet.config.writes.approve_after_untrusted
    return Provenance(_known(cabinet, texts[-MOST_TOLD:]), untrusted, held)


def _known(cabinet: Cabinet, paths: Iterable[NotePath]) -> tuple[NotePath, ...]:
    """Return the notes that whoever captures may know of: others read others."""
    try:
        with cabinet.faults():
            return tuple(path for path in paths if cabinet.sure(path) == path)
    except IndexFault:
        return ()
