"""Where changesets are kept: a file for each, outside of the vault, by its state.

A folder for each state; to be in another state is to be in another folder, which is one
rename. Any number of processes read and write there at once, and none waits for
another: who finds a file gone looks again where it went. Why a changeset is where it is
stands in a small file beside it. What is old is deleted when something is kept, but for
proposals that wait for a person.
"""

import json
import os
import re
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from difflib import get_close_matches
from math import inf
from pathlib import Path
from typing import NamedTuple

from glassmind.config.settings import UNDO_DAYS
from glassmind.errors.editing import ChangesetUnknown, NowhereToKeep
from glassmind.errors.writing import WriteFailed
from glassmind.model.editing import STATES, Changeset, ChangeState, Draft
from glassmind.store.changesets_disk import (
    PART,
    drop,
    make_own,
    moment_of,
    sync,
    time_of,
    write_whole,
)
from glassmind.store.changesets_file import Damaged, outlined, packed, unpacked
from glassmind.store.purge_clock import may_purge

NAME = "changesets"
CHANGE, SIDE = ".change", ".json"

LETTERS = "abcdefghijklmnopqrstuvwxyz23456789"
"""What an id ends in: no digit that looks like a letter."""

LENGTH = 5
"""Letters of an id behind its day: 45 million of them a day."""

ID = re.compile(rf"\d{{8}}-[{LETTERS}]{{{LENGTH}}}", re.ASCII)

MOST_PREVIEWS = 50
PREVIEW_H = 24
"""What is only looked at is soon looked at no more."""

SETTLED = frozenset({"applied", "undone", "rejected", "failed"})
"""States that nobody waits for: changesets in them expire."""

TRIES = 20
"""How often one looks for a file that others move meanwhile."""

DAMAGED = "damaged"
"""The fact of a draft in a list that could not be read: why."""


class _Found(NamedTuple):
    """A kept changeset: its id, its state and the file."""

    id: str
    state: ChangeState
    file: str

    @property
    def side(self) -> str:
        """Where it stands why the changeset is in its state, if anywhere."""
        return f"{self.file.removesuffix(CHANGE)}{SIDE}"


def _now() -> datetime:
    return datetime.now().astimezone()


def _word() -> str:
    """Return the letters of an id, each as likely as any other."""
    number, word = secrets.randbelow(len(LETTERS) ** LENGTH), ""
    for _ in range(LENGTH):
        number, letter = divmod(number, len(LETTERS))
        word += LETTERS[letter]
    return word


