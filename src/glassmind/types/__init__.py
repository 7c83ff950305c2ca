"""The words everything else is said in: addresses, line spans, digests.

The values of each stage live in a module of their own (`notes`, `files`, `search`),
because defining a dataclass costs about a millisecond and a search must not pay for the
parser's. What a search itself needs is a named tuple: a quarter of that, and importing
`dataclasses` alone would take longer than the search.
"""

from typing import NamedTuple, NewType

NotePath = NewType("NotePath", str)
"""Where a file stands in its vault: relative, `/` between folders, Unicode NFC."""

Digest = NewType("Digest", str)
"""The content hash of a file or passage, in lower-case hex."""


class Span(NamedTuple):
    """The lines a thing stands on: first and last, counted from 1, both included."""

    start: int
    end: int
