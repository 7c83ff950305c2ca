"""What would mend a vault: edits, spellings and names, and what nothing mends."""

from dataclasses import dataclass
from typing import NamedTuple

from glassmind.model import NotePath
from glassmind.model.suggestions import ProposedEdit


class LinkEdit(NamedTuple):
    """An edit of one note, and the keys of the findings or suggestions it is for."""

    keys: tuple[str, ...]
    edit: ProposedEdit


class TagSpelling(NamedTuple):
    """A tag that is to be spelled as most notes spell it."""

    key: str
    old: str
    new: str


class FormerName(NamedTuple):
    """A path that links lead to in vain, and the one file that they mean.

    `sources` are the notes with such links. With `shown`, a link goes on to show the
    words that it is written with: the file is not called so, only known by them.
    """

    key: str
    was: NotePath
    now: NotePath
    sources: tuple[NotePath, ...]
    why: str
    shown: bool = False


class Unmended(NamedTuple):
    """What is left as it is, and why; `key` is that of a finding, or of a check."""

    key: str
    why: str


@dataclass(frozen=True, slots=True)
class Repairs:
    """What would mend findings, or make the links that are suggested; a proposal."""

    edits: tuple[LinkEdit, ...] = ()
    tags: tuple[TagSpelling, ...] = ()
    names: tuple[FormerName, ...] = ()
    unmended: tuple[Unmended, ...] = ()
    notices: tuple[str, ...] = ()
