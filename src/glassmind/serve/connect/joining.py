"""Entries put into the files of other programs, and taken out again.

A file is replaced whole, by a rename, or not at all; what it was is kept beside it. One
that its program rewrites between our look and our rename is left to it.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from glassmind.config.sources import put_text
from glassmind.errors import BadConfigFile, ConfigUnwritable
from glassmind.errors.connecting import EntryTaken
from glassmind.serve.connect.entries import Entry, is_off, is_ours
from glassmind.serve.connect.forms import Form, Unfit

BACKUP = "before-glassmind"
"""What the name of a copy has behind that of its file; later ones have a number too."""

MARK = "\ufeff"
"""A byte order mark, which Windows writes and nobody reads."""

UNCHANGED = (
    "nothing was changed: mend the file and try again, or write the entry into it "
    "yourself, as glassmind connect --print shows it"
)

FIRM = ("type", "command", "args", "active")
"""Values that make an entry start us; others are its owner's once they are there."""

State = Literal["connected", "changed", "unchanged", "disconnected", "absent"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was made of a file; `backup` is where a copy of what it was stands.

    `made` says that there was no file; `off` that a person has switched the entry off;
    `others` are entries of ours by other names.
    """

    state: State
    backup: Path | None = None
    made: bool = False
    off: bool = False
    others: tuple[str, ...] = ()


def connect(
    file: Path, form: Form, name: str, entry: Entry, *, force: bool = False
) -> Outcome:
    """Put an entry into a file; one of ours is changed, and what it has besides stays.

    Raises:
        EntryTaken: another's stands there by that name, and `force` was not given.
        BadConfigFile: the file is not what its program reads; nothing was changed.
        ConfigUnwritable: it cannot be written; nothing was changed.
    """
    old = _text_of(file)
    text = (old or "").removeprefix(MARK)
    with _telling(file):
        servers = form.servers(text)
        known, others = servers.get(name), _others(servers, name)
        off = isinstance(known, dict) and is_off(known)
        if name in servers and not is_ours(known):
            if not force:
                raise EntryTaken(str(file), name)
            new = form.with_entry(form.without_entry(text, name), name, entry)
            known, off = None, False
        else:
            new = form.with_entry(text, name, _over(known, entry))
    if new == text:
        return Outcome("unchanged", off=off, others=others)
    backup = _replace(file, old, new)
    state: State = "changed" if known is not None else "connected"
    return Outcome(state, backup, made=old is None, off=off, others=others)


def disconnect(file: Path, form: Form, name: str, *, force: bool = False) -> Outcome:
    """Take an entry of ours out of a file; where nothing else was changed, to the byte.

    Raises:
        EntryTaken: it is another's, and `force` was not given.
        BadConfigFile: the file is not what its program reads; nothing was changed.
        ConfigUnwritable: it cannot be written; nothing was changed.
    """
    old = _text_of(file)
    text = (old or "").removeprefix(MARK)
    with _telling(file):
        servers = form.servers(text)
        others = _others(servers, name)
        if name not in servers:
            return Outcome("absent", others=others)
        if not is_ours(servers[name]) and not force:
            raise EntryTaken(str(file), name)
        new = form.without_entry(text, name)
    for before in _backups(file):
        was = before.removeprefix(MARK)
        if _gives(form, was, name, servers[name]) == text:
            new = was
            break
    return Outcome("disconnected", _replace(file, old, new), others=others)


def _over(known: object, entry: Entry) -> Entry:
    """Return an entry for the place of a known one; what a person may set, stays."""
    if not isinstance(known, dict):
        return entry
    return {
        key: value if key in FIRM else known.get(key, value)
        for key, value in entry.items()
    }


def _others(servers: object, name: str) -> tuple[str, ...]:
    held = servers.items() if isinstance(servers, dict) else ()
    return tuple(key for key, entry in held if key != name and is_ours(entry))


def _gives(form: Form, text: str, name: str, entry: object) -> str | None:
    """Return what connecting makes of a text; None where it cannot."""
    try:
        if not isinstance(entry, dict) or name in form.servers(text):
            return None
        return form.with_entry(text, name, entry)
    except Unfit:
        return None


@contextmanager
def _telling(file: Path) -> Iterator[None]:
    """Tell of a text that is unfit which file it is of."""
    try:
        yield
    except Unfit as error:
        problem = f"{error.problem}; {UNCHANGED}"
        raise BadConfigFile(str(file), error.line, problem) from error


def _text_of(file: Path) -> str | None:
    """Return a file's text; None where there is none.

    Raises:
        BadConfigFile: it cannot be read, or is no text.
    """
    try:
        if not file.is_symlink() and not file.exists():
            return None
        if not stat.S_ISREG(file.stat().st_mode):
            raise BadConfigFile(str(file), 0, "it is no file")
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
    """Put a text in the place of what was read, having kept a copy of that.

    Raises:
        ConfigUnwritable: the file may not be written, or is not what was read.
    """
    backup = None
    mark = MARK if (old or "").startswith(MARK) else ""
    if old is not None:
        _refuse_what_is_not_ours_to_write(file)
        backup = _kept(file, old)
    if _text_of(file) != old:
        problem = "its program changed it just now; nothing was changed, try again"
        raise ConfigUnwritable(str(file), problem)
    put_text(file, mark + new)
    return backup


def _refuse_what_is_not_ours_to_write(file: Path) -> None:
    """Refuse a file that is read-only, or of another user: a rename asks neither."""
    facts = file.stat()
    if not facts.st_mode & stat.S_IWUSR:
        raise ConfigUnwritable(str(file), "it is read-only")
    if os.name == "posix" and facts.st_uid != os.geteuid():
        raise ConfigUnwritable(str(file), "it belongs to another user")


def _kept(file: Path, text: str) -> Path:
    """Return a copy of a file beside it, a new one unless there is one that is equal.

    Raises:
        ConfigUnwritable: it cannot be written.
    """
    for place in _copies(file):
        try:
            _write_new(place, text, stat.S_IMODE(file.stat().st_mode))
        except FileExistsError:
            if place.is_symlink() or not _is_equal(place, text):
                continue
        except OSError as error:
            reason = error.strerror or str(error)
            raise ConfigUnwritable(str(place), reason) from error
        return place
    raise AssertionError  # names do not end


def _write_new(file: Path, text: str, mode: int) -> None:
    """Write a file that is not there yet, whole or not at all."""
    number = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(number, "wb") as opened:
            opened.write(text.encode("utf-8"))
            opened.flush()
            os.fsync(opened.fileno())
    except BaseException:
        file.unlink(missing_ok=True)
        raise


def _is_equal(file: Path, text: str) -> bool:
    try:
        return file.read_bytes() == text.encode("utf-8")
    except OSError:
        return False


def _copies(file: Path) -> Iterator[Path]:
    """Yield the names of copies, the first one first, without an end."""
    yield file.with_name(f"{file.name}.{BACKUP}")
    number = 2
    while True:
        yield file.with_name(f"{file.name}.{BACKUP}-{number}")
        number += 1


def _backups(file: Path) -> Iterator[str]:
    """Yield what the copies say that there are, the first one first."""
    for place in _copies(file):
        if place.is_symlink() or not place.is_file():
            return
        with suppress(BadConfigFile):
            yield _text_of(place) or ""
