"""Forgetting a memo: it goes to the trash of the agent folder, and never further.

One that stands among others in the note of a project is written to the trash first, to
the letter, and then cut out of that note. A death in between leaves it at both places.
What it took the place of counts again.
"""

from dataclasses import replace

from glassmind.errors.memory import MemoUnreadable
from glassmind.errors.writing import NoteChanged
from glassmind.files.names import NOTE_SUFFIX
from glassmind.files.read import Unreadable, decode
from glassmind.files.write import TRIES, FileText, VaultWriter, rewrite
from glassmind.memory.cabinet import Cabinet, check_writes
from glassmind.memory.finding import memo_again, memo_called
from glassmind.memory.memo_names import title_from
from glassmind.memory.memo_sections import new_note, without_section
from glassmind.memory.moving import away, notices_of, numbered, trash_for
from glassmind.memory.superseding import lifting
from glassmind.memory.undoing import all_or_nothing
from glassmind.model import NotePath
from glassmind.model.memory import Memo, Moved

FORGOTTEN = "forgotten"
"""Why a file was moved, for the record."""


def forget(cabinet: Cabinet, name: str, *, client: str) -> Moved:
    """Move a memo to the trash, whether it is kept or waits.

    Raises:
        MemoNotFound, AmbiguousName, NotAMemo: no one memo is called so.
        WriteRefused, MemoUnreadable: it may not be moved, or the disk did not do it.
    """
    check_writes(cabinet, "nothing was forgotten")
    memo = memo_called(cabinet, name)
    with cabinet.writer(client).queue():
        memo = memo_again(cabinet, memo)
        with lifting(cabinet, memo, client=client) as lifted:
            to = _put_into_trash(cabinet, memo, client)
    gone = replace(memo, path=to, place="trash")
    paths = dict.fromkeys([memo.path, *(one.path for one in lifted)])
    notices = (*map(_told, lifted), *notices_of(cabinet, *paths))
    return Moved(gone, NotePath(memo.address), notices)


def _told(memo: Memo) -> str:
    return f"{memo.address} counts again: what had its place is forgotten"


def _put_into_trash(cabinet: Cabinet, memo: Memo, client: str) -> NotePath:
    """Move a memo to the trash, as a note of its own, and return where it is."""
    if not memo.section:
        return away(cabinet, memo, client=client, why=FORGOTTEN)
    for attempt in range(1, TRIES + 1):
        try:
            with all_or_nothing(cabinet, client) as held:
                return _in_trash(held, held.writer(client), memo)
        except NoteChanged:  # by who does not queue, such as an editor
            if attempt == TRIES:
                raise
    raise AssertionError("the last attempt returns or raises")


def _in_trash(cabinet: Cabinet, writer: VaultWriter, memo: Memo) -> NotePath:
    """Write a section to the trash, cut it out of its note, and return where it is."""
    cut = _section_now(writer, memo)
    to = _copied(cabinet, writer, memo, cut)

    def change(before: FileText) -> str:
        after, found = without_section(before.text, memo.section, memo.path)
        if found != cut:  # somebody wrote to it since it was put into the trash
            raise NoteChanged(memo.path, expected="", found="")
        return after

    rewrite(writer, memo.path, change, why=FORGOTTEN)
    return to


def _section_now(writer: VaultWriter, memo: Memo) -> str:
    found = decode(writer.read(memo.path) or b"")
    if isinstance(found, Unreadable):
        raise MemoUnreadable(memo.path, found.reason)
    return without_section(found.text, memo.section, memo.path)[1]


def _copied(cabinet: Cabinet, writer: VaultWriter, memo: Memo, cut: str) -> NotePath:
    """Write a section to the trash, unless it is there, and return where."""
    newline = "\r\n" if "\r\n" in cut else "\n"
    raw = (f"{new_note(memo)}\n".replace("\n", newline) + cut).encode()
    name = f"{title_from(memo.section, memo.kind)}{NOTE_SUFFIX}"
    for free in numbered(name):
        path = NotePath(f"{trash_for(memo.path, cabinet.folder)}/{free}")
        known = writer.read(path)
        if known == raw:  # a death came between the two writes, or it was so before
            return path
        if known is not None:
            continue
        try:
            return writer.put(path, raw, expected=None, why=FORGOTTEN).path
        except NoteChanged:
            continue
    raise AssertionError("there is always another number")
