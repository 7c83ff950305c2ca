"""Proposals and previews: applied or rejected by a person, or proposed by Glassmind."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from glassmind.edit.applying import applied, moving, settle, with_folders
from glassmind.edit.deciding import (
    TAINTED,
    kept,
    known_undone,
    permitted,
    refuse_left_out,
    refuse_memos,
    withheld,
    without_forbidden,
)
from glassmind.edit.desk import Asking, Desk
from glassmind.edit.diffs import changed, merge
from glassmind.edit.names import is_taken
from glassmind.edit.permissions import judged, told_changeset
from glassmind.edit.planning import plan_outside
from glassmind.edit.relinking import with_links_since
from glassmind.edit.undoing import EDITED
from glassmind.errors import (
    ChangesetUnknown,
    ConfirmFirst,
    EditRefused,
    NameTaken,
    NeedsApproval,
    NoteChanged,
    NoteGone,
    PolicyForbids,
    WrongState,
)
from glassmind.files.read import digest_of
from glassmind.files.steps import is_trashed
from glassmind.model import NotePath
from glassmind.model.edits import (
    MOVED,
    OWNERS_PLAN,
    Changed,
    Changeset,
    ChangeVerb,
    Draft,
    Step,
)
from glassmind.ports.editing import Standing

CLIENT = "glassmind"
"""The client of proposals that nobody asked for."""

RENAMED = "notes were renamed outside of Glassmind, and links still say their old names"

MORE_LINKS = "it concerns other links or files now, so that a person should look at it"
"""Why a change that was planned again waits."""

SAID_ALREADY = "its files say so already"

TAKES_AWAY: frozenset[ChangeVerb] = frozenset(("delete", "merge"))
"""What puts a note into the trash, and so is confirmed."""

_WITH_LINKS: frozenset[ChangeVerb] = frozenset(
    ("create", "delete", "move", "rename-heading", "merge", "split", "undo")
)
"""Changes after which links that were written meanwhile would lead elsewhere."""


def propose_links(desk: Desk, moves: Mapping[NotePath, NotePath]) -> Changed | None:
    """Propose new links for notes that were renamed outside of Glassmind.

    Each rename is proposed once. None where there is nothing to propose, or where the
    settings let no note be edited.
    """
    if desk.config.writes.user_notes == "off":
        return None
    fresh = _not_proposed(desk, moves)
    draft = plan_outside(desk, fresh) if fresh else None
    draft = draft and without_forbidden(desk, draft)
    if draft is None:
        return None
    return kept(desk, draft, "proposed", Asking(client=CLIENT), reason=RENAMED)


def _not_proposed(
    desk: Desk, moves: Mapping[NotePath, NotePath]
) -> dict[NotePath, NotePath]:
    """Return the renames that no changeset is about; memos are moved by ourselves."""
    folder = f"{desk.agent_folder}/"
    listed, _ = desk.book.listed()
    known: set[tuple[str, str]] = set()
    for changeset in listed:
        moved = changeset.draft.facts.get(MOVED)
        if changeset.draft.verb == "relink" and isinstance(moved, Mapping):
            known |= {(str(old), str(new)) for old, new in moved.items()}
    return {
        old: new
        for old, new in moves.items()
        if (old, new) not in known and not old.startswith(folder)
    }


def moves_by_others(
    moves: Mapping[NotePath, NotePath], steps: Iterable[Step]
) -> dict[NotePath, NotePath]:
    """Return the moves that no step made, be it of a file or of its folder."""
    ours = [(step.path, step.to) for step in steps if step.path != step.to]

    def is_ours(old: NotePath, new: NotePath) -> bool:
        return any(
            (old, new) == (path, to)
            or (old.startswith(f"{path}/") and new == f"{to}{old[len(path or '') :]}")
            for path, to in ours
        )

    return {old: new for old, new in moves.items() if not is_ours(old, new)}


def approve(desk: Desk, identity: str, *, client: str = "cli") -> Changed:
    """Apply a proposal, or what was only shown: a person said so.

    Where its files were edited meanwhile and the change still fits, or links were
    written meanwhile that have to follow, a new proposal takes its place, to be looked
    at; what is returned is that.
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
        standing = desk.files.standing(moving(waits.draft.steps))
        fresh = _with_more_links(desk, waits, standing)
        if fresh is not None:
            done = _replaced(desk, waits, fresh, MORE_LINKS)
        elif all(now == "old" for now in standing):
            why = f"{waits.draft.verb} {waits.id}, approved"
            done = applied(desk, waits, Asking(client=client, why=why))
        else:
            done = _refitted(desk, waits, standing)
    return replace(done, notices=(*notices, *done.notices))


