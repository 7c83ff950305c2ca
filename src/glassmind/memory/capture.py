"""Keeping something worth remembering: checked, written, on record, indexed at once."""

import os
import re
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count, pairwise
from threading import Lock
from typing import NamedTuple, TypeAlias
from unicodedata import normalize

from msgspec import structs

from glassmind.errors import (
    BadMemo,
    GlassmindError,
    IndexFault,
    NoteChanged,
    VaultError,
)
from glassmind.files.read import Unreadable, decode, safe_path
from glassmind.files.write import VaultWriter
from glassmind.memory.format import (
    FIRST_STATUS,
    INBOX,
    memo_text,
    memos_in,
    names_for,
    title_from,
    title_in,
    with_box,
)
from glassmind.memory.parts import (
    MOST,
    SOURCE_CHARS,
    Cabinet,
    add_to_project,
    box_said,
    check_writes,
    client_said,
    is_broken,
    kind_said,
    project_named,
    project_said,
    retained,
    tags_said,
    text_said,
    unindexed,
)
from glassmind.model import Digest, NotePath, Span
from glassmind.model.memory import (
    MEMO_FOLDERS,
    Captured,
    Memo,
    MemoKind,
    SimilarMemory,
    extended,
)
from glassmind.obsidian.frontmatter import MAX_BYTES, read_head
from glassmind.obsidian.properties import parse_project
from glassmind.obsidian.receipts import (
    bare,
    parse_receipt,
    receipt_of,
    receipt_text,
)

CLASHES = 20
"""Times that another may be faster to take a name before ours becomes unlike all."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a caller says of a memo; nothing of it is believed yet."""

    kind: str
    text: str
    project: str = ""
    sources: Sequence[str] = ()
    tags: Sequence[str] = ()
    client: str = "cli"
    agent: bool = False
    derived_from: Sequence[str] = ()
    untrusted: bool = False


def captured(cabinet: Cabinet, claim: Claim) -> Captured:
    """Keep what was said, and say where; what is written is never lost again.

    Raises:
        BadWish, BadMemo: it cannot be kept as it is; nothing was written.
        WriteRefused: the settings or the disk do not let it be written.
    """
    check_writes(cabinet, "nothing was captured")  # before a look
    kind = kind_said(claim.kind)
    rule = cabinet.config.memory.inbox
    before = provenance_of(cabinet, claim.client) if claim.agent else Provenance()
    waits = rule == "all" or before.held or (rule == "agents" and claim.agent)
    folder = INBOX if waits else MEMO_FOLDERS[kind]
    project = project_named(claim.project)
    stands = sources_said(cabinet, claim.sources)
    said = replace(
        claim,
        project=project,
        sources=stands.receipts,
        derived_from=before.derived_from,
        untrusted=before.untrusted,
    )
    memo = _memo(cabinet, said, kind, folder)
    notices = (*stands.notices, *_new_project(cabinet, project))
    done = _kept(cabinet, memo, f"capture a {kind}", notices)
    return structs.replace(
        done, notices=(*done.notices, *retained(cabinet, done.memory))
    )


def _new_project(cabinet: Cabinet, project: str) -> tuple[str, ...]:
    """Say so where a project is named that no note of the vault belongs to yet."""
    if not project:
        return ()
    try:
        with cabinet.faults():
            known = cabinet.projects()
            if known.members(parse_project(project)):
                return ()
            closest = known.closest(project)
    except IndexFault:
        return ()
    hint = f"; there is {', '.join(map(repr, closest))}" if closest else ""
    return (f"the project {project!r} is new to this vault{hint}",)


def summary_kept(cabinet: Cabinet, claim: Claim, title: str) -> Captured:
    """Keep a summary as a note of its own, whatever the layout; see `captured`.

    Of many sources its properties have the first; its text has them all.
    """
    check_writes(cabinet, "no summary was kept")
    stands = sources_said(cabinet, tuple(claim.sources)[:MOST], verify=False)
    said = replace(claim, sources=stands.receipts)
    memo = _memo(cabinet, said, "summary", MEMO_FOLDERS["summary"])
    named = replace(memo, title=title_from(title, "summary"))
    return _kept(cabinet, named, "keep a summary")


