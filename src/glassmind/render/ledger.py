"""What clients were given to read, as programs read it."""

from collections.abc import Sequence
from typing import Any

from glassmind.types.ledger import Passage, Reading, Sum, SumBy

OTHERS: dict[SumBy, str] = {"client": "notes", "note": "clients"}
"""What is counted beside the answers."""


def readings_as_json(readings: Sequence[Reading], *, more: bool) -> dict[str, Any]:
    """Return answers, the newest first; `more` tells that there are older ones."""
    return {"readings": [_reading(one) for one in readings], "more": more}


def _reading(one: Reading) -> dict[str, Any]:
    return {
        "at": one.at.isoformat(),
        "client": one.client,
        "surface": one.surface,
        "verb": one.verb,
        "passages": [_passage(passage) for passage in one.passages],
        "named": list(one.named),
        "more_named": one.more_named,
    }


def _passage(one: Passage) -> dict[str, Any]:
    lines = [one.first, one.last] if one.first else None
    return {"path": one.path, "lines": lines}


def sums_as_json(sums: Sequence[Sum], by: SumBy, *, total: int) -> dict[str, Any]:
    """Return sums, those with most answers first, of so many in all."""
    return {
        "by": by,
        "sums": [
            {
                by: one.of,
                "answers": one.answers,
                "named": one.named,
                OTHERS[by]: one.others,
                "last": one.last.isoformat(),
            }
            for one in sums
        ],
        "total": total,
    }
