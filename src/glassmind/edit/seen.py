"""What somebody who may not read every note sees of a change, before and after it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache

from glassmind.edit.desk import Desk
from glassmind.edit.judging import notes_below
from glassmind.errors import (
    FileTooLarge,
    GlassmindError,
    NotDownloaded,
    NoteNotFound,
    VaultError,
)
from glassmind.errors.editing import ChangesetUnknown, EditRefused
from glassmind.errors.vault import SymlinkInPath
from glassmind.errors.writing import NameTaken
from glassmind.model import NotePath
from glassmind.model.editing import Changed, Changeset, Step

OWNERS = "only the owner of the vault can do this"
"""What is said where a file is in the way that whoever asks may not read."""

WAITS = "a person has to look at it first"
"""Why a change waits for something in files that whoever asks may not read."""

CLOSED = (
    "it is done, and {what} cannot be read any more by who asked for it; only the "
    "owner of the vault can take it back"
)
"""What is said of files that a change has hidden from whoever asked for it."""

WOULD_CLOSE = (
    "after it {what} could not be read any more by who asks for it; only the owner of "
    "the vault could take it back"
)
"""What is said of them where it is not made."""

NAMED = 3
"""Files that are named of those."""


def is_seen(desk: Desk, path: NotePath) -> bool:
    """Whether whoever asks may read a file; one that is not there is seen.

    One that is not downloaded, or too large, is seen as it was indexed.
    """
    if desk.sight is None:
        return True
    try:
        return desk.sight.sees(path, desk.files.read(path))
    except (NotDownloaded, FileTooLarge):
        return path in desk.sight.paths()
    except SymlinkInPath:
        return False


def is_hidden_from(desk: Desk) -> Callable[[NotePath], bool]:
    """Return a test for files that the caller may not read."""
    if desk.sight is None:
        return lambda _: False
    return cache(lambda path: not _is_read(desk, path))


def check_seen(desk: Desk, name: str, path: NotePath) -> None:
    """Refuse a file that whoever asks may not read, as if there were none.

    Raises:
        NoteNotFound: it is not seen.
    """
    if not is_seen(desk, path):
        raise NoteNotFound(name)


def check_folder_seen(desk: Desk, folder: NotePath, inside: Iterable[NotePath]) -> None:
    """Refuse a folder in which there is anything that whoever asks may not read.

    `inside` are the files of it that the index has; notes of it that are left out of
    the index are judged by their text.

    Raises:
        EditRefused: not all of it is seen.
    """
    if desk.sight is None:
        return
    known = set(desk.sight.paths())
    others = (note for note in notes_below(desk.root, folder) if note not in known)
    if not known.issuperset(inside) or not all(_is_read(desk, note) for note in others):
        said = f"{folder} stays where it is: only its owner can move all of it"
        raise EditRefused(said)


def _is_read(desk: Desk, note: NotePath) -> bool:
    """Whether whoever asks may read a note; nobody may one that cannot be read."""
    try:
        return is_seen(desk, note)
    except VaultError:
        return False


def told_changeset(desk: Desk, identity: str, client: str = "") -> Changeset:
    """Return a changeset that whoever asks may be told of, content and all.

    Raises:
        ChangesetUnknown: there is none.
    """
    if desk.told is None:
        return desk.book.get(identity)
    return desk.told.get(identity, client)


@contextmanager
def nothing_hidden_named(desk: Desk) -> Iterator[None]:
    """Let no fault of a change name a file that whoever asks may not read.

    Only that something is where a file should go is told: nothing is written over.

    Raises:
        EditRefused: in the place of a fault that names one.
    """
    try:
        yield
    except GlassmindError as fault:
        path = getattr(fault, "path", None)
        if (
            isinstance(path, str)
            and not isinstance(fault, NameTaken)
            and not may_be_named(desk, NotePath(path))
        ):
            raise EditRefused(OWNERS) from None
        raise


def may_be_named(desk: Desk, path: NotePath) -> bool:
    """Whether a fault may name a file; one that cannot be read, as it was indexed."""
    try:
        return is_seen(desk, path)
    except VaultError:
        with desk.faults():
            known = path in desk.rows().paths()
        return not known or desk.sight is None or path in desk.sight.paths()


def as_seen(desk: Desk, done: Changed, client: str = "") -> Changed:
    """Return what came of a change without files that whoever asks may not read.

    Of such a change neither links are counted nor risks told, which may be about them.
    A notice names those that it hides itself: whoever asked for that knows them. What
    is only shown and could not be asked for by its id has none.
    `client` is who asks, where nobody is known to.
    """
    if desk.sight is None:
        return done
    steps = done.changeset.draft.steps
    told = desk.sight.as_told(done.changeset, steps, client)
    kept = {_ends(step) for step in told.draft.steps}
    files = tuple(one for one in done.files if (one.path, one.to) in kept)
    closed = tuple(step.to for step in steps if desk.sight.closes(step))
    if (
        closed
        and told.state == "previewed"
        and not is_visible_changeset(desk, told, client)
    ):
        told = replace(told, id="")
    said = [_said_of(done, closed)] if closed else []
    notices = (*done.notices, *said)
    return replace(done, changeset=told, files=files, closed=closed, notices=notices)


def is_visible_changeset(desk: Desk, changeset: Changeset, client: str = "") -> bool:
    """True if the caller may see a changeset by its id."""
    try:
        return bool(told_changeset(desk, changeset.id, client))
    except ChangesetUnknown:
        return False


def _said_of(done: Changed, closed: Sequence[NotePath]) -> str:
    more = len(closed) - NAMED
    rest = f" and {more:,} more" if more > 0 else ""
    said = CLOSED if done.changeset.state == "applied" else WOULD_CLOSE
    return said.format(what=", ".join(closed[:NAMED]) + rest)


def _ends(step: Step) -> tuple[NotePath | None, NotePath]:
    return step.path, step.to
