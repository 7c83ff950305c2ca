"""Finding memos: those the index knows, and the one that a person means by a name.

Names are looked up among memos alone, so that a memo may be called as a note of the
vault is. What is written stands on a name to the letter, never on a guess.
"""

import re
import stat
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from shlex import quote
from typing import NamedTuple, Protocol, TypeAlias

from glassmind.errors import (
    AmbiguousName,
    FileGone,
    IndexFault,
    MemoAstray,
    MemoNotFound,
    MemoUnreadable,
    NotAMemo,
    NoteNotFound,
    NotWaiting,
    VaultError,
)
from glassmind.files.ignore import original_of
from glassmind.files.names import (
    CANDIDATES_SHOWN,
    NOTE_SUFFIX,
    NamedNote,
    guessed_note,
    plain_name,
    sure_note,
)
from glassmind.files.read import Unreadable, VaultFiles, decode
from glassmind.memory.format import (
    FIRST_STATUS,
    INBOX,
    LAYOUT,
    SUPERSEDED,
    TRASH,
    kind_in,
    memos_in,
    place_of,
    title_in,
)
from glassmind.memory.parts import Cabinet, moment_of
from glassmind.model import NotePath
from glassmind.model.memory import MEMO_FOLDERS, Memo, MemoKind, MemoNote, MemoPlace

DEEPEST = 8
"""Folders within each other that the inbox is looked through; no hand makes more."""

LEAST_BYTES = 3
"""The shortest name that has others near to it: a letter or two stand in every title.
One sign of a script without spaces is as long, and a word."""


class MemoRows(Protocol):
    """What the index knows of the agent folder."""

    def notes(self, folder: str, /) -> Sequence[MemoNote]:
        """Return the notes below a folder, by path."""

    def strays(self, folder: str, /) -> Sequence[MemoNote]:
        """Return the memos that a person moved out of a folder, by path."""

    def texts(self, paths: Collection[NotePath], /) -> dict[NotePath, str]:
        """Return the whole text of some notes, as it was indexed."""

    def broken(self, folder: str, /) -> Sequence[tuple[NotePath, str]]:
        """Return the notes below a folder whose properties cannot be read, and why."""

    def lately(self, limit: int, /) -> Collection[NotePath]:
        """Return the notes that the last changes of the index were to."""

    def superseded(self) -> Collection[NotePath]:
        """Return the notes that another has taken the place of, and is there."""

    def ticked(self, folder: str, said: str, mark: str, /) -> Sequence[NotePath]:
        """Return the notes below a folder with a ticked box that says so, or a mark."""


class Named(NamedTuple):
    """Where a memo stands: its note, and the section of one among others."""

    path: NotePath
    section: str = ""


def memo_called(cabinet: Cabinet, name: str, *, place: MemoPlace | None = None) -> Memo:
    """Return the memo that is called so; those of one place are preferred.

    One that stands among others is called by its heading, or `note#heading`.

    Raises:
        MemoNotFound: none is to the letter; the error names the closest.
        AmbiguousName: several are.
        NotAMemo, MemoAstray: a note is called so that is none of ours, or that a
            person moved out of the agent folder.
        FileUnreadable, MemoUnreadable: its file cannot be read.
    """
    try:
        return _memo_called(cabinet, name, place)
    except FileGone as error:  # the index knows it yet
        raise MemoNotFound(name) from error


def _memo_called(cabinet: Cabinet, name: str, place: MemoPlace | None) -> Memo:
    """Return the memo that is called so; `FileGone` where it was until now."""
    known = _named_by_path(cabinet, name) or _named(cabinet, name, place)
    memos = memos_at(cabinet, known.path)
    if known.section:
        memos = [memo for memo in memos if memo.section == known.section]
    if not memos and known.section:
        raise MemoNotFound(name)
    if not memos:
        raise NotAMemo(known.path, cabinet.folder)
    if len(memos) > 1:
        each = tuple(memo.address for memo in memos)
        raise AmbiguousName(name, each[:CANDIDATES_SHOWN], len(each))
    return memos[0]


def memos_at(cabinet: Cabinet, path: NotePath) -> list[Memo]:
    """Return the memos of a file as it is on disk; none for a file without any.

    Raises:
        FileUnreadable: there is no such file, or it cannot be read.
        MemoUnreadable: it holds no text.
    """
    with cabinet.files() as files:
        raw = files.read(path)
    found = decode(raw)
    if isinstance(found, Unreadable):
        raise MemoUnreadable(path, found.reason)
    return memos_in(path, found.text, cabinet.folder)


def memo_at(cabinet: Cabinet, path: NotePath) -> Memo | None:
    """Return the memo that a file is, and no other with it; raises as `memos_at`."""
    found = memos_at(cabinet, path)
    return found[0] if found and not found[0].section else None


