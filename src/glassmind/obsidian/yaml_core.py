"""YAML by the core schema of version 1.2, bounded, with the place of every scalar.

PyYAML's own constructors follow YAML 1.1 (`on` is true, `12:30:45` a number, dates
become objects), so only its event parser is used and the values are built here with a
stack of our own: no recursion, no objects from tags, no unbounded expansion.
"""

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import yaml

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

Step = str | int


class Leaf(NamedTuple):
    """A scalar, the keys and list positions that lead to it, and its characters."""

    path: tuple[Step, ...]
    value: PropertyValue
    start: int
    end: int


class Loaded(NamedTuple):
    """A document: its value, its scalars in order, and the keys said twice."""

    value: PropertyValue
    leaves: tuple[Leaf, ...]
    repeated: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Anchored:
    """A value that an alias may repeat."""

    value: PropertyValue
    nodes: int
    height: int


@dataclass(slots=True)
class _Open:
    """A container that is still being filled."""

    value: list[PropertyValue] | dict[str, PropertyValue]
    path: tuple[Step, ...]
    anchor: str | None
    nodes_before: int
    key: str | None = None
    repeated: bool = False
    leaves_before: int = 0
    height: int = 1


@dataclass(slots=True)
class _Builder:
    """The state of reading one document."""

    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, _Anchored] = field(default_factory=dict)
    leaves: list[Leaf] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    nodes: int = 0
    expanded: int = 0
    value: PropertyValue = None


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


def load(text: str) -> Loaded:
    """Return the one document of `text`; of a key said twice the first value counts.

    Raises:
        yaml.YAMLError: not YAML, more than one document, a tag outside the core schema,
            a key that is not a scalar, or a bound exceeded.
    """
    builder = _Builder()
    loader = _LOADER(text)
    documents = 0
    try:
        while loader.check_event():
            event = loader.get_event()
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise _refusal("a second document begins", event)
            else:
                _take(builder, event)
    finally:
        loader.dispose()
    return Loaded(builder.value, tuple(builder.leaves), tuple(builder.repeated))


def _take(builder: _Builder, event: Any) -> None:
    match event:
        case yaml.ScalarEvent():
            _scalar(builder, event)
        case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
            _open(builder, event)
        case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
            _close(builder)
        case yaml.AliasEvent():
            _alias(builder, event)
        case _:
            pass


def _scalar(builder: _Builder, event: Any) -> None:
    top = builder.stack[-1] if builder.stack else None
    if top is not None and top.key is None and isinstance(top.value, dict):
        _key(builder, top, event.value)
        return
    tag: str | None = event.tag
    if tag is not None and tag not in _SCALAR_TAGS and tag != "!":
        raise _refusal(f"the tag {tag} is not allowed", event)
    plain = event.implicit[0] if tag is None else tag not in (_CORE + "str", "!")
    value: PropertyValue = resolve_plain(event.value) if plain else event.value
    builder.nodes += 1
    if event.anchor:
        builder.anchors[event.anchor] = _Anchored(value, 1, 0)
    leaf = Leaf(_path(top), value, event.start_mark.index, event.end_mark.index)
    builder.leaves.append(leaf)
    _put(builder, value, 0)


def _key(builder: _Builder, top: _Open, key: str) -> None:
    top.key = key
    top.repeated = key in top.value
    top.leaves_before = len(builder.leaves)
    if top.repeated:
        builder.repeated.append(key)


def _open(builder: _Builder, event: Any) -> None:
    top = builder.stack[-1] if builder.stack else None
    if top is not None and top.key is None and isinstance(top.value, dict):
        raise _refusal("a property name is not text", event)
    if len(builder.stack) >= MAX_DEPTH:
        raise _refusal(f"it is nested more than {MAX_DEPTH} deep", event)
    if event.tag not in (None, "!") and event.tag not in _SHAPE_TAGS:
        raise _refusal(f"the tag {event.tag} is not allowed", event)
    is_map = isinstance(event, yaml.MappingStartEvent)
    value: list[PropertyValue] | dict[str, PropertyValue] = {} if is_map else []
    builder.stack.append(_Open(value, _path(top), event.anchor, builder.nodes))
    builder.nodes += 1


def _close(builder: _Builder) -> None:
    done = builder.stack.pop()
    if done.anchor:
        size = builder.nodes - done.nodes_before
        builder.anchors[done.anchor] = _Anchored(done.value, size, done.height)
    _put(builder, done.value, done.height)


def _alias(builder: _Builder, event: Any) -> None:
    top = builder.stack[-1] if builder.stack else None
    if top is not None and top.key is None and isinstance(top.value, dict):
        raise _refusal("a property name is not text", event)
    meant = builder.anchors.get(event.anchor)
    if meant is None:
        raise _refusal(f"*{event.anchor} refers to nothing before it", event)
    builder.nodes += meant.nodes
    builder.expanded += meant.nodes
    if builder.expanded > MAX_EXPANDED:
        raise _refusal("its aliases expand without measure", event)
    if len(builder.stack) + meant.height > MAX_DEPTH:
        raise _refusal(f"it is nested more than {MAX_DEPTH} deep", event)
    marks = event.start_mark.index, event.end_mark.index
    builder.leaves.extend(_leaves_of(meant.value, _path(top), *marks))
    _put(builder, meant.value, meant.height)


def _path(top: _Open | None) -> tuple[Step, ...]:
    """Return the path of the value that comes next in `top`."""
    if top is None:
        return ()
    if isinstance(top.value, list):
        return (*top.path, len(top.value))
    return (*top.path, top.key or "")


def _put(builder: _Builder, value: PropertyValue, height: int) -> None:
    """Hand a finished value to the container that waits for it."""
    if not builder.stack:
        builder.value = value
        return
    top = builder.stack[-1]
    top.height = max(top.height, height + 1)
    if isinstance(top.value, list):
        top.value.append(value)
        return
    if top.repeated:
        del builder.leaves[top.leaves_before :]
    elif top.key is not None:
        top.value[top.key] = value
    top.key = None


def _leaves_of(
    value: PropertyValue, path: tuple[Step, ...], start: int, end: int
) -> list[Leaf]:
    found: list[Leaf] = []
    waiting: list[tuple[tuple[Step, ...], PropertyValue]] = [(path, value)]
    while waiting:
        here, item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(((*here, key), item[key]) for key in reversed(item))
        elif isinstance(item, list):
            last = len(item) - 1
            waiting.extend(((*here, last - i), x) for i, x in enumerate(item[::-1]))
        else:
            found.append(Leaf(here, item, start, end))
    return found


def _refusal(problem: str, event: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
