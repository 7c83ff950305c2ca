"""The card of a resident: where it is found, and the token that opens its door."""

import json
import os
import stat
from contextlib import suppress
from hashlib import sha256
from hmac import new as keyed
from pathlib import Path
from typing import Any, NamedTuple

from glassmind.config import Config

FILE = "resident.json"

LONGEST = 16_384
"""Bytes of a card; one with the longest path there is has less than five thousand."""

PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""How it is opened, be it a link or a pipe."""

SECTIONS = ("index", "embeddings", "search", "hindsight")
"""The settings that an answer depends on, beside the vault and the agent folder."""


class Card(NamedTuple):
    """What a resident leaves beside the index, for its owner alone.

    `address` is the path of a socket, or a port of this machine. `settings` is the
    fingerprint of those in force there, made with the token so that it tells nothing.
    `watches` says whether the resident follows the vault.
    """

    pid: int
    version: str
    address: str | int
    token: str
    settings: str
    since: str
    watches: bool = True


KINDS: dict[str, type | tuple[type, ...]] = {
    "pid": int,
    "version": str,
    "address": (str, int),
    "token": str,
    "settings": str,
    "since": str,
    "watches": bool,
}
"""What each line of a card holds."""


def fingerprint(config: Config, token: str) -> str:
    """Return what two processes share whose answers would be the same."""
    chosen = [vars(getattr(config, section)) for section in SECTIONS]
    said = [str(config.vault.path), config.writes.agent_dir, *map(_plain, chosen)]
    content = json.dumps(said, sort_keys=True).encode()
    return keyed(token.encode(), content, sha256).hexdigest()


def _plain(section: dict[str, object]) -> dict[str, str]:
    return {name: repr(value) for name, value in section.items()}


def read_card(folder: Path) -> Card | None:
    """Return the card in the folder of an index; None where there is none to read."""
    try:
        found: Any = json.loads(_read(folder / FILE))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.keys() != KINDS.keys():
        return None
    sound = all(isinstance(found[name], kind) for name, kind in KINDS.items())
    return Card(**found) if sound else None


def _read(file: Path) -> bytes:
    """Return what a file of ours holds, waiting for nobody.

    What comes with a vault from elsewhere may be a pipe, a link, or without end.

    Raises:
        OSError: there is none, or it is none of ours.
    """
    fd = os.open(file, os.O_RDONLY | PLAIN)
    try:
        found = os.fstat(fd)
        ours = not hasattr(os, "getuid") or found.st_uid == os.getuid()
        if not (ours and stat.S_ISREG(found.st_mode) and found.st_size <= LONGEST):
            raise OSError(f"{file} is no card")
        return os.read(fd, LONGEST)
    finally:
        os.close(fd)


def write_card(folder: Path, card: Card) -> None:
    """Leave a card in the place of any that is there; nobody sees half of one.

    Raises:
        OSError: the disk does not take it.
    """
    staged = folder / f".{FILE}.{os.getpid()}"
    staged.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with open(os.open(staged, flags, 0o600), "wb") as file:  # noqa: PTH123 - by number
        file.write(json.dumps(card._asdict()).encode())
    staged.replace(folder / FILE)


def remove_card(folder: Path, token: str) -> None:
    """Take the card of that token away; another's stays."""
    card = read_card(folder)
    if card is not None and card.token == token:
        with suppress(OSError):
            (folder / FILE).unlink()