def memo_again(cabinet: Cabinet, memo: Memo) -> Memo:
    """Return a memo as it is on disk now.

    Raises:
        MemoNotFound: it is gone by now.
        FileUnreadable, MemoUnreadable: it cannot be read.
    """
    with suppress(FileGone):
        for found in memos_at(cabinet, memo.path):
            if found.section == memo.section:
                return found
    raise MemoNotFound(memo.address)


def waiting_called(cabinet: Cabinet, name: str) -> Memo:
    """Return the memo that is called so and waits for a person; see `memo_called`.

    What an agent captured does until it is approved, wherever a person put it.

    Raises:
        NotWaiting: it does not, or somebody else was faster.
    """
    try:
        memo = _memo_called(cabinet, name, "inbox")
    except FileGone as error:  # it was there when it was looked up
        raise NotWaiting(name) from error
    if not is_waiting(memo):
        raise NotWaiting(memo.path)
    return memo


def still_waiting(cabinet: Cabinet, memo: Memo) -> Memo:
    """Return a memo that waited as it is on disk now.

    Raises:
        NotWaiting: somebody else was faster.
    """
    try:
        found = memo_again(cabinet, memo)
    except MemoNotFound as error:
        raise NotWaiting(memo.path) from error
    if not is_waiting(found):
        raise NotWaiting(memo.path)
    return found


def is_waiting(memo: Memo) -> bool:
    """Whether no person has said yet that a memo is to be kept."""
    return memo.place == "inbox" or (memo.generated and not memo.section)


def inbox_paths(cabinet: Cabinet) -> list[NotePath]:
    """Return the notes in the inbox as they are on disk, in order.

    A person may have sorted some of them into folders. Who may not read every note is
    told of those that may be read.
    """
    with cabinet.files() as files:
        found = _notes_below(files, f"{cabinet.folder}/{INBOX}", DEEPEST)
        return [path for path in found if files.may_tell(path)]


def _notes_below(files: VaultFiles, folder: str, deepest: int) -> list[NotePath]:
    found: list[NotePath] = []
    for name in files.names(folder):
        path = f"{folder}/{name}"
        if name.startswith("."):
            continue
        if name.endswith(NOTE_SUFFIX):
            found.append(NotePath(path))
        elif deepest and _is_folder(files, path):
            found += _notes_below(files, path, deepest - 1)
    return found


def _is_folder(files: VaultFiles, path: str) -> bool:
    try:
        return stat.S_ISDIR(files.stat(path).st_mode)
    except VaultError:  # moved since it was named, or a link
        return False


def _named_by_path(cabinet: Cabinet, name: str) -> Named | None:
    """Return the file of a path from the vault, or from the agent folder, if any."""
    spelled = name.strip().removeprefix("./")
    note, _, section = spelled.partition("#")
    with cabinet.files() as files:
        for path, inside in ((spelled, ""), (note, section)):
            for start in ("", f"{cabinet.folder}/"):
                for end in ("", NOTE_SUFFIX):
                    file = f"{start}{path}{end}"
                    if _is_ours(cabinet, file) and files.exists(file):
                        return Named(NotePath(file), inside)
    return None


def _is_ours(cabinet: Cabinet, path: str) -> bool:
    below = path.removeprefix(f"{cabinet.folder}/")
    hidden = f"{below}/".startswith((f"{TRASH}/", "logs/", "cache/"))
    return below != path and path.endswith(NOTE_SUFFIX) and not hidden


def _named(cabinet: Cabinet, name: str, place: MemoPlace | None) -> Named:
    known = _names(cabinet)
    preferred = [
        note
        for note, named in known.items()
        if place_of(named.path, cabinet.folder) == place
    ]
    called = sure_note(name, preferred) or sure_note(name, list(known))
    if called is not None:
        return next(named for note, named in known.items() if note.path == called)
    other = cabinet.sure(name)
    if other is None:
        raise MemoNotFound(name, _closest(name, list(known)))
    if not _is_ours(cabinet, other):
        _refuse_stray(cabinet, other)
        raise NotAMemo(other, cabinet.folder)
    return Named(other)


def _refuse_stray(cabinet: Cabinet, path: NotePath) -> None:
    """Say of a memo that a person moved out of the agent folder what may be done."""
    for note in cabinet.memos().strays(cabinet.folder):
        if note.path == path:
            waits = note.properties.get("generated") is True
            raise MemoAstray(path, cabinet.folder, waits=waits)


