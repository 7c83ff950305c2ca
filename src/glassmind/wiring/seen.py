"""The adapters of a vault for somebody who may not read all of it.

They are those of the vault itself, but for what reads: rows, words, vectors and files
show what a scope lets be read, and nothing is written to the index in its name. What
answers from them needs to know nothing of it.

A part of `wiring` that the owner of a vault does not need.
"""

from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, NoReturn, cast

from glassmind.access.files import ReadableFiles, SkippedVerdict
from glassmind.access.reading import ReadPolicy
from glassmind.errors import IndexAbsent, IndexUnwritable, VaultMissing
from glassmind.model.access import Scope
from glassmind.model.search import SearchReply, Wish
from glassmind.ports.elsewhere import Elsewhere, IndexWishes
from glassmind.search.channels import Meaning
from glassmind.store.lexical.search import SeenIndex
from glassmind.store.sqlite.pairs import ScopePairs
from glassmind.store.sqlite.reader import SeenReader
from glassmind.store.vectors.search import SeenVectors
from glassmind.wiring import LocalAdapters
from glassmind.wiring.confidence import usual_curve
from glassmind.wiring.once import made_once
from glassmind.wiring.search import OpenMeaning

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from apsw import Connection

    from glassmind.context.bundles import Bundles
    from glassmind.context.parts import Sources
    from glassmind.edit.desk import Handed
    from glassmind.edit.editing import Editing
    from glassmind.edit.trust import Trust
    from glassmind.graph.dismissals import DismissalBook
    from glassmind.graph.themes import Parts, Themed
    from glassmind.index.keeper import IndexKeeper
    from glassmind.links.graph import LinkGraph
    from glassmind.model import NotePath
    from glassmind.model.connections import ThemeLabel
    from glassmind.model.files import IndexReport
    from glassmind.model.vectors import Space
    from glassmind.ports.editing import Refresh
    from glassmind.ports.hindsight import OtherMemory
    from glassmind.ports.indexing import ShowProgress
    from glassmind.ports.models import Reranker
    from glassmind.search.confidence import Curve
    from glassmind.search.patience import Patience
    from glassmind.store.place import Place, Trusted
    from glassmind.store.sqlite.links import Edges
    from glassmind.store.usage_log import UseLog
    from glassmind.store.vectors.search import FollowingVectors
    from glassmind.wiring.embedders import Embedders
    from glassmind.wiring.pairs import OpenPairing
    from glassmind.wiring.write import Writing


