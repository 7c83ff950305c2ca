"""Add an entry to the list of servers in a text of another program, or remove it.

Everything else that a person wrote stays as it is, also comments. A change counts only
if reading the new text gives the old values and the change.
"""

import json
import re
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

Entry = Mapping[str, object]

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
        """Return the text with an entry, which replaces another of that name."""
        if name in self.servers(text):
            text = self.without_entry(text, name)
        if not text.strip():
            return self.shown(name, entry)
        expected = self._read(text)
        expected.setdefault(self._section, {})[name] = dict(entry)
        return self._checked([self._added(text, name, entry)], expected)

    def without_entry(self, text: str, name: str) -> str:
        """Return the text without an entry that is in it."""
        expected = self._read(text)
        del expected[self._section][name]
        return self._checked(self._removed(text, name), expected)

    def _checked(self, candidates: list[str], expected: dict[str, Any]) -> str:
        """Return the first text that says what is expected."""
        for candidate in candidates:
            with suppress(Unfit):
                found = self._read(candidate)
                for values in (found, expected):  # TOML has no empty list
                    if not values.get(self._section):
                        values.pop(self._section, None)
                if found == expected or repr(found) == repr(expected):  # nan != nan
                    return candidate
        raise Unfit("it is written in a way that has to be edited by hand")

    @abstractmethod
    def shown(self, name: str, entry: Entry) -> str:
        """Return a whole text with one entry."""

    @abstractmethod
    def _read(self, text: str) -> dict[str, Any]: ...

    @abstractmethod
    def _added(self, text: str, name: str, entry: Entry) -> str: ...

    @abstractmethod
    def _removed(self, text: str, name: str) -> list[str]:
        """Return texts without an entry, the neatest first."""


# --- JSON ---------------------------------------------------------------------------

STRING = r'"(?:\\.|[^"\\])*"'
COMMENT = re.compile(rf"{STRING}|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
LAST_COMMA = re.compile(rf"{STRING}|,(?=\s*[}}\]])", re.DOTALL)
"""Both match strings first, and so never what is in one."""

DECODER = json.JSONDecoder()


class Member(NamedTuple):
    """Where a key begins, and where its value begins and ends."""

    start: int
    value: int
    end: int


class JsonForm(Form):
    """A list under one key of a JSON object, which may have comments."""

    def shown(self, name: str, entry: Entry) -> str:
        whole = {self._section: {name: dict(entry)}}
        return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"

    def _read(self, text: str) -> dict[str, Any]:
        if not text.strip():
            return {}
        try:
            found = DECODER.decode(_plain(text))
        except json.JSONDecodeError as error:
            raise Unfit(f"it is not JSON ({error.msg})", error.lineno) from error
        except RecursionError as error:
            raise Unfit("it is nested too deeply") from error
        if not isinstance(found, dict):
            raise Unfit("it is not a JSON object")
        return found

    def _added(self, text: str, name: str, entry: Entry) -> str:
        """Return the text with the entry as the first of the list."""
        plain = _plain(text)
        at, level, value = plain.index("{"), 1, entry
        members = _members(plain, at)
        if self._section in members:
            at, level = members[self._section].value, 2
            members = _members(plain, at)
        else:
            name, value = self._section, {name: entry}
        indent = re.search(r'^([ \t]+)"', text, re.MULTILINE)
        unit, newline = indent[1] if indent else "  ", _newline(text)
        made = json.dumps({name: value}, ensure_ascii=False, indent=unit)[1:-2]
        made = made.replace("\n", newline + unit * (level - 1))
        end = "," if members else ""
        if text[at + 1] == "}":
            end = newline + unit * (level - 1)
        return text[: at + 1] + made + end + text[at + 1 :]

    def _removed(self, text: str, name: str) -> list[str]:
        plain, bare = _plain(text), _blanked(COMMENT, text)
        at = _members(plain, plain.index("{"))[self._section].value
        members = _members(plain, at)
        gone, close = members[name], DECODER.raw_decode(plain, at)[1] - 1
        behind = [each.start for each in members.values() if each.start > gone.start]
        comma = bare.find(",", gone.end, min(behind, default=close))
        head, end = text[: gone.start], comma + 1 if comma >= 0 else gone.end
        if comma < 0 and len(members) > 1:
            before = bare.rfind(",", at, gone.start)
            head = head[:before] + head[before + 1 :]
        elif not (text[at + 1 : gone.start] + text[end:close]).strip(BLANKS):
            end = close
        # blanks before the entry go too, unless they end a comment
        return [head.rstrip(BLANKS) + text[end:], head + text[end:]]


def _members(plain: str, at: int) -> dict[str, Member]:
    """Return the members of the object at a place, by key."""
    found: dict[str, Member] = {}
    at = _next_token(plain, at + 1)
    while plain[at] != "}":
        key, end = DECODER.raw_decode(plain, at)
        value = _next_token(plain, end)
        _, end = DECODER.raw_decode(plain, value)
        found[key] = Member(at, value, end)
        at = _next_token(plain, end)
    return found


def _next_token(plain: str, at: int) -> int:
    while plain[at] in BLANKS + ",:":
        at += 1
    return at


def _plain(text: str) -> str:
    """Return a JSON text with blanks in place of comments and trailing commas."""
    return _blanked(LAST_COMMA, _blanked(COMMENT, text))


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    """Return a text of the same length without what a pattern finds beside strings."""

    def blank(found: re.Match[str]) -> str:
        is_string = found[0].startswith('"')
        return found[0] if is_string else re.sub(r"[^\r\n]", " ", found[0])

    return pattern.sub(blank, text)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


# --- TOML ---------------------------------------------------------------------------

LONG_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*',
    re.DOTALL,
)
"""Matches short strings and comments too, and so nothing that is in one."""


