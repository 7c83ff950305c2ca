"""A sidecar follows the log: through crashes, strangers' markers and damage."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassmind.errors import IndexDamaged, IndexUnwritable
from glassmind.indexing import follow as follow_module
from glassmind.indexing.follow import Followed, bring_up, follow
from glassmind.types import NotePath
from glassmind.types.files import Progress
from glassmind.types.sidecar import Document


def document(note_id: int, text: str) -> Document:
    return Document(
        note_id=note_id,
        chunk_id=note_id * 1000,
        path=NotePath(f"{note_id}.md"),
        title="",
        aliases=(),
        headings=(),
        tags=(),
        properties=(),
        day=None,
        mtime_ns=0,
        text=text,
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

    def documents(self, note_ids: Iterable[int]) -> list[Document]:
        return [document(i, self.notes[i]) for i in note_ids if i in self.notes]


@dataclass
class FakeSidecar:
    """A derived index in memory, with a fuse that blows at a chosen call."""

    shown: dict[int, str] = field(default_factory=dict)
    reached: str | None = None
    staged: dict[int, str] | None = None
    fuse: int = -1
    fault: Callable[[], BaseException] = KeyboardInterrupt
    calls: list[str] = field(default_factory=list)

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
        staged.update((found.note_id, found.text) for found in documents)
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


def quiet(_: Progress) -> None:
    return


def catch_up(log: FakeLog, sidecar: FakeSidecar) -> bool:
    return follow(log, sidecar, total=len(log.notes), progress=quiet)


def test_a_new_sidecar_is_made_from_the_rows() -> None:
    log, sidecar = FakeLog(), FakeSidecar()
    log.change(1, "a")
    log.change(2, "b")

    anew = catch_up(log, sidecar)

    assert anew
    assert sidecar.shown == {1: "a", 2: "b"}
    assert sidecar.reached == log.head()


def test_a_sidecar_behind_applies_only_what_it_lacks() -> None:
    log, sidecar = FakeLog(), FakeSidecar()
    log.change(1, "a")
    catch_up(log, sidecar)
    sidecar.calls.clear()
    log.change(2, "b")
    log.change(1, None)

    anew = catch_up(log, sidecar)

    assert not anew
    assert sidecar.calls == ["put", "commit"]
    assert sidecar.shown == {2: "b"}


def test_a_sidecar_that_is_level_commits_nothing() -> None:
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
    behind = sidecar.reached
    log.change(1, "b")
    log.change(2, "c")
    catch_up(log, sidecar)
    once = dict(sidecar.shown)

    sidecar.reached = behind
    catch_up(log, sidecar)

    assert sidecar.shown == once == {1: "b", 2: "c"}


@pytest.mark.parametrize("marker", ["other:1:t1", "e:1:stranger", "e:9:t1"])
def test_a_marker_this_log_never_gave_makes_the_sidecar_anew(marker: str) -> None:
    log = FakeLog()
    log.change(1, "a")
    sidecar = FakeSidecar(shown={7: "stranger"}, reached=marker)

    anew = catch_up(log, sidecar)

    assert anew
    assert sidecar.shown == {1: "a"}


def test_a_log_that_was_pruned_beyond_the_marker_makes_the_sidecar_anew() -> None:
    log, sidecar = FakeLog(), FakeSidecar()
    log.change(1, "a")
    catch_up(log, sidecar)
    for text in "bcd":
        log.change(1, text)
    del log.changes[:2]

    assert catch_up(log, sidecar)
    assert sidecar.shown == {1: "d"}


@pytest.mark.parametrize("fuse", [1, 2, 3])
def test_a_failure_anywhere_is_rolled_back_and_shows_nothing_new(fuse: int) -> None:
    log = FakeLog()
    log.change(1, "a")
    sidecar = FakeSidecar(shown={9: "old"}, reached="other:1:x", fuse=fuse)

    with pytest.raises(KeyboardInterrupt):
        catch_up(log, sidecar)

    assert sidecar.calls[-1] == "rollback"
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


def test_a_long_catch_up_commits_on_its_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow_module, "BATCH", 2)
    monkeypatch.setattr(follow_module, "COMMIT_EVERY", 4)
    log, sidecar = FakeLog(), FakeSidecar()
    log.change(0, "first")
    catch_up(log, sidecar)
    sidecar.calls.clear()
    for note_id in range(1, 8):
        log.change(note_id, f"n{note_id}")

    catch_up(log, sidecar)

    assert sidecar.calls == ["put", "put", "commit", "put", "put", "commit"]
    assert sidecar.reached == log.head()
    assert len(sidecar.shown) == 8


def followed(sidecars: list[FakeSidecar], thrown: list[str]) -> Followed:
    """Return a sidecar that after being thrown away is the next of the list."""

    def discard() -> None:
        thrown.append("away")
        sidecars.pop(0)

    return Followed(
        marker=lambda: sidecars[0].reached,
        open=lambda _: sidecars[0],
        discard=discard,
        deleted=lambda: (0, 0.0),
    )


def test_a_sidecar_that_is_level_is_not_even_opened() -> None:
    log = FakeLog()
    log.change(1, "a")
    sidecar = FakeSidecar(reached=log.head())

    anew = bring_up(log, followed([sidecar], []), total=1, progress=quiet)

    assert not anew
    assert sidecar.calls == []


def test_a_damaged_sidecar_is_thrown_away_and_made_anew() -> None:
    log = FakeLog()
    log.change(1, "a")
    damaged = FakeSidecar(fuse=1, fault=lambda: IndexDamaged("lexical", "bit rot"))
    fresh, thrown = FakeSidecar(), list[str]()

    anew = bring_up(log, followed([damaged, fresh], thrown), total=1, progress=quiet)

    assert anew
    assert thrown == ["away"]
    assert damaged.calls[-1] == "close"
    assert fresh.shown == {1: "a"}


def test_a_sidecar_the_disk_refuses_is_kept() -> None:
    log = FakeLog()
    log.change(1, "a")
    sidecar = FakeSidecar(fuse=1, fault=lambda: IndexUnwritable("lexical", "full"))
    thrown: list[str] = []

    with pytest.raises(IndexUnwritable):
        bring_up(log, followed([sidecar], thrown), total=1, progress=quiet)

    assert thrown == []
    assert sidecar.calls[-1] == "close"


def test_a_sidecar_with_much_to_write_is_opened_for_much() -> None:
    log, opened = FakeLog(), list[bool]()
    for note_id in range(follow_module.MUCH + 1):
        log.change(note_id, "x")
    sidecar = FakeSidecar()

    def open_it(large: bool) -> FakeSidecar:
        opened.append(large)
        return sidecar

    words = Followed(lambda: sidecar.reached, open_it, lambda: None, lambda: (0, 0.0))
    bring_up(log, words, total=len(log.notes), progress=quiet)
    log.change(1, "y")
    bring_up(log, words, total=len(log.notes), progress=quiet)

    assert opened == [True, False]


change = st.tuples(
    st.just("change"),
    st.integers(1, 4),
    st.one_of(st.none(), st.sampled_from("abc")),
)
crash = st.tuples(st.just("follow"), st.integers(0, 6), st.none())
prune = st.tuples(st.just("prune"), st.integers(0, 5), st.none())
lost = st.tuples(st.just("lose"), st.integers(0, 3), st.none())
story = st.lists(st.one_of(change, change, crash, prune, lost), max_size=30)


@settings(max_examples=300, deadline=None)
@given(story=story)
def test_any_interleaving_of_changes_and_crashes_converges(
    story: list[tuple[str, int, str | None]],
) -> None:
    log, sidecar = FakeLog(), FakeSidecar()
    past = [(dict(log.notes), list(log.changes))]

    for verb, number, text in story:
        if verb == "change":
            log.change(number, text)
        elif verb == "follow":
            sidecar.fuse = number or -1
            try:
                catch_up(log, sidecar)
            except KeyboardInterrupt:
                sidecar.close()
        elif verb == "prune" and sidecar.reached == log.head():
            del log.changes[:-1]  # the sidecar is level: only its own row is kept
        elif verb == "lose" and number < len(past):
            # the database lost its last commits: its rows are what they were then
            notes, changes = past[-1 - number]
            log.notes, log.changes = dict(notes), list(changes)
        past.append((dict(log.notes), list(log.changes)))
    sidecar.fuse = -1
    catch_up(log, sidecar)

    assert sidecar.shown == log.notes
    assert sidecar.reached == log.head()
