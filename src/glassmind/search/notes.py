"""Find notes by the names people type, read them, and list what the index holds."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from msgspec import structs
from msgspec.structs import replace

from glassmind.errors import (
    AmbiguousHeading,
    CitedGone,
    FileUnreadable,
    HeadingNotFound,
    LinesOutOfRange,
    ProjectUnknown,
)
from glassmind.files.names import (
    NOTE_SUFFIX,
    NamedNote,
    guessed_note,
    kept_note,
    plain_name,
    sure_note,
)
from glassmind.files.read import Unreadable, decode, digest_of
from glassmind.files.scan import is_left_out, left_out_names
from glassmind.model import NotePath, Span
from glassmind.model.index import (
    GuessedNote,
    NoteLinks,
    NoteList,
    NoteText,
    Stats,
    UnresolvedName,
)
from glassmind.model.notes import Heading, Note
from glassmind.model.search import ChunkText
from glassmind.obsidian.properties import parse_project
from glassmind.obsidian.receipts import parse_receipt
from glassmind.obsidian.secrets import redacted
from glassmind.obsidian.text import fold, linked_heading
from glassmind.search.hits import is_in_inbox
from glassmind.store.protocol import Rows
from glassmind.vault import Vault


def section_of(note: Note, name: str, last: int) -> tuple[Span, tuple[str, ...]]:
    """Return the lines of the section under a heading, and its heading path.

    `name` is the heading's text, or several from the outside in with `#` or `>` between
    them. Case does not matter. The exact text goes before a path of headings, and that
    before text that differs by what links leave out. Raises HeadingNotFound or
    AmbiguousHeading.
    """
    plain, linked = name.strip().lower(), linked_heading(name).lower()
    wanted = _parts_of(plain)
    paths = list(enumerate(_heading_paths(note.headings)))
    rules: tuple[Callable[[Sequence[str]], bool], ...] = (
        lambda path: path[-1].strip().lower() in {plain, plain.lstrip("# ")},
        lambda path: _ends_with(path, wanted),
        lambda path: linked_heading(path[-1]).lower() == linked,
    )
    for fits in rules:
        if found := [(i, path) for i, path in paths if fits(path)]:
            break
    else:
        there = tuple(heading.text for heading in note.headings)
        raise HeadingNotFound(note.path, name, there)
    if len(found) > 1:
        lines = tuple(note.headings[i].line for i, _ in found)
        raise AmbiguousHeading(note.path, name, lines)
    at, path = found[0]
    first = note.headings[at]
    later = (h.line for h in note.headings[at + 1 :] if h.level <= first.level)
    return Span(first.line, next(later, last + 1) - 1), path


def _heading_paths(headings: Sequence[Heading]) -> Iterator[tuple[str, ...]]:
    above: list[Heading] = []
    for heading in headings:
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        yield tuple(h.text for h in above)


def _ends_with(path: Sequence[str], wanted: Sequence[str]) -> bool:
    """True if `wanted` ends with the last heading, after some of those above it."""
    above, last = _parts_of("#".join(path[:-1])), _parts_of(path[-1])
    at = len(wanted) - len(last)
    rest = iter(above)
    return wanted[at:] == last and all(part in rest for part in wanted[: max(at, 0)])


def _parts_of(headings: str) -> list[str]:
    """Return what stands between the marks `#` and `>`, in lower case."""
    parts = (part.strip() for part in re.split("[#>]", headings.lower()))
    return [part for part in parts if part]


Lines: TypeAlias = tuple[int, int | None]
"""The first and the last of some lines; without a last one, up to the end."""

_AT_LINES = re.compile(r"(.+):([0-9]{1,9})(?:-([0-9]{1,9}))?", re.DOTALL)
"""How answers write where a passage stands."""


class Part(NamedTuple):
    """What of a note is wanted: a section, some lines, or all; `raw` as its file is."""

    heading: str = ""
    lines: Lines | None = None
    raw: bool = False


class _Called:
    """Who is called what, for one question; every name is read once, if need be."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    @cached_property
    def _every(self) -> list[NamedNote]:
        return [NamedNote(n.path, n.title, n.aliases) for n in self._rows.notes()]

    def sure(self, name: str) -> NotePath | None:
        return kept_note(name, self._rows.notes) or sure_note(name, self._every)

    def found(self, name: str) -> tuple[NotePath, bool]:
        path = self.sure(name)
        if path is not None:
            return path, False
        for left_out, reason, _ in self._rows.skipped():
            if _names_file(name, left_out):
                raise FileUnreadable(left_out, f"it was skipped ({reason})")
        return guessed_note(name, self._every), True


def notes_for(vault: Vault) -> "NoteReader":
    return NoteReader(vault)


