"""YAML as it is written: every value with the characters it takes, for who edits it.

`yaml_core` says what a text means; this says where. Only texts that it reads are read
here, so depth and tags are bounded already.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import yaml

NodeKind: TypeAlias = Literal["scalar", "list", "map", "alias"]

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BLOCK = ("|", ">")
_COLON = re.compile(r"[ \t]*:")


@dataclass(slots=True)
class Node:
    """A value as written; `start` and `end` are characters, half open.

    A mark such as `&x` belongs to it. `style` is the quote or sign of a scalar, "" for
    a plain one, and for a container `flow` or `block`; a block ends with its last
    value. `keys` of a map go with `items`. `refers` is what an alias repeats.
    """

    kind: NodeKind
    start: int
    end: int
    style: str
    anchor: str = ""
    refers: str = ""
    text: str = ""
    keys: list["Node"] = field(default_factory=list)
    items: list["Node"] = field(default_factory=list)

    def walk(self) -> Iterator["Node"]:
        """Yield this and every node inside of it."""
        yield self
        for node in (*self.keys, *self.items):
            yield from node.walk()


def read_nodes(text: str) -> Node | None:
    """Return the one value of a YAML text; None for a text without any.

    Raises:
        yaml.YAMLError: it is no YAML.
    """
    stack: list[Node] = []
    root: Node | None = None
    loader = _LOADER(text)
    try:
        while loader.check_event():
            event = loader.get_event()
            node = _node(event, text)
            if node is not None:
                if stack:
                    _put(stack[-1], node)
                root = root or node
                if node.kind in ("list", "map"):
                    stack.append(node)
            elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
                _close(stack.pop(), _end(event))
    finally:
        loader.dispose()
    return root


def _end(event: Any) -> int:
    return int(event.end_mark.index)


def colon_behind(key: Node, text: str) -> int | None:
    """Return where the colon of a key ends; None for a key written with `?`."""
    found = _COLON.match(text, key.end)
    return found.end() if found else None


def _node(event: Any, text: str) -> Node | None:
    start, end = event.start_mark.index, event.end_mark.index
    match event:
        case yaml.ScalarEvent():
            style = event.style or ""
            if style in _BLOCK:
                end = _end_of_block(text, start, end)
            return Node(
                "scalar", start, end, style, event.anchor or "", "", event.value
            )
        case yaml.AliasEvent():
            return Node("alias", start, end, "", refers=event.anchor or "")
        case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
            kind: NodeKind = (
                "map" if isinstance(event, yaml.MappingStartEvent) else "list"
            )
            style = "flow" if event.flow_style else "block"
            return Node(kind, start, end, style, event.anchor or "")
        case _:
            return None


def _end_of_block(text: str, start: int, end: int) -> int:
    """Return the end of the last line of a block scalar that is not blank."""
    last = start + len(text[start:end].rstrip())
    stop = text.find("\n", last)
    if stop < 0:
        return len(text)
    return stop - 1 if text[stop - 1] == "\r" and stop > last else stop


def _put(holder: Node, node: Node) -> None:
    is_key = holder.kind == "map" and len(holder.keys) == len(holder.items)
    (holder.keys if is_key else holder.items).append(node)


def _close(node: Node, end: int) -> None:
    if node.style == "flow":
        node.end = end
    elif node.items:
        last = node.items[-1].end
        node.end = max(last, node.keys[-1].end) if node.keys else last
