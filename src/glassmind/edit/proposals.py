"""Undo, and what a person decides about proposals and previews.

Where files were edited since, an undo is a three-way merge, and always a proposal.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from glassmind.edit.applying import (
    TAINTED,
    UNDOES,
    applied,
    as_of,
    changes_memos,
    kept,
    known_undone,
    made,
    moves_since,
    moving,
    permitted,
    refuse_left_out,
    refuse_memos,
    settle,
    withheld,
    without_forbidden,
    would_wait,
)
from glassmind.edit.diffs import changed, merge
from glassmind.edit.names import is_taken
from glassmind.edit.permissions import judged, told_changeset
from glassmind.edit.planning import plan_outside
from glassmind.edit.relinking import with_links_since
from glassmind.edit.vault import EditRequest, EditVault
from glassmind.errors import (
    ChangesetUnknown,
    ConfirmFirst,
    EditRefused,
    GlassmindError,
    NameTaken,
    NeedsApproval,
    NotDownloaded,
    NoteChanged,
    NoteGone,
    PolicyForbids,
    WrongState,
)
from glassmind.files.read import digest_of
from glassmind.files.steps import (
    PlannedStep,
    is_trashed,
    path_after_moves,
    plan_steps,
    trash_place,
)
from glassmind.model import NotePath, Span
from glassmind.model.edits import (
    MOVED,
    OWNERS_PLAN,
    Changed,
    Changeset,
    ChangeState,
    ChangeVerb,
    Draft,
    Standing,
    Step,
    Verdict,
)

EDITED = "files of it were edited since, so that a person should look at it"
REMEMBERED = "it changes what is remembered, and another had written that"
UNSEEN = "it would become a proposal, as files were edited since"


def undo(vault: EditVault, identity: str, request: EditRequest) -> Changed:
    """Take an applied changeset back, and return what came of that.

    What the policy does not allow at once becomes a proposal. So does what had to be
    merged with later edits: `risks` name what stays as it is; and what an agent would
    take back of memos that another changed.
    """
    with vault.files.turn():
        notices = settle(vault)
        known = told_changeset(vault, identity, request.client)
        if known.state != "applied":
            raise WrongState(known.id, known.state, "applied")
        draft, clean = plan_undo(vault, known)
        refuse_left_out(vault, draft, known)
        done = _decided(vault, draft, request, known, clean=clean)
    return replace(done, notices=(*notices, *done.notices))


def plan_undo(vault: EditVault, known: Changeset) -> tuple[Draft, bool]:
    steps = moving(known.draft.steps)
    standing = vault.files.standing(steps)
    clean = all(now == "new" for now in standing)
    if clean:
        draft = _draft(known, inverse(vault, steps))
    else:
        draft = _what_is_left(vault, known, steps, standing)
    befores = {step.before for step in known.draft.steps}
    restored = [s.path for s in draft.steps if s.path and s.after in befores]
    try:
        with vault.faults():
            more = with_links_since(vault, draft, known.draft, restored)
    except (NameTaken, EditRefused):
        raise
    except GlassmindError as fault:  # a broken index does not prevent an undo
        risk = f"links written since could not be looked at: {fault}"
        return replace(draft, risks=(*draft.risks, risk)), clean
    own = {step.path for step in draft.steps}
    return without_forbidden(vault, more, own) or draft, clean


def inverse(vault: EditVault, steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps that take others back; what they made goes to the trash."""
    taken: set[NotePath] = set()

    def is_held(path: NotePath) -> bool:
        return path in taken or is_taken(vault, path)

    found: list[Step] = []
    for way in reversed(plan_steps(steps, vault.agent_folder)):
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
    vault: EditVault,
    draft: Draft,
    request: EditRequest,
    known: Changeset,
    *,
    clean: bool,
) -> Changed:
    verdict = permitted(vault, draft, tainted=request.tainted).verdict
    by_another = vault.sight is not None and known.client != request.client
    if verdict.may == "allow" and by_another and changes_memos(vault, draft):
        verdict = Verdict("propose", REMEMBERED)
    if clean and verdict.may == "allow" and not request.dry_run:
        return applied(vault, draft, request)
    draft = as_of(draft, request)
    if request.dry_run and not clean:
        # not kept: none may apply it unseen, by whatever id
        shown = made(vault, draft, "previewed", request, EDITED)
        return changed(replace(shown, id=""), notices=[UNSEEN])
    reason = would_wait(verdict) if request.dry_run else verdict.rule
    state: ChangeState = "previewed" if request.dry_run else "proposed"
    why = reason if clean else EDITED
    return kept(vault, draft, state, request, reason=why)


