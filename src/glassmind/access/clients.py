"""The clients of a vault: their names, scopes and tokens.

They are in one file in the user's data folder, never in the vault, so that a server
sees it when one is revoked. Of a token only a digest is kept. The day of last use is in
a file of its own, so no server ever writes the one with the tokens.
"""

import hashlib
import hmac
import json
import os
import re
import secrets
import stat
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

from glassmind.access.scopes import read_scope, scope_as_texts
from glassmind.config import Config
from glassmind.errors import (
    AccessFault,
    BadScope,
    ClientsUnreadable,
    ClientUnknown,
    GlassmindError,
    IndexFault,
)
from glassmind.model.access import Scope
from glassmind.obsidian.text import Style
from glassmind.store.disk import sync_folder
from glassmind.store.lock import WriterLock
from glassmind.store.place import index_name

FILE = "clients.json"
USED = "clients-used.json"

FORMAT = 1
"""What the file says of itself; one of a higher number is of a version to come."""

PREFIX = "gm_"
"""What a token begins with, so that it is known for one where it does not belong."""

LONGEST_NAME = 60  # letters of a name; it stands in records and on one line of a list
NAME_CHARS = 80  # characters of a recorded name; the longest of a known client has 30

OUR_NAMES = frozenset(
    ("cli", "person", "user", "obsidian", "http", "mcp", "library", "glassmind")
)
"""Names in records for the user and for Glassmind itself; no client may have them."""

_INVISIBLE = re.compile(r"[\W_\u115f\u1160\u3164\uffa0]+")
"""Characters that do not make a name look different."""

WAIT_S = 10.0  # seconds to wait for another process that adds or revokes one
LARGEST = 4 * 1024 * 1024  # bytes of the file: ten thousand clients, each of many rules


class Client(NamedTuple):
    name: str
    scope: Scope
    created: str
    digest: str
    used: str = ""


def clients_of(config: Config) -> "Clients":
    return Clients(config.index_home / index_name(config.vault.path) / FILE)


def plain_caller(given: str, usual: str) -> str:
    """Return the name that a client gives itself, on one line, or the usual name."""
    text = Style.clean(given.encode("utf-8", "backslashreplace").decode())
    name = " ".join(text.split())[:NAME_CHARS].strip()
    key = _INVISIBLE.sub("", unicodedata.normalize("NFKC", name)).casefold()
    return usual if not name or key in OUR_NAMES else name


def digest_of(token: bytes) -> str:
    return hashlib.sha256(token).hexdigest()


class Clients:
    """The file of clients; for any number of threads and processes."""

    def __init__(self, file: Path, now: Callable[[], float] = time.time) -> None:
        self.file, self._now = file, now
        self._lock_file = file.with_name("clients.lock")
        self._noted: dict[str, str] = {}

    def all(self) -> tuple[Client, ...]:
        """Return every client by name; raises `ClientsUnreadable`, as all below."""
        return _read(self.file)

    def named(self, name: str) -> Client:
        return _named(self.all(), name)

    def holder(self, token: bytes) -> Client | None:
        """Return the client with a token, in a time that does not depend on it."""
        shown, found = digest_of(token), None
        for client in self.all():
            if hmac.compare_digest(client.digest, shown):
                found = client
        return found

    def add(self, name: str, scope: Scope) -> tuple[Client, str]:
        name = _checked(name)
        with self._writing() as clients:
            if any(one.name.casefold() == name.casefold() for one in clients):
                raise AccessFault(
                    f"there is a client {name!r} already: glassmind clients set "
                    "changes what it may read, and after glassmind clients revoke the "
                    "name is free"
                )
            token = f"{PREFIX}{secrets.token_urlsafe(32)}"
            created = datetime.fromtimestamp(self._now(), UTC).isoformat("T", "seconds")
            client = Client(
                name, scope._replace(client=name), created, digest_of(token.encode())
            )
            self._write([*clients, client])
        return client, token

    def change(self, name: str, scope: Scope) -> Client:
        with self._writing() as clients:
            before = _named(clients, name)
            client = before._replace(scope=scope._replace(client=before.name))
            self._write([client if one is before else one for one in clients])
        return client

    def revoke(self, name: str) -> Client:
        """Return a client whose token lets nobody in any more."""
        with self._writing() as clients:
            client = _named(clients, name)
            self._write([one for one in clients if one is not client])
        return client

    def used(self) -> Sequence[Client]:
        days = _days(self.file.with_name(USED))
        return [
            client._replace(used=days.get(_mark(client), "")) for client in self.all()
        ]

    def note_use(self, client: Client) -> None:
        """Take on record that a client asked today; once a day, if it can be."""
        today = datetime.fromtimestamp(self._now(), UTC).date().isoformat()
        mark = _mark(client)
        if self._noted.get(mark) == today:
            return
        self._noted[mark] = today
        file = self.file.with_name(USED)
        with suppress(GlassmindError, OSError), WriterLock(self._lock_file) as lock:
            if not lock.try_acquire():  # another notes something: it is told later
                self._noted.pop(mark, None)
                return
            there = {_mark(one) for one in self.all()}
            days = {key: day for key, day in _days(file).items() if key in there}
            _replace(file, {**days, mark: today})

    @contextmanager
    def _writing(self) -> Iterator[tuple[Client, ...]]:
        """Give the clients to who alone may write them now."""
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with WriterLock(self._lock_file) as lock:
                lock.acquire(timeout_s=WAIT_S)
                yield self.all()
        except (OSError, IndexFault) as error:
            reason = "another process is writing them"
            if isinstance(error, OSError):
                reason = _why(error)
            raise AccessFault(
                f"the clients in {self.file} cannot be written ({reason}); nothing was "
                "changed"
            ) from error

    def _write(self, clients: Iterable[Client]) -> None:
        ordered = sorted(clients, key=lambda client: client.name.casefold())
        _replace(self.file, {"format": FORMAT, "clients": list(map(_row, ordered))})