class SeenAdapters(LocalAdapters):
    """The adapters of one vault, for whoever has a scope."""

    def __init__(self, whole: LocalAdapters, scope: Scope) -> None:
        super().__init__(whole.config)
        self._whole, self._scope = whole, scope
        self._policy = ReadPolicy(whole.config, scope)
        self.making = RLock()
        self.renames, self.found_renamed = whole.renames, whole.found_renamed
        self.host = self._host
        self._readers: tuple[Path, SeenReader] | None = None
        self._skipped: dict[str, SkippedVerdict] = {}

    @property
    def locations(self) -> "Trusted":
        """The folders that the index may stand in."""
        return self._whole.locations

    @property
    def place(self) -> "Place":
        """The folder of the index, which may become another."""
        return self._whole.place

    @property
    def reader(self) -> SeenReader:
        """The rows that are seen, open for reading."""
        folder = self.place.database_folder
        with self.making:
            if self._readers is None or self._readers[0] != folder:
                seen = self._policy, self._still, self._tells, self._compare
                reader = SeenReader(folder, *seen, is_ours=self._whole.is_ours)
                self._readers = (folder, reader)
            return self._readers[1]

    def _compare(self, db: "Connection", hidden: frozenset[int]) -> "ScopePairs":
        """Return the similar notes of a scope, made anew when stored ones change."""
        from glassmind.graph.pairing import pairs_among  # noqa: PLC0415
        from glassmind.store.sqlite.pairs import PairSource  # noqa: PLC0415

        source, level = PairSource(db), self.config.graph.similarity
        with source.still():
            state = source.state()
            return self._whole.scope_results.get(
                ("pairs", hidden, source.epoch(), state),
                lambda: ScopePairs(
                    *pairs_among(source, level, hidden), state.link_seq if state else 0
                ),
            )

    @made_once
    def themed(self) -> "Themed":
        """The themes of the visible notes."""
        from glassmind.graph.themes import parted  # noqa: PLC0415
        from glassmind.wiring.knowledge import themed_for  # noqa: PLC0415

        def divide(net: "LinkGraph", fingerprint: str, resolution: float) -> "Parts":
            key = ("themes", fingerprint, resolution)
            return self._whole.scope_results.get(key, lambda: parted(net, resolution))

        return themed_for(self, divide)

    def edges(self) -> "Edges":
        """Return the links and themes that a search follows, of visible notes."""
        from glassmind.store.sqlite.links import Edges  # noqa: PLC0415

        db, hidden = self.reader.connection(), self.reader.hidden_notes()
        return Edges(db, self._homes if hidden else None)

    def _homes(self) -> "Mapping[str, ThemeLabel]":
        """Return the theme of each visible note, if the vault has stored themes."""
        stored = self.reader.themes().state() is not None
        return self.themed.homes() if stored else {}

    @property
    def use_log(self) -> "UseLog":
        """What was handed out, on record outside of the vault."""
        return self._whole.use_log

    @property
    def kept_folder(self) -> Path | None:
        """The folder outside of the vault for what is kept beside the index."""
        return self._whole.kept_folder

    @property
    def trust(self) -> "Trust | None":
        """Who was given what nobody vouches for."""
        return self._whole.trust

    @property
    def embedders(self) -> "Embedders":
        """The models of this process."""
        return self._whole.embedders

    @property
    def pairing(self) -> "OpenPairing":
        """What keeps the pairs of similar notes up to their vectors."""
        return self._whole.pairing

    @made_once
    def dismissals(self) -> "DismissalBook":
        """What a person wants to hear no more of, of the notes that are seen."""
        from glassmind.store.sqlite.change_log import note_log  # noqa: PLC0415
        from glassmind.store.sqlite.pairs import PairRows  # noqa: PLC0415
        from glassmind.wiring.pairs import dismissals_for  # noqa: PLC0415

        def sees(paths: "Collection[NotePath]") -> "set[NotePath]":
            there = PairRows(self.reader.connection()).there(paths)
            others = there.symmetric_difference(paths)
            skipped = self.reader.rows().skipped() if others else ()
            return there.union(path for path, *_ in skipped if path in others)

        def head() -> str:
            notes = note_log(self.reader.connection()).head()
            return f"{self.reader.log().head()} {notes}"

        return dismissals_for(self._whole, tells=False).seen_by(sees, head)

    @property
    def hindsight(self) -> "OtherMemory | None":
        """The memory beside the vault; it knows no scopes, so few are told of it."""
        return None if self._scope.rules else self._whole.hindsight

    def _host(self) -> Elsewhere | None:
        other = self._whole.elsewhere()
        if other is None:
            return None
        return _SeenElsewhere(other, self._scope, self)

    def words(self) -> SeenIndex | None:
        """Return the word index, as far as it is seen; None when there is none."""
        words = self._whole.words()
        return None if words is None else SeenIndex(words, self.reader.seen_notes)

    def forget_words(self) -> None:
        """Open the word index anew when it is next asked for."""
        self._whole.forget_words()

    @made_once
    def meaning(self) -> OpenMeaning:
        """The model and the vectors that answer; the models are those of all."""
        return _SeenMeaning(self, self._whole)

    def bundles(self, sources: "Sources") -> "Bundles":
        """Return what packs notes for an agent, of what it may read."""
        return super().bundles(replace(sources, shared=None))

    def keeper(self) -> "IndexKeeper":
        """Return what writes the index for all, and tells what is seen of it."""
        from glassmind.wiring.index import bench_for  # noqa: PLC0415

        keeper = replace(self._whole.keeper(), bench=partial(bench_for, self))
        return cast("IndexKeeper", _SeenKeeper(keeper, self))

    def as_told(
        self, report: "IndexReport", before: "Mapping[NotePath, str]"
    ) -> "IndexReport":
        """Return what a run did to the visible notes, given their digests before it."""
        if self.reader.hidden_notes():
            report = self._of_visible(report, before)
        skipped = [one for one in report.skipped if self._tells(one.path)]
        untold = [one.path for one in report.skipped if one not in skipped]
        hidden = [*self.reader.hidden_paths(), *untold] if report.warnings else ()
        warnings = [
            said for said in report.warnings if not any(path in said for path in hidden)
        ]
        notes = self.reader.rows().note_count()
        return replace(report, skipped=skipped, warnings=warnings, notes=notes)

    def visible_digests(self) -> "Mapping[NotePath, str]":
        """Return the digest of every visible note; none before the first run.

        Needed even if no note is hidden yet: the run may add the first hidden note.
        """
        try:
            return self.reader.rows().digests()
        except IndexAbsent:
            return {}

    def _of_visible(
        self, report: "IndexReport", before: "Mapping[NotePath, str]"
    ) -> "IndexReport":
        """Return a report that counts visible notes only.

        Passages count as embedded or reused only if their note was added or changed.
        """
        now, known = self.visible_digests(), {} if report.rebuilt else before
        renamed = [
            pair for pair in report.renamed if pair[0] in known and pair[1] in now
        ]
        moved_from, moved_to = ({pair[side] for pair in renamed} for side in (0, 1))
        added = now.keys() - known.keys() - moved_to
        changed = {
            path for path in now.keys() & known.keys() if now[path] != known[path]
        }
        passages = self.reader.embedded_in(added | changed)
        reused = min(report.reused, passages)
        return replace(
            report,
            added=len(added),
            changed=len(changed),
            moved=len(renamed),
            removed=len(known.keys() - now.keys() - moved_from),
            unchanged=len(now) - len(added) - len(changed) - len(renamed),
            embedded=min(report.embedded, passages - reused),
            reused=reused,
            left=min(report.left, passages),
            held=min(report.held, len(now)),
            renamed=renamed,
        )

    @property
    def writing(self) -> "Writing":
        """Nothing: what follows from a part of the notes is kept for nobody."""
        return cast("Writing", self._unwritten)

    def _unwritten(self, *_: object, **__: object) -> NoReturn:
        raise IndexUnwritable(str(self.place.folder), "it is seen in part")

    def files(self) -> ReadableFiles:
        """Return what reads the notes that may be read, as they are on disk now."""
        root, limit = self.config.vault.path, self.config.index.max_note_bytes
        return ReadableFiles(root, self._policy, self._skipped, limit_bytes=limit)

    def _tells(self, path: str) -> bool:
        """Whether a file may be told of that is left out of the index."""
        try:
            with self.files() as files:
                return files.may_tell_skipped(path)
        except VaultMissing:  # nobody can say what it is
            return False

    def _still(self, known: "Mapping[NotePath, int]") -> "Collection[NotePath]":
        """Return which notes may still be read, by their files where these changed."""
        try:
            with self.files() as files:
                return [one for one, at in known.items() if files.is_still(one, at)]
        except VaultMissing:  # nothing is newer than the index
            return known.keys()

    def seen_by(self, scope: Scope) -> NoReturn:
        """Refuse: who sees a part gives nobody another."""
        raise TypeError(f"of a part that is seen, {scope} cannot be seen")

    def editing(self, refresh: "Refresh", handed: "Handed") -> "Editing":
        """Return what changes notes; links are followed in the whole vault."""
        from glassmind.access.sight import Sight  # noqa: PLC0415
        from glassmind.store.sqlite.notes import SqliteEditRows  # noqa: PLC0415
        from glassmind.wiring.editing import editing_for  # noqa: PLC0415

        def paths() -> "list[NotePath]":
            return SqliteEditRows(self.reader.connection()).paths()

        sight = Sight(self._policy, self.files, paths)
        notes = self.notes
        return editing_for(self._whole, refresh, handed, notes=notes, sight=sight)

    def settle(self) -> tuple[str, ...]:
        """Bring a change that was cut short to its end; whose it was is not told."""
        self._whole.settle()
        return ()

    def close(self) -> None:
        """Let go of what is ours alone."""
        if "meaning" in self.__dict__:
            self.meaning.close()
        if self._readers is not None:
            self._readers[1].close_all()


