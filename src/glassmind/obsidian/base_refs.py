"""What a base refers to, and where: notes, folders and paths named in its expressions.

A base is YAML, and its filters and formulas hold expressions with strings of their own.
So a name may be escaped twice; it is found by the characters it takes, and another one
is written there in the same way. What `this` is or a formula puts together is not
known before it is asked, and no reference.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import yaml

from glassmind.errors.editing import EditRefused
from glassmind.model.editing import Splice
from glassmind.obsidian.base_words import Word, escaped, letters_of, words_of
from glassmind.obsidian.splices import spliced
from glassmind.obsidian.yaml_core import Leaf, Loaded, load
from glassmind.obsidian.yaml_write import quoted

RefKind: TypeAlias = Literal[
    "note", "folder", "path", "folder_start", "path_start", "name"
]
"""What a name is: also the beginning of many, or the bare name of some file."""

_MARK = "\ufeff"
_EXPRESSIONS = ("filters", "formulas", "summaries")
_CALLS: dict[str, RefKind] = {"link": "note", "file": "note"}
_ASKED: dict[str, RefKind] = {"hasLink": "note", "inFolder": "folder"}
_FIELDS: dict[str, RefKind] = {
    "folder": "folder",
    "path": "path",
    "name": "name",
    "basename": "name",
}
_STARTS: dict[RefKind | None, RefKind] = {
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


class Ref(NamedTuple):
    """A name in a base: what it says, and the bytes it takes, without any quotes.

    Of what a link says it is the path, without a heading and words to show.
    """

    kind: RefKind
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

    kind: RefKind
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


def base_refs(source: bytes) -> list[Ref]:
    """Return what a base refers to, in the order of the file.

    `source` is UTF-8, with a byte order mark or without. A base that cannot be read
    refers to nothing.
    """
    base = _read(source)
    return [ref for ref, _ in _placed(base)] if base is not None else []


def base_respelled(source: bytes, changes: Sequence[tuple[Ref, str]]) -> list[Splice]:
    """Return the bytes to change for names in a base to be other ones.

    A scalar without quotes gets them where the new name needs them.

    Raises:
        EditRefused: the base would not say exactly that afterwards.
    """
    base = _read(source)
    known = dict(_placed(base)) if base is not None else {}
    told = {ref: value for ref, value in changes if value != ref.value}
    if base is None or not told.keys() <= known.keys():
        raise EditRefused("the base is not what it was when it was read")
    new = {known[ref]: value for ref, value in told.items()}
    wanted = {
        scalar: _exchanged(scalar, new) for scalar in {each.scalar for each in new}
    }
    splices = [Splice(*ref.span, _written(known[ref], told[ref])) for ref in told]
    if not _says(base, source, splices, wanted):
        splices = [_whole(base, scalar, said) for scalar, said in wanted.items()]
        if not _says(base, source, splices, wanted):
            raise EditRefused("the base cannot be written so that it is read alike")
    return sorted(splices)


def _read(source: bytes) -> _Base | None:
    try:
        text = source.decode().removeprefix(_MARK)
        return _Base(text, load(text), len(source) - len(text.encode()))
    except (UnicodeDecodeError, yaml.YAMLError, ValueError):
        return None


def _placed(base: _Base) -> list[tuple[Ref, _Found]]:
    """Return the references of a base, with bytes in the place of characters."""
    found = [
        each
        for number, leaf in enumerate(base.loaded.leaves)
        if _is_expression(leaf)
        for each in _in_leaf(base.text, number, leaf)
    ]
    found.sort(key=lambda each: (each.start, each.end))
    return [
        (Ref(each.kind, each.value, (_at(base, each.start), _at(base, each.end))), each)
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
    words = words_of(said)
    for index, word in enumerate(words):
        if word.kind != "text" or "\n" in word.written:
            continue
        inner = list(letters_of(word))
        value = "".join(sign for sign, _, _ in inner)
        for kind, first, last in _names(words, index, value):
            place = inner[first][1], inner[last - 1][2]
            first_sign, last_sign = letters[place[0]], letters[place[1] - 1]
            span = first_sign.start, last_sign.end
            quote = word.written[0]
            yield _Found(kind, value[first:last], *span, quote, scalar, place)


def _names(
    words: Sequence[Word], number: int, value: str
) -> Iterator[tuple[RefKind, int, int]]:
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


def _kind(words: Sequence[Word], number: int) -> RefKind | None:
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


def _called(words: Sequence[str]) -> RefKind | None:
    if not words:
        return None
    if words[-2:-1] == ["."]:
        if words[-1] == "startsWith":
            return _STARTS.get(_field(words[:-2]))
        return _ASKED.get(words[-1])
    return _CALLS.get(words[-1])


def _field(words: Sequence[str]) -> RefKind | None:
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


def _says(
    base: _Base,
    source: bytes,
    splices: Sequence[Splice],
    wanted: Mapping[_Scalar, str],
) -> bool:
    """Return whether a base says what is wanted afterwards, and else the same."""
    after = _read(spliced(source, splices))
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
