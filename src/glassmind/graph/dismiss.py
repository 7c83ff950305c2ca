"""Dismissing for good, and taking that back."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from glassmind.errors import BadWish, NoteNotFound
from glassmind.errors.knowledge import FindingAbsent
from glassmind.errors.writing import WritesOff
from glassmind.model import NotePath
from glassmind.model.health import FindingNow
from glassmind.model.pairs import Dismissed, DismissedFinding, DismissedPair

if TYPE_CHECKING:
    from glassmind.graph.study import Study

DISMISSED, RESTORED = "dismissed", "dismissal taken back"
"""Why a line was written, for the record."""

UNDISMISSED, UNRESTORED = "nothing was dismissed", "no dismissal was taken back"
"""What came of an act while nothing may be written."""


def dismiss_pair(study: "Study", a: str, b: str) -> Dismissed:
    """Dismiss two notes by their names.

    Raises:
        NoteNotFound: no note has one of the names, be it but for a slip.
        BadWish: both names mean one note.
        WritesOff: the settings let nothing be written.
    """
    _check_writes(study, UNDISMISSED)
    return study.book.add(_named(study, a, b), why=DISMISSED)


def restore_pair(study: "Study", a: str, b: str) -> Dismissed:
    """Take the dismissal of two notes back; raises as `dismiss_pair`."""
    _check_writes(study, UNRESTORED)
    return study.book.drop(_named(study, a, b), why=RESTORED)


def dismiss_finding(study: "Study", now: FindingNow) -> Dismissed:
    """Dismiss what a check of vault health finds now.

    Raises:
        FindingAbsent: it does not, and that was not dismissed before.
        WritesOff: the settings let nothing be written.
    """
    _check_writes(study, UNDISMISSED)
    if now.state != "there" and not now.dismissed:
        raise FindingAbsent(now.key, now.reason or "")
    return study.book.add(_finding(study, now.key), why=DISMISSED)


def restore_finding(study: "Study", key: str, keys: Sequence[str]) -> Dismissed:
    """Take the dismissal of a finding back, be it one or not, under all its keys."""
    _check_writes(study, UNRESTORED)
    tried = [study.book.drop(_finding(study, one), why=RESTORED) for one in keys]
    none = study.book.untouched(_finding(study, key))
    return next((one for one in tried if one.changed), none)


def _check_writes(study: "Study", undone: str) -> None:
    writes = study.config.writes
    if not writes.agent_dir_writable:
        raise WritesOff(writes.agent_dir, undone)


def _named(study: "Study", a: str, b: str) -> DismissedPair:
    one, other = _called(study, a), _called(study, b)
    if one == other:
        raise BadWish("a pair", f"of {one} and itself", "of two notes")
    return study.book.pair(one, other)


def _called(study: "Study", name: str) -> NotePath:
    """Return the note of a name; what is written does not stand on a guess."""
    path = study.sure(name)
    if path is None:
        raise NoteNotFound(name, (study.find(name),))
    return path


def _finding(study: "Study", key: str) -> DismissedFinding:
    check, _, subject = key.partition(":")
    return study.book.finding(check, subject)
