"""Plain TOML read without the TOML library.

What `glassmind init` writes, and most people after it, is sections and one-line
values. Reading just that takes a fraction of a millisecond where importing `tomllib`
takes four, at every start. Whatever is not plainly plain (an escape, a comment behind a
value, a mistake) is left to the library, so both always agree.
"""

from typing import Any


def parse_plain(text: str) -> dict[str, Any] | None:
    """Return what a plain text says; None when the library has to read it."""
    tables: dict[str, Any] = {}
    table = tables
    for line in text.replace("\r\n", "\n").split("\n"):
        bare = line.strip(" \t")
        if not bare.isprintable():
            return None
        if not bare or bare.startswith("#"):
            continue
        name, equals, written = bare.partition("=")
        if equals:
            name, value = name.strip(" "), _value(written.strip(" "))
        else:
            name, value = _section(bare), {}
            table = tables
        if value is None or name in table or not _is_name(name):
            return None
        table[name] = value
        table = table if equals else value
    return tables


def _is_name(name: str) -> bool:
    return name.isascii() and name.replace("_", "a").replace("-", "a").isalnum()


def _section(bare: str) -> str:
    """Return the name in `[name]`, or nothing."""
    closed = bare.startswith("[") and bare.endswith("]")
    return bare[1:-1].strip(" ") if closed else ""


def _value(written: str) -> Any:
    """Return a plain text, number, flag or list of texts; None for all else."""
    if written in {"true", "false"}:
        return written == "true"
    if written[:1] == '"':
        return _text(written)
    if written[:1] == "[":
        return _texts(written)
    return _number(written)


def _text(written: str) -> str | None:
    inside = written[1:-1]
    quoted = len(written) > 1 and written[0] == written[-1] == '"'
    return inside if quoted and '"' not in inside and "\\" not in inside else None


def _texts(written: str) -> list[str] | None:
    if not written.endswith("]"):
        return None
    inside = written[1:-1].strip(" ")
    items = [_text(item.strip(" ")) for item in inside.split(",")] if inside else []
    known = [item for item in items if item is not None]
    return known if len(known) == len(items) else None


def _number(written: str) -> float | None:
    whole, point, rest = written.partition(".")
    digits = written.isascii() and whole.isdigit() and (rest.isdigit() or not point)
    if not digits or (whole[0] == "0" and whole != "0"):
        return None
    return float(written) if point else int(written)
