"""The words everything else is said in: addresses, line spans, digests.

The values of each stage live in a module of their own (`notes`, `files`, `search`),
because defining a dataclass costs about a millisecond and a search must not pay for the
parser's.
"""

from dataclasses import dataclass
from typing import NewType

NotePath = NewType("NotePath", str)
"""Where a file stands in its vault: relative, `/` between folders, Unicode NFC."""

Digest = NewType("Digest", str)
"""The content hash of a file or passage, in lower-case hex."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The lines a thing stands on: first and last, counted from 1, both included."""

    start: int
    end: int
