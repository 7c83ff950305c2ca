"""Taking a changeset back: at once while its files are as it left them.

Where some were edited since, what it did is taken out of the texts as they are now, by
a merge of three: what it left, what there is, what it had found. What comes of that is
a proposal always, as nobody has seen it yet.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from glassmind.edit.applying import applied, moving, settle, with_folders
from glassmind.edit.deciding import (
    as_of,
    carrying,
    changes_memos,
    moves_since,
    permitted,
    refuse_left_out,
    without_forbidden,
    would_wait,
)
from glassmind.edit.desk import Asking, Desk
from glassmind.edit.diffs import changed, merge
from glassmind.edit.names import is_taken
from glassmind.edit.permissions import told_changeset
from glassmind.edit.relinking import with_links_since
from glassmind.errors import (
    EditRefused,
    GlassmindError,
    NameTaken,
    NotDownloaded,
    WrongState,
)
from glassmind.files.steps import (
    PlannedStep,
    is_trashed,
    path_after_moves,
    plan_steps,
    trash_place,
)
from glassmind.model import NotePath, Span
from glassmind.model.edits import Changed, Changeset, ChangeState, Draft, Step, Verdict
from glassmind.ports.editing import Standing

EDITED = "files of it were edited since, so that a person should look at it"
"""Why a change that was planned again waits."""

REMEMBERED = "it changes what is remembered, and another had written that"
"""Why an agent cannot take back at once what it did not do itself."""

UNDOES = "undoes"
"""The fact of a draft that names the changeset which it takes back."""

UNSEEN = "it would become a proposal, as files were edited since"


def undo(desk: Desk, identity: str, asking: Asking) -> Changed:
    """Take an applied changeset back, and return what came of that.

    What the policy does not allow at once becomes a proposal. So does what had to be
    merged with later edits: `risks` name what stays as it is; and what an agent would
    take back of memos that another changed.
    """
    with desk.files.turn():
        notices = settle(desk)
        known = told_changeset(desk, identity, asking.client)
        if known.state != "applied":
            raise WrongState(known.id, known.state, "applied")
        draft, clean = plan_undo(desk, known)
        draft = carrying(desk, draft)
        refuse_left_out(desk, draft, known)
        done = _decided(desk, draft, asking, known, clean=clean)
    return replace(done, notices=(*notices, *done.notices))


def plan_undo(desk: Desk, known: Changeset) -> tuple[Draft, bool]:
    """Return what takes a changeset back, and whether its files are as it left them.

    Links that were written since follow; a file that may not be edited stays.
    """
    steps = moving(known.draft.steps)
    standing = desk.files.standing(steps)
    clean = all(now == "new" for now in standing)
    if clean:
        draft = _draft(known, inverse(desk, steps))
    else:
        draft = _what_is_left(desk, known, steps, standing)
    befores = {step.before for step in known.draft.steps}
    restored = [s.path for s in draft.steps if s.path and s.after in befores]
    try:
        with desk.faults():
            more = with_links_since(desk, draft, known.draft, restored)
    except (NameTaken, EditRefused):
        raise
    except GlassmindError as fault:  # a broken index does not prevent an undo
        risk = f"links written since could not be looked at: {fault}"
        return replace(draft, risks=(*draft.risks, risk)), clean
    own = {step.path for step in draft.steps}
    return without_forbidden(desk, more, own) or draft, clean


def inverse(desk: Desk, steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps that take others back; what they made goes to the trash."""
    taken: set[NotePath] = set()

    def is_held(path: NotePath) -> bool:
        return path in taken or is_taken(desk, path)

    found: list[Step] = []
    for way in reversed(plan_steps(steps, desk.agent_folder)):
        step = _back(way, is_held)
        taken.add(step.to)
        found.append(step)
    return tuple(found)


def _back(way: PlannedStep, is_held: Callable[[NotePath], bool]) -> Step:
    step = way.step
    if step.folder and step.path is not None:
        return Step(step.to, step.path, None, b"", folder=True)
    if step.path is None or step.before is None:
        place = trash_place(way.final, is_held)
        return Step(way.final, place, step.after, step.after)
    return Step(way.final, step.path, step.after, step.before)


def _draft(known: Changeset, steps: Sequence[Step], risks: Sequence[str] = ()) -> Draft:
    title = f"take back: {known.draft.title}"
    facts = {UNDOES: known.id}
    return Draft("undo", title, tuple(steps), risks=tuple(risks), facts=facts)


