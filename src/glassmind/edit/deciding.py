"""What is done with a planned change: applied, proposed, only shown, or refused."""

import re
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from typing import TypeAlias, get_args

from glassmind.access.meant import folded, is_in
from glassmind.edit.applying import NOTHING, applied, moving, with_folders
from glassmind.edit.credentials import refuse_marks, refuse_unhiding
from glassmind.edit.desk import Asking, Desk
from glassmind.edit.diffs import changed
from glassmind.edit.names import check_read
from glassmind.edit.permissions import (
    Judged,
    check_folder_seen,
    forbidden,
    is_seen,
    not_forbidden,
    notes_below,
    refuse_opening,
    told_changeset,
)
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

TAINTED = "tainted"
"""The fact of a change that is only shown, and of somebody who was given text before
that nobody vouches for: who applies it may never have read that."""

SUBJECT = "subject"
"""The fact of a draft that names the note whose words were asked to change; in its
other files only links follow."""

BROUGHT = "brought"
"""The fact of a draft that names the notes which its folders take out of the index."""

MOST_BROUGHT = 200_000
"""Characters of such names that are kept: thousands of notes. They are read with every
list; a folder with more of them is brought back by hand."""

FOLDERS = frozenset(MEMO_FOLDERS.values())
"""Of the agent folder, those whose every note is a memo."""

