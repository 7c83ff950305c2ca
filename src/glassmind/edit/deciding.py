"""What becomes of a change that was thought out: refused, shown, proposed or made."""

from dataclasses import replace

from glassmind.edit.applying import NOTHING, applied, moving
from glassmind.edit.asking import Asking
from glassmind.edit.desk import Desk
from glassmind.edit.diffs import changed
from glassmind.edit.folders import with_folders
from glassmind.edit.judging import Judged
from glassmind.edit.memos import refuse_memos
from glassmind.edit.permitting import not_forbidden
from glassmind.edit.unhiding import refuse_unhiding
from glassmind.edit.unshown import refuse_marks
from glassmind.model.editing import Changed, ChangeState, Draft, Verdict

TAINTED = "tainted"
"""The fact of a change that is only shown, and of somebody who was given text before
that nobody vouches for: who applies it may never have read that."""


def decided(desk: Desk, draft: Draft, asking: Asking) -> Changed:
    """Do with a change what the policy lets be done, or only show it.

    One that changes nothing is shown, whatever was asked for, and has no id.

    Raises:
        PolicyForbids: a file of it may not be edited; nothing was kept.
        EditRefused: an agent would write a memo past the inbox.
        HiddenWords: who is shown no credentials would write what stands for one.
        NoteChanged, NameTaken, WriteRefused: it could not be made; nothing was written.
        NowhereToKeep: it could not be kept, and so was not made.
    """
    if desk.sight is not None:
        refuse_marks(draft)
        refuse_memos(desk, draft, asking)
    if not moving(draft.steps):
        made = desk.book.made(draft, "previewed", client=asking.client)
        # none may ask for it by an id: it is kept nowhere
        return changed(replace(made, id=""), notices=(NOTHING,))
    found = permitted(desk, draft, tainted=asking.tainted)
    may, rule = found.verdict
    if asking.dry_run:
        draft = as_of(draft, asking)
        reason = would_wait(found.verdict)
        return kept(desk, draft, "previewed", asking, reason=reason)
    if may == "propose":
        return kept(desk, draft, "proposed", asking, reason=rule)
    return applied(desk, draft, asking)


def as_of(draft: Draft, asking: Asking) -> Draft:
    """Return a change that knows whether it is of somebody who is not trusted."""
    if not asking.tainted:
        return draft
    return replace(draft, facts={**draft.facts, TAINTED: True})


def would_wait(verdict: Verdict) -> str:
    """Return why a change that is only shown would wait; empty where it would not."""
    may, rule = verdict
    return "" if may == "allow" else f"it would wait for a person: {rule}"


def permitted(desk: Desk, draft: Draft, *, tainted: bool = False) -> Judged:
    """Return what may be done with a change.

    Raises:
        PolicyForbids, EditRefused: nothing.
        HiddenWords: who is shown no credentials could read one after it.
    """
    if desk.sight is not None:
        refuse_unhiding(draft)
    return not_forbidden(desk, draft, tainted=tainted)


def kept(
    desk: Desk, draft: Draft, state: ChangeState, asking: Asking, *, reason: str
) -> Changed:
    """Keep a change in a state in which nothing of it is made."""
    known = with_folders(desk, draft)
    made = desk.book.made(known, state, client=asking.client, reason=reason)
    desk.book.keep(made)
    return changed(made)