def _decided(
    desk: Desk, draft: Draft, asking: Asking, known: Changeset, *, clean: bool
) -> Changed:
    verdict = permitted(desk, draft, tainted=asking.tainted).verdict
    by_another = desk.sight is not None and known.client != asking.client
    if verdict.may == "allow" and by_another and changes_memos(desk, draft):
        verdict = Verdict("propose", REMEMBERED)
    if clean and verdict.may == "allow" and not asking.dry_run:
        return applied(desk, draft, asking, undoes=known.id)
    state: ChangeState = "previewed" if asking.dry_run else "proposed"
    reason = would_wait(verdict) if asking.dry_run else verdict.rule
    if not clean:
        reason = EDITED
    made = desk.book.made(
        with_folders(desk, as_of(draft, asking)),
        state,
        client=asking.client,
        undoes=known.id,
        reason=reason,
    )
    if asking.dry_run and not clean:
        # not kept: none may apply it unseen, by whatever id
        return changed(replace(made, id=""), notices=[UNSEEN])
    desk.book.keep(made)
    return changed(made)


def _what_is_left(
    desk: Desk, known: Changeset, steps: Sequence[Step], standing: Sequence[Standing]
) -> Draft:
    """Think out what can still be taken back of a changeset."""
    ways = plan_steps(steps, desk.agent_folder)
    stay = [
        way.final
        for way, now in zip(ways, standing, strict=True)
        if way.step.folder and now != "new"
    ]
    moved = moves_since(desk, known)
    parts = [_told(desk, way, stay, moved) for way in reversed(ways)]
    found = [part.step for part in parts if part.step is not None]
    risks = [risk for part in parts for risk in part.risks]
    if not found:
        why = "; ".join(risks) or "its files say so already"
        raise EditRefused(f"nothing of {known.id} can be taken back: {why}")
    return _draft(known, found, risks)


class _Part(NamedTuple):
    """What can be taken back of one step, and what cannot."""

    step: Step | None
    risks: Sequence[str] = ()


def _told(
    desk: Desk,
    way: PlannedStep,
    stay: Sequence[NotePath],
    moved: Sequence[tuple[str, str]],
) -> _Part:
    """Return what can be taken back; of what is not seen nothing is said."""
    found, sight = _part(desk, way, stay, moved), desk.sight
    return found if sight is None or sight.sees_step(way.step) else _Part(found.step)


def _part(
    desk: Desk,
    way: PlannedStep,
    stay: Sequence[NotePath],
    moved: Sequence[tuple[str, str]],
) -> _Part:
    step, read = way.step, partial(_read, desk)
    if step.folder:
        if way.final in stay:
            return _Part(None, [f"{way.final} stays where it is, as it is another now"])
        return _Part(_back(way, lambda _: False))
    here = way.final
    now = read(here)
    if now is None:
        here = path_after_moves(here, moved)
        now = read(here)
    if step.path is None or step.before is None:
        return _made(step, here, now, partial(is_taken, desk))
    wanted = here if _goes_along(way, here, stay) else step.path
    if now is None:
        return _gone(step, here, wanted, is_free=not is_taken(desk, wanted))
    merged = merge(step.after, now, step.before)
    risks = [told_to_stay(here, lines) for lines in merged.conflicts]
    if wanted != here and is_taken(desk, wanted):
        risks.append(f"{here} stays there, as there is another {wanted}")
        wanted = here
    if wanted == here and merged.raw == now:
        return _Part(None, risks)
    return _Part(Step(here, wanted, now, merged.raw), risks)


def _read(desk: Desk, path: NotePath) -> bytes | None:
    """Return what a file says now; nothing of one in the trash that is elsewhere."""
    try:
        return desk.files.read(path)
    except NotDownloaded:
        if is_trashed(path):
            return None  # what it said is kept
        raise


def _goes_along(way: PlannedStep, here: NotePath, stay: Sequence[NotePath]) -> bool:
    """Whether a file stays where it is: it never moved by itself, or moved since."""
    if here != way.final:
        return True
    in_folder = any(here.startswith(f"{folder}/") for folder in stay)
    return in_folder and not way.is_moved


def _made(
    step: Step,
    here: NotePath,
    now: bytes | None,
    is_held: Callable[[NotePath], bool],
) -> _Part:
    """Take back a file that was made, unless somebody has written in it."""
    if now is None:
        return _Part(None)
    if now != step.after:
        return _Part(None, [f"{here} stays, as it was edited since it was made"])
    return _Part(Step(here, trash_place(here, is_held), now, now))


def _gone(step: Step, here: NotePath, wanted: NotePath, *, is_free: bool) -> _Part:
    """Take back what happened to a file that is there no more."""
    if not is_trashed(here):
        return _Part(None, [f"{here} is gone, and stays so"])
    if not is_free or step.before is None:
        return _Part(None, [f"{wanted} is there again, and stays as it is"])
    return _Part(Step(None, wanted, None, step.before))


def told_to_stay(path: NotePath, lines: Span) -> str:
    """Return the risk that some lines were edited since, and are not taken back."""
    if lines.start == lines.end:
        return f"{path}: line {lines.start} was edited since, and stays as it is"
    first, last = lines.start, lines.end
    said = f"lines {first} to {last} were edited since, and stay as they are"
    return f"{path}: {said}"
