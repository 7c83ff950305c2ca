"""References to files in canvases and bases, located and rewritten in place.

In a canvas, file cards name a file and perhaps a part of it, groups may name a picture,
and text cards hold Markdown with links. A base is YAML whose filters and formulas hold
expressions with strings in them, so a name may be escaped twice.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import yaml

from glassmind.errors import EditRefused
from glassmind.model.edits import Splice
from glassmind.obsidian.property_edits import spliced
from glassmind.obsidian.yaml_text import (
    Leaf,
    Loaded,
    Scalar,
    in_scalar,
    load,
    quoted,
    scalar_places,
)

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
_FUNCTIONS: dict[str, BaseRefKind] = {"link": "note", "file": "note"}
_METHODS: dict[str, BaseRefKind] = {"hasLink": "note", "inFolder": "folder"}
_FIELDS: dict[str, BaseRefKind] = {
    "folder": "folder", "path": "path", "name": "name", "basename": "name",
}  # fmt: skip
_STARTS: dict[BaseRefKind | None, BaseRefKind] = {
    "folder": "folder_start", "path": "path_start",
}  # fmt: skip
_EQUAL = ("==", "!=")
_BEGINS = ("(", ",", "[", "!", "&&", "||", "?", ":")
_ENDS = (")", ",", "]", "&&", "||", "?", ":")
_LINK = re.compile(r"\[\[([^\[\]|#\n]+)(?=[\]|#])")
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://")
_TOKEN = re.compile(
    r"""(?P<blank>\s+) | [^\W\d]\w* | \d[\w.]*
    | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<sign>==|!=|<=|>=|&&|\|\||.)""",
    re.VERBOSE | re.DOTALL,
)
_PATTERN = re.compile(r"/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")


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
    """Return what a canvas refers to, in the order of the file.

    `source` is UTF-8, with a byte order mark or without. A canvas that cannot be read
    refers to nothing.
    """
    top = _canvas(source)
    if top is None:
        return []
    return [ref for ref in _located(source, top["nodes"]) if ref.kind != "subpath"]


def canvas_respelled(
    source: bytes, changes: Sequence[tuple[CanvasRef, str]]
) -> list[Splice]:
    """Return the bytes to change for strings of a canvas to have other values.

    A subpath may be written where a card has none.

    Raises:
        EditRefused: the canvas would not say exactly that afterwards.
    """
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
    """Return references, each with its node's number and property, in order."""
    spans = _string_spans(source)
    found: dict[CanvasRef, tuple[int, str]] = {}
    for number, node in enumerate(nodes):
        for name in _ref_names(node):
            span, value = spans.get((number, name)), node.get(name)
            if span is None or not isinstance(value, str):
                continue
            if name != "file":
                kind: CanvasRefKind = "text" if name == "text" else "file"
                found[CanvasRef(kind, value, span)] = number, name
                continue
            there, subpath = spans.get((number, "subpath")), node.get("subpath")
            if there is None or not isinstance(subpath, str):
                there, subpath = (span[1], span[1]), ""
            part = CanvasRef("subpath", subpath, there)
            found[CanvasRef("file", value, span, part)] = number, name
            found[part] = number, "subpath"
    return found


def _ref_names(node: Any) -> tuple[str, ...]:
    if not isinstance(node, dict):
        return ()
    match node.get("type"):
        case "file":
            return ("file",)
        case "group":
            return ("background",)
        case "link":
            return ()
        case _:
            return ("text",)


def _string_spans(source: bytes) -> dict[tuple[int | str, int | str], tuple[int, int]]:
    """Return the spans of strings in nodes, by number and name; the last of two counts.

    The JSON is valid. Of each open container `stack` has the number in a list, or the
    name, None before one.
    """
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
    """Return a string as JSON, with escapes as a file has them."""
    in_ascii = like.removeprefix(_MARK).isascii() and bool(_WIDE_ESCAPE.search(like))
    written = json.dumps(value, ensure_ascii=in_ascii)
    if not written.isascii() and re.search("[\ud800-\udfff]", written):
        written = json.dumps(value)
    return written.replace("/", "\\/") if _SLASH_ESCAPE.search(like) else written


