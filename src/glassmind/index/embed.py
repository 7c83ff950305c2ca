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
from msgspec import Struct

from glassmind.errors import ModelFailed, ModelFault, OtherWidth
from glassmind.index.sidecars import Vectors, follow, waiting
from glassmind.model.index import Progress, ShowProgress
from glassmind.model.vectors import Embeddable, Embedded, Space, Unembedded
from glassmind.models.protocols import Embedder
from glassmind.obsidian.properties import is_memo_head, memo_own_text
from glassmind.obsidian.secrets import redacted
from glassmind.store.lock import WriterLock
from glassmind.store.sqlite.rows import Rows
from glassmind.store.sqlite.vectors import VectorStep
from glassmind.vault import Vault

if TYPE_CHECKING:
    from glassmind.files.smart_connections import SmartConnections
    from glassmind.model.vectors import Matrix
    from glassmind.store.sqlite.writer import SqliteWriter


WORDS_AROUND = 40
"""Words of each neighbour that go with an enriched chunk: a sentence or two."""


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


HOPELESS = 3
"""Passages that fail one after the other before the model is given up."""


class Batcher:
    """Turns chunks into vectors and counts how; without a model, the given ones."""

    def __init__(
        self, embedder: Embedder | None, given: "SmartConnections | None"
    ) -> None:
        self._embedder, self._given = embedder, given
        self.embedded = self.reused = self.failed = 0
        self.warnings: list[str] = []
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
        """Return the chunks with their vectors; one that got none is left out.

        `kinds` are the forms whose vectors are taken where they are `known` (enriched
        or not), the best first; the last is the one that is computed.

        Raises:
            ModelFault: the model gives no answer to anything.
        """
        forms = [[_form(chunk, enriched) for enriched in kinds] for chunk in chunks]
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
        """Return the vectors of what is wanted; what fails alone is left out.

        Raises:
            ModelFault: several in a row failed.
        """
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


def _form(chunk: Unembedded, enriched: bool) -> tuple[bytes, bool, Embeddable]:  # noqa: FBT001 - one of three facts
    part = embeddable(chunk, enriched=enriched)
    return key_of(part), enriched, part


def _checked(matrix: "Matrix", width: int) -> bytes:
    """Return the bytes of a matrix.

    Raises:
        ModelFailed: it is not as wide as the model said.
    """
    rows: bytes = matrix.astype("<f4").tobytes()
    if not rows or matrix.shape[-1] != width:
        raise ModelFailed("in use", f"{matrix.shape[-1]} numbers in place of {width}")
    return rows


BATCH_S = 1.0
"""Seconds of work that one batch aims for: what a kill can undo."""

SMALLEST, LARGEST = 8, 1024
"""Chunks in a batch: fewer starve a model of several threads, more fill the memory."""

LIST_S = 60.0
"""Seconds after which what is missing is listed anew: newer notes go first."""

FOLLOW_S, FOLLOW_SHARE = 5.0, 20
"""Seconds between two commits of the sidecar, and at least so often what one took."""

ORPHANS = 2_000
"""Vectors dropped in one step, so that nobody waits long for the writer lock."""

LEVEL = "embedded"
"""The setting that says up to which change, and how, everything was embedded."""


EMBEDDING_LOCK = "embedding.lock"

MODEL_SETTINGS = (
    "backend", "preset", "model", "dimensions", "context_tokens", "prefix"
)  # fmt: skip
"""Settings that choose a model; what is secret, and where it may go, stays outside."""

UNDONE = '[""]'
"""What it says while not everything is embedded as it is wanted now."""


class EmbeddingTask(Struct, frozen=True):
    """What a pass works with.

    It waits `wait_s` for other writers, and its first batch has `first` chunks, of the
    newest notes. `given` are vectors that another program made.
    """

    vault: Vault
    wait_s: float
    first: int
    given: "SmartConnections | None"

    @classmethod
    def of(cls, vault: Vault, wait_s: float, first: int) -> "EmbeddingTask":
        given = None
        if vault.config.embeddings.backend == "smart-connections":
            from glassmind.files.smart_connections import (  # noqa: PLC0415
                SmartConnections,
            )

            given = SmartConnections(vault.config.vault.path)
        return cls(vault, wait_s, first, given)

    def options(self) -> tuple[int, bool, str]:
        chosen, index = self.vault.config.embeddings, self.vault.config.index
        settings = json.dumps({name: getattr(chosen, name) for name in MODEL_SETTINGS})
        return index.embed_min_chars, chosen.enrich, settings

    def level(self) -> str:
        from glassmind.models.embedders import recipe_for  # noqa: PLC0415 - costly

        given = self.given
        state = f"{given.state} {_opens(self.vault)}" if given else ""
        head, recipe = self.vault.reader.log().head(), recipe_for(self.vault.config)
        return json.dumps([head, *self.options(), state, recipe])

    def is_as_before(self, level: str | None) -> bool:
        return level is not None and json.loads(level)[1:4] == list(self.options())

    def left(self) -> int:
        known = self.vault.reader.rows()
        return known.coverage(known.answering_space(), self.options()[0]).missing