def _memo(cabinet: Cabinet, claim: Claim, kind: MemoKind, folder: str) -> Memo:
    """Return a memo that has no file yet: its path is the folder it will stand in.

    The sources are receipts already.
    """
    text = text_said(claim.text, kind)
    blank = Memo(
        path=NotePath(f"{cabinet.folder}/{folder}"),
        kind=kind,
        title=title_from(text, kind),
        text=text,
        project=project_said(claim.project),
        created=cabinet.now().isoformat(timespec="seconds"),
        client=client_said(claim.client),
        status=FIRST_STATUS[kind],
        place="inbox" if folder == INBOX else "kept",
        sources=tuple(claim.sources),
        tags=tags_said(claim.tags),
        generated=claim.agent,
        derived_from=tuple(claim.derived_from),
        untrusted=claim.untrusted,
    )
    made = with_box(blank, box_said(claim.text, kind))
    if read_head(memo_text(made)).frontmatter.error:
        raise BadMemo("memo", f"its facts take more than {MAX_BYTES:,} bytes")
    return made


def _kept(
    cabinet: Cabinet, memo: Memo, why: str, notices: Sequence[str] = ()
) -> Captured:
    together = memo.kind != "summary" and cabinet.config.memory.layout == "project"
    if memo.place == "kept" and together:
        written, digest = add_to_project(cabinet, memo, why=why)
    else:
        written, digest = write_new(cabinet, memo, why=why)
    notice = _unindexed(cabinet, written.path)
    return Captured(
        written,
        digest,
        near=nearby(cabinet, written),
        indexed=notice is None,
        notices=(*(() if notice is None else (f"it is kept, but {notice}",)), *notices),
    )


def _unindexed(cabinet: Cabinet, path: NotePath) -> str | None:
    """Bring a memo into the index; return why it is not in it, if so."""
    error = cabinet.acts.indexed([path])
    if error is not None:
        return unindexed(error)
    if cabinet.sure(path) is None:
        return (
            "the index leaves it out: see index.include_agent_dir, .glassmindignore "
            "and the files that Obsidian excludes"
        )
    return None


def write_new(cabinet: Cabinet, memo: Memo, *, why: str) -> tuple[Memo, Digest]:
    """Write a memo as a note of its own in the folder that its path names.

    Returns it under its name, which no other file had, and the digest of the note.

    Raises:
        WriteRefused: the settings or the disk do not let it be written.
    """
    writer, raw = cabinet.writer(memo.client), memo_text(memo).encode()
    for attempt in count(1):
        path = f"{memo.path}/{_free_name(writer, memo, alone=attempt > CLASHES)}"
        try:
            done = writer.put(path, raw, expected=None, why=why)
        except NoteChanged:  # somebody was faster
            if attempt > 2 * CLASHES:
                raise
        else:
            named = replace(memo, path=done.path, title=title_in(done.path))
            return named, done.after
    raise AssertionError("the last attempt returns or raises")


def _free_name(writer: VaultWriter, memo: Memo, *, alone: bool) -> str:
    """Return a name that no file has now; `alone`, one that nobody else comes upon."""
    title = f"{memo.title} {os.urandom(4).hex()}" if alone else memo.title
    taken = {name.casefold() for name in writer.names(memo.path)}
    names = names_for(memo.created[:10], title)
    return next(name for name in names if name.casefold() not in taken)


ACCEPTED = (
    "name a receipt as context prints it, a note, or a part of one: Note.md:12-18, "
    "Note.md#Heading"
)
"""What may be a source, for who has to be told."""


class Standing(NamedTuple):
    """Receipts, each once, and what there is to say of them."""

    receipts: tuple[str, ...]
    notices: tuple[str, ...] = ()


def sources_said(
    cabinet: Cabinet, sources: Sequence[str], *, verify: bool = True
) -> Standing:
    """Return sources as receipts; with `verify`, of lines that are there.

    Lines that stand elsewhere now are cited from there, which is told, and so is what
    is not as it was.

    Raises:
        BadMemo: one is no receipt and no place, or its lines are gone or nobody's to
            read, or there are too many.
    """
    asked = dict.fromkeys(source.strip() for source in sources)
    if len(asked) > MOST:
        raise BadMemo("list of sources", f"{MOST} are the most")
    said: dict[str, None] = {}
    notices: list[str] = []
    for source in asked:
        receipt, notice = _standing(cabinet, source, verify=verify)
        said[receipt] = None
        notices += [notice] if notice else []
    return Standing(tuple(said), tuple(dict.fromkeys(notices)))


def _standing(cabinet: Cabinet, asked: str, *, verify: bool) -> tuple[str, str]:
    """Return one source as a receipt, and what there is to say of it, if anything."""
    if not asked or len(asked) > SOURCE_CHARS or is_broken(asked):
        raise BadMemo("source", f"{asked[:80]!r} is none: {ACCEPTED}")
    known = parse_receipt(asked)
    if known is None:
        return _made(cabinet, bare(asked)), ""
    written = receipt_text(known)
    return _checked(cabinet, written) if verify else (written, "")


