"""Changesets: one file each, outside of the vault, in a folder for its state.

To change the state is to move the file to another folder, which is one rename. Any
number of processes read and write there at once: a reader that finds a file gone looks
for it in the other folders. The reason of a state is in a small file beside it. Old
files are deleted when something is added, but not proposals that wait for a person.

A file is a line of JSON that says what the change does, then the contents, each packed
once and named by its SHA-256, which is checked whenever it is read: what was damaged on
the disk never gets into a vault.
"""

import hashlib
import json
import os
import re
import secrets
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from difflib import get_close_matches
from itertools import chain, islice
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from glassmind.config.settings import UNDO_DAYS
from glassmind.errors import (
    ChangesetUnknown,
    EditRefused,
    NowhereToKeep,
    WriteFailed,
)
from glassmind.model import NotePath
from glassmind.model.edits import (
    STATES,
    Changeset,
    ChangeState,
    Draft,
    FileStep,
    Rewritten,
)
from glassmind.store.disk import (
    drop,
    make_own,
    may_purge,
    moment_of,
    sync,
    time_of,
    write_whole,
)
from glassmind.store.place import CHANGESETS

_FORMAT = 1
"""What the first line says; a file of a higher number is of a version to come."""

_LEVEL = 1
"""How hard content is packed: the next better level takes half as long again."""


class Damaged(EditRefused):
    """A kept changeset cannot be read, in whole or in part."""

    def __init__(self, identity: str, reason: str) -> None:
        super().__init__(f"changeset {identity} cannot be read: {reason}")
        self.identity, self.reason = identity, reason


def packed(changeset: Changeset) -> bytes:
    draft = changeset.draft
    contents = chain.from_iterable((step.before, step.after) for step in draft.steps)
    names: dict[bytes | None, str] = {}
    blobs, packs, at = [], [], 0
    for raw in contents:
        if raw is not None and raw not in names:
            names[raw] = hashlib.sha256(raw).hexdigest()
            packs.append(zlib.compress(raw, _LEVEL))
            blobs.append((names[raw], at, len(packs[-1]), len(raw)))
            at += len(packs[-1])
    header = {
        "format": _FORMAT,
        "id": changeset.id,
        "created": changeset.created,
        "client": changeset.client,
        "undoes": changeset.undoes,
        "state": changeset.state,
        "reason": changeset.reason,
        "verb": draft.verb,
        "title": draft.title,
        "rewritten": draft.rewritten,
        "adopted": draft.adopted,
        "risks": draft.risks,
        "facts": dict(draft.facts),
        "steps": [
            step._asdict()
            | {"before": names.get(step.before), "after": names[step.after]}
            for step in draft.steps
        ],
        "blobs": blobs,
    }
    line = json.dumps(header, separators=(",", ":"), default=str)
    return b"".join((line.encode(), b"\n", *packs))


def unpacked(
    identity: str,
    raw: bytes,
    state: ChangeState,
    reason: str,
    *,
    with_content: bool = True,
) -> Changeset:
    """Return the changeset of a file, its content checked.

    Without content, `raw` may be the first line alone. Raises Damaged.
    """
    line, end, rest = raw.partition(b"\n")
    if not end:
        raise Damaged(identity, "its file ends too early")
    try:
        header = json.loads(line)
        if header["format"] != _FORMAT:
            raise Damaged(identity, "another version of Glassmind kept it")
        contents = {
            name: _content(identity, name, rest[at : at + length], size)
            if with_content
            else b""
            for name, at, length, size in header["blobs"]
        }
        draft = Draft(
            header["verb"],
            str(header["title"]),
            tuple(_step(row, contents) for row in header["steps"]),
            Rewritten(*map(int, header["rewritten"])),
            int(header["adopted"]),
            tuple(map(str, header["risks"])),
            dict(header["facts"]),
        )
        # the reason of its first state says nothing about a later one
        first = header["reason"] if header["state"] == state else ""
        return Changeset(
            identity,
            state,
            str(header["created"]),
            str(header["client"]),
            draft,
            str(header["undoes"]),
            reason or str(first),
        )
    except (ValueError, KeyError, TypeError, RecursionError) as fault:
        raise Damaged(identity, "its first line is damaged") from fault


