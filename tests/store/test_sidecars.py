"""A sidecar follows the log: through crashes, strangers' markers and damage."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.errors import IndexDamaged, IndexUnwritable
from glassmind.model import NotePath
from glassmind.model.index import ChunkPassage, Document, Progress
from glassmind.store import sidecars as follow_module
from glassmind.store.sidecars import SidecarUpdate


def document(note_id: int, text: str) -> Document:
    return Document(
        note_id=note_id,
        path=NotePath(f"{note_id}.md"),
        title="",
        aliases=(),
        tags=(),
        properties=(),
        day=None,
        mtime_ns=0,
        passages=(ChunkPassage(note_id * 1000, (), text),),
    )


@dataclass
class FakeLog:
    """A change log in memory: tokens count up, so a lost one is never made again."""

    epoch: str = "e"
    notes: dict[int, str] = field(default_factory=dict)
    changes: list[tuple[int, int, str]] = field(default_factory=list)
    made: int = 0

    def change(self, note_id: int, text: str | None) -> None:
        if text is None:
            self.notes.pop(note_id, None)
        else:
            self.notes[note_id] = text
        self.made += 1
        seq = self.changes[-1][0] + 1 if self.changes else 1
        self.changes.append((seq, note_id, f"t{self.made}"))

    def is_empty(self) -> bool:
        return not self.changes and not self.notes

    def head(self) -> str:
        if not self.changes:
            return f"{self.epoch}:0:"
        seq, _, token = self.changes[-1]
        return f"{self.epoch}:{seq}:{token}"

    def holds(self, marker: str) -> bool:
        epoch, seq, token = marker.split(":")
        if epoch != self.epoch:
            return False
        if seq == "0":
            return not self.changes or self.changes[0][0] == 1
        return any((s, t) == (int(seq), token) for s, _, t in self.changes)

    def pending(self, marker: str | None) -> int | None:
        if marker is None or not self.holds(marker):
            return None
        return sum(change[0] > int(marker.split(":")[1]) for change in self.changes)

    def after(self, marker: str, limit: int) -> tuple[list[int], str]:
        seq = int(marker.split(":")[1])
        found = [change for change in self.changes if change[0] > seq][:limit]
        if not found:
            return [], marker
        last, _, token = found[-1]
        ids = list(dict.fromkeys(note_id for _, note_id, _ in found))
        return ids, f"{self.epoch}:{last}:{token}"

    def all_notes(self, batch: int) -> Iterator[list[int]]:
        ids = sorted(self.notes)
        for start in range(0, len(ids), batch):
            yield ids[start : start + batch]

    def current(self, note_ids: Iterable[int]) -> list[Document]:
        return [document(i, self.notes[i]) for i in note_ids if i in self.notes]

    def prune(self, marker: str) -> None:
        below = int(marker.split(":")[1])
        self.changes = [change for change in self.changes if change[0] >= below]


@dataclass
class FakeSidecar:
    """A derived index in memory, with a fuse that blows at a chosen call."""

    shown: dict[int, str] = field(default_factory=dict)
    reached: str | None = None
    staged: dict[int, str] | None = None
    fuse: int = -1
    fault: Callable[[], BaseException] = KeyboardInterrupt
    calls: list[str] = field(default_factory=list)
    opened: list[bool] = field(default_factory=list)
    deleted: tuple[int, float] = (0, 0.0)

    def _call(self, name: str) -> None:
        self.calls.append(name)
        self.fuse -= 1
        if self.fuse == 0:
            raise self.fault()

    def marker(self) -> str | None:
        return self.reached

    def reset(self) -> None:
        self._call("reset")
        self.staged = {}

    def put(self, note_ids: Iterable[int], documents: Sequence[Document]) -> None:
        self._call("put")
        staged = dict(self.shown) if self.staged is None else self.staged
        for note_id in note_ids:
            staged.pop(note_id, None)
        staged.update((found.note_id, found.passages[0].text) for found in documents)
        self.staged = staged

    def commit(self, marker: str) -> None:
        self._call("commit")
        self.shown = dict(self.shown) if self.staged is None else self.staged
        self.reached, self.staged = marker, None

    def rollback(self) -> None:
        self.calls.append("rollback")
        self.staged = None

    def close(self) -> None:
        self.calls.append("close")
        self.staged = None  # what a killed writer leaves is nothing


@dataclass
class FakeStore:
    """The rows of an index, as far as following them needs any."""

    changes: FakeLog

    def fence(self) -> None:
        return

    def rows(self) -> Self:
        return self

    def count(self, _: str) -> int:
        return len(self.changes.notes)


class Shelf:
    """Where a sidecar stands; one that is thrown away leaves room for a fresh one."""

    stage = "words"

    def __init__(self, sidecar: FakeSidecar) -> None:
        self.sidecar = sidecar
        self.thrown_away = 0

    def log(self, store: FakeStore) -> FakeLog:
        return store.changes

    def marker(self) -> str | None:
        return self.sidecar.reached

    def discard(self) -> None:
        self.thrown_away += 1
        self.sidecar = FakeSidecar()

    def open(self, *, much: bool) -> FakeSidecar:
        self.sidecar.opened.append(much)
        return self.sidecar

    def deleted(self) -> tuple[int, float]:
        return self.sidecar.deleted


def quiet(_: Progress) -> None:
    return


def catch_up(log: FakeLog, shelf: Shelf | FakeSidecar) -> None:
    sidecar: Any = Shelf(shelf) if isinstance(shelf, FakeSidecar) else shelf
    store: Any = FakeStore(log)
    log_of_store: Any = log
    with SidecarUpdate(log_of_store, sidecar, store, quiet) as follower:
        follower.finish()


def follower_of(log: FakeLog, shelf: Shelf) -> SidecarUpdate:
    parts: tuple[Any, Any, Any] = log, shelf, FakeStore(log)
    return SidecarUpdate(*parts, quiet)


def run_of(
    log: FakeLog, shelf: Shelf, changes: Sequence[tuple[int, str | None]]
) -> SidecarUpdate:
    """Do as a run of indexing does: follow while rows are written, then finish."""
    with follower_of(log, shelf) as follower:
        follower.begin(len(changes))
        for note_id, text in changes:
            log.change(note_id, text)
            follower.advance()
        follower.finish()
    return follower


def test_a_new_sidecar_is_made_from_the_rows() -> None:
    log, sidecar = FakeLog(), FakeSidecar()
    log.change(1, "a")
    log.change(2, "b")

    catch_up(log, sidecar)

    assert sidecar.calls[0] == "reset"
    assert sidecar.shown == {1: "a", 2: "b"}
    assert sidecar.reached == log.head()


def test_a_sidecar_behind_applies_only_what_it_lacks() -> None:
    log, sidecar = FakeLog(), FakeSidecar()
    log.change(1, "a")
    catch_up(log, sidecar)
    sidecar.calls.clear()
    log.change(2, "b")
    log.change(1, None)

    catch_up(log, sidecar)

    assert sidecar.calls == ["put", "commit", "close"]
    assert sidecar.shown == {2: "b"}


def test_a_sidecar_that_is_level_is_not_even_opened() -> None:
    log, sidecar = FakeLog(), FakeSidecar()
    log.change(1, "a")
    catch_up(log, sidecar)
    sidecar.calls.clear()

    catch_up(log, sidecar)

    assert sidecar.calls == []


def test_catching_up_twice_from_the_same_marker_does_no_harm() -> None:
    log, sidecar = FakeLog(), FakeSidecar()
    log.change(1, "a")
    catch_up(log, sidecar)
    behind, kept = sidecar.reached, list(log.changes)
    log.change(1, "b")
    log.change(2, "c")
    kept = list(log.changes)
    catch_up(log, sidecar)
    once = dict(sidecar.shown)

    sidecar.reached, log.changes = behind, kept
    catch_up(log, sidecar)

    assert sidecar.shown == once == {1: "b", 2: "c"}


@pytest.mark.parametrize("marker", ["other:1:t1", "e:1:stranger", "e:9:t1"])
def test_a_marker_this_log_never_gave_makes_the_sidecar_anew(marker: str) -> None:
    log = FakeLog()
    log.change(1, "a")
    sidecar = FakeSidecar(shown={7: "stranger"}, reached=marker)

    catch_up(log, sidecar)

    assert sidecar.shown == {1: "a"}


def test_a_log_that_was_pruned_beyond_the_marker_makes_the_sidecar_anew() -> None:
    log, sidecar = FakeLog(), FakeSidecar()
    log.change(1, "a")
    catch_up(log, sidecar)
    for text in "bcd":
        log.change(1, text)
    del log.changes[:2]

    catch_up(log, sidecar)

    assert "reset" in sidecar.calls
    assert sidecar.shown == {1: "d"}


def test_the_log_is_pruned_to_its_head_once_it_was_followed() -> None:
    log, shelf = FakeLog(), Shelf(FakeSidecar())

    run_of(log, shelf, [(1, "a"), (2, "b")])
    run_of(log, shelf, [(1, "c")])

    assert [(seq, note_id) for seq, note_id, _ in log.changes] == [(3, 1)]


@pytest.mark.parametrize("fuse", [1, 2, 3])
def test_a_failure_anywhere_is_rolled_back_and_shows_nothing_new(fuse: int) -> None:
    log = FakeLog()
    log.change(1, "a")
    sidecar = FakeSidecar(shown={9: "old"}, reached="other:1:x", fuse=fuse)

    with pytest.raises(KeyboardInterrupt):
        catch_up(log, sidecar)

    assert sidecar.calls[-2:] == ["rollback", "close"]
    assert (sidecar.shown, sidecar.reached) == ({9: "old"}, "other:1:x")


def test_a_failed_rollback_does_not_hide_what_went_wrong() -> None:
    log = FakeLog()
    log.change(1, "a")

    class Broken(FakeSidecar):
        def rollback(self) -> None:
            raise IndexDamaged("lexical", "cannot even roll back")

    sidecar = Broken(fuse=1, fault=lambda: IndexUnwritable("lexical", "disk full"))

    with pytest.raises(IndexUnwritable, match="disk full"):
        catch_up(log, sidecar)


def test_a_long_catch_up_reads_a_batch_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(follow_module, "BATCH", 2)
    log, sidecar = FakeLog(), FakeSidecar()
    log.change(0, "first")
    catch_up(log, sidecar)
    sidecar.calls.clear()
    for note_id in range(1, 6):
        log.change(note_id, f"n{note_id}")

    catch_up(log, sidecar)

    assert sidecar.calls == ["put", "put", "put", "commit", "close"]
    assert sidecar.reached == log.head()


def test_a_run_shows_nothing_before_it_is_finished() -> None:
    log, shelf = FakeLog(), Shelf(FakeSidecar())
    follower = follower_of(log, shelf)
    follower.begin(2)

    log.change(1, "a")
    follower.advance()

    assert shelf.sidecar.calls == ["reset", "put"]
    assert shelf.sidecar.shown == {}


def test_a_first_run_follows_while_rows_are_written() -> None:
    log, shelf = FakeLog(), Shelf(FakeSidecar())

    follower = run_of(log, shelf, [(1, "a"), (2, "b")])

    assert shelf.sidecar.calls == ["reset", "put", "put", "commit", "close"]
    assert follower.anew
    assert shelf.sidecar.shown == {1: "a", 2: "b"}


def test_a_damaged_sidecar_is_thrown_away_and_made_anew() -> None:
    log = FakeLog()
    log.change(1, "a")
    fault = IndexDamaged("lexical", "bit rot")
    damaged = FakeSidecar(reached="e:1:t0", fuse=1, fault=lambda: fault)
    shelf = Shelf(damaged)

    catch_up(log, shelf)

    assert shelf.thrown_away == 1
    assert damaged.calls[-1] == "close"
    assert shelf.sidecar.shown == {1: "a"}


@pytest.mark.parametrize("fuse", [1, 2, 3, 4])
def test_a_sidecar_damaged_in_the_middle_of_a_run_is_made_anew_at_its_end(
    fuse: int,
) -> None:
    log, shelf = FakeLog(), Shelf(FakeSidecar())
    run_of(log, shelf, [(1, "a")])
    shelf.sidecar.fuse = fuse
    shelf.sidecar.fault = lambda: IndexDamaged("lexical", "bit rot")

    follower = run_of(log, shelf, [(1, "b"), (2, "c"), (3, "d")])

    assert shelf.thrown_away == 1
    assert follower.anew
    assert shelf.sidecar.shown == {1: "b", 2: "c", 3: "d"}
    assert shelf.sidecar.reached == log.head()


def test_a_sidecar_the_disk_refuses_is_kept() -> None:
    log = FakeLog()
    log.change(1, "a")
    full = IndexUnwritable("lexical", "full")
    shelf = Shelf(FakeSidecar(fuse=1, fault=lambda: full))

    with pytest.raises(IndexUnwritable):
        catch_up(log, shelf)

    assert shelf.thrown_away == 0
    assert shelf.sidecar.calls[-1] == "close"


def test_a_sidecar_with_much_to_write_is_opened_for_much() -> None:
    log, shelf = FakeLog(), Shelf(FakeSidecar())
    for note_id in range(follow_module.MUCH + 1):
        log.change(note_id, "x")

    catch_up(log, shelf)
    log.change(1, "y")
    catch_up(log, shelf)

    assert shelf.sidecar.opened == [True, False]


@pytest.mark.parametrize(
    ("deleted", "compacted"),
    [((3_000, 0.3), True), ((3_000, 0.1), False), ((100, 0.9), False)],
)
def test_compaction_comes_when_many_and_much_is_deleted(
    deleted: tuple[int, float], compacted: bool
) -> None:
    log, shelf = FakeLog(), Shelf(FakeSidecar(deleted=deleted))
    log.change(1, "a")
    catch_up(log, shelf)
    shelf.sidecar.calls.clear()

    follower = run_of(log, shelf, [(1, "b")])

    assert follower.anew is compacted
    assert ("reset" in shelf.sidecar.calls) is compacted
    assert follow_module.COMPACT_SHARE > 0.1


def test_a_level_sidecar_is_not_compacted_again_and_again() -> None:
    log, shelf = FakeLog(), Shelf(FakeSidecar(deleted=(3_000, 0.9)))
    run_of(log, shelf, [(1, "a")])
    shelf.sidecar.calls.clear()

    run_of(log, shelf, [])

    assert shelf.sidecar.calls == []


changes = st.lists(
    st.tuples(st.integers(1, 4), st.one_of(st.none(), st.sampled_from("abc"))),
    max_size=4,
)
write = st.tuples(st.just("write"), st.just(0), changes)
run = st.tuples(st.just("run"), st.integers(0, 9), changes)
nothing: st.SearchStrategy[list[tuple[int, str | None]]] = st.just([])
crash = st.tuples(st.just("follow"), st.integers(0, 6), nothing)
damage = st.tuples(st.just("damage"), st.integers(1, 6), changes)
lost = st.tuples(st.just("lose"), st.integers(0, 3), nothing)
Story = list[tuple[str, int, list[tuple[int, str | None]]]]


@given(story=st.lists(st.one_of(write, run, crash, damage, lost), max_size=20))
def test_any_interleaving_of_changes_and_crashes_converges(story: Story) -> None:
    log, shelf = FakeLog(), Shelf(FakeSidecar())
    past = [(dict(log.notes), list(log.changes))]

    for verb, number, written in story:
        shelf.sidecar.fuse = number or -1
        shelf.sidecar.fault = KeyboardInterrupt
        if verb == "write":  # a run that was killed before it followed
            for note_id, text in written:
                log.change(note_id, text)
        elif verb == "lose":
            # the database lost its last commits: its rows are what they were then
            notes, logged = past[max(-1 - number, -len(past))]
            log.notes, log.changes = dict(notes), list(logged)
        else:
            if verb == "damage":
                shelf.sidecar.fault = lambda: IndexDamaged("lexical", "bit rot")
            with suppress(KeyboardInterrupt):
                run_of(log, shelf, written)
        past.append((dict(log.notes), list(log.changes)))
    shelf.sidecar.fuse = -1
    catch_up(log, shelf)

    assert shelf.sidecar.shown == log.notes
    assert shelf.sidecar.reached == log.head()