class _Base(NamedTuple):
    """A base as it was read; `shift` is the size of its byte order mark."""

    text: str
    loaded: Loaded
    shift: int

    def byte(self, character: int) -> int:
        return self.shift + len(self.text[:character].encode())


class _Token(NamedTuple):
    """A token of an expression: a `sign`, a `text` in quotes, or a `name`.

    A number or a pattern counts as a name.
    """

    kind: str
    written: str
    start: int


class _Expression(NamedTuple):
    """A scalar with an expression: its number among the leaves, and how it is written.

    `start` is its first character in the file.
    """

    number: int
    value: str
    start: int
    end: int
    scalar: Scalar


class _Name(NamedTuple):
    """A reference in an expression: its letters there, and the quote around it."""

    expression: _Expression
    first: int
    last: int
    quote: str


def base_refs(source: bytes) -> list[BaseRef]:
    """Return what a base refers to, in the order of the file.

    `source` is UTF-8, with a byte order mark or without. A base that cannot be read
    refers to nothing.
    """
    base = _base(source)
    return sorted(_placed(base), key=lambda ref: ref.span) if base is not None else []


def base_respelled(
    source: bytes, changes: Sequence[tuple[BaseRef, str]]
) -> list[Splice]:
    """Return the bytes to change for names in a base to be other ones.

    A scalar without quotes gets them where the new name needs them.

    Raises:
        EditRefused: the base would not say exactly that afterwards.
    """
    base = _base(source)
    known = _placed(base) if base is not None else {}
    new = {ref: value for ref, value in changes if value != ref.value}
    if base is None or not new.keys() <= known.keys():
        raise EditRefused("the base is not what it was when it was read")
    splices = [Splice(*ref.span, _in_place(known[ref], new[ref])) for ref in new]
    wanted = _new_values([(known[ref], value) for ref, value in new.items()])
    if not _reads_as(base, spliced(source, splices), wanted):
        splices = [_whole(base, each, value) for each, value in wanted.items()]
        if not _reads_as(base, spliced(source, splices), wanted):
            raise EditRefused("the base cannot be written so that it is read the same")
    return sorted(splices)


def _base(source: bytes) -> _Base | None:
    try:
        text = source.decode().removeprefix(_MARK)
        return _Base(text, load(text), len(source) - len(text.encode()))
    except (UnicodeDecodeError, yaml.YAMLError, ValueError):
        return None


def _placed(base: _Base) -> dict[BaseRef, _Name]:
    found: dict[BaseRef, _Name] = {}
    for expression in _expressions(base):
        for kind, name in _names(expression):
            places = expression.scalar.places
            span = (
                base.byte(expression.start + places[name.first]),
                base.byte(expression.start + places[name.last]),
            )
            letters = expression.value[name.first : name.last]
            found[BaseRef(kind, _unescaped(letters), span)] = name
    return found


def _expressions(base: _Base) -> Iterator[_Expression]:
    for number, leaf in enumerate(base.loaded.leaves):
        if not _is_expression(leaf) or not isinstance(leaf.value, str):
            continue
        scalar = scalar_places(base.text[leaf.start : leaf.end], leaf.value)
        if scalar is not None:  # an alias has no letters of its own
            yield _Expression(number, leaf.value, leaf.start, leaf.end, scalar)


def _is_expression(leaf: Leaf) -> bool:
    if leaf.path[:1] == ("views",):
        return leaf.path[2:3] == ("filters",)
    return bool(leaf.path) and leaf.path[0] in _EXPRESSIONS


def _names(expression: _Expression) -> Iterator[tuple[BaseRefKind, _Name]]:
    tokens = _tokens(expression.value)
    for number, token in enumerate(tokens):
        if token.kind != "text":
            continue
        inner, base = token.written[1:-1], token.start + 1
        for kind, first, last in _names_in(tokens, number, inner):
            if "\n" not in inner[first:last]:
                quote = token.written[0]
                yield kind, _Name(expression, base + first, base + last, quote)


def _names_in(
    tokens: Sequence[_Token], number: int, inner: str
) -> Iterator[tuple[BaseRefKind, int, int]]:
    """Yield the names that a string holds: what each is, and its letters."""
    links = [link for link in _LINK.finditer(inner) if link[1].strip()]
    if links or _LINK.search(inner):
        yield from (("note", *link.span(1)) for link in links)
        return
    kind = None if _URL.match(inner) else _kind(tokens, number)
    if kind is None:
        return
    size = len(inner)
    if kind == "note":
        size = len(inner.partition("#")[0].partition("|")[0])
    if inner[:size].strip() or (kind != "note" and inner):
        yield kind, 0, size


