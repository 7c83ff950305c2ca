"""Saying which notes of a packet are not on the disk as they were indexed.

Only their sizes and times are compared, as a run of indexing does before it reads:
that costs a few microseconds a note, and one that was merely touched counts too.
"""

from collections.abc import Iterable, Sequence

from glassmind.context.shelf import Shelf
from glassmind.errors import VaultMissing
from glassmind.files.behind import Lag, lag_of
from glassmind.model import NotePath
from glassmind.model.context import Bundle
from glassmind.obsidian.quoted import one_line

MOST_LOOKED_AT = 100
"""Notes of one packet that are looked at: more are seldom found."""

NAMED = 5
"""Notes that are named; that others are behind, too, is told by their number."""

ABSENT = "the vault folder is not there: all is told as it was when it was indexed"
BEING_DONE, TO_DO = "that is being taken in now", "run: glassmind index"


class Lookout:
    """Looks at the files of one packet, each once."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._seen: set[NotePath] = set()
        self._lag, self._absent = Lag(), False

    def look(self, paths: Iterable[NotePath]) -> bool:
        """Look at files; return whether more are behind than were before."""
        new = [path for path in dict.fromkeys(paths) if path not in self._seen]
        new = new[: MOST_LOOKED_AT - len(self._seen)]
        if not new or self._absent:
            return False
        self._seen.update(new)
        try:
            found = lag_of(self._shelf.root, self._shelf.traces().known(new))
        except VaultMissing:
            self._absent = True
            return True
        old = self._lag
        self._lag = Lag(old.changed + found.changed, old.gone + found.gone)
        return self._lag != old

    @property
    def changed(self) -> Sequence[NotePath]:
        """Those that are not on the disk as they were indexed."""
        return self._lag.changed

    def notices(self) -> tuple[str, ...]:
        """Return in a sentence what is behind, and what to do; nothing where all is."""
        if self._absent:
            return (ABSENT,)
        changed, gone = self._lag
        if not changed and not gone:
            return ()
        remedy = BEING_DONE if self._shelf.is_followed() else TO_DO
        return (f"{_counted(self._lag)}; {remedy} ({_named(self._lag)})",)


def shown_in(made: Bundle) -> list[NotePath]:
    """Return the notes that a bundle tells anything of, best first."""
    items = (*made.decisions, *made.questions, *made.tasks)
    return [
        *(note.path for note in made.notes),
        *(item.path for item in items),
        *(side.path for one in made.conflicts for side in one.sides),
        *(read.path for read in made.suggested),
    ]


def _counted(lag: Lag) -> str:
    """Return how many notes are behind; what matters stands in the first words."""
    changed, gone = map(len, lag)
    only = changed or gone
    notes, since = f"{only} notes", "since they were indexed"
    if only == 1:
        notes, since = "1 note", "since it was indexed"
    are = "is" if gone == 1 else "are"
    if not changed:
        return f"{notes} {are} gone {since}"
    return f"{notes} changed {since}" + (f", {gone} {are} gone" if gone else "")


def _named(lag: Lag) -> str:
    changed, gone = _quoted(lag.changed), _quoted(lag.gone)
    return f"{changed}; gone: {gone}" if changed and gone else changed or gone


def _quoted(paths: Sequence[NotePath]) -> str:
    """Return the first names; none can end its quotation."""
    shown = [one_line(path).replace('"', "'") for path in paths[:NAMED]]
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return ", ".join(f'"{name}"' for name in shown) + more
