"""Values as TOML, and one value changed in a text that a person wrote."""

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from glassmind.config.files import line_of

SPAN = 200
"""Lines one value may take up; longer ones are left to the user's editor."""


def as_toml(value: object) -> str:
    """Return a setting's value as it stands in a configuration file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(as_toml(item) for item in value)}]"
    if isinstance(value, str | Path):
        return f'"{"".join(_escaped(letter) for letter in str(value))}"'
    raise TypeError(f"a setting cannot be {value!r}")


def _escaped(letter: str) -> str:
    if letter in '\\"':
        return "\\" + letter
    if letter < " " or letter == "\x7f":
        return f"\\u{ord(letter):04x}"
    return letter


def with_setting(text: str, section: str, name: str, value: object) -> str | None:
    """Return the text with one setting changed and all else as it was.

    None when the text is written in a way that has to be edited by hand. A change
    counts only if reading the new text gives the old settings and the new value.
    """
    wanted = tomllib.loads(text)
    table = wanted.setdefault(section, {})
    if not isinstance(table, dict):
        return None
    table[name] = tomllib.loads(f"x = {as_toml(value)}")["x"]
    for candidate in _candidates(text, section, name, as_toml(value)):
        if _says(candidate, wanted):
            return candidate
    return None


def with_comment(text: str, path: str, lines: Sequence[str]) -> str:
    """Return the text with a comment above a setting, or at its end if none is seen."""
    end = "\r\n" if "\r\n" in text else "\n"
    section, _, name = path.partition(".")
    written = text.replace("\r\n", "\n").split("\n")
    at = line_of("\n".join(written), section, name)
    before = written[: at - 1] if at else written
    comment = [f"# {line}" for line in lines]
    return end.join([*before, *comment, *written[len(before) :]])


def comment_behind(right: str) -> str:
    """Return the comment behind a value, with the blanks before it."""
    for at, letter in enumerate(right):
        if letter == "#" and _is_value(right[:at]):
            return right[len(right[:at].rstrip()) :]
    return ""


def _says(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        return False


def _candidates(text: str, section: str, name: str, value: str) -> Iterator[str]:
    """Yield texts that may be right: line replaced, uncommented, added, appended."""
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.replace("\r\n", "\n").split("\n")
    start = line_of("\n".join(lines), section, name) - 1
    if start >= 0:
        left, _, right = lines[start].partition("=")
        new = f"{left.rstrip()} = {value}{comment_behind(right)}"
        for stop in range(start + 1, min(start + SPAN, len(lines)) + 1):
            yield end.join([*lines[:start], new, *lines[stop:]])
    top = line_of("\n".join(lines), section)
    if top:
        yield from _inside(lines, top, f"{name} = {value}", end)
    body = "\n".join(lines).rstrip("\n").replace("\n", end)
    gap = end * 2 if body else ""
    yield f"{body}{gap}[{section}]{end}{name} = {value}{end}"


def _inside(lines: list[str], top: int, new: str, end: str) -> Iterator[str]:
    """Yield texts with a line set in the section that has `top` lines above it."""
    name = new.partition(" ")[0]
    last = top
    for index in range(top, len(lines)):
        bare = lines[index].strip()
        if bare.startswith("["):
            break
        left, equals, _ = bare.lstrip("# ").partition("=")
        if equals and bare.startswith("#") and left.strip() == name:
            yield end.join([*lines[:index], new, *lines[index + 1 :]])
        if bare:
            last = index + 1
    yield end.join([*lines[:last], new, *lines[last:]])


def _is_value(text: str) -> bool:
    try:
        return bool(tomllib.loads(f"x ={text}"))
    except tomllib.TOMLDecodeError:
        return False
