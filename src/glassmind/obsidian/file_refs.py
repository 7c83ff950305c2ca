"""What a canvas refers to, and where: the strings of its JSON that name files.

File cards name a file and perhaps a part of it, groups may name a picture, and text
cards hold Markdown with links of its own. Each is found by the characters it takes, so
another value can be written there and every other byte stays.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

import yaml

from glassmind.errors.editing import EditRefused
from glassmind.model.editing import Splice
from glassmind.obsidian.property_edits import spliced
from glassmind.obsidian.yaml_text import Leaf, Loaded, load, quoted

MOST_COMPARED = 4_000
"""Characters of a string that are compared one by one, in the square of time."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],]', re.DOTALL)
_SIGN = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.|.", re.DOTALL)
_WIDE_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\u(?!00[0-7])[0-9a-fA-F]{4}")
_SLASH_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\/")
_HALF = re.compile("[\ud800-\udfff]")

Step = str | int


class JsonString(NamedTuple):
    """A string that is a value: the names and numbers that lead to it, and its place.

    Its characters are half open, quotes included.
    """

    path: tuple[Step, ...]
    value: str
    start: int
    end: int


def json_strings(text: str, depth: int) -> Iterator[JsonString]:
    """Yield the strings so many levels deep in a valid JSON text, in order."""
    # One step for each container: the number in a list; the name, or None before one.
    stack: list[Step | None] = []
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in ("{", "["):
            stack.append(0 if sign == "[" else None)
        elif sign in ("}", "]"):
            stack.pop()
        elif sign == ",":
            step = stack[-1]
            stack[-1] = step + 1 if isinstance(step, int) else None
        elif stack and stack[-1] is None:
            stack[-1] = json.loads(sign)
        elif len(stack) == depth:
            path = tuple(step for step in stack if step is not None)
            yield JsonString(path, json.loads(sign), *token.span())


class JsonStyle(NamedTuple):
    """How a file escapes in strings: whatever is not ASCII, and slashes."""

    ascii: bool
    slashes: bool

    @classmethod
    def of(cls, text: str) -> "JsonStyle":
        """Return how a file is written."""
        plain = text.removeprefix("\ufeff")
        wide = plain.isascii() and _WIDE_ESCAPE.search(plain) is not None
        return cls(wide, _SLASH_ESCAPE.search(plain) is not None)

    def like(self, inner: str) -> "JsonStyle":
        """Return how a string of the file is written, as far as it shows."""
        own = JsonStyle.of(inner)
        shown = own.ascii if own.ascii or not inner.isascii() else self.ascii
        return JsonStyle(shown, own.slashes if "/" in inner else self.slashes)

    def written(self, value: str) -> str:
        """Return what stands between the quotes for a value."""
        inner = json.dumps(value, ensure_ascii=self.ascii)[1:-1]
        inner = _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", inner)
        return inner.replace("/", "\\/") if self.slashes else inner

    def rewritten(self, inner: str, old: str, new: str) -> str:
        """Return what stands between the quotes for `new`, where `inner` said `old`.

        What both have is written as it was.
        """
        style, signs = self.like(inner), _SIGN.findall(inner)
        if style.written(old) == inner or len(signs) != len(old):
            return style.written(new)
        return "".join(
            "".join(signs[a:a_end]) if kind == "equal" else style.written(new[b:b_end])
            for kind, a, a_end, b, b_end in _differences(old, new)
        )


def _differences(old: str, new: str) -> list[tuple[str, int, int, int, int]]:
    """Return how one text becomes another; long ones differ in one stretch."""
    if max(len(old), len(new)) <= MOST_COMPARED:
        return list(SequenceMatcher(None, old, new, autojunk=False).get_opcodes())
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    rest = shorter - head
    tail = next((n for n in range(rest) if old[-1 - n] != new[-1 - n]), rest)
    ends = len(old) - tail, len(new) - tail
    return [
        ("equal", 0, head, 0, head),
        ("replace", head, ends[0], head, ends[1]),
        ("equal", ends[0], len(old), ends[1], len(new)),
    ]


