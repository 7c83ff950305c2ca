"""A vault's place in a process that stays: its engine, and the role of the resident.

Of all processes that stay with a vault one is its resident: it holds the models,
follows the vault and writes. The others are guests, whose questions it answers. The
role is a lock: whoever holds it ends or hangs, and a guest has it.
"""

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from glassmind.config import Config
from glassmind.engine import Engine
from glassmind.errors import GlassmindError, IndexAbsent, IndexTaken
from glassmind.ports.elsewhere import Elsewhere
from glassmind.render.watch import news_as_text
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
from glassmind.store.place import make_folder
from glassmind.types.files import IndexReport, Progress
from glassmind.types.search import SearchReply
from glassmind.types.watch import Brought, News, StoodBy, TellNews, TookOver
from glassmind.version import __version__
from glassmind.wiring import LocalAdapters, guest_for
from glassmind.wiring.guest import Guest

T = TypeVar("T")

ROLE = "resident.lock"

TRY_S = 0.5
"""How often a guest tries for the role: a killed resident is replaced in that time."""

BEAT_S = 1.0
"""How often a resident shows that it is alive."""

SUCCEEDED_S = 4.0
"""How long a question waits for a resident, the first or the one after it: in this time
one that hangs is replaced. Who can be the resident itself does not wait."""

ALONE_S = 5.0
"""How long it is remembered that nobody was found: questions do not wait meanwhile."""

LOOK_S = 0.02
"""How often a question that waits looks whether there is a resident."""

WARM_AFTER_S = 5.0
"""How long nobody has to ask before the model is loaded in advance."""

TOLD_S = 0.1
"""How often at most a guest is told how far its work has come."""

CLOSE_S = 2.0
"""How long ending may take; what is not done by then is left as a kill leaves it."""


