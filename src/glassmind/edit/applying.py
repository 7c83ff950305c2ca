"""Decide what a planned change may do, and apply it: all of it, or nothing.

A changeset is kept as `applying` before the first file is touched. Whoever edits next
finishes one that a killed process left, or takes it back if a file was edited since.
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple, TypeAlias, get_args

from glassmind.access.meant import folded, is_in
from glassmind.edit.diffs import (
    changed,
    diffs_of,
    paths_of,
    refuse_marks,
    refuse_unhiding,
)
from glassmind.edit.names import check_read
from glassmind.edit.permissions import (
    Judged,
    check_folder_seen,
    forbidden,
    is_seen,
    not_forbidden,
    refuse_opening,
    told_changeset,
)
from glassmind.edit.vault import EditRequest, EditVault
from glassmind.errors import (
    EditRefused,
    FileUnreadable,
    GlassmindError,
    NotTakenBack,
    VaultError,
    WriteFailed,
)
from glassmind.files.read import Unreadable, decode
from glassmind.files.steps import is_trashed, path_after_moves
from glassmind.model import NotePath
from glassmind.model.edits import (
    Changed,
    Changeset,
    ChangeState,
    Draft,
    FileDiff,
    Step,
    Verdict,
)
from glassmind.model.memory import MEMO_FOLDERS, MemoKind
from glassmind.obsidian.frontmatter import read_head

LATE = "a search does not find it yet: {fault}"


def refreshed(vault: EditVault, done: Changed) -> Changed:
    if done.index == "fresh":
        return done
    fault = vault.refresh(_to_refresh(done.changeset.draft.steps))
    if fault is None:
        return replace(done, index="fresh")
    return replace(done, notices=(*done.notices, LATE.format(fault=fault)))


MADE = "folders_made"
"""The fact of a draft that says which folders were not there before it."""


def with_folders(vault: EditVault, draft: Draft) -> Draft:
    wanted = dict.fromkeys(one for step in draft.steps for one in _above(step.to))
    made = [
        folder
        for folder in wanted
        if not os.path.isdir(vault.root / folder)  # noqa: PTH112 - says so of any name
    ]
    if not made and MADE not in draft.facts:
        return draft
    facts = {name: fact for name, fact in draft.facts.items() if name != MADE}
    return replace(draft, facts={**facts, MADE: made} if made else facts)


def take_away_folders(vault: EditVault, undone: Changeset) -> None:
    made = undone.draft.facts.get(MADE)
    if isinstance(made, list):
        vault.files.clear([NotePath(str(folder)) for folder in reversed(made)])


def _above(path: NotePath) -> Iterator[NotePath]:
    parts = path.split("/")[:-1]
    for at in range(1, len(parts) + 1):
        yield NotePath("/".join(parts[:at]))


NOTHING = "nothing was changed: no file would be another"

OFF = 'writes.mode = "off" lets nothing be written'

SETTLED = "settled after an interruption"


def applied(
    vault: EditVault,
    change: Draft | Changeset,
    request: EditRequest,
) -> Changed:
    """Apply a change, all of it or nothing, and return what was done.

    A changeset that is kept already keeps its id; a draft gets one. What cannot be
    applied is as it was: a kept one in its former state, a draft kept as failed if it
    had come that far.
    """
    with vault.files.turn():
        settled = _settle_all(vault)
        notices = _notices(vault, settled)
        changeset, former = _numbered(vault, change, request)
        if not changeset.draft.steps:
            if former is not None:
                vault.changesets.shift(changeset.id, "applied")
            done = replace(changeset, state="applied")
            return changed(done, notices=[*notices, NOTHING])
        files, late = _write(vault, changeset, former, request)
        _tidy_up(vault, changeset.undoes)
        notices += [late] if late else []
    done = replace(changeset, state="applied", reason="")
    return Changed(done, files, "pending", tuple(notices))


def settle(vault: EditVault) -> tuple[str, ...]:
    """Finish or take back what a killed process left, and say what was done.

    Its files are brought into the index. Where nothing was left, that is one look at a
    folder. What cannot be settled now, as the disk refuses or the settings do, is told,
    and tried again the next time.
    """
    left = vault.changesets.unfinished()
    if not left:
        return ()
    if vault.config.writes.mode == "off":
        said = f"{', '.join(left)} was interrupted and waits: {OFF}"
        return (said,) if vault.sight is None else ()
    try:
        with vault.files.turn():
            settled = _settle_all(vault)
    except WriteFailed:  # somebody is at it all the while, and so it is not left
        return ()
    return tuple(_notices(vault, settled))


class _Settled(NamedTuple):
    notice: str
    steps: tuple[Step, ...] = ()


def _notices(vault: EditVault, settled: Sequence[_Settled]) -> list[str]:
    return [one.notice for one in settled] if vault.sight is None else []


def _settle_all(vault: EditVault) -> list[_Settled]:
    settled = [_settled(vault, one) for one in vault.changesets.unfinished()]
    touched = [step for one in settled for step in one.steps]
    if touched:  # what cannot be indexed now is found by the next look at the vault
        vault.refresh(_to_refresh(touched), wait_s=0.0)
    return settled


def _settled(vault: EditVault, identity: str) -> _Settled:
    try:
        changeset = vault.changesets.get(identity)
    except EditRefused as fault:
        with suppress(VaultError):
            vault.changesets.shift(identity, "failed", reason=str(fault))
        said = f"{identity} was interrupted and cannot be settled: {fault}"
        return _Settled(said)
    try:
        said = _brought_to_an_end(vault, changeset)
    except VaultError as fault:
        said = f"{identity} was interrupted and cannot be settled yet: {fault}"
    return _Settled(said, changeset.draft.steps)


def _brought_to_an_end(vault: EditVault, changeset: Changeset) -> str:
    steps, title = moving(changeset.draft.steps), changeset.draft.title
    told = f"{changeset.id} ({title}) was interrupted"
    standing = vault.files.standing(steps)
    odd = [_name(s) for s, now in zip(steps, standing, strict=True) if now == "other"]
    if not odd:
        vault.files.settle(steps, forward=True, why=SETTLED)
        _noted(vault, changeset)
        return f"{told}; it is applied now"
    vault.files.settle(steps, forward=False, why=SETTLED)
    _turn_back(vault, changeset)
    reason = f"it was interrupted, and {odd[0]} was edited before it could be finished"
    vault.changesets.shift(changeset.id, "failed", reason=reason)
    return f"{told} and taken back: {odd[0]} was edited meanwhile"


def _numbered(
    vault: EditVault, change: Draft | Changeset, request: EditRequest
) -> tuple[Changeset, ChangeState | None]:
    if isinstance(change, Changeset):
        draft = replace(change.draft, steps=moving(change.draft.steps))
        return replace(change, draft=draft, state="applying"), change.state
    draft = replace(change, steps=moving(change.steps))
    return made(vault, draft, "applying", request), None


def moving(steps: Sequence[Step]) -> tuple[Step, ...]:
    return tuple(s for s in steps if s.path != s.to or s.before != s.after)


def _write(
    vault: EditVault,
    changeset: Changeset,
    former: ChangeState | None,
    request: EditRequest,
) -> tuple[tuple[FileDiff, ...], str]:
    is_kept = False
    files: tuple[FileDiff, ...] = ()
    draft = changeset.draft

    def keep() -> None:
        nonlocal is_kept, files
        is_kept = True  # a write that fails may have kept it all the same
        if former is None:
            vault.changesets.keep(changeset)
        else:
            vault.changesets.shift(changeset.id, "applying")
        files = diffs_of(draft.steps)

    why = request.why or f"{draft.verb} {changeset.id}"
    try:
        vault.files.apply(draft.steps, why=why, client=request.client, meanwhile=keep)
    except BaseException as fault:
        if is_kept and not isinstance(fault, NotTakenBack):  # settling looks after that
            _set_aside(vault, changeset, former, str(fault))
        raise
    try:
        _noted(vault, changeset)
    except VaultError as fault:  # the files are changed; settling finds them so
        return files, f"that is not noted yet: {fault}"
    return files, ""


def _noted(vault: EditVault, changeset: Changeset) -> None:
    """Have a changeset on record as applied, and what it takes back as undone.

    That comes first: who dies in between leaves what is settled by doing both again.
    """
    _chain(vault, changeset.undoes, "undone", f"by {changeset.id}")
    vault.changesets.shift(changeset.id, "applied")


def _turn_back(vault: EditVault, changeset: Changeset) -> None:
    with suppress(EditRefused):  # it went with its time
        if (
            changeset.undoes
            and vault.changesets.get(changeset.undoes).state == "undone"
        ):
            _chain(vault, changeset.undoes, "applied", "")


def _tidy_up(vault: EditVault, undone: str) -> None:
    with suppress(EditRefused):  # it went with its time
        if undone:
            take_away_folders(vault, vault.changesets.get(undone))


def _chain(vault: EditVault, identity: str, state: ChangeState, reason: str) -> None:
    """Note what was undone, or not; what that one had undone is then the contrary."""
    while identity:
        try:
            identity = vault.changesets.shift(identity, state, reason=reason).undoes
        except EditRefused:  # it went with its time
            return
        state, reason = ("applied" if state == "undone" else "undone"), ""


def _set_aside(
    vault: EditVault, changeset: Changeset, former: ChangeState | None, reason: str
) -> None:
    """Let what was not applied be where it was; what was partly is left to settling."""
    with suppress(GlassmindError, OSError):
        if "new" not in vault.files.standing(changeset.draft.steps):
            vault.changesets.shift(changeset.id, former or "failed", reason=reason)


def _name(step: Step) -> NotePath:
    return step.path or step.to


def _to_refresh(steps: Sequence[Step]) -> list[NotePath]:
    if any(step.folder for step in steps):
        return []
    return [path for path in paths_of(steps) if not is_trashed(path)]


TAINTED = "tainted"
"""The fact of a change that is only shown, and of somebody who was given text before
that nobody vouches for: who applies it may never have read that."""

UNDOES = "undoes"
"""The fact of a draft that names the changeset which it takes back."""

SUBJECT = "subject"
"""The fact of a draft that names the note whose words were asked to change; in its
other files only links follow."""

FOLDERS = frozenset(MEMO_FOLDERS.values())

AUTHORSHIP = (
    "kind",
    "client",
    "generated",
    "approved",
    "created",
    "derived-from",
    "untrusted",
    "merged",
)

KINDS = frozenset(get_args(MemoKind))
_BOX = re.compile(r"^(\s*(?:[-*+]|\d+[.)]) )\[.\]", re.MULTILINE)

_Properties: TypeAlias = Mapping[str, object]


def decided(vault: EditVault, draft: Draft, request: EditRequest) -> Changed:
    """Do with a change what the policy allows; one that changes nothing has no id."""
    if vault.sight is not None:
        refuse_marks(draft)
        refuse_memos(vault, draft, request)
    if not moving(draft.steps):
        # none may ask for it by an id: it is kept nowhere
        shown = replace(made(vault, draft, "previewed", request), id="")
        return changed(shown, notices=(NOTHING,))
    found = permitted(vault, draft, tainted=request.tainted)
    may, rule = found.verdict
    if request.dry_run:
        draft = as_of(draft, request)
        reason = would_wait(found.verdict)
        return kept(vault, draft, "previewed", request, reason=reason)
    if may == "propose":
        return kept(vault, draft, "proposed", request, reason=rule)
    return applied(vault, draft, request)


def as_of(draft: Draft, request: EditRequest) -> Draft:
    if not request.tainted:
        return draft
    return replace(draft, facts={**draft.facts, TAINTED: True})


def would_wait(verdict: Verdict) -> str:
    """Return why a change that is only shown would wait; empty where it would not."""
    may, rule = verdict
    return "" if may == "allow" else f"it would wait for a person: {rule}"


def permitted(vault: EditVault, draft: Draft, *, tainted: bool = False) -> Judged:
    """Return what may be done with a change, if anything.

    Refuse one after which a caller who is not shown credentials could read one.
    """
    if vault.sight is not None:
        refuse_unhiding(draft)
    return not_forbidden(vault, draft, tainted=tainted)


def made(
    vault: EditVault,
    draft: Draft,
    state: ChangeState,
    request: EditRequest,
    reason: str = "",
) -> Changeset:
    return vault.changesets.made(
        with_folders(vault, draft),
        state,
        client=request.client,
        undoes=str(draft.facts.get(UNDOES, "")),
        reason=reason,
    )


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


def without_forbidden(
    vault: EditVault, draft: Draft, own: Collection[NotePath | None] = ()
) -> Draft | None:
    others = tuple(step for step in draft.steps if step.path not in own)
    barred = forbidden(vault, replace(draft, steps=others))
    steps = [s for s in draft.steps if s.to not in barred or s.path in own]
    if not steps:
        return None
    left = sum(is_seen(vault, path) for path in barred)
    if not left:
        return replace(draft, steps=tuple(steps))
    risk = f"{left} files with such links may not be edited, and stay as they are"
    return replace(draft, steps=tuple(steps), risks=(*draft.risks, risk))


def moves_since(vault: EditVault, known: Changeset) -> list[tuple[str, str]]:
    later, _ = (vault.visible_changesets or vault.changesets).listed(("applied",))
    since = list(takewhile(lambda other: other.id != known.id, later))
    return [
        (step.path, step.to)
        for changeset in reversed(since)
        for step in changeset.draft.steps
        if step.path and step.path != step.to and not is_trashed(step.to)
    ]


def refuse_memos(vault: EditVault, draft: Draft, request: EditRequest) -> None:
    """Refuse what an agent would write as a memo, or do with one of another client.

    Links in memos follow, boxes are ticked, and what an agent captured itself it may
    word anew, move and take away; who said it and who approved it stays as it is. A
    memo that names no client was written by hand, and is the owner's.
    """
    for step in draft.steps:
        if _takes_anothers(vault, step, request):
            raise EditRefused(
                f"{step.path} stays where it is: it is not what you captured, and a "
                "person decides whether it is moved or forgotten"
            )
        if _is_inside(vault, step.to) and _is_barred(vault, draft, step, request):
            raise EditRefused(
                f"{step.to} was not written: what is to be remembered is captured, so "
                "that a person can look at it; capture it instead"
            )


def changes_memos(vault: EditVault, draft: Draft) -> bool:
    return any(
        _is_of_memos(vault, path) or (_is_inside(vault, path) and _is_any_memo(step))
        for step in draft.steps
        for path in (step.path, step.to)
        if path is not None
    )


def _is_any_memo(step: Step) -> bool:
    texts = (step.before or b"", step.after)
    return step.folder or any(_is_memo(_properties(raw)) for raw in texts)


def _is_barred(
    vault: EditVault, draft: Draft, step: Step, request: EditRequest
) -> bool:
    came = step.path is None or not _is_inside(vault, step.path)
    into = _is_of_memos(vault, step.to)
    enters = into and not (step.path and _is_of_memos(vault, step.path))
    if step.folder:
        return step.path is not None and (came or enters)
    now, was = _properties(step.after), _properties(step.before or b"")
    clients = (None, request.client)
    foreign = now.get("client") not in clients
    if came or enters:
        return foreign or into or _is_memo(now)
    if not (_is_memo(now) or _is_memo(was) or into):
        return foreign and was.get("client") in clients
    if any(now.get(name) != was.get(name) for name in AUTHORSHIP):
        return True
    is_subject = draft.verb == "edit" or draft.facts.get(SUBJECT) == step.to
    is_reworded = _words(step.before or b"") != _words(step.after)
    return is_subject and is_reworded and not _is_own(was, request)


def _takes_anothers(vault: EditVault, step: Step, request: EditRequest) -> bool:
    old = step.path
    if old is None or old == step.to or not _is_inside(vault, old):
        return False
    if step.folder:
        return _is_of_memos(vault, old) or folded(old) == folded(vault.agent_folder)
    was = _properties(step.before or b"")
    is_memo = _is_memo(was) or _is_of_memos(vault, old)
    return is_memo and not _is_own(was, request)


def _is_own(was: _Properties, request: EditRequest) -> bool:
    return was.get("client") == request.client


def _is_inside(vault: EditVault, path: NotePath) -> bool:
    return is_in(folded(path), folded(vault.agent_folder))


def _is_of_memos(vault: EditVault, path: NotePath) -> bool:
    below = folded(path)[len(folded(vault.agent_folder)) + 1 :]
    return _is_inside(vault, path) and below.partition("/")[0] in FOLDERS


def _is_memo(properties: _Properties) -> bool:
    return str(properties.get("kind")).strip().lower() in KINDS


def _properties(raw: bytes) -> _Properties:
    text = decode(raw)
    if isinstance(text, Unreadable):
        return {}
    found = read_head(text.text).frontmatter.properties
    return {name.strip().lower(): value for name, value in found.items()}


def _words(raw: bytes) -> str:
    text = decode(raw)
    return "" if isinstance(text, Unreadable) else _BOX.sub(r"\1[ ]", text.text)


def refuse_left_out(
    vault: EditVault, draft: Draft, undone: Changeset | None = None
) -> None:
    """Refuse a change of text in a note that is left out of the index by now.

    Refuse also a moved folder by which notes would be indexed that are left out. What
    `undone`, the change that it takes back, put there itself may come back.
    """
    rules, steps = vault.rules(), undone.draft.steps if undone is not None else ()
    folders = [(s.path, s.to) for s in steps if s.folder and s.path]
    put = {
        (path_after_moves(s.to, folders), s.after)
        for s in steps
        if s.path and not s.folder and rules.left_out(s.path) is None
    }
    for step in draft.steps:
        if step.folder and step.path and not is_trashed(step.path):
            check_folder_seen(vault, step.path, ())
            if undone is None:
                refuse_opening(vault.root, rules, step.path, step.to)
            continue
        is_text = not step.folder and step.before not in (None, step.after)
        if is_text and step.path and (step.path, step.before) not in put:
            check_read(rules, step.path)


def known_undone(vault: EditVault, changeset: Changeset) -> Changeset | None:
    with suppress(EditRefused):
        return vault.changesets.get(changeset.undoes) if changeset.undoes else None
    return None


def shown_changeset(vault: EditVault, identity: str) -> Changed:
    return withheld(vault, changed(told_changeset(vault, identity)))


def withheld(vault: EditVault, done: Changed) -> Changed:
    rules, steps = vault.rules(), done.changeset.draft.steps
    is_made = done.changeset.state == "applied"
    moved: list[tuple[str, str]] = [
        (s.path, s.to) for s in steps if s.folder and s.path
    ]
    moved += moves_since(vault, done.changeset) if is_made else []

    def shown(file: FileDiff, step: Step) -> FileDiff:
        place = path_after_moves(step.to, moved) if is_made else step.path
        # without a place it is a note to come: the text is the caller's own
        if place is None or step.folder or step.before == step.after:
            return file
        try:
            check_read(rules, place)
        except FileUnreadable as fault:
            return replace(file, diff=f"It is not shown: {fault}.\n")
        return file

    return replace(done, files=tuple(map(shown, done.files, steps)))