def _checked(name: str) -> str:
    """Return a name that stands on one line and is not read as another."""
    plain, problem = name.strip(), ""
    if not plain:
        problem = "it is empty"
    elif len(plain) > LONGEST_NAME or not plain.isprintable():
        problem = f"it is one line of at most {LONGEST_NAME} letters"
    elif plain.startswith("-"):
        problem = "it begins as an option does"
    elif plain_caller(plain, "") != plain:
        problem = "records use that name for you, or for Glassmind itself"
    if problem:
        raise AccessFault(f"a client cannot be called {name[:80]!r}: {problem}")
    return plain


def _named(clients: Sequence[Client], name: str) -> Client:
    key, known = (
        name.strip().casefold(),
        {client.name.casefold(): client for client in clients},
    )
    if key in known:
        return known[key]
    near = get_close_matches(key, known, 3)
    raise ClientUnknown(name, [known[found].name for found in near])


def _mark(client: Client) -> str:
    """Return what a client is known by in the file of days: another has its own."""
    return client.digest[:16]


def _row(client: Client) -> dict[str, object]:
    return {
        "name": client.name,
        "scope": scope_as_texts(client.scope),
        "created": client.created,
        "sha256": client.digest,
    }


def _client(row: Mapping[str, Any]) -> Client:
    name, digest = str(row["name"]), row["sha256"]
    if len(bytes.fromhex(digest)) != hashlib.sha256().digest_size:
        raise ValueError(name)
    scope = read_scope(row["scope"])._replace(client=name)
    return Client(name, scope, str(row["created"]), digest.lower())


def _read(file: Path) -> tuple[Client, ...]:
    try:
        found = json.loads(_bytes_of(file))
        if found["format"] != FORMAT:
            raise ClientsUnreadable(str(file), "another version of Glassmind wrote it")
        return tuple(map(_client, found["clients"]))
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise ClientsUnreadable(str(file), _why(error)) from error
    except BadScope as error:
        raise ClientsUnreadable(str(file), str(error)) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ClientsUnreadable(str(file), "it is damaged") from error


def _bytes_of(file: Path) -> bytes:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(file, flags), "rb") as opened:
        found = os.fstat(opened.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise ClientsUnreadable(str(file), "it is no plain file")
        if os.name != "nt" and found.st_mode & 0o022:
            said = "others may write it; chmod 600 keeps them from it"
            raise ClientsUnreadable(str(file), said)
        return opened.read(LARGEST)


def _days(file: Path) -> dict[str, str]:
    """Return on which day each was last used; nothing where that cannot be told."""
    try:
        found = json.loads(_bytes_of(file))
    except (OSError, ValueError, RecursionError, ClientsUnreadable):
        return {}
    days = found.items() if isinstance(found, dict) else ()
    return {mark: day for mark, day in days if isinstance(day, str)}


def _replace(file: Path, value: object) -> None:
    """Write a file that its owner alone can read, in the place of the one before."""
    staged = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    fd = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(fd, "w", encoding="utf-8") as out:
            json.dump(value, out, ensure_ascii=True, indent=1)
            out.write("\n")
            out.flush()
            os.fsync(out.fileno())
        staged.replace(file)
        with suppress(OSError):  # not every file system can be asked
            sync_folder(file.parent)
    finally:
        staged.unlink(missing_ok=True)


def _why(error: OSError) -> str:
    return error.strerror or str(error)
