"""Adding a memo to the note that holds those of its project and kind."""

from collections.abc import Iterator
from dataclasses import replace

from glassmind.errors.writing import WriteFailed
from glassmind.files.names import NOTE_SUFFIX
from glassmind.files.read import Unreadable, decode
from glassmind.files.write import FileText, VaultWriter, rewrite
from glassmind.memory.cabinet import Cabinet
from glassmind.memory.memo_names import (
    days_title,
    numbered_titles,
    title_from,
)
from glassmind.memory.memo_sections import belongs_in, memos_in, new_note, with_section
from glassmind.model import Digest, NotePath
from glassmind.model.memory import MEMO_FOLDERS, Memo
from glassmind.obsidian.properties import parse_project

NO_PROJECT = "No project"
"""What the note of memos is called that belong to none."""


def add_to_project(cabinet: Cabinet, memo: Memo, *, why: str) -> tuple[Memo, Digest]:
    """Add a memo to the note of its project and kind, which is made if need be.

    Returns it with its path and section, and the digest of the note. Nothing that
    others add at the same moment is lost.

    Raises:
        WriteRefused: the settings or the disk do not let it be written.
    """
    writer = cabinet.writer(memo.client)
    with writer.queue():
        return _added(writer, _note_of(cabinet, writer, memo), memo, why)


def add_once(cabinet: Cabinet, memo: Memo, *, client: str, why: str) -> Memo:
    """Add a memo to the note of its project and kind, unless it stands there.

    It does where one was captured by the same client at the same time and says the
    same. Raises as `add_to_project`.
    """
    writer = cabinet.writer(client)
    facts = (memo.created, memo.client, memo.text)
    with writer.queue():
        path = _note_of(cabinet, writer, memo)
        found = decode(writer.read(path) or b"")
        text = "" if isinstance(found, Unreadable) else found.text
        for known in memos_in(path, text, cabinet.folder):
            if (known.created, known.client, known.text) == facts:
                return known
        return _added(writer, path, memo, why)[0]


def _added(
    writer: VaultWriter, path: NotePath, memo: Memo, why: str
) -> tuple[Memo, Digest]:
    heading = ""

    def added(found: FileText) -> str:
        nonlocal heading
        text = found.text or new_note(memo).replace("\n", found.newline)
        text, heading = with_section(text, memo, newline=found.newline)
        return text

    done = rewrite(writer, path, added, why=why)
    if done is None:
        raise WriteFailed(path, "nothing of the memo came to stand in it")
    title = days_title(heading)
    return replace(memo, path=path, title=title, section=heading), done.after


def _note_of(cabinet: Cabinet, writer: VaultWriter, memo: Memo) -> NotePath:
    """Return the note of a memo's project and kind, or the first path that is free."""
    folder = f"{cabinet.folder}/{MEMO_FOLDERS[memo.kind]}"
    taken = {name.casefold(): name for name in writer.names(folder)}
    for name in (f"{one}{NOTE_SUFFIX}" for one in _names(memo)):
        # as a disk that tells no case apart has it, and so the vault on every other
        path = NotePath(f"{folder}/{taken.get(name.casefold(), name)}")
        raw = writer.read(path)
        if raw is None:
            return path
        found = decode(raw)
        if not isinstance(found, Unreadable) and belongs_in(memo, found.text):
            return path
    raise AssertionError("names do not end")


def _names(memo: Memo) -> Iterator[str]:
    named = parse_project(memo.project).name if memo.project else NO_PROJECT
    title = title_from(named, memo.kind)
    return numbered_titles(f"{title} questions" if memo.kind == "question" else title)
