"""Undo, and what a person decides about proposals and previews.

Where files were edited since, an undo is a three-way merge, and always a proposal.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from glassmind.edit.applying import (
    TAINTED,
    UNDOES,
    applied,
    kept,
    made,
    moving,
    permitted,
    settle,
    with_taint,
    would_wait,
)
from glassmind.edit.diffs import changed, merge
from glassmind.edit.names import is_taken
from glassmind.edit.permissions import (
    changes_memos,
    forbidden,
    is_seen,
    judged,
    refuse_memos,
    visible_changeset,
)
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
from glassmind.model import NotePath
from glassmind.model.edits import (
    MOVED,
    OWNERS_PLAN,
    Changed,
    Changeset,
    ChangeState,
    ChangeVerb,
    Draft,
    FileStep,
    Standing,
    Verdict,
)

EDITED = "files of it were edited since, so that a person should look at it"
REMEMBERED = "it changes what is remembered, and another had written that"
UNSEEN = "it would become a proposal, as files were edited since"
MORE_LINKS = "it concerns other links or files now, so that a person should look at it"
SAID_ALREADY = "its files say so already"

CLIENT = "glassmind"
RENAMED = "notes were renamed outside of Glassmind, and links still say their old names"

TAKES_AWAY: frozenset[ChangeVerb] = frozenset(("delete", "merge"))

_WITH_LINKS: frozenset[ChangeVerb] = frozenset(
    ("create", "delete", "move", "rename-heading", "merge", "split", "undo")
)
"""Changes after which links that were written meanwhile would lead elsewhere."""


def undo(vault: EditVault, identity: str, request: EditRequest) -> Changed:
    """Take an applied changeset back, and return what came of that.

    What the policy does not allow at once becomes a proposal. So does what had to be
    merged with later edits (`risks` name what stays as it is), and what an agent would
    take back of memos that another client changed.
    """
    with vault.files.turn():
        notices = settle(vault)
        known = visible_changeset(vault, identity, request.client)
        if known.state != "applied":
            raise WrongState(known.id, known.state, "applied")
        draft, clean = plan_undo(vault, known)
        verdict = permitted(vault, draft, tainted=request.tainted)
        by_another = vault.sight is not None and known.client != request.client
        if verdict.may == "allow" and by_another and changes_memos(vault, draft):
            verdict = Verdict("propose", REMEMBERED)
        state: ChangeState = "previewed" if request.dry_run else "proposed"
        if clean and verdict.may == "allow" and not request.dry_run:
            done = applied(vault, draft, request)
        elif request.dry_run and not clean:
            # not kept: nobody may apply it by its id without having seen the rest
            changeset = made(vault, with_taint(draft, request), state, request, EDITED)
            done = changed(replace(changeset, id=""), notices=[UNSEEN])
        else:
            reason = would_wait(verdict) if request.dry_run else verdict.rule
            reason = reason if clean else EDITED
            draft = with_taint(draft, request)
            done = kept(vault, draft, state, request, reason=reason)
    return replace(done, notices=(*notices, *done.notices))


def plan_undo(vault: EditVault, known: Changeset) -> tuple[Draft, bool]:
    """Return what takes a change back, and whether no file was edited since."""
    steps = moving(known.draft.steps)
    standing = vault.files.standing(steps)
    clean = all(now == "new" for now in standing)
    risks: list[str] = []
    if clean:
        back = _inverse(vault, steps)
    else:
        back, risks = _what_is_left(vault, known, steps, standing)
    title, facts = f"take back: {known.draft.title}", {UNDOES: known.id}
    draft = Draft("undo", title, tuple(back), risks=tuple(risks), facts=facts)
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
    return _without_forbidden(vault, more, own) or draft, clean


def _inverse(vault: EditVault, steps: Sequence[FileStep]) -> list[FileStep]:
    """Return the steps that take others back; what they made goes to the trash."""
    paths: set[NotePath] = set()
    back: list[FileStep] = []
    for plan in reversed(plan_steps(steps, vault.agent_folder)):
        step = _reversed(vault, plan, paths)
        paths.add(step.to)
        back.append(step)
    return back


def _reversed(
    vault: EditVault, plan: PlannedStep, taken: Collection[NotePath] = ()
) -> FileStep:
    step = plan.step
    if step.folder and step.path is not None:
        return FileStep(step.to, step.path, None, b"", folder=True)
    if step.path is None or step.before is None:
        place = trash_place(plan.final, lambda p: p in taken or is_taken(vault, p))
        return FileStep(plan.final, place, step.after, step.after)
    return FileStep(plan.final, step.path, step.after, step.before)


def _what_is_left(
    vault: EditVault,
    known: Changeset,
    steps: Sequence[FileStep],
    standing: Sequence[Standing],
) -> tuple[list[FileStep], list[str]]:
    """Return what can be taken back of a change with edited files, and the risks."""
    plans = plan_steps(steps, vault.agent_folder)
    stay = [
        plan.final
        for plan, now in zip(plans, standing, strict=True)
        if plan.step.folder and now != "new"
    ]
    moves = _moves_since(vault, known)
    back: list[FileStep] = []
    risks: list[str] = []
    for plan in reversed(plans):
        step, risk = _undone_step(vault, plan, stay, moves)
        back += [step] if step is not None else []
        if risk and (vault.sight is None or vault.sight.sees_step(plan.step)):
            risks.append(risk)
    if not back:
        why = "; ".join(risks) or SAID_ALREADY
        raise EditRefused(f"nothing of {known.id} can be taken back: {why}")
    return back, risks


def _moves_since(vault: EditVault, known: Changeset) -> list[tuple[str, str]]:
    later, _ = (vault.visible_changesets or vault.changesets).listed(("applied",))
    since = list(takewhile(lambda other: other.id != known.id, later))
    return [
        (step.path, step.to)
        for changeset in reversed(since)
        for step in changeset.draft.steps
        if step.path and step.path != step.to and not is_trashed(step.to)
    ]


def _undone_step(
    vault: EditVault,
    plan: PlannedStep,
    stay: Sequence[NotePath],
    moves: Sequence[tuple[str, str]],
) -> tuple[FileStep | None, str]:
    """Return what takes one step back, as its file is now, or why it stays."""
    step, path = plan.step, plan.final
    if step.folder and path in stay:
        return None, f"{path} stays where it is, as it is another now"
    if step.folder:
        return _reversed(vault, plan), ""
    now = _read(vault, path)
    if now is None:
        path = path_after_moves(path, moves)
        now = _read(vault, path)
    if step.path is None or step.before is None:  # the change made it
        if now is None:
            return None, ""
        if now != step.after:
            return None, f"{path} stays, as it was edited since it was made"
        place = trash_place(path, lambda p: is_taken(vault, p))
        return FileStep(path, place, now, now), ""
    moved_since = path != plan.final
    with_folder = any(path.startswith(f"{f}/") for f in stay) and not plan.is_moved
    to = path if moved_since or with_folder else step.path
    return _undone_text(vault, step, path, to, now)


def _undone_text(
    vault: EditVault, step: FileStep, path: NotePath, to: NotePath, now: bytes | None
) -> tuple[FileStep | None, str]:
    """Return what takes back a step for a file that is at `path` and goes `to`."""
    if now is None:
        if not is_trashed(path):
            return None, f"{path} is gone, and stays so"
        if is_taken(vault, to):
            return None, f"{to} is there again, and stays as it is"
        return FileStep(None, to, None, step.before or b""), ""
    risk, text = "", merge(step.after, now, step.before or b"")
    if text is None:
        risk, text = f"{path}: lines were edited since, and stay as they are", now
    if to != path and is_taken(vault, to):
        risk, to = f"{path} stays there, as there is another {to}", path
    is_same = to == path and text == now
    return None if is_same else FileStep(path, to, now, text), risk


def _read(vault: EditVault, path: NotePath) -> bytes | None:
    """Return the text of a file now; None for one in the trash that is offloaded."""
    try:
        return vault.files.read(path)
    except NotDownloaded:
        if is_trashed(path):
            return None  # the changeset has its text
        raise


def _without_forbidden(
    vault: EditVault, draft: Draft, own: Collection[NotePath | None] = ()
) -> Draft | None:
    """Return a change without the files that may not be edited, `own` ones aside."""
    file_steps = tuple(step for step in draft.steps if step.path not in own)
    barred = forbidden(vault, replace(draft, steps=file_steps))
    steps = [s for s in draft.steps if s.to not in barred or s.path in own]
    if not steps:
        return None
    left = sum(is_seen(vault, path) for path in barred)
    risk = f"{left} files with such links may not be edited, and stay as they are"
    risks = (*draft.risks, risk) if left else draft.risks
    return replace(draft, steps=tuple(steps), risks=risks)


def propose_links(
    vault: EditVault, moves: Mapping[NotePath, NotePath]
) -> Changed | None:
    """Propose to follow renames outside of Glassmind that no changeset is about."""
    if vault.config.writes.user_notes == "off":
        return None
    listed, _ = vault.changesets.listed()
    known: set[tuple[str, str]] = set()
    for changeset in listed:
        moved = changeset.draft.facts.get(MOVED)
        if changeset.draft.verb == "relink" and isinstance(moved, Mapping):
            known |= {(str(old), str(new)) for old, new in moved.items()}
    fresh = {
        old: new
        for old, new in moves.items()  # memos are moved by ourselves
        if (old, new) not in known and not old.startswith(f"{vault.agent_folder}/")
    }
    draft = plan_outside(vault, fresh) if fresh else None
    draft = draft and _without_forbidden(vault, draft)
    if draft is None:
        return None
    return kept(vault, draft, "proposed", EditRequest(client=CLIENT), reason=RENAMED)


def moves_by_others(
    moves: Mapping[NotePath, NotePath], steps: Iterable[FileStep]
) -> dict[NotePath, NotePath]:
    """Return the moves that these steps did not make."""
    ours = [(step.path, step.to) for step in steps if step.path != step.to]

    def is_ours(old: NotePath, new: NotePath) -> bool:
        return any(
            (old, new) == (path, to)
            or (old.startswith(f"{path}/") and new == f"{to}{old[len(path or '') :]}")
            for path, to in ours
        )

    return {old: new for old, new in moves.items() if not is_ours(old, new)}


def approve(vault: EditVault, identity: str, *, client: str = "cli") -> Changed:
    """Apply a proposal or a dry run: a person said so.

    Where its files were edited meanwhile and the change still fits, or links were
    written meanwhile that have to follow, a new proposal takes its place, to be looked
    at; that is returned.
    """
    with vault.files.turn():
        notices = settle(vault)
        waits = vault.changesets.get(identity)
        if waits.state not in ("proposed", "previewed"):
            raise WrongState(waits.id, waits.state, "proposed")
        (may, rule), path = judged(vault, waits.draft)
        if may == "off":
            raise PolicyForbids(path, rule)
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
    listed, _ = vault.changesets.listed()
    prefix = identity.strip().lower()
    named = [each for each in listed if prefix and each.id.startswith(prefix)]
    if len(named) != 1:
        raise ChangesetUnknown(identity, [each.id for each in named])
    (waits,) = named
    if waits.state != "proposed":
        raise WrongState(waits.id, waits.state, "proposed")
    notices = []
    try:
        known = vault.changesets.get(waits.id)
    except EditRefused as fault:  # it is damaged, so nobody can say what is in it
        known = replace(waits, draft=replace(waits.draft, steps=()))
        notices.append(str(fault))
    changeset = vault.changesets.shift(waits.id, "rejected", reason=f"by {client}")
    done = replace(known, state=changeset.state, reason=changeset.reason)
    return changed(done, notices=notices)


def apply_shown(
    vault: EditVault,
    identity: str,
    request: EditRequest,
    *,
    confirm: bool,
    or_propose: bool,
) -> Changed:
    """Apply a dry run; where a person has to approve it, make it a proposal."""
    with vault.files.turn():
        known = visible_changeset(vault, identity, request.client)
        if known.state == "proposed":
            raise NeedsApproval(known.id)
        if known.state != "previewed":
            raise WrongState(known.id, known.state, "previewed")
        if known.draft.verb in TAKES_AWAY and not confirm:
            paths = [s.path for s in known.draft.steps if is_trashed(s.to) and s.path]
            raise ConfirmFirst(f"{', '.join(paths)} would go to the trash")
        if vault.sight is not None:
            refuse_memos(vault, known.draft, request)
        tainted = request.tainted or TAINTED in known.draft.facts
        may, rule = permitted(vault, known.draft, tainted=tainted)
        steps = moving(known.draft.steps)
        standing = vault.files.standing(steps)
        fresh = _with_more_links(vault, known, standing)
        if may == "allow" and fresh is None:
            return applied(vault, known, request)
        if not or_propose:
            raise NeedsApproval(known.id)
        if fresh is not None:
            return _replaced(vault, known, fresh, MORE_LINKS)
        for step, now in zip(steps, standing, strict=True):
            if now != "old":
                _refuse_stale(vault, step)
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
    steps = zip(moving(waits.draft.steps), standing, strict=True)
    rest = moving(
        [
            step if now == "old" else _merged_step(vault, step)
            for step, now in steps
            if now != "new"
        ]
    )
    if rest:
        return _replaced(vault, waits, replace(waits.draft, steps=rest), EDITED)
    changeset = vault.changesets.shift(waits.id, "rejected", reason=SAID_ALREADY)
    done = replace(waits, state=changeset.state, reason=changeset.reason)
    return changed(done, notices=[f"nothing was changed: {SAID_ALREADY}"])


def _merged_step(vault: EditVault, step: FileStep) -> FileStep:
    """Return a step on the present text of its file."""
    if step.folder or step.path is None or step.before is None:
        raise NameTaken(step.to)
    now = vault.files.read(step.path)
    expected = digest_of(step.before)
    if now is None:
        raise NoteGone(step.path, expected=expected)
    if step.to != step.path and is_taken(vault, step.to):
        raise NameTaken(step.to)
    text = merge(step.before, now, step.after)
    if text is None:
        raise NoteChanged(step.path, expected=expected, found=digest_of(now))
    return step._replace(before=now, after=text)


def _refuse_stale(vault: EditVault, step: FileStep) -> None:
    raw = vault.files.read(step.path) if step.path and not step.folder else None
    expected, found = (digest_of(r) if r else "" for r in (step.before, raw))
    if step.path is None or expected == found:
        raise NameTaken(step.to)
    raise NoteChanged(step.path, expected=expected, found=found)
