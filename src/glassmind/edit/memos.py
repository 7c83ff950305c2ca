"""Memos that an agent may not write by editing: they are captured.

What is remembered says who captured it, and whether a person has approved that. An
agent that could write such a note, or say so of one, would be past the inbox.
"""

import re
from collections.abc import Iterator, Mapping
from typing import get_args

from glassmind.access.meant import folded, is_in
from glassmind.edit.asking import Asking
from glassmind.edit.desk import Desk
from glassmind.errors.editing import EditRefused
from glassmind.files.decode import Unreadable, decode
from glassmind.model import NotePath
from glassmind.model.editing import Draft, Step
from glassmind.model.memory import MEMO_FOLDERS, MemoKind
from glassmind.obsidian.frontmatter import read_head

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
