"""Every concrete adapter by name, each imported when it is first needed."""

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from glassmind.config import Config, load_config
from glassmind.engine import Engine
from glassmind.store.lexical.search import FollowingIndex
from glassmind.store.place import (
    Place,
    Trusted,
    choose_place,
    data_folder,
    index_locations,
    split_place,
    trusted,
)
from glassmind.store.sqlite.reader import SqliteReader
from glassmind.store.usage_log import UseLog, use_folder
from glassmind.wiring.once import RecentResults, made_once
from glassmind.wiring.pending import Renames, is_unsettled

if TYPE_CHECKING:
    from glassmind.context.answers.desk import Gather
    from glassmind.context.answers.verbs import Answers
    from glassmind.context.bundles import Bundles
    from glassmind.context.parts import Sources
    from glassmind.edit.desk import Handed
    from glassmind.edit.editing import Editing
    from glassmind.edit.trust import Trust
    from glassmind.files.read import VaultFiles
    from glassmind.graph.context import Graphs
    from glassmind.graph.dismissals import DismissalBook
    from glassmind.graph.knowledge import Knowledge
    from glassmind.graph.themes import Themed
    from glassmind.index.keeper import IndexKeeper
    from glassmind.index.watching import Watching
    from glassmind.memory.cabinet import Acts
    from glassmind.memory.verbs import Memory
    from glassmind.model.access import Scope
    from glassmind.model.adjustments import Successor
    from glassmind.model.search import SearchReply
    from glassmind.model.vectors import Space
    from glassmind.ports.editing import Refresh
    from glassmind.ports.elsewhere import Elsewhere
    from glassmind.ports.hindsight import OtherMemory
    from glassmind.ports.models import Embedder
    from glassmind.ports.retrieval import WordSearch
    from glassmind.search.hybrid import Hybrid
    from glassmind.search.notes import NoteReader
    from glassmind.store.place import VaultIndex
    from glassmind.store.sqlite.links import Edges
    from glassmind.store.sqlite.notes import Rows
    from glassmind.store.sqlite.writer import SqliteWriter
    from glassmind.store.watch_state import WatchWord
    from glassmind.wiring.embedders import Embedders
    from glassmind.wiring.index import WordsMarker
    from glassmind.wiring.pairs import OpenPairing
    from glassmind.wiring.search import OpenMeaning
    from glassmind.wiring.write import Writing

WATCH = "watch.json"
"""What whoever follows the vault leaves there."""


def open_vault(
    vault: str | Path | None = None,
    *,
    settings: Mapping[str, object] | None = None,
    env: Mapping[str, str] | None = None,
) -> Engine:
    """Return the engine of a vault, with the settings in force there.

    Without `vault`, the variables, the configuration or the folder one stands in choose
    it. `settings` go by full name, such as `{"search.limit": 5}`, and win over all
    others.

    Raises:
        ConfigError: the vault or a setting cannot be used.
    """
    flags = {"vault.path": vault, **(settings or {})}
    known = os.environ if env is None else env
    return engine_for(load_config(flags=flags, env=known, cwd=Path.cwd()))


def engine_for(config: Config) -> Engine:
    """Return the engine of a loaded configuration."""
    return Engine(LocalAdapters(config))


