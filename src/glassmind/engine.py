"""The engine of one vault: the entry points of the Python API.

What a method needs is imported when it is first called, so that a search does not pay
for what indexing needs.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from glassmind.config import Config, load_config
from glassmind.errors import GlassmindError
from glassmind.keeping import DomainHooks, indexed, taken_in
from glassmind.model import NotePath
from glassmind.model.access import CALLER
from glassmind.model.search import (
    ChannelName,
    ChunkText,
    FusionName,
    Intent,
    Mode,
    Rerank,
    SearchOptions,
    SearchReply,
)
from glassmind.search.query import (
    Question,
    asked_for,
    checked,
    mode_of,
    parse_day,
    parse_query,
)
from glassmind.vault import Vault

if TYPE_CHECKING:  # types of methods that a search does not use, a millisecond each
    from threading import Event

    from glassmind.context.answer import Answers
    from glassmind.context.bundles import Bundles
    from glassmind.edit.editing import Editing
    from glassmind.graph.knowledge import Knowledge
    from glassmind.index.keeper import IndexKeeper
    from glassmind.memory.memory import Memory
    from glassmind.model.access import Scope
    from glassmind.model.index import (
        Check,
        IndexOptions,
        IndexReport,
        NoteLinks,
        NoteList,
        NoteText,
        ShowProgress,
        Stats,
        Status,
        TellNews,
        UnresolvedName,
    )
    from glassmind.search.notes import NoteReader
    from glassmind.store.protocol import AccessLog

COUNTED, MOST_COUNTED = 5, 50
"""How many hits of a search, and notes of any other answer, count as used."""


def _today() -> date:
    return datetime.now().astimezone().date()


class Engine:
    """One vault, for any number of threads.

    With `alone`, it never asks the daemon. Without `records`, what it returns is not
    added to the usage log. `client` is the name in that log.
    """

    def __init__(
        self, vault: Vault, *, alone: bool = False, records: bool = True
    ) -> None:
        self._vault, self._alone, self._records = vault, alone, records
        self.config, self.client = vault.config, "library"
        self._seen: dict[Scope, Engine] = {}

    def search(  # noqa: PLR0913 - each option by its name
        self,
        text: str,
        *,
        limit: int | None = None,
        mode: Mode | None = None,
        intent: Intent | Literal["auto"] | None = "auto",
        root_note: str | None = None,
        hop_depth: int = 2,
        threshold: float = 0.0,
        min_similarity: float | None = None,
        fusion: FusionName | None = None,
        channels: Sequence[ChannelName] | None = None,
        rerank: Rerank | None = None,
        unique: Literal["notes", "chunks"] = "notes",
        explain: bool = False,
        fallback_intent: Intent | None = None,
        steady: bool = False,
        project: str | None = None,
        facts: bool | None = None,
        today: date | None = None,
    ) -> SearchReply:
        """Return the best hits, one per note or with `unique="chunks"` per passage.

        Raises:
            NothingAsked, BadDate: the query is empty, or a date filter names no day.
            BadLimit, BadWish: an option is out of its bounds.
            NoteNotFound, AmbiguousName: `root_note` does not name exactly one note.
            ProjectUnknown, IndexAbsent: no note belongs to `project`, or no index yet.
            IndexDamaged: the index is damaged and could not be repaired.
        """
        from glassmind.search.reply import reply_to  # noqa: PLC0415

        settings = self.config.search
        wish = checked(
            SearchOptions(
                settings.limit if limit is None else limit,
                mode or mode_of(self.config),
                intent,
                root_note,
                hop_depth,
                threshold,
                min_similarity,
                fusion or settings.fusion,
                None if channels is None else tuple(channels),
                rerank or settings.rerank,
                unique,
                explain,
                fallback_intent,
                steady,
                project,
                self._records if facts is None else facts,
            )
        )
        day = today or _today()
        question = Question(text, parse_query(asked_for(text), day), wish, day)
        reply = reply_to(self._vault, question, alone=self._alone)
        self._used("search", [hit.path for hit in reply.hits[:COUNTED] if hit.is_note])
        return reply

    @property
    def access_log(self) -> "AccessLog | None":
        """The log of what clients read; None if the user wants none."""
        return self._vault.whole.store.access_log

    def _used(self, verb: str, paths: "Sequence[NotePath]", client: str = "") -> None:
        """Add notes that were returned to the usage log, which is outside the vault."""
        if self._records:
            once = list(dict.fromkeys(paths[:MOST_COUNTED]))
            self._vault.whole.store.usage_log.append(verb, client or self.client, once)

    @property
    def _notes(self) -> "NoteReader":
        from glassmind.search.notes import notes_for  # noqa: PLC0415

        return notes_for(self._vault)

    def _mark_given(self, paths: "Sequence[str] | None") -> None:
        """Record which notes the current client got; None means any. See `tainted`."""
        trust = self._vault.trust
        if trust is not None:
            known = None if paths is None else [NotePath(path) for path in paths]
            trust.hand(CALLER.get() or self.client, known)

    def seen_by(self, scope: "Scope") -> "Engine":
        """Return an engine that sees only the notes of a scope."""
        if scope not in self._seen:
            visible = self._vault.visible_to(scope)
            engine = Engine(visible, alone=self._alone, records=self._records)
            engine.client = self.client
            self._seen.setdefault(scope, engine)
        return self._seen[scope]

    @cached_property
    def _unseen(self) -> "Engine":
        """Engine for internal queries; not recorded as usage."""
        return Engine(self._vault, alone=self._alone, records=False)

    def index(  # noqa: PLR0913 - each option by its name
        self,
        *,
        verify: bool = False,
        rebuild: bool = False,
        compact: bool = False,
        accept_deletions: bool = False,
        embed: bool = True,
        narrow: bool = False,
        paths: Sequence[str] = (),
        reason: str = "index",
        wait_s: float | None = None,
        progress: "ShowProgress | None" = None,
    ) -> "IndexReport":
        """Update the index from the vault.

        `verify` checks the index and reads every note; `paths` limits the scan to the
        folders of these files, `narrow` to the files themselves. A missing model is a
        warning. With `wait_s`, other writers are waited for no longer, and one batch of
        vectors is made, for the newest notes. `reason` is recorded with the run.

        Raises:
            MassDeletion: a large part of the vault seems gone; nothing was removed.
            VaultMissing: the vault's folder is missing; nothing was written.
            IndexBusy: another process is writing.
            IndexUnwritable: the index cannot be written.
        """
        wishes: IndexOptions = {
            "reason": reason,
            "paths": tuple(paths),
            "embed": embed,
            "narrow": narrow,
            "verify": verify,
            "rebuild": rebuild,
            "compact": compact,
            "accept_deletions": accept_deletions,
            "wait_s": wait_s,
        }
        return indexed(
            self._vault, wishes, progress, alone=self._alone, renew=self._renew
        )

    @cached_property
    def knowledge(self) -> "Knowledge":
        """Links, themes, suggestions and health; see `Knowledge`."""
        found = lambda text, most: self._unseen.search(text, limit=most)  # noqa: E731
        from glassmind.graph.knowledge import Knowledge  # noqa: PLC0415

        return Knowledge(self._vault, found)

    @cached_property
    def bundles(self) -> "Bundles":
        """Context bundles, briefings and summaries; see `Bundles`."""
        from glassmind.context.bundles import Bundles  # noqa: PLC0415
        from glassmind.context.parts import ContextParts  # noqa: PLC0415
        from glassmind.model.access import EVERY_AGENT  # noqa: PLC0415
        from glassmind.search.semantic import semantic_for  # noqa: PLC0415

        parts = ContextParts(
            self._vault,
            search=self._unseen.search,
            warmth=self.memory.temperatures,
            renew=self.memory.renew_summary,
            used=self._used,
            reranker=lambda: semantic_for(self._vault).reranker(),
            public=lambda: self.seen_by(EVERY_AGENT).bundles,
        )
        return Bundles(parts)

    @cached_property
    def answers(self) -> "Answers":
        """Answers to questions; see `Answers`."""
        from glassmind.context.answer import Answers  # noqa: PLC0415

        return Answers(self.config, self.bundles.gather)

    @cached_property
    def memory(self) -> "Memory":
        """Memories, the inbox and activity; see `Memory`."""
        refresh = partial(taken_in, self._vault, reason="capture", alone=self._alone)
        from glassmind.memory.memory import Memory  # noqa: PLC0415

        return Memory(self._vault, self._unseen.search, refresh, self._used)

    @cached_property
    def editing(self) -> "Editing":
        """Edits of notes, within the write policy; see `Editing`."""
        refresh = partial(
            taken_in, self._vault, reason="edit", alone=self._alone, narrow=True
        )
        from glassmind.edit.editing import Editing  # noqa: PLC0415

        return Editing(self._vault, refresh, self._mark_given)

    def tainted(self, client: str) -> bool:
        """Whether a client, or one without a name, got text from untrusted notes.

        Always false unless `writes.approve_after_untrusted` is set.
        """
        trust = self._vault.trust
        return trust is not None and any(map(trust.is_tainted, (client, self.client)))

    def watch(self, stop: "Event", *, told: "TellNews | None" = None) -> None:
        """Watch the vault and index changes until `stop` is set; blocks.

        `told` gets the news, also of errors, which are retried; called in this thread.
        """
        from glassmind.index.watching import WRITER_WAIT_S, Watching  # noqa: PLC0415
        from glassmind.keeping import settle_vault  # noqa: PLC0415

        settled = settle_vault(self._vault)
        watching = Watching(self._vault, lambda: self._renew(WRITER_WAIT_S))
        watching.run(stop, told, settled)

    def _renew(self, wait_s: float) -> None:
        self.knowledge.renew(wait_s=wait_s)

    def read(
        self,
        name: str,
        *,
        heading: str = "",
        lines: tuple[int, int | None] | None = None,
        raw: bool = False,
    ) -> "NoteText":
        """Return a note, a section or some lines of it; see `NoteReader.read`."""
        with self._vault.faults():
            notes = self._notes
            text = notes.read(name, heading=heading, lines=lines, raw=raw)
        self._used("read", [text.path])
        return text

    def chunks(self, name: str) -> "tuple[NotePath, list[ChunkText]]":
        """Return the chunks of a note as they are indexed."""
        with self._vault.faults():
            return self._notes.chunks(name)

    def links(self, name: str, *, limit: int = 100) -> "NoteLinks":
        """Return a note with its links, each way the first `limit`, as indexed."""
        with self._vault.faults():
            return self._notes.links(name, limit=limit)

    def ghosts(self, *, limit: int = 100, named: str = "") -> "list[UnresolvedName]":
        """Return unresolved links: names that no file has."""
        with self._vault.faults():
            return self._notes.ghosts(limit=limit, named=named)

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
        """Return the notes that pass every filter, by path or newest first.

        `since` (inclusive) and `until` (exclusive) are days such as `2026-03` or `7d`.

        Raises:
            BadDate: one of them is not a date.
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
        with self._vault.faults():
            return self._notes.list(wanted, newest=newest)

    def stats(self) -> "Stats":
        """Return how much the index holds."""
        with self._vault.faults():
            return self._notes.stats()

    def _keeper(self) -> "IndexKeeper":
        from glassmind.index.keeper import IndexKeeper  # noqa: PLC0415

        return IndexKeeper(self._vault)

    def status(self) -> "Status":
        """Return how current the index is; raises `IndexAbsent` without one."""
        from glassmind.index.checkup import status_of  # noqa: PLC0415

        with self._vault.faults():
            return status_of(self._vault)

    def recalls(self) -> bool | None:
        """Return whether Hindsight answers now; None if none is configured."""
        memory = self._vault.hindsight
        return None if memory is None else memory.is_well()

    def doctor(self) -> "list[Check]":
        """Check the vault, the index and the configured services."""
        from glassmind.index.checkup import examine  # noqa: PLC0415

        return examine(self._vault)

    def backup(self, file: Path) -> None:
        """Copy the index to a file while it is in use."""
        self._keeper().backup(file)

    def restore(self, file: Path, *, force: bool = False) -> str | None:
        """Restore the index from a backup, and return what is left to do."""
        return self._keeper().restore(file, force=force)

    def warm(self) -> None:
        """Load the model for semantic search, if there is one."""
        if self.config.embeddings.backend != "none":
            with suppress(GlassmindError):
                self._unseen.search("warm", limit=1, mode="semantic")

    def close(self) -> None:
        """Close the engine; it cannot be used afterwards."""
        self._vault.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_vault(
    vault: str | Path | None = None,
    *,
    settings: Mapping[str, object] | None = None,
    env: Mapping[str, str] | None = None,
) -> Engine:
    """Return the engine of a vault; raises `ConfigError`.

    Without `vault`, the environment, the configuration or the current folder chooses
    it. `settings`, such as `{"search.limit": 5}`, override all others.
    """
    flags = {"vault.path": vault, **(settings or {})}
    known = os.environ if env is None else env
    return engine_for(load_config(flags=flags, env=known, cwd=Path.cwd()))


def engine_for(config: Config) -> Engine:
    """Return the engine of a loaded configuration."""
    return Engine(local_vault(config))


def local_vault(config: Config) -> Vault:
    """Return the vault of a loaded configuration."""
    vault = Vault(config)
    vault.hooks = DomainHooks()
    return vault
