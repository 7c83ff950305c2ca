"""An item that is too long for its room, cut at the end of a sentence or a line."""

from collections.abc import Callable

from msgspec import structs

from glassmind.context.page import HEADING
from glassmind.model.context import Item
from glassmind.obsidian.quoted import one_line
from glassmind.obsidian.sentences import sentence_spans

CAREFUL = 0.9
"""Of the characters that would fit by measure: tokens are not evenly long."""

TRIES, NEXT = 4, 0.75
"""How often an item is cut shorter where its beginning takes more tokens than the rest
of it, and to which part of the length before."""

LEAST_CHARS = 36
"""Characters that a task is worth cutting to: half a dozen words say what it is."""


def cut_to(
    item: Item, room: int, line: Callable[[Item], str], count: Callable[[str], int]
) -> Item | None:
    """Return an item whose line takes a room at most, cut where it has to be.

    None where no sentence of it fits.
    """
    cost = count(line(item))
    if cost <= room:
        return item
    said = max(1, count(one_line(item.text)))
    share = (room - (cost - said)) / said
    for _ in range(TRIES):
        cut = shortened(item, share) if share > 0 else None
        if cut is None or count(line(cut)) <= room:
            return cut
        share *= NEXT
    return None


def shortened(item: Item, share: float) -> Item | None:
    """Return an item with so much of its text at most; None where no sentence fits.

    A task is mostly one, and is cut behind a word. What has no sentence so soon, such
    as a list, is cut behind a line.
    """
    most = int(len(item.text) * share * CAREFUL)
    ends = [end for _, end in sentence_spans(item.text[: most + 1]) if end <= most]
    text = item.text[: ends[-1]] if ends else ""
    if not text.strip() and item.kind == "task":
        text = _words(item.text, most)
    if not text.strip():
        text = _lines(item.text, most)
    return structs.replace(item, text=text, trimmed=True) if text.strip() else None


def _words(text: str, most: int) -> str:
    """Return the first words of a text, no link or field cut through; "" for few."""
    cut = text[: most + 1].rpartition(" ")[0]
    if cut.rfind("[") > cut.rfind("]"):
        cut = cut[: cut.rfind("[")].rstrip("[( ")
    return cut if len(cut) >= LEAST_CHARS else ""


def _lines(text: str, most: int) -> str:
    """Return the first lines of a text; a heading is none that they could end with."""
    lines = text[: most + 1].split("\n")[:-1]
    while lines and (not lines[-1].strip() or HEADING.match(lines[-1])):
        lines.pop()
    return "\n".join(lines)
