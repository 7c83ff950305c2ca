"""How warm notes are, and what is pinned, as people read it."""

from collections.abc import Iterator

from glassmind.render.style import Style, counted, shortened
from glassmind.types.memory import ActiveProject, Pins, Temperature, Temperatures


def temperatures_as_text(found: Temperatures, style: Style) -> str:
    """Return a line for each note, with why below it, and the active projects."""
    return "".join(f"{line}\n" for line in _lines(found, style))


def _lines(found: Temperatures, style: Style) -> Iterator[str]:
    if not found.notes:
        yield "nothing is alive: no note was edited, retrieved or pinned lately"
    for note in found.notes:
        yield _note(note, style)
        yield f"      {style.faint('; '.join(note.reasons))}"
    if found.projects:
        named = ", ".join(_project(one, style) for one in found.projects)
        yield f"active projects: {named}"
    if found.waiting:
        many = counted(found.waiting, "capture")
        wait = "waits" if found.waiting == 1 else "wait"
        yield style.faint(f"{many} {wait} in the inbox: glassmind inbox list")
    yield style.faint(f"{found.hot:,} hot, {found.warm:,} warm, {found.cold:,} cold")


def _note(note: Temperature, style: Style) -> str:
    pin = "  (pinned)" if note.pinned else ""
    return f"{note.level:<4}  {note.heat:.2f}  {style.strong(note.path)}{pin}"


def _project(one: ActiveProject, style: Style) -> str:
    many = counted(one.notes, "note")
    return f"{style.clean(one.name)} ({many}, last {one.last})"


def pins_as_text(found: Pins, style: Style) -> str:
    """Return the pinned notes, one a line."""
    gone = [f"{style.clean(path)}  {style.faint('(gone)')}\n" for path in found.gone]
    if not found.paths and not gone:
        return "no note is pinned\n"
    return "".join([*(f"{style.clean(path)}\n" for path in found.paths), *gone])


def pinned_as_text(done: Pins, name: str, style: Style, *, back: bool) -> str:
    """Return what pinning a note, or with `back` letting it go, came to."""
    if done.changed is None:
        said = "was not pinned" if back else "is pinned already"
        return f"{style.clean(shortened(name))} {said}\n"
    said = "unpinned" if back else "pinned"
    return f"{said} {style.strong(done.changed)}\n"
