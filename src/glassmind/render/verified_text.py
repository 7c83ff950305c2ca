"""What became of cited lines, as people read it."""

from collections.abc import Iterator, Sequence

from glassmind.render.style import Style
from glassmind.types.context import ReceiptState, Verified

WIDTH = max(len(state) for state in ("unchanged", "moved", "changed", "gone"))

STATES: dict[ReceiptState, str] = {
    "unchanged": "ok",
    "moved": "warn",
    "changed": "fail",
    "gone": "fail",
    "unread": "warn",
    "bad": "fail",
}
"""How good a state is, by which it is coloured."""


def verified_as_text(found: Sequence[Verified], style: Style) -> str:
    """Return a line for each receipt: its state, itself, and below what to know."""
    return "".join(f"{line}\n" for one in found for line in _lines(one, style))


def _lines(one: Verified, style: Style) -> Iterator[str]:
    state = style.state(STATES[one.state], one.state)
    blanks = " " * (WIDTH - len(one.state))
    yield f"{state}{blanks}  {_one_line(one.receipt)}"
    indent = " " * (WIDTH + 2)
    if one.state != "unchanged":
        yield f"{indent}{style.faint(_one_line(one.note))}"
    if one.now is not None and one.now != one.receipt:
        yield f"{indent}now {_one_line(one.now)}"


def _one_line(text: str) -> str:
    return " ".join(Style.clean(text).split())
