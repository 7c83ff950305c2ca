"""What the policy says to a change: the strictest of what it says to its files."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from glassmind.access.meant import Meant, head_tags, meant_tags
from glassmind.access.policy import strictest
from glassmind.edit.desk import Desk
from glassmind.errors import VaultError
from glassmind.files.placeholder import stood_for
from glassmind.files.scan import kind_of
from glassmind.files.trash import is_trashed
from glassmind.model import NotePath
from glassmind.model.editing import Draft, Step, Verdict

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
    those that it gets. Where a folder is held by the tags of notes in it, the first of
    those is named. A change without files may be made.
    """
    found = [one for step in draft.steps for one in _of_step(desk, draft, step)]
    if not found:
        return Judged(Verdict("allow", "nothing to be written"), NotePath(""))

    def verdict(place: _Place, notes: Sequence[NotePath]) -> Verdict:
        meant = [place.notes[note] for note in notes]
        return desk.policy.judge(
            place.path,
            tags=[tag for one in meant for tag in one.tags],
            tainted=tainted,
            folder=place.folder,
            sure=all(one.sure for one in meant),
        )

    verdicts = [verdict(place, list(place.notes)) for place in found]
    decides = strictest(verdicts)
    place = found[verdicts.index(decides)]
    if not place.folder or verdict(place, ()) == decides:
        return Judged(decides, place.path)
    held = (note for note in place.notes if verdict(place, [note]) == decides)
    return Judged(decides, next(held, place.path))


class _Place(NamedTuple):
    """Where a file or a folder is or goes, and the notes of it whose tags count."""

    path: NotePath
    notes: Mapping[NotePath, Meant]
    folder: bool


def _of_step(desk: Desk, draft: Draft, step: Step) -> Iterator[_Place]:
    notes = _tags(desk, step)
    for path in dict.fromkeys(_places(draft, step)):
        yield _Place(path, notes, step.folder)


def _places(draft: Draft, step: Step) -> Iterator[NotePath]:
    if step.path is None:
        yield step.to
        return
    if not (is_trashed(step.path) and draft.verb in FROM_TRASH):
        yield step.path
    if not (is_trashed(step.to) and draft.verb in TO_TRASH):
        yield step.to


def _tags(desk: Desk, step: Step) -> Mapping[NotePath, Meant]:
    """Return the tags of a note before and after, where any rule is about tags.

    Of a folder they are those of the rules, by the notes in it that have them.
    """
    ruled = desk.policy.tags
    if not ruled:
        return {}
    if step.folder and step.path is not None:
        return _tags_below(desk, step.path, ruled)
    path = step.path or step.to
    before = meant_tags(path, step.before)
    if step.after == step.before:
        return {path: before}
    after = meant_tags(step.to, step.after)
    return {path: Meant((*before.tags, *after.tags), before.sure and after.sure)}


def _tags_below(
    desk: Desk, folder: NotePath, ruled: Sequence[str]
) -> Mapping[NotePath, Meant]:
    """Return the tags with a rule of the notes in a folder, left out or not.

    Notes without any are not among them, but for those whose tags nobody can tell.
    """
    inside = f"{folder}/"
    found: dict[NotePath, set[str]] = {}
    unsure: set[NotePath] = set()
    with desk.faults():
        rows = desk.rows()
        known = set(rows.inside(folder))
        for tag in ruled:
            for path in rows.tagged(tag):
                if path.startswith(inside):
                    found.setdefault(path, set()).add(tag)
    for path in notes_below(desk.root, folder):
        try:
            raw = desk.files.read(path)
        except VaultError:
            unsure.add(path)
            continue
        # the rows know the tags in its text
        meant = (head_tags if path in known else meant_tags)(path, raw)
        if tags := {tag for tag in ruled if meant.has(tag)}:
            found.setdefault(path, set()).update(tags)
        if not meant.sure:
            unsure.add(path)
    return {
        path: Meant(tuple(sorted(found.get(path, ()))), path not in unsure)
        for path in sorted({*found, *unsure})
    }


def forbidden(desk: Desk, draft: Draft) -> dict[NotePath, str]:
    """Return the files of a change that may not be edited, each with its rule."""
    found = {
        step.to: judged(desk, replace(draft, steps=(step,))).verdict
        for step in draft.steps
    }
    return {
        path: verdict.rule for path, verdict in found.items() if verdict.may == "off"
    }


def notes_below(root: Path, folder: NotePath) -> Iterator[NotePath]:
    """Yield the notes in a folder, left out or not, downloaded or not.

    None in hidden folders.
    """
    for place, folders, names in os.walk(root / folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for entry in names:
            name = stood_for(entry) or entry
            if kind_of(name) != "attachment" and not Path(place, entry).is_symlink():
                file = Path(place, name)
                yield NotePath(normalize("NFC", file.relative_to(root).as_posix()))