class _SeenKeeper:
    """What keeps the index, and tells of a run what may be told."""

    def __init__(self, keeper: "IndexKeeper", adapters: SeenAdapters) -> None:
        self._keeper, self._adapters = keeper, adapters

    def __getattr__(self, name: str) -> Any:
        return getattr(self._keeper, name)

    def index(self, *wishes: Any, **named: Any) -> "IndexReport":
        """Bring the index up to the vault."""
        before = self._adapters.visible_digests()
        return self._adapters.as_told(self._keeper.index(*wishes, **named), before)


class _SeenMeaning(OpenMeaning):
    """The vectors that are seen, and the models of the whole vault."""

    def __init__(self, adapters: SeenAdapters, whole: LocalAdapters) -> None:
        super().__init__(adapters)
        self._seen, self._whole = adapters, whole

    def _open(self, folder: Path, space: "Space") -> "tuple[Meaning, FollowingVectors]":
        meaning, vectors = super()._open(folder, space)
        seen = SeenVectors(vectors, self._seen.reader.seen_chunks)
        return meaning._replace(vectors=seen), vectors

    def curve(self) -> "Curve | None":
        """Return what rates answers: the usual curve where notes are hidden.

        The curve of the vault was learnt from links of all notes.
        """
        if self._opened is None or not self._seen.reader.hidden_notes():
            return super().curve()
        return usual_curve(self._opened[1])

    def patience_with(self, model: str) -> "Patience":
        """Return what remembers how a model fared, whoever waited for it."""
        return self._whole.meaning.patience_with(model)

    def reranker(self) -> "Reranker":
        """Return what reads a question and a passage together."""
        return self._whole.meaning.reranker()


class _SeenElsewhere:
    """Who answers in our place, told for whom."""

    def __init__(self, other: Elsewhere, scope: Scope, adapters: SeenAdapters) -> None:
        self._other, self._scope, self._adapters = other, scope, adapters

    def search(
        self, text: str, wish: Wish, day: date, _: Scope | None = None
    ) -> SearchReply | None:
        """Return what it finds that the scope lets be read."""
        return self._other.search(text, wish, day, self._scope)

    def index(
        self, wishes: IndexWishes, progress: "ShowProgress | None"
    ) -> "IndexReport | None":
        """Let it bring the index up to the vault."""
        before = self._adapters.visible_digests()
        report = self._other.index(wishes, progress)
        return None if report is None else self._adapters.as_told(report, before)
