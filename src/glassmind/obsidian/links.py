"""Links as written: wikilinks, Markdown links, and links inside properties.

Wikilinks are scanned for in the source with code, math and HTML masked, because
Obsidian's rules differ from the CommonMark parser's: the first `]]` closes, a pipe cut
by a table cell breaks the link, and a wikilink wins over math that begins inside it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

from glassmind.model.notes import Link, LinkKind, all_of
from glassmind.obsidian.frontmatter import Property
from glassmind.obsidian.masks import Mask
from glassmind.obsidian.positions import line_at
from glassmind.obsidian.structure import Reference, Structure

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
"""A link inside the text of a property, wiki or Markdown."""


class Target(NamedTuple):
    """The parts of a link: path, subpath with its `#`, and what is shown."""

    path: str
    subpath: str | None
    display: str | None


def split_wikilink(content: str) -> Target | None:
    """Return the parts of what stands in `[[ ]]`; None when it names nothing.

    Blanks around each part are dropped, and so is the backslash that hides a pipe from
    a table.
    """
    if "|" not in content and "#" not in content:
        path = content.strip()
        return Target(path, None, None) if path else None
    address, pipe, shown = content.partition("|")
    if pipe:
        address = address.removesuffix("\\")
    path, mark, subpath = address.partition("#")
    path = path.strip()
    if not mark:
        return Target(path, None, shown.strip() or None) if path else None
    subpath = subpath.strip()
    return Target(path, f"#{subpath}" if subpath else None, shown.strip() or None)


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
    """Return text with percent escapes decoded, those of reserved characters kept."""
    if "%" not in escaped:
        return escaped
    kept = _ESCAPED.sub(lambda match: "%25" + match[0][1:], escaped)
    try:
        return unquote_to_bytes(kept).decode()
    except UnicodeDecodeError:
        return escaped


def wikilinks(
    source: bytes, body: int, structure: Structure, starts: Sequence[int]
) -> list[Link]:
    """Return the wikilinks and embeds of the body, in order."""
    if source.find(b"[", body) < 0:
        return []
    math = Mask.of(_math(structure))
    code = Mask.of(_code(structure))
    tables = Mask.of(structure.tables)
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
        if "|" in content and tables.covers(start) and _has_bare_pipe(content):
            continue
        target = split_wikilink(content)
        if target is None:
            continue
        # Math that begins inside a wikilink is no math.
        if math.starts:
            free_until = max(free_until, math.end_at(end - 1) or 0)
        embed = before == _EMBEDS and not _is_escaped(source, start - 1)
        line = bisect_right(starts, start)
        found.append(("wikilink", *target, embed, line, start - embed, end, None))
    return all_of(Link, found)


def markdown_links(
    source: bytes, references: Iterable[Reference], starts: Sequence[int]
) -> list[Link]:
    """Return the Markdown links and images that stay in the vault, in order."""
    found: list[Link] = []
    for reference in references:
        target = split_destination(reference.destination)
        if target is None or target.path.startswith("[["):
            continue
        label = source[reference.label_start : reference.label_end].decode()
        shown = Target(target.path, target.subpath, label or None)
        place = reference.start, reference.end
        found.append(_link("markdown", shown, place, starts, embed=reference.embed))
    found.sort(key=lambda link: link.start)
    return found


def property_links(
    source: bytes, properties: Iterable[Property], starts: Sequence[int]
) -> list[Link]:
    """Return the links inside the frontmatter's text values, in order.

    A link that YAML escapes or folds has no source of its own; it stands where its
    whole value stands.
    """
    found: list[Link] = []
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
            start = source.find(written, cursor, item.end)
            place = (item.start, item.end)
            if start >= 0:
                place = (start, start + len(written))
                cursor = place[1]
            embed = match[0].startswith("!")
            link = _link("property", target, place, starts, embed=embed, name=item.name)
            found.append(link)
    return found


def property_target(match: re.Match[str]) -> Target | None:
    """Return the parts of a link that `PROPERTY_LINK` found in a text value."""
    if match["wiki"]:
        return split_wikilink(match["content"])
    target = split_destination(match["angled"] or match["bare"] or "")
    if target is None:
        return None
    return Target(target.path, target.subpath, match["label"] or None)


def _link(  # noqa: PLR0913  # a link has this many parts
    kind: LinkKind,
    target: Target,
    place: tuple[int, int],
    starts: Sequence[int],
    *,
    embed: bool,
    name: str | None = None,
) -> Link:
    start, end = place
    line = line_at(starts, start)
    return Link(
        kind, target.path, target.subpath, target.display, embed, line, start, end, name
    )


def _is_escaped(source: bytes, offset: int) -> bool:
    """Return whether an odd number of backslashes stands before `offset`."""
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


def _math(structure: Structure) -> list[tuple[int, int]]:
    return [(r.start, r.end) for r in structure.regions if r.kind in _MATH]


def _code(structure: Structure) -> list[tuple[int, int]]:
    """Return where wikilinks do not count: code, HTML, destinations."""
    found = [(r.start, r.end) for r in structure.regions if r.kind not in _MATH]
    found.extend((tag.start, tag.end) for tag in structure.html)
    found.extend(
        (link.label_end, link.end)
        for link in structure.references
        if not link.destination.startswith("[[")
    )
    return found


def _has_bare_pipe(content: str) -> bool:
    return "|" in content.replace("\\|", "")
