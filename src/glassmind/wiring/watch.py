"""The adapters that follow a vault while it changes.

A part of `wiring` that a search does not need.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from glassmind.files.watch import VaultChanges, VaultEvents
from glassmind.index.keeper import IndexKeeper
from glassmind.index.watching import Pace, Post, Watching
from glassmind.model.watch import WatchState
from glassmind.store.disk import filesystem_kind, on_network
from glassmind.store.watch_state import clear_state, write_state
from glassmind.wiring.grounds import Grounds

if TYPE_CHECKING:
    from glassmind.store.sqlite.writer import SqliteWriter

WRITER_WAIT_S = 10.0
"""How long a watch waits for another writer before it says so and tries again later."""


class Adapters(Grounds, Protocol):
    """What `wiring` has for us; the place may become another while we write."""

    def keeper(self) -> IndexKeeper:
        """Return what writes the index."""

    @property
    def writing(self) -> "Callable[..., AbstractContextManager[SqliteWriter]]":
        """What holds the writer lock and the rows open for writing."""


def watching_for(adapters: Adapters, renew: Callable[[float], None]) -> Watching:
    """Return what follows the vault of these adapters.

    `renew` brings what is made from links up to them, waiting so long for writers.
    """
    config, root = adapters.config, adapters.config.vault.path
    keeper = _patient(adapters)

    def listen(hear: Callable[[VaultChanges], None]) -> VaultEvents:
        return VaultEvents(
            root, adapters.place.database_folder, keeper.shop.ignore_rules, hear
        )

    def holds(path: str) -> bool:
        if path.endswith("/"):
            return False
        with adapters.reader.faults():
            return adapters.reader.rows().any_below(path)

    def head() -> str:
        with adapters.reader.faults():
            return adapters.reader.log().head()

    kept: list[int] = []

    def leave_word(state: WatchState | None) -> None:
        if state is not None:
            kept[:] = [state.pid]
            write_state(adapters.place.folder, state)
        elif kept:
            clear_state(adapters.place.folder, kept[0])

    kind = filesystem_kind(root)
    silent = f"{kind} tells nobody of changes that another machine makes"
    chosen = config.watch
    return Watching(
        Post(
            keeper=keeper,
            pace=Pace(
                quiet_s=chosen.debounce_ms / 1000,
                longest_s=chosen.longest_wait_ms / 1000,
                rescan_s=chosen.rescan_s,
                poll_s=chosen.poll_s,
                graph_quiet_s=chosen.community_debounce_ms / 1000,
            ),
            listen=listen,
            holds=holds,
            head=head,
            leave_word=leave_word,
            rest=adapters.reader.close,
            silent=silent if on_network(root) else "",
            relinked=lambda: renew(WRITER_WAIT_S),
        )
    )


def _patient(adapters: Adapters) -> IndexKeeper:
    """Return the keeper of a process that stays, and need not wait so long."""

    def writing(
        wait_s: float = WRITER_WAIT_S, **wishes: Any
    ) -> "AbstractContextManager[SqliteWriter]":
        return adapters.writing(wait_s, **wishes)

    keeper = adapters.keeper()
    shop = replace(keeper.shop, writing=writing)
    meaning = keeper.meaning
    if meaning is not None:
        meaning = replace(meaning, shop=shop)
    return replace(keeper, shop=shop, meaning=meaning)