def reject(desk: Desk, identity: str, *, client: str = "cli") -> Changed:
    """Leave a proposal; nothing is changed."""
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
    found = [each for each in known if wanted and each.id.startswith(wanted)]
    if len(found) != 1:
        raise ChangesetUnknown(identity, [each.id for each in found])
    if found[0].state != "proposed":
        raise WrongState(found[0].id, found[0].state, "proposed")
    return found[0]


def apply_shown(
    desk: Desk, identity: str, asking: Asking, *, confirm: bool, or_propose: bool
) -> Changed:
    """Apply what was shown, or let it wait for a person where the policy says so."""
    with desk.files.turn():
        known = told_changeset(desk, identity, asking.client)
        if known.state == "proposed":
            raise NeedsApproval(known.id)
        if known.state != "previewed":
            raise WrongState(known.id, known.state, "previewed")
        if known.draft.verb in TAKES_AWAY and not confirm:
            gone = [s.path for s in known.draft.steps if is_trashed(s.to) and s.path]
            raise ConfirmFirst(f"{', '.join(gone)} would go to the trash")
        if desk.sight is not None:
            refuse_memos(desk, known.draft, asking)
        tainted = asking.tainted or TAINTED in known.draft.facts
        may, rule = permitted(desk, known.draft, tainted=tainted).verdict
        refuse_left_out(desk, known.draft, known_undone(desk, known))
        steps = moving(known.draft.steps)
        standing = desk.files.standing(steps)
        fresh = _with_more_links(desk, known, standing)
        if may == "allow" and fresh is None:
            return applied(desk, known, asking)
        if not or_propose:
            raise NeedsApproval(known.id)
        if fresh is not None:
            return _replaced(desk, known, fresh, MORE_LINKS)
        _refuse_stale(desk, steps, standing)
        desk.book.shift(known.id, "proposed", reason=rule)
        return changed(replace(known, state="proposed", reason=rule))


def _with_more_links(
    desk: Desk, waits: Changeset, standing: Sequence[Standing]
) -> Draft | None:
    """Return a change with links that were written since; None where there are none."""
    draft = waits.draft
    if draft.verb not in _WITH_LINKS or any(now != "old" for now in standing):
        return None
    own = [step.path for step in draft.steps if step.path]
    with desk.faults():
        fresh = with_links_since(desk, draft, draft, own)
    is_same = set(moving(fresh.steps)) == set(moving(draft.steps))
    return None if is_same and set(fresh.risks) <= set(draft.risks) else fresh


def _replaced(desk: Desk, waits: Changeset, draft: Draft, reason: str) -> Changed:
    """Propose a change instead of one that waits, and return it."""
    permitted(desk, draft)
    refuse_left_out(desk, draft, known_undone(desk, waits))
    if desk.sight is None:
        draft = replace(draft, facts={**draft.facts, OWNERS_PLAN: True})
    made = desk.book.made(
        with_folders(desk, draft),
        "proposed",
        client=waits.client,
        undoes=waits.undoes,
        reason=reason,
    )
    desk.book.keep(made)
    desk.book.shift(waits.id, "rejected", reason=f"{made.id} took its place")
    notice = f"nothing was changed: {reason}; {made.id} takes the place of {waits.id}"
    return changed(made, notices=[notice])


def _refitted(desk: Desk, waits: Changeset, standing: Sequence[Standing]) -> Changed:
    """Propose a change as it fits the present texts."""
    steps = moving(waits.draft.steps)
    fitted = [
        _fitted(desk, step, now) for step, now in zip(steps, standing, strict=True)
    ]
    rest = moving([step for step in fitted if step is not None])
    if rest:
        return _replaced(desk, waits, replace(waits.draft, steps=rest), EDITED)
    left = desk.book.shift(waits.id, "rejected", reason=SAID_ALREADY)
    done = replace(waits, state=left.state, reason=left.reason)
    return changed(done, notices=[f"nothing was changed: {SAID_ALREADY}"])


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


def _refuse_stale(
    desk: Desk, steps: Sequence[Step], standing: Sequence[Standing]
) -> None:
    """Let nothing wait whose files are not what they were when it was shown."""
    for step, now in zip(steps, standing, strict=True):
        if now == "old":
            continue
        if step.path is None or step.before is None:
            raise NameTaken(step.to)
        raw = desk.files.read(step.path)
        found = "" if raw is None else digest_of(raw)
        expected = digest_of(step.before)
        if found == expected:
            raise NameTaken(step.to)
        raise NoteChanged(step.path, expected=expected, found=found)