def _checked(cabinet: Cabinet, receipt: str) -> tuple[str, str]:
    """Return a receipt of lines that are there, and how they changed, if they did."""
    try:
        found = cabinet.acts.verified([receipt])[0]
    except GlassmindError as error:
        raise BadMemo("source", str(error)) from error
    if found.state == "unchanged":
        return receipt, ""
    if found.state == "moved" and found.now:
        return found.now, f"a source is cited from where it stands now: {found.note}"
    if found.state == "changed":
        return receipt, f"the source {receipt} is kept as it was: {found.note}"
    raise BadMemo("source", f"the lines of {receipt} are not there: {found.note}")


def _made(cabinet: Cabinet, place: str) -> str:
    """Return the receipt of a note, or of the part of one that a place names."""
    try:
        with cabinet.faults():
            found = cabinet.place(place)
    except IndexFault:
        return _made_without_index(cabinet, place)
    except VaultError as error:
        raise BadMemo("source", f"{error}; {ACCEPTED}") from error
    if found is None:
        raise BadMemo("source", f"no note is called {place[:80]!r}; {ACCEPTED}")
    if not found.text.strip():
        raise BadMemo("source", f"{found.path} says nothing there")
    heading = found.heading_path[-1] if found.heading_path else ""
    return receipt_of(found.path, heading, found.span, found.text)


def _made_without_index(cabinet: Cabinet, name: str) -> str:
    """Return the receipt of a whole note by its path; none that a dot hides."""
    path, text = _text_at(cabinet, name)
    if path is None or not text:
        raise BadMemo("source", f"no note is called {name[:80]!r}; {ACCEPTED}")
    lines = text.removesuffix("\n").count("\n") + 1
    return receipt_of(path, "", Span(1, lines), text)


def _text_at(cabinet: Cabinet, name: str) -> tuple[NotePath | None, str]:
    with suppress(VaultError), cabinet.files() as files:
        path = safe_path(name)
        hidden = any(part.startswith(".") for part in path.split("/"))
        if path.endswith(".md") and not hidden and files.exists(path):
            found = decode(files.read(path))
            return path, "" if isinstance(found, Unreadable) else found.text
    return None, ""


MOST_CLIENTS, MOST_NOTES = 500, 500
"""That are remembered, of each the latest: names of clients are of their own choice."""

MOST_TOLD = 20
"""Notes that a capture names, the latest."""

NAMELESS = ("http", "mcp")
"""Clients that said no name: what they were given may be any client's."""


class Provenance(NamedTuple):
    """Where a capture may come from; `held` says that a person has to look at it."""

    derived_from: tuple[NotePath, ...] = ()
    untrusted: bool = False
    held: bool = False