CanvasRefKind: TypeAlias = Literal["file", "subpath", "text"]

_DEPTH = 3
"""`nodes`, the number of one, and the name of what it says."""

_MARK = "\ufeff"


class CanvasRef(NamedTuple):
    """A string of a canvas: what it says, and the bytes of its JSON, quotes included.

    A file card has a `subpath`; where none is written its span is empty, and it would
    stand there. The picture of a group is a file without one.
    """

    kind: CanvasRefKind
    value: str
    span: tuple[int, int]
    subpath: "CanvasRef | None" = None


def canvas_refs(source: bytes) -> list[CanvasRef]:
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


def canvas_respelled(
    source: bytes, changes: Sequence[tuple[CanvasRef, str]]
) -> list[Splice]:
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


def _splice(source: bytes, ref: CanvasRef, value: str, style: JsonStyle) -> Splice:
    start, end = ref.span
    if start == end:  # a subpath that is not there yet
        return Splice(start, end, f',"subpath":"{style.written(value)}"'.encode())
    inner = source[start + 1 : end - 1].decode()
    new = style.rewritten(inner, ref.value, value)
    return Splice(start + 1, end - 1, new.encode())


def _says(
    source: bytes, after: bytes, changes: Sequence[tuple[CanvasRef, str]]
) -> bool:
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
) -> Iterator[CanvasRef]:
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
                subpath = CanvasRef("subpath", there.value, (there.start, there.end))
            kind: CanvasRefKind = "text" if name == "text" else "file"
            yield CanvasRef(kind, string.value, (string.start, string.end), subpath)


def _flat(refs: Sequence[CanvasRef]) -> Iterator[CanvasRef]:
    for ref in refs:
        yield ref
        if ref.subpath is not None:
            yield ref.subpath


def _placed(ref: CanvasRef, places: Mapping[int, int]) -> CanvasRef:
    """Return a reference with its bytes, given which byte each character is at."""
    start, end = ref.span
    subpath = ref.subpath and _placed(ref.subpath, places)
    return ref._replace(span=(places[start], places[end]), subpath=subpath)


WordKind: TypeAlias = Literal["name", "text", "sign"]

_WORD = re.compile(
    r"""(?P<blank>\s+)
    |(?P<name>[^\W\d]\w*)
    |(?P<number>\d[\w.]*)
    |(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<sign>==|!=|<=|>=|&&|\|\||.)""",
    re.VERBOSE | re.DOTALL,
)
_PATTERN = re.compile(r"/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")


class ExpressionToken(NamedTuple):
    """A word of an expression; `written` are its characters, from `start`.

    A number or a pattern is a name here: something with a value.
    """

    kind: WordKind
    written: str
    start: int

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.written)


def expression_tokens(text: str) -> list[ExpressionToken]:
    """Return the words of an expression, whatever it is; blanks are left out."""
    words: list[ExpressionToken] = []
    at = 0
    while at < len(text):
        found = _WORD.match(text, at)
        if text[at] == "/" and not _is_value(words):
            found = _PATTERN.match(text, at) or found
        if found is None:
            break
        kind = found.lastgroup
        if kind != "blank":
            known: WordKind = "text" if kind == "text" else "name"
            words.append(
                ExpressionToken("sign" if kind == "sign" else known, found[0], at)
            )
        at = found.end()
    return words


def _is_value(words: Sequence[ExpressionToken]) -> bool:
    """Return whether what was read last has a value, so that `/` divides it."""
    if not words:
        return False
    return words[-1].kind != "sign" or words[-1].written in (")", "]")


def letters_of(word: ExpressionToken) -> Iterator[tuple[str, int, int]]:
    """Yield the letters that a string says, each with the characters it takes."""
    at, stop = word.start + 1, word.end - 1
    while at < stop:
        size = 2 if word.written[at - word.start] == "\\" else 1
        yield word.written[at - word.start + size - 1], at, at + size
        at += size


