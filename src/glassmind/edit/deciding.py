"""Where files are that were moved since a change of them."""

import re
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from typing import TypeAlias, get_args

from glassmind.access.meant import folded, is_in
from glassmind.edit.applying import NOTHING, applied, moving, with_folders
from glassmind.edit.desk import Asking, Desk
from glassmind.edit.diffs import changed, refuse_unhiding
from glassmind.edit.names import check_read
from glassmind.edit.permissions import (
    Judged,
    check_folder_seen,
    not_forbidden,
    notes_below,
    refuse_marks,
    told_changeset,
)
from glassmind.edit.relinking import refuse_opening
from glassmind.errors import EditRefused, FileUnreadable
from glassmind.files.ignore import IgnoreRules
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


def moves_since(desk: Desk, known: Changeset) -> list[tuple[str, str]]:
    """Return from where to where changesets after one moved something, in order."""
    later, _ = (desk.told or desk.book).listed(("applied",))
    since = list(takewhile(lambda one: one.id != known.id, later))
    return [pair for one in reversed(since) for pair in _moves(one)]


def _moves(changeset: Changeset) -> Iterator[tuple[str, str]]:
    for step in changeset.draft.steps:
        if step.path and step.path != step.to and not is_trashed(step.to):
            yield step.path, step.to


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


FOLDERS = frozenset(MEMO_FOLDERS.values())
"""Of the agent folder, those whose every note is a memo."""

SAID = (
    "kind",
    "client",
    "generated",
    "approved",
    "created",
    "derived-from",
    "untrusted",
    "merged",
    "layout",
)
"""The properties of a memo that tell whose it is and who has looked at it."""

ASKED = "asked"
"""The fact of a draft that says what was asked for, as far as its steps do not."""

KINDS = frozenset(get_args(MemoKind))
_BOX = re.compile(r"^(\s*(?:[-*+]|\d+[.)]) )\[.\]", re.MULTILINE)


def refuse_memos(desk: Desk, draft: Draft, asking: Asking) -> None:
    """Refuse what an agent would write as a memo, or do with one of another.

    Links in memos follow, boxes are ticked, and what an agent captured itself it may
    word anew, move and take away; who said it and who approved it stays as it is. A
    memo that names no client was written by hand, and is the owner's.

    Raises:
        EditRefused: it has to be captured, or is another's.
    """
    for step in draft.steps:
        if _takes_anothers(desk, step, asking):
            raise EditRefused(
                f"{step.path} stays where it is: it is not what you captured, and a "
                "person decides whether it is moved or forgotten"
            )
        if _is_inside(desk, step.to) and _is_barred(desk, draft, step, asking):
            raise EditRefused(
                f"{step.to} was not written: what is to be remembered is captured, so "
                "that a person can look at it; capture it instead"
            )


def changes_memos(desk: Desk, draft: Draft) -> bool:
    """Whether a change writes, moves or takes away anything that is remembered."""
    return any(
        _is_of_memos(desk, path) or (_is_inside(desk, path) and _is_any_memo(step))
        for step in draft.steps
        for path in (step.path, step.to)
        if path is not None
    )


def _is_any_memo(step: Step) -> bool:
    """Whether a file is a memo before a step, or after it; a folder may hold some."""
    return step.folder or any(
        map(_is_memo, map(_said, (step.before or b"", step.after)))
    )


def _is_barred(desk: Desk, draft: Draft, step: Step, asking: Asking) -> bool:
    """Whether a step that ends in the agent folder writes a memo."""
    came = step.path is None or not _is_inside(desk, step.path)
    into = _is_of_memos(desk, step.to)
    if step.folder:
        if step.path is None:  # one that is made is empty
            return False
        return came or (into and not _is_of_memos(desk, step.path))
    said, was = _said(step.after), _said(step.before or b"")
    foreign = _is_foreign(said, asking) and (came or not _is_foreign(was, asking))
    if came or (into and not _is_of_memos(desk, step.path or step.to)):
        return foreign or into or _is_memo(said)
    if _is_memo(said) or _is_memo(was) or into:
        if any(said.get(name) != was.get(name) for name in SAID):
            return True
        return step.to in _meant(draft) and _is_anothers(step, was, asking)
    return foreign


def _takes_anothers(desk: Desk, step: Step, asking: Asking) -> bool:
    """Whether a step moves or takes away a memo that is not the client's own."""
    old = step.path
    if old is None or old == step.to or not _is_inside(desk, old):
        return False
    if step.folder:
        return _is_of_memos(desk, old) or folded(old) == folded(desk.agent_folder)
    was = _said(step.before or b"")
    is_memo = _is_memo(was) or _is_of_memos(desk, old)
    return is_memo and not _is_own(was, asking)


def _is_anothers(step: Step, was: Mapping[str, object], asking: Asking) -> bool:
    """Whether the words of a memo change that is not the client's own."""
    if _is_own(was, asking):
        return False
    return _words(step.before or b"") != _words(step.after)


def _is_own(was: Mapping[str, object], asking: Asking) -> bool:
    """Whether a memo says that the client captured it; its owner's says nothing."""
    return was.get("layout") is None and was.get("client") == asking.client


def _is_foreign(said: Mapping[str, object], asking: Asking) -> bool:
    """Whether a note says that another client left it."""
    return said.get("client") not in (None, asking.client)


def _meant(draft: Draft) -> Iterator[NotePath]:
    """Yield the notes whose words a change was asked for; in others links follow."""
    if draft.verb == "edit":
        yield from (step.to for step in draft.steps)
    asked = draft.facts.get(ASKED)
    if isinstance(asked, Mapping):
        yield from (
            NotePath(str(asked[one])) for one in ("note", "into") if one in asked
        )


