"""References to files in canvases and bases, located and rewritten in place.

Names with escapes in the expressions of a base are left alone.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import yaml

from glassmind.errors import EditRefused
from glassmind.model.edits import Splice
from glassmind.obsidian.property_edits import spliced
from glassmind.obsidian.yaml_text import load

CanvasRefKind: TypeAlias = Literal["file", "subpath", "text"]
BaseRefKind: TypeAlias = Literal[
    "note", "folder", "path", "folder_start", "path_start", "name"
]
"""What a name is: also the beginning of many, or the bare name of some file."""

_MARK = "\ufeff"
_DEPTH = 3  # `nodes`, the number of a node, and the name of a value
_JSON_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\],]', re.DOTALL)
_WIDE_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\u(?!00[0-7])[0-9a-fA-F]{4}")
_SLASH_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\/")

_EXPRESSIONS = ("filters", "formulas", "summaries")
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://")


class CanvasRef(NamedTuple):
    """A string of a canvas: its value, and the bytes of its JSON, quotes included.

    A file card has a `subpath`; where none is written its span is empty, and it would
    stand there. The picture of a group is a file without one.
    """

    kind: CanvasRefKind
    value: str
    span: tuple[int, int]
    subpath: "CanvasRef | None" = None


class BaseRef(NamedTuple):
    """A name in a base, and the bytes it takes, without any quotes.

    Of a link it is the path, without a heading and display text.
    """

    kind: BaseRefKind
    value: str
    span: tuple[int, int]


def canvas_refs(source: bytes) -> list[CanvasRef]:
    top = _canvas(source)
    if top is None:
        return []
    return [ref for ref in _located(source, top["nodes"]) if ref.kind != "subpath"]


def canvas_respelled(
    source: bytes, changes: Sequence[tuple[CanvasRef, str]]
) -> list[Splice]:
    top = _canvas(source)
    known = {} if top is None else _located(source, top["nodes"])
    text = source.decode("utf-8", "replace")
    splices: list[Splice] = []
    for ref, value in changes:
        if value == ref.value:
            continue
        if top is None or ref not in known:
            raise EditRefused("the canvas is not what it was when it was read")
        number, name = known[ref]
        top["nodes"][number][name] = value
        written = _json_text(value, text)
        if ref.span[0] == ref.span[1]:  # a subpath that is not there yet
            written = f',"subpath":{written}'
        splices.append(Splice(*ref.span, written.encode()))
    if _canvas(spliced(source, splices)) != top:
        raise EditRefused("the canvas cannot be written so that it is read the same")
    return sorted(splices)


def _canvas(source: bytes) -> dict[str, Any] | None:
    try:
        top = json.loads(source.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(top, dict) or not isinstance(top.get("nodes"), list):
        return None
    return top


def _located(source: bytes, nodes: list[Any]) -> dict[CanvasRef, tuple[int, str]]:
    spans = _string_spans(source)
    found: dict[CanvasRef, tuple[int, str]] = {}
    for number, node in enumerate(nodes):
        if not isinstance(node, dict) or node.get("type") == "link":
            continue
        name = {"file": "file", "group": "background"}.get(
            str(node.get("type")), "text"
        )
        span, value = spans.get((number, name)), node.get(name)
        if span is None or not isinstance(value, str):
            continue
        if name != "file":
            kind: CanvasRefKind = "text" if name == "text" else "file"
            found[CanvasRef(kind, value, span)] = number, name
            continue
        place, subpath = spans.get((number, "subpath")), node.get("subpath")
        if place is None or not isinstance(subpath, str):
            place, subpath = (span[1], span[1]), ""
        part = CanvasRef("subpath", subpath, place)
        found[CanvasRef("file", value, span, part)] = number, name
        found[part] = number, "subpath"
    return found


def _string_spans(source: bytes) -> dict[tuple[int | str, int | str], tuple[int, int]]:
    """Return the spans of strings by node number and name; the last of two counts."""
    found: dict[tuple[int | str, int | str], tuple[int, int]] = {}
    stack: list[int | str | None] = []
    for token in _JSON_TOKEN.finditer(source):
        sign = token[0]
        if sign in b"{[":
            stack.append(0 if sign == b"[" else None)
        elif sign in b"}]":
            stack.pop()
        elif sign == b",":
            step = stack[-1]
            stack[-1] = step + 1 if isinstance(step, int) else None
        elif stack and stack[-1] is None:
            stack[-1] = str(json.loads(sign))
        elif len(stack) == _DEPTH and stack[0] == "nodes":
            _, number, name = stack
            if number is not None and name is not None:
                found[number, name] = token.span()
    return found


def _json_text(value: str, like: str) -> str:
    in_ascii = like.removeprefix(_MARK).isascii() and bool(_WIDE_ESCAPE.search(like))
    written = json.dumps(value, ensure_ascii=in_ascii)
    if not written.isascii() and re.search("[\ud800-\udfff]", written):
        written = json.dumps(value)
    return written.replace("/", "\\/") if _SLASH_ESCAPE.search(like) else written


_NAME = (
    r"""(?P<{0}quote>\\?"|''?)(?P<{0}>(?:(?!(?P={0}quote))[^\\\[\]#|\n])+)"""
    r"""(?P<{0}part>[#|][^"'\\\n]*)?(?P={0}quote)"""
)
"""A string of an expression, its quotes as YAML has them; and what follows a path."""

