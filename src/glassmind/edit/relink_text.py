"""Links in one text written anew after a change of names: notes, canvases and bases."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, assert_never

from glassmind.errors import EditRefused
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
    LinkParts,
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
    """A file with its links written anew, and what was counted on the way.

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

    def lose(self, relink: Relink, now: NotePath | None) -> None:
        leads = now is not None and not relink.is_hidden(now)
        self.elsewhere += leads
        self.lost += not leads

    def stick(self, risk: str) -> None:
        self.stuck += 1
        self.risks.append(risk)

    def refused(self, risk: str, *, stuck: int = 0) -> "Relinked":
        return Relinked(self.raw, risks=[risk], stuck=stuck)


class _Text(NamedTuple):
    note: Note
    source: bytes
    home: NotePath
    name: NotePath


class _Change(NamedTuple):
    number: int
    path: str | None
    subpath: str | None
    careful: bool = False


def relinked_note(
    path: NotePath, raw: bytes, path_after: NotePath, relink: Relink
) -> Relinked:
    found = decode(raw)
    result = Relinked(raw)
    if isinstance(found, Unreadable):
        return result
    note = read_note(path, found.text)
    text = _Text(note, found.text.encode(), path_after, path)
    after = _relinked_text(text, relink, result)
    if after is None:
        return result
    if found.flagged or found.encoding != "utf-8":
        reason = found.reason or f"it is {found.encoding}"
        return result.refused(f"{path}: {reason}, so its links stay as they are")
    mark = raw[: len(raw) - len(text.source)]
    result.raw = mark + after
    return result


def _relinked_text(text: _Text, relink: Relink, result: Relinked) -> bytes | None:
    changes = list(_changes(text, relink, result))
    if not changes:
        return None
    parts = link_parts(text.note, text.source)
    made = _made(text, parts, changes)
    if made is None:
        made = _made(text, parts, [one._replace(careful=True) for one in changes])
    if made is None:
        for change in changes:
            result.stick(_risk(text.note.path, text.note.links[change.number]))
        return None
    result.links += len(changes)
    return made


def _changes(text: _Text, relink: Relink, result: Relinked) -> Iterator[_Change]:
    source = text.note.path
    for number, link in enumerate(text.note.links):
        markdown = link.kind == "markdown"
        before = relink.before.resolve(link.target, source, markdown=markdown)
        now = relink.after.resolve(link.target, text.home, markdown=markdown)
        if before is None:
            result.adopted += now is not None
            continue
        target, subpath = relink.end(before, link.subpath, link.kind)
        given = None if subpath == link.subpath else subpath or ""
        if now == target:
            if given is not None:
                yield _Change(number, None, given)
        elif not relink.exists(target):
            result.lose(relink, now)
        else:
            if relink.exposes(link.target, source, target):
                result.exposed.append(now or "")
            meant = LinkChange(link.target, source, before, text.home, target)
            names = spellings(meant, relink.after, relink.settings.link_format)
            name = next(names, None)
            if name is None:
                result.stick(_risk(source, link))
            else:
                yield _Change(number, name, given)


def _risk(path: NotePath, link: Link) -> str:
    return (
        f"{path}, line {link.line}: no link of its kind can lead to what "
        f"{link.target} means now; write it by hand"
    )


def _made(
    text: _Text, parts: list[LinkParts], changes: Iterable[_Change]
) -> bytes | None:
    meant = list(text.note.links)
    splices = []
    is_sure = True
    for number, path, subpath, careful in changes:
        link = meant[number]
        if path is not None:
            link = link._replace(target=path)
        if subpath is not None:
            link = link._replace(subpath=subpath or None)
        meant[number] = link
        plain = is_plain(text.source, parts[number], path)
        is_sure = is_sure and plain and subpath is None
        if parts[number].form != NOWHERE:  # else it follows another, as aliases do
            splices += spelled(
                text.source, parts[number], path=path, subpath=subpath, careful=careful
            )
    try:
        after = spliced(text.source, sorted(set(splices)))
    except EditRefused:
        return None
    return after if is_sure or reads_so(text.name, after, meant) else None


def card_end(value: str, source: NotePath, names: Names) -> NotePath | None:
    if not value:
        return None
    return names.resolve(f"/{value}", source) or names.resolve(value, source)


_CARD = NotePath("card.md")


