"""The files of a vault before a change and after it, by name."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from glassmind.edit.desk import Desk
from glassmind.files.left_out import MOST_NAMES, unindexed
from glassmind.files.resolve import Names, name_key
from glassmind.files.trash import is_trashed
from glassmind.model import NotePath
from glassmind.model.editing import Step
from glassmind.ports.editing import EditRows

OTHER_KINDS = ("canvas", "base")
"""Kinds of notes whose references the rows do not all know."""


@dataclass(frozen=True, slots=True)
class Renames:
    """What some steps do to the names of a vault.

    `goes` are files with another path afterwards, `folders` those moved as a whole;
    `gone` go to the trash, `come` are new.
    """

    goes: Mapping[NotePath, NotePath]
    folders: Mapping[str, str]
    gone: frozenset[NotePath]
    come: frozenset[NotePath]

    def keys(self, targets: Iterable[NotePath] = ()) -> set[str]:
        """Return the keys of every link that may lead elsewhere through them."""
        every = (*self.goes, *self.goes.values(), *self.gone, *self.come, *targets)
        return {name_key(path) for path in every}

    def after(self, paths: Iterable[NotePath]) -> set[NotePath]:
        """Return the files that there are afterwards, of those there are before."""
        left = {path for path in paths if path not in self.goes}
        return (left - self.gone) | set(self.goes.values()) | self.come


def renames_of(steps: Iterable[Step], paths: Sequence[NotePath]) -> Renames:
    """Return what steps do to names, where these are the files there are."""
    goes: dict[NotePath, NotePath] = {}
    folders: dict[str, str] = {}
    gone: set[NotePath] = set()
    come: set[NotePath] = set()
    for step in steps:
        if step.path is None:
            come.add(step.to)
        elif is_trashed(step.to):
            below = inside(step.path, paths) if step.folder else [step.path]
            gone.update(below)
        elif step.folder:
            folders[step.path] = step.to
            for path in inside(step.path, paths):
                goes[path] = NotePath(step.to + path[len(step.path) :])
        elif step.path != step.to:
            goes[step.path] = step.to
    return Renames(goes, folders, frozenset(gone), frozenset(come))


def inside(folder: str, paths: Iterable[NotePath]) -> list[NotePath]:
    """Return those of the paths that lie below a folder."""
    return [path for path in paths if path.startswith(f"{folder}/")]


@dataclass(frozen=True, slots=True)
class Universe:
    """What a change looks at: the rows, every file, and what could not be refreshed.

    `paths` are the files of the index. `others` are left out of it: links lead to them
    and folders take them along, but nobody names, reads or writes them.
    """

    rows: EditRows
    paths: Sequence[NotePath]
    risks: tuple[str, ...] = ()
    others: tuple[NotePath, ...] = ()

    def no_markdown(self) -> set[NotePath]:
        """Return every canvas and base: the rows do not know all they speak of."""
        return {path for kind in OTHER_KINDS for path in self.rows.of_kind(kind)}

    def ends(self) -> Names:
        """Return the names of all files that links lead to."""
        return Names.of((*self.paths, *self.others))

    def ends_after(self, renames: Renames) -> Names:
        """Return the names of all files that links lead to afterwards."""
        return Names.of(renames.after((*self.paths, *self.others)))

    def renames(self, steps: Iterable[Step]) -> Renames:
        """Return what steps do to the names of all files, read or not."""
        return renames_of(steps, (*self.paths, *self.others))


def universe_of(desk: Desk) -> Universe:
    """Return the files of a vault as they are now; the index is brought up first."""
    late = desk.refresh(())
    rows = desk.rows()
    risks = () if late is None else (f"notes may be newer than the index: {late}",)
    paths = rows.paths()
    return Universe(rows, paths, risks, left_out_of(desk, paths))


def left_out_of(desk: Desk, paths: Iterable[NotePath]) -> tuple[NotePath, ...]:
    """Return the files of a vault that are not among those of its index, by path."""
    return tuple(islice(unindexed(desk.root, frozenset(paths)), MOST_NAMES))
