"""YAML by the core schema of version 1.2, bounded, with the place of every scalar.

PyYAML's own constructors follow YAML 1.1 (`on` is true, `12:30:45` a number, dates
become objects), so only its event parser is used and the values are built here: no
objects from tags, no unbounded expansion, no deeper than `MAX_DEPTH`.
"""

import json
import math
import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import yaml
from msgspec import Struct

from glassmind.errors import BadEdit
from glassmind.model import PropertyValue

MAX_DEPTH = 64
"""Containers within containers; real properties are one or two deep."""

MAX_EXPANDED = 10_000
"""Nodes that aliases may add in all; an alias bomb asks for billions."""

_LONGEST_INTEGER = 18
"""Digits that always fit 64 signed bits; a longer number stays text."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_WORDS: dict[str, PropertyValue] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True,
    "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_NUMBER_START = frozenset("-+.0123456789")
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_CORE = "tag:yaml.org,2002:"
_SCALAR_TAGS = frozenset(
    _CORE + name for name in ("str", "int", "float", "bool", "null")
)
_SHAPE_TAGS = frozenset((_CORE + "seq", _CORE + "map"))

NodeKind: TypeAlias = Literal["scalar", "list", "map", "alias"]


class YamlScalar(NamedTuple):
    """A scalar, the keys and list positions that lead to it, and its characters."""

    path: tuple[str | int, ...]
    value: PropertyValue
    start: int
    end: int


class YamlDocument(NamedTuple):
    """A document: its value, its scalars in order, and the keys said twice."""

    value: PropertyValue
    leaves: tuple[YamlScalar, ...]
    repeated: tuple[str, ...]


class Node(Struct):
    """A value as written; `start` and `end` are characters, half open.

    A mark such as `&x` belongs to it. `style` is the quote or sign of a scalar, "" for
    a plain one, and for a container `flow` or `block`; a block ends with its last
    value. `stop` is where the parser ends a scalar, with blank lines behind a block of
    text. `keys` of a map go with `items`. `size` and `height` include aliases.
    """

    kind: NodeKind
    start: int
    end: int
    style: str
    text: str = ""
    stop: int = 0
    is_plain: bool = False
    anchor: str | None = None
    repeats: "Node | None" = None
    size: int = 1
    height: int = 0
    keys: list["Node"] = []
    items: list["Node"] = []


def resolve_plain(text: str) -> PropertyValue:
    """Return what an unquoted scalar means by the core schema.

    Booleans, null, integers (`0123` is 123, `0o17` and `0xf` are 15) and floats;
    everything else is text, and so are `.nan`, infinities and integers beyond 64 bits,
    which JSON and SQL cannot hold.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_START:
        return text
    if _INTEGER.fullmatch(text):
        if len(text) > _LONGEST_INTEGER:
            return text
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        return int(text, base)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return text if number in (float("inf"), float("-inf")) else number
    return text


def load(text: str) -> YamlDocument:
    """Return the document of `text`; of a key given twice the first value counts."""
    leaves: list[YamlScalar] = []
    repeated: list[str] = []

    def value(
        node: Node, path: tuple[str | int, ...], at: Node | None = None
    ) -> PropertyValue:
        if node.repeats is not None:
            return value(node.repeats, path, at or node)
        if node.kind == "scalar":
            plain = resolve_plain(node.text) if node.is_plain else node.text
            place = at or node
            leaves.append(YamlScalar(path, plain, place.start, place.stop))
            return plain
        if node.kind == "list":
            items = enumerate(node.items)
            return [value(item, (*path, number), at) for number, item in items]
        found: dict[str, PropertyValue] = {}
        for key, item in zip(node.keys, node.items, strict=True):
            if key.text not in found:
                found[key.text] = value(item, (*path, key.text), at)
            elif at is None:
                repeated.append(key.text)
        return found

    root = read_nodes(text)
    document = None if root is None else value(root, ())
    return YamlDocument(document, tuple(leaves), tuple(repeated))


def read_nodes(text: str) -> Node | None:
    """Return the one value of a YAML text as written; None for a text without any."""
    reader = _Reader(text)
    loader = _LOADER(text)
    try:
        while loader.check_event():
            reader.take(loader.get_event())
    finally:
        loader.dispose()
    return reader.root


