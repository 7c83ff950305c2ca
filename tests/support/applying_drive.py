"""Editors that are killed, each at another call of the system: a test's child.

As for those who change files, each is a process of its own with a vault of its own,
called by the number of the call that it dies at.
"""

import sys
from pathlib import Path

from applying_desk import ASKING, ApplyingDesk
from changing_desk import EVERY, OLD, changer_of, made
from changing_drive import ENOUGH, survived

from glassmind.edit.applying import applied, settle
from glassmind.edit.proposals import approve, undo
from glassmind.edit.vault import EditVault
from glassmind.model.edits import Draft

EVERYTHING = Draft("delete", "everything", tuple(EVERY))


def desk_at(place: Path) -> ApplyingDesk:
    """Return the desk of one vault; what is kept stands beside it."""
    home = place / "home"
    home.mkdir(exist_ok=True)
    return ApplyingDesk(home, changer_of(place / "Notes"))


def act(desk: EditVault, verb: str, identity: str) -> None:
    """Do what is tried."""
    if verb == "apply":
        applied(desk, EVERYTHING, ASKING)
    elif verb == "approve":
        approve(desk, identity)
    elif verb == "undo":
        undo(desk, identity, ASKING)
    else:
        settle(desk)


def prepared(place: Path, verb: str) -> str:
    """Bring a vault to where something can be tried, and return the id it is about."""
    desk = desk_at(place)
    if verb == "approve":
        waits = desk.book.made(EVERYTHING, "proposed", client="test")
        desk.book.keep(waits)
        return waits.id
    if verb == "undo":
        return applied(desk.desk(), EVERYTHING, ASKING).changeset.id
    if verb == "settle":
        survived(lambda: act(desk.desk(), "apply", ""), HALF)
    return ""


def main(root: str, step: int, verb: str) -> None:
    """Kill editors until one is done before its call comes."""
    for meant in range(1, ENOUGH, step):
        place = Path(root) / str(meant)
        made(place / "Notes", OLD)
        identity = prepared(place, verb)
        desk = desk_at(place).desk()
        if survived(lambda: act(desk, verb, identity), meant):  # noqa: B023 - at once
            return
    raise SystemExit("a change takes fewer calls")


HALF = 260
"""A call at which some files are changed and some are not."""

if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
