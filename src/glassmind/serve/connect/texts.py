"""Add an entry to the list of servers in a text of another program, or remove it.

Everything else that a person wrote stays as it is, also comments. A change counts only
if reading the new text gives the old values and the change.
"""

import json
import re
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import suppress
from difflib import SequenceMatcher
from typing import Any, NamedTuple, NoReturn

Entry = Mapping[str, object]

_STRING = r'"(?:\\.|[^"\\])*"'
COMMENT = re.compile(rf"{_STRING}|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
LAST_COMMA = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
"""Both match strings first, and so never what is in one."""

BLANKS = " \t\r\n"


class Unfit(Exception):
    """A text cannot be read or changed; `line` is 0 if no line is to blame."""

    def __init__(self, problem: str, line: int = 0) -> None:
        super().__init__(problem)
        self.problem, self.line = problem, line


class Form(ABC):
    """How a program writes its list of servers; an empty text has none.

    All methods raise `Unfit`, if a text cannot be read or has to be edited by hand.
    """

    kind = "an object"

    def __init__(self, section: str) -> None:
        self._section = section

    def servers(self, text: str) -> dict[str, Any]:
        """Return the entries by name."""
        found = self._read(text).get(self._section, {})
        if not isinstance(found, dict):
            raise Unfit(f"{self._section} is not {self.kind}")
        return found

    def with_entry(self, text: str, name: str, entry: Entry) -> str:
        """Return the text with an entry, the last of the list; it replaces another."""
        if name in self.servers(text):
            text = self.without_entry(text, name)
        if not text.strip():
            return self.shown(name, entry)
        expected = self._read(text)
        expected.setdefault(self._section, {})[name] = dict(entry)
        return self._checked(self._added(text, name, entry), expected)

    def without_entry(self, text: str, name: str) -> str:
        """Return the text without an entry that is in it."""
        expected = self._read(text)
        del expected[self._section][name]
        return self._checked(self._removed(text, name), expected)

    def _checked(self, candidates: Iterator[str], expected: dict[str, Any]) -> str:
        """Return the first text that says what is expected."""
        for candidate in candidates:
            with suppress(Unfit):
                found = self._read(candidate)
                for values in (found, expected):  # TOML has no empty list
                    if not values.get(self._section):
                        values.pop(self._section, None)
                if repr(found) == repr(expected):  # nan is not equal to itself
                    return candidate
        raise Unfit("it is written in a way that has to be edited by hand")

    @abstractmethod
    def shown(self, name: str, entry: Entry) -> str:
        """Return a whole text with one entry."""

    @abstractmethod
    def _read(self, text: str) -> dict[str, Any]: ...

    @abstractmethod
    def _added(self, text: str, name: str, entry: Entry) -> Iterator[str]:
        """Yield texts with a new entry, the neatest first."""

    @abstractmethod
    def _removed(self, text: str, name: str) -> Iterator[str]:
        """Yield texts without an entry, the neatest first."""


class JsonForm(Form):
    """A list under one key of a JSON object, with `comments` where they are allowed."""

    def __init__(self, section: str, *, comments: bool = False) -> None:
        super().__init__(section)
        self._comments = comments

    def shown(self, name: str, entry: Entry) -> str:
        whole = {self._section: {name: dict(entry)}}
        return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"

    def _read(self, text: str) -> dict[str, Any]:
        if not text.strip():
            return {}
        try:
            found = DECODER.decode(_Json(text, comments=self._comments).plain)
        except json.JSONDecodeError as error:
            kind = "JSON with comments" if self._comments else "JSON"
            raise Unfit(f"it is not {kind} ({error.msg})", error.lineno) from error
        except RecursionError as error:
            raise Unfit("it is nested too deeply") from error
        if not isinstance(found, dict):
            raise Unfit("it is not a JSON object")
        return found

    def _added(self, text: str, name: str, entry: Entry) -> Iterator[str]:
        parsed = _Json(text, comments=self._comments)
        if self._section in self._read(text):
            yield from parsed.with_member(parsed.value_of(self._section), name, entry)
        else:
            yield from parsed.with_member(parsed.start, self._section, {name: entry})

    def _removed(self, text: str, name: str) -> Iterator[str]:
        parsed = _Json(text, comments=self._comments)
        yield from parsed.without(parsed.value_of(self._section), name)


def _refuse(word: str) -> NoReturn:
    raise Unfit(f"it is not JSON ({word} is not a value)")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, in which programs would ignore a key that is there twice."""
    keys = [key for key, _ in pairs]
    if twice := [key for key in dict.fromkeys(keys) if keys.count(key) > 1]:
        raise Unfit(f"{twice[0]} is there twice")
    return dict(pairs)


DECODER = json.JSONDecoder(parse_constant=_refuse, object_pairs_hook=_once)


class _Member(NamedTuple):
    """A key with its value: where the key begins, the value begins and it ends."""

    key: str
    start: int
    value: int
    end: int


class _Json:
    """A JSON text, with two copies in which every place is the same.

    Blanks replace comments in `bare`, and also trailing commas in `plain`. A place is
    where a value begins.
    """

    def __init__(self, text: str, *, comments: bool) -> None:
        self.text = text
        self.bare = _blanked(COMMENT, text) if comments else text
        self.plain = _blanked(LAST_COMMA, self.bare) if comments else text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.start = self.skip(0)

    def skip(self, at: int) -> int:
        """Return the next place that is not blank."""
        while at < len(self.plain) and self.plain[at] in BLANKS:
            at += 1
        return at

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

    def value_of(self, key: str) -> int:
        """Return the place of a value of the whole object."""
        members = self.members(self.start)[0]
        return next(member.value for member in members if member.key == key)

    def line_before(self, at: int) -> str:
        return self.text[self.text.rfind("\n", 0, at) + 1 : at]

    def indent(self, at: int) -> str:
        """Return the blanks at the beginning of the line of a place."""
        line = self.line_before(at)
        return line[: len(line) - len(line.lstrip(" \t"))]

    @property
    def unit(self) -> str:
        """The indent of the first level."""
        for member in self.members(self.start)[0][:1]:
            if not self.line_before(member.start).strip(" \t"):
                return self.line_before(member.start) or "  "
        return "  "

    def with_member(self, at: int, name: str, value: Entry) -> Iterator[str]:
        """Yield texts with a new last member of the object at a place."""
        text, (members, close) = self.text, self.members(at)
        key = json.dumps(name, ensure_ascii=False)
        stop = max(len(text[:close].rstrip(BLANKS)), at + 1)  # behind comments too
        before, comma, end, space = text[:stop], "", "", " " * bool(members)
        if members:
            first, last = members[0].start, members[-1].end
            on_line = bool(self.line_before(first).strip(" \t"))
            inner = self.indent(first) + self.unit * on_line
            if "," in self.bare[last:close]:
                comma = ","
            else:
                before = f"{text[:last]},{text[last:stop]}"
        else:
            on_line = "\n" not in text.strip() and at > self.start
            inner = self.indent(at) + self.unit
            if "\n" not in text[stop:close]:
                end = self.newline + self.indent(at)
        if on_line:
            line = json.dumps(value, ensure_ascii=False)
            yield f"{before}{space}{key}: {line}{comma}{text[stop:]}"
        shaped = json.dumps(value, ensure_ascii=False, indent=self.unit)
        shaped = shaped.replace("\n", self.newline + inner)
        yield f"{before}{self.newline}{inner}{key}: {shaped}{comma}{end}{text[stop:]}"

    def without(self, at: int, name: str) -> Iterator[str]:
        """Yield texts without a member of the object at a place."""
        members, close = self.members(at)
        (index,) = [n for n, each in enumerate(members) if each.key == name]
        text, gone = self.text, members[index]
        behind = members[index + 1].start if index + 1 < len(members) else close
        comma = self.bare.find(",", gone.end, behind)
        end = comma + 1 if comma >= 0 else gone.end
        lead = len(text[: gone.start].rstrip(BLANKS))
        if len(members) == 1 and not (text[at + 1 : lead] + text[end:close]).strip():
            yield text[: at + 1] + text[close:]
        if comma < 0 and index:
            before = self.bare.find(",", members[index - 1].end, gone.start)
            kept = text[:before] + text[before + 1 : lead]
            yield kept + text[end:]
            yield kept + self.newline + text[end:]
        yield text[:lead] + text[end:]
        yield text[: gone.start] + text[end:]


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    """Return a text of the same length without what a pattern finds beside strings."""

    def blank(found: re.Match[str]) -> str:
        is_string = found[0].startswith('"')
        return found[0] if is_string else re.sub(r"[^\r\n]", " ", found[0])

    return pattern.sub(blank, text)


class TomlForm(Form):
    """A list of tables below one table; edited with tomlkit."""

    kind = "a table"

    def shown(self, name: str, entry: Entry) -> str:
        import tomlkit  # noqa: PLC0415 - slow to import

        return tomlkit.dumps({self._section: {name: entry}})

    def _read(self, text: str) -> dict[str, Any]:
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            line = re.search(r" \(at line (\d+)", str(error))
            raise Unfit(
                f"it is not TOML ({error})", int(line[1]) if line else 0
            ) from error
        except RecursionError as error:
            raise Unfit("it is nested too deeply") from error

    def _added(self, text: str, name: str, entry: Entry) -> Iterator[str]:
        block = self.shown(name, entry)
        yield _with_line_ends(text.rstrip("\r\n") + f"\n\n{block}", text)

    def _removed(self, text: str, name: str) -> Iterator[str]:
        import tomlkit  # noqa: PLC0415 - slow to import

        try:
            document: Any = tomlkit.parse(text.replace("\r\n", "\n"))
            del document[self._section][name]
            new = _with_line_ends(tomlkit.dumps(document), text)
        except (tomlkit.exceptions.TOMLKitError, KeyError, TypeError, RecursionError):
            return
        body = _with_comments_of(text, new).rstrip("\r\n")
        yield body + text[len(text.rstrip("\r\n")) :] if body else ""


def _with_line_ends(new: str, like: str) -> str:
    new = new.replace("\r\n", "\n")
    return new.replace("\n", "\r\n") if "\r\n" in like else new


def _with_comments_of(old: str, new: str) -> str:
    """Put back the comments that were above the table after a removed one.

    For tomlkit they are part of the table before.
    """
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    lines: list[str] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, start, end, first, last in matcher.get_opcodes():
        lines += after[first:last]
        if tag in ("delete", "replace"):
            top = end
            while top > start and before[top - 1].strip()[:1] in ("", "#"):
                top -= 1
            trailing = before[top:end]
            if any(line.strip() for line in trailing):
                lines += trailing[bool(lines and not lines[-1].strip()) :]
    return "".join(lines)
