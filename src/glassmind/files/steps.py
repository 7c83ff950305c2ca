"""Plan the steps of a change over many files, and see how far an interrupted one got.

Contents are changed first, at the old places; then files are moved or created; whole
folders are moved last. So a file has up to three places: `at` is where it was, `via`
where it is when files have moved and folders have not, `final` where it ends.
"""

import errno
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias
from unicodedata import normalize

from glassmind.errors import NameTaken, NotEditable, WriteFailed
from glassmind.files.folder import above, open_folder
from glassmind.files.read import safe_path
from glassmind.model import NotePath
from glassmind.model.edits import FileStep, Standing

CLOSED = ("inbox", "logs", "cache")
"""Parts of the agent folder that are not edited: what waits for approval, records."""


class PlannedStep(NamedTuple):
    """One step, and the places on its way.

    A file that is made has no `at`; one that is taken away again has no `via`.
    """

    step: FileStep
    at: NotePath | None
    via: NotePath | None
    final: NotePath

    @property
    def is_rewritten(self) -> bool:
        if self.step.folder or self.via is None:
            return False
        return self.at is None or self.step.before != self.step.after

    @property
    def is_moved(self) -> bool:
        return not self.step.folder and self.at != self.via

    @property
    def name(self) -> NotePath:
        return self.step.path or self.step.to


def plan_steps(steps: Sequence[FileStep], agent_folder: str) -> list[PlannedStep]:
    """Return the way of every step, in the order of the steps.

    A file inside a folder that is moved may be named by its path there, or with the new
    path as the place that it goes to: both mean that it goes along.
    """
    clean = [_clean(step, agent_folder) for step in steps]
    folders = [(step.path, step.to) for step in clean if step.folder and step.path]
    for old, _ in folders:
        if any(_is_below(old, other) for other, _ in folders):
            raise WriteFailed(old, "the folder above it is moved too")
    plans = [_plan_of(step, folders) for step in clean]
    for places in ([plan.at for plan in plans if plan.at], [p.final for p in plans]):
        counts = Counter(places)
        if twice := [place for place, count in counts.items() if count > 1]:
            raise NameTaken(twice[0])
    return plans


def path_after_moves(path: str, moves: Iterable[tuple[str, str]]) -> NotePath:
    for old, new in moves:
        path = _swapped(path, old, new)
    return NotePath(path)


def _plan_of(step: FileStep, folders: Sequence[tuple[str, str]]) -> PlannedStep:
    if step.folder:
        return PlannedStep(step, step.path, step.to, step.to)
    at = step.path
    if at and not any(_is_below(at, old) for old, _ in folders):
        at = _backward(at, folders)  # named by where its folder goes
    via = _backward(step.to, folders)
    return PlannedStep(step, at, via, path_after_moves(via, folders))


def _backward(path: str, folders: Sequence[tuple[str, str]]) -> NotePath:
    for old, new in reversed(folders):
        path = _swapped(path, new, old)
    return NotePath(path)


def _swapped(path: str, old: str, new: str) -> str:
    return new + path[len(old) :] if path == old or _is_below(path, old) else path


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/")


def _clean(step: FileStep, agent_folder: str) -> FileStep:
    path = None if step.path is None else safe_path(step.path)
    to = safe_path(step.to)
    if step.folder and (path is None or _is_below(to, path)):
        raise WriteFailed(path or to, "a folder cannot go into itself")
    if step.folder and path is not None and _is_below(agent_folder, path):
        raise NotEditable(path, f"{agent_folder} is inside it")
    if path is not None and step.before is None and not step.folder:
        raise WriteFailed(path, "the step has no content before")
    if path is None and step.before is not None:
        raise WriteFailed(to, "a new file has no content before")
    leaves_trash = path is not None and is_trashed(path)
    if path is not None and not (leaves_trash and not is_trashed(to)):
        _judge(path, agent_folder)
    _judge(to.removeprefix(f"{TRASH}/"), agent_folder, told=to)
    return step._replace(path=path, to=to)


def _judge(path: str, agent_folder: str, told: str = "") -> None:
    parts, agents = path.split("/"), agent_folder.split("/")
    depth = len(agents)
    folded = [part.casefold() for part in parts]
    if folded[:depth] == [part.casefold() for part in agents]:
        if len(parts) <= depth or folded[depth] in CLOSED:
            raise NotEditable(
                told or path,
                f"{agent_folder} is the agents' own; this part of it is not edited",
            )
        if parts[:depth] == agents:
            parts = parts[depth:]
    if any(part.startswith(".") for part in parts):
        raise NotEditable(told or path, "a name that begins with a dot is in its path")


Sight: TypeAlias = bytes | Literal["odd"] | None
"""What is at a place: bytes, nothing, or what is no file that we could look into."""


class FileState(NamedTuple):
    """How a file stands, and where it is, with what it says, if it is known.

    One that is half way counts as old: it may have one of its contents at any of its
    places, since a settling may have been interrupted too.
    """

    standing: Standing
    place: NotePath | None = None
    raw: bytes = b""


