"""Put an entry into the file of another program, and take it out again.

A file is replaced whole, by a rename, or not at all, and a copy of the old text is kept
beside it. If its program rewrites it between our reading and our rename, we give up.
"""

import os
import stat
from pathlib import Path
from typing import Literal, NamedTuple

from glassmind.config.sources import put_text
from glassmind.errors import BadConfigFile, ConfigError, ConfigUnwritable
from glassmind.serve.connect.programs import is_ours
from glassmind.serve.connect.texts import Entry, Form, Unfit

BACKUP = "before-glassmind"
"""Suffix of a copy's name; later copies also have a number."""

MARK = "\ufeff"
"""A byte order mark, which Windows writes and the programs ignore."""

UNCHANGED = (
    "nothing was changed: fix the file and try again, or add the entry yourself "
    "(glassmind connect --print shows it)"
)

FIRM = ("type", "command", "args", "active")
"""Values that make an entry start us; a person may set the others."""

State = Literal["connected", "changed", "unchanged", "disconnected", "absent"]


class Outcome(NamedTuple):
    """What was done to a file, which is `made` if there was none.

    `backup` is the copy of the old text.
    """

    state: State
    backup: Path | None = None
    made: bool = False


def connect(
    file: Path, form: Form, name: str, entry: Entry, *, force: bool = False
) -> Outcome:
    """Put an entry into a file; values that a person added to one of ours stay.

    Raises:
        ConfigError: another's entry has that name, and `force` was not given.
        BadConfigFile: the file is not what its program reads; nothing was changed.
        ConfigUnwritable: it cannot be written; nothing was changed.
    """
    return _change(file, form, name, entry, force=force)


def disconnect(file: Path, form: Form, name: str, *, force: bool = False) -> Outcome:
    """Remove an entry of ours; raises what `connect` raises."""
    return _change(file, form, name, None, force=force)


def _change(
    file: Path, form: Form, name: str, entry: Entry | None, *, force: bool
) -> Outcome:
    """Put an entry into a file, or remove it if there is none to put."""
    old = _text_of(file)
    text = (old or "").removeprefix(MARK)
    try:
        servers = form.servers(text)
        known = servers.get(name) if is_ours(servers.get(name)) else None
        if name in servers and known is None and not force:
            raise ConfigError(
                f"{file} has an entry {name!r} that does not start glassmind; nothing "
                "was changed: choose another name (--name), or use --force"
            )
        if entry is None:
            if name not in servers:
                return Outcome("absent")
            new = form.changed(text, name, None)
            return Outcome("disconnected", _replace(file, old, new))
        kept = {k: v for k, v in (known or {}).items() if k not in FIRM}
        merged = {**entry, **kept}
        if known == merged:
            return Outcome("unchanged")
        new = form.changed(text, name, merged)
    except Unfit as error:
        problem = f"{error.problem}; {UNCHANGED}"
        raise BadConfigFile(str(file), error.line, problem) from error
    state: State = "connected" if known is None else "changed"
    return Outcome(state, _replace(file, old, new), made=old is None)


def _text_of(file: Path) -> str | None:
    """Return a file's text; None without one. Raises `BadConfigFile`."""
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise BadConfigFile(str(file), 0, "it is not a file")
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError as error:
        if not file.is_symlink():
            return None
        problem = "it is a symbolic link that leads nowhere"
        raise BadConfigFile(str(file), 0, problem) from error
    except OSError as error:
        raise BadConfigFile(str(file), 0, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        problem = f"it is not UTF-8 text; {UNCHANGED}"
        raise BadConfigFile(str(file), line, problem) from error


def _replace(file: Path, old: str | None, new: str) -> Path | None:
    """Replace the text that was read, after keeping a copy; return the copy."""
    backup = None
    if old is not None:
        facts = file.stat()  # a rename asks for neither right
        if not facts.st_mode & stat.S_IWUSR:
            raise ConfigUnwritable(str(file), "it is read-only")
        if os.name == "posix" and facts.st_uid != os.geteuid():
            raise ConfigUnwritable(str(file), "it belongs to another user")
        backup = _kept(file, old)
    if _text_of(file) != old:
        problem = "its program changed it just now; nothing was changed, try again"
        raise ConfigUnwritable(str(file), problem)
    put_text(file, MARK * (old or "").startswith(MARK) + new)
    return backup


def _kept(file: Path, text: str) -> Path:
    """Return a copy of a file beside it: an equal one, or a new one."""
    place, number = file.with_name(f"{file.name}.{BACKUP}"), 1
    try:
        while os.path.lexists(place):
            if place.is_file() and place.read_bytes() == text.encode("utf-8"):
                return place
            number += 1
            place = file.with_name(f"{file.name}.{BACKUP}-{number}")
        put_text(place, text)
        place.chmod(stat.S_IMODE(file.stat().st_mode))
    except OSError as error:
        raise ConfigUnwritable(str(place), error.strerror or str(error)) from error
    return place
