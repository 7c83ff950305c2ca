"""What the policy lets a change do, and what of it the caller may see."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias, get_args
from unicodedata import normalize

from glassmind.access.meant import NoteTags, folded, head_tags, is_in, meant_tags
from glassmind.access.policy import strictest
from glassmind.edit.vault import EditRequest, EditVault
from glassmind.errors import (
    ChangesetUnknown,
    EditRefused,
    FileTooLarge,
    GlassmindError,
    NameTaken,
    NotDownloaded,
    NoteNotFound,
    PolicyForbids,
    SymlinkInPath,
    VaultError,
)
from glassmind.files.read import Unreadable, decode, name_of_stub
from glassmind.files.scan import kind_of
from glassmind.files.steps import is_trashed
from glassmind.model import NotePath
from glassmind.model.edits import Changed, Changeset, Draft, FileStep, Verdict
from glassmind.model.memory import MEMO_FOLDERS, MemoKind
from glassmind.obsidian.frontmatter import read_head

TO_TRASH = frozenset(("delete", "merge", "undo"))
FROM_TRASH = frozenset(("undo",))

OWNERS = "only the owner of the vault can do this"
WAITS = "a person has to look at it first"

SUBJECT = "subject"
"""Draft fact: the note whose own words change; in its other files only links follow."""


class WriteDecision(NamedTuple):
    verdict: Verdict
    path: NotePath


def judged(vault: EditVault, draft: Draft, *, tainted: bool = False) -> WriteDecision:
    """Return what may be done with a change: as much as with the strictest file of it.

    Every file is judged where it is and where it goes, by the tags that it has and
    those that it gets, and so is each note in a folder. A change without files may be
    made.
    """
    every = [
        WriteDecision(
            vault.policy.judge(
                path, tags=tags.tags, tainted=tainted, folder=folder, sure=tags.sure
            ),
            path,
        )
        for step in draft.steps
        for path, tags, folder in _places(vault, draft, step)
    ]
    if not every:
        return WriteDecision(Verdict("allow", "nothing to be written"), NotePath(""))
    decides = strictest(each.verdict for each in every)
    return next(each for each in every if each.verdict == decides)


def _places(
    vault: EditVault, draft: Draft, step: FileStep
) -> Iterator[tuple[NotePath, NoteTags, bool]]:
    ends = dict.fromkeys((step.path or step.to, step.to))
    if step.path and is_trashed(step.path) and draft.verb in FROM_TRASH:
        del ends[step.path]
    if step.path and is_trashed(step.to) and draft.verb in TO_TRASH:
        ends.pop(step.to, None)
    tags = NoteTags()
    if vault.policy.tags and not step.folder:
        tags = meant_tags(step.path or step.to, step.before)
        if step.after != step.before:
            after = meant_tags(step.to, step.after)
            tags = NoteTags((*tags.tags, *after.tags), tags.sure and after.sure)
    for path in ends:
        yield path, tags, step.folder
    if vault.policy.tags and step.folder and step.path is not None:
        for path, tags in _tags_below(vault, step.path):
            back = NotePath(step.to + path[len(step.path) :])
            yield back if is_trashed(step.path) else path, tags, False


def _tags_below(
    vault: EditVault, folder: NotePath
) -> Iterator[tuple[NotePath, NoteTags]]:
    with vault.faults():
        rows = vault.rows()
        indexed = {file.path for file in rows.files(folder=folder)}
        ruled = vault.policy.tags
        tagged = {tag: {note.path for note in rows.notes(tag=tag)} for tag in ruled}
    for path in sorted(notes_below(vault.root, folder)):
        tags = [tag for tag in ruled if path in tagged[tag]]
        read = head_tags if path in indexed else meant_tags  # rows know its text
        try:
            note_tags = read(path, vault.files.read(path))
        except VaultError:
            note_tags = NoteTags(sure=False)
        if tags or note_tags.tags or not note_tags.sure:
            yield path, NoteTags((*tags, *note_tags.tags), note_tags.sure)


def forbidden(vault: EditVault, draft: Draft) -> dict[NotePath, str]:
    """Return the files of a change that may not be written, each with the rule."""
    verdicts = {
        step.to: judged(vault, replace(draft, steps=(step,))).verdict
        for step in draft.steps
    }
    return {path: rule for path, (may, rule) in verdicts.items() if may == "off"}


def notes_below(root: Path, folder: NotePath) -> Iterator[NotePath]:
    for place, folders, names in os.walk(root / folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for entry in names:
            name = name_of_stub(entry) or entry
            if kind_of(name) != "attachment" and not Path(place, entry).is_symlink():
                file = Path(place, name)
                yield NotePath(normalize("NFC", file.relative_to(root).as_posix()))


def not_forbidden(
    vault: EditVault, draft: Draft, *, tainted: bool = False
) -> WriteDecision:
    """Return what may be done with a change: to make it, or to propose it.

    A caller who may not read every note is told of no rule about hidden ones, and what
    would let it read one of them waits for a person.
    """
    sight, known = vault.sight, draft
    if sight is not None:
        known = replace(draft, steps=tuple(filter(sight.knows, draft.steps)))
    judgement = judged(vault, known, tainted=tainted)
    if judgement.verdict.may == "off":
        raise PolicyForbids(judgement.path, judgement.verdict.rule)
    if sight is None:
        return judgement
    whole = judgement
    if known.steps != draft.steps:
        whole = judged(vault, draft, tainted=tainted)
    may = whole.verdict.may
    if may == "off":
        raise EditRefused(OWNERS)
    waits = may == "propose" or any(map(sight.opens, draft.steps))
    if waits and judgement.verdict.may == "allow":
        return WriteDecision(Verdict("propose", WAITS), judgement.path)
    return judgement


def is_seen(vault: EditVault, path: NotePath) -> bool:
    """Whether the caller may read a file; true of one that does not exist.

    One that is not downloaded, or too large, is seen as it was indexed.
    """
    if vault.sight is None:
        return True
    try:
        return vault.sight.sees(path, vault.files.read(path))
    except (NotDownloaded, FileTooLarge):
        return path in vault.sight.paths()
    except SymlinkInPath:
        return False


def is_readable(vault: EditVault, note: NotePath) -> bool:
    """Whether the caller may read a note; nobody may one that cannot be read."""
    try:
        return is_seen(vault, note)
    except VaultError:
        return False


def is_hidden_from(vault: EditVault) -> Callable[[NotePath], bool]:
    if vault.sight is None:
        return lambda _: False
    return cache(lambda path: not is_readable(vault, path))


def check_seen(vault: EditVault, name: str, path: NotePath) -> None:
    if not is_seen(vault, path):
        raise NoteNotFound(name)


def check_folder_seen(
    vault: EditVault, folder: NotePath, inside: Iterable[NotePath] = ()
) -> None:
    """Refuse a folder in which there is anything that the caller may not read.

    `inside` are the files of it that the index has; notes of it that are left out of
    the index are judged by their text.
    """
    if vault.sight is None:
        return
    known = set(vault.sight.paths())
    paths = (note for note in notes_below(vault.root, folder) if note not in known)
    if not known.issuperset(inside) or not all(is_readable(vault, n) for n in paths):
        raise EditRefused(
            f"{folder} stays where it is: only its owner can move all of it"
        )


def refuse_unhiding_notes(vault: EditVault, folder: NotePath, to: str) -> None:
    """Refuse a move by which notes would be indexed that are left out now."""
    rules = vault.rules()
    for note in sorted(notes_below(vault.root, folder)):
        then = to + note[len(folder) :]
        if rules.left_out(note) is not None and rules.left_out(then) is None:
            raise EditRefused(
                f"{folder} stays where it is: {note} is left out of the index, and "
                f"would not be as {then}"
            )


@contextmanager
def nothing_hidden_named(vault: EditVault) -> Iterator[None]:
    """Let no error of a change name a file that the caller may not read.

    It only says that something is where a file should go: nothing is written over.
    """
    try:
        yield
    except GlassmindError as fault:
        path = getattr(fault, "path", None)
        if (
            isinstance(path, str)
            and not isinstance(fault, NameTaken)
            and not may_be_named(vault, NotePath(path))
        ):
            raise EditRefused(OWNERS) from None
        raise


def may_be_named(vault: EditVault, path: NotePath) -> bool:
    """Whether an error may name a file; one that cannot be read, as it was indexed."""
    try:
        return is_seen(vault, path)
    except VaultError:
        with vault.faults():
            known = path in vault.rows().paths()
        return not known or vault.sight is None or path in vault.sight.paths()


def visible_changeset(vault: EditVault, identity: str, client: str = "") -> Changeset:
    if vault.visible_changesets is None:
        return vault.changesets.get(identity)
    return vault.visible_changesets.get(identity, client)


def is_visible_changeset(
    vault: EditVault, changeset: Changeset, client: str = ""
) -> bool:
    try:
        return bool(visible_changeset(vault, changeset.id, client))
    except ChangesetUnknown:
        return False


def as_seen(vault: EditVault, done: Changed, client: str = "") -> Changed:
    """Return what came of a change without files that the caller may not read.

    Such a change has no count of links and no risks, which may be about them. `closed`
    are the files that the change itself hides: the caller knows those. A dry run that
    could not be applied by its id has none. `client` is the caller, where `CALLER` is
    not set.
    """
    if vault.sight is None:
        return done
    steps = done.changeset.draft.steps
    changeset = vault.sight.as_told(done.changeset, steps, client)
    shown = {(step.path, step.to) for step in changeset.draft.steps}
    files = tuple(file for file in done.files if (file.path, file.to) in shown)
    closed = tuple(step.to for step in steps if vault.sight.closes(step))
    is_preview = closed and changeset.state == "previewed"
    if is_preview and not is_visible_changeset(vault, changeset, client):
        changeset = replace(changeset, id="")
    return replace(done, changeset=changeset, files=files, closed=closed)


_MEMO_FOLDERS = frozenset(MEMO_FOLDERS.values())
_MEMO_KINDS = frozenset(get_args(MemoKind))
_AUTHORSHIP = (
    "kind",
    "client",
    "generated",
    "approved",
    "created",
    "derived-from",
    "untrusted",
    "merged",
)
_BOX = re.compile(r"^(\s*(?:[-*+]|\d+[.)]) )\[.\]", re.MULTILINE)
_Properties: TypeAlias = Mapping[str, object]


def refuse_memos(vault: EditVault, draft: Draft, request: EditRequest) -> None:
    """Refuse what an agent would write as a memo, or do with one of another client.

    Links in memos follow, boxes are ticked, and what an agent captured itself it may
    reword, move and delete; who said it and who approved it stays as it is. A memo
    that names no client was written by hand, and is the owner's.
    """
    for step in draft.steps:
        if _takes_anothers(vault, step, request):
            raise EditRefused(
                f"{step.path} stays where it is: it is not what you captured, and a "
                "person decides whether it is moved or forgotten"
            )
        if _is_agents(vault, step.to) and _is_barred(vault, draft, step, request):
            raise EditRefused(
                f"{step.to} was not written: what is to be remembered is captured, so "
                "that a person can look at it; capture it instead"
            )


def changes_memos(vault: EditVault, draft: Draft) -> bool:
    for step in draft.steps:
        texts = (_properties(step.before or b""), _properties(step.after))
        for path in filter(None, (step.path, step.to)):
            is_any = step.folder or any(map(_is_memo, texts))
            if _is_in_memos(vault, path) or (is_any and _is_agents(vault, path)):
                return True
    return False


def _is_barred(
    vault: EditVault, draft: Draft, step: FileStep, request: EditRequest
) -> bool:
    into = _is_in_memos(vault, step.to)
    came = step.path is None or not _is_agents(vault, step.path)
    enters = into and not (step.path and _is_in_memos(vault, step.path))
    if step.folder:
        return step.path is not None and (came or enters)
    now, was = _properties(step.after), _properties(step.before or b"")
    clients = (None, request.client)
    foreign = now.get("client") not in clients
    if came or enters:
        return foreign or into or _is_memo(now)
    if not (_is_memo(now) or _is_memo(was) or into):
        return foreign and was.get("client") in clients
    if any(now.get(name) != was.get(name) for name in _AUTHORSHIP):
        return True
    is_subject = draft.verb == "edit" or draft.facts.get(SUBJECT) == step.to
    is_reworded = _words(step.before or b"") != _words(step.after)
    return is_subject and is_reworded and was.get("client") != request.client


def _takes_anothers(vault: EditVault, step: FileStep, request: EditRequest) -> bool:
    old = step.path
    if old is None or old == step.to or not _is_agents(vault, old):
        return False
    if step.folder:
        return _is_in_memos(vault, old) or folded(old) == folded(vault.agent_folder)
    was = _properties(step.before or b"")
    is_memo = _is_memo(was) or _is_in_memos(vault, old)
    return is_memo and was.get("client") != request.client


def _is_agents(vault: EditVault, path: NotePath) -> bool:
    return is_in(folded(path), folded(vault.agent_folder))


def _is_in_memos(vault: EditVault, path: NotePath) -> bool:
    below = folded(path)[len(folded(vault.agent_folder)) + 1 :]
    return _is_agents(vault, path) and below.partition("/")[0] in _MEMO_FOLDERS


def _is_memo(properties: _Properties) -> bool:
    return str(properties.get("kind")).strip().lower() in _MEMO_KINDS


def _properties(raw: bytes) -> _Properties:
    text = decode(raw)
    if isinstance(text, Unreadable):
        return {}
    properties = read_head(text.text).frontmatter.properties
    return {name.strip().lower(): value for name, value in properties.items()}


def _words(raw: bytes) -> str:
    text = decode(raw)
    return "" if isinstance(text, Unreadable) else _BOX.sub(r"\1[ ]", text.text)
