"""What a base says of many files at once: how their paths begin, or a bare name.

`file.path.startsWith("A/")` follows a folder that moves, for all that begins so goes
with it. A name that any note may have stays: whether it means the one that moves is
for a person to say.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, assert_never

from glassmind.edit.page import Page, garbled, is_garbled
from glassmind.errors import EditRefused, NotEditable
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
    LinkParts,
    is_plain,
    link_parts,
    reads_so,
    spelled,
)
from glassmind.obsidian.notes import linked_note, parse_note
from glassmind.obsidian.property_edits import spliced
from glassmind.obsidian.text import fold

Wanted: TypeAlias = Callable[
    [NotePath, str | None, NotePath], tuple[NotePath, str | None]
]
"""Where a link shall lead that led to a file, with a subpath, from a source."""

NO_SETTINGS = ObsidianSettings({}, ())


@dataclass(frozen=True, slots=True)
class Relink:
    """What a change does to names, and where links shall lead after it.

    `before` and `after` are the names of all files, `goes` says what those are called
    then that are moved, `folders` the same of whole folders. `wanted` has names of
    before for what a link led to and where it stands, and answers by one of after.
    With `lengthen`, links by a bare name that gets a second file are written longer
    where the vault has the shortest ones, as Obsidian does, although they lead there.
    `is_hidden` is true for a file that the caller may not read.
    """

    before: Names
    after: Names
    goes: Mapping[NotePath, NotePath] = field(default_factory=dict)
    wanted: Wanted | None = None
    settings: ObsidianSettings = NO_SETTINGS
    folders: Mapping[str, str] = field(default_factory=dict)
    lengthen: bool = False
    is_hidden: Callable[[NotePath], bool] = lambda _: False

    def end(
        self, target: NotePath, subpath: str | None, source: NotePath
    ) -> tuple[NotePath, str | None]:
        """Return where a link shall lead that led to this file."""
        if self.wanted is not None:
            return self.wanted(target, subpath, source)
        return self.goes.get(target, target), subpath

    def is_there(self, path: NotePath) -> bool:
        """Whether there is such a file after the change."""
        return self.after.resolve(f"/{path}", path) == path

    def is_new_twin(self, before: NotePath, after: NotePath) -> bool:
        """Whether a file had its name for itself, and shares it after the change."""
        return (
            self.lengthen
            and self.settings.link_format == "shortest"
            and self.after.is_shared(after)
            and not self.before.is_shared(before)
            and not self.is_hidden(before)
        )

    def exposes(self, written: str, source: NotePath, target: NotePath) -> bool:
        """True if a new spelling would show a hidden path that `written` does not."""
        text = written if written.startswith(ROOTED) else f"/{written}"
        written_path = fold(rooted(text, source) or "")
        is_written = fold(f"/{target}") in (
            written_path,
            f"{written_path}{NOTE_SUFFIX}",
        )
        return not is_written and self.is_hidden(target)


class Relinked(NamedTuple):
    """A file with its links written anew.

    `links` counts those, `adopted` the links that led nowhere and lead somewhere now.
    Of those whose file is gone, `lost` lead nowhere and `elsewhere` to another one.
    `grown` are links that led there as they were; `stuck` those that cannot be written
    so that they lead to the new name. `exposed` are the files ("" for none) that took
    links from hidden notes, whose paths a new spelling would show.
    """

    raw: bytes
    links: int = 0
    risks: tuple[str, ...] = ()
    adopted: int = 0
    lost: int = 0
    elsewhere: int = 0
    grown: int = 0
    stuck: int = 0
    exposed: tuple[str, ...] = ()


class Text(NamedTuple):
    """A text that stands somewhere in the vault: a note, or a card of a canvas.

    `home` is where it stands after the change, `name` what it is read as. `encoding`
    is that of its file where it is an old one, of 8 bits.
    """

    note: Note
    source: bytes
    home: NotePath
    name: NotePath
    encoding: str = ""


@dataclass(slots=True)
class Tally:
    """What is counted while the links of one file are looked at."""

    links: int = 0
    adopted: int = 0
    lost: int = 0
    elsewhere: int = 0
    grown: int = 0
    stuck: int = 0
    risks: list[str] = field(default_factory=list)
    exposed: list[str] = field(default_factory=list)

    def told(self, raw: bytes) -> Relinked:
        """Return what was counted, with the bytes that came of it."""
        return Relinked(
            raw,
            links=self.links,
            risks=tuple(self.risks),
            adopted=self.adopted,
            lost=self.lost,
            elsewhere=self.elsewhere,
            grown=self.grown,
            stuck=self.stuck,
            exposed=tuple(self.exposed),
        )

    def lose(self, relink: Relink, now: NotePath | None) -> None:
        """Count a link whose file is gone and that leads to `now`, if not hidden."""
        leads = now is not None and not relink.is_hidden(now)
        self.elsewhere += leads
        self.lost += not leads

    def stick(self, risk: str) -> None:
        """Count a link that cannot follow."""
        self.stuck += 1
        self.risks.append(risk)


class _Change(NamedTuple):
    """A link, by its number in the text, and what is written in it.

    A link that has `grown` leads there without it too.
    """

    number: int
    path: str | None
    subpath: str | None
    careful: bool = False
    grown: bool = False


def relinked_note(
    path: NotePath, raw: bytes, path_after: NotePath, relink: Relink
) -> Relinked:
    """Return a Markdown note or a drawing with its links written anew.

    Encoding, byte order mark and everything outside of the links stay.
    """
    found = decode(raw)
    if isinstance(found, Unreadable):
        return Relinked(raw)
    tally = Tally()
    note = linked_note(path, found.text)
    old = "" if found.encoding.startswith("utf") else found.encoding
    text = Text(note, found.text.encode(), path_after, path, old)
    after = relinked_text(text, relink, tally)
    if after is None:
        return tally.told(raw)
    if found.flagged and not old:
        risk = f"{path}: {found.reason}, so its links stay as they are"
        return Relinked(raw, 0, (risk,))
    try:
        written = after.decode().encode(found.encoding)
    except UnicodeEncodeError:
        risk = f"{path}: its encoding lacks a letter of the new links; they stay"
        return Relinked(raw, 0, (risk,), stuck=tally.links)
    mark = raw[: len(raw) - len(found.text.encode(found.encoding))]
    return tally.told(mark + written)


def relinked_text(text: Text, relink: Relink, tally: Tally) -> bytes | None:
    """Return a text with its links written anew; None where none has to be.

    The note's path is where it stands before the change.
    """
    changes = list(_changes(text, relink, tally))
    if not changes:
        return None
    parts = link_parts(text.note, text.source)
    if text.encoding:
        changes = _read_by_all(text, parts, changes, tally)
    made = _made(text, parts, changes)
    if made is None:
        made, changes = _one_by_one(text, parts, changes, tally)
    tally.links += len(changes)
    return made if changes else None


def _changes(text: Text, relink: Relink, tally: Tally) -> Iterator[_Change]:
    source = text.note.path
    for number, link in enumerate(text.note.links):
        markdown = link.kind == "markdown"
        before = relink.before.resolve(link.target, source, markdown=markdown)
        now = relink.after.resolve(link.target, text.home, markdown=markdown)
        if before is None:
            tally.adopted += now is not None
            continue
        target, subpath = relink.end(before, link.subpath, source)
        given = None if subpath == link.subpath else subpath or ""
        if now == target:
            name = _longer(link, before, target, text, relink)
            grown = name is not None and given is None
            tally.grown += grown
            if name is not None or given is not None:
                yield _Change(number, name, given, grown=grown)
        elif not relink.is_there(target):
            tally.lose(relink, now)
        else:
            if relink.exposes(link.target, source, target):
                tally.exposed.append(now or "")
            meant = LinkChange(link.target, source, before, text.home, target)
            names = spellings(meant, relink.after, relink.settings.link_format)
            name = next(names, None)
            if name is None:
                tally.stick(_risk(source, link))
            else:
                yield _Change(number, name, given)


def _longer(
    link: Link, before: NotePath, target: NotePath, text: Text, relink: Relink
) -> str | None:
    """Return what a link by a bare name says once that has a second file, if more."""
    if "/" in link.target or not link.target or not relink.is_new_twin(before, target):
        return None
    beside = text.home.rpartition("/")[0] == target.rpartition("/")[0]
    if link.kind == "markdown" and beside:  # which any program reads as a path
        return None
    meant = LinkChange(link.target, text.note.path, before, text.home, target)
    name = next(spellings(meant, relink.after, relink.settings.link_format), None)
    return None if name == link.target else name


def _risk(path: NotePath, link: Link) -> str:
    return (
        f"{path}, line {link.line}: no link of its kind can lead to what "
        f"{link.target} means now; write it by hand"
    )


def _read_by_all(
    text: Text, parts: list[LinkParts], changes: list[_Change], tally: Tally
) -> list[_Change]:
    """Return the changes that Obsidian reads too; risks name the links that stay."""
    kept: list[_Change] = []
    for together in _together(parts, changes):
        number, path, subpath, *_ = first = together[0]
        link, each = text.note.links[number], parts[number]
        if each.form == NOWHERE or not is_garbled(
            text.source,
            spelled(text.source, each, path=path, subpath=subpath),
            text.encoding,
        ):
            kept.extend(together)
        elif first.grown:
            tally.grown -= len(together)
        else:
            said = path or subpath or ""
            tally.risks.append(garbled(text.note.path, link, said))
    return kept


def _made(
    text: Text, parts: list[LinkParts], changes: Iterable[_Change]
) -> bytes | None:
    """Return the text with these changes; None if it would not be read so."""
    meant = list(text.note.links)
    splices = []
    is_sure = True
    for number, path, subpath, careful, _ in changes:
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


def _one_by_one(
    text: Text, parts: list[LinkParts], changes: list[_Change], tally: Tally
) -> tuple[bytes, list[_Change]]:
    """Return the text with those changes that can be made; risks name the others."""
    made = text.source
    kept: list[_Change] = []
    for plain in _together(parts, changes):
        together = plain
        tried = _made(text, parts, [*kept, *together])
        if tried is None:
            together = [change._replace(careful=True) for change in plain]
            tried = _made(text, parts, [*kept, *together])
        if tried is None:
            link = text.note.links[together[0].number]
            tally.stick(_risk(text.note.path, link))
        else:
            made = tried
            kept.extend(together)
    return made, kept


def _together(parts: list[LinkParts], changes: list[_Change]) -> list[list[_Change]]:
    """Return the changes, those of one place with those that repeat what it says."""
    groups: dict[object, list[_Change]] = {}
    spans: dict[tuple[str, str | None], object] = {}
    for change in changes:
        each = parts[change.number]
        said = (each.link.target, each.link.subpath)
        place: object = (each.path, each.subpath)
        if each.form == NOWHERE:
            place = spans.get(said, place)
        elif each.link.kind == "property":
            spans.setdefault(said, place)
        groups.setdefault(place, []).append(change)
    return list(groups.values())


def leads_alike(
    now: tuple[NotePath, bytes], then: tuple[NotePath, bytes], relink: Relink
) -> bool:
    """Whether the links of a file as it was lead where those of it now shall lead.

    `now` is the file before the change, `then` what it may be after it, each with its
    path. Texts and subpaths that no change of names could bring about are not alike.
    """
    notes = [_read(path, raw) for path, raw in (now, then)]
    if notes[0] is None or notes[1] is None:
        return False
    shall, would = notes[0].links, notes[1].links
    if len(shall) != len(would):
        return False
    for link, other in zip(shall, would, strict=True):
        end = _end(link, now[0], relink.before)
        leads = _end(other, then[0], relink.after)
        if end is None:
            if link.target != other.target:
                return False
        elif (leads, other.subpath) != relink.end(end, link.subpath, now[0]):
            return False
    return True


def _end(link: Link, source: NotePath, names: Names) -> NotePath | None:
    """Return where a link of a note leads, or of a canvas."""
    if link.kind == "canvas":
        return card_end(link.target, source, names)
    return names.resolve(link.target, source, markdown=link.kind == "markdown")


def card_end(value: str, source: NotePath, names: Names) -> NotePath | None:
    """Return the file of a card: the one with that path, or else by its name."""
    if not value:
        return None
    return names.resolve(f"/{value}", source) or names.resolve(value, source)


def _read(path: NotePath, raw: bytes) -> Note | None:
    found = decode(raw)
    return None if isinstance(found, Unreadable) else linked_note(path, found.text)


def begun_anew(ref: BaseRef, relink: Relink) -> str | None:
    """Return how paths begin then that begin so now; None where that is not sure."""
    for old, new in relink.folders.items():
        if ref.value.startswith(f"{old}/"):
            return new + ref.value[len(old) :]
        if ref.value == old:
            alone = _is_alone(ref, old, relink.before)
            return new if alone and _is_alone(ref, new, relink.after) else None
    return None


def maybe_meant(ref: BaseRef, relink: Relink) -> tuple[str, str] | None:
    """Return what a name that stays may have meant, with what it is called then."""
    for old, new in _moved(ref, relink):
        if ref.kind == "name":
            if _last(old) != _last(new) and ref.value in (_last(old), _stem(old)):
                return old, new
        elif _is_begun(old, ref.value) and not new.startswith(ref.value):
            return old, new
    return None


def _moved(ref: BaseRef, relink: Relink) -> Iterator[tuple[str, str]]:
    if ref.kind in ("folder_start", "path_start"):
        yield from relink.folders.items()
    if ref.kind in ("path_start", "name"):
        yield from relink.goes.items()


def _is_begun(path: str, value: str) -> bool:
    """Whether a text is the beginning of this very name, not of a folder above it."""
    rest = path[len(value) :]
    return path.startswith(value) and "/" not in rest and value[-1:] not in ("", "/")


def _is_alone(ref: BaseRef, start: str, names: Names) -> bool:
    """Whether nothing begins so but a folder of this name and what is in it."""
    for path in names.paths():
        said = path if ref.kind == "path_start" else path.rpartition("/")[0]
        if said.startswith(start) and not f"{said}/".startswith(f"{start}/"):
            return False
    return True


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _stem(path: str) -> str:
    name = _last(path)
    return name.rpartition(".")[0] or name


_CARD = NotePath("card.md")


def relinked_canvas(
    path: NotePath, raw: bytes, path_after: NotePath, relink: Relink
) -> Relinked:
    """Return a canvas with its file cards and the links of its text cards anew."""
    tally = Tally()
    changes: list[tuple[CanvasRef, str]] = []
    for ref in canvas_refs(raw):
        if ref.kind == "text":
            text = _card(ref.value, path, path_after, relink, tally)
            if text is not None:
                changes.append((ref, text))
        elif ref.kind == "file":
            changes.extend(_file_card(ref, path, path_after, relink, tally))
    if not changes:
        return tally.told(raw)
    try:
        return tally.told(spliced(raw, canvas_respelled(raw, changes)))
    except EditRefused as refusal:
        return Relinked(raw, 0, (f"{path}: {refusal}",))


def _card(
    value: str, path: NotePath, home: NotePath, relink: Relink, tally: Tally
) -> str | None:
    """Return the Markdown of a text card with its links anew; None where it stays."""
    # as it is read: a line before the card, so that it has no frontmatter
    note = parse_note(path, f"\n{value}")
    if note.text != f"\n{value}":
        return None
    after = relinked_text(Text(note, note.text.encode(), home, _CARD), relink, tally)
    return None if after is None else after.decode().removeprefix("\n")


def _file_card(
    ref: CanvasRef, path: NotePath, home: NotePath, relink: Relink, tally: Tally
) -> list[tuple[CanvasRef, str]]:
    before = card_end(ref.value, path, relink.before)
    now = card_end(ref.value, home, relink.after)
    if before is None:
        tally.adopted += now is not None
        return []
    written = (ref.subpath.value if ref.subpath else "") or None
    target, subpath = relink.end(before, written, path)
    changes: list[tuple[CanvasRef, str]] = []
    # a whole path is written to the letter, also where only its case differs
    if now != target or ref.value == before != target:
        if not relink.is_there(target):
            tally.lose(relink, now)
            return []
        if relink.exposes(ref.value, path, target):
            tally.exposed.append(now or "")
        changes.append((ref, target))
    if subpath != written and ref.subpath is not None:
        changes.append((ref.subpath, subpath or ""))
    tally.links += bool(changes)
    return changes


def relinked_base(
    path: NotePath, raw: bytes, path_after: NotePath, relink: Relink
) -> Relinked:
    """Return a base with the files and folders that it names anew."""
    tally = Tally()
    changes: list[tuple[BaseRef, str]] = []
    for ref in base_refs(raw):
        said = _base_name(ref, path, path_after, relink, tally)
        if said is not None and said != ref.value:
            changes.append((ref, said))
        elif said is None and (moved := maybe_meant(ref, relink)) is not None:
            line = 1 + raw.count(b"\n", 0, ref.span[0])
            tally.risks.append(f"{path}, line {line}: {_stays(ref, *moved)}")
    if not changes:
        return tally.told(raw)
    tally.links += len(changes)
    try:
        return tally.told(spliced(raw, base_respelled(raw, changes)))
    except EditRefused as refusal:
        return Relinked(raw, 0, (f"{path}: {refusal}",))


def _base_name(
    ref: BaseRef, path: NotePath, home: NotePath, relink: Relink, tally: Tally
) -> str | None:
    """Return what is written in the place of a name in a base; None where it stays."""
    match ref.kind:
        case "folder":
            return _folder(ref.value, relink.folders)
        case "folder_start" | "path_start":
            return begun_anew(ref, relink)
        case "path":
            return _path(NotePath(ref.value), path, relink)
        case "note":
            return _note(ref.value, path, home, relink, tally)
        case "name":
            return None
        case _:
            assert_never(ref.kind)


def _note(
    value: str, path: NotePath, home: NotePath, relink: Relink, tally: Tally
) -> str | None:
    before = relink.before.resolve(value, path)
    now = relink.after.resolve(value, home)
    if before is None:
        tally.adopted += now is not None
        return None
    target, _ = relink.end(before, None, path)
    if now == target:
        return None
    if not relink.is_there(target):
        tally.lose(relink, now)
        return None
    if relink.exposes(value, path, target):
        tally.exposed.append(now or "")
    meant = LinkChange(value, path, before, home, target)
    return next(spellings(meant, relink.after, relink.settings.link_format), None)


def _stays(ref: BaseRef, old: str, new: str) -> str:
    return (
        f"{ref.value!r} stays, though {old} is called {new} now; change it by hand if "
        "that is meant"
    )


def _path(exact: NotePath, source: NotePath, relink: Relink) -> str | None:
    if relink.before.resolve(f"/{exact}", source) != exact:
        return None
    target, _ = relink.end(exact, None, source)
    return target if relink.is_there(target) else None


def _folder(value: str, folders: Mapping[str, str]) -> str | None:
    """Return what a folder is called then; None where it is not moved."""
    name = value.strip("/")
    for old, new in folders.items():
        if name == old or name.startswith(f"{old}/"):
            return value.replace(name, new + name[len(old) :], 1)
    return None


class FormerNames(Names):
    """Names that lead where links lead now; those in vain, to paths that are no more.

    A lost link means one of them only if it is written as that very path, or from its
    note leads there: a mere name that is lost too is another matter.
    """

    def __init__(self, now: Names, former: Iterable[NotePath]) -> None:
        super().__init__()
        self._now = now
        self._former = {_key(path): path for path in former}

    def resolve(
        self, target: str, source: NotePath, *, markdown: bool = False
    ) -> NotePath | None:
        """Return where a link leads, or which path that is no more it means."""
        found = self._now.resolve(target, source, markdown=markdown)
        if found is not None:
            return found
        place = rooted(target, source) if target.startswith(ROOTED) else target
        return None if place is None else self._former.get(_key(place))


def _key(place: str) -> str:
    return fold(place.removeprefix("/")).removesuffix(NOTE_SUFFIX)


CLOSING = len("]]")


def with_words(path: NotePath, raw: bytes, names: Names, target: NotePath) -> bytes:
    """Return a note in which wikilinks to a file say the words that they show.

    `[[teas]]` becomes `[[teas|teas]]`, so that the words stay when the path is written
    anew. Embeds, links with a subpath or in properties, and what cannot be edited stay
    as they are.
    """
    after = raw
    try:
        links = Page.of(path, raw).note.links
        for number, link in enumerate(links):
            if _is_bare(link) and names.resolve(link.target, path) == target:
                after = _worded(Page.of(path, after), number)
    except NotEditable:
        return raw
    return after


def _is_bare(link: Link) -> bool:
    shows = link.embed or link.display is not None or link.subpath
    return link.kind == "wikilink" and not shows


def _worded(page: Page, number: int) -> bytes:
    """Return a note whose link of that number says its words, where it can."""
    link = page.note.links[number]
    at = link.end - CLOSING
    for mark in ("|", "\\|"):  # the second inside a table
        raw = page.with_splices([Splice(at, at, f"{mark}{link.target}".encode())])
        after = Page.of(page.path, raw).note
        said = [_said(one) for one in page.note.links]
        said[number] = (*said[number][:-1], link.target)
        if [_said(one) for one in after.links] == said:
            return raw
    return page.raw


def _said(link: Link) -> tuple[object, ...]:
    return link.kind, link.target, link.subpath, link.embed, link.display
