"""Add an entry to a TOML file of another program, or remove it, with tomlkit.

Comments and layout stay. A change counts only if reading the new text gives the old
values, in their order, and the change.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from difflib import SequenceMatcher
from typing import Any

from glassmind.serve.connect.entries import Entry
from glassmind.serve.connect.forms import Unfit


class TomlForm:
    """A list of servers as tables below one table."""

    def __init__(self, section: str) -> None:
        self._section = section

    def servers(self, text: str) -> Mapping[str, Any]:
        """Return the entries by name; see `Form`."""
        found = _read(text).get(self._section, {})
        if not isinstance(found, dict):
            raise Unfit(f"{self._section} is not a table")
        return found

    def with_entry(self, text: str, name: str, entry: Entry) -> str:
        """Return the text with an entry in it; see `Form`."""
        known = self.servers(text).get(name)
        if not isinstance(known, dict | None):
            raise Unfit(f"{self._section}.{name} is not a table")
        expected = _read(text)
        expected.setdefault(self._section, {}).setdefault(name, {}).update(entry)
        if known is None:
            body = text.rstrip("\r\n")
            block = self.shown(name, entry)
            new = f"{body}\n\n{block}" if body else block
            return _checked(_with_line_ends(new, text), expected)

        def set_values(document: Any) -> None:
            for key, value in entry.items():
                if key not in known or known[key] != value:
                    document[self._section][name][key] = value

        return _checked(_edited(text, set_values), expected)

    def without_entry(self, text: str, name: str) -> str:
        """Return the text without an entry; see `Form`."""
        expected = _read(text)
        del expected[self._section][name]

        def remove(document: Any) -> None:
            del document[self._section][name]

        body = _with_comments_of(text, _edited(text, remove)).rstrip("\r\n")
        new = body + text[len(text.rstrip("\r\n")) :] if body else ""
        if not expected[self._section] and self._section not in _read(new):
            del expected[self._section]  # its tables were all that named it
        return _checked(new, expected)

    def shown(self, name: str, entry: Entry) -> str:
        """Return a whole text that holds an entry alone; see `Form`."""
        import tomlkit  # noqa: PLC0415 - slow to import

        return tomlkit.dumps({self._section: {name: entry}})


def _read(text: str) -> dict[str, Any]:
    """Return what a text says.

    Raises:
        Unfit: it is not TOML.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem, _, place = str(error).rpartition(" (at ")
        line = re.match(r"line (\d+)", place)
        reason = f"it is not TOML ({problem or error})"
        raise Unfit(reason, int(line[1]) if line else 0) from error
    except RecursionError as error:
        raise Unfit("it is nested too deeply") from error


def _edited(text: str, edit: Callable[[Any], None]) -> str:
    """Return the text after an edit of its tomlkit document; empty if it fails."""
    import tomlkit  # noqa: PLC0415 - slow to import

    try:
        document = tomlkit.parse(text.replace("\r\n", "\n"))
        edit(document)
        return _with_line_ends(tomlkit.dumps(document), text)
    except (tomlkit.exceptions.TOMLKitError, KeyError, TypeError, RecursionError):
        return ""


def _with_line_ends(new: str, like: str) -> str:
    new = new.replace("\r\n", "\n")
    return new.replace("\n", "\r\n") if "\r\n" in like else new


def _with_comments_of(old: str, new: str) -> str:
    """Put back the comments that were above the table after a removed one.

    For tomlkit they are part of the table before.
    """
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    lines: list[str] = []
    for tag, start, end, first, last in SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        lines += after[first:last]
        if tag in ("delete", "replace"):
            top = end
            while top > start and before[top - 1].strip()[:1] in ("", "#"):
                top -= 1
            trailing = before[top:end]
            if any(line.strip() for line in trailing):
                lines += trailing[bool(lines and not lines[-1].strip()) :]
    return "".join(lines)


def _checked(new: str, expected: Mapping[str, Any]) -> str:
    """Return the text if it says what is expected; by `repr`, as nan is not itself."""
    try:
        found = _read(new)
    except Unfit:
        found = {}
    if found != expected and repr(found) != repr(expected):
        raise Unfit("it is written in a way that has to be edited by hand")
    return new
