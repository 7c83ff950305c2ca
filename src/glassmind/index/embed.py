"""The embedding pass: a vector for every chunk that lacks one, newest notes first.

It follows a run of text and can be stopped anywhere: what was embedded is kept, batch
by batch, and what says the same as before is never embedded again. The writer lock is
held only while a batch is written, so that others can index text meanwhile; a lock of
its own lets one process at a time embed a vault.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, NamedTuple

import xxhash

from glassmind.errors import ModelFailed, ModelFault, OtherWidth
from glassmind.index.sidecars import Vectors, follow, waiting
from glassmind.model.index import Progress, ShowProgress
from glassmind.model.vectors import Embeddable, Embedded, Unembedded
from glassmind.models.protocols import Embedder
from glassmind.obsidian.properties import is_memo_head, memo_own_text
from glassmind.obsidian.secrets import redacted
from glassmind.store.lock import WriterLock
from glassmind.store.protocol import Rows, Transaction
from glassmind.vault import Vault

if TYPE_CHECKING:
    from glassmind.files.smart_connections import SmartConnections
    from glassmind.model.vectors import Matrix
    from glassmind.store.protocol import Writer


WORDS_AROUND = 40  # of each neighbour of an enriched chunk: a sentence or two


def embeddable(chunk: Unembedded, *, enriched: bool = False) -> Embeddable:
    """Return what is embedded of a chunk: where it stands, and what it says.

    Where it stands is said as "Project Alpha / Status Updates"; `enriched` adds the end
    of the chunk before it and the beginning of the one after it. Credentials are
    hidden: rows have none, but titles are names of files, and rows may be old. So is
    what is noted of a memo, which it does not say.
    """
    under = [h for h in chunk.heading_path if h.casefold() != chunk.title.casefold()]
    context = " / ".join([chunk.title, *under])
    if enriched:
        before = "" if is_memo_head(chunk.before) else memo_own_text(chunk.before)
        before = " ".join(before.split()[-WORDS_AROUND:])
        after = " ".join(chunk.after.split()[:WORDS_AROUND])
        context = "\n".join(part for part in (context, before, after) if part)
    return Embeddable(redacted(context), redacted(memo_own_text(chunk.text)))


def key_of(part: Embeddable) -> bytes:
    return xxhash.xxh3_128_digest(f"{part.context}\0{part.text}".encode())


HOPELESS = 3  # passages that fail one after the other before the model is given up


class Batcher:
    """Turns chunks into vectors and counts how; without a model, the given ones."""

    def __init__(
        self, embedder: Embedder | None, given: "SmartConnections | None"
    ) -> None:
        self._embedder, self._given = embedder, given
        self.embedded = self.reused = self.failed = 0
        self._failure: ModelFault | None = None

    @property
    def can_compute(self) -> bool:
        return self._embedder is not None

    @property
    def space(self) -> tuple[str, int]:
        source = self._given or self._embedder
        if source is None:
            raise LookupError("neither a model nor given vectors")
        return source.space, source.width

    def remarks(self) -> list[str]:
        said = self._given.remarks() if self._given is not None else []
        if not self.failed:
            return said
        much = "1 passage" if self.failed == 1 else f"{self.failed:,} passages"
        return [*said, f"{much} got no vector: {self._failure}"]

    def made(
        self,
        chunks: Sequence[Unembedded],
        kinds: Sequence[bool],
        known: Callable[[Iterable[bytes]], set[bytes]],
    ) -> list[Embedded]:
        """Return chunks with vectors, `known` in any of `kinds`, else the last."""
        forms = [
            [
                (key_of(part), enriched, part)
                for enriched in kinds
                for part in [embeddable(chunk, enriched=enriched)]
            ]
            for chunk in chunks
        ]
        there = known(key for row in forms for key, _, _ in row)
        found: list[Embedded] = []
        wanted: dict[bytes, Embeddable] = {}
        for chunk, row in zip(chunks, forms, strict=True):
            key, enriched, part = next((f for f in row if f[0] in there), row[-1])
            rows = None
            if key not in there and self._given is not None:
                rows = self._given.rows_for(chunk)
            if rows is None and key not in there:
                wanted.setdefault(key, part)
            found.append(Embedded(chunk, key, rows, enriched))
        computed = self._computed(wanted)
        return [full for one in found if (full := self._filled(one, there, computed))]

    def _filled(
        self, one: Embedded, there: set[bytes], computed: dict[bytes, bytes]
    ) -> Embedded | None:
        """Return a chunk with what was computed for it, counted; None without any."""
        if one.rows is None and one.key in computed:
            there.add(one.key)  # the next that says the same need not bring it again
            self.embedded += 1
            return one._replace(rows=computed.pop(one.key))
        if one.rows is None and one.key not in there:
            return None
        self.reused += 1
        return one

    def _computed(self, wanted: dict[bytes, Embeddable]) -> dict[bytes, bytes]:
        """Return the vectors of what is wanted; what fails alone is left out."""
        if self._embedder is None or not wanted:
            return {}
        keys, parts = list(wanted), list(wanted.values())
        try:
            return dict(zip(keys, self._rows(self._embedder, parts), strict=True))
        except ModelFault:
            return self._one_by_one(self._embedder, wanted)

    def _one_by_one(
        self, embedder: Embedder, wanted: dict[bytes, Embeddable]
    ) -> dict[bytes, bytes]:
        made: dict[bytes, bytes] = {}
        in_a_row = 0
        for key, part in wanted.items():
            try:
                made[key] = self._rows(embedder, [part])[0]
                in_a_row = 0
            except ModelFault as error:
                in_a_row += 1
                self._failure = error
                self.failed += 1
                if in_a_row == min(HOPELESS, len(wanted)):
                    self.failed -= in_a_row
                    raise
        return made

    def _rows(self, embedder: Embedder, parts: Sequence[Embeddable]) -> list[bytes]:
        width = embedder.width
        return [_checked(matrix, width) for matrix in embedder.passages(parts)]


def _checked(matrix: "Matrix", width: int) -> bytes:
    """Return the bytes of a matrix, if it is as wide as the model said."""
    rows: bytes = matrix.astype("<f4").tobytes()
    if not rows or matrix.shape[-1] != width:
        raise ModelFailed("in use", f"{matrix.shape[-1]} numbers in place of {width}")
    return rows


BATCH_S = 1.0  # seconds of work that one batch aims for: what a kill can undo
SMALLEST, LARGEST = 8, 1024  # chunks in a batch: fewer starve threads, more fill memory
LIST_S = 60.0  # then what is missing is listed anew: newer notes go first
FOLLOW_S, FOLLOW_SHARE = 5.0, 20  # between commits of the sidecar, and of its time
ORPHANS = 2_000  # vectors dropped in one step, so that nobody waits long
LEVEL = "embedded"  # the setting that says what was embedded, and how


EMBEDDING_LOCK = "embedding.lock"

MODEL_SETTINGS = (
    "backend", "preset", "model", "dimensions", "context_tokens"
)  # fmt: skip
"""Settings that choose a model; what is secret, and where it may go, stays outside."""

UNDONE = '[""]'  # what it says while not everything is embedded as it is wanted now


class Passed(NamedTuple):
    """What a pass did, in chunks, and what a user should know of it."""

    embedded: int = 0
    reused: int = 0
    left: int = 0
    warnings: tuple[str, ...] = ()


WITHOUT = "words and links only: {}"  # what a user is told who cannot search by meaning


class _BegunAnew(Exception):
    """The rows were thrown away while we embedded them."""


class _Paused(Exception):
    """Somebody has more urgent work."""


def _given(vault: Vault) -> "SmartConnections":
    """Return the vectors that another program made."""
    from glassmind.files.smart_connections import SmartConnections  # noqa: PLC0415

    return SmartConnections(vault.config.vault.path)


class EmbeddingPass:
    """One pass over one vault, which begins with a batch of `first` chunks."""

    def __init__(
        self, vault: Vault, wait_s: float, first: int, progress: ShowProgress
    ) -> None:
        self._vault, self._wait_s, self._first = vault, wait_s, first
        self._progress = progress
        chosen, index = vault.config.embeddings, vault.config.index
        self._given = _given(vault) if chosen.backend == "smart-connections" else None
        self._least, self._enrich = index.embed_min_chars, chosen.enrich
        self._settings = json.dumps({n: getattr(chosen, n) for n in MODEL_SETTINGS})
        self._lock = WriterLock(vault.place.folder / EMBEDDING_LOCK, takes_over=True)
        self._due = time.monotonic() + FOLLOW_S
        self._tried: set[tuple[int, bool]] = set()
        self._done = 0

    def run(
        self, *, again: bool = False, pause: Callable[[], bool] = lambda: False
    ) -> Passed:
        """Embed what lacks a vector, and say what was done.

        `again` looks even where nothing has changed since the last pass. `pause` is
        asked between two batches and ends the pass there. Without a model nothing is
        embedded and the answer says why; so it does when another process is at it
        already.

        Raises:
            IndexBusy: another process kept the rows for itself.
            IndexUnwritable: the disk does not take the vectors.
        """
        with self._vault.faults():
            if not again and self._known.setting(LEVEL) == self._level():
                return Passed()
            if not self._lock.take_unless_alive(waiting(self._progress)):
                holder = f"{self._lock.holder()} is embedding this vault already"
                return Passed(left=self._left(), warnings=(holder,))
            try:
                return self._locked(pause)
            finally:
                self._lock.release()

    def _locked(self, pause: Callable[[], bool]) -> Passed:
        given, warnings = self._given, list[str]()
        try:
            batcher = Batcher(self._vault.embedder(), given)
        except ModelFault as error:
            if given is None:
                return Passed(left=self._left(), warnings=(WITHOUT.format(error),))
            batcher = Batcher(None, given)
            said = f"only what Smart Connections has embedded is used: {error}"
            warnings.append(said)
        self._batcher, self._pause = batcher, pause
        try:
            left = self._all()
        except ModelFault as error:
            said = "embedding stopped: {}" if batcher.embedded else WITHOUT
            warnings.append(said.format(error))
            left = self._missing()
        warnings += batcher.remarks()
        return Passed(batcher.embedded, batcher.reused, left, tuple(warnings))

    @property
    def _known(self) -> Rows:
        return self._vault.store.rows()

    def _level(self) -> str:
        """Return what the rows remember of a pass that left nothing to do."""
        from glassmind.models.embedders import recipe_for  # noqa: PLC0415 - costly

        given, opens = self._given, True
        try:
            _ = given is None or self._vault.embedder()
        except ModelFault:
            opens = False
        state = f"{given.state} {opens}" if given else ""
        head, recipe = self._vault.store.log().head(), recipe_for(self._vault.config)
        return json.dumps([head, *self._options(), state, recipe])

    def _options(self) -> list[object]:
        return [self._least, self._enrich, self._settings]

    def _left(self) -> int:
        """Return how many chunks lack a vector of the space that answers."""
        known = self._known
        return known.coverage(known.answering_space(), self._least).missing

    def _missing(self) -> int:
        return self._known.coverage(self._space, self._least).missing

    def _all(self) -> int:
        """Return how many chunks are left when all was tried, or we are to pause."""
        while True:
            self._begin()
            try:
                left = self._from_here()
            except _BegunAnew:
                self._tried.clear()
                continue
            except ModelFault:
                self._follow()
                raise
            except _Paused:
                left = self._missing()
            self._follow()
            return left

    def _begin(self) -> None:
        """Make the space if need be, and let it answer if no other can."""
        name, width = self._batcher.space
        with self._writing() as store, store.faults():
            with store.transaction() as step:
                self._epoch = step.epoch()
                self._space = space = step.open_space(name, width, self._settings)
                if space.width != width:
                    raise OtherWidth(name, found=width, known=space.width)
            rows = store.rows()
            old, level = rows.answering_space(), rows.setting(LEVEL)
            with store.transaction() as step:
                if level is None or json.loads(level)[1:4] != self._options():
                    unwanted = rows.unwanted_vectors(
                        space, self._least, enriched=self._enrich
                    )
                    step.unlink_vectors(space, unwanted)
                    step.set(LEVEL, UNDONE)
                can_answer = old is not None and (
                    old.id == space.id
                    or (rows.has_vectors(old) and self._vault.embedder_of(old))
                )
                if not can_answer:
                    step.answer_from(space)

    def _from_here(self) -> int:
        while True:
            level = self._level()  # of before: what comes later is for the next
            ids = self._known.missing_vectors(self._space, self._least)
            if not self._embed(ids, enriched=False):
                break
        if ids:
            if not self._batcher.can_compute:  # no pass could do more than this one
                self._set_level(level)
            return len(ids)  # what failed is tried again by the next pass
        self._complete()
        while self._enrich and self._embed(
            self._known.plain_vectors(self._space), enriched=True
        ):
            pass
        dropped = ORPHANS
        while dropped == ORPHANS:
            with self._step() as step:
                dropped = step.drop_orphans(ORPHANS)
                step.drop_empty_spaces(self._space)
        if not self._batcher.failed:
            self._set_level(level)
        return 0

    def _set_level(self, level: str) -> None:
        with self._step() as step:
            step.set(LEVEL, level)

    def _embed(self, ids: Sequence[int], *, enriched: bool) -> bool:
        """Embed chunks that were not tried yet; return whether there were any."""
        fresh = [i for i in ids if (i, enriched) not in self._tried]
        at, size, began = 0, self._first, time.monotonic()
        self._tell(len(fresh))
        while at < len(fresh) and time.monotonic() < began + LIST_S:
            part = fresh[at : at + size]
            started = time.monotonic()
            batch = self._made(part, enriched=enriched)
            with self._step() as step:
                step.put_vectors(self._space, batch)
            if time.monotonic() >= self._due:
                self._follow()
            self._tried.update((i, enriched) for i in part)
            at += len(part)
            self._done += len(part)
            self._tell(len(fresh) - at)
            took = max(time.monotonic() - started, 0.001)
            size = max(SMALLEST, min(LARGEST, int(len(part) * BATCH_S / took)))
            if at < len(fresh) and self._pause():
                raise _Paused
        return bool(fresh)

    def _tell(self, ahead: int) -> None:
        if ahead or self._done:
            self._progress(Progress("embed", self._done, self._done + ahead))

    def _made(self, part: Sequence[int], *, enriched: bool) -> list[Embedded]:
        around = enriched or self._enrich
        space, known = self._space, self._known
        chunks = known.unembedded(part, surroundings=around)
        kinds = (True,) if enriched else (True, False) if around else (False,)
        return self._batcher.made(
            chunks, kinds, lambda keys: known.known_vectors(space, keys)
        )

    def _writing(self) -> "AbstractContextManager[Writer]":
        wait = waiting(self._progress)
        return self._vault.writing(self._wait_s, here=True, waiting=wait)

    @contextmanager
    def _step(self) -> Iterator[Transaction]:
        """Hold the writer lock for one short step on the rows that were begun with."""
        with (
            self._writing() as store,
            store.faults(),
            store.transaction() as step,
        ):
            self._lock.check()
            if step.epoch() != self._epoch:
                raise _BegunAnew
            yield step

    def _follow(self) -> None:
        """Let the sidecar catch up."""
        began = time.monotonic()
        with self._writing() as store, store.faults():
            follow(Vectors(self._vault), store, self._progress)
        now = time.monotonic()
        self._due = now + max(FOLLOW_S, FOLLOW_SHARE * (now - began))

    def _complete(self) -> None:
        """Let the space answer now that every chunk has its vector, and no other."""
        if self._known.spaces() == [self._space]:
            return
        with self._step() as step:
            step.answer_from(self._space)
            step.leave_only(self._space)
        self._follow()
