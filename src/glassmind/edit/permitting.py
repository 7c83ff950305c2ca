"""What the policy lets be done with a change, told to who may not read every note."""

from dataclasses import replace

from glassmind.edit.desk import Desk
from glassmind.edit.judging import Judged, judged
from glassmind.edit.seen import OWNERS, WAITS
from glassmind.errors.editing import EditRefused, PolicyForbids
from glassmind.model.editing import Draft, Verdict


def not_forbidden(desk: Desk, draft: Draft, *, tainted: bool = False) -> Judged:
    """Return what may be done with a change: to make it, or to propose it.

    Who may not read every note is told of no rule about those that are hidden, and what
    would let him read one of them waits for a person.

    Raises:
        PolicyForbids: nothing may.
        EditRefused: nothing may, for a file that is hidden.
    """
    sight, told = desk.sight, draft
    if sight is not None:
        told = replace(draft, steps=tuple(filter(sight.knows, draft.steps)))
    found = judged(desk, told, tainted=tainted)
    if found.verdict.may == "off":
        raise PolicyForbids(found.path, found.verdict.rule)
    if sight is None:
        return found
    whole = found
    if told.steps != draft.steps:
        whole = judged(desk, draft, tainted=tainted)
    may = whole.verdict.may
    if may == "off":
        raise EditRefused(OWNERS)
    waits = may == "propose" or any(map(sight.opens, draft.steps))
    if waits and found.verdict.may == "allow":
        return Judged(Verdict("propose", WAITS), found.path)
    return found
