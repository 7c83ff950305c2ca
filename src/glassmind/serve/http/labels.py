"""What is said of values with text of notes: that it is data, and what of it is hidden.

A list, which is the shape of another system, has no place for it.
"""

from collections.abc import Collection
from typing import Any

from glassmind.operations.model_text import LABEL_OF_VALUES
from glassmind.render.hidden_text import KINDS, hidden_among
from glassmind.render.texts import texts_in
from glassmind.serve.mcp.flags import FIELD

PLAIN = frozenset(("Health", "OpenApi", "Passages", "StatsResult"))
"""Shapes of answers that are not labelled: counts, and a list."""

LABELS: dict[str, Any] = {
    "properties": {
        "untrusted": {"type": "string", "description": LABEL_OF_VALUES},
        FIELD: {
            "type": "array",
            "items": {"enum": list(KINDS)},
            "description": "Kinds of text that readers of the notes do not see.",
        },
    },
    "required": ["untrusted"],
}
"""What a labelled answer has beside its own."""


def labelled(value: object, texts: Collection[str] | None = None) -> object:
    """Return values below a word that says what they are, and what they hide.

    `texts` are those in them, where a caller has them already.
    """
    if not isinstance(value, dict):
        return value
    kinds = hidden_among(texts_in(value) if texts is None else texts)
    flags = {FIELD: list(kinds)} if kinds else {}
    return {"untrusted": LABEL_OF_VALUES, **flags, **value}
