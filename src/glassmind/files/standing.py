"""How far a change got that was interrupted, and what brings it to one of its ends."""

import errno
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias
from unicodedata import normalize

from glassmind.errors.writing import WriteFailed
from glassmind.files.folder import OpenFolder
from glassmind.files.staging import above, open_folder
from glassmind.files.ways import Way
from glassmind.model import NotePath
from glassmind.model.editing import Step
from glassmind.ports.editing import Standing

Sight: TypeAlias = bytes | Literal["odd"] | None
"""What is at a place: bytes, nothing, or what is no file that we could look into."""


class Found(NamedTuple):
    """How a file stands, and where it is, with what it says, if it is known.

    One that is half way counts as old: it may have one of its contents at any of its
    places, since a settling may have been interrupted too.
    """

    standing: Standing
    place: NotePath | None = None
    raw: bytes = b""


class Scene:
    """The files of one change as they are now; each is looked at when asked for."""

    def __init__(self, root: Path, ways: Sequence[Way]) -> None:
        self._root, self._ways = root, ways
        self._leaving = {way.at for way in ways if way.is_moved and way.at}
        known = (
            raw or b"" for way in ways for raw in (way.step.before, way.step.after)
        )
        self._limit_bytes = max(map(len, known), default=0)

    def standing(self) -> list[Standing]:
        """Return how each file stands, in the order of the ways.

        Raises:
            WriteFailed: one cannot be looked at now.
            VaultMissing: there is no vault now.
        """
        return [self._found(way).standing for way in self._ways]

    def onward(self) -> list[Step]:
        """Return the steps that are left to be taken."""
        found = [(way, self._found(way)) for way in self._ways]
        return [step for way, now in found for step in _onward(way, now)]

    def backward(self) -> tuple[list[Step], list[Way]]:
        """Return what takes back the steps that were taken, and files taken away.

        A file that is not as a step left it stays, and so does what stands where
        another should go back to.
        """
        steps: list[Step] = []
        gone: list[Way] = []
        for way in self._ways:
            now, step = self._found(way), way.step
            if now.standing == "other" or now.place is None:
                continue
            if step.folder:
                if now.standing == "new":
                    steps.append(Step(step.to, way.at or step.to, None, b"", True))
            elif way.at is None:
                away = Step(now.place, now.place, now.raw, b"")
                gone.append(Way(away, now.place, None, now.place))
            elif self._can_go_back(way, now):
                steps.append(Step(now.place, way.at, now.raw, step.before or b""))
        return steps, gone

    def _can_go_back(self, way: Way, now: Found) -> bool:
        if way.at == now.place:
            return now.raw != way.step.before
        return self._seen(way.at, now.place) is None

    def _found(self, way: Way) -> Found:
        if way.step.folder:
            return self._folder_found(way)
        known: list[tuple[NotePath, bytes]] = []
        for place in dict.fromkeys((way.final, way.via, way.at)):
            raw = self._seen(place, _twin(way, place))
            if place is None or raw is None:
                continue
            if isinstance(raw, bytes) and raw in (way.step.before, way.step.after):
                known.append((place, raw))
            elif place not in self._leaving and (place != way.at or not known):
                return Found("other")  # nobody else's place that we know of
        if way.at is None and not known:
            return Found("old")
        if len(known) != 1:
            return Found("other")
        (place, raw), *_ = known
        arrived = place == way.final and raw == way.step.after
        return Found("new" if arrived else "old", place, raw)

    def _folder_found(self, way: Way) -> Found:
        here, there = self._seen(way.at, way.final), self._seen(way.final, way.at)
        if here == "odd" and there is None:
            return Found("old", way.at)
        if there == "odd" and here is None:
            return Found("new", way.final)
        return Found("other")

    def _seen(self, path: NotePath | None, twin: NotePath | None = None) -> Sight:
        """Return what is at a path; exactly so where `twin` spells it otherwise."""
        if path is None:
            return None
        name = path.rpartition("/")[2]
        try:
            if twin is not None and not self._is_exact(path, twin):
                return None
            with open_folder(self._root, above(path)) as folder:
                return _sight(folder, folder.spelled(name), self._limit_bytes)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as fault:
            if fault.errno == errno.ELOOP:
                return "odd"
            raise WriteFailed(path, fault.strerror or str(fault)) from fault

    def _is_exact(self, path: str, twin: str) -> bool:
        """Whether the disk spells a path so, where `twin` differs in case alone."""
        if path == twin or path.casefold() != twin.casefold():
            return True
        parts, others = path.split("/"), twin.split("/")
        for at, (part, other) in enumerate(zip(parts, others, strict=True)):
            if part != other:
                with open_folder(self._root, "/".join(parts[:at])) as folder:
                    if not _is_spelled(folder, part):
                        return False
        return True


def folders_of(ways: Iterable[Way]) -> set[str]:
    """Return every folder that something of some ways may be staged in."""
    places = (p for way in ways for p in (way.at, way.via, way.final) if p is not None)
    return {above(place) for place in places}


def _onward(way: Way, now: Found) -> list[Step]:
    step = way.step
    if now.standing != "old":
        return []
    if step.folder:
        return [step]
    if now.place is None:
        return [Step(None, way.final, None, step.after)]
    return [Step(now.place, way.final, now.raw, step.after)]


def _twin(way: Way, place: NotePath | None) -> NotePath | None:
    """Return the other place of a file, which may be the same but for its spelling."""
    return way.at if place == way.final else way.final


def _is_spelled(folder: OpenFolder, name: str) -> bool:
    return any(normalize("NFC", found) == name for found in folder.names())


def _sight(folder: OpenFolder, name: str, limit_bytes: int) -> Sight:
    facts = folder.facts(name)
    if facts is None:
        return None
    return folder.read(name, limit_bytes) if stat.S_ISREG(facts.st_mode) else "odd"