class _Reader(Struct):
    text: str
    root: Node | None = None
    open: list[Node] = []
    anchors: dict[str, Node] = {}
    documents: int = 0
    expanded: int = 0

    def take(self, event: Any) -> None:
        match event:
            case yaml.DocumentStartEvent():
                self.documents += 1
                if self.documents > 1:
                    raise _refusal("a second document begins", event)
            case yaml.ScalarEvent():
                self.put(_scalar(event, self.text, is_key=self.expects_key), event)
            case yaml.AliasEvent():
                self.put(self.alias(event), event)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                node = self.container(event)
                self.put(node, event)
                self.open.append(node)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self.close(event)
            case _:
                pass

    @property
    def expects_key(self) -> bool:
        if not self.open or self.open[-1].kind != "map":
            return False
        return len(self.open[-1].keys) == len(self.open[-1].items)

    def put(self, node: Node, event: Any) -> None:
        if self.expects_key:
            if node.kind != "scalar":
                raise _refusal("a property name is not text", event)
            self.open[-1].keys.append(node)
            return
        if self.open:
            self.open[-1].items.append(node)
        else:
            self.root = node
        if node.anchor and node.kind == "scalar":
            self.anchors[node.anchor] = node

    def container(self, event: Any) -> Node:
        if len(self.open) >= MAX_DEPTH:
            raise _refusal(f"it is nested more than {MAX_DEPTH} deep", event)
        if event.tag not in (None, "!") and event.tag not in _SHAPE_TAGS:
            raise _refusal(f"the tag {event.tag} is not allowed", event)
        is_map = isinstance(event, yaml.MappingStartEvent)
        kind: NodeKind = "map" if is_map else "list"
        start, end = event.start_mark.index, event.end_mark.index
        style = "flow" if event.flow_style else "block"
        return Node(kind, start, end, style, anchor=event.anchor)

    def close(self, event: Any) -> None:
        node = self.open.pop()
        node.size += sum(item.size for item in node.items)
        node.height = 1 + max((item.height for item in node.items), default=0)
        if node.style == "flow":
            node.end = event.end_mark.index
        elif node.items:
            node.end = max(part.end for part in (*node.items[-1:], *node.keys[-1:]))
        if node.anchor:
            self.anchors[node.anchor] = node

    def alias(self, event: Any) -> Node:
        repeated = self.anchors.get(event.anchor)
        if repeated is None:
            raise _refusal(f"*{event.anchor} refers to nothing before it", event)
        self.expanded += repeated.size
        if self.expanded > MAX_EXPANDED:
            raise _refusal("its aliases expand without measure", event)
        if len(self.open) + repeated.height > MAX_DEPTH:
            raise _refusal(f"it is nested more than {MAX_DEPTH} deep", event)
        start, end = event.start_mark.index, event.end_mark.index
        node = Node("alias", start, end, "", stop=end, repeats=repeated)
        node.size, node.height = repeated.size, repeated.height
        return node


def _scalar(event: Any, text: str, *, is_key: bool) -> Node:
    tag: str | None = event.tag
    if not is_key and tag is not None and tag not in _SCALAR_TAGS and tag != "!":
        raise _refusal(f"the tag {tag} is not allowed", event)
    is_plain = event.implicit[0] if tag is None else tag not in (_CORE + "str", "!")
    start, stop, style = event.start_mark.index, event.end_mark.index, event.style or ""
    end = stop
    if style in ("|", ">"):  # without the blank lines behind
        last = start + len(text[start:stop].rstrip())
        end = text.find("\n", last)
        end = len(text) if end < 0 else end
        end -= last < end < len(text) and text[end - 1] == "\r"
    return Node("scalar", start, end, style, event.value, stop, is_plain, event.anchor)


def _refusal(problem: str, event: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)


def in_scalar(text: str, style: str) -> str:
    if style == "double":
        return quoted(text)[1:-1]
    return text.replace("'", "''") if style == "single" else text


Fact: TypeAlias = str | bool | Sequence[str]
_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:[+-]\d\d:\d\d)?)?")
_BARE_WORDS = re.compile(r"[^\W\d_](?:[\w ./()+-]*[\w)])?")
_SPECIAL_WORDS = frozenset(
    "y n yes no on off true false null none nan inf infinity".split()  # noqa: SIM905
)
"""Words, in lower case, that some reader takes for more than a word."""


def property_lines(name: str, fact: Fact) -> list[str]:
    """Return the lines of a property, without line ends; a list has one for each."""
    match fact:
        case bool():
            return [f"{name}: {'true' if fact else 'false'}"]
        case str():
            return [f"{name}: {scalar(fact)}"]
    return [f"{name}:", *(f"  - {scalar(item)}" for item in fact)]


def scalar(text: str) -> str:
    if _TIME.fullmatch(text):
        return text
    if _BARE_WORDS.fullmatch(text) and text.lower() not in _SPECIAL_WORDS:
        return text
    return quoted(text)


def quoted(text: str) -> str:
    return '"' + "".join(map(_escape, text)) + '"'


def _escape(sign: str) -> str:
    if sign in '"\\':
        return f"\\{sign}"
    if sign.isprintable():
        return sign
    code = ord(sign)
    if code <= 0xFF:  # noqa: PLR2004 - two hex digits
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004


DEEPEST = 8


def check_value(value: PropertyValue, depth: int = 0) -> None:
    if depth > DEEPEST:
        raise BadEdit(f"a property is nested {DEEPEST} deep at most")
    match value:
        case float() if not math.isfinite(value):
            raise BadEdit("a property cannot be a number without end")
        case int() if resolve_plain(str(int(value))) != int(value):
            raise BadEdit(f"{str(value)[:30]} is too large a number; give it as text")
        case str():
            check_text(value)
        case list():
            for item in value:
                check_value(item, depth + 1)
        case dict():
            for key, item in value.items():
                if not isinstance(key, str):
                    raise BadEdit(f"the name {key!r} in a property is no text")
                check_text(key)
                check_value(item, depth + 1)
        case _:
            pass


def check_text(text: str) -> None:
    """Refuse a text that cannot be encoded; raises `BadEdit`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadEdit("a property holds half a character") from None


def inline(value: PropertyValue, quote: str = "") -> str:
    match value:
        case str() if quote == "'" and value.isprintable():
            return "'" + value.replace("'", "''") + "'"
        case str():
            return quoted(value) if quote == '"' else scalar(value)
        case list():
            return f"[{', '.join(inline(item, quote) for item in value)}]"
        case dict():
            pairs = (f"{scalar(key)}: {inline(v, quote)}" for key, v in value.items())
            return f"{{{', '.join(pairs)}}}"
        case _:
            return json.dumps(value)


def is_same(one: PropertyValue, other: PropertyValue) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(
            is_same(one[key], other[key]) for key in one
        )
    return one == other
