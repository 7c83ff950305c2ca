"""The words everything else is said in: addresses, spans, digests, values.

The values of each stage live in a module of their own (`notes`, `files`, `search`),
because defining a dataclass costs about a millisecond and a search must not pay for the
parser's. What a search itself needs is a named tuple: a quarter of that, and importing
`dataclasses` alone would take longer than the search.
"""

from typing import NamedTuple, NewType, TypeAlias

NotePath = NewType("NotePath", str)
"""Where a file stands in its vault: relative, `/` between folders, Unicode NFC."""

Digest = NewType("Digest", str)
"""The content hash of a file or passage, in lower-case hex."""

MAX_NOTE_BYTES = 16 * 1024 * 1024
"""The default of `index.max_note_bytes`: larger notes would only fill the memory."""


PropertyValue: TypeAlias = (
    "str | int | float | bool | list[PropertyValue] | dict[str, PropertyValue] | None"
)
"""What the core schema of YAML 1.2 can say; dates and times stay text."""


class Span(NamedTuple):
    """Lines of a file: first and last, counted from 1, both included."""

    start: int
    end: int
