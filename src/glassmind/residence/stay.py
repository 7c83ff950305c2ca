"""A stay as the resident: answering guests, following the vault, warming up."""

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread
from typing import Any

from glassmind.engine import Engine
from glassmind.errors import IndexAbsent, IndexTaken
from glassmind.resident.card import (
    Card,
    fingerprint,
    read_card,
    remove_card,
    write_card,
)
from glassmind.resident.door import is_door, new_token, open_door, remove_door
from glassmind.resident.listener import Listener, Tell
from glassmind.store.lock import WriterLock
from glassmind.types.files import IndexReport, Progress
from glassmind.types.search import SearchReply
from glassmind.types.watch import TellNews
from glassmind.version import __version__

WARM_AFTER_S = 5.0
"""How long nobody has to ask before the model is loaded in advance."""

TOLD_S = 0.1
"""How often at most a guest is told how far its work has come."""

CLOSE_S = 2.0
"""How long ending may take; what is not done by then is left as a kill leaves it."""


class Stay:
    """What a resident does for as long as it is one: it answers, watches, warms up.

    It watches where there is somebody to be told.
    """

    def __init__(self, engine: Engine, folder: Path, told: TellNews | None) -> None:
        self._engine, self._told = engine, told
        self._folder, self._token = folder, new_token()
        self._asked, self._over, self.way = Event(), Event(), Event()
        self._listener: Listener | None = None
        self._address: str | int = ""
        self._card: Card | None = None
        self._threads: list[Thread] = []

    def begin(self) -> None:
        """Open the door, leave a card, and begin to work.

        Raises:
            OSError: no door can be opened, or no card left.
        """
        gone = read_card(self._folder)
        if gone is not None:
            remove_door(gone.address, self._folder)
        door, self._address = open_door(self._folder)
        verbs = {
            "search": self._search,
            "index": self._index,
            "make_way": self._make_way,
        }
        self._listener = Listener(
            door, self._token, verbs, self._asked.set, long=("index",)
        )
        self._listener.start()
        self._card = self._new_card()
        write_card(self._folder, self._card)
        self._threads.append(started("warm", self._warm))
        if self._told is not None:
            self._threads.append(started("watch", self._watch))

    def renew(self) -> None:
        """Make again what guests find us by, where it is gone."""
        if self._listener is None or self._card is None:
            return
        with suppress(OSError):  # the next beat tries again
            if not is_door(self._address, self._folder):
                door, self._address = open_door(self._folder)
                self._listener.move_to(door)
                self._card = self._card._replace(address=self._address)
            if read_card(self._folder) != self._card:
                write_card(self._folder, self._card)

    def _new_card(self) -> Card:
        return Card(
            os.getpid(),
            __version__,
            self._address,
            self._token,
            fingerprint(self._engine.config, self._token),
            datetime.now(UTC).isoformat(timespec="seconds"),
            self._told is not None,
        )

    def _search(self, asked: Mapping[str, Any], _: Tell) -> SearchReply:
        wishes = {**asked}
        scope = wishes.pop("scope", None)
        engine = self._engine if scope is None else self._engine.seen_by(scope)
        return engine.search(**wishes)

    def _make_way(self, _: Mapping[str, Any], __: Tell) -> None:
        """Leave the role to who follows the vault, unless we do."""
        if self._told is None:
            self.way.set()

    def _index(self, asked: Mapping[str, Any], tell: Tell) -> IndexReport:
        last, due = "", 0.0

        def progress(now: Progress) -> None:
            nonlocal last, due
            if now.stage != last or time.monotonic() >= due:
                last, due = now.stage, time.monotonic() + TOLD_S
                tell(now)

        return self._engine.index(**asked, progress=progress)

    def _warm(self) -> None:
        """Load the model when somebody has asked, or nobody does for a while."""
        self._asked.wait(WARM_AFTER_S)
        if not self._over.is_set():
            self._engine.warm()

    def _watch(self) -> None:
        self._engine.watch(self._over, told=self._told)

    def end(self, lock: WriterLock) -> None:
        """Stop all work, and take away what was left for guests if it is still ours."""
        self._over.set()
        self._asked.set()
        deadline = time.monotonic() + CLOSE_S * 0.8
        with suppress(IndexTaken, IndexAbsent):
            lock.check()
            remove_card(self._folder, self._token)
            if self._address:
                remove_door(self._address, self._folder)
        if self._listener is not None:
            self._listener.close(CLOSE_S / 2)
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))


def started(name: str, work: Callable[[], None]) -> Thread:
    """Return a thread that is at work, and ends with the process."""
    thread = Thread(target=work, name=f"glassmind-{name}", daemon=True)
    thread.start()
    return thread
