"""Read and write configuration files as text."""

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from glassmind.config.places import short
from glassmind.config.values import HIDDEN, plain
from glassmind.errors import BadConfigFile, ConfigUnwritable

_HEADER = re.compile(r"\s*\[\s*(\w+)\s*\]")
_KEY = re.compile(r"\s*([\w.]+)\s*=")


def closest(name: str, known: Iterable[str]) -> str:
    """Return a hint such as `; did you mean search.limit?`, or nothing."""
    from difflib import get_close_matches  # noqa: PLC0415 - only after a mistake

    matches = get_close_matches(name, list(known), n=1)
    return f"; did you mean {matches[0]}?" if matches else ""


def read_text(file: Path) -> str:
    try:
        return decode(file, file.read_bytes())
    except OSError as error:
        raise BadConfigFile(short(file), 0, error.strerror or str(error)) from error


def decode(file: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadConfigFile(short(file), line, "it is not UTF-8 text") from error


def parse_toml(file: Path, text: str) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 - only if there is a file

    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise BadConfigFile(short(file), 0, "it is nested too deeply") from error
    except ValueError as error:  # not TOML, or a number of thousands of digits
        problem, _, place = str(error).partition(" (at ")
        line = re.match(r"line (\d+)", place)
        line_number = int(line[1]) if line else 0
        raise BadConfigFile(short(file), line_number, problem) from error


def lines_of(text: str) -> Mapping[str, int]:
    """Return the line of each setting, a guess because `tomllib` reports no lines."""
    section, found = "", dict[str, int]()
    for number, line in enumerate(text.split("\n"), 1):
        if header := _HEADER.match(line):
            section = f"{header[1]}."
        elif key := _KEY.match(line):
            found.setdefault(section + key[1], number)
    return found


def as_toml(value: object) -> str:
    """Return a value as it is written in a configuration file; `HIDDEN` as it is."""
    if value == HIDDEN:
        return HIDDEN
    # JSON is TOML for these types, except that TOML escapes DEL.
    return json.dumps(plain(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def refuse_link(file: Path) -> None:
    """Refuse to write through a link in a vault, which may lead anywhere."""
    if file.is_symlink():
        raise ConfigUnwritable(str(file), "a symbolic link leads there; remove it")
    if file.exists() and not file.is_file():
        raise ConfigUnwritable(str(file), "it is not a regular file; remove it")


def put_text(file: Path, text: str, *, in_vault: bool = False) -> None:
    """Replace a file atomically; raises `ConfigUnwritable` if nothing was changed.

    An existing file keeps its mode. A new one in the vault is as readable as the notes;
    any other is for the user alone, as a URL may contain a password. A link stays a
    link, except that none is followed in the vault.
    """
    import tempfile  # noqa: PLC0415 - only for writing

    if in_vault:
        refuse_link(file)
    mode = 0o644 if in_vault else 0o600
    real = Path(os.path.realpath(file))
    staged = None
    try:
        if real.exists():
            mode = real.stat().st_mode & 0o777
        real.parent.mkdir(parents=True, exist_ok=True)
        number, staged = tempfile.mkstemp(".tmp", f".{real.name}-", real.parent)
        with os.fdopen(number, "wb") as opened:
            opened.write(text.encode("utf-8"))
            opened.flush()
            os.fsync(opened.fileno())
        Path(staged).chmod(mode)
        Path(staged).replace(real)
    except (OSError, UnicodeEncodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigUnwritable(str(file), reason) from error
    finally:
        if staged:
            Path(staged).unlink(missing_ok=True)