def escaped(text: str, quote: str) -> str:
    """Return a text as it stands in a string with this quote."""
    return text.replace("\\", "\\\\").replace(quote, f"\\{quote}")


BaseRefKind: TypeAlias = Literal[
    "note", "folder", "path", "folder_start", "path_start", "name"
]
"""What a name is: also the beginning of many, or the bare name of some file."""

_EXPRESSIONS = ("filters", "formulas", "summaries")
_CALLS: dict[str, BaseRefKind] = {"link": "note", "file": "note"}
_ASKED: dict[str, BaseRefKind] = {"hasLink": "note", "inFolder": "folder"}
_FIELDS: dict[str, BaseRefKind] = {
    "folder": "folder",
    "path": "path",
    "name": "name",
    "basename": "name",
}
_STARTS: dict[BaseRefKind | None, BaseRefKind] = {
    "folder": "folder_start",
    "path": "path_start",
}
_EQUAL = ("==", "!=")
_BEGINS = ("(", ",", "[", "!", "&&", "||", "?", ":")
_ENDS = (")", ",", "]", "&&", "||", "?", ":")
_LINK = re.compile(r"\[\[([^\[\]|#\n]+)(?=[\]|#])")
_WEB = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://")
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(\r?\n[ \t]*)|(.))",
    re.DOTALL,
)
_SHORT = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f",
    "r": "\r", "e": "\x1b", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip


class BaseRef(NamedTuple):
    """A name in a base: what it says, and the bytes it takes, without any quotes.

    Of what a link says it is the path, without a heading and words to show.
    """

    kind: BaseRefKind
    value: str
    span: tuple[int, int]


class _Letter(NamedTuple):
    """A letter of a scalar, and the characters it takes in the file."""

    sign: str
    start: int
    end: int


class _Scalar(NamedTuple):
    """An expression: the number of its scalar, where it begins, and what it says.

    `style` is how YAML writes it. In `said` lines are not folded.
    """

    number: int
    start: int
    end: int
    style: str
    said: str


class _Found(NamedTuple):
    """A reference by its characters, in the file and in what its scalar says."""

    kind: BaseRefKind
    value: str
    start: int
    end: int
    quote: str
    scalar: _Scalar
    place: tuple[int, int]


class _Base(NamedTuple):
    """A base as it was read; `shift` is the size of its byte order mark."""

    text: str
    loaded: Loaded
    shift: int


def base_refs(source: bytes) -> list[BaseRef]:
    """Return what a base refers to, in the order of the file.

    `source` is UTF-8, with a byte order mark or without. A base that cannot be read
    refers to nothing.
    """
    base = _read_base_refs(source)
    return [ref for ref, _ in _placed_base_refs(base)] if base is not None else []


def base_respelled(
    source: bytes, changes: Sequence[tuple[BaseRef, str]]
) -> list[Splice]:
    """Return the bytes to change for names in a base to be other ones.

    A scalar without quotes gets them where the new name needs them.

    Raises:
        EditRefused: the base would not say exactly that afterwards.
    """
    base = _read_base_refs(source)
    known = dict(_placed_base_refs(base)) if base is not None else {}
    told = {ref: value for ref, value in changes if value != ref.value}
    if base is None or not told.keys() <= known.keys():
        raise EditRefused("the base is not what it was when it was read")
    new = {known[ref]: value for ref, value in told.items()}
    wanted = {
        scalar: _exchanged(scalar, new) for scalar in {each.scalar for each in new}
    }
    splices = [Splice(*ref.span, _written(known[ref], told[ref])) for ref in told]
    if not _says_base_refs(base, source, splices, wanted):
        splices = [_whole(base, scalar, said) for scalar, said in wanted.items()]
        if not _says_base_refs(base, source, splices, wanted):
            raise EditRefused("the base cannot be written so that it is read alike")
    return sorted(splices)


