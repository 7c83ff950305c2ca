"""A vault: its settings, files, index and models, for any number of threads.

`Vault` owns what has to be opened and closed; the packages above it do the work. What
they keep for a vault, such as its link graph, they make with `Vault.part`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from glassmind.config import Config
from glassmind.errors import (
    IndexAbsent,
    IndexFault,
    IndexUntrusted,
    IndexUnwritable,
    VaultMissing,
)
from glassmind.store.place import (
    IndexFolder,
    find_place,
    make_folder,
)
from glassmind.store.protocol import View
from glassmind.store.sqlite.store import SqliteStore

if TYPE_CHECKING:  # imported when first used: a keyword search needs few of them
    from datetime import date

    from glassmind.access.files import ReadableFiles
    from glassmind.access.reading import ReadPolicy
    from glassmind.access.trust import Trust
    from glassmind.files.ignore import IgnoreRules
    from glassmind.files.read import VaultFiles
    from glassmind.model import NotePath
    from glassmind.model.access import Scope
    from glassmind.model.index import IndexOptions, IndexReport, ShowProgress
    from glassmind.model.search import ActivityLevel, SearchOptions, SearchReply
    from glassmind.model.suggestions import Dismissals, ScopePairs
    from glassmind.model.vectors import Space
    from glassmind.models.embedders import Embedders
    from glassmind.models.hindsight import HindsightServer
    from glassmind.models.protocols import Embedder
    from glassmind.store.lock import WriterLock
    from glassmind.store.place import VaultIndex
    from glassmind.store.protocol import Rows, ScopedStore, Store, Writer

WATCH = "watch.json"
"""What a process that watches the vault leaves in the folder of the index."""

WRITER_WAIT_S = 600.0
"""How long a run waits for another to finish; a large first run takes minutes."""

CACHED_RESULTS = 8
"""Results that are cached: two for each of a few scopes that are used in turn."""

Result = TypeVar("Result")
P = ParamSpec("P")

if TYPE_CHECKING:
    made_once = shared = cached_property
else:

    class made_once(cached_property):  # noqa: N801 - used as its parent is
        """A cached property that only one thread computes."""

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            with instance.making:
                return super().__get__(instance, owner)

    class shared(made_once):  # noqa: N801 - as above
        """A property of the whole vault, which its scoped vaults share."""

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None or instance.whole is instance:
                return super().__get__(instance, owner)
            return getattr(instance.whole, self.attrname)


class _Entry:
    """A cached result, and the lock under which it is computed."""

    def __init__(self) -> None:
        self.lock, self.is_made = Lock(), False
        self.result: Any = None


class RecentResults:
    """A cache of the results that were used last, for any number of threads."""

    def __init__(self, most: int = CACHED_RESULTS) -> None:
        self._most, self._lock = most, Lock()
        self._entries: dict[object, _Entry] = {}

    def get(self, key: object, make: Callable[[], Result]) -> Result:
        """Return the result of a key; the first caller computes it, others wait."""
        with self._lock:
            entry = self._entries.pop(key) if key in self._entries else _Entry()
            self._entries[key] = entry  # the newest
            while len(self._entries) > self._most:
                del self._entries[next(iter(self._entries))]
        with entry.lock:
            if not entry.is_made:
                entry.result, entry.is_made = make(), True
            result: Result = entry.result
            return result


class PendingRenames:
    """Notes that were renamed outside and whose links nobody updated yet."""

    def __init__(self) -> None:
        self._pairs: dict[NotePath, NotePath] = {}
        self._lock = Lock()

    def add(self, pairs: "Sequence[tuple[NotePath, NotePath]]") -> None:
        """Add pairs of old and new path; a note renamed twice keeps its first path."""
        with self._lock:
            first = {new: old for old, new in self._pairs.items()}
            self._pairs.update((first.get(old, old), new) for old, new in pairs)

    def take(self) -> "Mapping[NotePath, NotePath]":
        """Return all of them, and forget them."""
        with self._lock:
            paths, self._pairs = self._pairs, {}
        return {old: new for old, new in paths.items() if old != new}


class NoDaemonRunning:
    """The background process of a vault; this one is absent.

    None as an answer means that the caller has to do the work itself.
    """

    def search(
        self,
        _text: str,
        _wish: "SearchOptions",
        _day: "date",
        _scope: "Scope | None" = None,
    ) -> "SearchReply | None":
        """Return what the daemon finds for a scope."""
        return None

    def index(
        self, _wishes: "IndexOptions", _progress: "ShowProgress | None"
    ) -> "IndexReport | None":
        """Let the daemon update the index."""
        return None


class Hooks:
    """What packages above do for search and index; `engine.local_vault` sets them."""

    def similar(
        self, vault: "Vault", rows: "Rows", hidden: frozenset[int]
    ) -> "ScopePairs":
        """Return the similar notes of a scope, made without its hidden notes."""
        raise NotImplementedError

    def dismissals(self, vault: "Vault") -> "Dismissals":
        """Return what a person dismissed of similar notes and findings."""
        raise NotImplementedError

    def activity(self, vault: "Vault") -> "Mapping[int, ActivityLevel]":
        """Return how active each note is that is not cold, by its id."""
        raise NotImplementedError

    def after_run(self, vault: "Vault") -> "tuple[Sequence[NotePath], Sequence[str]]":
        """Accept what a person ticked; return the moved files, and problems."""
        raise NotImplementedError

    def after_renames(
        self, vault: "Vault", renamed: "Sequence[tuple[NotePath, NotePath]]"
    ) -> "Sequence[str]":
        """Propose new links for renamed notes; return what a user should know."""
        raise NotImplementedError

    def after_embedding(
        self,
        vault: "Vault",
        progress: "ShowProgress",
        pause: Callable[[], bool],
    ) -> None:
        """Learn from new vectors and pair similar notes, until `pause` is true."""
        raise NotImplementedError


class Vault:
    """One vault, or as much of it as a scope lets a client read.

    `visible_to` returns the vault of a scope. It shares the files, models and logs of
    the `whole` vault; its rows, keyword index and files show visible notes only, and
    it is read-only.
    """

    def __init__(
        self, config: Config, whole: "Vault | None" = None, scope: "Scope | None" = None
    ) -> None:
        self.config, self.scope = config, scope
        self.whole: Vault = whole or self
        self.making = RLock()
        self.find_daemon: Callable[[], NoDaemonRunning | None] = lambda: None
        self.hooks: Hooks = whole.hooks if whole else Hooks()
        self.renames: PendingRenames = whole.renames if whole else PendingRenames()
        self.scope_results: RecentResults = (
            whole.scope_results if whole else RecentResults()
        )
        self._parts: dict[object, Any] = {}
        self._scoped: list[Vault] = []

    def part(
        self,
        make: "Callable[Concatenate[Vault, P], Result]",
        *args: P.args,
        **named: P.kwargs,
    ) -> Result:
        """Return what `make(vault)` returned when it was first asked for."""
        if make not in self._parts:
            with self.making:
                if make not in self._parts:
                    self._parts[make] = make(self, *args, **named)
        made: Result = self._parts[make]
        return made

    def visible_to(self, scope: "Scope") -> "Vault":
        """Return the vault of a scope; it is closed with this one."""
        if self.scope is not None:
            raise TypeError(f"a scoped vault cannot be narrowed to {scope}")
        vault = Vault(self.config, self, scope)
        self._scoped.append(vault)
        return vault

    @made_once
    def policy(self) -> "ReadPolicy":
        """Which notes the scope lets a client read."""
        from glassmind.access.reading import ReadPolicy  # noqa: PLC0415

        if self.scope is None:
            raise TypeError("the whole vault has no read policy")
        return ReadPolicy(self.config, self.scope)

    # Where the index is

    @shared
    def place(self) -> IndexFolder:
        """The folder of the index."""
        return find_place(self.config)

    @shared
    def data_folder(self) -> Path | None:
        """The folder outside of the vault for proposals, logs and the like."""
        return self._whole_store.data_folder

    @shared
    def vault_index(self) -> "VaultIndex | None":
        """Checks an index inside the vault; None if the index is outside it."""
        place = self.place
        if place.folder_in_vault is None:
            return None
        from glassmind.store.place import VaultIndex  # noqa: PLC0415

        return VaultIndex(place.folder_in_vault, place.folder)

    def is_ours(self) -> bool:
        """True if the index can be trusted: outside the vault, or built by us."""
        index = self.vault_index
        return index is None or index.is_ours()

    def notices(self) -> list[str]:
        """Return what a user should know about the place and state of the index."""
        return [*self.place.notices, *self.store.notices(), *self.watch_problems()]

    def watch_problems(self) -> list[str]:
        """Return what keeps the process that watches the vault from updating."""
        if not (self.place.folder / WATCH).is_file():
            return []
        from glassmind.store.watch_state import read_state  # noqa: PLC0415

        error = read_state(self.place.folder).error
        return [f"the index may be behind the vault: {error}"] if error else []

    def is_embedding(self) -> bool:
        """True if a process embeds now, or watches the vault and will do so."""
        from glassmind.store.lock import is_held  # noqa: PLC0415
        from glassmind.store.watch_state import read_state  # noqa: PLC0415

        folder, backend = self.place.folder, self.config.embeddings.backend
        watched = backend != "none" and read_state(folder).mode != "off"
        return watched or is_held(folder / "embedding.lock")

    # Reading the index

    @made_once
    def _whole_store(self) -> SqliteStore:
        place = self.place
        return SqliteStore(
            place.database_folder, self.is_ours, place.folder, self.config
        )

    @property
    def store(self) -> "Store":
        """The index, open for reading."""
        return self._whole_store if self.scope is None else self.visible_store

    @made_once
    def visible_store(self) -> "ScopedStore":
        """The index of the visible notes, of a scoped vault."""
        compare = partial(self.hooks.similar, self)
        view = View(self.policy, self._still_visible, self.may_tell_skipped, compare)
        return self.whole.store.visible_to(view)

    def may_tell_skipped(self, path: str) -> bool:
        """True if the scope may know of a file that is not in the index."""
        try:
            with self.visible_files() as files:
                return files.may_tell_skipped(path)
        except VaultMissing:
            return False

    def _still_visible(self, known: "Mapping[NotePath, int]") -> "Collection[NotePath]":
        """Return the notes that may still be read, by their files if these changed."""
        try:
            with self.visible_files() as files:
                return [path for path, at in known.items() if files.is_still(path, at)]
        except VaultMissing:  # nothing is newer than the index
            return known.keys()

    def faults(self) -> AbstractContextManager[None]:
        """Turn errors of SQLite into errors of ours."""
        return self.store.faults()

    def rows(self) -> "Rows":
        """Return the rows of hits."""
        return self.store.rows()

    # Files, models and logs

    def files(self) -> "VaultFiles":
        """Return what reads files of the vault as they are now."""
        if self.scope is not None:
            return self.visible_files()
        from glassmind.files.read import VaultFiles  # noqa: PLC0415

        limit = self.config.index.max_note_bytes
        return VaultFiles(self.config.vault.path, limit_bytes=limit)

    def visible_files(self) -> "ReadableFiles":
        """Return what reads the files that a scope may read."""
        from glassmind.access.files import ReadableFiles  # noqa: PLC0415

        root, limit = self.config.vault.path, self.config.index.max_note_bytes
        return ReadableFiles(root, self.policy, limit_bytes=limit)

    def ignore_rules(self) -> "IgnoreRules":
        """Return which files are not indexed."""
        from glassmind.files.ignore import load_rules  # noqa: PLC0415

        index = self.config.index
        return load_rules(
            self.config.vault.path,
            ignore_dirs=index.ignore_dirs,
            include_agent_dir=index.include_agent_dir,
            agent_dir=self.agent_folder,
        )

    @property
    def agent_folder(self) -> str:
        """The folder of the vault that agents write to, without slashes around it."""
        return self.config.writes.agent_dir.strip("/")

    @shared
    def trust(self) -> "Trust | None":
        """Which clients were given untrusted text; None unless the settings ask."""
        if not self.config.writes.approve_after_untrusted:
            return None
        from glassmind.access.trust import trust_for  # noqa: PLC0415

        return trust_for(self.config, self.tagged)

    def tagged(self, tag: str) -> "Sequence[NotePath]":
        """Return the notes with a tag or one below it."""
        with self.store.faults():
            return [note.path for note in self.rows().notes(tag=tag)]

    @shared
    def _embedders(self) -> "Embedders":
        from glassmind.models.embedders import Embedders  # noqa: PLC0415

        return Embedders(self.config)

    def embedder(self) -> "Embedder":
        """Return the model of the settings; see `Embedders.chosen`."""
        return self._embedders.chosen()

    def embedder_of(self, space: "Space") -> "Embedder | None":
        """Return the model of a space, if it is here; see `Embedders.of`."""
        return self._embedders.of(space)

    def foreign_space(self, space: "Space") -> str | None:
        """Return a warning if the vectors of a space are not those of the settings.

        Raises:
            ModelFault: the model of the settings cannot be used.
        """
        if self.config.embeddings.backend in {"none", "smart-connections"}:
            return None
        if self.embedder().space == space.name:
            return None
        return "the vectors of your former settings answer; run: glassmind index"

    @shared
    def _hindsight(self) -> "HindsightServer | None":
        if not self.config.hindsight.url:
            return None
        from glassmind.models.hindsight import HindsightServer  # noqa: PLC0415

        return HindsightServer(self.config.hindsight)

    @property
    def hindsight(self) -> "HindsightServer | None":
        """The Hindsight server; it knows no scopes, so narrow ones do not ask it."""
        if self.scope is not None and self.scope.rules:
            return None
        return self._hindsight

    def daemon(self) -> NoDaemonRunning:
        """Return a client of the vault's daemon, or one that never answers."""
        return self.whole.find_daemon() or NoDaemonRunning()

    # Writing the index

    @made_once
    def _turn(self) -> Lock:
        return Lock()

    @made_once
    def writer(self) -> "Writer":
        """The rows, for the holder of the writer lock."""
        from glassmind.files.names import name_key  # noqa: PLC0415

        # no WAL inside the vault: its digest is recorded between transactions
        wal = self.place.folder_in_vault is None
        return self._whole_store.writer(name_key, wal=wal)

    @contextmanager
    def writing(
        self,
        wait_s: float = WRITER_WAIT_S,
        *,
        anew: bool = False,
        here: bool = False,
        waiting: Callable[[], None] = lambda: None,
    ) -> "Iterator[Writer]":
        """Hold the writer lock and the rows open for writing; `anew` empties them.

        An exception of `waiting` ends the wait. One thread writes at a time, since all
        share a connection.

        Raises:
            IndexBusy: another process wrote for longer than `wait_s`.
            IndexUnwritable: the folder cannot be written, or the vault is scoped.
            IndexAbsent: the index was deleted while we wrote.
            IndexUntrusted: with `here`, the index inside the vault is not ours.
                Otherwise such an index is moved aside, and the rows are empty.
        """
        from glassmind.store.lock import WriterLock, await_turn  # noqa: PLC0415
        from glassmind.store.place import LOCK  # noqa: PLC0415

        if self.scope is not None:
            raise IndexUnwritable(str(self.place.folder), "only a part is visible")
        take = lambda: self._turn.acquire(blocking=False)  # noqa: E731
        await_turn(take, lambda: "this process", wait_s, waiting)
        try:
            self._make_place()
            with WriterLock(self.place.folder / LOCK, takes_over=True) as lock:
                lock.acquire(timeout_s=wait_s, waiting=waiting)
                aside = self._check_vault_index(lock, here=here)
                try:
                    yield from self._opened(lock, aside, anew=anew, hurried=not wait_s)
                finally:
                    self._record_vault_index(lock)
        finally:
            self._turn.release()

    def _check_vault_index(self, lock: "WriterLock", *, here: bool) -> Path | None:
        """Move an index inside the vault that is not ours aside; return its new path.

        Raises:
            IndexUntrusted: with `here`, it is not ours.
        """
        index, writer = self.vault_index, self.writer
        if index is None:
            return None
        aside, writer.fence = None, lock.check
        if not index.is_unchanged(taken=lock.taken):
            if here:
                raise IndexUntrusted(str(writer.folder))
            aside = writer.move_aside()
            writer.discard("words", "vectors")
        index.begin()
        return aside

    def _record_vault_index(self, lock: "WriterLock") -> None:
        """Record an index inside the vault as ours, or let the next run rebuild it."""
        index = self.vault_index
        if index is not None:
            self.writer.close()  # this may write to the database, too
            with suppress(IndexFault, OSError):
                lock.check()
                index.end()

    def _opened(
        self, lock: "WriterLock", aside: Path | None, *, anew: bool, hurried: bool
    ) -> "Iterator[Writer]":
        from glassmind.store.place import LOCK  # noqa: PLC0415

        writer = self.writer
        if lock.taken:  # a process that hangs may have the vectors open: use new files
            writer.discard("vectors")
        try:
            writer.fence = lock.check
            writer.begin(anew=anew, hurried=hurried)
            writer.notices.extend(self.place.notices)
            if aside is not None:
                reason = IndexUntrusted(str(writer.folder)).reason
                writer.notices.append(
                    f"{reason} It was moved to {aside.name} and rebuilt."
                )
            yield writer
        except IndexUnwritable as error:
            writer.close()
            folder = self.place.folder
            if not (folder / LOCK).exists():  # it was deleted with the index
                raise IndexAbsent(str(folder)) from error
            raise
        except BaseException:
            writer.close()  # its state is unknown: the next run begins clean
            raise

    def _make_place(self) -> None:
        """Create the folder of the index."""
        for folder in self.place.folders:
            reason = make_folder(folder) if self.place.writable else "it is read-only"
            if reason is not None:
                raise IndexUnwritable(str(folder), reason)

    def close(self) -> None:
        """Close everything."""
        for vault in self._scoped:
            vault.close()
        for part in self._parts.values():
            if hasattr(part, "close"):
                part.close()
        made = self.__dict__
        for store in ("visible_store", "_whole_store"):
            if store in made:
                made[store].close_all()
        if "writer" in made:
            self.writer.close()
