"""The memos that the index knows, with their facts, and some of them whole."""

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple, TypeAlias

from glassmind.memory.cabinet import Cabinet
from glassmind.memory.finding import memos_of_sections
from glassmind.memory.memo_file import FIRST_STATUS
from glassmind.memory.memo_names import kind_in, place_of
from glassmind.memory.memo_sections import LAYOUT, memos_in
from glassmind.types import NotePath
from glassmind.types.memory import Memo, MemoKind, MemoNote, MemoPlace
from glassmind.vault.resolve import NOTE_SUFFIX

At: TypeAlias = tuple[NotePath, str]
"""Where a memo stands: its note, and its section in one of several."""

_OURS = re.compile(r"\[\[(?P<note>[^\[\]#|]+)(?:#(?P<section>[^\[\]|]*))?")
"""A link as `supersede` writes it: by its path, which no other file has."""

MOST_COMPARED = 2_000
"""Kept memos that a new one is compared with, the newest: read in a quarter second."""


class KnownMemo(NamedTuple):
    """A memo of the index by its facts; its text is read where it is asked for.

    `superseded` says whether another has taken its place, and is still there.
    """

    path: NotePath
    section: str
    kind: MemoKind
    place: MemoPlace
    created: str
    project: str
    superseded: bool

    @property
    def key(self) -> tuple[NotePath, str]:
        """What tells it from every other memo."""
        return self.path, self.section


def known_memos(cabinet: Cabinet) -> list[KnownMemo]:
    """Return every memo of the index, the newest first."""
    folder = cabinet.folder
    notes = cabinet.memos().notes(folder)
    among = memos_of_sections(cabinet, notes)
    there = {(note.path, "") for note in notes}
    there |= {(memo.path, memo.section) for memo in among}
    found = [
        *(_known(note, folder, there) for note in notes),
        *(_known_among(memo, folder, there) for memo in among),
    ]
    memos = sorted((one for one in found if one), key=lambda memo: memo.key)
    return sorted(memos, key=lambda memo: memo.created, reverse=True)


def whole(
    cabinet: Cabinet, known: Iterable[KnownMemo]
) -> dict[tuple[NotePath, str], Memo]:
    """Return some memos with what they say, as it was indexed."""
    texts = cabinet.memos().texts(sorted({memo.path for memo in known}))
    return {
        (memo.path, memo.section): memo
        for path, text in texts.items()
        for memo in memos_in(path, text, cabinet.folder)
    }


def kept_memos(cabinet: Cabinet, kinds: Collection[MemoKind]) -> list[Memo]:
    """Return the memos of some kinds that are kept and current, the newest first."""
    if not kinds:
        return []
    wanted = [
        memo
        for memo in known_memos(cabinet)
        if memo.kind in kinds and memo.place == "kept" and not memo.superseded
    ][:MOST_COMPARED]
    found = whole(cabinet, wanted)
    return [found[memo.key] for memo in wanted if memo.key in found]


def _known(note: MemoNote, folder: str, there: Collection[At]) -> KnownMemo | None:
    """Return a note as a memo by the rules of `read_memo`; None where it is none."""
    said = note.properties
    if said.get("layout") == LAYOUT:
        return None
    kind = said.get("kind")
    if isinstance(kind, str) and kind in FIRST_STATUS:
        known: MemoKind | None = kind
    else:
        known = kind_in(note.path, folder)
    if known is None:
        return None
    return KnownMemo(
        path=note.path,
        section="",
        kind=known,
        place=place_of(note.path, folder),
        created=_text(said.get("created")),
        project=_text(said.get("project")),
        superseded=_is_superseded(
            _text(said.get("status")), said.get("superseded-by"), folder, there
        ),
    )


def _is_superseded(status: str, by: object, folder: str, there: Collection[At]) -> bool:
    """Whether another memo has the place of one: not so when that is gone by now."""
    found = _OURS.match(by) if isinstance(by, str) else None
    if found is None or not found["note"].startswith(f"{folder}/"):
        return bool(by) or status == "superseded"
    at = NotePath(f"{found['note'].removesuffix(NOTE_SUFFIX)}{NOTE_SUFFIX}")
    return (at, found["section"] or "") in there


def _known_among(memo: Memo, folder: str, there: Collection[At]) -> KnownMemo:
    """Return a memo that stands among others, by its facts."""
    return KnownMemo(
        path=memo.path,
        section=memo.section,
        kind=memo.kind,
        place=memo.place,
        created=memo.created,
        project=memo.project,
        superseded=_is_superseded(memo.status, memo.superseded_by, folder, there),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
