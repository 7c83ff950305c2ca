"""A vault's place in a process that stays: its engine, and the role of the resident.

Of all processes that stay with a vault one is its resident: it holds the models,
follows the vault and writes. The others are guests, whose questions it answers. The
role is a lock: whoever holds it ends or hangs, and a guest has it.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Literal, Self, TypeVar

from glassmind.config import Config
from glassmind.engine import Engine
from glassmind.errors import GlassmindError, IndexAbsent, IndexTaken
from glassmind.ports.elsewhere import Elsewhere
from glassmind.render.watch import news_as_text
from glassmind.residence.stay import CLOSE_S, Stay, started
from glassmind.resident.ask import NoAnswer, ask
from glassmind.resident.card import Card, read_card
from glassmind.store.lock import WriterLock
from glassmind.store.place import make_folder
from glassmind.types.watch import Brought, News, StoodBy, TellNews, TookOver
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

GIVEN_S = 3.0
"""How long whoever made way does not try for the role: guests try more often."""


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
        self._alone = Engine(self._adapters, alone=True, records=False)
        self._closing, self._poke, self._residing = Event(), Event(), Event()
        self._placeless = self._awaits = self._made_way = False
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
            self._thread = started("role", self._live)

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
        """Try for the role, and fill it, until this process leaves.

        A change of notes that was cut short is brought to its end first.
        """
        lock: WriterLock | None = None
        with suppress(GlassmindError, OSError):
            for sentence in self._adapters.settle():
                self._log(sentence)
        while not self._closing.is_set():
            try:
                lock = self._try_for(lock)
            except (GlassmindError, OSError) as error:
                lock = None
                self._without(str(error))
            if self._made_way:
                self._made_way = False
                self._closing.wait(GIVEN_S)
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
        try:
            taken = lock.try_take()
        except IndexAbsent:
            self._say_deleted()
            return None
        if not taken:
            self._stand_by(lock)
            return lock
        self._reside(lock, folder)
        return None

    def _stand_by(self, lock: WriterLock) -> None:
        """Say once who fills the role; whoever only looks at the lock does not."""
        self._placeless = False
        card = read_card(self._adapters.place.folder)
        if self._told is None or card is None:
            return
        if not card.watches and self._is_given_way(card):
            return
        if self._awaits:
            return
        if lock.holder() == (holder := f"process {card.pid}"):
            self._awaits = True
            self._told(StoodBy(holder))

    def _is_given_way(self, card: Card) -> bool:
        """Ask a resident that follows no vault for its role; whether it heard us."""
        try:
            ask(card, "make_way", {}, longest_s=BEAT_S)
        except (NoAnswer, GlassmindError):
            return False
        return True

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
        stay = Stay(self._alone, folder, self._told)
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
                if stay.way.is_set():
                    self._made_way = True
                    self._log("makes way for a process that follows the vault")
                    break
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
