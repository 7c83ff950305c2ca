"""What the links of a vault say about the notes that they lead to."""

from typing import NamedTuple

from glassmind.model import NotePath


class LinkClue(NamedTuple):
    """A link from one note to another, and the sentence it stands in.

    `title` is that of the target, `written` the name that the link gives it, and
    `shown` what it shows in place of that, if anything.
    """

    source: NotePath
    target: NotePath
    title: str
    written: str
    shown: str
    sentence: str
