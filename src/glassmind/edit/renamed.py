"""Notes that were renamed outside of Glassmind: their links are offered as a proposal.

Each rename is offered once. What was rejected, or applied and taken back, is not
brought up again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from glassmind.edit.asking import Asking
from glassmind.edit.deciding import kept
from glassmind.edit.desk import Desk
from glassmind.edit.judging import forbidden
from glassmind.edit.outside import plan_outside
from glassmind.model import NotePath
from glassmind.model.editing import MOVED, Changed, Draft, Step

CLIENT = "glassmind"
"""Who asks for what nobody asked for."""

REASON = "notes were renamed outside of Glassmind, and links still say their old names"


def offered(desk: Desk, moves: Mapping[NotePath, NotePath]) -> Changed | None:
    """Propose new links for renamed notes; None where there is nothing to propose.

    Nothing is where the settings let no note be edited.
    """
    if desk.config.writes.user_notes == "off":
        return None
    fresh = _not_offered(desk, moves)
    draft = plan_outside(desk, fresh) if fresh else None
    draft = draft and without_forbidden(desk, draft)
    if draft is None:
        return None
    return kept(desk, draft, "proposed", Asking(client=CLIENT), reason=REASON)


def _not_offered(
    desk: Desk, moves: Mapping[NotePath, NotePath]
) -> dict[NotePath, NotePath]:
    """Return the renames that no changeset is about; memos are moved by ourselves."""
    folder = f"{desk.agent_folder}/"
    listed, _ = desk.book.listed()
    known = {
        (str(old), str(new))
        for one in listed
        if one.draft.verb == "relink"
        for old, new in _moves_in(one.draft).items()
    }
    return {
        old: new
        for old, new in moves.items()
        if (old, new) not in known and not old.startswith(folder)
    }


def _moves_in(draft: Draft) -> Mapping[object, object]:
    found = draft.facts.get(MOVED)
    return found if isinstance(found, Mapping) else {}


def without_forbidden(desk: Desk, draft: Draft) -> Draft | None:
    """Return a change without the files that may not be edited; None without any."""
    barred = forbidden(desk, draft)
    steps = [step for step in draft.steps if step.to not in barred]
    left = len(draft.steps) - len(steps)
    if not steps:
        return None
    if not left:
        return draft
    said = f"{left} files with such links may not be edited, and stay as they are"
    return replace(draft, steps=tuple(steps), risks=(*draft.risks, said))


def by_others(
    moves: Mapping[NotePath, NotePath], steps: Iterable[Step]
) -> dict[NotePath, NotePath]:
    """Return the moves that no step made, be it of a file or of its folder."""
    ours = {step.path: step.to for step in steps if step.path != step.to}
    return {old: new for old, new in moves.items() if not _is_moved(old, new, ours)}


def _is_moved(
    old: NotePath, new: NotePath, ours: Mapping[NotePath | None, NotePath]
) -> bool:
    """Whether a file went from one path to another by a step, or by one of a folder."""
    return any(
        (old, new) == (path, to)
        or (old.startswith(f"{path}/") and new == f"{to}{old[len(path or '') :]}")
        for path, to in ours.items()
    )