def _is_inside(desk: Desk, path: NotePath) -> bool:
    return is_in(folded(path), folded(desk.agent_folder))


def _is_of_memos(desk: Desk, path: NotePath) -> bool:
    below = folded(path)[len(folded(desk.agent_folder)) + 1 :]
    return _is_inside(desk, path) and below.partition("/")[0] in FOLDERS


def _is_memo(said: Mapping[str, object]) -> bool:
    kind = said.get("kind")
    return str(kind).strip().lower() in KINDS or said.get("layout") is not None


def _said(raw: bytes) -> Mapping[str, object]:
    made = decode(raw)
    if isinstance(made, Unreadable):
        return {}
    found = read_head(made.text).frontmatter.properties
    return {name.strip().lower(): value for name, value in found.items()}


def _words(raw: bytes) -> str:
    made = decode(raw)
    return "" if isinstance(made, Unreadable) else _BOX.sub(r"\1[ ]", made.text)


BROUGHT = "brought"
"""The fact of a draft that names the notes which its folders take out of sight."""

LONGEST = 200_000
"""Characters of such names that are kept: thousands of notes. They are read with every
list; a folder with more of them is brought back by hand."""

_Texts: TypeAlias = AbstractSet[tuple[NotePath | None, bytes | None]]
"""Where files are, and what they say there."""


def refuse_left_out(desk: Desk, draft: Draft, undone: Changeset | None = None) -> None:
    """Let no change be made or shown that is about text of a note left out by now.

    Nor one by which notes would be read that are left out. `undone` is the change that
    it takes back: what that one brought there, as it left it, is known anyway.

    Raises:
        FileUnreadable: the text of a note that is left out would be changed.
        EditRefused: a folder would go to where such notes are read, or one is in it
            that whoever asks may not read.
    """
    rules = desk.rules()
    own = _left_there(rules, undone)
    for step in draft.steps:
        if step.folder and step.path and not is_trashed(step.path):
            check_folder_seen(desk, step.path, ())
            refuse_opening(desk.root, rules, step.path, step.to, _brought(undone))
        elif not step.folder and _is_hidden(step, own):
            check_read(rules, step.path or step.to)


def carrying(desk: Desk, draft: Draft) -> Draft:
    """Return a draft that knows which notes its folders take to where none is read."""
    folders = [s for s in draft.steps if s.folder and not is_trashed(s.to)]
    if not folders:
        return draft
    rules = desk.rules()
    found = [
        then
        for step in folders
        if step.path
        for note in notes_below(desk.root, step.path)
        if (then := step.to + note[len(step.path) :])
        and rules.left_out(then) is not None
        and rules.left_out(note) is None
    ]
    if not found or sum(map(len, found)) > LONGEST:
        return draft
    return replace(draft, facts={**draft.facts, BROUGHT: sorted(found)})


def known_undone(desk: Desk, changeset: Changeset) -> Changeset | None:
    """Return the change that a changeset takes back; None for none, or one too old."""
    with suppress(EditRefused):
        return desk.book.get(changeset.undoes) if changeset.undoes else None
    return None


def kept_as_shown(desk: Desk, identity: str) -> Changed:
    """Return a changeset with its diffs, but for those of notes left out by now.

    Raises:
        ChangesetUnknown: there is none.
    """
    return withheld(desk, changed(told_changeset(desk, identity)))


def withheld(desk: Desk, done: Changed) -> Changed:
    """Return what came of a change; diffs of notes left out by now say so instead."""
    one = done.changeset
    rules, steps = desk.rules(), one.draft.steps
    is_made = one.state == "applied"
    own: _Texts = set() if is_made else _left_there(rules, known_undone(desk, one))
    moved = moves_since(desk, one) if is_made else []
    folders = _folders(steps)

    def place(step: Step) -> NotePath | None:
        return path_after_moves(step.to, [*folders, *moved]) if is_made else step.path

    files = [
        _withheld(rules, file, place(step))
        if not step.folder and _is_text(step) and (step.path, step.before) not in own
        else file
        for file, step in zip(done.files, steps, strict=True)
    ]
    return replace(done, files=tuple(files))


def _withheld(rules: IgnoreRules, file: FileDiff, place: NotePath | None) -> FileDiff:
    if place is None:  # it is not made, so that there is nobody's text but the asker's
        return file
    try:
        check_read(rules, place)
    except FileUnreadable as fault:
        return replace(file, diff=f"It is not shown: {fault}.\n")
    return file


def _is_text(step: Step) -> bool:
    return step.before != step.after


def _is_hidden(step: Step, own: _Texts) -> bool:
    """Whether a step is about text of a file that nobody may know."""
    if step.path is None or step.before is None or not _is_text(step):
        return False
    return (step.path, step.before) not in own


def _left_there(rules: IgnoreRules, change: Changeset | None) -> _Texts:
    """Return the texts that a change brought elsewhere, from where they are read."""
    if change is None:
        return set()
    steps = change.draft.steps
    folders = _folders(steps)
    ends = (
        (step, path_after_moves(step.to, folders)) for step in steps if not step.folder
    )
    return {
        (end, step.after)
        for step, end in ends
        if step.path and step.path != end and rules.left_out(step.path) is None
    }


def _folders(steps: Collection[Step]) -> list[tuple[str, str]]:
    return [(step.path, step.to) for step in steps if step.folder and step.path]


def _brought(change: Changeset | None) -> Collection[object]:
    found = change.draft.facts.get(BROUGHT) if change is not None else None
    return frozenset(found) if isinstance(found, list) else ()