_REFERENCE = re.compile(
    r"\[\[(?P<link>[^\[\]|#\n\"'\\]+)(?=[\]|#])"
    rf"|(?:(?<![\w./])(?:link|file)|\.(?P<method>hasLink|inFolder))\(\s*"
    rf"{_NAME.format('called')}\s*[,)]"
    r"|(?<![\w.])file\.(?:(?P<start>folder|path)\.startsWith\(\s*"
    rf"{_NAME.format('begun')}\s*\)"
    rf"|(?P<field>folder|path|name|basename)\s*[!=]=\s*{_NAME.format('equal')}"
    r"(?![ \t]*[+.*/-]))"
    rf"|(?<![-+.*/] ){_NAME.format('same')}\s*[!=]=\s*"
    r"file\.(?P<of>folder|path|name|basename)\b(?![ \t]*[+.*/(-])"
)
_GROUPS = ("link", "called", "begun", "equal", "same")
_KINDS: dict[str | None, BaseRefKind] = {
    "folder": "folder", "path": "path", "name": "name", "basename": "name",
    "inFolder": "folder", "hasLink": "note", None: "note",
}  # fmt: skip


def base_refs(source: bytes) -> list[BaseRef]:
    try:
        text = source.decode()
        leaves = load(text.removeprefix(_MARK)).leaves
    except (UnicodeDecodeError, yaml.YAMLError, ValueError):
        return []
    shift = text.startswith(_MARK)
    refs: list[BaseRef] = []
    for leaf in leaves:
        of_view = leaf.path[:1] == ("views",) and leaf.path[2:3] == ("filters",)
        if not (of_view or (leaf.path and leaf.path[0] in _EXPRESSIONS)):
            continue
        start, end = leaf.start + shift, leaf.end + shift
        for match in _REFERENCE.finditer(text, start, end):
            refs += _reference(text, match)
    return sorted(refs, key=lambda ref: ref.span)


def _reference(text: str, match: re.Match[str]) -> Iterator[BaseRef]:
    group = next(name for name in _GROUPS if match[name])
    kind = _KINDS[match["method"] or match["field"] or match["of"]]
    if match["start"]:
        kind = "folder_start" if match["start"] == "folder" else "path_start"
    partial = group != "link" and match[f"{group}part"] and kind != "note"
    if not (partial or _URL.match(match[group]) or not match[group].strip()):
        start, end = (len(text[:at].encode()) for at in match.span(group))
        yield BaseRef(kind, match[group], (start, end))


def base_respelled(
    source: bytes, changes: Sequence[tuple[BaseRef, str]]
) -> list[Splice]:
    new = {ref: value for ref, value in changes if value != ref.value}
    refs = base_refs(source)
    if not new.keys() <= set(refs):
        raise EditRefused("the base is not what it was when it was read")
    splices = [
        Splice(*ref.span, value.encode("utf-8", "replace"))
        for ref, value in new.items()
    ]
    after = [(ref.kind, ref.value) for ref in base_refs(spliced(source, splices))]
    if after != [(ref.kind, new.get(ref, ref.value)) for ref in refs]:
        raise EditRefused("the base cannot be written so that it is read the same")
    return sorted(splices)
