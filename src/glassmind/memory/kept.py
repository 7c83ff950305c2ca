"""The memos that the index knows, with their facts, and some of them whole."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from glassmind.memory.cabinet import Cabinet
from glassmind.memory.finding import memos_of_sections
from glassmind.memory.memo_file import FIRST_STATUS
from glassmind.memory.memo_names import kind_in, place_of
from glassmind.memory.memo_sections import LAYOUT, memos_in
from glassmind.memory.moments import moment_of
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
    folder, rows = cabinet.folder, cabinet.memos()
    notes, led = rows.notes(folder), rows.superseded()
    among = memos_of_sections(cabinet, notes)
    there = {(note.path, "") for note in notes}
    there |= {(memo.path, memo.section) for memo in among}
    taken = {at for note in notes for at in _ours(note.properties.get("supersedes"))}
    taken |= {at for memo in among for at in _ours(memo.supersedes)}
    found = [
        *(_known(note, folder, led) for note in notes),
        *(_known_among(memo, _is_superseded(memo, there, taken)) for memo in among),
    ]
    memos = sorted((one for one in found if one), key=lambda memo: memo.key)
    return sorted(memos, key=lambda memo: moment_of(memo.created), reverse=True)


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


def _known(note: MemoNote, folder: str, led: Collection[NotePath]) -> KnownMemo | None:
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
        superseded=note.path in led or _says_so_alone(said),
    )


def _says_so_alone(said: Mapping[str, object]) -> bool:
    """Whether a memo has the status, and names nothing that has its place."""
    return said.get("status") == "superseded" and not said.get("superseded-by")


def _is_superseded(memo: Memo, there: Collection[At], taken: Collection[At]) -> bool:
    """Whether another has the place of a memo that stands among others.

    Not so when that is gone by now; one that has another name since says so itself.
    """
    if not memo.superseded_by:
        return memo.status == "superseded"
    named = _ours(memo.superseded_by)
    known = not named or any(at in there for at in named)
    return known or (memo.path, memo.section) in taken


def _ours(value: object) -> list[At]:
    """Return where links of ours lead to: one, some in a line, or a list of them."""
    many = value if isinstance(value, list) else [value]
    return [
        (NotePath(f"{found['note'].removesuffix(NOTE_SUFFIX)}{NOTE_SUFFIX}"), section)
        for one in many
        if isinstance(one, str)
        for found in _OURS.finditer(one)
        for section in (found["section"] or "",)
    ]


def _known_among(memo: Memo, superseded: bool) -> KnownMemo:  # noqa: FBT001 - a fact
    """Return a memo that stands among others, by its facts."""
    return KnownMemo(
        path=memo.path,
        section=memo.section,
        kind=memo.kind,
        place=memo.place,
        created=memo.created,
        project=memo.project,
        superseded=superseded,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
