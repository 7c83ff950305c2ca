"""The adapters that follow a vault while it changes.

A part of `wiring` that a search does not need.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from glassmind.files.watch import VaultChanges, VaultEvents
from glassmind.index.keeper import IndexKeeper
from glassmind.index.watching import Pace, Post, Watching
from glassmind.model.index import WatchState
from glassmind.store.disk import filesystem_kind, on_network
from glassmind.store.watch_state import clear_state, write_state
from glassmind.vault import Vault
from glassmind.wiring.keeper import keeper_for

if TYPE_CHECKING:
    from glassmind.store.sqlite.writer import SqliteWriter

WRITER_WAIT_S = 10.0
"""How long a watch waits for another writer before it says so and tries again later."""


def watching_for(vault: Vault, renew: Callable[[float], None]) -> Watching:
    """Return what follows the vault of these vault.

    `renew` brings what is made from links up to them, waiting so long for writers.
    """
    config, root = vault.config, vault.config.vault.path
    keeper = _patient(vault)

    def listen(hear: Callable[[VaultChanges], None]) -> VaultEvents:
        return VaultEvents(
            root, vault.place.database_folder, keeper.shop.ignore_rules, hear
        )

    def holds(path: str) -> bool:
        if path.endswith("/"):
            return False
        with vault.reader.faults():
            return vault.reader.rows().any_below(path)

    def head() -> str:
        with vault.reader.faults():
            return vault.reader.log().head()

    kept: list[int] = []

    def leave_word(state: WatchState | None) -> None:
        if state is not None:
            kept[:] = [state.pid]
            write_state(vault.place.folder, state)
        elif kept:
            clear_state(vault.place.folder, kept[0])

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
            rest=vault.reader.close,
            silent=silent if on_network(root) else "",
            relinked=lambda: renew(WRITER_WAIT_S),
        )
    )


def _patient(vault: Vault) -> IndexKeeper:
    """Return the keeper of a process that stays, and need not wait so long."""

    def writing(
        wait_s: float = WRITER_WAIT_S, **wishes: Any
    ) -> "AbstractContextManager[SqliteWriter]":
        return vault.writing(wait_s, **wishes)

    keeper = keeper_for(vault)
    shop = replace(keeper.shop, writing=writing)
    meaning = keeper.meaning
    if meaning is not None:
        meaning = replace(meaning, shop=shop)
    return replace(keeper, shop=shop, meaning=meaning)
