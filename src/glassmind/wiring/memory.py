"""The adapters of memory.

A part of `wiring` that a search does not need.
"""

from typing import TYPE_CHECKING, Protocol

from glassmind.files.read import VaultFiles
from glassmind.files.write import Permit, VaultWriter
from glassmind.memory.cabinet import Acts, Cabinet
from glassmind.memory.verbs import Memory
from glassmind.model.catalogue import GuessedNote
from glassmind.search.query import parse_day
from glassmind.store.sqlite.connection import still
from glassmind.store.sqlite.memory import MemoRows
from glassmind.store.sqlite.notes import ProjectRows
from glassmind.store.sqlite.pairs import PairRows
from glassmind.store.sqlite.vectors import VectorRows
from glassmind.wiring.trust import trust_for
from glassmind.wiring.use import UseGrounds, heat_sources

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from glassmind.model import NotePath
    from glassmind.model.catalogue import NoteText
    from glassmind.model.hindsight import Told
    from glassmind.ports.hindsight import OtherMemory
    from glassmind.search.notes import NoteReader


class Adapters(UseGrounds, Protocol):
    """What `wiring` has for us; the place may become another while we write."""

    @property
    def hindsight(self) -> "OtherMemory | None":
        """The memory beside the vault, where there is one."""

    def notes(self) -> "NoteReader":
        """Return what reads single notes and lists."""

    def files(self) -> VaultFiles:
        """Return what reads notes as they are on disk now."""


def memory_for(adapters: Adapters, acts: Acts) -> Memory:
    """Return the verbs of memory over the vault of these adapters."""
    root, writes = adapters.config.vault.path, adapters.config.writes
    folder = writes.agent_dir.strip("/")
    permit = Permit(folder, writes.agent_dir_writable)
    return Memory(
        Cabinet(
            config=adapters.config,
            root=root,
            folder=folder,
            faults=adapters.reader.faults,
            still=lambda: still(adapters.reader.connection()),
            find=lambda name: adapters.notes().find(name),
            sure=lambda name: adapters.notes().sure(name),
            place=lambda name: _place(adapters.notes(), name),
            files=adapters.files,
            writer=lambda client: VaultWriter(root, permit, client=client),
            acts=acts,
            projects=lambda: ProjectRows(adapters.reader.connection()),
            memos=lambda: MemoRows(adapters.reader.connection()),
            space=lambda: _space(adapters),
            day=parse_day,
            heat=lambda: heat_sources(adapters),
            pinned_notes=lambda: PairRows(adapters.reader.connection()),
            tell=_tell(adapters),
            untrusted=lambda paths: _is_untrusted(adapters, paths),
        )
    )


def _tell(adapters: Adapters) -> "Callable[[Told], None] | None":
    """Return what tells Hindsight of captures; None where they do not go there."""
    other = adapters.hindsight if adapters.config.hindsight.retain else None
    return None if other is None else other.tell


def _is_untrusted(adapters: Adapters, paths: "Sequence[NotePath]") -> bool:
    """Return whether one of some notes is of those that nobody vouches for.

    Where the settings name none, that is any, if they ask for it at all.
    """
    writes = adapters.config.writes
    if not writes.untrusted and not writes.approve_after_untrusted:
        return False
    trust = trust_for(adapters)
    trust.hand("", paths)
    return trust.is_tainted("")


def _space(adapters: Adapters) -> str:
    found = VectorRows(adapters.reader.connection()).answering()
    return "" if found is None else found.name


def _place(notes: "NoteReader", name: str) -> "NoteText | None":
    """Return a note, or the part that a name says; None where it is but a guess."""
    found = notes.read(name)
    return None if isinstance(found, GuessedNote) else found