class NoteReader:
    def __init__(self, vault: Vault) -> None:
        self._vault, self._root = vault, vault.config.vault.path

    def _called(self) -> _Called:
        return _Called(self._vault.store.rows())

    def find(self, name: str) -> NotePath:
        """Return the note a person means; a path may also be a whole one on disk.

        Raises NoteNotFound, AmbiguousName or FileUnreadable.
        """
        return self._called().found(self._in_vault(name))[0]

    def sure(self, name: str) -> NotePath | None:
        """Return the note that is called so; None when none is to the letter.

        Raises AmbiguousName.
        """
        return self._called().sure(self._in_vault(name))

    def members(self, project: str) -> tuple[NotePath, ...]:
        catalogue = self._vault.rows()
        notes = catalogue.project_notes(parse_project(project))
        if not notes:
            raise ProjectUnknown(project, catalogue.projects_like(project))
        return tuple(NotePath(note.path) for note in notes)

    def _in_vault(self, name: str) -> str:
        """Return a whole path inside the vault as the index knows it."""
        if not Path(name).is_absolute() or "\0" in name:
            return name
        folder, file = os.path.split(name)
        root = os.path.join(self._root, "")  # noqa: PTH118 - with the mark at its end
        for spelled in (os.path.join(os.path.realpath(folder), file), name):  # noqa: PTH118
            if spelled.startswith(root):
                return spelled[len(root) :].replace(os.sep, "/")
        return name

    def read(
        self,
        name: str,
        *,
        heading: str = "",
        lines: Lines | None = None,
        raw: bool = False,
    ) -> NoteText:
        """Return a note, one section of it, or some of its lines, as on disk now.

        The name may say the part too, as `Note#Heading`, `Note.md:12-34` or both. It
        may be a receipt: its lines are read where they stand now. Lines without a last
        one go on to the end. Of a canvas or a drawing the text is the one that is
        indexed, unless `raw` asks for the file itself. It is a `GuessedNote` when no
        note is called so to the letter. Raises NoteNotFound, AmbiguousName,
        HeadingNotFound, AmbiguousHeading, LinesOutOfRange, FileUnreadable or
        CitedGone.
        """
        called, name = self._called(), self._in_vault(name)
        part = Part(heading, lines, raw)
        if parse_receipt(name) is not None and called.sure(name) is None:
            return self._cited(name, part)
        if heading:
            path, guessed = called.found(name)
            return self._part(path, part, guessed=guessed)
        name, under, at_lines = _parted(name, called)
        path, guessed = called.found(name)
        try:
            part = Part(under, lines or at_lines, raw)
            return self._part(path, part, guessed=guessed)
        except HeadingNotFound:
            behind = _AT_LINES.fullmatch(under)
            if behind is None:
                raise
            part = Part("", lines or _ends(behind), raw)
            return self._part(path, part, guessed=guessed)

    def _cited(self, receipt: str, part: Part) -> NoteText:
        """Return the lines of a receipt, or the other part of its note that is wanted.

        Where so many lines are not in the note any more, it is all of it.
        """
        from glassmind.search.verify import verify  # noqa: PLC0415 - most names are none

        (check,) = verify(self._vault, [receipt])
        changed = check.state == "changed"
        place = parse_receipt(receipt if changed else check.now or "")
        if place is None:
            raise CitedGone(receipt, check.note)
        notices = () if check.state == "unchanged" else (check.note,)
        if changed:
            notices = (f"{check.note}: this is what stands there now",)
        wanted = part if part.heading or part.lines else Part("", place.span)
        try:
            text = self._part(place.path, wanted)
        except LinesOutOfRange:
            if wanted is part:
                raise
            text = self._part(place.path, part)
        return replace(text, notices=notices)

    def _part(self, path: NotePath, part: Part, *, guessed: bool = False) -> NoteText:
        heading, lines, raw = part
        with self._vault.files() as files:
            content, hides = files.read(path), files.hides_secrets
        decoded = decode(content)
        if isinstance(decoded, Unreadable):
            raise FileUnreadable(path, decoded.reason)
        from glassmind.obsidian.notes import (  # noqa: PLC0415 - yaml
            read_note,
            read_safe_note,
        )

        if hides:  # the whole of it, before any of its lines are taken out
            note = read_safe_note(path, decoded.text).note
            text = redacted(decoded.text)
        else:
            note, text = read_note(path, decoded.text), decoded.text
        parts = lines_of(text := text if raw else note.text)
        span = Span(1, max(len(parts), 1))
        under: tuple[str, ...] = ()
        if heading:
            if text != note.text:
                raise HeadingNotFound(path, heading, ())
            span, under = section_of(note, heading, span.end)
        if lines is not None:
            section, span = span, _within(path, lines, span.end)
            under = under if span.start >= section.start else ()  # it is not theirs
        if heading or lines is not None:
            text = "".join(parts[span.start - 1 : span.end])
        said = {n.lower(): v for n, v in note.frontmatter.properties.items()}
        waits = is_in_inbox(path, self._vault.agent_folder)
        generated = waits or said.get("generated") is True
        made = (path, note.title, text, span, digest_of(content), under)
        return (GuessedNote if guessed else NoteText)(*made, generated=generated)

    def chunks(self, name: str) -> tuple[NotePath, list[ChunkText]]:
        catalogue = self._vault.rows()
        chunks = catalogue.note_chunks(NotePath(name))
        if chunks:  # a path needs no look at every name there is
            return NotePath(name), chunks
        path = self.find(name)
        return path, catalogue.note_chunks(path)

    def links(self, name: str, *, limit: int) -> NoteLinks:
        """Return a note and what links it with others, as they are indexed.

        Raises NoteNotFound, AmbiguousName or FileUnreadable.
        """
        return self._vault.rows().note_links(self.find(name), limit=limit)

    def ghosts(self, *, limit: int, named: str = "") -> "list[UnresolvedName]":
        """Return the names that links lead to and no file has, in order.

        Files that are there and were left out of the index have theirs. With `named`,
        that one alone, in whatever case, and the first links to it.
        """
        if not named:
            return self._without_left_out(self._vault.rows().ghosts())[:limit]
        names = self._vault.rows().ghosts(plain_name(named), limit=limit)
        return self._without_left_out(names)

    def _without_left_out(
        self, found: "list[UnresolvedName]"
    ) -> "list[UnresolvedName]":
        rows = self._vault.store.rows().skipped() if found else []
        skipped = [path for path, *_ in rows]
        names = left_out_names(self._root, skipped, self._vault.files)
        return [name for name in found if not is_left_out(name.target, names)]

    def list(self, wanted: Mapping[str, Any], *, newest: bool = False) -> NoteList:
        """Return the notes that pass the filters; a folder may begin with `./`."""
        parts = str(wanted["folder"]).split("/")
        folder = "/".join(part for part in parts if part not in {"", "."})
        note_list = self._vault.rows().list_notes(
            {**wanted, "folder": folder}, newest=newest
        )
        return replace(note_list, notices=tuple(self._vault.watch_problems()))

    def stats(self) -> Stats:
        folders = self._vault.place.folders
        folder, size = str(folders[0]), 0
        for place, _, names in chain.from_iterable(map(os.walk, folders)):
            for name in names:
                with suppress(FileNotFoundError):  # a writer may take it away
                    size += Path(place, name).stat().st_size
        stats = self._vault.rows().stats(
            folder=folder,
            index_bytes=size,
            least_chars=self._vault.config.index.embed_min_chars,
        )
        if not stats.ghosts or not stats.skipped:
            return stats
        ghosts = self._without_left_out(self._vault.rows().ghosts())
        return structs.replace(stats, ghosts=len(ghosts))