def _step(row: Mapping[str, Any], contents: Mapping[str, bytes]) -> FileStep:
    path, before = row["path"], row["before"]
    return FileStep(
        None if path is None else NotePath(path),
        NotePath(row["to"]),
        None if before is None else contents[before],
        contents[row["after"]],
        bool(row["folder"]),
    )


def _content(identity: str, name: str, blob: bytes, size: int) -> bytes:
    raw = None
    with suppress(zlib.error):
        raw = zlib.decompressobj().decompress(blob, size + 1)
    if raw is None or hashlib.sha256(raw).hexdigest() != name:
        raise Damaged(identity, "what it holds of a file is damaged")
    return raw


_CHANGE, _SIDE = ".change", ".json"

_LETTERS = "abcdefghijklmnopqrstuvwxyz23456789"
"""What an id ends in: no digit that looks like a letter."""

_LENGTH = 5
"""Letters of an id behind its day: 45 million of them a day."""

_ID = re.compile(rf"\d{{8}}-[{_LETTERS}]{{{_LENGTH}}}", re.ASCII)

_MOST_PREVIEWS = 50
_PREVIEW_H = 24
"""What is only looked at is soon looked at no more."""

_SETTLED = frozenset({"applied", "undone", "rejected", "failed"})
"""States that nobody waits for: changesets in them expire."""

_TRIES = 20
"""How often one looks for a file that others move meanwhile."""

_DAMAGED = "damaged"
"""The fact of a draft in a list that could not be read: why."""


class _Found(NamedTuple):
    """A kept changeset: its id, its state and the file."""

    id: str
    state: ChangeState
    file: str

    @property
    def side(self) -> str:
        """Where it stands why the changeset is in its state, if anywhere."""
        return f"{self.file.removesuffix(_CHANGE)}{_SIDE}"


