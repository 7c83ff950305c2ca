"""Read any file of a vault that holds text: Markdown, Excalidraw, canvas or base."""

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
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
from glassmind.obsidian.text import with_texts

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
    text = _SURROGATE.sub("\ufffd", text.removeprefix("\ufeff"))
    head = read_head(text)
    found = read_structure(text, head.frontmatter.end)
    wiki, marked = wikilinks(found), markdown_links(found)
    links = sorted((*wiki, *marked), key=_START) if wiki and marked else wiki or marked
    barred = [(link.start, link.end) for link in wiki]
    barred += [*found.html_elements(), *found.equations]
    concealed = Mask.of((*found.equations, *found.comments))
    headings = [
        Heading(level, name, found.line_at(a), a, trimmed(found.source, a, b))
        for level, name, a, b in found.titles
    ]
    return Note(
        path=path,
        kind="markdown",
        title=splitext(basename(path))[0],
        text=text,
        frontmatter=head.frontmatter,
        aliases=_aliases(head.frontmatter.properties),
        tags=(*property_tags(found, head.properties), *inline_tags(found, barred)),
        headings=_visible(headings, concealed),
        links=(*property_links(found, head.properties), *links),
        tasks=_visible(tasks(found), concealed),
        block_ids=_visible(block_ids(found), concealed),
        callouts=_visible(callouts(found), concealed),
        fields=tuple(inline_fields(found)),
        footnotes=tuple(footnotes(found)),
        blocks=tuple(root_blocks(found)),
        regions=_regions(found),
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
    found = [
        Region(kind, start, trimmed(note.source, start, end), language)
        for kind, start, end, language in note.regions
    ]
    if note.html or note.comments:
        elements = Mask.of(note.html_elements())
        pairs = zip(elements.starts, elements.ends, strict=True)
        found.extend(Region("html", start, end) for start, end in pairs)
        found.extend(Region("comment", start, end) for start, end in note.comments)
        found.sort(key=lambda region: (region.start, -region.end))
    return tuple(found)


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
    head, safe_head = (_head(one) for one in (note, safe))
    if head != safe_head:
        words = set(_SECRET_WORD.findall(head)) - set(_SECRET_WORD.findall(safe_head))
        safe = _with_properties(safe, note, words)
    return SafeNote(safe, len(secret_locations(text)))


def _head(note: Note) -> str:
    return note.text.encode()[: note.frontmatter.end].decode()


def _with_properties(safe: Note, note: Note, words: Collection[str]) -> Note:
    def hide(text: str) -> str:
        text = redacted(text)
        for word in sorted(words, key=len, reverse=True):
            text = text.replace(word, "(hidden)")
        return text

    head, end = note.frontmatter, safe.frontmatter.end
    tags = [
        tag._replace(
            name=hide(tag.name), start=min(tag.start, end), end=min(tag.end, end)
        )
        for tag in note.tags
        if tag.in_properties
    ]
    links = [
        link._replace(
            target=hide(link.target),
            subpath=link.subpath and hide(link.subpath),
            display=link.display and hide(link.display),
            start=min(link.start, end),
            end=min(link.end, end),
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
    before = text[:start].rstrip()
    if before.endswith("%%") and _COMMENT.match(text, len(before) - 2):
        start = len(before) - 2
    behind = _COMMENT.match(text, end + len(text[end:]) - len(text[end:].lstrip()))
    return start, behind.end() if behind else end


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


class CanvasCard(Struct, frozen=True):
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
        if self.kind == "file":
            return self.body.rpartition("/")[2].removesuffix(".md") + self.subpath
        first = _MARKERS.sub("", self.body.strip()).partition("\n")[0].strip()
        return first[:_NAME_CHARS].rstrip(" .:") or self.kind

    @property
    def order(self) -> tuple[float, float, str]:
        return self.y, self.x, self.id

    def holds(self, other: "CanvasCard") -> bool:
        x, y = other.x + other.width / 2, other.y + other.height / 2
        in_width = self.x <= x <= self.x + self.width
        return in_width and self.y <= y <= self.y + self.height


class CanvasGroup(Struct, eq=False):
    """A group and what lies in it, both in reading order; the root has no label."""

    card: CanvasCard
    cards: list[CanvasCard] = []
    groups: list["CanvasGroup"] = []


def parse_canvas(path: NotePath, text: str) -> Note:
    """Return a canvas as a note; one that cannot be read is empty, with a warning."""
    title = splitext(basename(path))[0]
    text = text.removeprefix("\ufeff")
    try:
        top = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        return _unreadable_canvas(path, f"not valid JSON ({_reason(error)})")
    if not isinstance(top, dict):
        return _unreadable_canvas(path, "not a JSON object")
    nodes, edges = _objects(top.get("nodes")), _objects(top.get("edges"))
    warnings: list[str] = []
    if max(len(nodes), len(edges)) > MAX_CARDS:
        warnings.append(f"Only the first {MAX_CARDS} cards and edges were read.")
    cards = [card for node in nodes[:MAX_CARDS] if (card := _card(node)) is not None]
    names = {card.id: card.name for card in reversed(cards)}
    labelled = [line for edge in edges[:MAX_CARDS] if (line := _edge(edge, names))]
    rendering = _Rendering(path)
    rendering.add_group(_group_tree(cards, title), (), 0)
    if labelled:
        rendering.add_heading("Connections", 1)
        rendering.add_block("list", "\n".join(labelled))
    pieces: dict[str, Any] = {
        name: tuple(
            chain.from_iterable(getattr(part, name) for part in rendering.parts)
        )
        for name in _PIECES
    }
    body = "".join(rendering.texts)
    note = Note(path, "canvas", title, body, warnings=tuple(warnings))
    return note._replace(**pieces)


def _unreadable_canvas(path: NotePath, reason: str) -> Note:
    title, warning = (
        splitext(basename(path))[0],
        f"The canvas could not be read: {reason}.",
    )
    return Note(path, "canvas", title, "", warnings=(warning,))


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg}, line {error.lineno}"
    return "nested too deeply" if isinstance(error, RecursionError) else "bad number"


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


def _card(node: dict[str, Any]) -> CanvasCard | None:
    written = node.get("type")
    kind: CardKind = written if written in ("file", "link", "group") else "text"
    body = node.get(_BODY[kind])
    body = _text(body) if kind == "text" else _line(body)
    if kind != "group" and not body.strip():
        return None
    subpath = _line(node.get("subpath")) if kind == "file" else ""
    place = (_number(node.get(name)) for name in ("x", "y", "width", "height"))
    return CanvasCard(_identity(node.get("id")), kind, body, subpath, *place)


def _edge(edge: dict[str, Any], names: Mapping[str, str]) -> str:
    label = _line(edge.get("label"))
    source = names.get(_identity(edge.get("fromNode")), "?")
    target = names.get(_identity(edge.get("toNode")), "?")
    back = edge.get("fromEnd", "none") == "arrow"
    arrow = _ARROWS[back, edge.get("toEnd", "arrow") == "arrow"]
    return f"{source} {arrow} {target}: {label}" if label else ""


def _group_tree(cards: list[CanvasCard], title: str) -> CanvasGroup:
    root = CanvasGroup(CanvasCard("", "group", title, "", 0, 0, 0, 0))
    frames = [CanvasGroup(card) for card in cards if card.kind == "group"]
    frames.sort(key=lambda group: group.card.order)
    # By area; of equal groups the first one read is the outer one.
    holders = frames[:MAX_GROUPS]
    holders.sort(key=lambda group: -group.card.width * group.card.height)
    ranks = {id(group): rank for rank, group in enumerate(holders)}

    def smallest(outer: Sequence[CanvasGroup], card: CanvasCard) -> CanvasGroup:
        found = (group for group in reversed(outer) if group.card.holds(card))
        return next(found, root)

    for group in frames:
        outer = holders[: ranks.get(id(group), len(holders))]
        smallest(outer, group.card).groups.append(group)
    for card in sorted(cards, key=lambda card: card.order):
        if card.kind != "group":
            smallest(holders, card).cards.append(card)
    return root


class _Rendering:
    """The text of a canvas as it grows; `parts` are notes, with places in the whole."""

    def __init__(self, path: NotePath) -> None:
        self.path = path
        self.texts: list[str] = []
        self.parts: list[Note] = []
        self._length, self._line = 0, 1
        self._under: CanvasGroup | None = None  # whose heading the next line is under

    def add_group(
        self, group: CanvasGroup, above: tuple[CanvasGroup, ...], depth: int
    ) -> None:
        """Add a group's cards, then its groups; without a label it is its outer one."""
        home = group
        if not above:
            self._under = group
        elif group.card.body:
            depth += 1
        else:
            home = above[-1]
        for card in group.cards:
            self._return_to(home, depth)
            self._add_card(card, depth)
        if above and group.card.body and not group.cards:
            self._return_to(home, depth)
        for inner in group.groups:
            self.add_group(inner, (*above, home), depth)

    def _return_to(self, group: CanvasGroup, depth: int) -> None:
        if self._under is not group:
            self.add_heading(group.card.body, max(depth, 1))
            self._under = group

    def add_heading(self, label: str, depth: int) -> None:
        level = min(depth, _LOWEST_LEVEL)
        text = f"{'#' * level} {label}"
        start, line = self._write(text)
        end = start + len(text.encode())
        heading = Heading(level, label, line, start, end)
        self._add(headings=(heading,), blocks=(Region("heading", start, end),))

    def _add_card(self, card: CanvasCard, depth: int) -> None:
        if card.kind == "text":
            self._add_text(card.body.strip("\r\n"), depth)
        elif card.kind == "file":
            start, end, line = self.add_block(
                "paragraph", f"![[{card.body}{card.subpath}]]"
            )
            subpath = card.subpath or None
            link = Link("canvas", card.body, subpath, None, True, line, start, end)
            self._add(links=(link,))
        else:
            self.add_block("paragraph", card.body[:_URL_CHARS])

    def _add_text(self, text: str, depth: int) -> None:
        # A line before the card keeps `---` on its first line from being frontmatter.
        card = parse_note(self.path, "\n" + text)
        start, line = self._write(text)
        moved = {
            name: tuple(_moved(piece, start - 1, line - 2) for piece in pieces)
            for name in _PIECES
            if (pieces := getattr(card, name))
        }
        if card.headings:
            moved["headings"] = tuple(
                heading._replace(level=min(heading.level + depth, _LOWEST_LEVEL))
                for heading in moved["headings"]
            )
            self._under = None
        self._add(**moved)

    def add_block(self, kind: RegionKind, text: str) -> tuple[int, int, int]:
        start, line = self._write(text)
        end = start + len(text.encode())
        self._add(blocks=(Region(kind, start, end),))
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

    def _add(self, **pieces: Any) -> None:
        self.parts.append(Note(self.path, "canvas", "", "", **pieces))


def _moved(piece: Any, by: int, lines: int) -> Any:
    place: dict[str, Any] = {"start": piece.start + by, "end": piece.end + by}
    if isinstance(piece, Callout):
        place["span"] = Span(piece.span.start + lines, piece.span.end + lines)
    elif not isinstance(piece, Region):
        place["line"] = piece.line + lines
    if isinstance(piece, Task) and piece.parent_line:
        place["parent_line"] = piece.parent_line + lines
    return piece._replace(**place)
