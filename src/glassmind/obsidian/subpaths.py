"""Which part of a note the end of a link means, and how a link names a part.

A subpath is what stands behind the first `#` of a link: a heading, several from the
outside in (`#A#B`, where B stands somewhere below A), or a block (`#^id`). The first
part that fits in the order of the text is meant. Headings are compared by their words:
case, and marks between words, do not count.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from glassmind.model.notes import Heading, Note
from glassmind.obsidian.folding import fold

PartKind: TypeAlias = Literal["heading", "block"]

_APART = re.compile(r"(?:[^\w\-]|_)+")
"""Obsidian compares headings by their words: marks between them do not count."""

_BLOCK_END = re.compile(r"\s\^[A-Za-z0-9-]+\s*$")
_ANCHOR = re.compile(r"\{\s*#([\w:.-]+)[^}]*\}\s*$")
"""A name that other renderers of Markdown let a heading have."""

_NO_WORD = re.compile(r"[^\w\- ]")
_UNLINKED = re.compile(r"(?:%%|[#^|\[\]:\\\s])+")
"""What Obsidian leaves out of a link to a heading: these mean something in links."""

_ATX = re.compile(rb" {0,3}#{1,6}(?=[ \t\r\n]|$)[ \t]*")
_ATX_END = re.compile(rb"(?:^|[ \t]+)#+[ \t]*$")
_ID_END = re.compile(rb"(?:^|[ \t]+)\^[A-Za-z0-9-]+[ \t]*$")


class Part(NamedTuple):
    """A heading or a block of a note, by its place among those of its kind."""

    kind: PartKind
    at: int


@dataclass(frozen=True, slots=True)
class Outline:
    """The parts of a note that links can lead to, in the order of the text.

    `texts` are headings as a reader sees them, `raw` as they are written: a link in a
    heading is shown by its name alone, and linked to with its target too. `above`
    holds for each heading those that it stands below, the outermost first.
    """

    texts: tuple[str, ...]
    raw: tuple[str, ...]
    above: tuple[tuple[int, ...], ...]
    blocks: tuple[str, ...]
    forms: tuple[str, ...]
    raw_forms: tuple[str, ...]

    @classmethod
    def of(
        cls,
        headings: Iterable[tuple[int, str]],
        blocks: Iterable[str] = (),
        raw: Sequence[str] | None = None,
    ) -> "Outline":
        """Return the outline of headings, levels and texts, and of block ids."""
        pairs = list(headings)
        texts = tuple(text for _, text in pairs)
        written = texts if raw is None else tuple(raw)
        above = tuple(_above(level for level, _ in pairs))
        forms = tuple(map(heading_form, texts))
        raw_forms = forms if raw is None else tuple(map(heading_form, written))
        if raw_forms == forms:  # as in most notes: every link looks at both
            raw_forms = forms
        return cls(texts, written, above, tuple(blocks), forms, raw_forms)

    @classmethod
    def of_note(cls, note: Note) -> "Outline":
        """Return the outline of a Markdown note."""
        source = note.text.encode()
        return cls.of(
            ((heading.level, heading.text) for heading in note.headings),
            (block.name for block in note.block_ids),
            [_raw(source, heading) for heading in note.headings],
        )

    def meant(self, subpath: str | None, *, markdown: bool = False) -> Part | None:
        """Return the first part that a subpath fits; None for none.

        With `markdown` a link may also name the anchor that other renderers give to a
        heading.
        """
        steps = steps_of(subpath)
        if not steps or steps[-1].startswith("[^"):
            return None
        if steps[-1].startswith("^"):
            return self._block(steps[-1][1:])
        wanted = [heading_form(step) for step in steps]
        whole = heading_form(subpath or "")  # a heading may hold a `#` itself
        alike = self.raw_forms is self.forms
        for forms in (self.forms,) if alike else (self.forms, self.raw_forms):
            at = self._nested(wanted, forms)
            if at is None and whole in forms:
                at = forms.index(whole)
            if at is not None:
                return Part("heading", at)
        anchor = _anchor(steps[-1]) if markdown else ""
        for at, text in enumerate(self.texts):
            if anchor and anchor in _anchors(text):
                return Part("heading", at)
        return None

    def address(self, part: Part) -> str | None:
        """Return the shortest subpath that means this very part; None for none."""
        if part.kind == "block":
            block = f"#^{self.blocks[part.at]}"
            return block if self.meant(block) == part else None
        for chain in _chains(self.above[part.at]):
            for words in dict.fromkeys((self.raw, self.texts)):
                subpath = self.spelled((*chain, part.at), words)
                if subpath is not None and self.meant(subpath) == part:
                    return subpath
        return None

    def spelled(
        self, chain: Sequence[int], words: Sequence[str] | None = None
    ) -> str | None:
        """Return headings as one subpath; None where one has no words for a link."""
        steps = [linked_heading((words or self.raw)[at]) for at in chain]
        return "".join(f"#{step}" for step in steps) if all(steps) else None

    def chain(self, subpath: str, part: Part) -> tuple[int, ...]:
        """Return the headings that the steps of a subpath mean, the last one its own.

        Empty where it does not name them one by one.
        """
        wanted = [heading_form(step) for step in steps_of(subpath)]
        for forms in (self.forms, self.raw_forms):
            if not wanted or forms[part.at] != wanted[-1]:
                continue
            found = _found(wanted[:-1], self.above[part.at], forms)
            if found is not None:
                return (*found, part.at)
        return ()

    def _block(self, name: str) -> Part | None:
        wanted = name.strip().lower()
        for at, block in enumerate(self.blocks):
            if block.lower() == wanted:
                return Part("block", at)
        return None

    def _nested(self, wanted: Sequence[str], forms: Sequence[str]) -> int | None:
        """Return the first heading that stands below the others that are wanted."""
        for at, form in enumerate(forms):
            if form == wanted[-1] and (
                _found(wanted[:-1], self.above[at], forms) is not None
            ):
                return at
        return None


def steps_of(subpath: str | None) -> list[str]:
    """Return what stands between the `#` of a subpath, empty steps left out."""
    return [step.strip() for step in (subpath or "").split("#") if step.strip()]


def heading_form(text: str) -> str:
    """Return what two spellings of a heading have in common: words, without case."""
    plain = _BLOCK_END.sub("", text)
    return " ".join(_APART.sub(" ", fold(plain)).split())


def linked_heading(heading: str) -> str:
    """Return a heading as a link names it, without what means something in links."""
    return _UNLINKED.sub(" ", _BLOCK_END.sub("", heading)).strip()


def anchor_of(heading: str) -> str:
    """Return the anchor that most renderers make of a heading."""
    return _anchor(_ANCHOR.sub("", heading))


def heading_words(source: bytes, heading: Heading) -> tuple[int, int]:
    """Return where a heading's own words stand, its marks and its block id aside.

    `source` is the text of its note in UTF-8. A heading without words has an empty
    stretch, behind its marks.
    """
    start, end = heading.start, heading.end
    opening = _ATX.match(source, start, end)
    if opening:
        start = opening.end()
        closing = _ATX_END.search(source[start:end])
        end = start + closing.start() if closing else end
    else:
        end = start + _last_line_end(source[start:end])  # what is beneath is a rule
        start += len(source[start:end]) - len(source[start:end].lstrip())
    named = _ID_END.search(source[start:end].rstrip())
    end = start + named.start() if named else end
    return start, start + len(source[start:end].rstrip())


def _last_line_end(text: bytes) -> int:
    """Return where the last line but one ends; a lone carriage return ends one too."""
    return max(text.rfind(b"\n"), text.rfind(b"\r"), 0)


def section_end(note: Note, at: int) -> int:
    """Return where the section of a heading ends: at the next one of its rank."""
    level = note.headings[at].level
    headings = note.headings
    for behind in range(at + 1, len(headings)):  # a copy of the rest would be long
        if headings[behind].level <= level:
            return headings[behind].start
    return len(note.text.encode())


def _raw(source: bytes, heading: Heading) -> str:
    start, end = heading_words(source, heading)
    return source[start:end].decode()


def _above(levels: Iterable[int]) -> Iterator[tuple[int, ...]]:
    open_ones: list[tuple[int, int]] = []
    for at, level in enumerate(levels):
        while open_ones and open_ones[-1][0] >= level:
            open_ones.pop()
        yield tuple(index for _, index in open_ones)
        open_ones.append((level, at))


def _found(
    wanted: Sequence[str], above: Sequence[int], forms: Sequence[str]
) -> tuple[int, ...] | None:
    """Return those above that are the wanted ones, in that order; None for not all."""
    found: list[int] = []
    rest = iter(above)
    for form in wanted:
        at = next((at for at in rest if forms[at] == form), None)
        if at is None:
            return None
        found.append(at)
    return tuple(found)


def _chains(above: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yield what may be named before a heading: nothing, one above it, all of them."""
    yield ()
    for at in reversed(above):
        yield (at,)
    if len(above) > 1:
        yield above


def _anchors(text: str) -> Iterator[str]:
    """Yield the anchors of a heading: as it is given, or made of its words."""
    given = _ANCHOR.search(text)
    if given:
        yield _anchor(given[1])
    yield _anchor(_ANCHOR.sub("", text))


def _anchor(text: str) -> str:
    return "-".join(_NO_WORD.sub("", fold(text)).replace("-", " ").split())
