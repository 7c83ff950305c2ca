"""Read any file of a vault that holds text: the parser is chosen by name and marker."""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from pathlib import PurePosixPath
from posixpath import basename, splitext
from typing import Any, Final, Literal, TypeAlias, TypeVar

from glassmind.model import NotePath, PropertyValue, Span
from glassmind.model.notes import (
    BlockId,
    Callout,
    Field,
    Footnote,
    Heading,
    Link,
    Note,
    Region,
    RegionKind,
    Tag,
    Task,
    all_of,
)
from glassmind.obsidian.elements import (
    block_ids,
    callouts,
    footnotes,
    inline_fields,
    inline_tags,
    property_tags,
    root_blocks,
    tasks,
    trimmed,
)
from glassmind.obsidian.frontmatter import Property, read_head
from glassmind.obsidian.links import markdown_links, property_links, wikilinks
from glassmind.obsidian.structure import (
    Mask,
    Structure,
    Title,
    block_equations,
    comments,
    inline_elements,
    line_at,
    line_starts,
    read_structure,
    with_equations,
)

KEPT, LONGEST_KEPT = 4, 1_000_000
"""Notes that are not read again at once, and how long they may be: what is edited is
read before, after, and for the index."""


def read_note(path: NotePath, text: str) -> Note:
    """Return a file as a note: Markdown, a drawing, a canvas or a base.

    A base is listed and its text kept; nothing in it is read as a link.
    """
    if len(text) > LONGEST_KEPT:
        return _read(path, text)
    return _kept(path, text)


def _read(path: NotePath, text: str) -> Note:
    special = path.lower().endswith((".canvas", ".base"))
    suffix = PurePosixPath(path).suffix.lower() if special else ".md"
    if suffix == ".canvas":
        return parse_canvas(path, text)
    if suffix == ".base":
        title = PurePosixPath(path).stem
        return Note(path, "base", title, text.removeprefix("\ufeff"))
    if is_excalidraw(path, text):
        return parse_excalidraw(path, text)
    return parse_note(path, text)


_kept = lru_cache(KEPT)(_read)


_SURROGATE = re.compile("[\ud800-\udfff]")
_START = attrgetter("start")
_Placed = TypeVar("_Placed", Heading, Task, Callout, BlockId)


def parse_note(path: NotePath, text: str) -> Note:
    """Return what stands in a Markdown note.

    A byte order mark is dropped and a lone surrogate becomes U+FFFD; the offsets are
    those of the text in the note that is returned. Never raises, whatever the text.
    """
    text, source = _encoded(text)
    starts = line_starts(source)
    head = read_head(text)
    body = head.frontmatter.end
    # Blank lines in the place of the frontmatter keep every offset true.
    structure = read_structure("\n" * body + text[head.length :] if body else text)
    equations = block_equations(source, body, structure)
    structure.regions = with_equations(structure.regions, equations)
    hidden = comments(source, body, structure)
    concealed = Mask.of((*equations, *hidden))
    links = wikilinks(source, body, structure, starts)
    barred = _barred(structure, links, equations)
    joined = _joined(equations, hidden)
    return Note(
        path=path,
        kind="markdown",
        title=splitext(basename(path))[0],
        text=text,
        frontmatter=head.frontmatter,
        aliases=_aliases(head.frontmatter.properties.items()),
        tags=(
            *property_tags(source, head.properties, starts),
            *inline_tags(source, body, structure, barred, starts),
        ),
        headings=_shown(_headings(source, structure.titles, starts), concealed),
        links=_all_links(source, structure, links, head.properties, starts),
        tasks=_shown(tasks(source, structure.items, starts), concealed),
        block_ids=_shown(block_ids(source, body, structure, starts), concealed),
        callouts=_shown(callouts(source, structure.quotes, starts), concealed),
        fields=tuple(inline_fields(text, body, structure.items, source, starts)),
        footnotes=tuple(footnotes(source, body, structure, starts)),
        blocks=tuple(root_blocks(source, body, structure, joined)),
        regions=_regions(source, structure, hidden),
        warnings=head.frontmatter.warnings,
    )


def _encoded(text: str) -> tuple[str, bytes]:
    text = text.removeprefix("\ufeff")
    try:
        return text, text.encode()
    except UnicodeEncodeError:
        text = _SURROGATE.sub("\ufffd", text)
        return text, text.encode()


