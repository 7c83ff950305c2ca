"""Themes as people read them."""

from collections.abc import Iterator

from glassmind.render.style import Style, counted
from glassmind.types.themes import Theme, Themes

SHOWN = 50
"""Members of a single theme that are listed; a terminal's page."""


def themes_as_text(
    found: Themes, style: Style, *, usual: float | None = None, kept: bool = True
) -> str:
    """Return each theme with its summary; of one that was asked for its members too.

    `usual` is the resolution of the settings: another one is named, and how to go back
    where it is `kept` beyond this answer.
    """
    alone = len(found.themes) < found.total or found.total == 1
    lines = [
        line for theme in found.themes for line in _lines(theme, style, alone=alone)
    ]
    if usual is not None and found.resolution != usual:
        lines.append(style.faint(_other(found.resolution, usual, kept=kept)))
    return "".join(f"{line}\n" for line in [*lines, *_told(found, style)])


def _other(resolution: float, usual: float, *, kept: bool) -> str:
    back = "; glassmind graph themes --refresh goes back" if kept else ""
    once = "" if kept else ", for this answer alone"
    return f"at resolution {resolution:g}{once}; the settings say {usual:g}{back}"


def _lines(theme: Theme, style: Style, *, alone: bool) -> Iterator[str]:
    by = f", confirmed by {style.clean(theme.hub)}" if theme.hub else ""
    size = style.faint(f"{counted(theme.size, 'note')}{by}")
    yield f"{theme.id}. {style.strong(theme.label)}  {size}"
    yield f"   {style.clean(theme.summary)}"
    if not alone:
        return
    for member in theme.members[:SHOWN]:
        where = member.title if member.ghost else member.path
        yield f"   {member.influence:6.1%}  {style.clean(where)}"
    if theme.size > SHOWN:
        yield style.faint(f"   and {theme.size - SHOWN:,} more")


def _told(found: Themes, style: Style) -> Iterator[str]:
    if not found.total:
        yield "no themes: three notes that link to each other would be one"
        return
    apart = f", {found.apart:,} in none" if found.apart else ""
    yield style.faint(
        f"{counted(found.total, 'theme')} of {counted(found.notes, 'note')}{apart}; "
        f"modularity {found.modularity:.2f}"
    )
    if found.warning:
        yield found.warning
