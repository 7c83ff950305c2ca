"""Editors that are killed, each at another call of the system: a test's child.

As for those who change files, each is a process of its own with a vault of its own,
called by the number of the call that it dies at.
"""

import sys
from pathlib import Path

from applying_harness import ASKING, ApplyingHarness
from changing_harness import EVERY, OLD, changer_of, made
from changing_program import ENOUGH, survived

from glassmind.edit.applying import applied, settle
from glassmind.edit.proposals import approve, undo
from glassmind.edit.vault import EditVault
from glassmind.model.edits import Draft

EVERYTHING = Draft("delete", "everything", tuple(EVERY))


def harness_at(place: Path) -> ApplyingHarness:
    """Return the harness of one vault; what is kept stands beside it."""
    home = place / "home"
    home.mkdir(exist_ok=True)
    return ApplyingHarness(home, changer_of(place / "Notes"))


def act(harness: EditVault, verb: str, identity: str) -> None:
    """Do what is tried."""
    if verb == "apply":
        applied(harness, EVERYTHING, ASKING)
    elif verb == "approve":
        approve(harness, identity)
    elif verb == "undo":
        undo(harness, identity, ASKING)
    else:
        settle(harness)


def prepared(place: Path, verb: str) -> str:
    """Bring a vault to where something can be tried, and return the id it is about."""
    harness = harness_at(place)
    if verb == "approve":
        waits = harness.book.made(EVERYTHING, "proposed", client="test")
        harness.book.keep(waits)
        return waits.id
    if verb == "undo":
        return applied(harness.harness(), EVERYTHING, ASKING).changeset.id
    if verb == "settle":
        survived(lambda: act(harness.harness(), "apply", ""), HALF)
    return ""


def main(root: str, step: int, verb: str) -> None:
    """Kill editors until one is done before its call comes."""
    for meant in range(1, ENOUGH, step):
        place = Path(root) / str(meant)
        made(place / "Notes", OLD)
        identity = prepared(place, verb)
        harness = harness_at(place).harness()
        if survived(lambda: act(harness, verb, identity), meant):  # noqa: B023 - at once
            return
    raise SystemExit("a change takes fewer calls")


HALF = 260
"""A call at which some files are changed and some are not."""

if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
