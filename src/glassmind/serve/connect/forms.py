"""What the two kinds of files have in common: a list of servers within a text."""

from collections.abc import Mapping
from typing import Any, Protocol

from glassmind.serve.connect.entries import Entry


class Unfit(Exception):
    """A text is not what its program reads, or cannot be changed by us.

    `line` is 0 when no line is to blame.
    """

    def __init__(self, problem: str, line: int = 0) -> None:
        super().__init__(problem)
        self.problem, self.line = problem, line


class Form(Protocol):
    """How a program writes its list down; an empty text is a list of none."""

    def servers(self, text: str) -> Mapping[str, Any]:
        """Return the entries by name.

        Raises:
            Unfit: the text cannot be read.
        """

    def with_entry(self, text: str, name: str, entry: Entry) -> str:
        """Return the text with an entry in it, and all else as it was.

        Of an entry that is there, the values that differ are changed.

        Raises:
            Unfit: it has to be done by hand.
        """

    def without_entry(self, text: str, name: str) -> str:
        """Return the text without an entry that is there, and all else as it was.

        Raises:
            Unfit: it has to be done by hand.
        """

    def shown(self, name: str, entry: Entry) -> str:
        """Return a whole text that holds an entry alone."""