AUTHORSHIP = (
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

KINDS = frozenset(get_args(MemoKind))
_BOX = re.compile(r"^(\s*(?:[-*+]|\d+[.)]) )\[.\]", re.MULTILINE)

_Properties: TypeAlias = Mapping[str, object]
_Texts: TypeAlias = AbstractSet[tuple[NotePath | None, bytes | None]]
"""Where files are, and what they say there."""


def decided(desk: Desk, draft: Draft, asking: Asking) -> Changed:
    """Do with a change what the policy allows, or only show it.

    One that changes nothing is shown, whatever was asked for, and has no id.
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
    """Return a change that knows whether the caller is tainted."""
    if not asking.tainted:
        return draft
    return replace(draft, facts={**draft.facts, TAINTED: True})


def would_wait(verdict: Verdict) -> str:
    """Return why a change that is only shown would wait; empty where it would not."""
    may, rule = verdict
    return "" if may == "allow" else f"it would wait for a person: {rule}"


def permitted(desk: Desk, draft: Draft, *, tainted: bool = False) -> Judged:
    """Return what may be done with a change, if anything.

    Refuse one after which a caller who is not shown credentials could read one.
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


def without_forbidden(
    desk: Desk, draft: Draft, own: Collection[NotePath | None] = ()
) -> Draft | None:
    """Return a change without the files that may not be edited; None without any.

    The `own` files of the change stay in it.
    """
    others = tuple(step for step in draft.steps if step.path not in own)
    barred = forbidden(desk, replace(draft, steps=others))
    steps = [s for s in draft.steps if s.to not in barred or s.path in own]
    if not steps:
        return None
    left = sum(is_seen(desk, path) for path in barred)
    if not left:
        return replace(draft, steps=tuple(steps))
    risk = f"{left} files with such links may not be edited, and stay as they are"
    return replace(draft, steps=tuple(steps), risks=(*draft.risks, risk))


def moves_since(desk: Desk, known: Changeset) -> list[tuple[str, str]]:
    """Return from where to where changesets after one moved something, in order."""
    later, _ = (desk.told or desk.book).listed(("applied",))
    since = list(takewhile(lambda other: other.id != known.id, later))
    return [
        (step.path, step.to)
        for changeset in reversed(since)
        for step in changeset.draft.steps
        if step.path and step.path != step.to and not is_trashed(step.to)
    ]


def refuse_memos(desk: Desk, draft: Draft, asking: Asking) -> None:
    """Refuse what an agent would write as a memo, or do with one of another client.

    Links in memos follow, boxes are ticked, and what an agent captured itself it may
    word anew, move and take away; who said it and who approved it stays as it is. A
    memo that names no client was written by hand, and is the owner's.
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
    """True if a change writes, moves or takes away anything that is remembered."""
    return any(
        _is_of_memos(desk, path) or (_is_inside(desk, path) and _is_any_memo(step))
        for step in draft.steps
        for path in (step.path, step.to)
        if path is not None
    )


def _is_any_memo(step: Step) -> bool:
    texts = (step.before or b"", step.after)
    return step.folder or any(_is_memo(_properties(raw)) for raw in texts)


def _is_barred(desk: Desk, draft: Draft, step: Step, asking: Asking) -> bool:
    """True if a step that ends in the agent folder writes a memo."""
    came = step.path is None or not _is_inside(desk, step.path)
    into = _is_of_memos(desk, step.to)
    enters = into and not (step.path and _is_of_memos(desk, step.path))
    if step.folder:
        return step.path is not None and (came or enters)
    now, was = _properties(step.after), _properties(step.before or b"")
    clients = (None, asking.client)
    foreign = now.get("client") not in clients
    if came or enters:
        return foreign or into or _is_memo(now)
    if not (_is_memo(now) or _is_memo(was) or into):
        return foreign and was.get("client") in clients
    if any(now.get(name) != was.get(name) for name in AUTHORSHIP):
        return True
    is_subject = draft.verb == "edit" or draft.facts.get(SUBJECT) == step.to
    is_reworded = _words(step.before or b"") != _words(step.after)
    return is_subject and is_reworded and not _is_own(was, asking)


def _takes_anothers(desk: Desk, step: Step, asking: Asking) -> bool:
    """True if a step moves or takes away a memo that is not the client's own."""
    old = step.path
    if old is None or old == step.to or not _is_inside(desk, old):
        return False
    if step.folder:
        return _is_of_memos(desk, old) or folded(old) == folded(desk.agent_folder)
    was = _properties(step.before or b"")
    is_memo = _is_memo(was) or _is_of_memos(desk, old)
    return is_memo and not _is_own(was, asking)


def _is_own(was: _Properties, asking: Asking) -> bool:
    """True if a memo says that the client captured it; its owner's says nothing."""
    return was.get("layout") is None and was.get("client") == asking.client


def _is_inside(desk: Desk, path: NotePath) -> bool:
    return is_in(folded(path), folded(desk.agent_folder))


def _is_of_memos(desk: Desk, path: NotePath) -> bool:
    below = folded(path)[len(folded(desk.agent_folder)) + 1 :]
    return _is_inside(desk, path) and below.partition("/")[0] in FOLDERS


def _is_memo(properties: _Properties) -> bool:
    kind = str(properties.get("kind")).strip().lower()
    return kind in KINDS or properties.get("layout") is not None


def _properties(raw: bytes) -> _Properties:
    text = decode(raw)
    if isinstance(text, Unreadable):
        return {}
    found = read_head(text.text).frontmatter.properties
    return {name.strip().lower(): value for name, value in found.items()}


def _words(raw: bytes) -> str:
    text = decode(raw)
    return "" if isinstance(text, Unreadable) else _BOX.sub(r"\1[ ]", text.text)


def refuse_left_out(desk: Desk, draft: Draft, undone: Changeset | None = None) -> None:
    """Refuse a change of text in a note that is left out of the index by now.

    Refuse also a moved folder by which notes would be indexed that are left out.
    `undone` is the change that it takes back: what that brought there is known anyway.
    """
    rules = desk.rules()
    own = _left_there(rules, undone)
    brought = undone.draft.facts.get(BROUGHT) if undone is not None else None
    for step in draft.steps:
        if step.folder and step.path and not is_trashed(step.path):
            check_folder_seen(desk, step.path, ())
            known = brought if isinstance(brought, list) else ()
            refuse_opening(desk.root, rules, step.path, step.to, known)
            continue
        is_text = not step.folder and step.before not in (None, step.after)
        if is_text and step.path and (step.path, step.before) not in own:
            check_read(rules, step.path)


def carrying(desk: Desk, draft: Draft) -> Draft:
    """Return a draft that knows which notes its folders take out of the index."""
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
    if not found or sum(map(len, found)) > MOST_BROUGHT:
        return draft
    return replace(draft, facts={**draft.facts, BROUGHT: sorted(found)})


def known_undone(desk: Desk, changeset: Changeset) -> Changeset | None:
    """Return the change that a changeset takes back; None for none, or one too old."""
    with suppress(EditRefused):
        return desk.book.get(changeset.undoes) if changeset.undoes else None
    return None


def shown_changeset(desk: Desk, identity: str) -> Changed:
    """Return a changeset with its diffs, but for those of notes left out by now."""
    return withheld(desk, changed(told_changeset(desk, identity)))


def withheld(desk: Desk, done: Changed) -> Changed:
    """Return what came of a change; diffs of notes left out by now say so instead."""
    changeset = done.changeset
    rules, steps = desk.rules(), changeset.draft.steps
    is_made = changeset.state == "applied"
    own: _Texts = set()
    moved: list[tuple[str, str]] = []
    if is_made:
        moved = [*_folder_moves(steps), *moves_since(desk, changeset)]
    else:
        own = _left_there(rules, known_undone(desk, changeset))

    def shown(file: FileDiff, step: Step) -> FileDiff:
        place = path_after_moves(step.to, moved) if is_made else step.path
        is_text = not step.folder and step.before != step.after
        # without a place it is a note to come: the text is the caller's own
        if place is None or not is_text or (step.path, step.before) in own:
            return file
        try:
            check_read(rules, place)
        except FileUnreadable as fault:
            return replace(file, diff=f"It is not shown: {fault}.\n")
        return file

    files = tuple(map(shown, done.files, steps))
    return replace(done, files=files)


def _left_there(rules: IgnoreRules, change: Changeset | None) -> _Texts:
    """Return the texts that a change moved elsewhere from where they are indexed."""
    steps = change.draft.steps if change is not None else ()
    folders = list(_folder_moves(steps))
    ends = (
        (step, path_after_moves(step.to, folders)) for step in steps if not step.folder
    )
    return {
        (end, step.after)
        for step, end in ends
        if step.path and step.path != end and rules.left_out(step.path) is None
    }


def _folder_moves(steps: Collection[Step]) -> Iterator[tuple[str, str]]:
    return ((step.path, step.to) for step in steps if step.folder and step.path)
