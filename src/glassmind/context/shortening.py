"""An item that is too long for its room, cut at the end of a sentence."""

from dataclasses import replace

from glassmind.markdown.sentences import sentence_spans
from glassmind.types.context import Item

CAREFUL = 0.9
"""Of the characters that would fit by measure: tokens are not evenly long."""


LEAST_CHARS = 36
"""Characters that a task is worth cutting to: half a dozen words say what it is."""


def shortened(item: Item, share: float) -> Item | None:
    """Return an item with so much of its text at most; None where no sentence fits.

    A task is mostly one, and is cut behind a word.
    """
    most = int(len(item.text) * share * CAREFUL)
    ends = [end for _, end in sentence_spans(item.text[: most + 1]) if end <= most]
    text = item.text[: ends[-1]] if ends else ""
    if not text.strip() and item.kind == "task":
        text = _words(item.text, most)
    return replace(item, text=text, trimmed=True) if text.strip() else None


def _words(text: str, most: int) -> str:
    """Return the first words of a text, no link or field cut through; "" for few."""
    cut = text[: most + 1].rpartition(" ")[0]
    if cut.rfind("[") > cut.rfind("]"):
        cut = cut[: cut.rfind("[")].rstrip("[( ")
    return cut if len(cut) >= LEAST_CHARS else ""
