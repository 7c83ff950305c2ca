"""The verbs of Glassmind: the one place where the stages meet.

Surfaces parse, call one verb and render what it returns. Adapters come through
`Adapters`, each made when it is first needed, so a search does not pay for what
indexing needs.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from glassmind.config import Config
from glassmind.errors import BadLimit, IndexDamaged
from glassmind.ports.retrieval import HitRows, WordSearch
from glassmind.retrieval.query import parse_day, parse_query
from glassmind.retrieval.words import search_words
from glassmind.types.search import Hit, SearchReply

if TYPE_CHECKING:  # values of verbs that a search does not use, a millisecond each
    from glassmind.indexing.keeper import IndexKeeper
    from glassmind.ports.indexing import ShowProgress
    from glassmind.retrieval.notes import NoteReader
    from glassmind.types import NotePath
    from glassmind.types.catalogue import Check, ChunkText, NoteList, NoteText, Stats
    from glassmind.types.files import IndexReport


def _today() -> date:
    return datetime.now().astimezone().date()


MOST_HITS = 10_000
"""More would be a listing; tantivy sets room aside for all that are asked for."""


class FollowingWords(WordSearch, Protocol):
    """The word index of this vault, as far as it has come."""

    def reaches(self, head: str, /) -> bool:
        """Whether it shows everything up to `head`, looking anew if need be."""


class Adapters(Protocol):
    """What `wiring` gives the engine."""

    config: Config

    def notices(self) -> list[str]:
        """Return what a user should know about where the index stands."""

    def faults(self) -> AbstractContextManager[None]:
        """Return what names the faults of everything done inside it."""

    def head(self) -> str:
        """Return how far the rows have come."""

    def rows(self) -> HitRows:
        """Return the rows of hits."""

    def words(self) -> FollowingWords | None:
        """Return the word index; None when there is none that can be opened."""

    def keeper(self) -> "IndexKeeper":
        """Return what writes, examines and copies the index."""

    def notes(self) -> "NoteReader":
        """Return what reads single notes and lists."""

    def close(self) -> None:
        """Let go of everything."""


class Engine:
    """One vault, ready to be asked."""

    def __init__(self, adapters: Adapters) -> None:
        self._adapters = adapters
        self.config = adapters.config

    def search(
        self,
        text: str,
        *,
        limit: int | None = None,
        per_note: bool = True,
        explain: bool = False,
        today: date | None = None,
    ) -> SearchReply:
        """Return the passages that matter for a query, best first.

        One passage of each note, unless `per_note` is false. With `explain`, each hit
        says what every field gave to its score, for one small search more per field.

        Raises:
            BadDate: a date filter names no day.
            BadLimit: so many hits cannot be given.
            IndexAbsent: nothing is indexed yet.
            IndexDamaged: the index does not read well and could not be mended.
        """
        query = parse_query(text, today or _today())
        wanted = self.config.search.limit if limit is None else limit
        if not 1 <= wanted <= MOST_HITS:
            raise BadLimit(wanted, MOST_HITS)
        notices = [*self._adapters.notices()]
        with self._adapters.faults():
            words = self._current_words(notices)
            rows = self._adapters.rows()

            def found(words: FollowingWords) -> list[Hit]:
                return search_words(
                    query, words, rows, limit=wanted, per_note=per_note, explain=explain
                )

            try:
                hits = found(words)
            except IndexDamaged as error:
                hits = found(self._mended_words(error))
        return SearchReply(text, tuple(hits), tuple(notices))

    def _current_words(self, notices: list[str]) -> FollowingWords:
        """Return the word index, brought up to the rows if nobody else is at it."""
        head = self._adapters.head()
        words = self._adapters.words()
        if words is not None and words.reaches(head):
            return words
        reason = self._adapters.keeper().catch_up()
        words = self._adapters.words()
        if words is None:
            raise IndexDamaged("the word index", reason or "it cannot be opened")
        if reason is not None and not words.reaches(head):
            notices.append(f"the latest changes are not searched yet: {reason}")
        return words

    def _mended_words(self, error: IndexDamaged) -> FollowingWords:
        """Return the word index made anew, when it was what was damaged."""
        if not self._adapters.keeper().remake_words(error):
            raise error
        words = self._adapters.words()
        if words is None:
            raise error
        return words

    def index(  # noqa: PLR0913 - each wish by its name
        self,
        *,
        verify: bool = False,
        rebuild: bool = False,
        compact: bool = False,
        accept_deletions: bool = False,
        embed: bool = True,
        paths: Sequence[str] = (),
        reason: str = "index",
        progress: "ShowProgress | None" = None,
    ) -> "IndexReport":
        """Bring the index up to the vault, and say what was done.

        `verify` examines the index and reads every note, `rebuild` begins from nothing,
        `compact` writes the word index anew, `accept_deletions` believes that a large
        part of the vault is gone. With `embed`, vectors follow when the text is in, and
        a model that is missing is a warning. With `paths`, only the folders these files
        stand in are looked at, for a caller that knows what changed. `reason` goes into
        the record of the run.

        Raises:
            MassDeletion: a large part of the vault seems gone; nothing was removed.
            VaultMissing: the vault's folder is not there; nothing was written.
            IndexBusy: another process is writing.
            IndexUnwritable: the disk does not take the index.
        """
        return self._adapters.keeper().index(
            progress,
            reason=reason,
            paths=tuple(paths),
            embed=embed,
            verify=verify,
            rebuild=rebuild,
            compact=compact,
            accept_deletions=accept_deletions,
        )

    def read(
        self,
        name: str,
        *,
        heading: str = "",
        lines: tuple[int, int] | None = None,
        raw: bool = False,
    ) -> "NoteText":
        """Return a note, a section or some lines of it; see `NoteReader.read`."""
        with self._adapters.faults():
            notes = self._adapters.notes()
            return notes.read(name, heading=heading, lines=lines, raw=raw)

    def chunks(self, name: str) -> "tuple[NotePath, list[ChunkText]]":
        """Return the chunks of a note as they are indexed."""
        with self._adapters.faults():
            return self._adapters.notes().chunks(name)

    def list_notes(  # noqa: PLR0913 - each filter by its name
        self,
        *,
        folder: str = "",
        tag: str = "",
        property_name: str = "",
        property_value: str | None = None,
        since: str | None = None,
        until: str | None = None,
        kind: str = "",
        newest: bool = False,
        limit: int = 100,
        offset: int = 0,
    ) -> "NoteList":
        """Return the notes that pass every filter given, by path or newest first.

        `since` (that day included) and `until` (that day excluded) are days as a search
        takes them, such as `2026-03` or `7d`.

        Raises:
            BadDate: one of them is no day.
        """
        wanted = {
            "folder": folder,
            "tag": tag,
            "property": property_name,
            "value": property_value,
            "since": since and parse_day(since, _today()).isoformat(),
            "until": until and parse_day(until, _today()).isoformat(),
            "kind": kind,
            "limit": limit,
            "offset": offset,
        }
        with self._adapters.faults():
            return self._adapters.notes().list(wanted, newest=newest)

    def stats(self) -> "Stats":
        """Return how much the index holds."""
        with self._adapters.faults():
            return self._adapters.notes().stats()

    def doctor(self) -> "list[Check]":
        """Examine the vault, the index and what they stand on."""
        return self._adapters.keeper().examine()

    def backup(self, file: Path) -> None:
        """Write a copy of the index while others use it; see `IndexKeeper.backup`."""
        self._adapters.keeper().backup(file)

    def restore(self, file: Path, *, force: bool = False) -> str | None:
        """Replace the index by a copy of it, and say what is still to be done, if so.

        `force` takes a copy that seems to be of another vault. See
        `IndexKeeper.restore`.
        """
        return self._adapters.keeper().restore(file, force=force)

    def close(self) -> None:
        """Let go of everything; the engine cannot be asked afterwards."""
        self._adapters.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
