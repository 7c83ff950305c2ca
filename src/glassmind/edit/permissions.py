"""What the policy says to a change: the strictest of what it says to its files."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import normalize

from glassmind.access.meant import Meant, head_tags, meant_tags
from glassmind.access.policy import strictest
from glassmind.edit.desk import Desk
from glassmind.edit.diffs import HIDDEN, is_bare
from glassmind.edit.page import Page
from glassmind.edit.text_edits import Edited
from glassmind.errors import (
    ChangesetUnknown,
    EditRefused,
    FileTooLarge,
    GlassmindError,
    HiddenWords,
    NameTaken,
    NoMatch,
    NotDownloaded,
    NotEditable,
    NoteNotFound,
    PolicyForbids,
    SeveralMatches,
    SymlinkInPath,
    VaultError,
)
from glassmind.files.read import Unreadable, decode, name_of_stub
from glassmind.files.scan import kind_of
from glassmind.files.steps import is_trashed
from glassmind.model import NotePath
from glassmind.model.edits import Changed, Changeset, Draft, Step, Verdict
from glassmind.model.notes import Note
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.secrets import HiddenRange, hidden_ranges

if TYPE_CHECKING:
    from glassmind.edit.desk import Desk


TO_TRASH = frozenset(("delete", "merge", "undo"))
"""What puts files into the trash; to move one there is to delete it."""

FROM_TRASH = frozenset(("undo",))
"""What takes files out of it."""


class Judged(NamedTuple):
    """A verdict, and the file that it is about."""

    verdict: Verdict
    path: NotePath


def judged(desk: Desk, draft: Draft, *, tainted: bool = False) -> Judged:
    """Return what may be done with a change: as much as with the strictest file of it.

    Every file is judged where it is and where it goes, by the tags that it has and
    those that it gets. Where a folder is held by the tags of notes in it, the first of
    those is named. A change without files may be made.
    """
    found = [one for step in draft.steps for one in _of_step(desk, draft, step)]
    if not found:
        return Judged(Verdict("allow", "nothing to be written"), NotePath(""))

    def verdict(place: _Place, notes: Sequence[NotePath]) -> Verdict:
        meant = [place.notes[note] for note in notes]
        return desk.policy.judge(
            place.path,
            tags=[tag for one in meant for tag in one.tags],
            tainted=tainted,
            folder=place.folder,
            sure=all(one.sure for one in meant),
        )

    verdicts = [verdict(place, list(place.notes)) for place in found]
    decides = strictest(verdicts)
    place = found[verdicts.index(decides)]
    if not place.folder or verdict(place, ()) == decides:
        return Judged(decides, place.path)
    held = (note for note in place.notes if verdict(place, [note]) == decides)
    return Judged(decides, next(held, place.path))


class _Place(NamedTuple):
    """Where a file or a folder is or goes, and the notes of it whose tags count."""

    path: NotePath
    notes: Mapping[NotePath, Meant]
    folder: bool


def _of_step(desk: Desk, draft: Draft, step: Step) -> Iterator[_Place]:
    notes = _tags(desk, step)
    for path in dict.fromkeys(_places(draft, step)):
        yield _Place(path, notes, step.folder)


def _places(draft: Draft, step: Step) -> Iterator[NotePath]:
    if step.path is None:
        yield step.to
        return
    if not (is_trashed(step.path) and draft.verb in FROM_TRASH):
        yield step.path
    if not (is_trashed(step.to) and draft.verb in TO_TRASH):
        yield step.to


def _tags(desk: Desk, step: Step) -> Mapping[NotePath, Meant]:
    """Return the tags of a note before and after, where any rule is about tags.

    Of a folder they are those of the rules, by the notes in it that have them.
    """
    ruled = desk.policy.tags
    if not ruled:
        return {}
    if step.folder and step.path is not None:
        return _tags_below(desk, step.path, ruled)
    path = step.path or step.to
    before = meant_tags(path, step.before)
    if step.after == step.before:
        return {path: before}
    after = meant_tags(step.to, step.after)
    return {path: Meant((*before.tags, *after.tags), before.sure and after.sure)}


def _tags_below(
    desk: Desk, folder: NotePath, ruled: Sequence[str]
) -> Mapping[NotePath, Meant]:
    """Return the tags with a rule of the notes in a folder, left out or not.

    Notes without any are not among them, but for those whose tags nobody can tell.
    """
    inside = f"{folder}/"
    found: dict[NotePath, set[str]] = {}
    unsure: set[NotePath] = set()
    with desk.faults():
        rows = desk.rows()
        known = set(rows.inside(folder))
        for tag in ruled:
            for path in rows.tagged(tag):
                if path.startswith(inside):
                    found.setdefault(path, set()).add(tag)
    for path in notes_below(desk.root, folder):
        try:
            raw = desk.files.read(path)
        except VaultError:
            unsure.add(path)
            continue
        # the rows know the tags in its text
        meant = (head_tags if path in known else meant_tags)(path, raw)
        if tags := {tag for tag in ruled if meant.has(tag)}:
            found.setdefault(path, set()).update(tags)
        if not meant.sure:
            unsure.add(path)
    return {
        path: Meant(tuple(sorted(found.get(path, ()))), path not in unsure)
        for path in sorted({*found, *unsure})
    }


def forbidden(desk: Desk, draft: Draft) -> dict[NotePath, str]:
    """Return the files of a change that may not be edited, each with its rule."""
    found = {
        step.to: judged(desk, replace(draft, steps=(step,))).verdict
        for step in draft.steps
    }
    return {
        path: verdict.rule for path, verdict in found.items() if verdict.may == "off"
    }


def notes_below(root: Path, folder: NotePath) -> Iterator[NotePath]:
    """Yield the notes in a folder, left out or not, downloaded or not.

    None in hidden folders.
    """
    for place, folders, names in os.walk(root / folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for entry in names:
            name = name_of_stub(entry) or entry
            if kind_of(name) != "attachment" and not Path(place, entry).is_symlink():
                file = Path(place, name)
                yield NotePath(normalize("NFC", file.relative_to(root).as_posix()))


OWNERS = "only the owner of the vault can do this"
"""What is said where a file is in the way that whoever asks may not read."""

WAITS = "a person has to look at it first"
"""Why a change waits for something in files that whoever asks may not read."""

CLOSED = (
    "it is done, and {what} cannot be read any more by who asked for it; only the "
    "owner of the vault can take it back"
)
"""What is said of files that a change has hidden from whoever asked for it."""

WOULD_CLOSE = (
    "after it {what} could not be read any more by who asks for it; only the owner of "
    "the vault could take it back"
)
"""What is said of them where it is not made."""

NAMED = 3
"""Files that are named of those."""


def is_seen(desk: Desk, path: NotePath) -> bool:
    """Whether whoever asks may read a file; one that is not there is seen.

    One that is not downloaded, or too large, is seen as it was indexed.
    """
    if desk.sight is None:
        return True
    try:
        return desk.sight.sees(path, desk.files.read(path))
    except (NotDownloaded, FileTooLarge):
        return path in desk.sight.paths()
    except SymlinkInPath:
        return False


def is_hidden_from(desk: Desk) -> Callable[[NotePath], bool]:
    """Return a test for files that the caller may not read."""
    if desk.sight is None:
        return lambda _: False
    return cache(lambda path: not _is_read(desk, path))


def check_seen(desk: Desk, name: str, path: NotePath) -> None:
    """Refuse a file that whoever asks may not read, as if there were none.

    Raises:
        NoteNotFound: it is not seen.
    """
    if not is_seen(desk, path):
        raise NoteNotFound(name)


def check_folder_seen(desk: Desk, folder: NotePath, inside: Iterable[NotePath]) -> None:
    """Refuse a folder in which there is anything that whoever asks may not read.

    `inside` are the files of it that the index has; notes of it that are left out of
    the index are judged by their text.

    Raises:
        EditRefused: not all of it is seen.
    """
    if desk.sight is None:
        return
    known = set(desk.sight.paths())
    others = (note for note in notes_below(desk.root, folder) if note not in known)
    if not known.issuperset(inside) or not all(_is_read(desk, note) for note in others):
        said = f"{folder} stays where it is: only its owner can move all of it"
        raise EditRefused(said)


def _is_read(desk: Desk, note: NotePath) -> bool:
    """Whether whoever asks may read a note; nobody may one that cannot be read."""
    try:
        return is_seen(desk, note)
    except VaultError:
        return False


def told_changeset(desk: Desk, identity: str, client: str = "") -> Changeset:
    """Return a changeset that whoever asks may be told of, content and all.

    Raises:
        ChangesetUnknown: there is none.
    """
    if desk.told is None:
        return desk.book.get(identity)
    return desk.told.get(identity, client)


@contextmanager
def nothing_hidden_named(desk: Desk) -> Iterator[None]:
    """Let no fault of a change name a file that whoever asks may not read.

    Only that something is where a file should go is told: nothing is written over.

    Raises:
        EditRefused: in the place of a fault that names one.
    """
    try:
        yield
    except GlassmindError as fault:
        path = getattr(fault, "path", None)
        if (
            isinstance(path, str)
            and not isinstance(fault, NameTaken)
            and not may_be_named(desk, NotePath(path))
        ):
            raise EditRefused(OWNERS) from None
        raise


def may_be_named(desk: Desk, path: NotePath) -> bool:
    """Whether a fault may name a file; one that cannot be read, as it was indexed."""
    try:
        return is_seen(desk, path)
    except VaultError:
        with desk.faults():
            known = path in desk.rows().paths()
        return not known or desk.sight is None or path in desk.sight.paths()


def as_seen(desk: Desk, done: Changed, client: str = "") -> Changed:
    """Return what came of a change without files that whoever asks may not read.

    Of such a change neither links are counted nor risks told, which may be about them.
    A notice names those that it hides itself: whoever asked for that knows them. What
    is only shown and could not be asked for by its id has none.
    `client` is who asks, where nobody is known to.
    """
    if desk.sight is None:
        return done
    steps = done.changeset.draft.steps
    told = desk.sight.as_told(done.changeset, steps, client)
    kept = {_ends(step) for step in told.draft.steps}
    files = tuple(one for one in done.files if (one.path, one.to) in kept)
    closed = tuple(step.to for step in steps if desk.sight.closes(step))
    if (
        closed
        and told.state == "previewed"
        and not is_visible_changeset(desk, told, client)
    ):
        told = replace(told, id="")
    said = [_said_of(done, closed)] if closed else []
    notices = (*done.notices, *said)
    return replace(done, changeset=told, files=files, closed=closed, notices=notices)


def is_visible_changeset(desk: Desk, changeset: Changeset, client: str = "") -> bool:
    """True if the caller may see a changeset by its id."""
    try:
        return bool(told_changeset(desk, changeset.id, client))
    except ChangesetUnknown:
        return False


def _said_of(done: Changed, closed: Sequence[NotePath]) -> str:
    more = len(closed) - NAMED
    rest = f" and {more:,} more" if more > 0 else ""
    said = CLOSED if done.changeset.state == "applied" else WOULD_CLOSE
    return said.format(what=", ".join(closed[:NAMED]) + rest)


def _ends(step: Step) -> tuple[NotePath | None, NotePath]:
    return step.path, step.to


def not_forbidden(desk: Desk, draft: Draft, *, tainted: bool = False) -> Judged:
    """Return what may be done with a change: to make it, or to propose it.

    Who may not read every note is told of no rule about those that are hidden, and what
    would let him read one of them waits for a person.

    Raises:
        PolicyForbids: nothing may.
        EditRefused: nothing may, for a file that is hidden.
    """
    sight, told = desk.sight, draft
    if sight is not None:
        told = replace(draft, steps=tuple(filter(sight.knows, draft.steps)))
    found = judged(desk, told, tainted=tainted)
    if found.verdict.may == "off":
        raise PolicyForbids(found.path, found.verdict.rule)
    if sight is None:
        return found
    whole = found
    if told.steps != draft.steps:
        whole = judged(desk, draft, tainted=tainted)
    may = whole.verdict.may
    if may == "off":
        raise EditRefused(OWNERS)
    waits = may == "propose" or any(map(sight.opens, draft.steps))
    if waits and found.verdict.may == "allow":
        return Judged(Verdict("propose", WAITS), found.path)
    return found


_MARK = re.compile(rb"\(hidden(?:: [A-Za-z0-9 .-]{1,40})?\)")

LETTERS = 16
"""Of a word that stands for a credential: none is found out while an edit is made."""

_OWNERS = "only the owner can edit that: it holds credentials that are not shown to you"


def as_shown(raw: bytes, edit: Callable[[bytes], Edited]) -> Edited:
    """Return what an edit makes of a note of which credentials were not shown.

    Raises:
        EditRefused: it cannot be made of what was shown.
        HiddenWords: it is about what stands in the place of a credential, or one could
            be read after it.
    """
    page = _Veiled.of(raw)
    if page is None:
        return edit(raw)
    try:
        found = edit(page.raw)
    except EditRefused as error:
        raise _told(page, error) from None
    after = _text(found.raw)
    if after is None:
        raise EditRefused(_OWNERS)
    text, back = page.lifted(after)
    if page.name in text:  # the edit cut into what stands for a credential
        raise EditRefused(_OWNERS)
    hidden = hidden_ranges(text)
    if any(is_bare(text, one, hidden) for one in back):
        raise HiddenWords(HIDDEN)
    if _is_broken(text) and not _is_broken(after):
        raise EditRefused(_OWNERS)
    risks = tuple(map(page.said, found.risks))
    return Edited(page.written(text), risks, page.said(found.facts))


def look_as_shown(desk: "Desk", page: Page, look: Callable[[Note], object]) -> None:
    """Look for something in a note as it was shown to whoever asks.

    Raises:
        EditRefused: it is not found there, whatever the note says.
    """
    if desk.sight is None:
        return
    veiled = _Veiled.of(page.raw)
    if veiled is None:
        return
    try:
        look(Page.of(page.path, veiled.raw).note)
    except EditRefused as error:
        raise _told(veiled, error) from None


def refuse_marks(draft: Draft) -> None:
    """Refuse a change that would write, into a note, what stands for a credential.

    Raises:
        HiddenWords: it would.
    """
    before, after = Counter[bytes](), Counter[bytes]()
    for step in draft.steps:
        if step.before is not None:
            before.update(_MARK.findall(step.before))
            after.update(_MARK.findall(step.after))
    for mark in after - before:
        raise HiddenWords(mark.decode())


class _Veiled(NamedTuple):
    """A note in which words stand for credentials, and what each of them stands for.

    `lead` is what stands before the text in the file, which is in an `encoding`.
    """

    raw: bytes
    name: str
    words: re.Pattern[str]
    values: Sequence[str]
    lead: bytes
    encoding: str

    @classmethod
    def of(cls, raw: bytes) -> "_Veiled | None":
        """Return a note with words for its credentials; None for one without any.

        Raises:
            EditRefused: its text cannot be written as its file is.
        """
        found = decode(raw)
        if isinstance(found, Unreadable):
            return None
        hidden = hidden_ranges(found.text)
        if not hidden:
            return None
        body = found.text.encode(found.encoding, "replace")
        lead = raw[: max(0, len(raw) - len(body))]
        if lead + body != raw:
            raise EditRefused(_OWNERS)
        name = f"hidden-{token_hex(LETTERS // 2)}"
        veiled = "".join(_veiled(found.text, hidden, name)).encode(found.encoding)
        values = [found.text[start:end] for start, end in hidden]
        words = re.compile(rf"{name}-(\d+)-")
        return cls(lead + veiled, name, words, values, lead, found.encoding)

    def lifted(self, text: str) -> tuple[str, list[HiddenRange]]:
        """Return a text with the credentials back in it, and where they stand."""
        parts: list[str] = []
        back: list[HiddenRange] = []
        done = at = 0
        for word in self.words.finditer(text):
            value = self.values[int(word[1])]
            parts += [text[done : word.start()], value]
            at += word.start() - done
            back.append(HiddenRange(at, at + len(value)))
            at, done = at + len(value), word.end()
        return "".join((*parts, text[done:])), back

    def written(self, text: str) -> bytes:
        """Return a text as the file has it.

        Raises:
            EditRefused: its encoding lacks a letter.
        """
        try:
            return self.lead + text.encode(self.encoding)
        except UnicodeEncodeError:
            raise EditRefused(_OWNERS) from None

    def said(self, value: Any) -> Any:
        """Return what is told of an edit, without the words for credentials."""
        if isinstance(value, str):
            return self.words.sub(HIDDEN, value)
        if isinstance(value, Mapping):
            return {self.said(name): self.said(one) for name, one in value.items()}
        if isinstance(value, list):
            return list(map(self.said, value))
        if isinstance(value, tuple):
            return tuple(map(self.said, value))
        return value


def _veiled(text: str, hidden: Sequence[HiddenRange], name: str) -> Iterator[str]:
    done = 0
    for at, (start, end) in enumerate(hidden):
        yield f"{text[done:start]}{name}-{at}-"
        done = end
    yield text[done:]


def _text(raw: bytes) -> str | None:
    found = decode(raw)
    return None if isinstance(found, Unreadable) else found.text


def _is_broken(text: str) -> bool:
    return read_head(text).frontmatter.error is not None


def _told(page: _Veiled, error: EditRefused) -> EditRefused:
    """Return a refusal as it is told: no words in it that stand for a credential."""
    if isinstance(error, NoMatch | SeveralMatches):
        mark = _MARK.search(error.wanted.encode(errors="replace"))
        if mark is not None:
            return HiddenWords(mark[0].decode())
    if type(error) is NoMatch:  # before its lines are cut short
        nearest = page.said(error.nearest)
        said = NoMatch(error.path, error.wanted, nearest, line=error.line).said
        error.args = (f"{error.place}: {said}" if error.place else said,)
        error.said = said
    error.args = page.said(error.args)
    for name, value in vars(error).items():
        setattr(error, name, page.said(value))
    if isinstance(error, NotEditable):
        return EditRefused(f"{error.said}; {_OWNERS}", place=error.place)
    return error