def _what_is_left(
    vault: EditVault,
    known: Changeset,
    steps: Sequence[Step],
    standing: Sequence[Standing],
) -> Draft:
    ways = plan_steps(steps, vault.agent_folder)
    stay = [
        way.final
        for way, now in zip(ways, standing, strict=True)
        if way.step.folder and now != "new"
    ]
    moved = moves_since(vault, known)
    found: list[Step] = []
    risks: list[str] = []
    for way in reversed(ways):
        step, told = _part(vault, way, stay, moved)
        found += [step] if step is not None else []
        is_seen = vault.sight is None or vault.sight.sees_step(way.step)
        risks += told if is_seen else []
    if not found:
        why = "; ".join(risks) or "its files say so already"
        raise EditRefused(f"nothing of {known.id} can be taken back: {why}")
    return _draft(known, found, risks)


class _Part(NamedTuple):
    step: Step | None
    risks: Sequence[str] = ()


def _part(
    vault: EditVault,
    way: PlannedStep,
    stay: Sequence[NotePath],
    moved: Sequence[tuple[str, str]],
) -> _Part:
    step, read = way.step, partial(_read, vault)
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
        return _made(step, here, now, partial(is_taken, vault))
    wanted = here if _goes_along(way, here, stay) else step.path
    if now is None:
        return _gone(step, here, wanted, is_free=not is_taken(vault, wanted))
    merged = merge(step.after, now, step.before)
    risks = [told_to_stay(here, lines) for lines in merged.conflicts]
    if wanted != here and is_taken(vault, wanted):
        risks.append(f"{here} stays there, as there is another {wanted}")
        wanted = here
    if wanted == here and merged.raw == now:
        return _Part(None, risks)
    return _Part(Step(here, wanted, now, merged.raw), risks)


def _read(vault: EditVault, path: NotePath) -> bytes | None:
    """Return what a file says now; nothing of one in the trash that is elsewhere."""
    try:
        return vault.files.read(path)
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
    if now is None:
        return _Part(None)
    if now != step.after:
        return _Part(None, [f"{here} stays, as it was edited since it was made"])
    return _Part(Step(here, trash_place(here, is_held), now, now))


def _gone(step: Step, here: NotePath, wanted: NotePath, *, is_free: bool) -> _Part:
    if not is_trashed(here):
        return _Part(None, [f"{here} is gone, and stays so"])
    if not is_free or step.before is None:
        return _Part(None, [f"{wanted} is there again, and stays as it is"])
    return _Part(Step(None, wanted, None, step.before))


def told_to_stay(path: NotePath, lines: Span) -> str:
    if lines.start == lines.end:
        return f"{path}: line {lines.start} was edited since, and stays as it is"
    first, last = lines.start, lines.end
    said = f"lines {first} to {last} were edited since, and stay as they are"
    return f"{path}: {said}"


CLIENT = "glassmind"
RENAMED = "notes were renamed outside of Glassmind, and links still say their old names"

MORE_LINKS = "it concerns other links or files now, so that a person should look at it"
SAID_ALREADY = "its files say so already"

TAKES_AWAY: frozenset[ChangeVerb] = frozenset(("delete", "merge"))

_WITH_LINKS: frozenset[ChangeVerb] = frozenset(
    ("create", "delete", "move", "rename-heading", "merge", "split", "undo")
)
"""Changes after which links that were written meanwhile would lead elsewhere."""