class TomlForm(Form):
    """A list of tables below one table."""

    kind = "a table"

    def shown(self, name: str, entry: Entry) -> str:
        import tomlkit  # noqa: PLC0415 - slow to import

        return tomlkit.dumps({self._section: {name: entry}})

    def _read(self, text: str) -> dict[str, Any]:
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            line = re.search(r" \(at line (\d+)", str(error))
            number = int(line[1]) if line else 0
            raise Unfit(f"it is not TOML ({error})", number) from error
        except RecursionError as error:
            raise Unfit("it is nested too deeply") from error

    def _added(self, text: str, name: str, entry: Entry) -> str:
        block = f"{text.rstrip(BLANKS)}\n\n{self.shown(name, entry)}"
        return block.replace("\r\n", "\n").replace("\n", _newline(text))

    def _removed(self, text: str, name: str) -> list[str]:
        """Return the text without the tables of an entry; comments after them stay."""
        keys = (rf"\s*(?:{key}|'{key}'|\"{key}\")\s*" for key in (self._section, name))
        ours = re.compile(r"\s*\[" + r"\.".join(keys) + r"[.\]]")
        kept: list[str] = []
        comments: list[str] = []
        inside = False
        codes = LONG_STRING.sub(_masked, text).split("\n")
        for line, code in zip(text.split("\n"), codes, strict=True):
            start = code.lstrip()[:1]
            if start == "[":
                inside = bool(ours.match(code))
                kept += [] if inside else comments
                comments = []
            if not inside:
                kept.append(line)
            elif start == "#" or (comments and not start):
                comments.append(line)
            elif start:
                comments = []
        body = "\n".join(kept + comments).rstrip(BLANKS)
        return [body + text[len(text.rstrip(BLANKS)) :] if body else ""]


def _masked(found: re.Match[str]) -> str:
    """Return a string of several lines in which no line looks like a table."""
    return re.sub(r"[^\n]", "-", found[0]) if "\n" in found[0] else found[0]
