"""Put an entry into the file of another program, and take it out again.

A file is replaced whole, by a rename, or not at all, and a copy of the old text is kept
beside it. If its program rewrites it between our reading and our rename, we give up.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal

from glassmind.config.sources import put_text
from glassmind.errors import BadConfigFile, ConfigUnwritable
from glassmind.errors.connecting import EntryTaken
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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was done to a file; `backup` is the copy of the old text.

    `made`: there was no file. `off`: a person disabled the entry in its program.
    `others`: entries of ours with other names.
    """

    state: State
    backup: Path | None = None
    made: bool = False
    off: bool = False
    others: tuple[str, ...] = ()


def connect(
    file: Path, form: Form, name: str, entry: Entry, *, force: bool = False
) -> Outcome:
    """Put an entry into a file; what a person added to one of ours stays.

    Raises:
        EntryTaken: another's entry has that name, and `force` was not given.
        BadConfigFile: the file is not what its program reads; nothing was changed.
        ConfigUnwritable: it cannot be written; nothing was changed.
    """
    old = _text_of(file)
    text = (old or "").removeprefix(MARK)
    with _naming(file):
        servers = form.servers(text)
        known, others = servers.get(name), _others(servers, name)
        if name in servers and not is_ours(known):
            if not force:
                raise EntryTaken(str(file), name)
            new = form.with_entry(form.without_entry(text, name), name, entry)
            known = None
        else:
            kept = {k: v for k, v in (known or {}).items() if k not in FIRM}
            fresh = {key: kept.get(key, value) for key, value in entry.items()}
            new = form.with_entry(text, name, fresh)
    off = known is not None and _is_off(known)
    if new == text:
        return Outcome("unchanged", off=off, others=others)
    backup = _replace(file, old, new)
    state: State = "changed" if known is not None else "connected"
    return Outcome(state, backup, made=old is None, off=off, others=others)


def disconnect(file: Path, form: Form, name: str, *, force: bool = False) -> Outcome:
    """Remove an entry of ours; if nothing else changed, restore the file's old bytes.

    Raises:
        EntryTaken: it is another's, and `force` was not given.
        BadConfigFile: the file is not what its program reads; nothing was changed.
        ConfigUnwritable: it cannot be written; nothing was changed.
    """
    old = _text_of(file)
    text = (old or "").removeprefix(MARK)
    with _naming(file):
        servers = form.servers(text)
        others = _others(servers, name)
        if name not in servers:
            return Outcome("absent", others=others)
        if not is_ours(servers[name]) and not force:
            raise EntryTaken(str(file), name)
        new = form.without_entry(text, name)
    for before in _backups(file):
        with suppress(Unfit):
            is_without = name not in form.servers(before)
            if is_without and form.with_entry(before, name, servers[name]) == text:
                new = before
                break
    return Outcome("disconnected", _replace(file, old, new), others=others)


def _is_off(entry: Entry) -> bool:
    return entry.get("disabled") is True or entry.get("enabled") is False


def _others(servers: dict[str, Any], name: str) -> tuple[str, ...]:
    return tuple(key for key in servers if key != name and is_ours(servers[key]))


@contextmanager
def _naming(file: Path) -> Iterator[None]:
    """Name the file of a text that is unfit."""
    try:
        yield
    except Unfit as error:
        problem = f"{error.problem}; {UNCHANGED}"
        raise BadConfigFile(str(file), error.line, problem) from error


def _text_of(file: Path) -> str | None:
    """Return a file's text; None without one. Raises `BadConfigFile`."""
    try:
        if not file.is_symlink() and not file.exists():
            return None
        if not stat.S_ISREG(file.stat().st_mode):
            raise BadConfigFile(str(file), 0, "it is not a file")
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError as error:
        problem = "it is a symbolic link that leads nowhere"
        raise BadConfigFile(str(file), 0, problem) from error
    except OSError as error:
        raise BadConfigFile(str(file), 0, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        problem = f"it is not UTF-8 text; {UNCHANGED}"
        raise BadConfigFile(str(file), line, problem) from error


def _replace(file: Path, old: str | None, new: str) -> Path | None:
    """Replace the text that was read, after keeping a copy; return the copy.

    Raises:
        ConfigUnwritable: the file may not be written, or has changed.
    """
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
    content, mode = text.encode("utf-8"), stat.S_IMODE(file.stat().st_mode)
    place = next(place for place in _copies(file) if _is_free(place, content))
    if place.exists():
        return place
    try:
        number = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(number, "wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
    except OSError as error:
        if not isinstance(error, FileExistsError):
            place.unlink(missing_ok=True)
        raise ConfigUnwritable(str(place), error.strerror or str(error)) from error
    return place


def _is_free(place: Path, content: bytes) -> bool:
    """Return whether a name has no file, or one that is an equal copy."""
    try:
        return not place.is_symlink() and place.read_bytes() == content
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _copies(file: Path) -> Iterator[Path]:
    """Yield the names of copies without end, the first one first."""
    yield file.with_name(f"{file.name}.{BACKUP}")
    for number in count(2):
        yield file.with_name(f"{file.name}.{BACKUP}-{number}")


def _backups(file: Path) -> Iterator[str]:
    """Yield the texts of the copies, the first one first."""
    for place in _copies(file):
        if place.is_symlink() or not place.is_file():
            return
        with suppress(BadConfigFile):
            yield (_text_of(place) or "").removeprefix(MARK)