def propose_links(
    vault: EditVault, moves: Mapping[NotePath, NotePath]
) -> Changed | None:
    if vault.config.writes.user_notes == "off":
        return None
    fresh = _not_proposed(vault, moves)
    draft = plan_outside(vault, fresh) if fresh else None
    draft = draft and without_forbidden(vault, draft)
    if draft is None:
        return None
    return kept(vault, draft, "proposed", EditRequest(client=CLIENT), reason=RENAMED)


def _not_proposed(
    vault: EditVault, moves: Mapping[NotePath, NotePath]
) -> dict[NotePath, NotePath]:
    """Return the renames that no changeset is about; memos are moved by ourselves."""
    folder = f"{vault.agent_folder}/"
    listed, _ = vault.changesets.listed()
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
    ours = [(step.path, step.to) for step in steps if step.path != step.to]

    def is_ours(old: NotePath, new: NotePath) -> bool:
        return any(
            (old, new) == (path, to)
            or (old.startswith(f"{path}/") and new == f"{to}{old[len(path or '') :]}")
            for path, to in ours
        )

    return {old: new for old, new in moves.items() if not is_ours(old, new)}


def approve(vault: EditVault, identity: str, *, client: str = "cli") -> Changed:
    """Apply a proposal, or what was only shown: a person said so.

    Where its files were edited meanwhile and the change still fits, or links were
    written meanwhile that have to follow, a new proposal takes its place, to be looked
    at; what is returned is that.
    """
    with vault.files.turn():
        notices = settle(vault)
        waits = vault.changesets.get(identity)
        if waits.state not in ("proposed", "previewed"):
            raise WrongState(waits.id, waits.state, "proposed")
        (may, rule), path = judged(vault, waits.draft)
        if may == "off":
            raise PolicyForbids(path, rule)
        refuse_left_out(vault, waits.draft, known_undone(vault, waits))
        standing = vault.files.standing(moving(waits.draft.steps))
        fresh = _with_more_links(vault, waits, standing)
        if fresh is not None:
            done = _replaced(vault, waits, fresh, MORE_LINKS)
        elif all(now == "old" for now in standing):
            why = f"{waits.draft.verb} {waits.id}, approved"
            done = applied(vault, waits, EditRequest(client=client, why=why))
        else:
            done = _refitted(vault, waits, standing)
    return replace(done, notices=(*notices, *done.notices))


def reject(vault: EditVault, identity: str, *, client: str = "cli") -> Changed:
    waits, notices = _waiting(vault, identity), []
    try:
        known = vault.changesets.get(waits.id)
    except EditRefused as fault:  # damaged; what is in it cannot be told
        known = replace(waits, draft=replace(waits.draft, steps=()))
        notices.append(str(fault))
    left = vault.changesets.shift(waits.id, "rejected", reason=f"by {client}")
    done = replace(known, state=left.state, reason=left.reason)
    return withheld(vault, changed(done, notices=notices))


def _waiting(vault: EditVault, identity: str) -> Changeset:
    known, _ = vault.changesets.listed()
    wanted = identity.strip().lower()
    found = [each for each in known if wanted and each.id.startswith(wanted)]
    if len(found) != 1:
        raise ChangesetUnknown(identity, [each.id for each in found])
    if found[0].state != "proposed":
        raise WrongState(found[0].id, found[0].state, "proposed")
    return found[0]


