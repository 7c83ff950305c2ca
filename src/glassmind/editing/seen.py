"""What came of a change, told to somebody who may not read every note."""

from collections.abc import Iterable
from dataclasses import replace

from glassmind.editing.desk import Desk
from glassmind.errors import NoteNotFound
from glassmind.errors.editing import EditRefused
from glassmind.types import NotePath
from glassmind.types.editing import NO_LINKS, Changed, Step


def check_seen(desk: Desk, name: str, path: NotePath) -> None:
    """Refuse a file that whoever asks may not read, as if there were none.

    Raises:
        NoteNotFound: it is not seen.
    """
    if desk.sight is not None and not desk.sight.sees(path, desk.files.read(path)):
        raise NoteNotFound(name)


def check_folder_seen(desk: Desk, folder: NotePath, inside: Iterable[NotePath]) -> None:
    """Refuse a folder in which there is anything that whoever asks may not read.

    Raises:
        NoteNotFound: nothing in it is seen.
        EditRefused: not all of it is.
    """
    if desk.sight is None:
        return
    files = list(inside)
    seen = set(desk.sight.paths())
    if seen.issuperset(files):
        return
    if seen.isdisjoint(files):
        raise NoteNotFound(f"{folder}/")
    raise EditRefused(f"{folder} stays where it is: only its owner can move all of it")


def as_seen(desk: Desk, done: Changed) -> Changed:
    """Return what came of a change without files that whoever asks may not read.

    Of such a change neither links are counted nor risks told, which may be about them.
    """
    sight = desk.sight
    if sight is None:
        return done
    steps = done.changeset.draft.steps
    hidden = {_ends(step) for step in steps if not sight.sees_step(step)}
    if not hidden:
        return done
    draft = replace(
        done.changeset.draft,
        steps=tuple(step for step in steps if _ends(step) not in hidden),
        rewritten=NO_LINKS,
        risks=(),
    )
    files = tuple(one for one in done.files if (one.path, one.to) not in hidden)
    changeset = replace(done.changeset, draft=draft)
    return replace(done, changeset=changeset, files=files)


def _ends(step: Step) -> tuple[NotePath | None, NotePath]:
    return step.path, step.to
