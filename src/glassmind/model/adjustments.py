"""What moves a hit after the channels have voted. A search by words seldom needs any.

Named tuples, for the reason that `types` gives.
"""

from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

AdjustmentName: TypeAlias = Literal[
    "recency", "tag", "path", "title", "hot", "pinned", "superseded", "rerank"
]


class Adjustment(Struct, frozen=True):
    """What was added to a score, or taken from it, after the channels voted."""

    name: AdjustmentName
    share: float
    reason: str


class Successor(NamedTuple):
    """The note that took the place of another: its id, 0 for none we know, and name."""

    note_id: int
    name: str
