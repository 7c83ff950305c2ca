"""The embedding pass: a vector for every chunk that lacks one, newest notes first.

It follows a run of text and can be stopped anywhere: what was embedded is kept, batch
by batch, and what says the same as before is never embedded again. The writer lock is
held only while a batch is written, so that others can index text meanwhile; a lock of
its own lets one process at a time embed a vault.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from glassmind.errors import ModelFault, OtherWidth
from glassmind.index.embed_batch import Batcher, Given
from glassmind.index.run import Workshop, WritableStore, follow_vectors, waiting
from glassmind.model.files import Progress
from glassmind.model.vectors import Embedded, Space
from glassmind.ports.indexing import KnownVectors, ShowProgress, VectorStep
from glassmind.ports.models import Embedder

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


UNDONE = '[""]'
"""What it says while not everything is embedded as it is wanted now."""


class PassLock(Protocol):
    """The right to embed one vault."""

    def take_unless_alive(self, waiting: Callable[[], None], /) -> bool:
        """Take the lock if nobody holds it who is at work; say whether we hold it."""

    def check(self) -> None:
        """Raise where the lock was taken from us."""

    def release(self) -> None:
        """Give the lock back."""

    def holder(self) -> str:
        """Name who holds it."""


class Wishes(NamedTuple):
    """What the settings ask of a pass; `settings` is the JSON of those of the model.

    `first` is how many chunks the first batch has, of the newest notes.
    """

    least_chars: int
    enrich: bool
    settings: str
    first: int = SMALLEST * 4


@dataclass(frozen=True, slots=True)
class Meaning:
    """Everything a pass works with.

    `embedder` opens the model, raising a `ModelFault` where that fails. `known` reads
    the rows, `head` tells how far their text has come. `usable` says whether the model
    of another space could still be asked. `given` returns vectors that another program
    made, if they are to be used. `recipe` tells how this release makes vectors by the
    settings, without opening the model.
    """

    shop: Workshop
    wishes: Wishes
    embedder: Callable[[], Embedder]
    known: Callable[[], KnownVectors]
    head: Callable[[], str]
    faults: Callable[[], AbstractContextManager[None]]
    lock: Callable[[], PassLock]
    usable: Callable[[Space], bool]
    given: Callable[[], Given | None] = lambda: None
    recipe: Callable[[], str] = lambda: ""

    def level(self) -> str:
        """Return what the rows remember of a pass that left nothing to do."""
        given = self.given()
        state = f"{given.state} {_opens(self.embedder)}" if given else ""
        return json.dumps([self.head(), *self.wishes, state, self.recipe()])

    def wished_before(self, level: str | None) -> bool:
        """Whether what the rows remember was done by the same wishes."""
        return level is not None and json.loads(level)[1:4] == list(self.wishes)


def _opens(embedder: Callable[[], Embedder]) -> bool:
    try:
        embedder()
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
    meaning: Meaning,
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
    with meaning.faults():
        if not again and meaning.known().setting(LEVEL) == meaning.level():
            return Passed()
        lock = meaning.lock()
        if not lock.take_unless_alive(waiting(progress)):
            holder = f"{lock.holder()} is embedding this vault already"
            return Passed(left=_left(meaning), warnings=(holder,))
        try:
            return _locked_pass(meaning, progress, lock.check, pause)
        finally:
            lock.release()


def _left(meaning: Meaning) -> int:
    known = meaning.known()
    return known.coverage(known.answering(), meaning.wishes.least_chars).missing


def _locked_pass(
    meaning: Meaning,
    progress: ShowProgress,
    fence: Callable[[], None],
    pause: Callable[[], bool],
) -> Passed:
    given = meaning.given()
    warnings: list[str] = []
    try:
        batcher = Batcher(meaning.embedder(), given)
        space = batcher.space
    except ModelFault as error:
        if given is None:
            return Passed(left=_left(meaning), warnings=(WITHOUT.format(error),))
        batcher, space = Batcher(None, given), (given.space, given.width)
        warnings.append(f"only what Smart Connections has embedded is used: {error}")
    work = _Pass(meaning, batcher, space, progress, fence)
    try:
        work.begin()
        work.run(pause)
    except ModelFault as error:
        said = "embedding stopped: {}" if batcher.embedded else WITHOUT
        warnings.append(said.format(error))
        work.left = work.known.coverage(work.space, meaning.wishes.least_chars).missing
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
        meaning: Meaning,
        batcher: Batcher,
        space: tuple[str, int],
        progress: ShowProgress,
        fence: Callable[[], None],
    ) -> None:
        self._meaning, self._batcher, self._progress = meaning, batcher, progress
        self._fence = fence
        self._named = space
        self._wishes = meaning.wishes
        self._due = time.monotonic() + FOLLOW_S
        self._tried: set[tuple[int, bool]] = set()
        self.left = self._done = 0
        self._pause: Callable[[], bool] = lambda: False

    @property
    def known(self) -> KnownVectors:
        return self._meaning.known()

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
            least = self._wishes.least_chars
            self.left = self.known.coverage(self.space, least).missing
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
        wishes = self._wishes
        with self._writing() as store, store.faults():
            with store.vector_step() as step:
                self._epoch = step.epoch()
                self.space = step.open_space(*self._named, wishes.settings)
                self._check_width(self.space.width)
            known = store.vectors()
            old = known.answering()
            with store.vector_step() as step:
                if not self._meaning.wished_before(known.setting(LEVEL)):
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

    def _unwanted(self, known: KnownVectors) -> list[int]:
        least, enrich = self._wishes.least_chars, self._wishes.enrich
        return known.unwanted(self.space, least, enriched=enrich)

    def _can_answer(self, known: KnownVectors, old: Space) -> bool:
        if old.id == self.space.id:
            return True
        return known.has_vectors(old) and self._meaning.usable(old)

    def _run(self) -> None:
        least, enrich = self._wishes.least_chars, self._wishes.enrich
        while True:
            level = self._meaning.level()  # of before: what comes later is for the next
            ids = self.known.missing(self.space, least)
            if not self._embed(ids, enriched=False):
                break
        self.left = len(ids)
        if ids:
            if not self._batcher.can_compute:  # no pass could do more than this one
                self._set_level(level)
            return  # what failed is tried again by the next pass
        self._complete()
        while enrich and self._embed(self.known.plain(self.space), enriched=True):
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
        at, size, began = 0, self._wishes.first, time.monotonic()
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
        around = enriched or self._wishes.enrich
        chunks = self.known.chunks(part, surroundings=around)
        space, known = self.space, self.known
        kinds = (True,) if enriched else (True, False) if around else (False,)
        return self._batcher.made(chunks, kinds, lambda keys: known.known(space, keys))

    def _write(self, batch: Sequence[Embedded]) -> None:
        with self._step() as step:
            step.put(self.space, batch)
        if time.monotonic() >= self._due:
            self._follow()

    def _writing(self) -> AbstractContextManager[WritableStore]:
        shop = self._meaning.shop
        return shop.writing(here=True, waiting=waiting(self._progress))

    @contextmanager
    def _step(self) -> Iterator[VectorStep]:
        """Hold the writer lock for one short step on the rows that were begun with."""
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
        """Let the sidecar catch up."""
        began = time.monotonic()
        with self._writing() as store, store.faults():
            follow_vectors(self._meaning.shop, store, self._progress)
        now = time.monotonic()
        self._due = now + max(FOLLOW_S, FOLLOW_SHARE * (now - began))

    def _complete(self) -> None:
        """Let the space answer now that every chunk has its vector, and no other."""
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