def _read_base_refs(source: bytes) -> _Base | None:
    try:
        text = source.decode().removeprefix(_MARK)
        return _Base(text, load(text), len(source) - len(text.encode()))
    except (UnicodeDecodeError, yaml.YAMLError, ValueError):
        return None


def _placed_base_refs(base: _Base) -> list[tuple[BaseRef, _Found]]:
    """Return the references of a base, with bytes in the place of characters."""
    found = [
        each
        for number, leaf in enumerate(base.loaded.leaves)
        if _is_expression(leaf)
        for each in _in_leaf(base.text, number, leaf)
    ]
    found.sort(key=lambda each: (each.start, each.end))
    return [
        (
            BaseRef(
                each.kind, each.value, (_at(base, each.start), _at(base, each.end))
            ),
            each,
        )
        for each in found
    ]


def _at(base: _Base, character: int) -> int:
    return base.shift + len(base.text[:character].encode())


def _is_expression(leaf: Leaf) -> bool:
    path = leaf.path[2:] if leaf.path[:1] == ("views",) else leaf.path
    known = _EXPRESSIONS if path is leaf.path else ("filters",)
    return isinstance(leaf.value, str) and path[:1] != () and path[0] in known


def _in_leaf(text: str, number: int, leaf: Leaf) -> Iterator[_Found]:
    """Yield what one scalar refers to."""
    marks = _PROPERTIES.match(text, leaf.start, leaf.end)
    start = marks.end() if marks else leaf.start
    style = text[start : start + 1]
    if style == "*":  # said where it was anchored
        return
    style = style if style in ("'", '"', "|", ">") else ""
    letters = _letters(text, start, leaf.end, style)
    said = "".join(letter.sign for letter in letters)
    scalar = _Scalar(number, start, leaf.end, style, said)
    words = expression_tokens(said)
    for index, word in enumerate(words):
        if word.kind != "text" or "\n" in word.written:
            continue
        inner = list(letters_of(word))
        value = "".join(sign for sign, _, _ in inner)
        for kind, first, last in _names_base_refs(words, index, value):
            place = inner[first][1], inner[last - 1][2]
            first_sign, last_sign = letters[place[0]], letters[place[1] - 1]
            span = first_sign.start, last_sign.end
            quote = word.written[0]
            yield _Found(kind, value[first:last], *span, quote, scalar, place)


def _names_base_refs(
    words: Sequence[ExpressionToken], number: int, value: str
) -> Iterator[tuple[BaseRefKind, int, int]]:
    """Yield the names that a string holds: what each is, and its letters."""
    links = list(_LINK.finditer(value))
    for found in links:
        if found[1].strip():
            yield "note", *found.span(1)
    kind = None if links or _WEB.match(value) else _kind(words, number)
    if kind == "note":
        path = value.partition("#")[0].partition("|")[0]
        if path.strip():
            yield kind, 0, len(path)
    elif kind is not None and value:
        yield kind, 0, len(value)


def _kind(words: Sequence[ExpressionToken], number: int) -> BaseRefKind | None:
    """Return what a string stands for by the words around it; None for just a text."""
    before = [word.written for word in words[max(0, number - 7) : number]]
    behind = [word.written for word in words[number + 1 : number + 6]]
    if before and before[-1] == "(" and behind[:1] in ([")"], [","]):
        return _called(before[:-1])
    if before and before[-1] in _EQUAL and (not behind or behind[0] in _ENDS):
        return _field(before[:-1])
    if behind and behind[0] in _EQUAL and (not before or before[-1] in _BEGINS):
        rest = behind[1:]
        if len(rest) > 3 and rest[3] not in _ENDS:  # noqa: PLR2004  # `file . path`
            return None
        return _FIELDS.get(rest[2]) if rest[:2] == ["file", "."] and rest[2:] else None
    return None


def _called(words: Sequence[str]) -> BaseRefKind | None:
    if not words:
        return None
    if words[-2:-1] == ["."]:
        if words[-1] == "startsWith":
            return _STARTS.get(_field(words[:-2]))
        return _ASKED.get(words[-1])
    return _CALLS.get(words[-1])


