"""The root of every error, and what helps where the system says no."""

from errno import EACCES, EPERM, EROFS
from os import strerror
from typing import NamedTuple

NOT_ALLOWED = frozenset([strerror(EACCES), strerror(EPERM)])
"""What the system says where a user may not look or write."""

NOT_WRITABLE = NOT_ALLOWED | {strerror(EROFS)}


class Disclosed(NamedTuple):
    """Notes that the message of an error names, and those whose text it quotes.

    `of_any` is true if it may quote any note.
    """

    named: tuple[str, ...] = ()
    quoted: tuple[str, ...] = ()
    of_any: bool = False


class GlassmindError(Exception):
    """The root of every error that a user may see; `str()` is the sentence."""

    def discloses(self) -> Disclosed:
        return Disclosed()


def way_in(reason: str, otherwise: str) -> str:
    """Return what helps with a folder that cannot be read, for the system's reason."""
    if reason in NOT_ALLOWED:
        return (
            "its owner has to let you read it (on macOS: System Settings, Privacy & "
            "Security, Files and Folders, for your terminal)"
        )
    return otherwise