def _names_file(name: str, path: NotePath) -> bool:
    """Whether a name means a file, or one below a folder, that is no note."""
    wanted = fold(name.strip()).removeprefix("./").removeprefix("/")
    known = fold(path)
    return (
        known in {wanted, wanted + NOTE_SUFFIX}
        or known.rpartition("/")[2] in {wanted, wanted + NOTE_SUFFIX}
        or wanted.startswith(f"{known}/")
    )


def _parted(name: str, called: "_Called") -> tuple[str, str, Lines | None]:
    """Return the name, the heading and the lines of a place as a search shows it.

    That is `Note#Heading` or `Note.md:12-34`; of `Note#Heading:12-34` the lines stay
    with the heading, which may end so itself. A note may have a `#` or such a number in
    its own name: the longest name that a note has is taken.
    """
    at_lines = _AT_LINES.fullmatch(name)
    at_heading = "#" in name and not name.lstrip().startswith(("[[", "#"))
    if not (at_lines or at_heading) or called.sure(name) is not None:
        return name, "", None
    if at_lines and called.sure(at_lines[1]) is not None:
        return at_lines[1], "", _ends(at_lines)
    if not at_heading:
        return name, "", None
    at = name.rfind("#")
    while at > 0:
        if called.sure(name[:at]) is not None:
            return name[:at], name[at + 1 :], None
        at = name.rfind("#", 0, at)
    note, _, inside = name.partition("#")
    return note, inside, None


def _ends(at_lines: re.Match[str]) -> Lines:
    first = int(at_lines[2])
    return first, int(at_lines[3] or first)


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their ends, as the index counts them."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _within(path: str, lines: Lines, count: int) -> Span:
    first, last = lines
    end = count if last is None else last
    if first < 1 or first > count or end < first:
        said = f"{first}-{'' if last is None else last}"
        raise LinesOutOfRange(path, said, count)
    return Span(first, min(end, count))