def _aliases(properties: Iterable[tuple[str, PropertyValue]]) -> tuple[str, ...]:
    """Return the items of the list called `aliases`; a text value is no list."""
    for name, value in properties:
        if name.lower() == "aliases" and isinstance(value, list):
            written = (
                str(item).strip()
                for item in value
                if isinstance(item, str | int | float) and not isinstance(item, bool)
            )
            return tuple(alias for alias in written if alias)
    return ()


def _barred(
    structure: Structure, links: Iterable[Link], equations: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield where text holds no tags: in wikilinks, inline HTML and equations."""
    for link in links:
        yield link.start, link.end
    yield from inline_elements(structure.html)
    yield from equations


def _all_links(
    source: bytes,
    structure: Structure,
    wiki: Sequence[Link],
    properties: Sequence[Property],
    starts: Sequence[int],
) -> tuple[Link, ...]:
    named = property_links(source, properties, starts)
    marked = markdown_links(source, structure.references, starts)
    found = sorted((*wiki, *marked), key=_START) if wiki and marked else wiki or marked
    return (*named, *found)


def _headings(
    source: bytes, titles: Iterable[Title], starts: Sequence[int]
) -> list[Heading]:
    return all_of(Heading, [
        (level, text, line_at(starts, start), start, trimmed(source, start, end))
        for level, text, start, end in titles
    ])  # fmt: skip


def _shown(found: Iterable[_Placed], concealed: Mask) -> tuple[_Placed, ...]:
    """Return what does not stand in a comment or an equation."""
    if not concealed.starts:
        return tuple(found)
    return tuple(item for item in found if not concealed.covers(item.start))


def _joined(
    equations: Iterable[tuple[int, int]], hidden: Iterable[tuple[int, int]]
) -> list[Region]:
    """Return what may join several root blocks into one of its own kind."""
    found = [Region("math_block", start, end) for start, end in equations]
    found.extend(Region("comment", start, end) for start, end in hidden)
    return sorted(found, key=_START)


def _regions(
    source: bytes, structure: Structure, hidden: Sequence[tuple[int, int]]
) -> tuple[Region, ...]:
    found = [
        Region(kind, start, trimmed(source, start, end), language)
        for kind, start, end, language in structure.regions
    ]
    if structure.html or hidden:
        elements = Mask.of(inline_elements(structure.html))
        pairs = zip(elements.starts, elements.ends, strict=True)
        found.extend(Region("html", start, end) for start, end in pairs)
        found.extend(Region("comment", start, end) for start, end in hidden)
        found.sort(key=lambda region: (region.start, -region.end))
    return tuple(found)


def linked_note(path: NotePath, text: str) -> Note:
    """Return a file as a note with its properties, links and regions, no more.

    What is no Markdown is read as `read_note` reads it.
    """
    if text.startswith("\ufeff") or not path.lower().endswith(".md"):
        return read_note(path, text)
    if is_excalidraw(path, text):
        return read_note(path, text)
    try:
        source = text.encode()
    except UnicodeEncodeError:
        return read_note(path, text)
    starts = line_starts(source)
    head = read_head(text)
    body = head.frontmatter.end
    structure = read_structure("\n" * body + text[head.length :] if body else text)
    equations = block_equations(source, body, structure)
    structure.regions = with_equations(structure.regions, equations)
    found = [
        *wikilinks(source, body, structure, starts),
        *markdown_links(source, structure.references, starts),
    ]
    found.sort(key=lambda link: link.start)
    return Note(
        path=path,
        kind="markdown",
        title="",
        text=text,
        frontmatter=head.frontmatter,
        links=(*property_links(source, head.properties, starts), *found),
        regions=tuple(structure.regions),
    )


SUFFIX: Final = ".excalidraw.md"

FRONTMATTER_CHARS: Final = 65_536
"""How far the property that marks a drawing is looked for: the cap on frontmatter."""

_PROPERTY: Final = re.compile(r"^[\"']?excalidraw-plugin[\"']?[ \t]*:", re.MULTILINE)
_CLOSING: Final = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
_HEADING: Final = re.compile(r"^#{1,2} Drawing[ \t]*\r?\n\s*", re.MULTILINE)
_FENCE: Final = re.compile(
    r"^(`{3,}|~{3,})[ \t]*(compressed-json|json)[ \t]*\r?\n\s*", re.MULTILINE
)
_COMMENT: Final = re.compile(r"^%%[ \t]*\r?$", re.MULTILINE)
_OPENER: Final = re.compile(
    r"^%%(?=\s*^#{1,2} (?:Excalidraw Data|Text Elements)\b)", re.MULTILINE
)


def is_excalidraw(path: NotePath, text: str) -> bool:
    """Whether a note is a drawing, by its name or by its frontmatter."""
    if path.lower().endswith(SUFFIX):
        return True
    if not text.startswith("---"):
        return False
    closing = _CLOSING.search(text, 3, FRONTMATTER_CHARS)
    end = closing.start() if closing else 0
    return _PROPERTY.search(text, 3, end) is not None


def parse_excalidraw(path: NotePath, text: str) -> Note:
    """Return what a drawing says in words; its `text` holds no drawing."""
    words = without_drawing(text.removeprefix("\ufeff"))
    # Newer files open their comment above the text elements. These are to be read as
    # text, so the mark is painted over, at equal length, while parsing.
    opener = _OPENER.search(words)
    if opener is None:
        return parse_note(path, words)._replace(kind="excalidraw")
    start, end = opener.span()
    note = parse_note(path, f"{words[:start]}  {words[end:]}")
    shown = f"{note.text[:start]}%%{note.text[end:]}"
    return note._replace(kind="excalidraw", text=shown)


def without_drawing(text: str) -> str:
    """Return the text of a file without its drawing; line numbers stay as they are."""
    found = _drawing(text)
    if found is None:
        return text
    start, end = found
    if not text[end:].strip():
        return text[:start]
    return text[:start] + "\n" * text.count("\n", start, end) + text[end:]


def _drawing(text: str) -> tuple[int, int] | None:
    """Where the drawing stands, with its heading and the comment marks around it."""
    for heading in _HEADING.finditer(text):
        fence = _FENCE.match(text, heading.end())
        if fence is not None:
            return _with_marks(text, heading.start(), _fence_end(text, fence))
        if text.startswith("{", heading.end()):
            mark = _COMMENT.search(text, heading.end())
            end = mark.start() if mark else len(text)
            return _with_marks(text, heading.start(), end)
    for fence in _FENCE.finditer(text):
        if fence[2] == "compressed-json" or _is_scene(text, fence.end()):
            return _with_marks(text, fence.start(), _fence_end(text, fence))
    return None


def _is_scene(text: str, at: int) -> bool:
    opening = text[at : at + 200]
    return opening.startswith("{") and '"excalidraw"' in opening


def _fence_end(text: str, fence: re.Match[str]) -> int:
    closing = re.compile(rf"^{fence[1]}+[ \t]*\r?$", re.MULTILINE)
    found = closing.search(text, fence.end())
    return found.end() if found else len(text)


def _with_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """Take in the comment marks that stand right before and behind."""
    before = text[:start].rstrip()
    if before.endswith("%%") and _COMMENT.match(text, len(before) - 2):
        start = len(before) - 2
    behind = _COMMENT.match(text, end + len(text[end:]) - len(text[end:].lstrip()))
    return start, behind.end() if behind else end


CardKind: TypeAlias = Literal["text", "file", "link", "group"]

MAX_CARDS: Final = 20_000
"""Cards and edges read from one canvas; a canvas of thousands is already unusable."""

MAX_GROUPS: Final = 256
"""Groups that may hold cards; each card is looked for in all of them."""

NAME_CHARS: Final = 80
"""How much of a card's first line names it in a line about an edge."""

FAR: Final = 1e9
"""Coordinates beyond are moved here: JSON numbers know no bounds."""

_BODY: Final[Mapping[str, str]] = {
    "text": "text", "file": "file", "link": "url", "group": "label",
}  # fmt: skip
_ARROWS: Final = {
    (False, False): "--", (False, True): "->", (True, False): "<-", (True, True): "<->",
}  # fmt: skip
_MARKERS: Final = re.compile(r"^(?:[#>*+\-\s]|\[.\]\s)+")


@dataclass(frozen=True, slots=True)
class CanvasCard:
    """A node of a canvas; `body` is its text, file, address or label."""

    id: str
    kind: CardKind
    body: str
    subpath: str
    x: float
    y: float
    width: float
    height: float

    @property
    def name(self) -> str:
        """What a line about an edge calls the card."""
        if self.kind == "file":
            return self.body.rpartition("/")[2].removesuffix(".md") + self.subpath
        first = _MARKERS.sub("", self.body.strip()).partition("\n")[0].strip()
        return first[:NAME_CHARS].rstrip(" .:") or self.kind


@dataclass(frozen=True, slots=True)
class CanvasEdge:
    """A labelled connection between two cards, by name."""

    source: str
    arrow: str
    target: str
    label: str


@dataclass(slots=True, eq=False)
class CanvasGroup:
    """A group and what lies in it, both in reading order; the root has no label."""

    card: CanvasCard
    cards: list[CanvasCard] = field(default_factory=list)
    groups: list["CanvasGroup"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Canvas:
    """A canvas as a tree of groups, with its labelled edges in order of the file."""

    root: CanvasGroup
    edges: tuple[CanvasEdge, ...] = ()
    warnings: tuple[str, ...] = ()


_ROOT: Final = CanvasCard("", "group", "", "", 0, 0, 0, 0)


def read_canvas(text: str) -> Canvas:
    """Return what stands on a canvas; an unreadable one is empty, with a warning."""
    if not text.strip():
        return Canvas(CanvasGroup(_ROOT))
    try:
        top = json.loads(text)
    except (ValueError, RecursionError) as error:
        return _unreadable(f"not valid JSON ({_reason(error)})")
    if not isinstance(top, dict):
        return _unreadable("not a JSON object")
    nodes, edges = _objects(top.get("nodes")), _objects(top.get("edges"))
    warnings = []
    if max(len(nodes), len(edges)) > MAX_CARDS:
        warnings.append(f"Only the first {MAX_CARDS} cards and edges were read.")
    cards = [card for node in nodes[:MAX_CARDS] if (card := _card(node)) is not None]
    names = {card.id: card.name for card in reversed(cards)}
    labelled = [_edge(edge, names) for edge in edges[:MAX_CARDS]]
    kept = tuple(edge for edge in labelled if edge.label)
    return Canvas(_tree(cards), kept, tuple(warnings))


def _unreadable(reason: str) -> Canvas:
    return Canvas(
        CanvasGroup(_ROOT), warnings=(f"The canvas could not be read: {reason}.",)
    )


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg}, line {error.lineno}"
    return "nested too deeply" if isinstance(error, RecursionError) else "bad number"


def _objects(value: Any) -> list[dict[str, Any]]:
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    """Return a JSON string without halves of surrogate pairs; else an empty one."""
    if not isinstance(value, str):
        return ""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _line(value: Any) -> str:
    return " ".join(_text(value).split())


def _number(value: Any) -> float:
    if not isinstance(value, int | float):
        return 0.0
    if isinstance(value, float) and math.isnan(value):
        return 0.0
    return float(max(-FAR, min(FAR, value)))


def _identity(value: Any) -> str:
    return str(value) if isinstance(value, int | float) else _text(value)


def _card(node: dict[str, Any]) -> CanvasCard | None:
    written = node.get("type")
    kind: CardKind = written if written in ("file", "link", "group") else "text"
    body = node.get(_BODY[kind])
    body = _text(body) if kind == "text" else _line(body)
    if kind != "group" and not body.strip():
        return None
    x, y = _number(node.get("x")), _number(node.get("y"))
    width, height = _number(node.get("width")), _number(node.get("height"))
    subpath = _line(node.get("subpath")) if kind == "file" else ""
    return CanvasCard(
        _identity(node.get("id")), kind, body, subpath, x, y, width, height
    )


def _edge(edge: dict[str, Any], names: Mapping[str, str]) -> CanvasEdge:
    source = names.get(_identity(edge.get("fromNode")), "?")
    target = names.get(_identity(edge.get("toNode")), "?")
    back = edge.get("fromEnd", "none") == "arrow"
    forth = edge.get("toEnd", "arrow") == "arrow"
    arrow = _ARROWS[back, forth]
    return CanvasEdge(source, arrow, target, _line(edge.get("label")))


def _tree(cards: list[CanvasCard]) -> CanvasGroup:
    """Put each card into the smallest group its middle lies in, in reading order."""
    root = CanvasGroup(_ROOT)
    frames = [CanvasGroup(card) for card in cards if card.kind == "group"]
    frames.sort(key=lambda group: _reading_order(group.card))
    # By area; of equal groups the first one read is the outer one.
    holders = frames[:MAX_GROUPS]
    holders.sort(key=lambda group: -group.card.width * group.card.height)
    ranks = {id(group): rank for rank, group in enumerate(holders)}
    for group in frames:
        outer = holders[: ranks.get(id(group), len(holders))]
        _holder(outer, group.card, root).groups.append(group)
    for card in sorted(cards, key=_reading_order):
        if card.kind != "group":
            _holder(holders, card, root).cards.append(card)
    return root


def _reading_order(card: CanvasCard) -> tuple[float, float, str]:
    return card.y, card.x, card.id


def _holder(
    outer: list[CanvasGroup], card: CanvasCard, root: CanvasGroup
) -> CanvasGroup:
    """Return the last, so the smallest, of the groups around the middle of a card."""
    x, y = card.x + card.width / 2, card.y + card.height / 2
    for group in reversed(outer):
        frame = group.card
        inside = frame.x <= x <= frame.x + frame.width
        if inside and frame.y <= y <= frame.y + frame.height:
            return group
    return root


CONNECTIONS: Final = "Connections"
"""The heading above the labelled edges."""

LOWEST: Final = 6
"""The lowest rank a heading can have."""

URL_CHARS: Final = 2000
"""How much of an address is kept: some hold whole files."""

_CanvasPlaced = TypeVar(
    "_CanvasPlaced", BlockId, Callout, Field, Footnote, Heading, Link, Region, Tag, Task
)


@dataclass(slots=True)
class _Sheet:
    """The rendering as it grows.

    `parts` are notes in the order of the text, their places those in the whole. `under`
    is the group whose heading the next line would stand under.
    """

    path: NotePath
    under: CanvasGroup | None
    texts: list[str] = field(default_factory=list)
    parts: list[Note] = field(default_factory=list)
    length: int = 0
    line: int = 1


def parse_canvas(path: NotePath, text: str) -> Note:
    """Return a canvas as a note; one that cannot be read is empty, with a warning.

    File cards are embedding links of kind "canvas"; the links, tags and tasks of text
    cards are found as in a note. Never raises, whatever the text.
    """
    canvas = read_canvas(text.removeprefix("\ufeff"))
    sheet = _Sheet(path, canvas.root)
    _write_group(sheet, canvas.root, (), 0)
    _write_edges(sheet, canvas.edges)
    return _note(sheet, canvas)


def _title(path: NotePath) -> str:
    return splitext(basename(path))[0]


def _write_group(
    sheet: _Sheet, group: CanvasGroup, above: tuple[CanvasGroup, ...], depth: int
) -> None:
    """Write a group's cards, then its groups; one without a label is its outer one."""
    home = group
    if group.card.body:
        depth += 1
    elif above:
        home = above[-1]
    for card in group.cards:
        _return_to(sheet, home, depth)
        _write_card(sheet, card, depth)
    if not group.cards and group.card.body:
        _return_to(sheet, home, depth)
    for inner in group.groups:
        _write_group(sheet, inner, (*above, home), depth)


def _return_to(sheet: _Sheet, group: CanvasGroup, depth: int) -> None:
    if sheet.under is not group:
        label = group.card.body or _title(sheet.path)
        _write_heading(sheet, label, max(depth, 1))
        sheet.under = group


def _write_heading(sheet: _Sheet, label: str, depth: int) -> None:
    level = min(depth, LOWEST)
    text = f"{'#' * level} {label}"
    start, line = _write(sheet, text)
    end = start + len(text.encode())
    heading = Heading(level, label, line, start, end)
    block = Region("heading", start, end)
    sheet.parts.append(_part(sheet, headings=(heading,), blocks=(block,)))


def _write_card(sheet: _Sheet, card: CanvasCard, depth: int) -> None:
    if card.kind == "text":
        _write_text(sheet, card.body.strip("\r\n"), depth)
    elif card.kind == "file":
        text = f"![[{card.body}{card.subpath}]]"
        line, block = _write_block(sheet, "paragraph", text)
        link = Link(
            kind="canvas",
            target=card.body,
            subpath=card.subpath or None,
            display=None,
            embed=True,
            line=line,
            start=block.start,
            end=block.end,
        )
        sheet.parts.append(_part(sheet, links=(link,), blocks=(block,)))
    else:
        _, block = _write_block(sheet, "paragraph", card.body[:URL_CHARS])
        sheet.parts.append(_part(sheet, blocks=(block,)))


def _write_text(sheet: _Sheet, text: str, depth: int) -> None:
    # A line before the card keeps `---` on its first line from being frontmatter.
    card = parse_note(sheet.path, "\n" + text)
    start, line = _write(sheet, text)
    part = _moved_note(card, start - 1, line - 2)
    ranked = tuple(
        heading._replace(level=min(heading.level + depth, LOWEST))
        for heading in part.headings
    )
    sheet.parts.append(part._replace(headings=ranked))
    if ranked:
        sheet.under = None


def _write_edges(sheet: _Sheet, edges: Iterable[CanvasEdge]) -> None:
    lines = [f"{e.source} {e.arrow} {e.target}: {e.label}" for e in edges]
    if lines:
        _write_heading(sheet, CONNECTIONS, 1)
        _, block = _write_block(sheet, "list", "\n".join(lines))
        sheet.parts.append(_part(sheet, blocks=(block,)))


def _write_block(sheet: _Sheet, kind: RegionKind, text: str) -> tuple[int, Region]:
    """Add a block; return the line it begins at, and the block."""
    start, line = _write(sheet, text)
    return line, Region(kind, start, start + len(text.encode()))


def _write(sheet: _Sheet, text: str) -> tuple[int, int]:
    """Add a paragraph; return the byte and the line it begins at."""
    if sheet.texts:
        sheet.texts.append("\n")
        sheet.length += 1
        sheet.line += 1
    start, line = sheet.length, sheet.line
    sheet.texts.append(text + "\n")
    sheet.length += len(text.encode()) + 1
    sheet.line += text.count("\n") + 1
    return start, line


def _part(sheet: _Sheet, **values: Any) -> Note:
    return Note(sheet.path, "canvas", "", "", **values)


def _moved_note(note: Note, by: int, lines: int) -> Note:
    return note._replace(
        tags=tuple(_moved(note.tags, by, lines)),
        headings=tuple(_moved(note.headings, by, lines)),
        links=tuple(_moved(note.links, by, lines)),
        tasks=tuple(
            task._replace(parent_line=task.parent_line and task.parent_line + lines)
            for task in _moved(note.tasks, by, lines)
        ),
        block_ids=tuple(_moved(note.block_ids, by, lines)),
        callouts=tuple(_moved(note.callouts, by, lines)),
        fields=tuple(_moved(note.fields, by, lines)),
        footnotes=tuple(_moved(note.footnotes, by, lines)),
        blocks=tuple(_moved(note.blocks, by, lines)),
        regions=tuple(_moved(note.regions, by, lines)),
    )


def _moved(
    values: Iterable[_CanvasPlaced], by: int, lines: int
) -> Iterator[_CanvasPlaced]:
    for value in values:
        place: dict[str, Any] = {"start": value.start + by, "end": value.end + by}
        if isinstance(value, Callout):
            place["span"] = Span(value.span.start + lines, value.span.end + lines)
        elif not isinstance(value, Region):
            place["line"] = value.line + lines
        yield value._replace(**place)


def _note(sheet: _Sheet, canvas: Canvas) -> Note:
    parts = sheet.parts
    return Note(
        path=sheet.path,
        kind="canvas",
        title=_title(sheet.path),
        text="".join(sheet.texts),
        tags=tuple(chain.from_iterable(part.tags for part in parts)),
        headings=tuple(chain.from_iterable(part.headings for part in parts)),
        links=tuple(chain.from_iterable(part.links for part in parts)),
        tasks=tuple(chain.from_iterable(part.tasks for part in parts)),
        block_ids=tuple(chain.from_iterable(part.block_ids for part in parts)),
        callouts=tuple(chain.from_iterable(part.callouts for part in parts)),
        fields=tuple(chain.from_iterable(part.fields for part in parts)),
        footnotes=tuple(chain.from_iterable(part.footnotes for part in parts)),
        blocks=tuple(chain.from_iterable(part.blocks for part in parts)),
        regions=tuple(chain.from_iterable(part.regions for part in parts)),
        warnings=canvas.warnings,
    )
