"""Notes that are left out of the index: what a change of names does to them.

They are left alone, as the settings have it, so their links are not written anew. But
whoever moves a note is told of those that would lead nowhere, and of what searches will
not find any more; and no move opens what is left out.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from glassmind.edit.judging import notes_below
from glassmind.edit.relink_text import Relink
from glassmind.errors import VaultError
from glassmind.errors.editing import EditRefused
from glassmind.files.decode import Unreadable, decode
from glassmind.files.ignore import IgnoreRules
from glassmind.files.left_out import MOST_BYTES, MOST_READ
from glassmind.files.read import VaultFiles
from glassmind.files.resolve import fold, name_key
from glassmind.files.trash import is_trashed
from glassmind.model import NotePath
from glassmind.model.editing import Step
from glassmind.obsidian.linked import linked_note

TEXTS = (".md", ".canvas")


def left_out_risks(
    root: Path, others: Iterable[NotePath], relink: Relink, keys: Collection[str]
) -> list[str]:
    """Return a sentence about links of notes left out that would lead nowhere.

    `others` are the files that are left out, `keys` what links to changed names are
    known by. A note that is moved itself has others that may.
    """
    notes = [path for path in others if path.lower().endswith(TEXTS)]
    count, first = 0, ""
    for path, text in _texts(root, notes, keys, relink.goes):
        home = relink.goes.get(path, path)
        for link in linked_note(path, text).links:
            markdown = link.kind == "markdown"
            end = relink.before.resolve(link.target, path, markdown=markdown)
            if end is None or not link.target:
                continue
            if home == path and name_key(link.target) not in keys:
                continue
            target, _ = relink.end(end, link.subpath, path)
            now = relink.after.resolve(link.target, home, markdown=markdown)
            if now != target:
                count += 1
                first = first or path
    if not count:
        return []
    links = "1 link stays" if count == 1 else f"{count} links stay"
    return [f"{links} as written in notes that are left out of the index, as {first}"]


def search_risks(rules: IgnoreRules, steps: Iterable[Step]) -> list[str]:
    """Return what searches will not find any more."""
    told: list[str] = []
    for step in steps:
        if step.path == step.to or is_trashed(step.to):
            continue
        reason = rules.left_out(step.to, folder=step.folder)
        if reason is None or not _is_read(rules, step):
            continue
        told.append(f"searches will not find {step.to}: {reason or 'it is hidden'}")
    return told


def _is_read(rules: IgnoreRules, step: Step) -> bool:
    """Whether a file or folder is read where it is now; a new one would be."""
    return step.path is None or rules.left_out(step.path, folder=step.folder) is None


def refuse_opening(
    root: Path,
    rules: IgnoreRules,
    folder: NotePath,
    to: str,
    brought: Collection[object] = (),
) -> None:
    """Let no folder be moved to where notes of it are read that are left out now.

    Those that are `brought` back were read before.

    Raises:
        EditRefused: one would be; its owner moves it, or changes what is left out.
    """
    for note in sorted(notes_below(root, folder)):
        then = to + note[len(folder) :]
        if rules.left_out(note) is None or note in brought:
            continue
        if rules.left_out(then) is None:
            raise EditRefused(
                f"{folder} stays where it is: {note} is left out of the index, and "
                f"would not be as {then}"
            )


def _texts(
    root: Path,
    paths: Sequence[NotePath],
    keys: Collection[str],
    goes: Collection[NotePath],
) -> Iterator[tuple[NotePath, str]]:
    """Yield the texts that hold one of the names, or are moved, of the first of them.

    No more are read than can be in a moment.
    """
    if not paths:
        return
    left = MOST_BYTES
    with VaultFiles(root) as files:
        for path in paths[:MOST_READ]:
            try:
                raw = files.read(path, limit_bytes=left)
            except VaultError:
                continue
            left -= len(raw)
            found = decode(raw)
            if isinstance(found, Unreadable):
                continue
            folded = fold(found.text.replace("%20", " "))
            if path in goes or any(key in folded for key in keys):
                yield path, found.text
