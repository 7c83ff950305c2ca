"""Where the lines that a receipt is for are read, by what became of them."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from glassmind.errors.context import CitedGone
from glassmind.model import NotePath, Span
from glassmind.model.context import Receipt, Verified
from glassmind.obsidian.receipts import parse_receipt

Verify: TypeAlias = Callable[[Sequence[str]], Sequence[Verified]]
"""Tells what became of the lines that receipts are for; see `Bundles.verify`."""


class CitedPlace(NamedTuple):
    """Lines of a note, and what their reader is to know of them."""

    path: NotePath
    span: Span
    notices: tuple[str, ...] = ()


def cited_place(text: str, receipt: Receipt, verify: Verify) -> CitedPlace:
    """Return where the lines of a receipt stand now, or what stands in their place.

    Raises:
        CitedGone: they are nowhere, or where nothing is read.
    """
    (found,) = verify([text])
    if found.state == "unchanged":
        return CitedPlace(receipt.path, receipt.span)
    if found.state == "changed":
        said = f"{found.note}: this is what stands there now"
        return CitedPlace(receipt.path, receipt.span, (said,))
    now = parse_receipt(found.now) if found.now is not None else None
    if now is None:
        raise CitedGone(text, found.note)
    return CitedPlace(now.path, now.span, (found.note,))