class LocalAdapters:
    """The adapters of one vault on this machine, for any number of threads."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.making = RLock()
        self.host: Callable[[], Elsewhere | None] = lambda: None
        self._words: FollowingIndex | None = None
        self.renames = Renames()
        self.found_renamed = self.renames.add
        self._seen: list[LocalAdapters] = []
        self.scope_results = RecentResults()

    @made_once
    def locations(self) -> Trusted:
        """The folders that the index may stand in, in the order they are tried."""
        config = self.config
        return trusted(index_locations(config), config.vault.path, data_folder(config))

    @made_once
    def place(self) -> Place:
        """The folder of the index, chosen once."""
        known, found = self.locations.notices, choose_place(self.locations.folders)
        if found is not None:
            return self._split(found._replace(notices=(*known, *found.notices)))
        from glassmind.wiring.write import temporary_place  # noqa: PLC0415

        return temporary_place(known)

    def _split(self, place: Place) -> Place:
        return split_place(place, self.config.vault.path, data_folder(self.config))

    @made_once
    def vault_index(self) -> "VaultIndex | None":
        """Checks an index inside the vault; None if the index is outside it."""
        place = self.place
        if place.folder_in_vault is None:
            return None
        from glassmind.store.place import VaultIndex  # noqa: PLC0415

        return VaultIndex(place.folder_in_vault, place.folder)

    def is_ours(self) -> bool:
        """Whether the index may be believed: outside the vault, or built by us."""
        index = self.vault_index
        return index is None or index.is_ours()

    @made_once
    def reader(self) -> SqliteReader:
        """The rows, open for reading."""
        return SqliteReader(self.place.database_folder, self.is_ours)

    @made_once
    def use_log(self) -> UseLog:
        """What was handed out, on record outside of the vault."""
        return UseLog(self.kept_folder if self.config.memory.record_use else None)

    @made_once
    def kept_folder(self) -> Path | None:
        """The folder outside of the vault for what is kept beside the index."""
        return use_folder(self.locations.folders, self.config.vault.path)

    def notices(self) -> list[str]:
        """Return what a user should know about where the index stands."""
        self._make_temporary()
        return [*self.place.notices, *self.reader.notices(), *self.hindrances()]

    def hindrances(self) -> list[str]:
        """Return what keeps whoever follows the vault, if anyone, from taking it in."""
        there = (self.place.folder / WATCH).is_file()  # all it costs if nobody does
        return self._watch_word.hindrances() if there else []

    @made_once
    def _watch_word(self) -> "WatchWord":
        from glassmind.store.watch_state import WatchWord  # noqa: PLC0415

        return WatchWord(lambda: self.place.folder)

    def is_embedding(self) -> bool:
        """Whether somebody embeds now, or follows the vault and does so by itself."""
        from glassmind.store.lock import is_held  # noqa: PLC0415
        from glassmind.store.watch_state import read_state  # noqa: PLC0415

        folder, backend = self.place.folder, self.config.embeddings.backend
        watched = backend != "none" and read_state(folder).mode != "off"
        return watched or is_held(folder / "embedding.lock")

    def elsewhere(self) -> "Elsewhere | None":
        """Return who answers in our place; None when nobody does."""
        return self.host()

    def faults(self) -> AbstractContextManager[None]:
        """Return what names the faults of everything done inside it."""
        return self.reader.faults()

    def head(self) -> str:
        """Return how far the rows have come."""
        self._make_temporary()
        return self.reader.log().head()

    def is_owed(self, head: str) -> bool:
        """Whether the rows came that far by an edit, whose words are to be found."""
        from glassmind.model.sidecar import OWED  # noqa: PLC0415

        return self.rows().setting(OWED) == head

    def _make_temporary(self) -> None:
        """Make an index that is kept for this process alone when it is first asked."""
        if self.place.temporary and not (self.place.folder / "index.db").exists():
            self.keeper().index(embed=False)  # whoever asks waits for it

    def rows(self) -> "Rows":
        """Return the rows of hits."""
        return self.reader.rows()

    def successors(self, head: str) -> "Mapping[int, Successor]":
        """Return which notes were superseded, and by what."""
        return self.reader.successors(head)

    def words(self) -> FollowingIndex | None:
        """Return the word index; None when there is none that can be opened."""
        words = self._words
        if words is None:
            words = self._words = FollowingIndex.open(self.place.folder)
        return words

    def forget_words(self) -> None:
        """Open the word index anew when it is next asked for."""
        words, self._words = self._words, None
        if words is not None:
            words.close()

    def edges(self) -> "Edges":
        """Return the links and themes that a search follows."""
        from glassmind.store.sqlite.links import Edges  # noqa: PLC0415

        return Edges(self.reader.connection())

    def hybrid(self, words: "WordSearch") -> "Hybrid":
        """Return what answers by more than words."""
        from glassmind.wiring.search import hybrid_for  # noqa: PLC0415

        return hybrid_for(self, words)

    @made_once
    def meaning(self) -> "OpenMeaning":
        """The model and the vectors that answer; opened when first asked."""
        from glassmind.wiring.search import OpenMeaning  # noqa: PLC0415

        return OpenMeaning(self)

    @made_once
    def hindsight(self) -> "OtherMemory | None":
        """The memory beside the vault; None where none is to be asked."""
        if not self.config.hindsight.url:
            return None
        from glassmind.wiring.search import other_memory  # noqa: PLC0415

        return other_memory(self.config)

    def keeper(self) -> "IndexKeeper":
        """Return what writes, examines and copies the index."""
        from glassmind.wiring.keeper import keeper_for  # noqa: PLC0415

        return keeper_for(self)

    @made_once
    def link_graph(self) -> "Graphs":
        """The link graph of the notes that these adapters show."""
        from glassmind.wiring.knowledge import graph_for  # noqa: PLC0415

        return graph_for(self)

    @made_once
    def themed(self) -> "Themed":
        """The themes of these notes."""
        from glassmind.wiring.knowledge import themed_for  # noqa: PLC0415

        return themed_for(self)

    def knowledge(self, found: "Callable[[str, int], SearchReply]") -> "Knowledge":
        """Return what tells what follows from the links."""
        from glassmind.wiring.knowledge import knowledge_for  # noqa: PLC0415

        return knowledge_for(self, found)

    def bundles(self, sources: "Sources") -> "Bundles":
        """Return what packs notes for an agent."""
        from glassmind.wiring.context import bundles_for  # noqa: PLC0415

        return bundles_for(self, sources)

    def answers(self, gather: "Gather") -> "Answers":
        """Return what answers questions."""
        from glassmind.wiring.answers import answers_for  # noqa: PLC0415

        return answers_for(self.config, gather)

    def memory(self, acts: "Acts") -> "Memory":
        """Return what agents and people leave in the agent folder."""
        from glassmind.wiring.memory import memory_for  # noqa: PLC0415

        return memory_for(self, acts)

    def editing(self, refresh: "Refresh", handed: "Handed") -> "Editing":
        """Return what changes notes, as far as it may."""
        from glassmind.wiring.editing import editing_for  # noqa: PLC0415

        return editing_for(self, refresh, handed)

    def settle(self) -> tuple[str, ...]:
        """Bring a change that was cut short to its end; most often a look at a name."""
        home = self.kept_folder if self.config.writes.mode != "off" else None
        if home is None or not is_unsettled(home):
            return ()
        from glassmind.wiring.editing import settled  # noqa: PLC0415

        return settled(self)

    @made_once
    def trust(self) -> "Trust | None":
        """Who was given what nobody vouches for; None where nobody asks for that."""
        if not self.config.writes.approve_after_untrusted:
            return None
        from glassmind.wiring.trust import trust_for  # noqa: PLC0415

        return trust_for(self)

    @made_once
    def pairing(self) -> "OpenPairing":
        """What keeps the pairs of similar notes up to their vectors."""
        from glassmind.wiring.pairs import OpenPairing  # noqa: PLC0415

        return OpenPairing(self)

    @made_once
    def dismissals(self) -> "DismissalBook":
        """What a person wants to hear no more of."""
        from glassmind.wiring.pairs import dismissals_for  # noqa: PLC0415

        return dismissals_for(self)

    def watching(self, renew: Callable[[float], None]) -> "Watching":
        """Return what follows the vault while it changes."""
        from glassmind.wiring.watch import watching_for  # noqa: PLC0415

        return watching_for(self, renew)

    @made_once
    def embedders(self) -> "Embedders":
        """The models of this process."""
        from glassmind.wiring.embedders import Embedders  # noqa: PLC0415

        return Embedders(self.config)

    def embedder(self) -> "Embedder":
        """Return the model that the settings mean; see `Embedders.chosen`."""
        return self.embedders.chosen()

    def embedder_of(self, space: "Space") -> "Embedder | None":
        """Return the model of a space, if it is here; see `Embedders.of`."""
        return self.embedders.of(space)

    def notes(self) -> "NoteReader":
        """Return what reads single notes and lists."""
        from glassmind.search.notes import NoteReader  # noqa: PLC0415
        from glassmind.store.sqlite.notes import Catalogue  # noqa: PLC0415

        def catalogue() -> Catalogue:
            least = self.config.index.embed_min_chars
            return Catalogue(self.reader.connection(), least)

        self._make_temporary()
        place, rows = self.place, self.reader.rows
        read, told = (self.config, place.folders, rows, catalogue), self.hindrances
        return NoteReader(*read, notices=told, files=self.files)

    def files(self) -> "VaultFiles":
        """Return what reads the files of the vault as they are now."""
        from glassmind.files.read import VaultFiles  # noqa: PLC0415

        limit = self.config.index.max_note_bytes
        return VaultFiles(self.config.vault.path, limit_bytes=limit)

    def seen_by(self, scope: "Scope") -> "LocalAdapters":
        """Return the adapters for whoever has a scope; closed with these."""
        from glassmind.wiring.seen import SeenAdapters  # noqa: PLC0415

        self._seen.append(made := SeenAdapters(self, scope))
        return made

    @made_once
    def writing(self) -> "Writing":
        """Hold the writer lock and the rows open for writing, by one thread a time."""
        from glassmind.wiring.write import Writing  # noqa: PLC0415

        return Writing(self)

    def move_to(self, place: Place) -> None:
        """Have the index in another folder from now on."""
        self.close()
        notices = (*self.locations.notices, *place.notices)
        self.__dict__ |= {"place": self._split(place._replace(notices=notices))}
        for made in ("reader", "writer", "vault_index"):
            self.__dict__.pop(made, None)

    @made_once
    def writer(self) -> "SqliteWriter":
        """The rows, for the holder of the writer lock."""
        from glassmind.files.names import name_key  # noqa: PLC0415
        from glassmind.store.sqlite.writer import SqliteWriter  # noqa: PLC0415

        # no WAL inside the vault: the record is taken between transactions
        wal = self.place.folder_in_vault is None
        return SqliteWriter(self.place.database_folder, name_key, wal=wal)

    @made_once
    def words_marker(self) -> "WordsMarker":
        """How far the word index has come, remembered from run to run."""
        from glassmind.wiring.index import WordsMarker  # noqa: PLC0415

        return WordsMarker(lambda: self.place.folder)

    def close(self) -> None:
        """Let go of everything."""
        for seen in self._seen:
            seen.close()
        self.forget_words()
        if "meaning" in self.__dict__:
            self.meaning.close()
        if "reader" in self.__dict__:
            self.reader.close_all()
        if "use_log" in self.__dict__:
            self.use_log.close()
        if "writer" in self.__dict__:
            self.writer.close()
        if "place" in self.__dict__ and self.place.temporary:
            import shutil  # noqa: PLC0415

            shutil.rmtree(self.place.folder, ignore_errors=True)