def _field(words: Sequence[str]) -> BaseRefKind | None:
    if list(words[-3:-1]) != ["file", "."] or words[-4:-3] == ["."]:
        return None
    if words[-4:-3] and words[-4] not in _BEGINS:
        return None
    return _FIELDS.get(words[-1])


def _letters(text: str, start: int, end: int, style: str) -> list[_Letter]:
    """Return the letters of a scalar; line ends stay, for no name goes over one."""
    if style in ("|", ">"):
        start = text.find("\n", start, end) + 1 or end
    elif style:
        start, end = start + 1, end - 1
    if style not in ("'", '"'):
        return [_Letter(text[at], at, at + 1) for at in range(start, end)]
    found: list[_Letter] = []
    at = start
    while at < end:
        sign, size = text[at], 1
        if style == "'" and sign == "'":
            size = 2
        elif style == '"' and sign == "\\":
            escape = _ESCAPE.match(text, at, end)
            sign, size = _meant(escape) if escape else (sign, 1)
        if sign:
            found.append(_Letter(sign, at, at + size))
        at += size
    return found


def _meant(escape: re.Match[str]) -> tuple[str, int]:
    """Return the letter that an escape stands for, "" for none, and its size."""
    code = escape[1] or escape[2] or escape[3]
    size = escape.end() - escape.start()
    if code:
        return chr(int(code, 16)), size
    return ("", size) if escape[4] else (_SHORT.get(escape[5], escape[5]), size)


def _written(found: _Found, value: str) -> bytes:
    """Return a name as it stands there: in a string, and that in YAML."""
    inner = escaped(value, found.quote)
    if found.scalar.style == "'":
        inner = inner.replace("'", "''")
    elif found.scalar.style == '"':
        inner = quoted(inner)[1:-1]
    return inner.encode("utf-8", "replace")


def _exchanged(scalar: _Scalar, new: Mapping[_Found, str]) -> str:
    """Return what a scalar says with names exchanged."""
    said = scalar.said
    mine = [found for found in new if found.scalar == scalar]
    for found in sorted(mine, key=lambda each: each.place, reverse=True):
        first, last = found.place
        said = said[:first] + escaped(new[found], found.quote) + said[last:]
    return said


def _whole(base: _Base, scalar: _Scalar, said: str) -> Splice:
    """Return a scalar in quotes, which holds what a plain one cannot."""
    single = said.isprintable()
    text = "'" + said.replace("'", "''") + "'" if single else quoted(said)
    start, end = _at(base, scalar.start), _at(base, scalar.end)
    return Splice(start, end, text.encode("utf-8", "replace"))


def _says_base_refs(
    base: _Base,
    source: bytes,
    splices: Sequence[Splice],
    wanted: Mapping[_Scalar, str],
) -> bool:
    """Return whether a base says what is wanted afterwards, and else the same."""
    after = _read_base_refs(spliced(source, splices))
    before = base.loaded.leaves
    if after is None or len(after.loaded.leaves) != len(before):
        return False
    told = {scalar.number: (scalar, said) for scalar, said in wanted.items()}
    changed: set[tuple[object, object]] = set()  # what aliases repeat
    pairs = zip(before, after.loaded.leaves, strict=True)
    for number, (was, now) in enumerate(pairs):
        if was.path != now.path:
            return False
        if number in told:
            scalar, said = told[number]
            if now.value != said and not _is_folded(was, scalar, now, said):
                return False
            changed.add((was.value, now.value))
        elif was.value != now.value:
            is_alias = base.text.startswith("*", was.start)
            if not is_alias or (was.value, now.value) not in changed:
                return False
    return True


def _is_folded(was: Leaf, scalar: _Scalar, now: Leaf, said: str) -> bool:
    """Return whether a text of several lines says what is wanted, but for blanks."""
    if was.value == scalar.said:
        return False
    return str(now.value).split() == said.split()
