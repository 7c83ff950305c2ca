"""A note to be edited: its text as the parser reads it, and its bytes on the disk.

An edit says which stretches of the text change. Only those are encoded; every other
byte of the file is taken over as it is, whatever encoding the file is in.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from glassmind.errors.editing import BadEdit, NotEditable
from glassmind.files.decode import Decoded, Unreadable, decode
from glassmind.model import NotePath
from glassmind.model.editing import Splice
from glassmind.model.notes import Note
from glassmind.obsidian.positions import line_at, line_starts
from glassmind.obsidian.read import read_note
from glassmind.obsidian.splices import spliced

_ENDS = re.compile(r"\r\n?")
_MARK = "\ufeff"

_KINDS = {
    "excalidraw": "it is a drawing, whose text is kept twice; draw it in Obsidian",
    "canvas": "it is a canvas, which is JSON and no text",
    "base": "it is a base, which is a query and no text",
}


@dataclass(frozen=True, slots=True)
class Page:
    """A Markdown note with its bytes.

    `source` is the text in UTF-8 without a byte order mark: every offset of `note`
    counts its bytes. `starts` are those at which lines begin. `mark` stands before the
    text in the file, and `newline` ends most of its lines.
    """

    path: NotePath
    raw: bytes
    note: Note
    source: bytes
    starts: Sequence[int]
    newline: str
    encoding: str
    mark: bytes

    @classmethod
    def of(cls, path: NotePath, raw: bytes) -> "Page":
        """Return a file as a page.

        Raises:
            NotEditable: it is no Markdown, no text, or a damaged one.
        """
        found = decode(raw)
        if isinstance(found, Unreadable):
            raise NotEditable(path, found.reason)
        if found.flagged and found.encoding.startswith("utf"):
            raise NotEditable(path, found.reason)
        note = read_note(path, found.text)
        if note.kind in _KINDS:
            raise NotEditable(path, _KINDS[note.kind])
        source = note.text.encode()
        utf8 = found.encoding == "utf-8"
        size = len(source if utf8 else note.text.encode(found.encoding))
        mark = raw[: len(raw) - size]
        crlf, lines = source.count(b"\r\n"), source.count(b"\n")
        newline = "\r\n" if crlf * 2 > lines else "\n"
        starts = line_starts(source)
        return cls(path, raw, note, source, starts, newline, found.encoding, mark)

    @property
    def end_of_line(self) -> bytes:
        """What ends a line that is added."""
        return self.newline.encode()

    @property
    def lines(self) -> int:
        """How many lines there are; what follows the last line feed is none."""
        ended = not self.source or self.source.endswith(b"\n")
        return len(self.starts) - ended

    def line_start(self, line: int) -> int:
        """Return where a line begins, counted from 1; that of none is the end."""
        return self.starts[line - 1] if line <= len(self.starts) else len(self.source)

    def line_end(self, line: int) -> int:
        """Return where a line ends, its line feed included."""
        return self.starts[line] if line < len(self.starts) else len(self.source)

    def line_of(self, offset: int) -> int:
        """Return the number of the line that holds a byte, from 1."""
        return line_at(self.starts, offset)

    def text_end(self, end: int) -> int:
        """Return where the text of a line ends that itself ends at `end`."""
        if self.source.endswith(b"\r\n", 0, end):
            return end - 2
        return end - 1 if self.source.endswith(b"\n", 0, end) else end

    def is_blank(self, line: int) -> bool:
        """Whether a line has no text; one that is none has not."""
        return not self.source[self.line_start(line) : self.line_end(line)].strip()

    def written(self, text: str) -> bytes:
        """Return a text that was given as it is to stand here, with this newline.

        Raises:
            BadEdit: it holds what no text file does.
        """
        if "\0" in text:
            raise BadEdit("the text holds a NUL character, which no note may")
        plain = _ENDS.sub("\n", text.removeprefix(_MARK))
        if self.newline != "\n":
            plain = plain.replace("\n", self.newline)
        try:
            return plain.encode()
        except UnicodeEncodeError:
            raise BadEdit("the text holds half a character (a surrogate)") from None

    def with_splices(self, splices: Sequence[Splice]) -> bytes:
        """Return the file with some stretches of its text replaced.

        Every byte that no splice covers is there again. Raises as `places` does.
        """
        return spliced(self.raw, self.places(splices))

    def places(self, splices: Sequence[Splice]) -> list[Splice]:
        """Return splices of the text as those of the file, in order.

        Raises:
            BadEdit: two of them overlap, or one lies outside of the text.
            NotEditable: the file's encoding lacks a letter.
        """
        ordered = sorted(splices, key=lambda splice: splice[:2])
        last = 0
        for start, end, _ in ordered:
            if not last <= start <= end <= len(self.source):
                raise BadEdit("the changes overlap, or lie outside of the note")
            last = end
        if self.encoding == "utf-8":
            lead = len(self.mark)
            return [Splice(lead + s.start, lead + s.end, s.text) for s in ordered]
        found = [self._place(splice) for splice in ordered]
        self._check(spliced(self.raw, found), spliced(self.source, ordered))
        return found

    def _place(self, splice: Splice) -> Splice:
        def at(offset: int) -> int:
            before = self.source[:offset].decode().encode(self.encoding)
            return len(self.mark) + len(before)

        try:
            text = splice.text.decode().encode(self.encoding)
        except UnicodeEncodeError as refused:
            letter = str(refused.object)[refused.start]
            reason = f"{self.encoding}, in which it is, lacks {letter!r}"
            raise NotEditable(self.path, f"{reason}; save it as UTF-8") from None
        return Splice(at(splice.start), at(splice.end), text)

    def _check(self, raw: bytes, source: bytes) -> None:
        """Refuse what would be read in another encoding than it is written in."""
        read = decode(raw)
        if not isinstance(read, Decoded) or read.text.removeprefix(
            _MARK
        ) != source.decode().removeprefix(_MARK):
            reason = f"as {self.encoding} it could not be read again; save it as UTF-8"
            raise NotEditable(self.path, reason)


class Planned(NamedTuple):
    """What an edit does to a page: its splices, and what is to be told of them.

    `risks` are sentences. `facts` are for surfaces that tell more.
    """

    splices: Sequence[Splice]
    risks: tuple[str, ...] = ()
    facts: Mapping[str, object] = {}


LinkWriter: TypeAlias = Callable[[str, Page], str]
"""Writes a link to the note of a name as this page should hold it."""
