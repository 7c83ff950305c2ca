"""Read any file of a vault that holds text: Markdown, Excalidraw, canvas or base."""

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from operator import attrgetter
from pathlib import PurePosixPath
from posixpath import basename, splitext
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct

from glassmind.model import NotePath, PropertyValue, Span
from glassmind.model.notes import (
    BlockId,
    Callout,
    Heading,
    Link,
    Note,
    Region,
    RegionKind,
    Task,
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
from glassmind.obsidian.frontmatter import read_head
from glassmind.obsidian.links import markdown_links, property_links, wikilinks
from glassmind.obsidian.secrets import redacted, secret_locations
from glassmind.obsidian.structure import Mask, Structure, read_structure
from glassmind.obsidian.text import is_text, with_texts

LONGEST_CACHED = 1_000_000  # characters


def read_note(path: NotePath, text: str) -> Note:
    return (_read if len(text) > LONGEST_CACHED else _read_cached)(path, text)


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


_read_cached = lru_cache(4)(_read)
"""What is edited is read before, after, and for the index."""


_SURROGATE = re.compile("[\ud800-\udfff]")
_START = attrgetter("start")
_Placed = TypeVar("_Placed", Heading, Task, Callout, BlockId)


def parse_note(path: NotePath, text: str) -> Note:
    """Return what stands in a Markdown note.

    A byte order mark is dropped and a lone surrogate becomes U+FFFD; the offsets are
    those of the text in the note that is returned. Never raises, whatever the text.
    """
    text = text.removeprefix("\ufeff")
    if not is_text(text):
        text = _SURROGATE.sub("\ufffd", text)
    head = read_head(text)
    structure = read_structure(text, head.frontmatter.end)
    wiki, marked = wikilinks(structure), markdown_links(structure)
    links = sorted((*wiki, *marked), key=_START) if wiki and marked else wiki or marked
    barred = [(link.start, link.end) for link in wiki]
    barred += [*structure.html_elements(), *structure.equations]
    concealed = Mask.of((*structure.equations, *structure.comments))
    headings = [
        Heading(level, name, structure.line_at(a), a, trimmed(structure.source, a, b))
        for level, name, a, b in structure.titles
    ]
    return Note(
        path=path,
        kind="markdown",
        title=splitext(basename(path))[0],
        text=text,
        frontmatter=head.frontmatter,
        aliases=_aliases(head.frontmatter.properties),
        tags=(
            *property_tags(structure, head.properties),
            *inline_tags(structure, barred),
        ),
        headings=_visible(headings, concealed),
        links=(*property_links(structure, head.properties), *links),
        tasks=_visible(tasks(structure), concealed),
        block_ids=_visible(block_ids(structure), concealed),
        callouts=_visible(callouts(structure), concealed),
        fields=tuple(inline_fields(structure)),
        footnotes=tuple(footnotes(structure)),
        blocks=tuple(root_blocks(structure)),
        regions=_regions(structure),
        warnings=head.frontmatter.warnings,
    )


def _aliases(properties: Mapping[str, PropertyValue]) -> tuple[str, ...]:
    for name, value in properties.items():
        if name.lower() == "aliases" and isinstance(value, list):
            written = (
                str(item).strip()
                for item in value
                if isinstance(item, str | int | float) and not isinstance(item, bool)
            )
            return tuple(alias for alias in written if alias)
    return ()


def _visible(found: Iterable[_Placed], concealed: Mask) -> tuple[_Placed, ...]:
    if not concealed.starts:
        return tuple(found)
    return tuple(item for item in found if not concealed.covers(item.start))


def _regions(note: Structure) -> tuple[Region, ...]:
    regions = [
        Region(kind, start, trimmed(note.source, start, end), language)
        for kind, start, end, language in note.regions
    ]
    if note.html or note.comments:
        elements = Mask.of(note.html_elements())
        pairs = zip(elements.starts, elements.ends, strict=True)
        regions.extend(Region("html", start, end) for start, end in pairs)
        regions.extend(Region("comment", start, end) for start, end in note.comments)
        regions.sort(key=lambda region: (region.start, -region.end))
    return tuple(regions)


_SECRET_WORD = re.compile(r"""[^\s"'`,;|<>()\[\]{}=:@]{8,}""")
"""What a credential is made of, wherever it stands again."""


class SafeNote(NamedTuple):
    """A note in which credentials are hidden, and how many were."""

    note: Note
    secrets: int


def read_safe_note(path: NotePath, text: str) -> SafeNote:
    """Return a file as a note, with `(hidden: AWS key)` and the like for credentials.

    Where they stand in the properties, these are still those of the note: with such a
    text in it, the block may be no YAML.
    """
    note, safe_text = read_note(path, text), redacted(text)
    title = redacted(note.title)
    if safe_text == text:
        return SafeNote(note if title == note.title else note._replace(title=title), 0)
    safe = read_note(path, safe_text)._replace(title=title)
    heads = [
        read.text.encode()[: read.frontmatter.end].decode() for read in (note, safe)
    ]
    if heads[0] != heads[1]:
        before, after = (set(_SECRET_WORD.findall(head)) for head in heads)
        safe = _with_properties(safe, note, before - after)
    return SafeNote(safe, len(secret_locations(text)))


def _with_properties(safe: Note, note: Note, words: Collection[str]) -> Note:
    head, end = note.frontmatter, safe.frontmatter.end

    def hide(text: str) -> str:
        text = redacted(text)
        for word in sorted(words, key=len, reverse=True):
            text = text.replace(word, "(hidden)")
        return text

    def moved(piece: Any, **texts: Any) -> Any:
        return piece._replace(
            start=min(piece.start, end), end=min(piece.end, end), **texts
        )

    tags = [moved(tag, name=hide(tag.name)) for tag in note.tags if tag.in_properties]
    links = [
        moved(
            link,
            target=hide(link.target),
            subpath=link.subpath and hide(link.subpath),
            display=link.display and hide(link.display),
        )
        for link in note.links
        if link.kind == "property"
    ]
    return safe._replace(
        frontmatter=head._replace(
            properties=with_texts(dict(head.properties), hide),
            end=end,
            error=head.error and safe.frontmatter.error,
            warnings=tuple(map(hide, head.warnings)),
        ),
        aliases=tuple(map(hide, note.aliases)),
        tags=(*tags, *(tag for tag in safe.tags if not tag.in_properties)),
        links=(*links, *(link for link in safe.links if link.kind != "property")),
        warnings=tuple(map(hide, note.warnings)),
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
    if path.lower().endswith(SUFFIX):
        return True
    if not text.startswith("---"):
        return False
    closing = _CLOSING.search(text, 3, FRONTMATTER_CHARS)
    return bool(closing and _PROPERTY.search(text, 3, closing.start()))


def parse_excalidraw(path: NotePath, text: str) -> Note:
    """Return what a drawing says in words; its `text` holds no drawing."""
    words = _without_drawing(text.removeprefix("\ufeff"))
    # Newer files open their comment above the text elements. These are to be read as
    # text, so the mark is painted over, at equal length, while parsing.
    opener = _OPENER.search(words)
    if opener is None:
        return parse_note(path, words)._replace(kind="excalidraw")
    start, end = opener.span()
    note = parse_note(path, f"{words[:start]}  {words[end:]}")
    text = f"{note.text[:start]}%%{note.text[end:]}"
    return note._replace(kind="excalidraw", text=text)


def _without_drawing(text: str) -> str:
    """Return the text of a file without its drawing; line numbers stay as they are."""
    place = _drawing(text)
    if place is None:
        return text
    start, end = place
    before = text[:start].rstrip()
    if before.endswith("%%") and _COMMENT.match(text, len(before) - 2):
        start = len(before) - 2
    behind = _COMMENT.match(text, end + len(text[end:]) - len(text[end:].lstrip()))
    end = behind.end() if behind else end
    if not text[end:].strip():
        return text[:start]
    return text[:start] + "\n" * text.count("\n", start, end) + text[end:]


def _drawing(text: str) -> tuple[int, int] | None:
    for heading in _HEADING.finditer(text):
        fence = _FENCE.match(text, heading.end())
        if fence is not None:
            return heading.start(), _fence_end(text, fence)
        if text.startswith("{", heading.end()):
            mark = _COMMENT.search(text, heading.end())
            return heading.start(), mark.start() if mark else len(text)
    for fence in _FENCE.finditer(text):
        opening = text[fence.end() : fence.end() + 200]
        is_scene = opening.startswith("{") and '"excalidraw"' in opening
        if fence[2] == "compressed-json" or is_scene:
            return fence.start(), _fence_end(text, fence)
    return None


def _fence_end(text: str, fence: re.Match[str]) -> int:
    closing = re.compile(rf"^{fence[1]}+[ \t]*\r?$", re.MULTILINE)
    end = closing.search(text, fence.end())
    return end.end() if end else len(text)


# A canvas is read as a note whose text is a rendering, since JSON is nothing to search:
# the cards in reading order (top to bottom, then left to right, then by id), each group
# a heading with its own cards before its inner groups, and the labelled edges at the
# end as `One card -> another: label`. Lines and offsets are those of the rendering.
#
# Each card's Markdown is read by itself, so an unclosed fence does not reach another
# card; its headings rank below its group. Where a card with headings is followed by
# another card, the heading of the group is repeated.

CardKind: TypeAlias = Literal["text", "file", "link", "group"]

MAX_CARDS: Final = 20_000
"""Cards and edges read from one canvas; a canvas of thousands is already unusable."""

MAX_GROUPS: Final = 256
_NAME_CHARS: Final = 80  # of a card's first line, in a line about an edge
_URL_CHARS: Final = 2000  # some addresses hold whole files
_LOWEST_LEVEL: Final = 6
_FAR: Final = 1e9  # coordinates beyond are moved here: JSON numbers have no bounds
_BODY: Final[Mapping[str, str]] = {
    "text": "text", "file": "file", "link": "url", "group": "label",
}  # fmt: skip
_ARROWS: Final = {
    (False, False): "--", (False, True): "->", (True, False): "<-", (True, True): "<->",
}  # fmt: skip
_MARKERS: Final = re.compile(r"^(?:[#>*+\-\s]|\[.\]\s)+")
_PIECES: Final = (
    "tags", "headings", "links", "tasks", "block_ids", "callouts", "fields",
    "footnotes", "blocks", "regions",
)  # fmt: skip


class _Card(Struct, eq=False):
    """A card or a group; a group holds what lies in it, in reading order."""

    id: str
    kind: CardKind
    body: str
    subpath: str
    x: float
    y: float
    width: float
    height: float
    inner: list["_Card"] = []

    @property
    def name(self) -> str:
        if self.kind == "file":
            return self.body.rpartition("/")[2].removesuffix(".md") + self.subpath
        first = _MARKERS.sub("", self.body.strip()).partition("\n")[0].strip()
        return first[:_NAME_CHARS].rstrip(" .:") or self.kind

    def holds(self, other: "_Card") -> bool:
        x, y = other.x + other.width / 2, other.y + other.height / 2
        in_width = self.x <= x <= self.x + self.width
        return in_width and self.y <= y <= self.y + self.height


def parse_canvas(path: NotePath, text: str) -> Note:
    """Return a canvas as a note; one that cannot be read is empty, with a warning."""
    title = splitext(basename(path))[0]
    text = text.removeprefix("\ufeff")
    problem, top = "", None
    try:
        top = json.loads(text) if text.strip() else {}
    except json.JSONDecodeError as error:
        problem = f"not valid JSON ({error.msg}, line {error.lineno})"
    except RecursionError:
        problem = "not valid JSON (nested too deeply)"
    except ValueError:
        problem = "not valid JSON (bad number)"
    if not isinstance(top, dict):
        warning = f"The canvas could not be read: {problem or 'not a JSON object'}."
        return Note(path, "canvas", title, "", warnings=(warning,))
    nodes, edges = _objects(top.get("nodes")), _objects(top.get("edges"))
    warnings: tuple[str, ...] = ()
    if max(len(nodes), len(edges)) > MAX_CARDS:
        warnings = (f"Only the first {MAX_CARDS} cards and edges were read.",)
    cards = [card for node in nodes[:MAX_CARDS] if (card := _card(node)) is not None]
    names = {card.id: card.name for card in reversed(cards)}
    labelled = [line for edge in edges[:MAX_CARDS] if (line := _edge(edge, names))]
    root = _tree(cards, title)
    rendering = _Rendering(path, root)
    rendering.add_group(root, root, 0)
    if labelled:
        rendering.add_heading("Connections", 1)
        rendering.add_block("list", "\n".join(labelled))
    body = "".join(rendering.texts)
    pieces: dict[str, Any] = {
        name: tuple(found) for name, found in rendering.pieces.items()
    }
    return Note(path, "canvas", title, body, warnings=warnings, **pieces)


def _objects(value: Any) -> list[dict[str, Any]]:
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _line(value: Any) -> str:
    return " ".join(_text(value).split())


def _number(value: Any) -> float:
    if not isinstance(value, int | float) or math.isnan(min(value, _FAR)):
        return 0.0
    return float(max(-_FAR, min(_FAR, value)))


def _identity(value: Any) -> str:
    return str(value) if isinstance(value, int | float) else _text(value)


def _card(node: dict[str, Any]) -> _Card | None:
    written = node.get("type")
    kind: CardKind = written if written in ("file", "link", "group") else "text"
    body = node.get(_BODY[kind])
    body = _text(body) if kind == "text" else _line(body)
    if kind != "group" and not body.strip():
        return None
    subpath = _line(node.get("subpath")) if kind == "file" else ""
    x, y = _number(node.get("x")), _number(node.get("y"))
    width, height = _number(node.get("width")), _number(node.get("height"))
    identity = _identity(node.get("id"))
    return _Card(identity, kind, body, subpath, x, y, width, height)


def _edge(edge: dict[str, Any], names: Mapping[str, str]) -> str:
    label = _line(edge.get("label"))
    source = names.get(_identity(edge.get("fromNode")), "?")
    target = names.get(_identity(edge.get("toNode")), "?")
    back = edge.get("fromEnd", "none") == "arrow"
    arrow = _ARROWS[back, edge.get("toEnd", "arrow") == "arrow"]
    return f"{source} {arrow} {target}: {label}" if label else ""


def _tree(cards: list[_Card], title: str) -> _Card:
    """Put each card and group into the smallest group around its middle."""
    root = _Card("", "group", title, "", 0, 0, 0, 0)
    cards = sorted(cards, key=lambda card: (card.y, card.x, card.id))
    groups = [card for card in cards if card.kind == "group"][:MAX_GROUPS]
    # By area; of equal groups the first one read is the outer one.
    groups.sort(key=lambda group: -group.width * group.height)
    ranks = {id(group): rank for rank, group in enumerate(groups)}
    for card in cards:
        around = groups
        if card.kind == "group":
            around = groups[: ranks.get(id(card), len(groups))]
        holders = (group for group in reversed(around) if group.holds(card))
        next(holders, root).inner.append(card)
    return root


class _Rendering:
    """The text of a canvas as it grows, and what was found in it."""

    def __init__(self, path: NotePath, root: _Card) -> None:
        self.path = path
        self.texts: list[str] = []
        self.pieces: dict[str, list[Any]] = {name: [] for name in _PIECES}
        self._length, self._line = 0, 1
        self._under: _Card | None = root  # whose heading the next line is under

    def add_group(self, group: _Card, outer: _Card, depth: int) -> None:
        """Add cards, then inner groups; a group without a label is its outer one."""
        if group.body and group is not outer:
            outer, depth = group, depth + 1
        cards = [card for card in group.inner if card.kind != "group"]
        for card in cards:
            self._return_to(outer, depth)
            self._add_card(card, depth)
        if not cards and outer is group:
            self._return_to(outer, depth)
        for card in group.inner:
            if card.kind == "group":
                self.add_group(card, outer, depth)

    def _return_to(self, group: _Card, depth: int) -> None:
        if self._under is not group:
            self.add_heading(group.body, max(depth, 1))
            self._under = group

    def add_heading(self, label: str, depth: int) -> None:
        level = min(depth, _LOWEST_LEVEL)
        start, end, line = self.add_block("heading", f"{'#' * level} {label}")
        self.pieces["headings"].append(Heading(level, label, line, start, end))

    def _add_card(self, card: _Card, depth: int) -> None:
        if card.kind == "text":
            self._add_text(card.body.strip("\r\n"), depth)
        elif card.kind == "file":
            text = f"![[{card.body}{card.subpath}]]"
            start, end, line = self.add_block("paragraph", text)
            place = line, start, end
            link = Link("canvas", card.body, card.subpath or None, None, True, *place)
            self.pieces["links"].append(link)
        else:
            self.add_block("paragraph", card.body[:_URL_CHARS])

    def _add_text(self, text: str, depth: int) -> None:
        # A line before the card keeps `---` on its first line from being frontmatter.
        card = parse_note(self.path, "\n" + text)
        start, line = self._write(text)
        for name, held in self.pieces.items():
            for piece in getattr(card, name):
                heading = _moved(piece, start - 1, line - 2)
                if isinstance(heading, Heading):
                    level = min(heading.level + depth, _LOWEST_LEVEL)
                    heading = heading._replace(level=level)
                    self._under = None
                held.append(heading)

    def add_block(self, kind: RegionKind, text: str) -> tuple[int, int, int]:
        start, line = self._write(text)
        end = start + len(text.encode())
        self.pieces["blocks"].append(Region(kind, start, end))
        return start, end, line

    def _write(self, text: str) -> tuple[int, int]:
        if self.texts:
            self.texts.append("\n")
            self._length += 1
            self._line += 1
        start, line = self._length, self._line
        self.texts.append(text + "\n")
        self._length += len(text.encode()) + 1
        self._line += text.count("\n") + 1
        return start, line


def _moved(piece: Any, by: int, lines: int) -> Any:
    place: dict[str, Any] = {"start": piece.start + by, "end": piece.end + by}
    if isinstance(piece, Callout):
        place["span"] = Span(piece.span.start + lines, piece.span.end + lines)
    elif not isinstance(piece, Region):
        place["line"] = piece.line + lines
    if isinstance(piece, Task) and piece.parent_line:
        place["parent_line"] = piece.parent_line + lines
    return piece._replace(**place)