def _tokens(text: str) -> list[_Token]:
    """Return the tokens of an expression, valid or not, without blanks."""
    tokens: list[_Token] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        is_value = bool(tokens) and (
            tokens[-1].kind != "sign" or tokens[-1].written in (")", "]")
        )
        if text[at] == "/" and not is_value:  # behind a value `/` divides it
            found = _PATTERN.match(text, at) or found
        if found is None:
            break
        group = found.lastgroup
        if group != "blank":
            tokens.append(_Token(group or "name", found[0], at))
        at = found.end()
    return tokens


def _kind(tokens: Sequence[_Token], number: int) -> BaseRefKind | None:
    """Return what a string means by the tokens around it; None for just a text."""
    before = [token.written for token in tokens[max(0, number - 7) : number]]
    behind = [token.written for token in tokens[number + 1 : number + 6]]
    if before and before[-1] == "(" and behind[:1] in ([")"], [","]):
        return _argument(before[:-1])
    if before and before[-1] in _EQUAL and (not behind or behind[0] in _ENDS):
        return _field(before[:-1])
    if behind and behind[0] in _EQUAL and (not before or before[-1] in _BEGINS):
        compared = behind[1:4]
        if compared[:2] == ["file", "."] and (not behind[4:] or behind[4] in _ENDS):
            return _FIELDS.get("".join(compared[2:]))
    return None


def _argument(words: Sequence[str]) -> BaseRefKind | None:
    if not words:
        return None
    if words[-2:-1] == ["."]:
        if words[-1] == "startsWith":
            return _STARTS.get(_field(words[:-2]))
        return _METHODS.get(words[-1])
    return _FUNCTIONS.get(words[-1])


def _field(words: Sequence[str]) -> BaseRefKind | None:
    """Return what `file.name` and the like at the end of some words mean."""
    if list(words[-3:-1]) != ["file", "."]:
        return None
    if words[-4:-3] and words[-4] not in _BEGINS:
        return None
    return _FIELDS.get(words[-1])


def _escaped(text: str, quote: str) -> str:
    return text.replace("\\", "\\\\").replace(quote, f"\\{quote}")


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _in_place(name: _Name, value: str) -> bytes:
    style = name.expression.scalar.style
    inner = in_scalar(_escaped(value, name.quote), style)
    return inner.encode("utf-8", "replace")


def _new_values(
    changes: Sequence[tuple[_Name, str]],
) -> dict[_Expression, str]:
    found: dict[_Expression, str] = {}
    for name, value in sorted(changes, key=lambda change: -change[0].first):
        said = found.get(name.expression, name.expression.value)
        new = _escaped(value, name.quote)
        found[name.expression] = said[: name.first] + new + said[name.last :]
    return found


def _whole(base: _Base, expression: _Expression, value: str) -> Splice:
    """Return a scalar in quotes, which holds what a plain one cannot."""
    text = (
        "'" + value.replace("'", "''") + "'" if value.isprintable() else quoted(value)
    )
    written = base.text[expression.start : expression.end]
    marks = re.match(r"(?:[&!]\S*\s+)*", written)
    start = base.byte(expression.start + (marks.end() if marks else 0))
    return Splice(start, base.byte(expression.end), text.encode("utf-8", "replace"))


def _reads_as(base: _Base, after: bytes, wanted: Mapping[_Expression, str]) -> bool:
    read = _base(after)
    if read is None or len(read.loaded.leaves) != len(base.loaded.leaves):
        return False
    new = {each.number: value for each, value in wanted.items()}
    repeated = {each.value: value for each, value in wanted.items()}
    pairs = zip(base.loaded.leaves, read.loaded.leaves, strict=True)
    for number, (was, now) in enumerate(pairs):
        value = new.get(number, was.value)
        if base.text.startswith("*", was.start) and isinstance(was.value, str):
            value = repeated.get(was.value, was.value)  # it follows what it repeats
        if (was.path, value) != (now.path, now.value):
            return False
    return True
