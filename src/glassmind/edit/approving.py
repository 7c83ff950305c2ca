"""What a person decides about a proposal: that it is applied, or left.

No program decides it: these are called by the command that a person types, and by no
tool or route.
"""

from collections.abc import Sequence
from dataclasses import replace

from glassmind.edit.applying import applied, moving, settle
from glassmind.edit.asking import Asking
from glassmind.edit.desk import Desk
from glassmind.edit.diffs import changed
from glassmind.edit.judging import judged
from glassmind.edit.left_out_since import known_undone, refuse_left_out, withheld
from glassmind.edit.naming import is_taken
from glassmind.edit.replanning import (
    Anew,
    another,
    as_rest,
    edited_anew,
    in_its_place,
)
from glassmind.edit.three_way import merge
from glassmind.edit.undoing import EDITED
from glassmind.errors.editing import (
    ChangesetUnknown,
    EditRefused,
    PolicyForbids,
    WrongState,
)
from glassmind.errors.writing import NameTaken, NoteChanged, NoteGone
from glassmind.files.read import digest_of
from glassmind.model.editing import Changed, Changeset, Step
from glassmind.ports.editing import Standing

SAID_ALREADY = "its files say so already"


def approve(
    desk: Desk, identity: str, *, client: str = "cli", anew: Anew = lambda _: None
) -> Changed:
    """Apply a proposal, or what was only shown: a person said so.

    Where files of it were edited meanwhile and the change still fits, a new proposal on
    the present texts takes its place, to be looked at; what is returned is that.

    Raises:
        ChangesetUnknown: there is none.
        WrongState: it does not wait.
        PolicyForbids: the settings do not let a file of it be edited at all.
        FileUnreadable: a note that it changes is left out of the index by now.
        NoteChanged: it does not fit the present text of a file.
        NameTaken: something is where a file should go.
    """
    with desk.files.turn():
        notices = settle(desk)
        waits = desk.book.get(identity)
        if waits.state not in ("proposed", "previewed"):
            raise WrongState(waits.id, waits.state, "proposed")
        (may, rule), path = judged(desk, waits.draft)
        if may == "off":
            raise PolicyForbids(path, rule)
        refuse_left_out(desk, waits.draft, known_undone(desk, waits))
        steps = moving(waits.draft.steps)
        standing = desk.files.standing(steps)
        fresh = another(anew, waits.draft, standing)
        if fresh is not None:
            done = in_its_place(desk, waits, fresh)
        elif all(now == "old" for now in standing):
            why = f"{waits.draft.verb} {waits.id}, approved"
            done = applied(desk, waits, Asking(client=client, why=why))
        else:
            done = _refitted(desk, waits, standing, anew)
    return replace(done, notices=(*notices, *done.notices))


def reject(desk: Desk, identity: str, *, client: str = "cli") -> Changed:
    """Leave a proposal; nothing is changed.

    Raises:
        ChangesetUnknown: there is none.
        WrongState: it does not wait.
    """
    waits, notices = _waiting(desk, identity), []
    try:
        known = desk.book.get(waits.id)
    except EditRefused as fault:  # damaged; what is in it cannot be told
        known = replace(waits, draft=replace(waits.draft, steps=()))
        notices.append(str(fault))
    left = desk.book.shift(waits.id, "rejected", reason=f"by {client}")
    done = replace(known, state=left.state, reason=left.reason)
    return withheld(desk, changed(done, notices=notices))


def _waiting(desk: Desk, identity: str) -> Changeset:
    """Return a proposal without its content, which may be damaged."""
    known, _ = desk.book.listed()
    wanted = identity.strip().lower()
    found = [one for one in known if wanted and one.id.startswith(wanted)]
    if len(found) != 1:
        raise ChangesetUnknown(identity, [one.id for one in found])
    if found[0].state != "proposed":
        raise WrongState(found[0].id, found[0].state, "proposed")
    return found[0]


def _refitted(
    desk: Desk, waits: Changeset, standing: Sequence[Standing], anew: Anew
) -> Changed:
    """Propose a change as it fits the present texts, or as it is made on them now."""
    steps = moving(waits.draft.steps)
    try:
        fitted = [
            _fitted(desk, step, now) for step, now in zip(steps, standing, strict=True)
        ]
    except NoteChanged:
        fresh = edited_anew(anew, waits.draft)
        if fresh is None:
            raise
    else:
        fresh = replace(waits.draft, steps=moving(list(filter(None, fitted))))
        fresh = as_rest(fresh) if None in fitted else fresh
    if not moving(fresh.steps):
        return _said_already(desk, waits)
    return in_its_place(desk, waits, fresh, EDITED)


def _fitted(desk: Desk, step: Step, standing: Standing) -> Step | None:
    """Return a step as it would be made now; None for one that was made already."""
    if standing == "new":
        return None
    if standing == "old":
        return step
    if step.folder or step.path is None or step.before is None:
        raise NameTaken(step.to)
    now = desk.files.read(step.path)
    expected = digest_of(step.before)
    if now is None:
        raise NoteGone(step.path, expected=expected)
    if step.to != step.path and is_taken(desk, step.to):
        raise NameTaken(step.to)
    merged = merge(step.before, now, step.after)
    if not merged.is_clean:
        raise NoteChanged(step.path, expected=expected, found=digest_of(now))
    return step._replace(before=now, after=merged.raw)


def _said_already(desk: Desk, waits: Changeset) -> Changed:
    """Leave a proposal whose files say by now what it wanted."""
    left = desk.book.shift(waits.id, "rejected", reason=SAID_ALREADY)
    done = replace(waits, state=left.state, reason=left.reason)
    return changed(done, notices=[f"nothing was changed: {SAID_ALREADY}"])
