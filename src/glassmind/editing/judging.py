"""What the policy says to a change: the strictest of what it says to its files."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from glassmind.access.meant import Meant, head_tags, meant_tags
from glassmind.access.policy import TRASH, strictest
from glassmind.editing.desk import Desk
from glassmind.errors import VaultError
from glassmind.types import NotePath
from glassmind.types.editing import Draft, Step, Verdict
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
        Judged(
            desk.policy.judge(
                path, tags=meant.tags, tainted=tainted, folder=folder, sure=meant.sure
            ),
            path,
        )
        for path, meant, folder in found
    ]
    if not whole:
        return Judged(Verdict("allow", "nothing to be written"), NotePath(""))
    decides = strictest(one.verdict for one in whole)
    return next(one for one in whole if one.verdict == decides)


class _Place(NamedTuple):
    """Where a file is or goes, with the tags that count there."""

    path: NotePath
    meant: Meant
    folder: bool


def _of_step(desk: Desk, draft: Draft, step: Step) -> Iterator[_Place]:
    meant = _tags(desk, step)
    for path in dict.fromkeys(_places(draft, step)):
        yield _Place(path, meant, step.folder)


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


def _tags(desk: Desk, step: Step) -> Meant:
    """Return the tags of a note before and after, where any rule is about tags.

    Of a folder they are those of the rules that some note in it has.
    """
    ruled = desk.policy.tags
    if not ruled:
        return Meant()
    if step.folder and step.path is not None:
        return _tags_below(desk, step.path, ruled)
    before = meant_tags(step.path or step.to, step.before)
    if step.after == step.before:
        return before
    after = meant_tags(step.to, step.after)
    return Meant((*before.tags, *after.tags), before.sure and after.sure)


def _tags_below(desk: Desk, folder: NotePath, ruled: Sequence[str]) -> Meant:
    """Return the tags with a rule of the notes in a folder, left out or not."""
    inside = f"{folder}/"
    with desk.faults():
        rows = desk.rows()
        known = set(rows.inside(folder))
        found = {
            tag
            for tag in ruled
            if any(path.startswith(inside) for path in rows.tagged(tag))
        }
    sure = True
    for path in notes_below(desk.root, folder):
        try:
            raw = desk.files.read(path)
        except VaultError:
            sure = False
            continue
        # the rows know the tags in its text
        meant = (head_tags if path in known else meant_tags)(path, raw)
        found.update(tag for tag in ruled if meant.has(tag))
        sure = sure and meant.sure
    return Meant(tuple(sorted(found)), sure)


def notes_below(root: Path, folder: NotePath) -> Iterator[NotePath]:
    """Yield the notes in a folder, left out or not; none in hidden folders."""
    for place, folders, names in os.walk(root / folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            file = Path(place, name)
            if kind_of(name) != "attachment" and not file.is_symlink():
                yield NotePath(normalize("NFC", file.relative_to(root).as_posix()))
