"""Links as written (wikilinks, Markdown, in properties), and their subpaths.

Wikilinks are scanned for in the source, because Obsidian's rules differ from the
CommonMark parser's: the first `]]` closes, a pipe cut by a table cell breaks the link,
and a wikilink wins over math that begins inside it.

A subpath names a heading, several from the outside in (`#A#B`), or a block (`#^id`).
The first part that fits is meant; case and punctuation between words do not count.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import unquote_to_bytes

from msgspec import Struct

from glassmind.model.notes import Heading, Link, Note, all_of
from glassmind.obsidian.frontmatter import Property
from glassmind.obsidian.structure import Mask, Structure
from glassmind.obsidian.text import fold, linked_heading, without_block_id

_WIKILINK = re.compile(rb"\[\[([^\[\]\n]+(?:\[(?!\[)[^\[\]\n]*)*)\]\]")
_BACKSLASH, _EMBEDS = b"\\!"
_MATH = ("math", "math_block")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_ESCAPED = re.compile(r"%(?:3B|2F|3F|3A|40|26|3D|2B|24|2C|23)", re.IGNORECASE)
"""Escapes of `; / ? : @ & = + $ , #`, which Obsidian leaves as they are."""

PROPERTY_LINK = re.compile(
    r"(?P<wiki>!?\[\[(?P<content>[^\[\]\n]+(?:\[(?!\[)[^\[\]\n]*)*)\]\])"
    r"|(?P<embed>!?)\[(?P<label>[^\[\]]*)\]"
    r"\((?:<(?P<angled>[^<>\n]*)>|(?P<bare>[^\s()<>]+))\)"
)


class Target(NamedTuple):
    path: str
    subpath: str | None
    display: str | None


def split_wikilink(content: str) -> Target | None:
    address, pipe, display = content.partition("|")
    if pipe:
        address = address.removesuffix("\\")
    path, mark, subpath = address.partition("#")
    path, subpath = path.strip(), subpath.strip()
    if not (path or mark):
        return None
    return Target(path, f"#{subpath}" if subpath else None, display.strip() or None)


def split_destination(destination: str) -> Target | None:
    """Return the parts of a Markdown destination; None for one outside the vault.

    Percent escapes are decoded except those of reserved characters; a destination whose
    escapes are no UTF-8 stays as it is.
    """
    if _SCHEME.match(destination):
        return None
    path, mark, subpath = destination.partition("#")
    if not path and not subpath:
        return None
    return Target(
        decode(path), f"#{decode(subpath)}" if mark and subpath else None, None
    )


def decode(escaped: str) -> str:
    if "%" not in escaped:
        return escaped
    kept = _ESCAPED.sub(lambda match: "%25" + match[0][1:], escaped)
    try:
        return unquote_to_bytes(kept).decode()
    except UnicodeDecodeError:
        return escaped


def wikilinks(note: Structure) -> list[Link]:
    source, body = note.source, note.body
    if source.find(b"[", body) < 0:
        return []
    math = Mask.of((r.start, r.end) for r in note.regions if r.kind in _MATH)
    code = Mask.of(_code(note))
    tables = Mask.of(note.tables)
    masked = bool(code.starts or math.starts)
    found: list[tuple[Any, ...]] = []
    free_until = body
    for match in _candidates(source, body):
        start, end = match.span()
        content = match[1].decode()
        before = source[start - 1] if start else 0
        if before == _BACKSLASH and _is_escaped(source, start):
            continue
        if masked:
            if code.covers(start) or code.covers(end - 1):
                continue
            if start >= free_until and math.covers(start):
                continue
        has_bare_pipe = "|" in content and "|" in content.replace("\\|", "")
        if has_bare_pipe and tables.covers(start):
            continue
        target = split_wikilink(content)
        if target is None:
            continue
        # Math that begins inside a wikilink is no math.
        if math.starts:
            free_until = max(free_until, math.end_at(end - 1) or 0)
        embed = before == _EMBEDS and not _is_escaped(source, start - 1)
        line = note.line_at(start)
        found.append(("wikilink", *target, embed, line, start - embed, end, None))
    return all_of(Link, found)


def markdown_links(note: Structure) -> list[Link]:
    links: list[Link] = []
    for link in note.references:
        target = split_destination(link.destination)
        if target is None or target.path.startswith("[["):
            continue
        label = note.source[link.label_start : link.label_end].decode() or None
        line, parts = note.line_at(link.start), (target.path, target.subpath, label)
        links.append(Link("markdown", *parts, link.embed, line, link.start, link.end))
    links.sort(key=lambda link: link.start)
    return links


def property_links(note: Structure, properties: Iterable[Property]) -> list[Link]:
    links: list[Link] = []
    for item in properties:
        value = item.leaf.value
        if not isinstance(value, str) or "[" not in value:
            continue
        cursor = item.start
        for match in PROPERTY_LINK.finditer(value):
            target = property_target(match)
            if target is None:
                continue
            written = match[0].encode()
            start, end = note.source.find(written, cursor, item.end), item.end
            if start < 0:
                start = item.start
            else:
                cursor = end = start + len(written)
            embed, line = match[0].startswith("!"), note.line_at(start)
            links.append(Link("property", *target, embed, line, start, end, item.name))
    return links


def property_target(match: re.Match[str]) -> Target | None:
    if match["wiki"]:
        return split_wikilink(match["content"])
    target = split_destination(match["angled"] or match["bare"] or "")
    if target is None:
        return None
    return Target(target.path, target.subpath, match["label"] or None)


def _is_escaped(source: bytes, offset: int) -> bool:
    first = offset
    while source[first - 1 : first] == b"\\":
        first -= 1
    return (offset - first) % 2 == 1


def _candidates(source: bytes, at: int) -> Iterator[re.Match[bytes]]:
    """Yield what `finditer` would; one bracket is found ten times as fast by hand."""
    while (at := source.find(b"[", at)) >= 0:
        match = _WIKILINK.match(source, at)
        if match is None:
            at += 1
        else:
            yield match
            at = match.end()


def _code(note: Structure) -> list[tuple[int, int]]:
    found = [(r.start, r.end) for r in note.regions if r.kind not in _MATH]
    found.extend((tag.start, tag.end) for tag in note.html)
    found.extend(
        (link.label_end, link.end)
        for link in note.references
        if not link.destination.startswith("[[")
    )
    return found


PartKind: TypeAlias = Literal["heading", "block"]

_APART = re.compile(r"(?:[^\w\-]|_)+")
"""Obsidian compares headings by their words: marks between them do not count."""

_ANCHOR = re.compile(r"\{\s*#([\w:.-]+)[^}]*\}\s*$")
"""A name that other renderers of Markdown let a heading have."""

_NO_WORD = re.compile(r"[^\w\- ]")
_ATX = re.compile(rb" {0,3}#{1,6}(?=[ \t\r\n]|$)[ \t]*")
_ATX_END = re.compile(rb"(?:^|[ \t]+)#+[ \t]*$")
_ID_END = re.compile(rb"(?:^|[ \t]+)\^[A-Za-z0-9-]+[ \t]*$")


class OutlinePart(NamedTuple):
    """A heading or a block of a note, by its place among those of its kind."""

    kind: PartKind
    at: int


class Outline(Struct, frozen=True):
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
        texts: list[str] = []
        above: list[tuple[int, ...]] = []
        open_levels: list[tuple[int, int]] = []
        for at, (level, text) in enumerate(headings):
            while open_levels and open_levels[-1][0] >= level:
                open_levels.pop()
            above.append(tuple(index for _, index in open_levels))
            open_levels.append((level, at))
            texts.append(text)
        written = tuple(texts if raw is None else raw)
        forms = tuple(map(heading_form, texts))
        raw_forms = forms if raw is None else tuple(map(heading_form, written))
        if raw_forms == forms:  # as in most notes: every link looks at both
            raw_forms = forms
        return cls(tuple(texts), written, tuple(above), tuple(blocks), forms, raw_forms)

    @classmethod
    def of_note(cls, note: Note) -> "Outline":
        source = note.text.encode()
        words = [heading_words(source, heading) for heading in note.headings]
        return cls.of(
            ((heading.level, heading.text) for heading in note.headings),
            (block.name for block in note.block_ids),
            [source[start:end].decode() for start, end in words],
        )

    def meant(
        self, subpath: str | None, *, markdown: bool = False
    ) -> OutlinePart | None:
        """Return the part that a subpath leads to; None for no part of the note."""
        steps = steps_of(subpath)
        if not steps or steps[-1].startswith("[^"):
            return None
        if steps[-1].startswith("^"):
            blocks = [block.lower() for block in self.blocks]
            name = steps[-1][1:].strip().lower()
            return OutlinePart("block", blocks.index(name)) if name in blocks else None
        wanted = [heading_form(step) for step in steps]
        whole = heading_form(subpath or "")  # a heading may hold a `#` itself
        same = self.raw_forms is self.forms
        for forms in (self.forms,) if same else (self.forms, self.raw_forms):
            at = next(self.nested(wanted, forms), None)
            if at is None and whole in forms:
                at = forms.index(whole)
            if at is not None:
                return OutlinePart("heading", at)
        anchor = _anchor(steps[-1]) if markdown else ""
        for at, text in enumerate(self.texts):
            match = _ANCHOR.search(text)
            named = match is not None and _anchor(match[1]) == anchor
            if anchor and (named or anchor_of(text) == anchor):
                return OutlinePart("heading", at)
        return None

    def address(self, part: OutlinePart) -> str | None:
        """Return the shortest subpath that means this very part; None for none."""
        if part.kind == "block":
            block = f"#^{self.blocks[part.at]}"
            return block if self.meant(block) == part else None
        above = self.above[part.at]
        for chain in ((), *((at,) for at in reversed(above)), above):
            for words in dict.fromkeys((self.raw, self.texts)):
                steps = [linked_heading(words[at]) for at in (*chain, part.at)]
                subpath = "".join(f"#{step}" for step in steps)
                if all(steps) and self.meant(subpath) == part:
                    return subpath
        return None

    def nested(self, wanted: Sequence[str], forms: Sequence[str]) -> Iterator[int]:
        """Yield headings of that form below those before it, in their order."""
        for at, form in enumerate(forms):
            above = iter([forms[index] for index in self.above[at]])
            if form == wanted[-1] and all(step in above for step in wanted[:-1]):
                yield at


def steps_of(subpath: str | None) -> list[str]:
    return [step.strip() for step in (subpath or "").split("#") if step.strip()]


def heading_form(text: str) -> str:
    return " ".join(_APART.sub(" ", fold(without_block_id(text))).split())


def anchor_of(heading: str) -> str:
    return _anchor(_ANCHOR.sub("", heading))


def heading_words(source: bytes, heading: Heading) -> tuple[int, int]:
    start, end = heading.start, heading.end
    opening = _ATX.match(source, start, end)
    if opening:
        start = opening.end()
        closing = _ATX_END.search(source[start:end])
        end = start + closing.start() if closing else end
    else:
        above = source[start:end]  # what is beneath is a rule
        end = start + max(above.rfind(b"\n"), above.rfind(b"\r"), 0)
        start += len(source[start:end]) - len(source[start:end].lstrip())
    named = _ID_END.search(source[start:end].rstrip())
    end = start + named.start() if named else end
    return start, start + len(source[start:end].rstrip())


def section_end(note: Note, at: int) -> int:
    level = note.headings[at].level
    headings = note.headings
    for behind in range(at + 1, len(headings)):  # a copy of the rest would be long
        if headings[behind].level <= level:
            return headings[behind].start
    return len(note.text.encode())


def _anchor(text: str) -> str:
    return "-".join(_NO_WORD.sub("", fold(text)).replace("-", " ").split())
