"""What a canvas refers to, and where: the strings of its JSON that name files.

File cards name a file and perhaps a part of it, groups may name a picture, and text
cards hold Markdown with links of its own. Each is found by the characters it takes, so
another value can be written there and every other byte stays.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

from glassmind.errors.editing import EditRefused
from glassmind.model.editing import Splice
from glassmind.obsidian.json_strings import JsonString, JsonStyle, json_strings
from glassmind.obsidian.splices import spliced

RefKind: TypeAlias = Literal["file", "subpath", "text"]

_DEPTH = 3
"""`nodes`, the number of one, and the name of what it says."""

_MARK = "\ufeff"


class Ref(NamedTuple):
    """A string of a canvas: what it says, and the bytes of its JSON, quotes included.

    A file card has a `subpath`; where none is written its span is empty, and it would
    stand there. The picture of a group is a file without one.
    """

    kind: RefKind
    value: str
    span: tuple[int, int]
    subpath: "Ref | None" = None


def canvas_refs(source: bytes) -> list[Ref]:
    """Return what a canvas refers to, in the order of the file.

    `source` is UTF-8, with a byte order mark or without. A canvas that cannot be read
    refers to nothing.
    """
    read = _read(source)
    if read is None:
        return []
    text, top = read
    found = list(_refs(top["nodes"], _strings(text)))
    marks = sorted({mark for ref in _flat(found) for mark in ref.span})
    places, at = {0: 0}, 0
    for last, mark in pairwise([0, *marks]):
        at += len(text[last:mark].encode())
        places[mark] = at
    return [_placed(ref, places) for ref in found]


def canvas_respelled(source: bytes, changes: Sequence[tuple[Ref, str]]) -> list[Splice]:
    """Return the bytes to change for strings of a canvas to say something else.

    Escapes are written as the file writes them. A subpath may be written where a card
    has none. What was there and stays is written as it was.

    Raises:
        EditRefused: the canvas would not say exactly that afterwards.
    """
    style = JsonStyle.of(source.decode("utf-8", "replace"))
    splices = sorted(
        _splice(source, ref, value, style)
        for ref, value in changes
        if value != ref.value
    )
    if not _says(source, spliced(source, splices), changes):
        raise EditRefused("the canvas cannot be written so that it is read alike")
    return splices


def _splice(source: bytes, ref: Ref, value: str, style: JsonStyle) -> Splice:
    start, end = ref.span
    if start == end:  # a subpath that is not there yet
        return Splice(start, end, f',"subpath":"{style.written(value)}"'.encode())
    inner = source[start + 1 : end - 1].decode()
    new = style.rewritten(inner, ref.value, value)
    return Splice(start + 1, end - 1, new.encode())


def _says(source: bytes, after: bytes, changes: Sequence[tuple[Ref, str]]) -> bool:
    """Return whether a canvas says what it said, but for the changes."""
    before, now = _read(source), _read(after)
    if before is None or now is None:
        return not changes
    told = {ref.span: value for ref, value in changes}
    old, new = list(_flat(canvas_refs(source))), list(_flat(canvas_refs(after)))
    if [told.get(ref.span, ref.value) for ref in old] != [ref.value for ref in new]:
        return False
    return bool(_without_refs(before[1]) == _without_refs(now[1]))


def _without_refs(top: dict[str, Any]) -> dict[str, Any]:
    """Return a canvas without what it refers to, which is compared by itself."""
    nodes = [
        {name: node[name] for name in node if name not in _names(node)}
        if isinstance(node, dict)
        else node
        for node in top["nodes"]
    ]
    return {**top, "nodes": nodes}


def _names(node: Mapping[str, Any]) -> tuple[str, ...]:
    """Return which properties of a node refer to something."""
    match node.get("type"):
        case "file":
            return ("file", "subpath")
        case "group":
            return ("background",)
        case "link":
            return ()
        case _:
            return ("text",)


def _read(source: bytes) -> tuple[str, dict[str, Any]] | None:
    """Return the text of a canvas and what it says; None where it has no nodes."""
    try:
        text = source.decode()
        top = json.loads(text.removeprefix(_MARK))
    except (ValueError, RecursionError):
        return None
    if not isinstance(top, dict) or not isinstance(top.get("nodes"), list):
        return None
    return text, top


def _strings(text: str) -> dict[tuple[object, object], JsonString]:
    """Return the strings of nodes by number and name; the last of two counts."""
    return {
        (found.path[1], found.path[2]): found
        for found in json_strings(text, _DEPTH)
        if found.path[0] == "nodes"
    }


def _refs(
    nodes: list[Any], strings: Mapping[tuple[object, object], JsonString]
) -> Iterator[Ref]:
    """Yield what nodes refer to; spans are characters."""
    for number, node in enumerate(nodes):
        if not isinstance(node, dict):
            continue
        held = {
            name: string
            for name in _names(node)
            if (string := strings.get((number, name))) is not None
            and string.value == node.get(name)
        }
        for name, string in held.items():
            if name == "subpath":
                continue
            subpath = None
            if name == "file":
                there = held.get("subpath", string._replace(value="", start=string.end))
                subpath = Ref("subpath", there.value, (there.start, there.end))
            kind: RefKind = "text" if name == "text" else "file"
            yield Ref(kind, string.value, (string.start, string.end), subpath)


def _flat(refs: Sequence[Ref]) -> Iterator[Ref]:
    for ref in refs:
        yield ref
        if ref.subpath is not None:
            yield ref.subpath


def _placed(ref: Ref, places: Mapping[int, int]) -> Ref:
    """Return a reference with its bytes, given which byte each character is at."""
    start, end = ref.span
    subpath = ref.subpath and _placed(ref.subpath, places)
    return ref._replace(span=(places[start], places[end]), subpath=subpath)
