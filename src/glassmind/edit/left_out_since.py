"""Notes that are left out of the index since a change of them was thought out.

Nobody is told what they say, and nothing is written to them, whatever was asked for
before. What a change itself brought to where nothing is read may come back.
"""

from collections.abc import Collection
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from typing import TypeAlias

from glassmind.edit.desk import Desk
from glassmind.edit.diffs import changed
from glassmind.edit.judging import notes_below
from glassmind.edit.left_out import refuse_opening
from glassmind.edit.moved_since import moves_since
from glassmind.edit.naming import check_read
from glassmind.edit.seen import check_folder_seen, told_changeset
from glassmind.errors import FileUnreadable
from glassmind.errors.editing import EditRefused
from glassmind.files.ignore import IgnoreRules
from glassmind.files.trash import is_trashed
from glassmind.files.ways import forward
from glassmind.model import NotePath
from glassmind.model.editing import Changed, Changeset, Draft, FileDiff, Step

BROUGHT = "brought"
"""The fact of a draft that names the notes which its folders take out of sight."""

LONGEST = 200_000
"""Characters of such names that are kept: thousands of notes. They are read with every
list; a folder with more of them is brought back by hand."""

_Texts: TypeAlias = AbstractSet[tuple[NotePath | None, bytes | None]]
"""Where files are, and what they say there."""


def refuse_left_out(desk: Desk, draft: Draft, undone: Changeset | None = None) -> None:
    """Let no change be made or shown that is about text of a note left out by now.

    Nor one by which notes would be read that are left out. `undone` is the change that
    it takes back: what that one brought there, as it left it, is known anyway.

    Raises:
        FileUnreadable: the text of a note that is left out would be changed.
        EditRefused: a folder would go to where such notes are read, or one is in it
            that whoever asks may not read.
    """
    rules = desk.rules()
    own = _left_there(rules, undone)
    for step in draft.steps:
        if step.folder and step.path and not is_trashed(step.path):
            check_folder_seen(desk, step.path, ())
            refuse_opening(desk.root, rules, step.path, step.to, _brought(undone))
        elif not step.folder and _is_hidden(step, own):
            check_read(rules, step.path or step.to)


def carrying(desk: Desk, draft: Draft) -> Draft:
    """Return a draft that knows which notes its folders take to where none is read."""
    folders = [s for s in draft.steps if s.folder and not is_trashed(s.to)]
    if not folders:
        return draft
    rules = desk.rules()
    found = [
        then
        for step in folders
        if step.path
        for note in notes_below(desk.root, step.path)
        if (then := step.to + note[len(step.path) :])
        and rules.left_out(then) is not None
        and rules.left_out(note) is None
    ]
    if not found or sum(map(len, found)) > LONGEST:
        return draft
    return replace(draft, facts={**draft.facts, BROUGHT: sorted(found)})


def known_undone(desk: Desk, changeset: Changeset) -> Changeset | None:
    """Return the change that a changeset takes back; None for none, or one too old."""
    with suppress(EditRefused):
        return desk.book.get(changeset.undoes) if changeset.undoes else None
    return None


def kept_as_shown(desk: Desk, identity: str) -> Changed:
    """Return a changeset with its diffs, but for those of notes left out by now.

    Raises:
        ChangesetUnknown: there is none.
    """
    return withheld(desk, changed(told_changeset(desk, identity)))


def withheld(desk: Desk, done: Changed) -> Changed:
    """Return what came of a change; diffs of notes left out by now say so instead."""
    one = done.changeset
    rules, steps = desk.rules(), one.draft.steps
    is_made = one.state == "applied"
    own: _Texts = set() if is_made else _left_there(rules, known_undone(desk, one))
    moved = moves_since(desk, one) if is_made else []
    folders = _folders(steps)

    def place(step: Step) -> NotePath | None:
        return forward(step.to, [*folders, *moved]) if is_made else step.path

    files = [
        _withheld(rules, file, place(step))
        if not step.folder and _is_text(step) and (step.path, step.before) not in own
        else file
        for file, step in zip(done.files, steps, strict=True)
    ]
    return replace(done, files=tuple(files))


def _withheld(rules: IgnoreRules, file: FileDiff, place: NotePath | None) -> FileDiff:
    if place is None:  # it is not made, so that there is nobody's text but the asker's
        return file
    try:
        check_read(rules, place)
    except FileUnreadable as fault:
        return replace(file, diff=f"It is not shown: {fault}.\n")
    return file


def _is_text(step: Step) -> bool:
    return step.before != step.after


def _is_hidden(step: Step, own: _Texts) -> bool:
    """Whether a step is about text of a file that nobody may know."""
    if step.path is None or step.before is None or not _is_text(step):
        return False
    return (step.path, step.before) not in own


def _left_there(rules: IgnoreRules, change: Changeset | None) -> _Texts:
    """Return the texts that a change brought elsewhere, from where they are read."""
    if change is None:
        return set()
    steps = change.draft.steps
    folders = _folders(steps)
    ends = ((step, forward(step.to, folders)) for step in steps if not step.folder)
    return {
        (end, step.after)
        for step, end in ends
        if step.path and step.path != end and rules.left_out(step.path) is None
    }


def _folders(steps: Collection[Step]) -> list[tuple[str, str]]:
    return [(step.path, step.to) for step in steps if step.folder and step.path]


def _brought(change: Changeset | None) -> Collection[object]:
    found = change.draft.facts.get(BROUGHT) if change is not None else None
    return frozenset(found) if isinstance(found, list) else ()
