"""What the policy lets a change do, and what of it the caller may see."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from glassmind.access.meant import Meant, head_tags, meant_tags
from glassmind.access.policy import strictest
from glassmind.edit.vault import EditVault
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
from glassmind.files.ignore import IgnoreRules
from glassmind.files.read import name_of_stub
from glassmind.files.scan import kind_of
from glassmind.files.steps import is_trashed
from glassmind.model import NotePath
from glassmind.model.edits import Changed, Changeset, Draft, Step, Verdict

TO_TRASH = frozenset(("delete", "merge", "undo"))
FROM_TRASH = frozenset(("undo",))


class Judged(NamedTuple):
    verdict: Verdict
    path: NotePath


class _Place(NamedTuple):
    path: NotePath
    notes: Mapping[NotePath, Meant]
    folder: bool


def judged(vault: EditVault, draft: Draft, *, tainted: bool = False) -> Judged:
    """Return what may be done with a change: as much as with the strictest file of it.

    Every file is judged where it is and where it goes, by the tags that it has and
    those that it gets. Where a folder is held by the tags of notes in it, the first of
    those is named. A change without files may be made.
    """
    found = [place for step in draft.steps for place in _places(vault, draft, step)]
    if not found:
        return Judged(Verdict("allow", "nothing to be written"), NotePath(""))

    def verdict(place: _Place, notes: Iterable[NotePath]) -> Verdict:
        meant = [place.notes[note] for note in notes]
        return vault.policy.judge(
            place.path,
            tags=[tag for each in meant for tag in each.tags],
            tainted=tainted,
            folder=place.folder,
            sure=all(each.sure for each in meant),
        )

    verdicts = [verdict(place, place.notes) for place in found]
    decides = strictest(verdicts)
    place = found[verdicts.index(decides)]
    if not place.folder or verdict(place, ()) == decides:
        return Judged(decides, place.path)
    held = (note for note in place.notes if verdict(place, [note]) == decides)
    return Judged(decides, next(held, place.path))


def _places(vault: EditVault, draft: Draft, step: Step) -> Iterator[_Place]:
    notes = _tags(vault, step)
    ends = {step.path or step.to: None, step.to: None}
    if step.path and is_trashed(step.path) and draft.verb in FROM_TRASH:
        del ends[step.path]
    if step.path and is_trashed(step.to) and draft.verb in TO_TRASH:
        ends.pop(step.to, None)
    for path in ends:
        yield _Place(path, notes, step.folder)


def _tags(vault: EditVault, step: Step) -> Mapping[NotePath, Meant]:
    ruled = vault.policy.tags
    if not ruled:
        return {}
    if step.folder and step.path is not None:
        return _tags_below(vault, step.path, ruled)
    path = step.path or step.to
    before = meant_tags(path, step.before)
    if step.after == step.before:
        return {path: before}
    after = meant_tags(step.to, step.after)
    return {path: Meant((*before.tags, *after.tags), before.sure and after.sure)}


def _tags_below(
    vault: EditVault, folder: NotePath, ruled: Sequence[str]
) -> Mapping[NotePath, Meant]:
    found: dict[NotePath, Meant] = {}
    with vault.faults():
        rows = vault.rows()
        indexed = {file.path for file in rows.files(folder=folder)}
        tagged = {tag: {note.path for note in rows.notes(tag=tag)} for tag in ruled}
    for path in sorted(notes_below(vault.root, folder)):
        known = {tag for tag in ruled if path in tagged[tag]}
        read = head_tags if path in indexed else meant_tags  # rows know its text
        try:
            meant = read(path, vault.files.read(path))
        except VaultError:
            found[path] = Meant(tuple(sorted(known)), sure=False)
            continue
        tags = known | {tag for tag in ruled if meant.has(tag)}
        if tags or not meant.sure:
            found[path] = Meant(tuple(sorted(tags)), meant.sure)
    return found


def forbidden(vault: EditVault, draft: Draft) -> dict[NotePath, str]:
    found = {
        step.to: judged(vault, replace(draft, steps=(step,))).verdict
        for step in draft.steps
    }
    return {
        path: verdict.rule for path, verdict in found.items() if verdict.may == "off"
    }


def notes_below(root: Path, folder: NotePath) -> Iterator[NotePath]:
    for place, folders, names in os.walk(root / folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for entry in names:
            name = name_of_stub(entry) or entry
            if kind_of(name) != "attachment" and not Path(place, entry).is_symlink():
                file = Path(place, name)
                yield NotePath(normalize("NFC", file.relative_to(root).as_posix()))


OWNERS = "only the owner of the vault can do this"
WAITS = "a person has to look at it first"


def is_seen(vault: EditVault, path: NotePath) -> bool:
    """Whether whoever asks may read a file; one that is not there is seen.

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