def apply_shown(
    vault: EditVault,
    identity: str,
    request: EditRequest,
    *,
    confirm: bool,
    or_propose: bool,
) -> Changed:
    with vault.files.turn():
        known = told_changeset(vault, identity, request.client)
        if known.state == "proposed":
            raise NeedsApproval(known.id)
        if known.state != "previewed":
            raise WrongState(known.id, known.state, "previewed")
        if known.draft.verb in TAKES_AWAY and not confirm:
            gone = [s.path for s in known.draft.steps if is_trashed(s.to) and s.path]
            raise ConfirmFirst(f"{', '.join(gone)} would go to the trash")
        if vault.sight is not None:
            refuse_memos(vault, known.draft, request)
        tainted = request.tainted or TAINTED in known.draft.facts
        may, rule = permitted(vault, known.draft, tainted=tainted).verdict
        refuse_left_out(vault, known.draft, known_undone(vault, known))
        steps = moving(known.draft.steps)
        standing = vault.files.standing(steps)
        fresh = _with_more_links(vault, known, standing)
        if may == "allow" and fresh is None:
            return applied(vault, known, request)
        if not or_propose:
            raise NeedsApproval(known.id)
        if fresh is not None:
            return _replaced(vault, known, fresh, MORE_LINKS)
        _refuse_stale(vault, steps, standing)
        vault.changesets.shift(known.id, "proposed", reason=rule)
        return changed(replace(known, state="proposed", reason=rule))


def _with_more_links(
    vault: EditVault, waits: Changeset, standing: Sequence[Standing]
) -> Draft | None:
    """Return a change with links that were written since; None where there are none."""
    draft = waits.draft
    if draft.verb not in _WITH_LINKS or any(now != "old" for now in standing):
        return None
    own = [step.path for step in draft.steps if step.path]
    with vault.faults():
        fresh = with_links_since(vault, draft, draft, own)
    is_same = set(moving(fresh.steps)) == set(moving(draft.steps))
    return None if is_same and set(fresh.risks) <= set(draft.risks) else fresh


def _replaced(vault: EditVault, waits: Changeset, draft: Draft, reason: str) -> Changed:
    permitted(vault, draft)
    refuse_left_out(vault, draft, known_undone(vault, waits))
    if vault.sight is None:
        draft = replace(draft, facts={**draft.facts, OWNERS_PLAN: True})
    request = EditRequest(client=waits.client)
    done = kept(vault, draft, "proposed", request, reason=reason)
    new = done.changeset.id
    vault.changesets.shift(waits.id, "rejected", reason=f"{new} took its place")
    notice = f"nothing was changed: {reason}; {new} takes the place of {waits.id}"
    return replace(done, notices=(notice,))


def _refitted(
    vault: EditVault, waits: Changeset, standing: Sequence[Standing]
) -> Changed:
    steps = moving(waits.draft.steps)
    fitted = [
        _fitted(vault, step, now) for step, now in zip(steps, standing, strict=True)
    ]
    rest = moving([step for step in fitted if step is not None])
    if rest:
        return _replaced(vault, waits, replace(waits.draft, steps=rest), EDITED)
    left = vault.changesets.shift(waits.id, "rejected", reason=SAID_ALREADY)
    done = replace(waits, state=left.state, reason=left.reason)
    return changed(done, notices=[f"nothing was changed: {SAID_ALREADY}"])


def _fitted(vault: EditVault, step: Step, standing: Standing) -> Step | None:
    if standing == "new":
        return None
    if standing == "old":
        return step
    if step.folder or step.path is None or step.before is None:
        raise NameTaken(step.to)
    now = vault.files.read(step.path)
    expected = digest_of(step.before)
    if now is None:
        raise NoteGone(step.path, expected=expected)
    if step.to != step.path and is_taken(vault, step.to):
        raise NameTaken(step.to)
    merged = merge(step.before, now, step.after)
    if not merged.is_clean:
        raise NoteChanged(step.path, expected=expected, found=digest_of(now))
    return step._replace(before=now, after=merged.raw)


def _refuse_stale(
    vault: EditVault, steps: Sequence[Step], standing: Sequence[Standing]
) -> None:
    for step, now in zip(steps, standing, strict=True):
        if now == "old":
            continue
        raw = vault.files.read(step.path) if step.path and not step.folder else None
        expected, found = (digest_of(r) if r else "" for r in (step.before, raw))
        if step.path is None or expected == found:
            raise NameTaken(step.to)
        raise NoteChanged(step.path, expected=expected, found=found)
