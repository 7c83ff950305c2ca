"""Decide what a planned change may do, and apply it: all of it, or nothing.

A changeset is kept as `applying` before the first file is touched. The next edit
finishes one that a killed process left, or takes it back if a file was edited since.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from glassmind.edit.diffs import (
    changed,
    diffs_of,
    paths_of,
    refuse_marks,
    refuse_unhiding,
)
from glassmind.edit.permissions import (
    check_folder_seen,
    not_forbidden,
    refuse_memos,
)
from glassmind.edit.vault import EditRequest, EditVault
from glassmind.errors import (
    EditRefused,
    GlassmindError,
    NotTakenBack,
    VaultError,
    WriteFailed,
)
from glassmind.files.steps import is_trashed
from glassmind.model import NotePath
from glassmind.model.edits import (
    Changed,
    Changeset,
    ChangeState,
    Draft,
    FileStep,
    Verdict,
)

MADE = "folders_made"
"""Draft fact: the folders that were not there before it."""

TAINTED = "tainted"
"""Draft fact: the client that asked for a dry run had read untrusted text."""

UNDOES = "undoes"
"""Draft fact: the id of the changeset that it takes back."""

NOTHING = "nothing was changed: no file would be another"
OFF = 'writes.mode = "off" lets nothing be written'
SETTLED = "settled after an interruption"


def decided(vault: EditVault, draft: Draft, request: EditRequest) -> Changed:
    """Do with a change what the policy allows; one that changes nothing has no id."""
    if vault.sight is not None:
        refuse_marks(draft)
        refuse_memos(vault, draft, request)
    if not moving(draft.steps):
        # it is kept nowhere, so nobody can ask for it by an id
        changeset = replace(made(vault, draft, "previewed", request), id="")
        return changed(changeset, notices=(NOTHING,))
    verdict = permitted(vault, draft, tainted=request.tainted)
    if request.dry_run:
        draft = with_taint(draft, request)
        reason = would_wait(verdict)
        return kept(vault, draft, "previewed", request, reason=reason)
    if verdict.may == "propose":
        return kept(vault, draft, "proposed", request, reason=verdict.rule)
    return applied(vault, draft, request)


def with_taint(draft: Draft, request: EditRequest) -> Draft:
    if not request.tainted:
        return draft
    return replace(draft, facts={**draft.facts, TAINTED: True})


def would_wait(verdict: Verdict) -> str:
    """Return why a change that is only shown would wait; empty where it would not."""
    if verdict.may == "allow":
        return ""
    return f"it would wait for a person: {verdict.rule}"


def permitted(vault: EditVault, draft: Draft, *, tainted: bool = False) -> Verdict:
    """Return what may be done with a change, if anything.

    Refuse one after which a caller who is not shown credentials could read one, or
    that moves a folder with notes that the caller may not read.
    """
    if vault.sight is not None:
        refuse_unhiding(draft)
        for step in draft.steps:
            if step.folder and step.path and not is_trashed(step.path):
                check_folder_seen(vault, step.path)
    return not_forbidden(vault, draft, tainted=tainted).verdict


def moving(steps: Sequence[FileStep]) -> tuple[FileStep, ...]:
    """Return the steps that change something."""
    return tuple(s for s in steps if s.path != s.to or s.before != s.after)


def made(
    vault: EditVault,
    draft: Draft,
    state: ChangeState,
    request: EditRequest,
    reason: str = "",
) -> Changeset:
    """Return a draft as a changeset that is not kept yet."""
    facts = {name: fact for name, fact in draft.facts.items() if name != MADE}
    new_folders = _new_folders(vault, draft.steps)
    if new_folders:
        facts[MADE] = new_folders
    return vault.changesets.made(
        replace(draft, facts=facts),
        state,
        client=request.client,
        undoes=str(facts.get(UNDOES, "")),
        reason=reason,
    )


def _new_folders(vault: EditVault, steps: Sequence[FileStep]) -> list[str]:
    folders: dict[str, None] = {}
    for step in steps:
        parts = step.to.split("/")[:-1]
        folders |= dict.fromkeys("/".join(parts[: n + 1]) for n in range(len(parts)))
    return [
        folder
        for folder in folders
        if not os.path.isdir(vault.root / folder)  # noqa: PTH112 - says so of any name
    ]


def kept(
    vault: EditVault,
    draft: Draft,
    state: ChangeState,
    request: EditRequest,
    *,
    reason: str,
) -> Changed:
    changeset = made(vault, draft, state, request, reason)
    vault.changesets.keep(changeset)
    return changed(changeset)


def applied(
    vault: EditVault, change: Draft | Changeset, request: EditRequest
) -> Changed:
    """Apply a change, all of it or nothing, and return what was done.

    A changeset that is kept already keeps its id; a draft gets one. What cannot be
    applied is as it was: a kept one in its former state, a draft kept as failed if it
    had come that far.
    """
    with vault.files.turn():
        notices = _settle_all(vault)
        if isinstance(change, Changeset):
            former: ChangeState | None = change.state
            draft = replace(change.draft, steps=moving(change.draft.steps))
            changeset = replace(change, draft=draft, state="applying")
        else:
            former, draft = None, replace(change, steps=moving(change.steps))
            changeset = made(vault, draft, "applying", request)
        done = replace(changeset, state="applied", reason="")
        if not draft.steps:
            if former is not None:
                vault.changesets.shift(changeset.id, "applied")
            return changed(done, notices=[*notices, NOTHING])
        why = request.why or f"{draft.verb} {changeset.id}"
        with _on_record(vault, changeset, former) as keep:
            vault.files.apply(
                draft.steps, why=why, client=request.client, meanwhile=keep
            )
        try:
            _record_applied(vault, changeset)
        except VaultError as fault:  # the files are changed; settling finds them so
            notices.append(f"that is not noted yet: {fault}")
        _remove_folders(vault, changeset.undoes)
        if uncommitted := vault.commit(draft.title, paths_of(draft.steps)):
            notices.append(uncommitted)
    return Changed(done, diffs_of(draft.steps), "pending", tuple(notices))


@contextmanager
def _on_record(
    vault: EditVault, changeset: Changeset, former: ChangeState | None
) -> Iterator[Callable[[], None]]:
    """Give what keeps a changeset as applying; set it aside if applying it fails."""
    is_kept = False

    def keep() -> None:
        nonlocal is_kept
        is_kept = True  # a write that fails may have kept it all the same
        if former is None:
            vault.changesets.keep(changeset)
        else:
            vault.changesets.shift(changeset.id, "applying")

    try:
        yield keep
    except BaseException as fault:
        if is_kept and not isinstance(fault, NotTakenBack):  # settling does that
            _set_aside(vault, changeset, former or "failed", str(fault))
        raise


def _set_aside(
    vault: EditVault, changeset: Changeset, state: ChangeState, reason: str
) -> None:
    """Record that nothing was applied; what was applied in part is left to settling."""
    with suppress(GlassmindError, OSError):
        if "new" not in vault.files.standing(changeset.draft.steps):
            vault.changesets.shift(changeset.id, state, reason=reason)


def _record_applied(vault: EditVault, changeset: Changeset) -> None:
    """Record a changeset as applied, and what it takes back as undone.

    That comes first: after a kill in between, settling does both again.
    """
    _mark_undone(vault, changeset.undoes, "undone", f"by {changeset.id}")
    vault.changesets.shift(changeset.id, "applied")


def _mark_undone(
    vault: EditVault, identity: str, state: ChangeState, reason: str
) -> None:
    """Record what was undone, or not; what that one had undone is then the contrary."""
    while identity:
        try:
            identity = vault.changesets.shift(identity, state, reason=reason).undoes
        except EditRefused:  # it expired
            return
        state, reason = ("applied" if state == "undone" else "undone"), ""


def _remove_folders(vault: EditVault, undone: str) -> None:
    """Remove the folders that a change made, if they are empty."""
    with suppress(EditRefused):  # it expired
        facts = vault.changesets.get(undone).draft.facts if undone else {}
        folders = facts.get(MADE)
        if isinstance(folders, list):
            vault.files.clear([NotePath(str(folder)) for folder in reversed(folders)])


def settle(vault: EditVault) -> tuple[str, ...]:
    """Finish or take back what a killed process left, and say what was done.

    Where nothing was left, that is one look at a folder. What cannot be settled now is
    reported, and tried again the next time.
    """
    left = vault.changesets.unfinished()
    if not left:
        return ()
    if vault.config.writes.mode == "off":
        notice = f"{', '.join(left)} was interrupted and waits: {OFF}"
        return (notice,) if vault.sight is None else ()
    try:
        with vault.files.turn():
            return tuple(_settle_all(vault))
    except WriteFailed:  # another process is still writing it
        return ()


def _settle_all(vault: EditVault) -> list[str]:
    notices: list[str] = []
    touched: list[FileStep] = []
    for identity in vault.changesets.unfinished():
        try:
            changeset = vault.changesets.get(identity)
        except EditRefused as fault:
            with suppress(VaultError):
                vault.changesets.shift(identity, "failed", reason=str(fault))
            notice = f"{identity} was interrupted and cannot be settled: {fault}"
            notices.append(notice)
            continue
        touched += changeset.draft.steps
        try:
            notices.append(_settle_one(vault, changeset))
        except VaultError as fault:
            notice = f"{identity} was interrupted and cannot be settled yet: {fault}"
            notices.append(notice)
    if touched:  # what cannot be indexed now is found by the next look at the vault
        vault.refresh(to_refresh(touched), wait_s=0.0)
    return notices if vault.sight is None else []


def _settle_one(vault: EditVault, changeset: Changeset) -> str:
    steps, title = moving(changeset.draft.steps), changeset.draft.title
    notice = f"{changeset.id} ({title}) was interrupted"
    standing = vault.files.standing(steps)
    edited = [s for s, now in zip(steps, standing, strict=True) if now == "other"]
    if not edited:
        vault.files.settle(steps, forward=True, why=SETTLED)
        _record_applied(vault, changeset)
        uncommitted = vault.commit(title, paths_of(steps))
        reason = f" ({uncommitted})" if uncommitted else ""
        return f"{notice}; it is applied now{reason}"
    vault.files.settle(steps, forward=False, why=SETTLED)
    with suppress(EditRefused):  # it expired
        undone = changeset.undoes
        if undone and vault.changesets.get(undone).state == "undone":
            _mark_undone(vault, undone, "applied", "")
    path = edited[0].path or edited[0].to
    reason = f"it was interrupted, and {path} was edited before it could be finished"
    vault.changesets.shift(changeset.id, "failed", reason=reason)
    return f"{notice} and taken back: {path} was edited meanwhile"


def refreshed(done: Changed, fault: GlassmindError | None) -> Changed:
    """Return a change whose files were updated in the index, or why they were not."""
    if fault is None:
        return replace(done, index="fresh")
    notice = f"a search does not find it yet: {fault}"
    return replace(done, notices=(*done.notices, notice))


def to_refresh(steps: Sequence[FileStep]) -> list[NotePath]:
    """Return the files to update in the index; none means the whole vault."""
    if any(step.folder for step in steps):
        return []
    return [path for path in paths_of(steps) if not is_trashed(path)]
