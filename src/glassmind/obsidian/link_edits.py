"""Locate the path and subpath of each link in a note's bytes, and write other ones.

Its parts count only if they say what the parser says. What is written keeps the link's
style; the edited note is read again, and every link must say what it is meant to.
"""

import re
from collections.abc import Iterator, Sequence
from html import unescape
from typing import NamedTuple

from glassmind.errors import EditRefused
from glassmind.model import NotePath
from glassmind.model.edits import Splice
from glassmind.model.notes import Link, Note
from glassmind.obsidian.frontmatter import MAX_BYTES, read_head
from glassmind.obsidian.links import (
    PROPERTY_LINK,
    Target,
    property_target,
    split_destination,
    split_wikilink,
)
from glassmind.obsidian.notes import read_note
from glassmind.obsidian.yaml_text import in_scalar

NOWHERE = "none"
"""The form of a link that has no source of its own: it follows another, or none."""

_Range = tuple[int, int]

_OPENING = re.compile(rb"[\s>]*\]\([\s>]*")
_REFERENCE = re.compile(rb"[\s>]*\]\[((?:\\.|[^\[\]\\])+)\]\Z", re.DOTALL)
_ANGLED = re.compile(rb"<((?:\\.|[^<>\\\n])*)>")
_PLAIN = re.compile(rb"(?:\\[!-/:-@\[-`{-~]|[^\s()\x00-\x1f])*")
_DEFINITION = re.compile(
    rb"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*[ \t>]*"
    rb"\[(?!\^)((?:\\.|[^\[\]\\])+)\]:[\s>]*",
    re.MULTILINE,
)
_PLAIN_NAME = re.compile(r"[^\W_](?:[\w ./-]*[^\W_])?")
_GUARDED = ("wiki", "single wiki", "double wiki")
_HEAD_BYTES = MAX_BYTES // 2
_NO_TEXT = frozenset(("code", "fence", "html", "math", "math_block"))


class LinkParts(NamedTuple):
    """A link, and the bytes of its path and of its subpath with the `#`.

    A part that is not there has an empty span where it would stand. `form` is how it
    is written: `wiki`, or the Markdown destination `plain` or `angled`; in a property,
    behind the style of its scalar, as in `double wiki`. For the form `none` nothing
    can be written: the link follows that of another place.
    """

    link: Link
    path: _Range
    subpath: _Range
    form: str


def link_parts(note: Note, source: bytes) -> list[LinkParts]:
    held = iter(_held(note, source))
    found: list[LinkParts] = []
    for link in note.links:
        parts: LinkParts | None = None
        if note.kind == "canvas" or link.kind == "canvas":
            pass
        elif link.kind == "property":
            parts = next(held, None)
            if parts is not None and parts.link != link:
                parts = None
        elif link.kind == "wikilink":
            parts = _wiki(link, source)
        else:
            parts = _markdown(link, source, note)
        found.append(parts or _nowhere(link))
    return found


def spelled(
    source: bytes,
    parts: LinkParts,
    *,
    path: str | None,
    subpath: str | None,
    careful: bool = False,
) -> list[Splice]:
    """Return the splices that give a link another path or subpath; None leaves it.

    An empty text takes the part away. Whoever asks sees to it that it is read so.
    `careful` shields signs of a Markdown destination that only sometimes mean more,
    such as a dollar with another one in the line.
    """
    if parts.form == NOWHERE:
        raise EditRefused(
            f"the link to {parts.link.target} on line {parts.link.line} is written "
            "in a way that cannot be changed"
        )
    splices: list[Splice] = []
    now = source[parts.path[0] : parts.subpath[1]]
    for span, text in ((parts.path, path), (parts.subpath, subpath)):
        if text is None:
            continue
        written = styled(text, parts.form, now, careful=careful).encode()
        if splices and splices[-1].end == span[0]:
            last = splices.pop()
            splices.append(Splice(last.start, span[1], last.text + written))
        else:
            splices.append(Splice(*span, written))
    return splices