def is_hidden_from(vault: EditVault) -> Callable[[NotePath], bool]:
    if vault.sight is None:
        return lambda _: False
    return cache(lambda path: not _is_read(vault, path))


def check_seen(vault: EditVault, name: str, path: NotePath) -> None:
    if not is_seen(vault, path):
        raise NoteNotFound(name)


def check_folder_seen(
    vault: EditVault, folder: NotePath, inside: Iterable[NotePath]
) -> None:
    """Refuse a folder in which there is anything that whoever asks may not read.

    `inside` are the files of it that the index has; notes of it that are left out of
    the index are judged by their text.
    """
    if vault.sight is None:
        return
    known = set(vault.sight.paths())
    others = (note for note in notes_below(vault.root, folder) if note not in known)
    if not known.issuperset(inside) or not all(
        _is_read(vault, note) for note in others
    ):
        said = f"{folder} stays where it is: only its owner can move all of it"
        raise EditRefused(said)


def _is_read(vault: EditVault, note: NotePath) -> bool:
    """Whether whoever asks may read a note; nobody may one that cannot be read."""
    try:
        return is_seen(vault, note)
    except VaultError:
        return False


def told_changeset(vault: EditVault, identity: str, client: str = "") -> Changeset:
    if vault.visible_changesets is None:
        return vault.changesets.get(identity)
    return vault.visible_changesets.get(identity, client)


@contextmanager
def nothing_hidden_named(vault: EditVault) -> Iterator[None]:
    """Let no fault of a change name a file that whoever asks may not read.

    Only that something is where a file should go is told: nothing is written over.
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
    """Whether a fault may name a file; one that cannot be read, as it was indexed."""
    try:
        return is_seen(vault, path)
    except VaultError:
        with vault.faults():
            known = path in vault.rows().paths()
        return not known or vault.sight is None or path in vault.sight.paths()


def as_seen(vault: EditVault, done: Changed, client: str = "") -> Changed:
    """Return what came of a change without files that whoever asks may not read.

    Of such a change neither links are counted nor risks told, which may be about them.
    `closed` are those that it hides itself: whoever asked for that knows them. What is
    only shown and could not be asked for by its id has none.
    `client` is who asks, where nobody is known to.
    """
    if vault.sight is None:
        return done
    steps = done.changeset.draft.steps
    told = vault.sight.as_told(done.changeset, steps, client)
    kept = {(step.path, step.to) for step in told.draft.steps}
    files = tuple(one for one in done.files if (one.path, one.to) in kept)
    closed = tuple(step.to for step in steps if vault.sight.closes(step))
    if (
        closed
        and told.state == "previewed"
        and not is_visible_changeset(vault, told, client)
    ):
        told = replace(told, id="")
    return replace(done, changeset=told, files=files, closed=closed)


def is_visible_changeset(
    vault: EditVault, changeset: Changeset, client: str = ""
) -> bool:
    try:
        return bool(told_changeset(vault, changeset.id, client))
    except ChangesetUnknown:
        return False


def not_forbidden(vault: EditVault, draft: Draft, *, tainted: bool = False) -> Judged:
    """Return what may be done with a change: to make it, or to propose it.

    Who may not read every note is told of no rule about those that are hidden, and what
    would let him read one of them waits for a person.
    """
    sight, told = vault.sight, draft
    if sight is not None:
        told = replace(draft, steps=tuple(filter(sight.knows, draft.steps)))
    found = judged(vault, told, tainted=tainted)
    if found.verdict.may == "off":
        raise PolicyForbids(found.path, found.verdict.rule)
    if sight is None:
        return found
    whole = found
    if told.steps != draft.steps:
        whole = judged(vault, draft, tainted=tainted)
    may = whole.verdict.may
    if may == "off":
        raise EditRefused(OWNERS)
    waits = may == "propose" or any(map(sight.opens, draft.steps))
    if waits and found.verdict.may == "allow":
        return Judged(Verdict("propose", WAITS), found.path)
    return found


def refuse_opening(
    root: Path,
    rules: IgnoreRules,
    folder: NotePath,
    to: str,
) -> None:
    for note in sorted(notes_below(root, folder)):
        then = to + note[len(folder) :]
        if rules.left_out(note) is not None and rules.left_out(then) is None:
            raise EditRefused(
                f"{folder} stays where it is: {note} is left out of the index, and "
                f"would not be as {then}"
            )
