"""How far a change got that was interrupted, and what brings it to one of its ends."""

import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias
from unicodedata import normalize

from glassmind.errors import VaultError
from glassmind.ports.editing import Standing
from glassmind.types import NotePath
from glassmind.types.editing import Step
from glassmind.vault.folder import OpenFolder
from glassmind.vault.staging import above, open_folder
from glassmind.vault.ways import Way

Sight: TypeAlias = bytes | Literal["odd"] | None
"""What is at a place: bytes, nothing, or what is no file that we could look into."""


class Found(NamedTuple):
    """How a file stands, and where it is if it is there as far as we know.

    What was begun counts as new: it is not as it was.
    """

    standing: Standing
    place: NotePath | None = None
    raw: bytes = b""


class Scene:
    """The files of one change as they are now; each is looked at when asked for."""

    def __init__(self, root: Path, ways: Sequence[Way]) -> None:
        self._root, self._ways = root, ways
        self._leaving = {way.at for way in ways if way.is_moved and way.at}

    def standing(self) -> list[Standing]:
        """Return how each file stands, in the order of the ways."""
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
            if now.standing != "new":
                continue
            if step.folder and step.path is not None:
                steps.append(Step(step.to, step.path, None, b"", folder=True))
            elif now.place is not None and way.at is None:
                away = Step(now.place, now.place, now.raw, b"")
                gone.append(Way(away, now.place, None, now.place))
            elif (
                now.place is not None and way.at is not None and self._is_free(way, now)
            ):
                steps.append(Step(now.place, way.at, now.raw, step.before or b""))
        return steps, gone

    def _is_free(self, way: Way, now: Found) -> bool:
        return way.at == now.place or self._seen(way.at, now.place) is None

    def _found(self, way: Way) -> Found:
        if way.step.folder:
            return self._folder_found(way)
        if way.at == way.final:
            return _at_its_place(way.step, way.final, self._seen(way.final))
        return self._arrived(way) or self._under_way(way)

    def _arrived(self, way: Way) -> Found | None:
        """Return what stands where a file ends; None where nothing does yet."""
        step, there = way.step, self._seen(way.final, way.at)
        if there == step.after:
            doubled = way.at and step.before == there == self._seen(way.at, way.final)
            return Found("other") if doubled else Found("new", way.final, step.after)
        if there is None or way.final in self._leaving:
            return None
        return Found("other")

    def _under_way(self, way: Way) -> Found:
        """Return how a file stands that has not come to its end."""
        step = way.step
        if way.via not in (None, way.at, way.final):
            between = self._seen(way.via)
            if between == step.after:
                return Found("new", way.via, step.after)
            if between is not None and way.via not in self._leaving:
                return Found("other")
        if way.at is None:
            return Found("old")
        here = self._seen(way.at, way.final)
        if here == step.before:
            return Found("old", way.at, step.before or b"")
        return _at_its_place(step, way.at, here)

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
        exactly = twin is not None and twin.casefold() == path.casefold()
        try:
            with open_folder(self._root, above(path)) as folder:
                if exactly and not _is_spelled(folder, name):
                    return None
                return _sight(folder, folder.spelled(name))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, VaultError):
            return "odd"


def folders_of(ways: Iterable[Way]) -> set[str]:
    """Return every folder that something of some ways may be staged in."""
    places = (p for way in ways for p in (way.at, way.via, way.final) if p is not None)
    return {above(place) for place in places}


def _at_its_place(step: Step, place: NotePath, here: Sight) -> Found:
    if here == step.after:
        return Found("new", place, step.after)
    if here == step.before:
        return Found("old", place, step.before or b"")
    return Found("other")


def _onward(way: Way, now: Found) -> list[Step]:
    step = way.step
    if step.folder:
        return [step] if now.standing == "old" else []
    arrived = now.standing == "new" and now.place == way.final
    if now.standing == "other" or arrived:
        return []
    if now.place is None:
        return [Step(None, way.final, None, step.after)]
    return [Step(now.place, way.final, now.raw, step.after)]


def _is_spelled(folder: OpenFolder, name: str) -> bool:
    return any(normalize("NFC", found) == name for found in folder.names())


def _sight(folder: OpenFolder, name: str) -> Sight:
    facts = folder.facts(name)
    if facts is None:
        return None
    return folder.read(name) if stat.S_ISREG(facts.st_mode) else "odd"