def is_plain(source: bytes, parts: LinkParts, path: str | None) -> bool:
    if path is None or parts.form not in _GUARDED or not _PLAIN_NAME.fullmatch(path):
        return False
    start, end = parts.path
    if parts.link.kind == "property" and end > _HEAD_BYTES:
        return False  # properties that grow too large are none
    return bool(_PLAIN_NAME.fullmatch(source[start:end].decode()))


def reads_so(path: NotePath, source: bytes, meant: Sequence[Link]) -> bool:
    """Return whether a note holds these links, wherever they stand."""

    def parts(links: Sequence[Link]) -> list[tuple[object, ...]]:
        return [
            (*link[:2], link.subpath or None, link.embed, link.property)
            for link in links
        ]

    return parts(read_note(path, source.decode()).links) == parts(meant)


def _nowhere(link: Link) -> LinkParts:
    place = (link.start, link.start)
    return LinkParts(link, place, place, NOWHERE)


def _wiki(link: Link, source: bytes) -> LinkParts | None:
    start, end = link.start + link.embed + 2, link.end - 2
    if source[start - 2 : start] != b"[[" or source[end : link.end] != b"]]":
        return None
    content = source[start:end].decode()
    if _differs(split_wikilink(content), link):
        return None
    path, subpath = _address_spans(content)
    return LinkParts(
        link, _bytes(content, path, start), _bytes(content, subpath, start), "wiki"
    )


def _address_spans(content: str) -> tuple[_Range, _Range]:
    address, pipe, _ = content.partition("|")
    if pipe:
        address = address.removesuffix("\\")
    mark = address.find("#")
    path = _stripped(address, 0, mark if mark >= 0 else len(address))
    if mark < 0:
        return path, (path[1], path[1])
    return path, (mark, max(mark + 1, _stripped(address, mark, len(address))[1]))


def _stripped(text: str, start: int, end: int) -> _Range:
    part = text[start:end]
    first = start + len(part) - len(part.lstrip())
    return first, max(first, start + len(part.rstrip()))


def _bytes(text: str, span: _Range, base: int) -> _Range:
    start = base + len(text[: span[0]].encode())
    return start, start + len(text[span[0] : span[1]].encode())


def _differs(target: Target | None, link: Link) -> bool:
    return target is None or target[:2] != (link.target, link.subpath)


def _markdown(link: Link, source: bytes, note: Note) -> LinkParts | None:
    label_end = link.start + 1 + link.embed + len((link.display or "").encode())
    if source[link.end - 1 : link.end] == b")":
        opening = _OPENING.match(source, label_end, link.end)
        return opening and _destination(link, source, opening.end())
    reference = _REFERENCE.match(source, label_end, link.end)
    label = (
        reference[1]
        if reference
        else source[link.start + 1 + link.embed : link.end - 1]
    )
    for match in _DEFINITION.finditer(source, note.frontmatter.end):
        at = match.start(1)
        regions = (region for region in note.regions if region.kind in _NO_TEXT)
        if any(region.start <= at < region.end for region in regions):
            continue
        if _key(match[1]) == _key(label):
            parts = _destination(link, source, match.end())
            if parts is not None:
                return parts
    return None


def _key(label: bytes) -> str:
    return " ".join(label.decode().replace(">", " ").split()).casefold()


def _destination(link: Link, source: bytes, at: int) -> LinkParts | None:
    angled = _ANGLED.match(source, at)
    if angled is not None:
        start, end, form = angled.start(1), angled.end(1), "angled"
    else:
        start, end, form = at, _plain_end(source, at), "plain"
    written = source[start:end].decode()
    if _differs(split_destination(unescaped(written)), link):
        return None
    mark = mark_in(written)
    path = _bytes(written, (0, mark), start)
    return LinkParts(link, path, (path[1], end), form)


