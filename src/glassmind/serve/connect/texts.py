"""Add an entry to the list of servers in a file of another program, or remove it.

TOML keeps its comments. JSON is written again with its own indentation, so a file with
comments is left to its owner.
"""

import json
import re
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

Entry = Mapping[str, object]


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
        self.section = section

    def servers(self, text: str) -> dict[str, Any]:
        """Return the entries by name."""
        found = self.read(text).get(self.section, {})
        if not isinstance(found, dict):
            raise Unfit(f"{self.section} is not {self.kind}")
        return found

    def shown(self, name: str, entry: Entry) -> str:
        """Return a whole text with one entry."""
        return self.changed("", name, entry)

    @abstractmethod
    def read(self, text: str) -> dict[str, Any]: ...

    @abstractmethod
    def changed(self, text: str, name: str, entry: Entry | None) -> str:
        """Return the text with an entry of that name, or without one."""


class JsonForm(Form):
    """A list under one key of a JSON object."""

    def read(self, text: str) -> dict[str, Any]:
        try:
            found = json.loads(text or "{}", object_pairs_hook=_unique)
        except json.JSONDecodeError as error:
            why = "; it may have no comments" * ("//" in text or "/*" in text)
            raise Unfit(f"it is not JSON ({error.msg}{why})", error.lineno) from error
        except RecursionError as error:
            raise Unfit("it is nested too deeply") from error
        if not isinstance(found, dict):
            raise Unfit("it is not a JSON object")
        return found

    def changed(self, text: str, name: str, entry: Entry | None) -> str:
        values, servers = self.read(text), self.servers(text)
        servers.pop(name, None)
        values[self.section] = ({} if entry is None else {name: entry}) | servers
        indent = re.search(r'^([ \t]+)"', text, re.MULTILINE)
        unit = indent[1] if indent else "  "
        made = json.dumps(values, ensure_ascii=False, indent=unit) + "\n"
        return made.replace("\n", "\r\n") if "\r\n" in text else made


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise Unfit("it gives a name twice, so it has to be edited by hand")
    return made


class TomlForm(Form):
    """A list of tables below one table."""

    kind = "a table"

    def read(self, text: str) -> dict[str, Any]:
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            line = re.search(r" \(at line (\d+)", str(error))
            number = int(line[1]) if line else 0
            raise Unfit(f"it is not TOML ({error})", number) from error
        except RecursionError as error:
            raise Unfit("it is nested too deeply") from error

    def changed(self, text: str, name: str, entry: Entry | None) -> str:
        import tomlkit  # noqa: PLC0415 - slow to import

        expected, own = self.servers(text), f"[{self.section}.{name}]"
        expected.pop(name, None)
        made = text
        with suppress(ValueError, KeyError, TypeError):  # of tomlkit
            document = tomlkit.parse(text)
            document.get(self.section, {}).pop(name, None)
            made = tomlkit.dumps(document).rstrip() + _newline(text)
        if entry is not None:
            expected[name] = dict(entry)
            block = tomlkit.dumps({self.section: {name: entry}})
            made = f"{made.rstrip()}\n\n{block}".lstrip("\n")
            made = made.replace("\r\n", "\n").replace("\n", _newline(text))
        with suppress(Unfit):
            if self.servers(made) == expected and _comments(made) == _comments(text):
                return made
        raise Unfit(f"{own} is written in a way that has to be edited by hand")


def _comments(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.lstrip()[:1] == "#"]


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
