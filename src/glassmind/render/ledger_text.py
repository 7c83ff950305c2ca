"""What clients were given to read, as people read it."""

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo

from glassmind.render.ledger import OTHERS
from glassmind.render.style import Style, counted, on_one_line
from glassmind.types.ledger import Passage, Reading, Sum, SumBy

NOTES_SHOWN = 8
"""Notes of one answer on a screen; --json has all of them."""


def readings_as_text(
    readings: Sequence[Reading],
    style: Style,
    *,
    more: bool = False,
    zone: tzinfo | None = None,
) -> str:
    """Return answers, the newest first, under the day and the client; in local time."""
    lines: list[str] = []
    head = ("", "")
    for one in readings:
        at = one.at.astimezone(zone)
        if head != (day := at.strftime("%Y-%m-%d"), one.client):
            head = (day, one.client)
            lines.append(f"{day}  {style.strong(on_one_line(one.client))}")
        way = style.faint(f"({one.surface})")
        verb = style.clean(on_one_line(one.verb))
        lines.append(f"  {at:%H:%M:%S}  {verb} {way}")
        lines += [f"    {said}" for said in _shown(one, style)]
    if more:
        lines.append(style.faint("and older ones; see --limit, --since and --until"))
    return "".join(f"{line}\n" for line in lines)


def _shown(one: Reading, style: Style) -> Iterator[str]:
    places: dict[str, list[Passage]] = {}
    for passage in one.passages:
        places.setdefault(passage.path, []).append(passage)
    for path, passages in list(places.items())[:NOTES_SHOWN]:
        yield style.clean(f"{on_one_line(path)}{_lines_of(passages)}")
    if len(places) > NOTES_SHOWN:
        yield style.faint(f"and {counted(len(places) - NOTES_SHOWN, 'more note')}")
    if one.named:
        first = ", ".join(on_one_line(path) for path in one.named[:NOTES_SHOWN])
        left = len(one.named) - NOTES_SHOWN + one.more_named
        rest = f" and {left:,} more" if left > 0 else ""
        yield style.faint(f"only named: {first}{rest}")


def _lines_of(passages: Sequence[Passage]) -> str:
    told = sorted({(one.first, one.last) for one in passages if one.first})
    if len(told) < len(passages):
        return ""  # some of it has no lines: all of it has to be reckoned with
    spans = (f"{first}-{last}" if first < last else f"{first}" for first, last in told)
    return f":{','.join(spans)}"


def sums_as_text(
    sums: Sequence[Sum],
    by: SumBy,
    style: Style,
    *,
    total: int,
    zone: tzinfo | None = None,
) -> str:
    """Return a line for each client or note, those with most answers first."""
    lines = []
    for one in sums:
        words = ", ".join([*_counts(one, by), f"last {_when(one.last, zone)}"])
        lines.append(f"{style.strong(on_one_line(one.of))}  {words}")
    if total > len(sums):
        lines.append(style.faint(f"and {counted(total - len(sums), f'more {by}')}"))
    return "".join(f"{line}\n" for line in lines)


def _counts(one: Sum, by: SumBy) -> Iterator[str]:
    among = counted(one.others, OTHERS[by].removesuffix("s"))
    if one.answers:
        text = f"{counted(one.answers, 'answer')} with text"
        yield f"{text} of {among}" if by == "client" else f"{text} to {among}"
    if one.named:
        yield f"{one.named:,} that only named {'notes' if by == 'client' else 'it'}"


def _when(at: datetime, zone: tzinfo | None) -> str:
    return at.astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")
