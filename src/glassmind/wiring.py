"""Every concrete adapter by name, each imported when it is first needed."""

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from glassmind.config import Config, load_config
from glassmind.config.places import index_locations
from glassmind.engine import Engine
from glassmind.store.lexical.following import FollowingIndex
from glassmind.store.place import Place, choose_place
from glassmind.store.sqlite.reader import SqliteReader

if TYPE_CHECKING:
    from glassmind.indexing.checkup import Bench
    from glassmind.indexing.follow import Followed
    from glassmind.indexing.keeper import IndexKeeper
    from glassmind.indexing.run import Workshop
    from glassmind.ports.indexing import Sidecar
    from glassmind.retrieval.notes import NoteReader
    from glassmind.store.sqlite.read import Rows
    from glassmind.store.sqlite.writer import SqliteWriter
    from glassmind.types.sidecar import Document
    from glassmind.types.vectors import NoteVectors

VECTORS = "vectors"
"""The folder of the matrix of vectors, inside that of the index."""

WRITER_WAIT_S = 600.0
"""How long a run waits for another to finish; a large first run takes minutes."""


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
    """The adapters of one vault on this machine."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._words: FollowingIndex | None = None
        self._marker: tuple[tuple[int, ...], str | None] | None = None

    @cached_property
    def _locations(self) -> list[Path]:
        return index_locations(self.config)

    @cached_property
    def place(self) -> Place:
        """The folder of the index, chosen once."""
        found = choose_place(self._locations)
        if found is not None:
            return found
        import tempfile  # noqa: PLC0415 - costs a search five milliseconds

        folder = Path(tempfile.mkdtemp(prefix="glassmind-"))
        notice = (
            "no place for the index can be written: it is kept for this process alone; "
            "set index.location to a folder you can write"
        )
        return Place(folder, writable=True, notices=(notice,), temporary=True)

    @cached_property
    def reader(self) -> SqliteReader:
        """The rows, open for reading."""
        return SqliteReader(self.place.folder)

    def notices(self) -> list[str]:
        """Return what a user should know about where the index stands."""
        return list(self.place.notices)

    def faults(self) -> AbstractContextManager[None]:
        """Return what names the faults of everything done inside it."""
        return self.reader.faults()

    def head(self) -> str:
        """Return how far the rows have come."""
        self._make_temporary()
        return self.reader.log().head()

    def _make_temporary(self) -> None:
        """Make an index that is kept for this process alone when it is first asked."""
        if self.place.temporary and not (self.place.folder / "index.db").exists():
            self.keeper().index()

    def rows(self) -> "Rows":
        """Return the rows of hits."""
        return self.reader.rows()

    def words(self) -> FollowingIndex | None:
        """Return the word index; None when there is none that can be opened."""
        if self._words is None:
            self._words = FollowingIndex.open(self.place.folder)
        return self._words

    def forget_words(self) -> None:
        """Open the word index anew when it is next asked for."""
        if self._words is not None:
            self._words.close()
            self._words = None

    def keeper(self) -> "IndexKeeper":
        """Return what writes, examines and copies the index."""
        from glassmind.indexing.keeper import IndexKeeper  # noqa: PLC0415
        from glassmind.store.sqlite.copier import SqliteCopier  # noqa: PLC0415

        copier = SqliteCopier(self.reader, self.writing)
        return IndexKeeper(self._workshop(), self._bench(), copier, self.forget_words)

    def notes(self) -> "NoteReader":
        """Return what reads single notes and lists."""
        from glassmind.retrieval.notes import NoteReader  # noqa: PLC0415
        from glassmind.store.sqlite.catalogue import Catalogue  # noqa: PLC0415

        def catalogue() -> Catalogue:
            return Catalogue(self.reader.connection())

        self._make_temporary()
        root, folder = self.config.vault.path, self.place.folder
        return NoteReader(root, folder, self.reader.rows, catalogue)

    @contextmanager
    def writing(
        self,
        wait_s: float = WRITER_WAIT_S,
        *,
        anew: bool = False,
        here: bool = False,
    ) -> "Iterator[SqliteWriter]":
        """Hold the writer lock and the rows open for writing; `anew` throws them away.

        With `here` that is where the rows are read, and otherwise in the first place
        that takes them.

        Raises:
            IndexBusy: another process wrote for longer than `wait_s`.
            IndexUnwritable: the folder does not take an index.
        """
        from glassmind.store.lock import WriterLock  # noqa: PLC0415

        self._make_place(here=here)
        with WriterLock(self.place.folder / "writer.lock") as lock:
            lock.acquire(timeout_s=wait_s)
            try:
                self.writer.begin(anew=anew)
                self.writer.notices.extend(self.place.notices)
                yield self.writer
            except BaseException:
                self.writer.close()  # in whatever state: the next run begins clean
                raise

    def _make_place(self, *, here: bool) -> None:
        """Make the folder of the index, or another that can be made."""
        from glassmind.errors import IndexUnwritable  # noqa: PLC0415
        from glassmind.store.place import make_folder, make_place  # noqa: PLC0415

        folder, spare = self.place.folder, self._locations
        if not self.place.writable:
            raise IndexUnwritable(str(folder), "it is read-only")
        stays = here or self.place.temporary or folder == spare[0]
        failed = make_folder(folder) if stays else "there may be a better place"
        if failed is None:
            return
        made = None if here or self.place.temporary else make_place(spare)
        if made is None:
            raise IndexUnwritable(str(folder), failed)
        if made.folder != folder:
            self._move_to(made)

    def _move_to(self, place: Place) -> None:
        self.close()
        self.__dict__ |= {"place": place}
        for made in ("reader", "writer"):
            self.__dict__.pop(made, None)
        self._marker = None

    @cached_property
    def writer(self) -> "SqliteWriter":
        """The rows, for the holder of the writer lock."""
        from glassmind.store.sqlite.writer import SqliteWriter  # noqa: PLC0415
        from glassmind.vault.resolve import name_key  # noqa: PLC0415

        return SqliteWriter(self.place.folder, name_key)

    def _workshop(self) -> "Workshop":
        from glassmind.indexing.run import Workshop  # noqa: PLC0415
        from glassmind.markdown.split import SplitRules  # noqa: PLC0415

        index = self.config.index
        rules = SplitRules(
            target_tokens=index.chunk_target_tokens,
            overlap_tokens=index.chunk_overlap_tokens,
            min_chars=index.chunk_min_chars,
            max_chunks=index.max_chunks_per_note,
        )
        return Workshop(
            root=self.config.vault.path,
            ignore_dirs=tuple(index.ignore_dirs),
            include_agent_dir=index.include_agent_dir,
            max_note_bytes=index.max_note_bytes,
            rules=rules,
            writing=self.writing,
            words=self._followed_words(),
            vectors=self._followed_vectors(),
        )

    def _followed_words(self) -> "Followed[Document]":
        from glassmind.indexing.follow import Followed  # noqa: PLC0415
        from glassmind.store.lexical import integrity, place, write  # noqa: PLC0415

        def words() -> Path:
            return self.place.folder / place.FOLDER

        # the place is asked for each time: writing may have to find another
        return Followed(
            stage="words",
            marker=self._words_marker,
            open=lambda large: write.WordWriter(self.place.folder, large=large),
            discard=lambda: write.discard(self.place.folder),
            deleted=lambda: place.deleted_share(words()),
            wrong=lambda: integrity.damage_in(words()) if words().exists() else None,
        )

    def _followed_vectors(self) -> "Followed[NoteVectors]":
        from glassmind.indexing.follow import Followed  # noqa: PLC0415

        def matrix() -> Path:
            return self.place.folder / VECTORS

        def width() -> int:
            space = self.writer.vectors().answering()
            return space.width if space else 1

        # each module is imported when there is something for it: numpy takes its time
        def marker() -> str | None:
            from glassmind.store.vectors import place  # noqa: PLC0415

            return place.marker_in(matrix())

        def opened(_large: bool) -> "Sidecar[NoteVectors]":  # noqa: FBT001 - as told
            from glassmind.store.vectors.write import VectorWriter  # noqa: PLC0415

            return VectorWriter(self.place.folder, width=width())

        def discard() -> None:
            if matrix().exists():
                from glassmind.store.vectors.write import discard  # noqa: PLC0415

                discard(self.place.folder)

        def deleted() -> tuple[int, float]:
            from glassmind.store.vectors import place  # noqa: PLC0415

            return place.deleted_share(matrix())

        def wrong() -> str | None:
            if not matrix().exists():
                return None
            from glassmind.store.vectors import integrity  # noqa: PLC0415

            return integrity.damage_in(matrix())

        return Followed("vectors", marker, opened, discard, deleted, wrong)

    def _words_marker(self) -> str | None:
        """Return how far the word index has come, reading it only if it was written."""
        from glassmind.store.lexical import place  # noqa: PLC0415

        words = self.place.folder / place.FOLDER
        try:
            found = (words / place.META).stat()
        except OSError:
            return None
        state = (found.st_mtime_ns, found.st_size, found.st_ino)
        if self._marker is None or self._marker[0] != state:
            self._marker = (state, place.marker_in(words))
        return self._marker[1]

    def _bench(self) -> "Bench":
        import apsw  # noqa: PLC0415

        from glassmind.indexing.checkup import Bench  # noqa: PLC0415
        from glassmind.store.filesystem import filesystem_kind, on_network  # noqa: PLC0415
        from glassmind.store.lexical import integrity, place  # noqa: PLC0415
        from glassmind.store.lock import WriterLock  # noqa: PLC0415
        from glassmind.store.sqlite.examine import wrong_with  # noqa: PLC0415

        folder = self.place.folder
        words = folder / place.FOLDER
        return Bench(
            folder=folder,
            writable=self.place.writable,
            sqlite_version=apsw.sqlite_lib_version(),
            network=filesystem_kind(folder) if on_network(folder) else "",
            rows=lambda: wrong_with(self.reader.connection()),
            words=lambda: integrity.damage_in(words),
            behind=lambda: self.reader.log().pending(place.marker_in(words)),
            stamps=lambda: self.reader.rows().stamps(),
            troubled=lambda limit: self.reader.rows().troubled(limit),
            holder=lambda: WriterLock(folder / "writer.lock").busy_holder(),
            faults=self.reader.faults,
            warnings=tuple(self.config.warnings),
            notices=self.place.notices,
        )

    def close(self) -> None:
        """Let go of everything."""
        self.forget_words()
        self.reader.close()
        if "writer" in self.__dict__:
            self.writer.close()
        if self.place.temporary:
            import shutil  # noqa: PLC0415

            shutil.rmtree(self.place.folder, ignore_errors=True)
