"""One entry set in, or taken out of, a TOML text that a person wrote.

Lines are replaced, added or dropped. A change counts only if reading the new text gives
the old values, in their order, and the change; see `config.toml`.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from glassmind.config.toml import SPAN, as_toml, comment_behind
from glassmind.surfaces.connecting.entries import Entry
from glassmind.surfaces.connecting.forms import Unfit


class TomlForm:
    """A list of servers as tables below one table."""

    def __init__(self, section: str) -> None:
        self._section = section

    def servers(self, text: str) -> Mapping[str, Any]:
        """Return the entries by name; see `Form`."""
        found = _read(text).get(self._section, {})
        if not isinstance(found, dict):
            raise Unfit(f"{self._section} is no table")
        return found

    def with_entry(self, text: str, name: str, entry: Entry) -> str:
        """Return the text with an entry in it; see `Form`."""
        known = self.servers(text).get(name)
        if known is None:
            return self._appended(text, name, entry)
        if not isinstance(known, dict):
            raise Unfit(f"{self._section}.{name} is no table")
        for key, value in entry.items():
            if known.get(key) != value or key not in known:
                wanted = _read(text)
                wanted[self._section][name][key] = value
                text = _first(self._lines_with(text, name, key, value), wanted)
        return text

    def without_entry(self, text: str, name: str) -> str:
        """Return the text without an entry; see `Form`."""
        wanted = _read(text)
        del wanted[self._section][name]
        none = {key: held for key, held in wanted.items() if key != self._section}
        # a section that only its entries stood for is gone with the last of them
        fitting = [wanted] if wanted[self._section] else [wanted, none]
        return _first(self._lines_without(text, name), *fitting)

    def shown(self, name: str, entry: Entry) -> str:
        """Return a whole text that holds an entry alone; see `Form`."""
        lines = [f"{key} = {as_toml(value)}" for key, value in entry.items()]
        head = f"[{self._section}.{name}]"
        return "\n".join([head, *lines, ""])

    def _appended(self, text: str, name: str, entry: Entry) -> str:
        wanted = _read(text)
        wanted.setdefault(self._section, {})[name] = dict(entry)
        end = _line_end(text)
        body = text.rstrip("\r\n")
        gap = end * 2 if body else ""
        new = self.shown(name, entry).replace("\n", end)
        return _first(iter([f"{body}{gap}{new}"]), wanted)

    def _lines_with(
        self, text: str, name: str, key: str, value: object
    ) -> Iterator[str]:
        """Yield texts in which a key of an entry may have a value."""
        end, lines = _line_end(text), text.replace("\r\n", "\n").split("\n")
        new = f"{key} = {as_toml(value)}"
        for top, stop in self._tables(lines, name):
            for at in range(top + 1, stop):
                if lines[at].partition("=")[0].strip(" \t\"'") != key:
                    continue
                for upto in range(at + 1, min(at + SPAN, stop) + 1):
                    right = "\n".join(lines[at:upto]).partition("=")[2]
                    said = new + comment_behind(right)
                    yield end.join([*lines[:at], said, *lines[upto:]])
            yield end.join([*lines[: top + 1], new, *lines[top + 1 :]])

    def _lines_without(self, text: str, name: str) -> Iterator[str]:
        """Yield texts in which the tables of an entry may be gone."""
        end, lines = _line_end(text), text.replace("\r\n", "\n").split("\n")
        while tables := self._tables(lines, name):
            top, keeps = tables[-1]
            while keeps > top + 1 and _says_nothing(lines[keeps - 1]):
                keeps -= 1  # what stands above the next table belongs to it
            above, below = lines[:top], lines[keeps:]
            while above and below and not above[-1].strip() and not below[0].strip():
                above = above[:-1]
            lines = [*above, *below]
        yield end.join(lines)
        yield end.join(lines).rstrip("\r\n") + end

    def _tables(self, lines: list[str], name: str) -> list[tuple[int, int]]:
        """Return the first line of each table of an entry, and the one behind it."""
        wanted = [self._section, name]
        tops = [n for n, line in enumerate(lines) if _keys(line)[:2] == wanted]
        return [(top, _stop(lines, top)) for top in tops if _is_whole(lines[:top])]


def _keys(line: str) -> list[str]:
    """Return the keys in the header of a table; none where a line is no header."""
    if not line.lstrip().startswith("["):
        return []
    try:
        at: object = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return []
    keys = []
    while at and isinstance(at, dict):
        (key,) = at
        keys.append(key)
        at = at[key]
    return keys


def _stop(lines: list[str], top: int) -> int:
    """Return the line behind a table: the next header that is in no text or list."""
    return next(
        (
            n
            for n in range(top + 1, len(lines))
            if _keys(lines[n]) and _is_whole(lines[top:n])
        ),
        len(lines),
    )


def _is_whole(lines: list[str]) -> bool:
    """Whether some lines are TOML by themselves: no text or list is open behind."""
    try:
        tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError:
        return False
    return True


def _says_nothing(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _read(text: str) -> dict[str, Any]:
    """Return what a text says.

    Raises:
        Unfit: it is no TOML.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem, _, place = str(error).rpartition(" (at ")
        line = re.match(r"line (\d+)", place)
        told = f"it is no TOML ({problem or error})"
        raise Unfit(told, int(line[1]) if line else 0) from error
    except RecursionError as error:
        raise Unfit("it is nested too deeply") from error


def _first(candidates: Iterator[str], *wanted: Mapping[str, Any]) -> str:
    """Return the first candidate that says one of what is wanted."""
    for candidate in candidates:
        try:
            found = _read(candidate)
        except Unfit:
            continue
        if found in wanted or repr(found) in map(repr, wanted):  # no nan is itself
            return candidate
    raise Unfit("it is written in a way that has to be edited by hand")
