"""How a neighbourhood grew, as people read it."""

from collections.abc import Iterator

from glassmind.render.style import Style
from glassmind.types.timeline import Event, Timeline


def timeline_as_text(found: Timeline, style: Style) -> str:
    """Return a line for each event: its day, what happened, and how we know."""
    return "".join(f"{line}\n" for line in _lines(found, style))


def _lines(found: Timeline, style: Style) -> Iterator[str]:
    yield style.strong(found.path)
    left = found.total - len(found.events)
    if left:
        yield style.faint(f"{left:,} earlier events are left out")
    for event in found.events:
        yield _event(event, style)
    for notice in found.notices:
        yield style.faint(notice)


def _event(event: Event, style: Style) -> str:
    known = f"{event.origin} {event.commit[:8]}".rstrip()
    said = " ".join(event.sentence.split())
    sentence = f": {style.clean(said)}" if said else ""
    detail = style.clean(event.detail)
    return f"{event.day}  {detail}{sentence}{style.faint(f'  ({known})')}"
