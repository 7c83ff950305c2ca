"""What became of cited lines, as programs read it."""

from collections.abc import Sequence
from typing import Any

from glassmind.types.context import Verified


def verified_as_json(found: Sequence[Verified]) -> dict[str, Any]:
    """Return each receipt with its state; `now` is null where the text is nowhere."""
    return {"receipts": [_verified(one) for one in found]}


def _verified(one: Verified) -> dict[str, Any]:
    return {
        "receipt": one.receipt,
        "state": one.state,
        "now": one.now,
        "note": one.note,
    }
