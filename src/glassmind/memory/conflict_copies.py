"""Copies that sync tools made of memos, where two machines had written one file.

No index reads them, so that whoever asks is told of them: what stands in one may stand
nowhere else.
"""

from collections.abc import Iterable, Sequence
from shlex import quote

from glassmind.errors import VaultError
from glassmind.files.ignore import original_of
from glassmind.files.names import NOTE_SUFFIX
from glassmind.memory.cabinet import Cabinet
from glassmind.model import NotePath
from glassmind.model.memory import MEMO_FOLDERS, Memo

MOST_TOLD = 5
"""Copies that are named; a person who has more looks at the folder."""


def copies_kept(cabinet: Cabinet) -> list[NotePath]:
    """Return the conflict copies among kept memos that may be told of, by path."""
    found: list[NotePath] = []
    try:
        with cabinet.files() as files:
            for folder in sorted({*MEMO_FOLDERS.values()}):
                place = f"{cabinet.folder}/{folder}"
                copies = [
                    NotePath(f"{place}/{name}")
                    for name in files.names(place)
                    if name.endswith(NOTE_SUFFIX) and original_of(name) is not None
                ]
                found += filter(files.may_tell, copies)
    except VaultError:  # who reads them says so
        return []
    return found


def copies_told(copies: Sequence[NotePath]) -> list[str]:
    """Say which copies are read by nobody, and what to do with them."""
    told = [
        f"{path} is a conflict copy of {_original(path)} and is not recalled: "
        "take over what you need of it, or give it a name of its own"
        for path in copies[:MOST_TOLD]
    ]
    left = len(copies) - MOST_TOLD
    return [*told, f"and {left:,} more conflict copies"] if left > 0 else told


def copied_memo(memo: Memo, others: Iterable[Memo]) -> Memo | None:
    """Return the memo that one of the inbox is a conflict copy of, if it is there."""
    name = original_of(memo.path.rpartition("/")[2])
    if name is None:
        return None
    same = [one for one in others if one.path.rpartition("/")[2] == name]
    same.sort(key=lambda one: (one.place != memo.place, one.path))
    return same[0] if same else None


def copy_waits(memo: Memo, original: Memo | None) -> str:
    """Say that a memo of the inbox is a copy, and what to do with it; or nothing."""
    if original_of(memo.path.rpartition("/")[2]) is None:
        return ""
    at = quote(memo.path)
    said = f"{memo.path} is a conflict copy of {_original(memo.path)}"
    if original is None:
        return f"{said}, which is not there; to keep it: glassmind inbox accept {at}"
    into = quote(original.path)
    return (
        f"{said}; to add what it says: glassmind inbox merge {at} {into}, "
        f"or: glassmind inbox reject {at}"
    )


def _original(path: NotePath) -> str:
    return original_of(path.rpartition("/")[2]) or path
