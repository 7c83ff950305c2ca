"""Dismissing for good, and taking that back."""

from typing import TYPE_CHECKING

from glassmind.errors import BadWish
from glassmind.types.pairs import Dismissed, DismissedFinding, DismissedPair

if TYPE_CHECKING:
    from glassmind.knowledge.study import Study

DISMISSED, RESTORED = "dismissed", "dismissal taken back"
"""Why a line was written, for the record."""


def dismiss_pair(study: "Study", a: str, b: str) -> Dismissed:
    """Dismiss two notes by their names.

    Raises:
        BadWish: both names mean one note.
    """
    return study.book.add(_named(study, a, b), why=DISMISSED)


def restore_pair(study: "Study", a: str, b: str) -> Dismissed:
    """Take the dismissal of two notes back; raises as `dismiss_pair`."""
    return study.book.drop(_named(study, a, b), why=RESTORED)


def dismiss_finding(study: "Study", check: str, subject: str) -> Dismissed:
    """Dismiss what a check of vault health found.

    Raises:
        BadWish: the check or what it is about is not named.
    """
    return study.book.add(_finding(check, subject), why=DISMISSED)


def restore_finding(study: "Study", check: str, subject: str) -> Dismissed:
    """Take the dismissal of a finding back; raises as `dismiss_finding`."""
    return study.book.drop(_finding(check, subject), why=RESTORED)


def _named(study: "Study", a: str, b: str) -> DismissedPair:
    one, other = study.find(a), study.find(b)
    if one == other:
        raise BadWish("a pair", f"of {one} and itself", "of two notes")
    return study.book.pair(one, other)


def _finding(check: str, subject: str) -> DismissedFinding:
    if not check.strip() or not subject.strip():
        raise BadWish("a finding", f"{check!r} {subject!r}", "a check and its subject")
    return DismissedFinding(check.strip(), subject.strip())
