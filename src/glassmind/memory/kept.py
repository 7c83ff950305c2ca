"""The memos that the index knows, with their facts, and some of them whole."""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from glassmind.memory.cabinet import Cabinet
from glassmind.memory.claimed import At, claimed_by_others, places_in
from glassmind.memory.finding import memos_of_sections
from glassmind.memory.memo_file import FIRST_STATUS, SUPERSEDED
from glassmind.memory.memo_names import kind_in, place_of
from glassmind.memory.memo_sections import LAYOUT, memos_in
from glassmind.memory.moments import moment_of
from glassmind.model import NotePath
from glassmind.model.memory import Memo, MemoKind, MemoNote, MemoPlace

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
    """Return every memo of the index, the newest first.

    Those that a person moved out of the agent folder are among them.
    """
    folder, rows = cabinet.folder, cabinet.memos()
    notes = [*rows.notes(folder), *rows.strays(folder)]
    led = rows.superseded()
    among = memos_of_sections(cabinet, notes)
    rule = _Places(folder, _there(notes, among), _claimed(notes, among, folder))
    found = [
        *(_known(note, rule, is_led=note.path in led) for note in notes),
        *(_known_among(memo, rule) for memo in among),
    ]
    memos = sorted((one for one in found if one), key=lambda memo: memo.key)
    return sorted(memos, key=lambda memo: moment_of(memo.created), reverse=True)


class _Places(NamedTuple):
    """Where memos stand, and those of them that others took the place of."""

    folder: str
    there: Collection[At]
    claimed: Collection[At]


def _there(notes: Sequence[MemoNote], among: Sequence[Memo]) -> set[At]:
    whole_notes: set[At] = {(note.path, "") for note in notes}
    return whole_notes | {(memo.path, memo.section) for memo in among}


def _claimed(notes: Sequence[MemoNote], among: Sequence[Memo], folder: str) -> set[At]:
    """Return what others took the place of; what nobody approved takes none."""
    said = [
        (note.path, "", note.properties.get("supersedes"))
        for note in notes
        if note.properties.get("generated") is not True
    ]
    said += [(one.path, one.section, one.supersedes) for one in among]
    return claimed_by_others(
        ((path, section), places_in(value, folder))
        for path, section, value in said
        if value and place_of(path, folder) == "kept"
    )


def broken_told(cabinet: Cabinet) -> list[str]:
    """Say which notes do not tell what they are: nobody is to miss them unawares."""
    folder = cabinet.folder
    return [
        f"{path} does not say what it is: {error.rstrip('.')}; mend its properties"
        for path, error in cabinet.memos().broken(folder)
        if place_of(path, folder) == "kept"
    ]


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


def _known(note: MemoNote, rule: _Places, *, is_led: bool) -> KnownMemo | None:
    """Return a note as a memo by the rules of `read_memo`; None where it is none."""
    said, folder = note.properties, rule.folder
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
        superseded=is_led
        or _is_superseded(
            (note.path, ""), said.get("status"), said.get("superseded-by"), rule
        ),
    )


def _is_superseded(at: At, status: object, named: object, rule: _Places) -> bool:
    """Whether another has the place of a memo that names it, if any.

    Not so when that is gone by now; one that has another name since says so itself.
    """
    if at in rule.claimed:
        return True
    if not named:
        return status == SUPERSEDED
    return any(place in rule.there for place in places_in(named, rule.folder))


def _known_among(memo: Memo, rule: _Places) -> KnownMemo:
    """Return a memo that stands among others, by its facts."""
    at, named = (memo.path, memo.section), memo.superseded_by
    is_word = bool(named) and not places_in(named, rule.folder)
    return KnownMemo(
        path=memo.path,
        section=memo.section,
        kind=memo.kind,
        place=memo.place,
        created=memo.created,
        project=memo.project,
        superseded=is_word or _is_superseded(at, memo.status, named, rule),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
