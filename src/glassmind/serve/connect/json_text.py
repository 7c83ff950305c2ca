"""One value set in, or taken out of, a JSON text that a person wrote.

Comments are blanked for reading, letter by letter, so that every place in what is read
is the same place in the text. A change counts only if reading the new text gives the
old values, in their order, and the change.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from glassmind.serve.connect.entries import Entry
from glassmind.serve.connect.forms import Unfit

COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
LAST_COMMA = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])', re.DOTALL)
"""Both match strings first, and so never what stands in one."""

BLANKS = re.compile(r"[ \t\r\n]*")
USUAL_INDENT = "  "


class JsonForm:
    """A list of servers under one key of a JSON object."""

    def __init__(self, section: str, *, comments: bool = False) -> None:
        self._section, self._comments = section, comments

    def servers(self, text: str) -> Mapping[str, Any]:
        """Return the entries by name; see `Form`."""
        if not text.strip():
            return {}
        _Text(text, self._comments).find([self._section])
        found = _read(text, self._comments).get(self._section, {})
        if not isinstance(found, dict):
            raise Unfit(f"{self._section} is no object")
        return found

    def with_entry(self, text: str, name: str, entry: Entry) -> str:
        """Return the text with an entry in it; see `Form`."""
        known = self.servers(text).get(name)
        path = [self._section, name]
        if not text.strip():
            return self.shown(name, entry)
        if not isinstance(known, dict):
            return self._set(text, path, dict(entry))
        for key, value in entry.items():
            if known.get(key) != value or key not in known:
                text = self._set(text, [*path, key], value)
        return text

    def without_entry(self, text: str, name: str) -> str:
        """Return the text without an entry; see `Form`."""
        path = [self._section, name]
        wanted = _read(text, self._comments)
        del wanted[self._section][name]
        return self._first(_without(_Text(text, self._comments), path), wanted)

    def shown(self, name: str, entry: Entry) -> str:
        """Return a whole text that holds an entry alone; see `Form`."""
        whole = {self._section: {name: dict(entry)}}
        return _written(whole, USUAL_INDENT) + "\n"

    def _set(self, text: str, path: Sequence[str], value: object) -> str:
        wanted = _read(text, self._comments)
        at = wanted
        for key in path[:-1]:
            at = at.setdefault(key, {})
        at[path[-1]] = value
        return self._first(_with(_Text(text, self._comments), path, value), wanted)

    def _first(self, candidates: Iterator[str], wanted: object) -> str:
        """Return the first candidate that says what is wanted."""
        for candidate in candidates:
            try:
                found = _read(candidate, self._comments)
            except Unfit:
                continue
            if json.dumps(found) == json.dumps(wanted):
                return candidate
        raise Unfit("it is written in a way that has to be edited by hand")


def _read(text: str, comments: bool) -> dict[str, Any]:  # noqa: FBT001 - of the form
    """Return what a text says.

    Raises:
        Unfit: it is no JSON object.
    """
    try:
        found = json.loads(_plain(text) if comments else text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        kind = "JSON with comments" if comments else "JSON"
        raise Unfit(f"it is no {kind} ({error.msg})", error.lineno) from error
    except RecursionError as error:
        raise Unfit("it is nested too deeply") from error
    if not isinstance(found, dict):
        raise Unfit("it is no JSON object")
    return found


def _refuse(word: str) -> NoReturn:
    raise Unfit(f"it is no JSON ({word} is no value)")


DECODER = json.JSONDecoder(parse_constant=_refuse)


def _blanked(pattern: re.Pattern[str], opens: str, text: str) -> str:
    """Return a text of the same length without what a pattern finds beside strings."""

    def blank(found: re.Match[str]) -> str:
        if not found[0].startswith(opens):
            return found[0]
        return re.sub(r"[^\r\n]", " ", found[0])

    return pattern.sub(blank, text)


def _bare(text: str) -> str:
    return _blanked(COMMENT, "/", text)


def _plain(text: str) -> str:
    return _blanked(LAST_COMMA, ",", _bare(text))


class _Member(NamedTuple):
    """A key with its value: where the key begins, the value begins and it ends."""

    key: str
    start: int
    value: int
    end: int


class _Text:
    """A JSON text with its two blanked copies, in which places are the same."""

    def __init__(self, text: str, comments: bool) -> None:  # noqa: FBT001
        _read(text, comments)
        self.text = text
        self.bare = _bare(text) if comments else text
        self.plain = _plain(text) if comments else text
        self.newline = "\r\n" if "\r\n" in text else "\n"

    @property
    def root(self) -> int:
        return self.skip(0)

    def skip(self, at: int) -> int:
        found = BLANKS.match(self.plain, at)
        return found.end() if found else at

    def members(self, at: int) -> tuple[list[_Member], int]:
        """Return the members of the object at a place, and where it closes."""
        found: list[_Member] = []
        at = self.skip(at + 1)
        while self.plain[at] != "}":
            key, end = DECODER.raw_decode(self.plain, at)
            value = self.skip(self.skip(end) + 1)
            _, stop = DECODER.raw_decode(self.plain, value)
            found.append(_Member(key, at, value, stop))
            at = self.skip(stop)
            if self.plain[at] == ",":
                at = self.skip(at + 1)
        return found, at

    def find(self, path: Sequence[str]) -> tuple[int, int]:
        """Return how many keys of a path are there, and where the last value is.

        Raises:
            Unfit: one is there twice, or is no object and should be.
        """
        at = self.root
        for depth, key in enumerate(path):
            if self.plain[at] != "{":
                raise Unfit(f"{path[depth - 1]} is no object")
            hits = [one for one in self.members(at)[0] if one.key == key]
            if len(hits) > 1:
                line = self.text.count("\n", 0, hits[1].start) + 1
                raise Unfit(f"{key} is there twice", line)
            if not hits:
                return depth, at
            at = hits[0].value
        return len(path), at

    def indent(self, at: int) -> str:
        """Return the blanks that the line of a place begins with."""
        line = self.text[self.text.rfind("\n", 0, at) + 1 :]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def begins_line(self, at: int) -> bool:
        """Whether nothing but blanks stands before a place in its line."""
        return not self.text[self.text.rfind("\n", 0, at) + 1 : at].strip(" \t")

    @property
    def unit(self) -> str:
        """How much deeper a level is written than the one around it."""
        first = self.members(self.root)[0][:1]
        own = [self.indent(one.start) for one in first if self.begins_line(one.start)]
        return own[0] if own and own[0] else USUAL_INDENT


def _with(read: _Text, path: Sequence[str], value: object) -> Iterator[str]:
    """Yield texts in which a value may stand as wanted, the neatest first."""
    depth, at = read.find(path)
    if depth == len(path):
        _, end = DECODER.raw_decode(read.plain, at)
        shape = _shape(read, read.indent(at))
        if "\n" not in read.text[at:end]:
            yield read.text[:at] + _on_line(value) + read.text[end:]
        yield read.text[:at] + shape(value) + read.text[end:]
        return
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    members, close = read.members(at)
    key = json.dumps(path[depth], ensure_ascii=False)
    if members:
        yield from _behind(read, members, close, (key, value))
    else:
        yield from _alone(read, at, close, (key, value))


def _behind(
    read: _Text, members: list[_Member], close: int, new: tuple[str, object]
) -> Iterator[str]:
    """Yield texts with a new member behind those of an object."""
    text, last = read.text, members[-1]
    stop = len(text[:close].rstrip(" \t\r\n"))  # behind comments too
    trails = "," in read.bare[last.end : close]
    before = text[:stop] if trails else f"{text[: last.end]},{text[last.end : stop]}"
    comma = "," if trails else ""
    if not read.begins_line(members[0].start):
        yield f"{before} {new[0]}: {_on_line(new[1])}{comma}{text[stop:]}"
    inner = read.indent(members[0].start)
    if not read.begins_line(members[0].start):
        inner += read.unit
    value = _shape(read, inner)(new[1])
    yield f"{before}{read.newline}{inner}{new[0]}: {value}{comma}{text[stop:]}"


def _alone(read: _Text, at: int, close: int, new: tuple[str, object]) -> Iterator[str]:
    """Yield texts with the first member of an object."""
    text = read.text
    stop = max(len(text[:close].rstrip(" \t\r\n")), at + 1)
    whole = text.strip()
    if "\n" not in whole and at > read.root:
        yield f"{text[:stop]}{new[0]}: {_on_line(new[1])}{text[stop:]}"
    outer = read.indent(at)
    inner = outer + read.unit
    end = "" if "\n" in text[stop:close] else read.newline + outer
    value = _shape(read, inner)(new[1])
    yield f"{text[:stop]}{read.newline}{inner}{new[0]}: {value}{end}{text[stop:]}"


def _without(read: _Text, path: Sequence[str]) -> Iterator[str]:
    """Yield texts in which a member may be gone as wanted, the neatest first."""
    read.find(path)  # there, and once
    _, at = read.find(path[:-1])
    members, close = read.members(at)
    (index,) = [n for n, one in enumerate(members) if one.key == path[-1]]
    text, gone = read.text, members[index]
    behind = members[index + 1].start if index + 1 < len(members) else close
    comma = read.bare.find(",", gone.end, behind)
    end = comma + 1 if comma >= 0 else gone.end
    lead = len(text[: gone.start].rstrip(" \t\r\n"))
    if len(members) == 1 and not (text[at + 1 : lead] + text[end:close]).strip():
        yield text[: at + 1] + text[close:]
    if comma < 0 and index:
        before = read.bare.find(",", members[index - 1].end, gone.start)
        kept = text[:before] + text[before + 1 : lead]
        yield kept + text[end:]
        yield kept + read.newline + text[end:]
    yield text[:lead] + text[end:]
    yield text[: gone.start] + text[end:]


def _shape(read: _Text, indent: str) -> Callable[[object], str]:
    """Return what writes a value over several lines, each behind some blanks."""

    def shape(value: object) -> str:
        written = _written(value, read.unit)
        return written.replace("\n", read.newline + indent)

    return shape


def _written(value: object, unit: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=unit)


def _on_line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
