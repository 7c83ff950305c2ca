"""What becomes of a change that was only shown, when somebody asks for it."""

from collections.abc import Sequence
from dataclasses import replace

from glassmind.edit.applying import applied, moving
from glassmind.edit.asking import Asking
from glassmind.edit.deciding import TAINTED, permitted
from glassmind.edit.desk import Desk
from glassmind.edit.diffs import changed
from glassmind.edit.left_out_since import known_undone, refuse_left_out
from glassmind.edit.memos import refuse_memos
from glassmind.edit.replanning import Anew, another, in_its_place
from glassmind.edit.seen import told_changeset
from glassmind.errors.editing import ConfirmFirst, NeedsApproval, WrongState
from glassmind.errors.writing import NameTaken, NoteChanged
from glassmind.files.read import digest_of
from glassmind.files.trash import is_trashed
from glassmind.model.editing import Changed, Changeset, ChangeVerb, Step
from glassmind.ports.editing import Standing

TAKES_AWAY: frozenset[ChangeVerb] = frozenset(("delete", "merge"))
"""What puts a note into the trash, and so is confirmed."""


def apply_shown(  # noqa: PLR0913 - each fact by its name
    desk: Desk,
    identity: str,
    asking: Asking,
    *,
    confirm: bool,
    or_propose: bool,
    anew: Anew = lambda _: None,
) -> Changed:
    """Apply what was shown, or let it wait for a person where the policy says so.

    Raises:
        ChangesetUnknown: there is none.
        WrongState: it is not one that was only shown.
        ConfirmFirst: it takes a note away, and that was not confirmed.
        NeedsApproval: it waits already; or it would, and should not with `or_propose`
            being false.
        NoteChanged, NameTaken: its files are not what they were then.
        PolicyForbids: a file of it may not be edited.
        FileUnreadable: a note that it changes is left out of the index by now.
    """
    with desk.files.turn():
        known = told_changeset(desk, identity, asking.client)
        if known.state == "proposed":
            raise NeedsApproval(known.id)
        if known.state != "previewed":
            raise WrongState(known.id, known.state, "previewed")
        if known.draft.verb in TAKES_AWAY and not confirm:
            raise ConfirmFirst(f"{_taken_away(known)} would go to the trash")
        if desk.sight is not None:
            refuse_memos(desk, known.draft, asking)
        tainted = asking.tainted or TAINTED in known.draft.facts
        may, rule = permitted(desk, known.draft, tainted=tainted).verdict
        refuse_left_out(desk, known.draft, known_undone(desk, known))
        steps = moving(known.draft.steps)
        standing = desk.files.standing(steps)
        fresh = another(anew, known.draft, standing)
        if fresh is not None:
            if not or_propose:
                raise NeedsApproval(known.id)
            return in_its_place(desk, known, fresh)
        if may == "allow":
            return applied(desk, known, asking)
        if not or_propose:
            raise NeedsApproval(known.id)
        _refuse_stale(desk, steps, standing)
        return _proposed(desk, known, rule)


def _taken_away(known: Changeset) -> str:
    gone = (one for one in known.draft.steps if is_trashed(one.to))
    return ", ".join(step.path for step in gone if step.path is not None)


def _proposed(desk: Desk, known: Changeset, rule: str) -> Changed:
    """Let what was shown wait for a person."""
    desk.book.shift(known.id, "proposed", reason=rule)
    return changed(replace(known, state="proposed", reason=rule))


def _refuse_stale(
    desk: Desk, steps: Sequence[Step], standing: Sequence[Standing]
) -> None:
    """Let nothing wait whose files are not what they were when it was shown."""
    for step, now in zip(steps, standing, strict=True):
        if now != "old":
            raise _stale(desk, step)


def _stale(desk: Desk, step: Step) -> NoteChanged | NameTaken:
    if step.path is None or step.before is None:
        return NameTaken(step.to)
    raw = desk.files.read(step.path)
    found = "" if raw is None else digest_of(raw)
    expected = digest_of(step.before)
    if found == expected:
        return NameTaken(step.to)
    return NoteChanged(step.path, expected=expected, found=found)