class Given:
    """The notes that clients of a process were given; for any number of threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._notes: OrderedDict[tuple[str, str], OrderedDict[str, bool]] = (
            OrderedDict()
        )

    def hand(
        self, vault: str, client: str, texts: Iterable[str], named: Iterable[str] = ()
    ) -> None:
        """Remember notes whose text a client was given, and those only named to it."""
        with self._lock:
            known = self._notes.setdefault((vault, client), OrderedDict())
            self._notes.move_to_end((vault, client))
            for path in named:
                known.setdefault(path, False)
            for path in texts:
                known[path] = True
                known.move_to_end(path)
            while len(known) > MOST_NOTES:
                known.popitem(last=False)
            while len(self._notes) > MOST_CLIENTS:
                self._notes.popitem(last=False)

    def to(self, vault: str, client: str) -> dict[str, bool]:
        """Return what a client was given, the latest last, and whether it was text."""
        found: dict[str, bool] = {}
        with self._lock:
            for name in dict.fromkeys((*NAMELESS, client)):
                for path, is_text in self._notes.get((vault, name), {}).items():
                    found[path] = found.pop(path, False) or is_text
        return found


GIVEN = Given()
"""What was given in this process."""


def provenance_of(cabinet: Cabinet, client: str) -> Provenance:
    """Return what a client that captures something was given before."""
    given = GIVEN.to(str(cabinet.root), client)
    texts = tuple(NotePath(path) for path, is_text in given.items() if is_text)
    untrusted = bool(given) and cabinet.untrusted([NotePath(one) for one in given])
    held = untrusted and cabinet.config.writes.approve_after_untrusted
    return Provenance(_known(cabinet, texts[-MOST_TOLD:]), untrusted, held)


def _known(cabinet: Cabinet, paths: Iterable[NotePath]) -> tuple[NotePath, ...]:
    """Return the notes that whoever captures may know of: others read others."""
    try:
        with cabinet.faults():
            return tuple(path for path in paths if cabinet.sure(path) == path)
    except IndexFault:
        return ()


LEAST = 0.6
"""From here on two memos are worth a look. Of a sentence of ten words, one may be
another, two added or left out; above one half, as the pairs of words demand."""

SHOWN = 3
"""Memos that are proposed for one; a person chooses among few."""

MOST_WORDS = 2_000
"""Words of a memo that are compared; what is longer is a document."""

_WORD = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0e7f]|\\w+"
)
"""A word, or one letter of a script that puts no spaces between words."""

_Pair: TypeAlias = tuple[str, str]


class _Sketch(NamedTuple):
    words: frozenset[str]
    pairs: frozenset[_Pair]


class NearMemos:
    """Some memos, ready to be asked which of them are near to another one."""

    def __init__(self, memos: Iterable[Memo]) -> None:
        self.memos = sorted(memos, key=lambda memo: (memo.path, memo.section))
        self._sketches = [_sketch(memo.text) for memo in self.memos]
        self._with: dict[_Pair, list[int]] = {}
        for place, sketch in enumerate(self._sketches):
            for pair in sketch.pairs:
                self._with.setdefault(pair, []).append(place)

    def to(self, memo: Memo, original: Memo | None = None) -> tuple[SimilarMemory, ...]:
        """Return those of its kind that say nearly the same, the nearest first.

        Itself is none of them. What it is a copy of comes before all, however much of
        it is another by now.
        """
        asked = _sketch(memo.text)
        shared = Counter(
            place for pair in asked.pairs for place in self._with.get(pair, ())
        )
        found = [
            extended(SimilarMemory, self.memos[place], similarity=likeness)
            for place, pairs in shared.items()
            if self._is_other(memo, self.memos[place])
            and (likeness := _likeness(asked, self._sketches[place], pairs)) >= LEAST
        ]
        found.sort(key=lambda one: (-one.similarity, one.path, one.section))
        if original is not None:
            other = _sketch(original.text)
            likeness = _likeness(asked, other, len(asked.pairs & other.pairs))
            place = original.path, original.section
            rest = (one for one in found if (one.path, one.section) != place)
            found = [extended(SimilarMemory, original, similarity=likeness), *rest]
        return tuple(found[:SHOWN])

    @staticmethod
    def _is_other(memo: Memo, other: Memo) -> bool:
        same = (memo.path, memo.section) == (other.path, other.section)
        return memo.kind == other.kind and not same


def near_to(memo: Memo, others: Sequence[Memo]) -> tuple[SimilarMemory, ...]:
    """Return what is near to one memo; see `NearMemos.to`."""
    return NearMemos(others).to(memo)


def _likeness(one: _Sketch, other: _Sketch, shared: int) -> float:
    words = len(one.words & other.words)
    by_words = words / max(len(one.words) + len(other.words) - words, 1)
    by_pairs = shared / max(len(one.pairs) + len(other.pairs) - shared, 1)
    return round((by_words + by_pairs) / 2, 4)


def _sketch(text: str) -> _Sketch:
    plain = normalize("NFKC", text).casefold()
    words = _WORD.findall(plain)[:MOST_WORDS]
    # both ends count as words, so that a text of one word has pairs too
    pairs = frozenset(pairwise(["", *words, ""])) if words else frozenset()
    return _Sketch(frozenset(words), pairs)


ASKED_WORDS, CANDIDATES = 16, 20
"""Words that are looked for, and notes that are compared: what says nearly the same
shares most of its words, and stands at the top of those that share any."""

_WORDS = re.compile(r"\w{2,40}")


def nearby(cabinet: Cabinet, memo: Memo) -> tuple[SimilarMemory, ...]:
    """Return what is near to a memo, kept or waiting, the nearest first.

    Nothing where the index cannot tell: a capture does not depend on it.
    """
    words = list(dict.fromkeys(_WORDS.findall(memo.text.casefold())))[:ASKED_WORDS]
    if not words:
        return ()
    asked = f'path:"{cabinet.folder}/" {" ".join(words)}'
    try:
        found = cabinet.acts.search(
            asked, limit=CANDIDATES, mode="fulltext", intent=None
        )
        texts = cabinet.memos().texts([hit.path for hit in found.hits])
        current = list(_current(cabinet, texts))
    except GlassmindError:
        return ()
    return near_to(memo, current)


def _current(cabinet: Cabinet, texts: dict[NotePath, str]) -> Iterator[Memo]:
    led = cabinet.memos().superseded()
    for path, text in sorted(texts.items()):
        for one in memos_in(path, text, cabinet.folder):
            is_alone = one.section or not one.superseded_by
            if path not in led and not (is_alone and one.status == "superseded"):
                yield one
