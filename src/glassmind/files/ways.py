"""The way of each file through a change: where it is, and where it will be.

Contents are changed first, at the old places; then files are moved or made; whole
folders are moved last. So a file has up to three places: `at` is where it was, `via`
where it is when files have moved and folders have not, `final` where it ends.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from glassmind.errors.editing import NotEditable
from glassmind.errors.writing import NameTaken, WriteFailed
from glassmind.files.paths import safe_path
from glassmind.files.trash import TRASH, is_trashed
from glassmind.model import NotePath
from glassmind.model.editing import Step

CLOSED = ("inbox", "logs", "cache")
"""Parts of the agent folder that are not edited: what waits for approval, records."""


class Way(NamedTuple):
    """One step, and the places on its way.

    A file that is made has no `at`; one that is taken away again has no `via`.
    """

    step: Step
    at: NotePath | None
    via: NotePath | None
    final: NotePath

    @property
    def is_rewritten(self) -> bool:
        """Whether bytes of it are staged."""
        if self.step.folder or self.via is None:
            return False
        return self.at is None or self.step.before != self.step.after

    @property
    def is_moved(self) -> bool:
        """Whether it is made, moved or taken away, by itself."""
        return not self.step.folder and self.at != self.via

    @property
    def name(self) -> NotePath:
        """What it is called when something is told of it."""
        return self.step.path or self.step.to


def ways_of(steps: Sequence[Step], agent_folder: str) -> list[Way]:
    """Return the way of every step, in the order of the steps.

    A file inside a folder that is moved may be named by its path there, or with the new
    path as the place that it goes to: both mean that it goes along.

    Raises:
        PathOutsideVault: a path climbs, or is none.
        NotEditable: a path lies where nothing is edited.
        NameTaken: two files would get one place.
        WriteFailed: a step is no step.
    """
    clean = [_clean(step, agent_folder) for step in steps]
    folders = [(step.path, step.to) for step in clean if step.folder and step.path]
    for old, _ in folders:
        if any(_is_below(old, other) for other, _ in folders):
            raise WriteFailed(old, "the folder it stands in is moved too")
    ways = [_way(step, folders) for step in clean]
    _refuse_twins(ways)
    return ways


def forward(path: str, moves: Iterable[tuple[str, str]]) -> NotePath:
    """Return where a path leads when files or folders have been moved, in order."""
    for old, new in moves:
        path = _swapped(path, old, new)
    return NotePath(path)


def _way(step: Step, folders: Sequence[tuple[str, str]]) -> Way:
    if step.folder:
        return Way(step, step.path, step.to, step.to)
    at = step.path
    if at and not any(_is_below(at, old) for old, _ in folders):
        at = _backward(at, folders)  # named by where its folder goes
    via = _backward(step.to, folders)
    return Way(step, at, via, forward(via, folders))


def _backward(path: str, folders: Sequence[tuple[str, str]]) -> NotePath:
    for old, new in reversed(folders):
        path = _swapped(path, new, old)
    return NotePath(path)


def _swapped(path: str, old: str, new: str) -> str:
    return new + path[len(old) :] if path == old or _is_below(path, old) else path


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/")


def _clean(step: Step, agent_folder: str) -> Step:
    path = None if step.path is None else safe_path(step.path)
    to = safe_path(step.to)
    if step.folder and (path is None or _is_below(to, path)):
        raise WriteFailed(path or to, "a folder cannot go into itself")
    if step.folder and path is not None and _is_below(agent_folder, path):
        raise NotEditable(path, f"{agent_folder} stands in it")
    if path is not None and step.before is None and not step.folder:
        raise WriteFailed(path, "nobody says what it is now")
    if path is None and step.before is not None:
        raise WriteFailed(to, "a new file has no content before")
    leaves_trash = path is not None and is_trashed(path)
    if path is not None and not (leaves_trash and not is_trashed(to)):
        _judge(path, agent_folder)
    _judge(to.removeprefix(f"{TRASH}/"), agent_folder, told=to)
    return step._replace(path=path, to=to)


def _judge(path: str, agent_folder: str, told: str = "") -> None:
    """Refuse what lies in a folder that begins with a dot, but for that of agents."""
    parts, agents = path.split("/"), agent_folder.split("/")
    depth = len(agents)
    folded = [part.casefold() for part in parts]
    if folded[:depth] == [part.casefold() for part in agents]:
        if len(parts) <= depth or folded[depth] in CLOSED:
            raise NotEditable(told or path, f"{agent_folder} keeps it for itself")
        if parts[:depth] == agents:
            parts = parts[depth:]
    if any(part.startswith(".") for part in parts):
        raise NotEditable(told or path, "a name that begins with a dot is in its path")


def _refuse_twins(ways: Sequence[Way]) -> None:
    for places in ([w.at for w in ways if w.at], [w.final for w in ways]):
        seen: set[str] = set()
        for place in places:
            if place in seen:
                raise NameTaken(place)
            seen.add(place)


def in_order(ways: Iterable[Way]) -> list[Way]:
    """Return what is moved or made, so that each finds its place free.

    Raises:
        NameTaken: some would have to go round in a circle.
    """
    moved = [way for way in ways if way.is_moved]
    leaving: dict[str | None, Way] = {way.at: way for way in moved if way.at}
    ordered: list[Way] = []
    placed: set[int] = set()
    for way in moved:
        line = [way]
        while (follows := leaving.get(line[-1].via)) and id(follows) not in placed:
            if any(follows is one for one in line):
                raise NameTaken(way.final)
            line.append(follows)
        for one in reversed(line):
            if id(one) not in placed:
                placed.add(id(one))
                ordered.append(one)
    return ordered