class ChangesetFolder:
    """The changesets of one vault; for any number of threads and processes.

    `home` is the folder outside of the vault in which there is one for them; None where
    there is no such folder, and then nothing can be kept.
    """

    def __init__(
        self,
        home: Path | None,
        *,
        undo_days: int = UNDO_DAYS,
        now: Callable[[], datetime] = _now,
    ) -> None:
        self._folder = None if home is None else home / NAME
        self._undo_days, self._now = undo_days, now
        self._pruned: datetime | None = None

    def made(
        self,
        draft: Draft,
        state: ChangeState,
        *,
        client: str,
        undoes: str = "",
        reason: str = "",
    ) -> Changeset:
        """Return a change under an id that no other has; nothing is kept yet."""
        now = self._now()
        while True:
            identity = f"{now:%Y%m%d}-{_word()}"
            if self._find(identity) is None:
                break
        created = now.isoformat(timespec="milliseconds")
        return Changeset(identity, state, created, client, draft, undoes, reason)

    def keep(self, changeset: Changeset, /) -> None:
        """Keep a changeset, on the disk when this returns, and let go of what is old.

        Raises:
            NowhereToKeep, WriteFailed: no disk takes it.
        """
        if self._folder is None:
            raise NowhereToKeep
        try:
            self._make_folder(changeset.state)
            file = self._at(changeset.state, f"{changeset.id}{CHANGE}")
            soon, (made, _) = changeset.state == "applying", _age(changeset)
            write_whole(file, packed(changeset), soon=soon, made=made)
        except OSError as fault:
            raise _failed(changeset.id, fault) from fault
        self._prune(changeset)

    def get(self, identity: str, /) -> Changeset:
        """Return a changeset, content and all.

        `identity` may be the beginning of an id, if no other begins so.

        Raises:
            ChangesetUnknown: there is none, or several begin so.
            EditRefused: its file is damaged.
        """
        for _ in range(TRIES):
            found = self._known(identity)
            try:
                raw = Path(found.file).read_bytes()
            except FileNotFoundError:
                continue  # it got into another state
            except OSError as fault:
                reason = fault.strerror or str(fault)
                raise Damaged(found.id, reason) from fault
            return unpacked(found.id, raw, found.state, _reason(found))
        raise ChangesetUnknown(identity)

    def listed(
        self, states: Sequence[ChangeState] = (), /, *, limit: int | None = None
    ) -> tuple[Sequence[Changeset], int]:
        """Return changesets without their content, newest first, and how many.

        One whose file cannot be read is there as well: its draft has the fact
        `damaged`, and its reason is a sentence about that.
        """
        found = self._all(states or STATES)
        listed: list[Changeset] = []
        for one in sorted(found, key=_order, reverse=True):
            if limit is not None and len(listed) >= limit:
                break
            outline = _outline(one)
            if outline is not None:
                listed.append(outline)
        return sorted(listed, key=_age, reverse=True), len(found)

    def shift(
        self, identity: str, state: ChangeState, /, *, reason: str = ""
    ) -> Changeset:
        """Let a changeset be in another state from now on, and return its outline.

        Raises:
            ChangesetUnknown: there is none.
            WriteFailed: the disk refuses.
        """
        for _ in range(TRIES):
            found = self._known(identity)
            try:
                return self._shifted(found, state, reason)
            except FileNotFoundError:
                continue  # another was faster, maybe with the same
            except OSError as fault:
                raise _failed(found.id, fault) from fault
        raise ChangesetUnknown(identity)

    def applied(self, identity: str, /) -> None:
        """Let a changeset that was being applied be applied from now on.

        Raises:
            ChangesetUnknown: there is none.
            WriteFailed: the disk refuses.
        """
        was = _Found(identity, "applying", self._at("applying", f"{identity}{CHANGE}"))
        try:
            self._place(was, "applied")
        except OSError:  # it has gone elsewhere, or its folder has, or it cannot be
            self.shift(identity, "applied")

    def _shifted(self, found: _Found, state: ChangeState, reason: str) -> Changeset:
        self._make_folder(state)
        moved = _Found(found.id, state, self._at(state, f"{found.id}{CHANGE}"))
        if reason:
            write_whole(moved.side, json.dumps({"reason": reason}).encode())
        if state != found.state:
            self._place(found, state, reason=reason)
        outline = _outline(moved)
        if outline is None:
            raise FileNotFoundError(moved.file)
        return outline

    def _place(self, found: _Found, state: ChangeState, *, reason: str = "") -> None:
        """Let a file stand where those in a state do; why it did elsewhere is over."""
        moved = _Found(found.id, state, self._at(state, f"{found.id}{CHANGE}"))
        if not reason:
            _unlink(moved.side)
        os.rename(found.file, moved.file)  # noqa: PTH104 - as above
        _unlink(found.side)
        if state != "applied":  # settling would find it as it is, and move it again
            sync(self._at(state, ""))

    def unfinished(self) -> Sequence[str]:
        """Return the ids of those that were being applied, the oldest first."""
        return sorted(one.id for one in self._all(("applying",)))

    def _make_folder(self, state: ChangeState) -> None:
        if self._folder is None:
            raise NowhereToKeep
        make_own(str(self._folder), self._at(state, ""))

    def _all(self, states: Sequence[ChangeState]) -> list[_Found]:
        """Return what is kept; one that moves meanwhile may be missed."""
        found: dict[str, _Found] = {}
        for state in states:
            for name in self._names(state):
                identity = name.removesuffix(CHANGE)
                if identity != name and ID.fullmatch(identity):
                    found[identity] = _Found(identity, state, self._at(state, name))
        return list(found.values())

    def _names(self, state: ChangeState) -> list[str]:
        """Return the names in a folder; text, as there may be thousands."""
        if self._folder is None:
            return []
        try:
            return os.listdir(self._at(state, ""))  # noqa: PTH208 - as said
        except OSError:
            return []

    def _at(self, state: ChangeState, name: str) -> str:
        return f"{self._folder}{os.sep}{state}{os.sep}{name}"

    def _find(self, identity: str) -> _Found | None:
        """Return the changeset of a whole id, if there is one."""
        if self._folder is None:
            return None
        for state in STATES:
            file = self._at(state, f"{identity}{CHANGE}")
            if os.path.exists(file):  # noqa: PTH110 - as above
                return _Found(identity, state, file)
        return None

    def _known(self, identity: str) -> _Found:
        wanted = identity.strip().lower()
        if ID.fullmatch(wanted):
            for _ in range(TRIES):  # it may have gone to where we had looked already
                found = self._find(wanted)
                if found is not None:
                    return found
        there = self._all(STATES)
        if wanted:
            begin = [one for one in there if one.id.startswith(wanted)]
            if len(begin) == 1:
                return begin[0]
            if begin:
                raise ChangesetUnknown(identity, sorted(one.id for one in begin))
        alike = get_close_matches(wanted, [one.id for one in there], 3, 0.7)
        raise ChangesetUnknown(identity, alike)

    def _prune(self, kept: Changeset) -> None:
        """Delete what is old, once an hour, and previews beyond a number."""
        now = self._now()
        due = self._pruned is None or abs(now - self._pruned) > timedelta(hours=1)
        if self._folder is None or not (due or kept.state == "previewed"):
            return
        by_age = may_purge(self._folder.parent, now)
        if due:
            self._pruned = now
        if due and by_age:
            self._prune_old(now)
        if kept.state == "previewed":
            oldest = now - timedelta(hours=PREVIEW_H)
            self._prune_previews(kept.id, oldest.timestamp() if by_age else -inf)

    def _prune_old(self, now: datetime) -> None:
        """Delete what is old and settled, and what killed writers left."""
        oldest = f"{now - timedelta(days=self._undo_days):%Y%m%d}"
        for state in STATES:
            names = set(self._names(state))
            for name in names:
                alone = name.endswith(SIDE) and (
                    name.removesuffix(SIDE) + CHANGE not in names
                )
                if name.endswith(PART) or alone:
                    drop(self._at(state, name), now)
                elif name < oldest and state in SETTLED:
                    drop(self._at(state, name))

    def _prune_previews(self, kept: str, oldest: float) -> None:
        """Delete previews beyond a number, and those made before a time."""
        found = [one for one in self._all(("previewed",)) if one.id != kept]
        made = sorted(((time_of(one.file), one.file) for one in found), reverse=True)
        for at, (time, file) in enumerate(made, 1):
            if at >= MOST_PREVIEWS or time < oldest:
                drop(file)