def _plain_end(source: bytes, at: int) -> int:
    depth = 0
    while True:
        match = _PLAIN.match(source, at)
        at = match.end() if match else at
        sign = source[at : at + 1]
        if sign == b"(":
            depth += 1
        elif sign == b")" and depth:
            depth -= 1
        else:
            return at
        at += 1


def _held(note: Note, source: bytes) -> Iterator[LinkParts]:
    held = [link for link in note.links if link.kind == "property"]
    if not held:
        return
    links = iter(held)
    for item in read_head(note.text).properties:
        value = item.leaf.value
        if not isinstance(value, str) or "[" not in value:
            continue
        written, cursor = source[item.start : item.end].decode(), 0
        for match in PROPERTY_LINK.finditer(value):
            if property_target(match) is None:
                continue
            link, style = next(links), _STYLES.get(written[0], "plain")
            literal = in_scalar(match[0], style)
            at = written.find(literal, cursor)
            if at < 0:  # it is written with escapes, or stands elsewhere
                yield _nowhere(link)
                continue
            cursor = at + len(literal)
            *spans, form = _spans_in_link(match)
            path, subpath = (
                (
                    at + len(in_scalar(match[0][:start], style)),
                    at + len(in_scalar(match[0][:end], style)),
                )
                for start, end in spans
            )
            yield LinkParts(
                link,
                _bytes(written, path, item.start),
                _bytes(written, subpath, item.start),
                f"{style} {form}",
            )


_STYLES = {'"': "double", "'": "single", "|": "block", ">": "block"}


def _spans_in_link(match: re.Match[str]) -> tuple[_Range, _Range, str]:
    by = match.start()
    if match["wiki"]:
        base = match.start("content") - by
        path, subpath = _address_spans(match["content"])
        moved = (path[0] + base, path[1] + base), (subpath[0] + base, subpath[1] + base)
        return *moved, "wiki"
    name, form = ("bare", "plain") if match["bare"] else ("angled", "angled")
    start, end = match.start(name) - by, match.end(name) - by
    mark = match[name].find("#")
    at = end if mark < 0 else start + mark
    return (start, at), (at, end), form


_UNSAFE = re.compile(r"[\x00-\x20\x7f%()<>\\\[\]\"`]")
"""What ends or changes a Markdown destination, or stands for something else."""

_UNSAFE_ANGLED = re.compile(r"[\x00-\x1f\x7f%<>\\]")
_RISKY = re.compile(r"[$*_~=!^|{}]")
"""What may pair with another of its kind before or behind a link."""

_WIDE = re.compile(r"[^\x00-\x7f]")
_WIDE_ESCAPE = re.compile(rb"%[89A-Fa-f][0-9A-Fa-f]")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);")
_ESCAPED = re.compile(rf"\\([!-/:-@\[-`{{-~])|({_ENTITY.pattern})|.", re.DOTALL)


def styled(text: str, form: str, now: bytes, *, careful: bool) -> str:
    *style, way = form.split()
    if way != "wiki":
        text = (_UNSAFE_ANGLED if way == "angled" else _UNSAFE).sub(_percent, text)
        if _WIDE_ESCAPE.search(now):
            text = _WIDE.sub(_percent, text)
        if not style:
            text = _ENTITY.sub(lambda match: f"\\{match[0]}", text)
            text = _RISKY.sub(r"\\\g<0>", text) if careful else text
    return in_scalar(text, style[0]) if style else text


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def unescaped(written: str) -> str:
    if "\\" not in written and "&" not in written:
        return written
    return "".join(_letter(match) for match in _ESCAPED.finditer(written))


def mark_in(written: str) -> int:
    for match in _ESCAPED.finditer(written):
        if _letter(match) == "#":
            return match.start()
    return len(written)


def _letter(match: re.Match[str]) -> str:
    return match[1] or (unescape(match[2]) if match[2] else match[0])