class InterruptedChange:
    """The files of one change as they are now; each is looked at when asked for."""

    def __init__(self, root: Path, plans: Sequence[PlannedStep]) -> None:
        self._root, self._plans = root, plans
        known = (
            raw or b"" for plan in plans for raw in (plan.step.before, plan.step.after)
        )
        self._limit_bytes = max(map(len, known), default=0)

    def standing(self) -> list[Standing]:
        return [self._found(plan).standing for plan in self._plans]

    def onward(self) -> list[FileStep]:
        steps = []
        for plan in self._plans:
            now, step = self._found(plan), plan.step
            if now.standing == "old" and step.folder:
                steps.append(step)
            elif now.standing == "old":
                before = None if now.place is None else now.raw
                steps.append(FileStep(now.place, plan.final, before, step.after))
        return steps

    def backward(self) -> tuple[list[FileStep], list[PlannedStep]]:
        """Return what takes back the steps that were taken, and files taken away.

        A file that is not as a step left it stays, and so does what stands where
        another should go back to.
        """
        steps: list[FileStep] = []
        planned_steps: list[PlannedStep] = []
        for plan in self._plans:
            now, step = self._found(plan), plan.step
            if now.standing == "other" or now.place is None:
                continue
            if step.folder:
                if now.standing == "new":
                    steps.append(FileStep(step.to, plan.at or step.to, None, b"", True))
            elif plan.at is None:
                away = FileStep(now.place, now.place, now.raw, b"")
                planned_steps.append(PlannedStep(away, now.place, None, now.place))
            elif (
                now.raw != step.before
                if plan.at == now.place
                else self._seen(plan.at, now.place) is None
            ):
                steps.append(FileStep(now.place, plan.at, now.raw, step.before or b""))
        return steps, planned_steps

    def _found(self, plan: PlannedStep) -> FileState:
        if plan.step.folder:
            return self._folder_found(plan)
        known: list[tuple[NotePath, bytes]] = []
        for place in dict.fromkeys((plan.final, plan.via, plan.at)):
            raw = self._seen(place, plan.at if place == plan.final else plan.final)
            if place is None or raw is None:
                continue
            if raw in (plan.step.before, plan.step.after) and isinstance(raw, bytes):
                known.append((place, raw))
            elif place != plan.at or not known:
                return FileState("other")
        if plan.at is None and not known:
            return FileState("old")
        if len(known) != 1:
            return FileState("other")
        (place, raw), *_ = known
        arrived = place == plan.final and raw == plan.step.after
        return FileState("new" if arrived else "old", place, raw)

    def _folder_found(self, plan: PlannedStep) -> FileState:
        here, there = (
            self._seen(plan.at, plan.final),
            self._seen(plan.final, plan.at),
        )
        if here == "odd" and there is None:
            return FileState("old", plan.at)
        if there == "odd" and here is None:
            return FileState("new", plan.final)
        return FileState("other")

    def _seen(self, path: NotePath | None, twin: NotePath | None = None) -> Sight:
        """Return what is at a path; exactly so where `twin` spells it otherwise."""
        if path is None:
            return None
        name = path.rpartition("/")[2]
        try:
            if twin is not None and not self._is_exact(path, twin):
                return None
            with open_folder(self._root, above(path)) as folder:
                name = folder.spelled(name)
                facts = folder.facts(name)
                if facts is None or not stat.S_ISREG(facts.st_mode):
                    return None if facts is None else "odd"
                return folder.read(name, self._limit_bytes)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as fault:
            if fault.errno == errno.ELOOP:
                return "odd"
            raise WriteFailed(path, fault.strerror or str(fault)) from fault

    def _is_exact(self, path: str, twin: str) -> bool:
        if path == twin or path.casefold() != twin.casefold():
            return True
        parts, others = path.split("/"), twin.split("/")
        for at, (part, other) in enumerate(zip(parts, others, strict=True)):
            if part != other:
                with open_folder(self._root, "/".join(parts[:at])) as folder:
                    if part not in [normalize("NFC", name) for name in folder.names()]:
                        return False
        return True


def folders_of(plans: Iterable[PlannedStep]) -> set[str]:
    places = (
        p for plan in plans for p in (plan.at, plan.via, plan.final) if p is not None
    )
    return {above(place) for place in places}


TRASH = ".trash"  # where deleted files go to, and come back from

LONGEST_NAME = 255  # bytes of a name that every disk takes

MOST = 10_000  # numbers that are tried for a name that is taken


def is_trashed(path: str) -> bool:
    return path.startswith(f"{TRASH}/")


def trash_place(path: str, is_taken: Callable[[NotePath], bool]) -> NotePath:
    place = NotePath(f"{TRASH}/{path}")
    if not is_taken(place):
        return place
    folder, _, name = place.rpartition("/")
    stem, dot, ending = name.rpartition(".")
    if not stem:  # no ending, or nothing but one
        stem, dot, ending = name, "", ""
    for number in range(1, MOST):
        tail = f" {number}{dot}{ending}"
        fits = stem.encode()[: LONGEST_NAME - len(tail.encode())].decode(
            errors="ignore"
        )
        other = NotePath(f"{folder}/{fits}{tail}")
        if not is_taken(other):
            return other
    raise NameTaken(place)