def relinked_canvas(
    path: NotePath, raw: bytes, path_after: NotePath, relink: Relink
) -> Relinked:
    result = Relinked(raw)
    changes: list[tuple[CanvasRef, str]] = []
    for ref in canvas_refs(raw):
        if ref.kind == "text":
            text = _card(ref.value, path, path_after, relink, result)
            if text is not None:
                changes.append((ref, text))
        elif ref.kind == "file":
            changes.extend(_file_card(ref, path, path_after, relink, result))
    if changes:
        try:
            result.raw = spliced(raw, canvas_respelled(raw, changes))
        except EditRefused as refusal:
            return result.refused(f"{path}: {refusal}")
    return result


def _card(
    value: str, path: NotePath, home: NotePath, relink: Relink, result: Relinked
) -> str | None:
    # as it is read: a line before the card, so that it has no frontmatter
    note = parse_note(path, f"\n{value}")
    if note.text != f"\n{value}":
        return None
    text = _Text(note, note.text.encode(), home, _CARD)
    after = _relinked_text(text, relink, result)
    return None if after is None else after.decode().removeprefix("\n")


def _file_card(
    ref: CanvasRef, path: NotePath, home: NotePath, relink: Relink, result: Relinked
) -> list[tuple[CanvasRef, str]]:
    before = card_end(ref.value, path, relink.before)
    now = card_end(ref.value, home, relink.after)
    if before is None:
        result.adopted += now is not None
        return []
    written = (ref.subpath.value if ref.subpath else "") or None
    target, subpath = relink.end(before, written)
    changes: list[tuple[CanvasRef, str]] = []
    # a whole path is written to the letter, also where only its case differs
    if now != target or ref.value == before != target:
        if not relink.exists(target):
            result.lose(relink, now)
            return []
        if relink.exposes(ref.value, path, target):
            result.exposed.append(now or "")
        changes.append((ref, target))
    if subpath != written and ref.subpath is not None:
        changes.append((ref.subpath, subpath or ""))
    result.links += bool(changes)
    return changes


def relinked_base(
    path: NotePath, raw: bytes, path_after: NotePath, relink: Relink
) -> Relinked:
    result = Relinked(raw)
    changes: list[tuple[BaseRef, str]] = []
    for ref in base_refs(raw):
        name = _base_name(ref, path, path_after, relink, result)
        if name is not None and name != ref.value:
            changes.append((ref, name))
    if changes:
        result.links += len(changes)
        try:
            result.raw = spliced(raw, base_respelled(raw, changes))
        except EditRefused as refusal:
            return result.refused(f"{path}: {refusal}")
    return result


def _base_name(
    ref: BaseRef, path: NotePath, home: NotePath, relink: Relink, result: Relinked
) -> str | None:
    match ref.kind:
        case "folder":
            return _folder(ref.value, relink.folders)
        case "folder_start" | "path_start":
            starts = (f"{old}/" for old in relink.folders)
            is_sure = ref.value.startswith(tuple(starts))
            return _folder(ref.value, relink.folders) if is_sure else None
        case "path":
            return _path(NotePath(ref.value), path, relink)
        case "note":
            return _note(ref.value, path, home, relink, result)
        case "name":
            return None
        case _:
            assert_never(ref.kind)


def _note(
    value: str, path: NotePath, home: NotePath, relink: Relink, result: Relinked
) -> str | None:
    before = relink.before.resolve(value, path)
    now = relink.after.resolve(value, home)
    if before is None:
        result.adopted += now is not None
        return None
    target, _ = relink.end(before)
    if now == target:
        return None
    if not relink.exists(target):
        result.lose(relink, now)
        return None
    if relink.exposes(value, path, target):
        result.exposed.append(now or "")
    meant = LinkChange(value, path, before, home, target)
    return next(spellings(meant, relink.after, relink.settings.link_format), None)


def _path(exact: NotePath, source: NotePath, relink: Relink) -> str | None:
    if relink.before.resolve(f"/{exact}", source) != exact:
        return None
    target, _ = relink.end(exact)
    return target if relink.exists(target) else None


def _folder(value: str, folders: Mapping[str, str]) -> str | None:
    name = value.strip("/")
    for old, new in folders.items():
        if name == old or name.startswith(f"{old}/"):
            return value.replace(name, new + name[len(old) :], 1)
    return None
