"""What stands on a canvas and in which group: JSON Canvas 1.0, read with patience.

Wrong types, missing fields and unknown kinds are passed over; nothing here raises.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

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
class Card:
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
class Edge:
    """A labelled connection between two cards, by name."""

    source: str
    arrow: str
    target: str
    label: str


@dataclass(slots=True, eq=False)
class Group:
    """A group and what lies in it, both in reading order; the root has no label."""

    card: Card
    cards: list[Card] = field(default_factory=list)
    groups: list["Group"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Canvas:
    """A canvas as a tree of groups, with its labelled edges in order of the file."""

    root: Group
    edges: tuple[Edge, ...] = ()
    warnings: tuple[str, ...] = ()


_ROOT: Final = Card("", "group", "", "", 0, 0, 0, 0)


def read_canvas(text: str) -> Canvas:
    """Return what stands on a canvas; an unreadable one is empty, with a warning."""
    if not text.strip():
        return Canvas(Group(_ROOT))
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
    return Canvas(Group(_ROOT), warnings=(f"The canvas could not be read: {reason}.",))


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


def _card(node: dict[str, Any]) -> Card | None:
    written = node.get("type")
    kind: CardKind = written if written in ("file", "link", "group") else "text"
    body = node.get(_BODY[kind])
    body = _text(body) if kind == "text" else _line(body)
    if kind != "group" and not body.strip():
        return None
    x, y = _number(node.get("x")), _number(node.get("y"))
    width, height = _number(node.get("width")), _number(node.get("height"))
    subpath = _line(node.get("subpath")) if kind == "file" else ""
    return Card(_identity(node.get("id")), kind, body, subpath, x, y, width, height)


def _edge(edge: dict[str, Any], names: Mapping[str, str]) -> Edge:
    source = names.get(_identity(edge.get("fromNode")), "?")
    target = names.get(_identity(edge.get("toNode")), "?")
    back = edge.get("fromEnd", "none") == "arrow"
    forth = edge.get("toEnd", "arrow") == "arrow"
    arrow = _ARROWS[back, forth]
    return Edge(source, arrow, target, _line(edge.get("label")))


def _tree(cards: list[Card]) -> Group:
    """Put each card into the smallest group its middle lies in, in reading order."""
    root = Group(_ROOT)
    frames = [Group(card) for card in cards if card.kind == "group"]
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


def _reading_order(card: Card) -> tuple[float, float, str]:
    return card.y, card.x, card.id


def _holder(outer: list[Group], card: Card, root: Group) -> Group:
    """Return the last, so the smallest, of the groups around the middle of a card."""
    x, y = card.x + card.width / 2, card.y + card.height / 2
    for group in reversed(outer):
        frame = group.card
        inside = frame.x <= x <= frame.x + frame.width
        if inside and frame.y <= y <= frame.y + frame.height:
            return group
    return root
