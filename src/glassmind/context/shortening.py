"""An item that is too long for its room, cut at the end of a sentence."""

from dataclasses import replace

from glassmind.markdown.sentences import sentence_spans
from glassmind.types.context import Item

CAREFUL = 0.9
"""Of the characters that would fit by measure: tokens are not evenly long."""


def shortened(item: Item, share: float) -> Item | None:
    """Return an item with so much of its text at most; None where no sentence fits."""
    most = int(len(item.text) * share * CAREFUL)
    ends = [end for _, end in sentence_spans(item.text[: most + 1]) if end <= most]
    text = item.text[: ends[-1]] if ends else ""
    return replace(item, text=text, trimmed=True) if text.strip() else None
