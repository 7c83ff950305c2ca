"""Updates the stored pairs of similar notes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from glassmind.errors import IndexBusy
from glassmind.model.suggestions import MOST_PARTNERS, PAIRS_VERSION
from glassmind.vault import Vault

if TYPE_CHECKING:
    from glassmind.model.index import ShowProgress
    from glassmind.store.protocol import Transaction

WRITER_WAIT_S = 30.0  # for another writer; else pairs are made again


def pair_notes(
    vault: Vault, progress: "ShowProgress", pause: Callable[[], bool]
) -> None:
    """Bring the pairs up to the vectors until `pause`, unless others write."""
    with vault.store.faults():
        if pause() or _is_level(vault):
            return
        from glassmind.graph.similar import update_pairs  # noqa: PLC0415 - numpy

        source = vault.rows()
        with suppress(IndexBusy):
            level = vault.config.graph.similarity
            update_pairs(source, lambda: _step(vault), level, progress, pause)


def _is_level(vault: Vault) -> bool:
    """True if there is nothing to do; found out without numpy."""
    rows = vault.rows()
    space, state = vault.store.rows().answering_space(), rows.pair_state()
    if space is None:
        return True
    level = vault.config.graph.similarity
    wanted = (space.name, level, MOST_PARTNERS, PAIRS_VERSION)
    made = state and (state.space, state.level, state.most, state.version)
    if made != wanted:
        return False
    news = rows.pair_news()
    return not news.changed and news.linked == []


@contextmanager
def _step(vault: Vault) -> "Iterator[Transaction]":
    with (
        vault.writing(WRITER_WAIT_S, here=True) as writer,
        writer.faults(),
        writer.transaction() as step,
    ):
        yield step
