"""The adapters of memory.

A part of `wiring` that a search does not need.
"""

from typing import TYPE_CHECKING

from glassmind.access.trust import trust_for
from glassmind.files.write import Permit, VaultWriter
from glassmind.memory.memory import Memory
from glassmind.memory.parts import Acts, Cabinet
from glassmind.model.index import GuessedNote
from glassmind.search.notes import notes_for
from glassmind.search.query import parse_day
from glassmind.store.sqlite.connection import still
from glassmind.store.sqlite.memory import MemoRows
from glassmind.store.sqlite.notes import ProjectRows
from glassmind.store.sqlite.pairs import PairRows
from glassmind.store.sqlite.vectors import VectorRows
from glassmind.vault import Vault
from glassmind.wiring.use import heat_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from glassmind.model import NotePath
    from glassmind.model.index import NoteText
    from glassmind.model.search import Told
    from glassmind.search.notes import NoteReader


def memory_for(vault: Vault, acts: Acts) -> Memory:
    """Return the verbs of memory over a vault."""
    root, writes = vault.config.vault.path, vault.config.writes
    folder = writes.agent_dir.strip("/")
    permit = Permit(folder, writes.agent_dir_writable)
    return Memory(
        Cabinet(
            config=vault.config,
            root=root,
            folder=folder,
            faults=vault.reader.faults,
            still=lambda: still(vault.reader.connection()),
            find=lambda name: notes_for(vault).find(name),
            sure=lambda name: notes_for(vault).sure(name),
            place=lambda name: _place(notes_for(vault), name),
            files=vault.files,
            writer=lambda client: VaultWriter(root, permit, client=client),
            acts=acts,
            projects=lambda: ProjectRows(vault.reader.connection()),
            memos=lambda: MemoRows(vault.reader.connection()),
            space=lambda: _space(vault),
            day=parse_day,
            heat=lambda: heat_sources(vault),
            pinned_notes=lambda: PairRows(vault.reader.connection()),
            tell=_tell(vault),
            untrusted=lambda paths: _is_untrusted(vault, paths),
        )
    )


def _tell(vault: Vault) -> "Callable[[Told], None] | None":
    """Return what tells Hindsight of captures; None where they do not go there."""
    other = vault.hindsight if vault.config.hindsight.retain else None
    return None if other is None else other.tell


def _is_untrusted(vault: Vault, paths: "Sequence[NotePath]") -> bool:
    """Return whether one of some notes is of those that nobody vouches for.

    Where the settings name none, that is any, if they ask for it at all.
    """
    writes = vault.config.writes
    if not writes.untrusted and not writes.approve_after_untrusted:
        return False
    trust = trust_for(vault.config, vault.tagged)
    trust.hand("", paths)
    return trust.is_tainted("")


def _space(vault: Vault) -> str:
    found = VectorRows(vault.reader.connection()).answering()
    return "" if found is None else found.name


def _place(notes: "NoteReader", name: str) -> "NoteText | None":
    """Return a note, or the part that a name says; None where it is but a guess."""
    found = notes.read(name)
    return None if isinstance(found, GuessedNote) else found
