"""What can go wrong between the wish to edit a note and the edit."""

import re
from collections.abc import Sequence

from glassmind.errors import VaultError
from glassmind.errors.base import Disclosed

SAID_CHARS = 60
"""How much is said back of what was asked for: who asked knows it."""

SHOWN_CHARS = 200
"""How much is shown of what stands in a note: mostly all, to be looked for instead."""

_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|.)")


class EditRefused(VaultError):
    """An edit was not made; every file is as it was.

    `place` names the edit in a list of several, such as `edits[2]`.
    """

    def __init__(self, said: str, *, place: str = "") -> None:
        super().__init__(f"{place}: {said}" if place else said)
        self.said, self.place = said, place


class BadEdit(EditRefused):
    """An edit that means nothing: an empty text to look for, a line that is none."""


class HiddenWords(BadEdit):
    """An edit finds or writes what is shown in the place of a credential."""

    def __init__(self, mark: str) -> None:
        super().__init__(
            f"{mark} stands in the place of a credential that is not shown to you, and "
            "is not in the note: find other words, or name the line, and do not write "
            "it; nothing was changed"
        )
        self.mark = mark


class NoMatch(EditRefused):
    """What is looked for does not stand in the note; the nearest are named.

    With a `line`, it does not stand there, although it may elsewhere.
    """

    def __init__(
        self,
        path: str,
        wanted: str,
        nearest: Sequence[tuple[int, str, float]] = (),
        *,
        line: int | None = None,
    ) -> None:
        place = f"in {path}" if line is None else f"on line {line} of {path}"
        super().__init__(_no_match(place, wanted, nearest))
        self.path, self.wanted, self.nearest = path, wanted, tuple(nearest)
        self.line = line

    def discloses(self) -> Disclosed:
        return Disclosed((self.path,), (self.path,) if self.nearest else ())


class NoSuchLevel(NoMatch):
    """A note has no heading of a level; `levels` are those that it has."""

    def __init__(self, path: str, level: int, levels: Sequence[int]) -> None:
        listed = ", ".join(map(str, levels))
        said = f"it has those of level {listed}" if levels else "it has none at all"
        EditRefused.__init__(self, f"no heading of level {level} is in {path}; {said}")
        self.path, self.wanted, self.nearest = path, f"level {level}", ()
        self.line = None
        self.levels = tuple(levels)


class SeveralMatches(EditRefused):
    """A text that must occur once occurs several times."""

    def __init__(self, path: str, wanted: str, lines: Sequence[int], how: str) -> None:
        listed = ", ".join(map(str, lines[:10]))
        super().__init__(
            f"{_short(wanted)} occurs {len(lines)} times in {path}, on lines {listed}; "
            f"{how}"
        )
        self.path, self.wanted, self.lines = path, wanted, tuple(lines)


class NotEditable(EditRefused):
    """A file that edits do not touch, and why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} was not edited: {reason}")
        self.path, self.reason = path, reason


class PolicyForbids(EditRefused):
    """The settings do not let a file be edited; `rule` is the setting that says so."""

    def __init__(self, path: str, rule: str) -> None:
        super().__init__(f"{path} was not edited: {rule} does not let it be")
        self.path, self.rule = path, rule


class NeedsApproval(EditRefused):
    """Only a person may apply this, by `glassmind proposals approve`."""

    def __init__(self, identity: str) -> None:
        super().__init__(
            f"{identity} waits for a person: glassmind proposals approve {identity}"
        )
        self.identity = identity


class ChangesetUnknown(EditRefused):
    """No changeset has that id, or several begin so; those are `nearest` then."""

    def __init__(self, identity: str, nearest: Sequence[str] = ()) -> None:
        super().__init__(_no_changeset(identity, nearest))
        self.identity, self.nearest = identity, tuple(nearest)


class WrongState(EditRefused):
    """A changeset is not where that can be done with it."""

    def __init__(self, identity: str, state: str, wanted: str) -> None:
        super().__init__(f"{identity} is {state}, not {wanted}: nothing was done")
        self.identity, self.state, self.wanted = identity, state, wanted


class ConfirmFirst(EditRefused):
    """Something that takes a note away was asked for without saying so twice."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}: say that you mean it")
        self.what = what


class NowhereToKeep(EditRefused):
    """What undoes a change has no place outside of the vault, so none is made.

    `reason` is what the disk says, where one was asked.
    """

    def __init__(self, reason: str = "") -> None:
        why = f" ({reason})" if reason else ""
        super().__init__(
            "nothing was edited: no folder outside of the vault takes what would undo "
            f"it{why}; set index.location to a folder you can write"
        )
        self.reason = reason


def _short(text: str, most: int = SAID_CHARS) -> str:
    """Return a text in quotes, not too long, with every blank of it.

    A sign that is not seen is escaped so that JSON and a shell read it too. Lines may
    end in one way or the other.
    """
    plain = text.replace("\r\n", "\n")
    cut = plain if len(plain) <= most else f"{plain[: most - 3]}..."
    return _ESCAPE.sub(lambda one: f"\\u00{one[1]}" if one[1] else one[0], repr(cut))


def _no_changeset(identity: str, nearest: Sequence[str]) -> str:
    wanted = identity.strip().lower()
    alike = [one for one in nearest if wanted and one.startswith(wanted)]
    if len(alike) > 1:
        more = f" and {len(alike) - 10} more" if len(alike) > 10 else ""  # noqa: PLR2004
        listed = ", ".join(alike[:10])
        return f"{len(alike)} changesets begin with {identity!r}: {listed}{more}"
    hint = f"; did you mean {nearest[0]}?" if nearest else ""
    return f"there is no changeset {identity!r}{hint}"


def _no_match(
    place: str, wanted: str, nearest: Sequence[tuple[int, str, float]]
) -> str:
    said = f"{_short(wanted)} does not stand {place}"
    if not nearest:
        return f"{said}; read it again"
    shown = "; ".join(
        f"line {line} ({like:.2f}): {_short(text, SHOWN_CHARS)}"
        for line, text, like in nearest
    )
    return f"{said}; nearest are {shown}"