def _outline(found: _Found) -> Changeset | None:
    """Return what a file tells of a changeset; None for one that is gone."""
    try:
        with Path(found.file).open("rb") as opened:
            line = opened.readline()
        return outlined(found.id, line, found.state, _reason(found))
    except FileNotFoundError:
        return None
    except OSError as fault:
        said: Exception = Damaged(found.id, fault.strerror or str(fault))
    except Damaged as fault:
        said = fault
    draft = Draft("edit", "cannot be read", (), facts={DAMAGED: str(said)})
    created = moment_of(found.file).isoformat(timespec="milliseconds")
    return Changeset(found.id, found.state, created, "", draft, reason=str(said))


def _order(found: _Found) -> tuple[str, float, str]:
    """Return by what files are told apart in age: the day first, which is in the id."""
    return found.id[:8], time_of(found.file), found.id


def _age(changeset: Changeset) -> tuple[float, str]:
    try:
        made = datetime.fromisoformat(changeset.created).timestamp()
    except (ValueError, OverflowError, OSError):
        made = 0.0
    return made, changeset.id


def _reason(found: _Found) -> str:
    try:
        said = json.loads(Path(found.side).read_bytes())
        return str(said["reason"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _unlink(file: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(file)  # noqa: PTH108 - as above


def _failed(identity: str, fault: OSError) -> WriteFailed:
    return WriteFailed(f"changeset {identity}", fault.strerror or str(fault))