def _opens(vault: Vault) -> bool:
    try:
        vault.embedder()
    except ModelFault:
        return False
    return True


class Passed(NamedTuple):
    """What a pass did, in chunks, and what a user should know of it."""

    embedded: int = 0
    reused: int = 0
    left: int = 0
    warnings: tuple[str, ...] = ()


def run_pass(
    task: EmbeddingTask,
    progress: ShowProgress,
    *,
    again: bool = False,
    pause: Callable[[], bool] = lambda: False,
) -> Passed:
    """Embed what lacks a vector, and say what was done.

    `again` looks even where nothing has changed since the last pass. `pause` is asked
    between two batches and ends the pass there. Without a model nothing is embedded
    and the answer says why; so it does when another process is at it already.

    Raises:
        IndexBusy: another process kept the rows for itself.
        IndexUnwritable: the disk does not take the vectors.
    """
    vault = task.vault
    with vault.faults():
        if not again and vault.reader.rows().setting(LEVEL) == task.level():
            return Passed()
        lock = WriterLock(vault.place.folder / EMBEDDING_LOCK, takes_over=True)
        if not lock.take_unless_alive(waiting(progress)):
            holder = f"{lock.holder()} is embedding this vault already"
            return Passed(left=task.left(), warnings=(holder,))
        try:
            return _locked_pass(task, progress, lock.check, pause)
        finally:
            lock.release()


def _locked_pass(
    task: EmbeddingTask,
    progress: ShowProgress,
    fence: Callable[[], None],
    pause: Callable[[], bool],
) -> Passed:
    given = task.given
    warnings: list[str] = []
    try:
        batcher = Batcher(task.vault.embedder(), given)
        space = batcher.space
    except ModelFault as error:
        if given is None:
            return Passed(left=task.left(), warnings=(WITHOUT.format(error),))
        batcher, space = Batcher(None, given), (given.space, given.width)
        warnings.append(f"only what Smart Connections has embedded is used: {error}")
    work = _Pass(task, batcher, space, progress, fence)
    try:
        work.begin()
        work.run(pause)
    except ModelFault as error:
        said = "embedding stopped: {}" if batcher.embedded else WITHOUT
        warnings.append(said.format(error))
        work.left = work.missing()
    warnings += batcher.remarks()
    return Passed(batcher.embedded, batcher.reused, work.left, tuple(warnings))


WITHOUT = "words and links only: {}"
"""What a user is told who cannot search by meaning."""


class _BegunAnew(Exception):
    """The rows were thrown away while we embedded them."""


class _Paused(Exception):
    """Somebody has more urgent work."""


