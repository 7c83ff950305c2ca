"""The adapters of similar notes: their rows, what was dismissed of them, who pairs.

A part of `wiring` that a search by words does not need.
"""

from glassmind.knowledge.dismissals import DismissalBook
from glassmind.store.sqlite.pair_rows import PairRows
from glassmind.vault.read import VaultFiles
from glassmind.vault.write import Permit, VaultWriter
from glassmind.wiring.grounds import Grounds


def vault_writer(adapters: Grounds) -> VaultWriter:
    """Return what writes to the vault, as far as the settings let it."""
    writes = adapters.config.writes
    permit = Permit(writes.agent_dir.strip("/"), writes.agent_dir_writable)
    return VaultWriter(adapters.config.vault.path, permit)


def dismissals_for(adapters: Grounds) -> DismissalBook:
    """Return what a person wants to hear no more of."""
    root = adapters.config.vault.path
    return DismissalBook(
        lambda: VaultFiles(root),
        adapters.config.writes.agent_dir.strip("/"),
        lambda: PairRows(adapters.reader.connection()),
        lambda: adapters.reader.log().head(),
        lambda: vault_writer(adapters),
    )