def _names(cabinet: Cabinet) -> dict[NamedNote, Named]:
    """Return what memos are called; the newest of the inbox may not be indexed yet."""
    known: dict[NotePath, tuple[NamedNote, Named]] = {}
    with suppress(IndexFault):  # what waits has a name before there is an index
        rows = cabinet.memos().notes(cabinet.folder)
        for note in rows:
            known[note.path] = (_called(note), Named(note.path))
        for memo in memos_of_sections(cabinet, rows):
            at = NotePath(f"{memo.path}#{memo.section}")
            named = NamedNote(at, memo.title, (memo.section,))
            known[at] = (named, Named(memo.path, memo.section))
    for path in inbox_paths(cabinet):
        known.setdefault(path, (NamedNote(path, title_in(path)), Named(path)))
    return dict(known[path] for path in sorted(known))


def memos_of_sections(cabinet: Cabinet, notes: Sequence[MemoNote]) -> list[Memo]:
    """Return the memos that stand among others, as they were indexed."""
    paths = [note.path for note in notes if note.properties.get("layout") == LAYOUT]
    texts = cabinet.memos().texts(paths) if paths else {}
    return [
        memo
        for path in paths
        for memo in memos_in(path, texts.get(path, ""), cabinet.folder)
    ]


def _called(note: MemoNote) -> NamedNote:
    """Return a memo by the title that its file name tells, and its other names."""
    others = tuple(dict.fromkeys((note.title, *note.aliases)))
    return NamedNote(note.path, title_in(note.path), others)


def _closest(name: str, known: Sequence[NamedNote]) -> tuple[str, ...]:
    if len(plain_name(name).encode(errors="replace")) < LEAST_BYTES:
        return ()
    try:
        return (guessed_note(name, known),)
    except NoteNotFound as error:
        return error.closest
    except AmbiguousName as error:
        return error.candidates


At: TypeAlias = tuple[NotePath, str]
"""Where a memo stands: its note, and its section in one of several."""

_LINK = re.compile(r"\[\[(?P<note>[^\[\]#|]+)(?:#(?P<section>[^\[\]|]*))?")
"""A link as `supersede` writes it: by its path, which no other file has."""

_PLACE = re.compile(rf"(?:^|/)((?:{'|'.join(sorted({*MEMO_FOLDERS.values()}))})/.+)")


def places_in(value: object, folder: str) -> list[At]:
    """Return where links of ours lead to: one, some in a line, or a list of them."""
    many = value if isinstance(value, list) else [value]
    return [
        (_below(found["note"], folder), found["section"] or "")
        for one in many
        if isinstance(one, str)
        for found in _LINK.finditer(one)
    ]


def _below(note: str, folder: str) -> NotePath:
    return NotePath(
        f"{agent_path(note, folder).removesuffix(NOTE_SUFFIX)}{NOTE_SUFFIX}"
    )


def agent_path(path: str, folder: str) -> str:
    """Return a path to a memo as it is below the agent folder, whatever its name was.

    A person may have given the folder another name since the link was written.
    """
    found = None if path.startswith(f"{folder}/") else _PLACE.search(path)
    return path if found is None else f"{folder}/{found[1]}"


def claimed_by_others(claims: Iterable[tuple[At, Collection[At]]]) -> set[At]:
    """Return the memos that others took the place of, given what each says of itself.

    Where such claims lead back to the one that makes them, none of them counts: one
    that is current is left in any case.
    """
    above: dict[At, set[At]] = {}
    for successor, olds in claims:
        for old in olds:
            above.setdefault(old, set()).add(successor)
    return {old for old in above if not _leads_back(old, above)}


def _leads_back(start: At, above: Mapping[At, Collection[At]]) -> bool:
    seen: set[At] = set()
    left = [*above[start]]
    while left:
        at = left.pop()
        if at == start:
            return True
        if at not in seen:
            seen.add(at)
            left += above.get(at, ())
    return False


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


CHANGES = 20
"""Changes of the index that its words may be behind by: about what a person, or an
agent, does to memos in a second."""

_WORD = re.compile(r"\w+")
_OPERATOR = re.compile(r"[\[\]\":]|(?:^|\s)-")
"""What makes more of a query than its words."""


def fresh_memos(
    cabinet: Cabinet,
    query: str,
    passing: Sequence[KnownMemo],
    found: Collection[tuple[NotePath, str]],
) -> list[KnownMemo]:
    """Return memos that changed last and say every word of a query, in their order.

    Those that were found are none of them. None for a query of more than words.
    """
    words = set(_WORD.findall(query.casefold()))
    if not words or _OPERATOR.search(query):
        return []
    lately = cabinet.memos().lately(CHANGES)
    left = [one for one in passing if one.path in lately and one.key not in found]
    memos = whole(cabinet, left) if left else {}
    return [one for one in left if one.key in memos and words <= _said(memos[one.key])]


def _said(memo: Memo) -> set[str]:
    return set(_WORD.findall(f"{memo.title}\n{memo.text}".casefold()))