class Residence:
    """The engine of a vault for as long as this process stays.

    `engine` can be asked at once, before `start` and from any thread. With `watch` the
    resident follows the vault, if the settings let it. `log` is told in one sentence
    what a person who looks after the process should know, and `told`, where it is
    given, of all that following the vault brings; both may be called from any thread.
    """

    def __init__(
        self,
        config: Config,
        *,
        watch: bool = True,
        log: Callable[[str], None],
        told: TellNews | None = None,
    ) -> None:
        self.config, self._log = config, _unheard(log)
        watches = watch and config.watch.enabled
        self._told = _unheard(told or _in_sentences(log)) if watches else None
        self._adapters = LocalAdapters(config)
        self._adapters.host = self._host
        self.engine = Engine(self._adapters)
        self._alone = Engine(self._adapters, alone=True)
        self._closing, self._poke, self._residing = Event(), Event(), Event()
        self._placeless = self._awaits = False
        self._alone_until = 0.0
        self._thread: Thread | None = None

    @property
    def is_alive(self) -> bool:
        """Whether this process still tries for the role or fills it."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def role(self) -> Literal["resident", "guest"]:
        """Whether this process answers for the others, or is answered for."""
        return "resident" if self._residing.is_set() else "guest"

    def start(self) -> None:
        """Begin to try for the role; returns at once."""
        if self._thread is None:
            self._thread = _started("role", self._live)

    def _host(self) -> Elsewhere | None:
        """Return who answers in our place, waiting a little until that is known."""
        if self._residing.is_set():
            return None
        if self._thread is None:
            return guest_for(self._adapters)
        if self._card_of_another(None) is None:
            return None
        return Guest(self._adapters, self._card_of_another)

    def _card_of_another(self, failed: Card | None) -> Card | None:
        """Return the card of a resident that is neither us nor known to have failed."""
        began = time.monotonic()
        deadline = began if began < self._alone_until else began + SUCCEEDED_S
        while not (self._residing.is_set() or self._placeless):
            card = read_card(self._adapters.place.folder)
            if card is not None and (failed is None or card.token != failed.token):
                return card
            if time.monotonic() > deadline or self._closing.is_set():
                if deadline > began:
                    self._alone_until = deadline + ALONE_S
                break
            self._poke.set()
            time.sleep(LOOK_S)
        return None

    def _live(self) -> None:
        """Try for the role, and fill it, until this process leaves."""
        lock: WriterLock | None = None
        while not self._closing.is_set():
            try:
                lock = self._try_for(lock)
            except (GlassmindError, OSError) as error:
                lock = None
                self._without(str(error))
            self._poke.wait(TRY_S)
            self._poke.clear()

    def _try_for(self, lock: WriterLock | None) -> WriterLock | None:
        """Fill the role if it is free; return the lock to try for it again, if any."""
        folder = self._adapters.place.folder
        if lock is not None and not (folder / ROLE).exists():
            self._say_deleted()
            lock = None
        lock = lock or self._role_lock()
        if lock is None:
            return None
        if not lock.try_take():
            self._stand_by(lock)
            return lock
        self._reside(lock, folder)
        return None

    def _stand_by(self, lock: WriterLock) -> None:
        """Say once who fills the role; whoever only looks at the lock does not."""
        self._placeless = False
        card = read_card(self._adapters.place.folder)
        if self._awaits or self._told is None or card is None:
            return
        if lock.holder() == (holder := f"process {card.pid}"):
            self._awaits = True
            self._told(StoodBy(holder))

    def _say_deleted(self) -> None:
        anew = "" if self._told is None else "; it is being made anew"
        self._log(f"the index was deleted{anew}")

    def _role_lock(self) -> WriterLock | None:
        place = self._adapters.place
        failed = make_folder(place.folder) if place.writable else "it is read-only"
        if place.temporary or failed is not None:
            self._without(failed or "the index is kept for this process alone")
            return None
        return WriterLock(place.folder / ROLE, takes_over=True, beats=True)

    def _without(self, reason: str) -> None:
        """Work without a resident, having said why once."""
        if not self._placeless:
            self._log(f"this process works by itself: {reason}")
        self._placeless = True

    def _reside(self, lock: WriterLock, folder: Path) -> None:
        """Be the resident until this process leaves or the role is taken from it."""
        self._residing.set()
        stay = _Stay(self._alone, folder, self._told)
        try:
            stay.begin()
            self._placeless = False
            self._log("this process is the resident of the vault now")
            if self._awaits and self._told is not None:
                self._told(TookOver())
            self._awaits = False
            while not self._closing.wait(BEAT_S):
                lock.beat()
                stay.renew()
                if self._adapters.place.folder != folder:
                    break  # the index went to another folder, and so does the role
        except IndexTaken as error:
            self._log(f"{error.holder} is the resident of the vault now")
        except IndexAbsent:
            self._say_deleted()
        finally:
            stay.end(lock)
            self._residing.clear()
            lock.release()

    def close(self) -> None:
        """Give up the role and let go of everything, within two seconds."""
        self._closing.set()
        self._poke.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(CLOSE_S)
        if thread is None or not thread.is_alive():
            self.engine.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Stay:
    """What a resident does for as long as it is one: it answers, watches, warms up.

    It watches where there is somebody to be told.
    """

    def __init__(self, engine: Engine, folder: Path, told: TellNews | None) -> None:
        self._engine, self._told = engine, told
        self._folder, self._token = folder, new_token()
        self._asked, self._over = Event(), Event()
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
        verbs = {"search": self._search, "index": self._index}
        self._listener = Listener(
            door, self._token, verbs, self._asked.set, long=("index",)
        )
        self._listener.start()
        self._card = self._new_card()
        write_card(self._folder, self._card)
        self._threads.append(_started("warm", self._warm))
        if self._told is not None:
            self._threads.append(_started("watch", self._watch))

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
        )

    def _search(self, asked: Mapping[str, Any], _: Tell) -> SearchReply:
        return self._engine.search(**asked)

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


def _unheard(tell: Callable[[T], None]) -> Callable[[T], None]:
    """Return what tells, and goes on where nobody hears it any more."""

    def told(what: T) -> None:
        with suppress(OSError, ValueError):  # a stream without a reader, or closed
            tell(what)

    return told


def _in_sentences(log: Callable[[str], None]) -> TellNews:
    """Return what logs all but the daily work."""

    def tell(news: News) -> None:
        if not isinstance(news, Brought):
            log(news_as_text(news))

    return tell


def _started(name: str, work: Callable[[], None]) -> Thread:
    thread = Thread(target=work, name=f"glassmind-{name}", daemon=True)
    thread.start()
    return thread
