"""What the policy says to a change: the strictest of what it says to its files."""

from collections.abc import Iterator
from typing import NamedTuple

from glassmind.access.policy import TRASH, strictest
from glassmind.editing.desk import Desk
from glassmind.markdown.read import read_note
from glassmind.types import NotePath
from glassmind.types.editing import Draft, Step, Verdict
from glassmind.vault.decode import Unreadable, decode
from glassmind.vault.scan import kind_of

TO_TRASH = frozenset(("delete", "merge", "undo"))
"""What puts files into the trash; to move one there is to delete it."""

FROM_TRASH = frozenset(("undo",))
"""What takes files out of it."""


class Judged(NamedTuple):
    """A verdict, and the file that it is about."""

    verdict: Verdict
    path: NotePath


def judged(desk: Desk, draft: Draft, *, tainted: bool = False) -> Judged:
    """Return what may be done with a change: as much as with the strictest file of it.

    Every file is judged where it is and where it goes, by the tags that it has and
    those that it gets. A change without files may be made.
    """
    found = [one for step in draft.steps for one in _of_step(desk, draft, step)]
    whole = [
        Judged(desk.policy.judge(path, tags=tags, tainted=tainted, folder=folder), path)
        for path, tags, folder in found
    ]
    if not whole:
        return Judged(Verdict("allow", "nothing to be written"), NotePath(""))
    decides = strictest(one.verdict for one in whole)
    return next(one for one in whole if one.verdict == decides)


class _Place(NamedTuple):
    """Where a file is or goes, with the tags that count there."""

    path: NotePath
    tags: tuple[str, ...]
    folder: bool


def _of_step(desk: Desk, draft: Draft, step: Step) -> Iterator[_Place]:
    tags = _tags(desk, step)
    for path in dict.fromkeys(_places(draft, step)):
        yield _Place(path, tags, step.folder)


def _places(draft: Draft, step: Step) -> Iterator[NotePath]:
    if step.path is None:
        yield step.to
        return
    if not (_in_trash(step.path) and draft.verb in FROM_TRASH):
        yield step.path
    if not (_in_trash(step.to) and draft.verb in TO_TRASH):
        yield step.to


def _in_trash(path: NotePath) -> bool:
    return path.startswith(f"{TRASH}/")


def _tags(desk: Desk, step: Step) -> tuple[str, ...]:
    """Return the tags of a note before and after, where any rule is about tags.

    Of a folder they are those of the rules that some note in it has.
    """
    ruled = desk.policy.tags
    if not ruled:
        return ()
    if step.folder and step.path is not None:
        inside = f"{step.path}/"
        with desk.faults():
            rows = desk.rows()
            return tuple(
                tag
                for tag in ruled
                if any(path.startswith(inside) for path in rows.tagged(tag))
            )
    before = _tags_in(step.path or step.to, step.before)
    after = () if step.after == step.before else _tags_in(step.to, step.after)
    return (*before, *after)


def _tags_in(path: NotePath, raw: bytes | None) -> tuple[str, ...]:
    if raw is None or kind_of(path) == "attachment":
        return ()
    found = decode(raw)
    if isinstance(found, Unreadable):
        return ()
    return tuple(tag.name for tag in read_note(path, found.text).tags)