def _now() -> datetime:
    return datetime.now().astimezone()


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
        self._folder = None if home is None else home / CHANGESETS
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
        letters = (secrets.choice(_LETTERS) for _ in range(_LENGTH))
        identity = f"{now:%Y%m%d}-{''.join(letters)}"
        created = now.isoformat(timespec="milliseconds")
        return Changeset(identity, state, created, client, draft, undoes, reason)

    def keep(self, changeset: Changeset, /) -> None:
        """Keep a changeset, on the disk when this returns, and delete what is old."""
        if self._folder is None:
            raise NowhereToKeep
        try:
            make_own(str(self._folder), self._at(changeset.state, ""))
            file = self._at(changeset.state, f"{changeset.id}{_CHANGE}")
            soon, (made, _) = changeset.state == "applying", _age(changeset)
            write_whole(file, packed(changeset), soon=soon, made=made)
        except OSError as fault:
            raise _failed(changeset.id, fault) from fault
        self._prune(changeset)

    def get(self, identity: str, /) -> Changeset:
        """Return a changeset, content and all.

        `identity` may be the beginning of an id, if no other begins so. Raises
        ChangesetUnknown or EditRefused.
        """
        for _ in range(_TRIES):
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
        newest_first = sorted(found, key=_order, reverse=True)
        listed = list(islice(filter(None, map(_outline, newest_first)), limit))
        return sorted(listed, key=_age, reverse=True), len(found)

    def shift(
        self, identity: str, state: ChangeState, /, *, reason: str = ""
    ) -> Changeset:
        """Let a changeset be in another state from now on, and return its outline."""
        for _ in range(_TRIES):
            found = self._known(identity)
            try:
                return self._shifted(found, state, reason)
            except FileNotFoundError:
                continue  # another was faster, maybe with the same
            except OSError as fault:
                raise _failed(found.id, fault) from fault
        raise ChangesetUnknown(identity)

    def _shifted(self, found: _Found, state: ChangeState, reason: str) -> Changeset:
        make_own(str(self._folder), self._at(state, ""))
        moved = _Found(found.id, state, self._at(state, f"{found.id}{_CHANGE}"))
        if reason:
            write_whole(moved.side, json.dumps({"reason": reason}).encode())
        if state != found.state:
            if not reason:
                _unlink(moved.side)
            os.rename(found.file, moved.file)  # noqa: PTH104 - as above
            _unlink(found.side)
            if state != "applied":  # settling would find it, and move it again
                sync(self._at(state, ""))
        outline = _outline(moved)
        if outline is None:
            raise FileNotFoundError(moved.file)
        return outline

    def unfinished(self) -> Sequence[str]:
        """Return the ids of those that were being applied, the oldest first."""
        return sorted(found.id for found in self._all(("applying",)))

    def _all(self, states: Sequence[ChangeState]) -> list[_Found]:
        """Return what is kept; one that moves meanwhile may be missed."""
        found: dict[str, _Found] = {}
        for state in states:
            for name in self._names(state):
                identity = name.removesuffix(_CHANGE)
                if identity != name and _ID.fullmatch(identity):
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
            file = self._at(state, f"{identity}{_CHANGE}")
            if os.path.exists(file):  # noqa: PTH110 - as above
                return _Found(identity, state, file)
        return None

    def _known(self, identity: str) -> _Found:
        prefix = identity.strip().lower()
        if _ID.fullmatch(prefix):
            for _ in range(_TRIES):  # it may have moved to where we had looked already
                found = self._find(prefix)
                if found is not None:
                    return found
        known = {found.id: found for found in self._all(STATES)}
        matches = sorted(name for name in known if prefix and name.startswith(prefix))
        if len(matches) == 1:
            return known[matches[0]]
        similar = matches or get_close_matches(prefix, known, 3, 0.7)
        raise ChangesetUnknown(identity, similar)

    def _prune(self, kept: Changeset) -> None:
        """Delete what is old, once an hour, and previews beyond a number."""
        now = self._now()
        is_due = self._pruned is None or abs(now - self._pruned) > timedelta(hours=1)
        if self._folder is None or not (is_due or kept.state == "previewed"):
            return
        by_age = may_purge(self._folder.parent, now)
        if kept.state == "previewed":
            oldest = (now - timedelta(hours=_PREVIEW_H)).timestamp() if by_age else -inf
            found = [(time_of(f.file), f.file) for f in self._all(("previewed",))
                     if f.id != kept.id]  # fmt: skip
            for at, (time, file) in enumerate(sorted(found, reverse=True), 1):
                if at >= _MOST_PREVIEWS or time < oldest:
                    drop(file)
        if is_due:
            self._pruned = now
        if is_due and by_age:
            self._prune_old(now)

    def _prune_old(self, now: datetime) -> None:
        """Delete what is old and settled, and what killed writers left."""
        oldest = f"{now - timedelta(days=self._undo_days):%Y%m%d}"
        for state in STATES:
            names = set(self._names(state))
            for name in names:
                file = self._at(state, name)
                change = name.removesuffix(_SIDE).removesuffix(_CHANGE) + _CHANGE
                if change not in names:  # a part of a file, or a reason alone
                    drop(file, now)
                elif name < oldest and state in _SETTLED:
                    drop(file)


def _outline(found: _Found) -> Changeset | None:
    """Return what a file tells of a changeset; None for one that is gone."""
    try:
        with Path(found.file).open("rb") as opened:
            line = opened.readline()
        return unpacked(found.id, line, found.state, _reason(found), with_content=False)
    except FileNotFoundError:
        return None
    except OSError as fault:
        said: Exception = Damaged(found.id, fault.strerror or str(fault))
    except Damaged as fault:
        said = fault
    draft = Draft("edit", "cannot be read", (), facts={_DAMAGED: str(said)})
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