class _Pass:
    """One pass over one vault, by the holder of its lock."""

    def __init__(
        self,
        task: EmbeddingTask,
        batcher: Batcher,
        space: tuple[str, int],
        progress: ShowProgress,
        fence: Callable[[], None],
    ) -> None:
        self._task, self._vault = task, task.vault
        self._batcher, self._progress = batcher, progress
        self._fence = fence
        self._named = space
        self._least, self._enrich, self._settings = task.options()
        self._due = time.monotonic() + FOLLOW_S
        self._tried: set[tuple[int, bool]] = set()
        self.left = self._done = 0
        self._pause: Callable[[], bool] = lambda: False

    @property
    def known(self) -> Rows:
        return self._vault.reader.rows()

    def missing(self) -> int:
        return self.known.coverage(self.space, self._least).missing

    def run(self, pause: Callable[[], bool]) -> None:
        """Embed until nothing is missing that has not been tried, or `pause` says so.

        Raises:
            ModelFault: the model gives no answer any more; what it gave is kept.
        """
        self._pause = pause
        try:
            while not self._ran():
                self._tried.clear()
                self.begin()
        except ModelFault:
            self._follow()
            raise
        except _Paused:
            self.left = self.missing()
        self._follow()

    def _ran(self) -> bool:
        """Embed; return False when the rows were begun anew meanwhile."""
        try:
            self._run()
        except _BegunAnew:
            return False
        return True

    def begin(self) -> None:
        """Make the space if need be, and let it answer if no other can.

        Raises:
            OtherWidth: the model is another than its name says.
        """
        with self._writing() as store, store.faults():
            with store.vector_step() as step:
                self._epoch = step.epoch()
                self.space = step.open_space(*self._named, self._settings)
                self._check_width(self.space.width)
            known = store.rows()
            old = known.answering_space()
            with store.vector_step() as step:
                if not self._task.is_as_before(known.setting(LEVEL)):
                    step.unlink(self.space, self._unwanted(known))
                    step.set(LEVEL, UNDONE)
                if old is None or not self._can_answer(known, old):
                    step.answer_from(self.space)

    def _check_width(self, known: int) -> None:
        """See that a model is still as wide as when it embedded its first passage.

        Raises:
            OtherWidth: a server has another under the same name by now.
        """
        name, width = self._named
        if width != known:
            raise OtherWidth(name, found=width, known=known)

    def _unwanted(self, known: Rows) -> list[int]:
        return known.unwanted_vectors(self.space, self._least, enriched=self._enrich)

    def _can_answer(self, known: Rows, old: Space) -> bool:
        if old.id == self.space.id:
            return True
        if not known.has_vectors(old):
            return False
        return self._vault.embedder_of(old) is not None

    def _run(self) -> None:
        while True:
            level = self._task.level()  # of before: what comes later is for the next
            ids = self.known.missing_vectors(self.space, self._least)
            if not self._embed(ids, enriched=False):
                break
        self.left = len(ids)
        if ids:
            if not self._batcher.can_compute:  # no pass could do more than this one
                self._set_level(level)
            return  # what failed is tried again by the next pass
        self._complete()
        while self._enrich and self._embed(
            self.known.plain_vectors(self.space), enriched=True
        ):
            pass
        self._drop_orphans()
        if not self._batcher.failed:
            self._set_level(level)

    def _set_level(self, level: str) -> None:
        with self._step() as step:
            step.set(LEVEL, level)

    def _embed(self, ids: Sequence[int], *, enriched: bool) -> bool:
        """Embed chunks that were not tried yet; return whether there were any."""
        fresh = [i for i in ids if (i, enriched) not in self._tried]
        at, size, began = 0, self._task.first, time.monotonic()
        self._tell(len(fresh))
        while at < len(fresh) and time.monotonic() < began + LIST_S:
            part = fresh[at : at + size]
            started = time.monotonic()
            self._write(self._made(part, enriched=enriched))
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
        chunks = self.known.unembedded(part, surroundings=around)
        space, known = self.space, self.known
        kinds = (True,) if enriched else (True, False) if around else (False,)
        return self._batcher.made(
            chunks, kinds, lambda keys: known.known_vectors(space, keys)
        )

    def _write(self, batch: Sequence[Embedded]) -> None:
        with self._step() as step:
            step.put(self.space, batch)
        if time.monotonic() >= self._due:
            self._follow()

    def _writing(self) -> "AbstractContextManager[SqliteWriter]":
        wait = waiting(self._progress)
        return self._vault.writing(self._task.wait_s, here=True, waiting=wait)

    @contextmanager
    def _step(self) -> Iterator[VectorStep]:
        with (
            self._writing() as store,
            store.faults(),
            store.vector_step() as step,
        ):
            self._fence()
            if step.epoch() != self._epoch:
                raise _BegunAnew
            yield step

    def _follow(self) -> None:
        began = time.monotonic()
        with self._writing() as store, store.faults():
            follow(Vectors(self._vault), store, self._progress)
        now = time.monotonic()
        self._due = now + max(FOLLOW_S, FOLLOW_SHARE * (now - began))

    def _complete(self) -> None:
        if self.known.spaces() == [self.space]:
            return
        with self._step() as step:
            step.answer_from(self.space)
            step.leave_only(self.space)
        self._follow()

    def _drop_orphans(self) -> None:
        dropped = ORPHANS
        while dropped == ORPHANS:
            with self._step() as step:
                dropped = step.drop_orphans(ORPHANS)
                step.drop_empty_spaces(self.space)
