"""A value as someone wrote it, and where: the stuff of the configuration's layers."""

from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

RANKS = {
    "default": 0,
    "user file": 1,
    "vault file": 2,
    "environment": 3,
    "flag": 4,
}
"""Who wins: the higher number."""


Source: TypeAlias = Literal["user", "trusted vault", "vault"]
"""Who set a value: the user (flags, variables, own file), or a file in the vault."""


class Entry(NamedTuple):
    """One value from one place.

    `base` is the folder relative paths are measured from; `text` says that the value is
    text to be understood (a variable, a flag) and not already typed (a file). A
    `foreign` value comes from a variable of another program, which may mean something
    else by it.
    """

    raw: object
    origin: str
    base: Path
    rank: int
    text: bool = False
    source: Source = "user"
    foreign: bool = False


def nearest(word: str, known: list[str]) -> str:
    """Return a hint such as `; did you mean search.limit?`, or nothing."""
    # Only a misspelt name needs it: 2 ms that a plain start does not pay.
    from difflib import get_close_matches  # noqa: PLC0415

    found = get_close_matches(word, known, n=1)
    return f"; did you mean {found[0]}?" if found else ""
