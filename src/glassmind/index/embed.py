"""The embedding pass: a vector for every chunk that lacks one, newest notes first.

It follows a run of text and can be stopped anywhere: what was embedded is kept, batch
by batch, and what says the same as before is never embedded again. The writer lock is
held only while a batch is written, so that others can index text meanwhile; a lock of
its own lets one process at a time embed a vault.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

import xxhash

from glassmind.errors import ModelFailed, ModelFault, OtherWidth
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
        self.embedder, self._given = embedder, given
        self.embedded = self.reused = self.failed = 0
        self._failure: ModelFault | None = None

    @property
    def space(self) -> tuple[str, int]:
        source = self._given or self.embedder
        if source is None:
            raise LookupError("neither a model nor given vectors")
        return source.space, source.width

    def remarks(self) -> list[str]:
        remarks = self._given.remarks() if self._given is not None else []
        if self.failed:
            much = "1 passage" if self.failed == 1 else f"{self.failed:,} passages"
            remarks.append(f"{much} got no vector: {self._failure}")
        return remarks

    def made(
        self,
        chunks: Sequence[Unembedded],
        kinds: Sequence[bool],
        known: Callable[[Iterable[bytes]], set[bytes]],
    ) -> list[Embedded]:
        """Return chunks with vectors, `known` in any of `kinds`, else the last."""
        forms: list[list[tuple[bytes, bool, Embeddable]]] = []
        for chunk in chunks:
            parts = [(kind, embeddable(chunk, enriched=kind)) for kind in kinds]
            forms.append([(key_of(part), kind, part) for kind, part in parts])
        there = known(key for row in forms for key, _, _ in row)
        found: list[Embedded] = []
        missing: dict[bytes, Embeddable] = {}
        for chunk, row in zip(chunks, forms, strict=True):
            key, enriched, part = next((f for f in row if f[0] in there), row[-1])
            rows = None
            if key not in there:
                rows = None if self._given is None else self._given.rows_for(chunk)
                if rows is None:
                    missing.setdefault(key, part)
            found.append(Embedded(chunk, key, rows, enriched))
        computed = self._computed(missing)
        complete: list[Embedded] = []
        for item in found:
            if item.rows is None and item.key in computed:
                there.add(item.key)  # the next that says the same need not bring it
                self.embedded += 1
                complete.append(item._replace(rows=computed.pop(item.key)))
            elif item.rows is not None or item.key in there:
                self.reused += 1
                complete.append(item)
        return complete

    def _computed(self, missing: dict[bytes, Embeddable]) -> dict[bytes, bytes]:
        """Return vectors, one text at a time where a batch fails; some may be left."""
        if self.embedder is None or not missing:
            return {}
        keys, parts = list(missing), list(missing.values())
        with suppress(ModelFault):
            return dict(zip(keys, self._rows(self.embedder, parts), strict=True))
        made: dict[bytes, bytes] = {}
        failed_in_a_row = 0
        for key, part in missing.items():
            try:
                made[key] = self._rows(self.embedder, [part])[0]
                failed_in_a_row = 0
            except ModelFault as error:
                failed_in_a_row += 1
                self._failure = error
                self.failed += 1
                if failed_in_a_row == min(HOPELESS, len(missing)):
                    self.failed -= failed_in_a_row
                    raise
        return made

    def _rows(self, embedder: Embedder, parts: Sequence[Embeddable]) -> list[bytes]:
        rows: list[bytes] = []
        for matrix in embedder.passages(parts):
            rows.append(matrix.astype("<f4").tobytes())
            width = matrix.shape[-1]
            if not rows[-1] or width != embedder.width:
                said = f"{width} numbers in place of {embedder.width}"
                raise ModelFailed("in use", said)
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


class EmbeddingResult(NamedTuple):
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


def _smart_connections(vault: Vault) -> "SmartConnections":
    from glassmind.files.smart_connections import SmartConnections  # noqa: PLC0415

    return SmartConnections(vault.config.vault.path)


def waiting(progress: ShowProgress) -> Callable[[], None]:
    """Return what is called while we wait for our turn, and may end that."""
    return lambda: progress(Progress("wait", 0, 0))


class EmbeddingPass:
    """One pass over one vault, which begins with a batch of `first` chunks."""

    def __init__(
        self, vault: Vault, wait_s: float, first: int, progress: ShowProgress
    ) -> None:
        self._vault, self._wait_s, self._first = vault, wait_s, first
        self._progress = progress
        embeddings, index = vault.config.embeddings, vault.config.index
        self._given: SmartConnections | None = None
        if embeddings.backend == "smart-connections":
            self._given = _smart_connections(vault)
        self._least, self._enrich = index.embed_min_chars, embeddings.enrich
        self._settings = json.dumps({n: getattr(embeddings, n) for n in MODEL_SETTINGS})
        self._lock = WriterLock(vault.place.folder / EMBEDDING_LOCK, takes_over=True)
        self._due = time.monotonic() + FOLLOW_S
        self._tried: set[tuple[int, bool]] = set()
        self._done = 0

    def run(
        self, *, again: bool = False, pause: Callable[[], bool] = lambda: False
    ) -> EmbeddingResult:
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
                return EmbeddingResult()
            if not self._lock.take_unless_alive(waiting(self._progress)):
                holder = f"{self._lock.holder()} is embedding this vault already"
                return EmbeddingResult(left=self._left(), warnings=(holder,))
            try:
                return self._locked(pause)
            finally:
                self._lock.release()

    def _locked(self, pause: Callable[[], bool]) -> EmbeddingResult:
        connections, warnings = self._given, list[str]()
        try:
            batcher = Batcher(self._vault.embedder(), connections)
        except ModelFault as error:
            if connections is None:
                return EmbeddingResult(
                    left=self._left(), warnings=(WITHOUT.format(error),)
                )
            batcher = Batcher(None, connections)
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
        return EmbeddingResult(batcher.embedded, batcher.reused, left, tuple(warnings))

    @property
    def _known(self) -> Rows:
        return self._vault.store.rows()

    def _level(self) -> str:
        """Return what the rows remember of a pass that left nothing to do."""
        from glassmind.models.embedders import recipe_for  # noqa: PLC0415 - costly

        connections, opens = self._given, True
        try:
            _ = connections is None or self._vault.embedder()
        except ModelFault:
            opens = False
        state = f"{connections.state} {opens}" if connections else ""
        head, recipe = self._vault.store.head(), recipe_for(self._vault.config)
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
                self._epoch = store.rows().setting("epoch")
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
                    or (rows.coverage(old, 1).covered and self._vault.embedder_of(old))
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
            if self._batcher.embedder is None:  # no pass could do more than this one
                with self._step() as step:
                    step.set(LEVEL, level)
            return len(ids)  # what failed is tried again by the next pass
        if self._known.spaces() != [self._space]:  # every chunk has its vector now
            with self._step() as step:
                step.answer_from(self._space, alone=True)
            self._follow()
        while self._enrich and self._embed(
            self._known.missing_vectors(self._space, self._least, enriched=True),
            enriched=True,
        ):
            pass
        dropped = ORPHANS
        while dropped == ORPHANS:
            with self._step() as step:
                dropped = step.drop_orphans(self._space, ORPHANS)
        if not self._batcher.failed:
            with self._step() as step:
                step.set(LEVEL, level)
        return 0

    def _embed(self, ids: Sequence[int], *, enriched: bool) -> bool:
        """Embed chunks that were not tried yet; return whether there were any."""
        fresh = [i for i in ids if (i, enriched) not in self._tried]
        at, size, began = 0, self._first, time.monotonic()
        around, known = enriched or self._enrich, self._known
        kinds = (True,) if enriched else (True, False) if around else (False,)
        self._report(len(fresh))
        while at < len(fresh) and time.monotonic() < began + LIST_S:
            part = fresh[at : at + size]
            started = time.monotonic()
            chunks = known.unembedded(part, surroundings=around)
            batch = self._batcher.made(
                chunks, kinds, lambda keys: known.known_vectors(self._space, keys)
            )
            with self._step() as step:
                step.put_vectors(self._space, batch)
            if time.monotonic() >= self._due:
                self._follow()
            self._tried.update((i, enriched) for i in part)
            at += len(part)
            self._done += len(part)
            self._report(len(fresh) - at)
            took = max(time.monotonic() - started, 0.001)
            size = max(SMALLEST, min(LARGEST, int(len(part) * BATCH_S / took)))
            if at < len(fresh) and self._pause():
                raise _Paused
        return bool(fresh)

    def _report(self, ahead: int) -> None:
        if ahead or self._done:
            self._progress(Progress("embed", self._done, self._done + ahead))

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
            if store.rows().setting("epoch") != self._epoch:
                raise _BegunAnew
            yield step

    def _follow(self) -> None:
        """Let the sidecar catch up."""
        began = time.monotonic()
        with self._writing() as store, store.faults():
            store.follow("vectors", self._progress)
        now = time.monotonic()
        self._due = now + max(FOLLOW_S, FOLLOW_SHARE * (now - began))
