"""Rewrite the links in one file after a change of names: notes, canvases and bases."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from glassmind.edit.permissions import OWNERS
from glassmind.errors import EditRefused, NameTaken
from glassmind.files.names import (
    NOTE_SUFFIX,
    ROOTED,
    LinkChange,
    Names,
    rooted,
    spellings,
)
from glassmind.files.read import Unreadable, decode
from glassmind.files.settings import ObsidianSettings
from glassmind.model import NotePath
from glassmind.model.edits import Splice
from glassmind.model.notes import Link, Note
from glassmind.obsidian.file_refs import (
    BaseRef,
    CanvasRef,
    base_refs,
    base_respelled,
    canvas_refs,
    canvas_respelled,
)
from glassmind.obsidian.link_edits import (
    NOWHERE,
    is_plain,
    link_parts,
    reads_so,
    spelled,
)
from glassmind.obsidian.notes import parse_note, read_note
from glassmind.obsidian.property_edits import spliced
from glassmind.obsidian.text import fold

LinkEnd: TypeAlias = tuple[NotePath, str | None]
EndAfter: TypeAlias = Callable[[NotePath, str | None, str], LinkEnd]
NO_SETTINGS = ObsidianSettings({}, ())
REWRITTEN = (".md", ".canvas", ".base")
"""Suffixes of files with links that follow a change."""

_CARD = NotePath("card.md")


@dataclass(frozen=True, slots=True)
class Relink:
    """How a change affects names, and where links must lead after it.

    `before` and `after` are the names of all files, `goes` the new paths of moved
    files, `folders` those of whole folders. `end_after` takes names of before and
    returns one of after. `is_hidden` is true for a file that the caller may not read.
    """

    before: Names
    after: Names
    goes: Mapping[NotePath, NotePath] = field(default_factory=dict)
    end_after: EndAfter | None = None
    settings: ObsidianSettings = NO_SETTINGS
    folders: Mapping[str, str] = field(default_factory=dict)
    is_hidden: Callable[[NotePath], bool] = lambda _: False

    def end(
        self, target: NotePath, subpath: str | None = None, kind: str = ""
    ) -> LinkEnd:
        if self.end_after is not None:
            return self.end_after(target, subpath, kind)
        return self.goes.get(target, target), subpath

    def exists(self, path: NotePath) -> bool:
        return self.after.resolve(f"/{path}", path) == path

    def exposes(self, written: str, source: NotePath, target: NotePath) -> bool:
        """True if a new spelling would show a hidden path that `written` does not."""
        text = written if written.startswith(ROOTED) else f"/{written}"
        path = fold(rooted(text, source) or "")
        is_written = fold(f"/{target}") in (path, f"{path}{NOTE_SUFFIX}")
        return not is_written and self.is_hidden(target)


@dataclass(slots=True)
class Relinked:
    """A file with its links rewritten, and what was counted on the way.

    `adopted` links led nowhere and lead somewhere now. Of links whose file is gone,
    `lost` lead nowhere and `elsewhere` to another one; `stuck` links cannot be written
    so that they lead to the new name. `exposed` are the files ("" for none) that took
    links from hidden notes, whose paths a new spelling would show.
    """

    raw: bytes
    links: int = 0
    adopted: int = 0
    lost: int = 0
    elsewhere: int = 0
    stuck: int = 0
    risks: list[str] = field(default_factory=list)
    exposed: list[str] = field(default_factory=list)


def relinked(
    path_before: NotePath, raw: bytes, path_after: NotePath, relink: Relink
) -> Relinked:
    """Return a file with its links rewritten: a note, a drawing, canvas or base.

    Refuse what would show the path of a note that the caller may not read in a file
    that it may: a new file took a link from it (`NameTaken`), or the link's own file
    moves (`EditRefused`).
    """
    rewriter = _Rewriter(path_before, path_after, relink, Relinked(raw))
    if path_before.lower().endswith(".md"):
        rewriter.rewrite_note()
    elif path_before.lower().endswith(".canvas"):
        rewriter.rewrite_canvas()
    elif path_before.lower().endswith(".base"):
        rewriter.rewrite_base()
    result = rewriter.result
    if result.exposed and not relink.is_hidden(path_before):
        for taken in filter(None, result.exposed):
            if relink.before.resolve(f"/{taken}", NotePath(taken)) != taken:
                raise NameTaken(taken)
        raise EditRefused(OWNERS)
    return result


class _Change(NamedTuple):
    """New parts for one link of a note, by its number; None leaves a part."""

    number: int
    path: str | None
    subpath: str | None


@dataclass(slots=True)
class _Rewriter:
    path: NotePath
    path_after: NotePath
    relink: Relink
    result: Relinked

    def rewrite_note(self) -> None:
        raw = self.result.raw
        text = decode(raw)
        if isinstance(text, Unreadable):
            return
        note = read_note(self.path, text.text)
        source = text.text.encode()
        after = self._rewritten_text(note, source, self.path)
        if after is None:
            return
        if text.flagged or text.encoding != "utf-8":
            reason = text.reason or f"it is {text.encoding}"
            self._refuse(f"{self.path}: {reason}, so its links stay as they are")
        else:
            self.result.raw = raw[: len(raw) - len(source)] + after

    def rewrite_canvas(self) -> None:
        changes: list[tuple[CanvasRef, str]] = []
        for ref in canvas_refs(self.result.raw):
            if ref.kind == "file":
                changes.extend(self._file_card(ref))
            elif ref.kind == "text":
                # as it is read: a line before the card, so that it has no frontmatter
                note = parse_note(self.path, f"\n{ref.value}")
                if note.text == f"\n{ref.value}":
                    after = self._rewritten_text(note, note.text.encode(), _CARD)
                    if after is not None:
                        changes.append((ref, after.decode().removeprefix("\n")))
        if changes:
            self._splice(lambda raw: canvas_respelled(raw, changes))

    def rewrite_base(self) -> None:
        changes: list[tuple[BaseRef, str]] = []
        for ref in base_refs(self.result.raw):
            name = self._base_name(ref)
            if name is not None and name != ref.value:
                changes.append((ref, name))
        if changes:
            self.result.links += len(changes)
            self._splice(lambda raw: base_respelled(raw, changes))

    def _splice(self, splices: Callable[[bytes], list[Splice]]) -> None:
        raw = self.result.raw
        try:
            self.result.raw = spliced(raw, splices(raw))
        except EditRefused as refusal:
            self._refuse(f"{self.path}: {refusal}")

    def _refuse(self, risk: str) -> None:
        self.result = Relinked(self.result.raw, risks=[risk])

    def _rewritten_text(
        self, note: Note, source: bytes, name: NotePath
    ) -> bytes | None:
        """Return a text with its links rewritten; None where none has to be."""
        changes = list(self._changes(note))
        if not changes:
            return None
        for careful in (False, True):
            after = _with_changes(note, source, name, changes, careful=careful)
            if after is not None:
                self.result.links += len(changes)
                return after
        for change in changes:
            self._stick(note.links[change.number])
        return None

    def _changes(self, note: Note) -> Iterator[_Change]:
        for number, link in enumerate(note.links):
            markdown = link.kind == "markdown"
            before = self.relink.before.resolve(
                link.target, self.path, markdown=markdown
            )
            now = self.relink.after.resolve(
                link.target, self.path_after, markdown=markdown
            )
            end = self._end(link.target, before, now, link.subpath, link.kind)
            if before is None or end is None:
                continue
            target, subpath = end
            given = None if subpath == link.subpath else subpath or ""
            if now != target:
                name = self._spelling(link.target, before, target)
                if name is None:
                    self._stick(link)
                else:
                    yield _Change(number, name, given)
            elif given is not None:
                yield _Change(number, None, given)

    def _end(
        self,
        written: str,
        before: NotePath | None,
        now: NotePath | None,
        subpath: str | None = None,
        kind: str = "",
    ) -> LinkEnd | None:
        """Return where a link must lead; None if it leads nowhere, before or after."""
        if before is None:
            self.result.adopted += now is not None
            return None
        target, subpath = self.relink.end(before, subpath, kind)
        if now == target and not (kind == "card" and written == before != target):
            return target, subpath
        if not self.relink.exists(target):
            leads = now is not None and not self.relink.is_hidden(now)
            self.result.elsewhere += leads
            self.result.lost += not leads
            return None
        if self.relink.exposes(written, self.path, target):
            self.result.exposed.append(now or "")
        return target, subpath

    def _spelling(self, written: str, before: NotePath, target: NotePath) -> str | None:
        change = LinkChange(written, self.path, before, self.path_after, target)
        form = self.relink.settings.link_format
        return next(spellings(change, self.relink.after, form), None)

    def _stick(self, link: Link) -> None:
        self.result.stuck += 1
        self.result.risks.append(
            f"{self.path}, line {link.line}: no link of its kind can lead to what "
            f"{link.target} means now; write it by hand"
        )

    def _file_card(self, ref: CanvasRef) -> list[tuple[CanvasRef, str]]:
        before = card_end(ref.value, self.path, self.relink.before)
        now = card_end(ref.value, self.path_after, self.relink.after)
        written = (ref.subpath.value if ref.subpath else "") or None
        end = self._end(ref.value, before, now, written, "card")
        if end is None:
            return []
        target, subpath = end
        changes: list[tuple[CanvasRef, str]] = []
        # a whole path is written to the letter, also where only its case differs
        if now != target or ref.value == before != target:
            changes.append((ref, target))
        if subpath != written and ref.subpath is not None:
            changes.append((ref.subpath, subpath or ""))
        self.result.links += bool(changes)
        return changes

    def _base_name(self, ref: BaseRef) -> str | None:
        """Return the new name of what a base refers to; None leaves it."""
        relink, value = self.relink, ref.value
        if ref.kind in ("folder_start", "path_start"):
            is_sure = value.startswith(tuple(f"{old}/" for old in relink.folders))
            return _renamed_folder(value, relink.folders) if is_sure else None
        if ref.kind == "folder":
            return _renamed_folder(value, relink.folders)
        if ref.kind == "path":
            exact = NotePath(value)
            if relink.before.resolve(f"/{exact}", self.path) != exact:
                return None
            target, _ = relink.end(exact)
            return target if relink.exists(target) else None
        if ref.kind == "note":
            before = relink.before.resolve(value, self.path)
            now = relink.after.resolve(value, self.path_after)
            end = self._end(value, before, now)
            if before is not None and end is not None and now != end[0]:
                return self._spelling(value, before, end[0])
        return None


def _with_changes(
    note: Note,
    source: bytes,
    name: NotePath,
    changes: Iterable[_Change],
    *,
    careful: bool,
) -> bytes | None:
    """Return a text with changed links; None where they would not be read so."""
    parts = link_parts(note, source)
    links = list(note.links)
    splices = []
    is_sure = True
    for number, path, subpath in changes:
        link = links[number]
        if path is not None:
            link = link._replace(target=path)
        if subpath is not None:
            link = link._replace(subpath=subpath or None)
        links[number] = link
        plain = is_plain(source, parts[number], path)
        is_sure = is_sure and plain and subpath is None
        if parts[number].form != NOWHERE:  # else it follows another, as aliases do
            splices += spelled(
                source, parts[number], path=path, subpath=subpath, careful=careful
            )
    try:
        after = spliced(source, sorted(set(splices)))
    except EditRefused:
        return None
    return after if is_sure or reads_so(name, after, links) else None


def card_end(value: str, source: NotePath, names: Names) -> NotePath | None:
    if not value:
        return None
    return names.resolve(f"/{value}", source) or names.resolve(value, source)


def _renamed_folder(value: str, folders: Mapping[str, str]) -> str | None:
    name = value.strip("/")
    for old, new in folders.items():
        if name == old or name.startswith(f"{old}/"):
            return value.replace(name, new + name[len(old) :], 1)
    return None
