"""An index that follows its vault: what is taken in, when, and what is told of it."""

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from semantic_harness import LONG, MeaningHarness
from vault_harness import VaultHarness
from watch_harness import QUICK, Follower, until

from glassmind.errors import IndexUnwritable, MassDeletion, ModelFailed
from glassmind.files import watch
from glassmind.files.watch import VaultEvents
from glassmind.index import watching
from glassmind.index.keeper import IndexKeeper
from glassmind.index.watching import Watching
from glassmind.model.index import ChangeRecovered, IndexReport, News, WatchModeChanged
from glassmind.model.vectors import Embeddable
from glassmind.serve.daemon.host import news_as_json, news_as_text
from glassmind.store.lock import WriterLock
from glassmind.vault import Vault


@pytest.fixture
def followed(vault: VaultHarness) -> VaultHarness:
    vault.settings |= QUICK
    return vault


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try again and end at once, and take a busy machine for a quick one."""
    monkeypatch.setattr(watching, "TICK_S", 0.05)
    monkeypatch.setattr(watching, "FIRST_RETRY_S", 0.1)
    monkeypatch.setattr(watch, "STOOD_STILL_S", 60.0)


def follow(harness: VaultHarness, **settings: object) -> Follower:
    return Follower(harness.open(**settings))


@pytest.fixture
def silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lose every event, as an overflow does."""
    monkeypatch.setattr(VaultEvents, "_on_changes", lambda *_, **__: None)


def test_the_vault_is_compared_before_anything_else(followed: VaultHarness) -> None:
    followed.indexed({"Tea.md": "oolong", "Old.md": "gone"})
    followed.write({"Tea.md": "sencha"})
    followed.remove("Old.md")

    with follow(followed) as follower:
        follower.ready()

    (first,) = follower.brought
    assert (first.cause, first.paths) == ("start", ())
    assert (first.report.changed, first.report.removed) == (1, 1)
    assert follower.turned == [WatchModeChanged("watching")]
    assert followed.found("sencha") == ["Tea.md"]


def test_a_change_is_taken_in_by_itself(followed: VaultHarness) -> None:
    followed.write({"Tea.md": "oolong", "a/Deep.md": "deep"})

    with follow(followed) as follower:
        follower.ready()
        added = follower.after(lambda: followed.write({"a/New.md": "sencha [[Tea]]"}))
        moved = follower.after(lambda: followed.move("a/New.md", "Moved.md"))
        gone = follower.after(lambda: followed.remove("Moved.md"))

    assert (added.cause, added.paths) == ("events", ("a/New.md",))
    assert added.report.added == moved.report.moved == gone.report.removed == 1
    assert moved.paths == ("Moved.md", "a/New.md")


def test_what_was_heard_during_the_first_look_is_taken_in_after_it(
    followed: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed.write({"Tea.md": "oolong"})
    index = IndexKeeper.index

    def late(keeper: IndexKeeper, *given: Any, **wanted: Any) -> IndexReport:
        report = index(keeper, *given, **wanted)
        if not (followed.root / "Late.md").exists():
            followed.write({"Late.md": "written when all had been looked at"})
        return report

    monkeypatch.setattr(IndexKeeper, "index", late)

    with follow(followed) as follower:
        until(lambda: len(follower.brought) == 2, "the second batch")

    assert follower.brought[1].paths == ("Late.md",)


def test_many_changes_at_once_are_one_look(
    followed: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "MANY_PATHS", 20)
    followed.write({f"{n}.md": f"note {n}" for n in range(30)})

    with follow(followed, watch__debounce_ms=500) as follower:
        follower.ready()
        many = follower.after(
            lambda: followed.write({f"{n}.md": f"again {n}" for n in range(30)})
        )

    assert (many.paths, many.report.changed) == ((), 30)


def test_a_folder_that_is_renamed_keeps_its_notes(followed: VaultHarness) -> None:
    followed.write({f"a/{n}.md": f"note {n}" for n in range(5)})
    named = "select title, id from notes order by title"

    with follow(followed) as follower:
        follower.ready()
        before = followed.rows(named)
        folder = followed.root / "a"
        moved = follower.after(lambda: folder.rename(followed.root / "b"))
        assert followed.rows(named) == before
        inside = follower.after(lambda: followed.write({"b/0.md": "heard in there"}))

    assert moved.report.moved == 5
    assert inside.paths == ("b/0.md",)


@pytest.mark.slow
def test_another_rule_of_ignoring_is_followed_at_once(followed: VaultHarness) -> None:
    followed.write({"Archive/Old.md": "old", "Tea.md": "oolong"})

    with follow(followed) as follower:
        follower.ready()
        out = follower.after(lambda: followed.write({".glassmindignore": "Archive/"}))
        back = follower.after(lambda: followed.remove(".glassmindignore"))

    assert (out.report.removed, back.report.added) == (1, 1)


@pytest.mark.slow
def test_what_nobody_told_of_is_found_by_the_next_look(
    followed: VaultHarness, silence: None
) -> None:
    followed.write({"Tea.md": "oolong"})

    with follow(followed, watch__rescan_s=1) as follower:
        follower.ready()
        found = follower.after(lambda: followed.write({"New.md": "sencha"}))

    assert (found.cause, found.report.added) == ("rescan", 1)


@pytest.mark.slow
def test_events_are_tried_again_when_a_limit_may_be_gone(
    followed: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    listen, left = VaultEvents.listen, [1, 1]

    def limited(events: VaultEvents) -> str:
        return "the limit is reached" if left and left.pop() else listen(events)

    monkeypatch.setattr(VaultEvents, "listen", limited)
    followed.write({"Tea.md": "oolong"})

    with follow(followed, watch__rescan_s=2) as follower:
        follower.ready()
        polled = follower.after(lambda: followed.write({"New.md": "sencha"}))
        until(lambda: len(follower.turned) == 2, "events again")
        heard = follower.after(lambda: followed.write({"Newer.md": "assam"}))

    modes = [
        WatchModeChanged("polling", "the limit is reached"),
        WatchModeChanged("watching"),
    ]
    assert follower.turned == modes
    assert polled.cause in {"poll", "rescan"}
    assert heard.report.added == 1


@pytest.mark.slow
def test_a_vault_that_seems_gone_is_told_once_and_the_rest_is_followed(
    followed: VaultHarness, tmp_path: Path
) -> None:
    followed.write({f"many/{n}.md": f"note {n}" for n in range(40)})
    followed.write({f"few/{n}.md": f"note {n}" for n in range(10)})

    with follow(followed) as follower:
        follower.ready()
        (followed.root / "many").rename(tmp_path / "many")
        until(lambda: follower.hindered, "a word about it")
        edited = follower.after(lambda: followed.write({"few/0.md": "edited since"}))
        until(lambda: followed.engine.status().watch.error, "word of it")
        assert len(followed.found("note", limit=100)) == 49
        (tmp_path / "many").rename(followed.root / "many")
        until(lambda: not followed.engine.status().watch.error, "that it is over")

    (told,) = follower.hindered
    assert "40 of 50 notes seem gone" in told.message
    assert edited.report.changed == 1


@pytest.mark.slow
def test_while_much_seems_gone_all_the_rest_is_taken_in(
    followed: VaultHarness, tmp_path: Path
) -> None:
    notes = {f"many/{n}.md": f"note {n} [[few {n}]]" for n in range(40)}
    followed.write(notes | {f"few/few {n}.md": f"note {n}" for n in range(10)})

    with follow(followed) as follower:
        follower.ready()
        (followed.root / "many").rename(tmp_path / "many")
        until(lambda: follower.hindered, "a word about it")
        (tmp_path / "many" / "7.md").rename(followed.root / "few" / "7.md")
        followed.write({"new/d.md": "zanzibar", "few/few 0.md": "edited since"})
        until(lambda: followed.found("zanzibar"), "the new folder")
        until(lambda: followed.found("edited since"), "the edit")
        until(lambda: followed.found("note 7")[:1] != ["many/7.md"], "the move")
        until(lambda: followed.engine.status().watch.pending == 39, "what waits")
        assert len(followed.found("note", limit=100)) == 49
        (tmp_path / "many").rename(followed.root / "many")
        until(lambda: not followed.engine.status().watch.error, "that it is over")
        assert followed.engine.status().watch.pending == 0

    assert "40 of 50 notes seem gone" in follower.hindered[0].message
    assert len({told.message for told in follower.hindered}) == len(follower.hindered)
    assert len(follower.hindered) <= 2, "once for each number of notes"
    assert sum(one.report.moved for one in follower.brought) == 1
    assert sum(one.report.removed for one in follower.brought) == 0
    assert followed.index().unchanged == 51


@pytest.mark.slow
def test_where_events_are_lost_the_rest_is_taken_in_too_while_much_seems_gone(
    followed: VaultHarness, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(VaultEvents, "listen", lambda _: "no events today")
    monkeypatch.setattr(watching, "FIRST_RETRY_S", 60.0)
    followed.write({f"many/{n}.md": f"note {n}" for n in range(40)})

    with follow(followed) as follower:
        follower.ready()
        (followed.root / "many").rename(tmp_path / "many")
        until(lambda: follower.hindered, "a word about it")
        followed.write({"new/d.md": "zanzibar"})
        until(lambda: followed.found("zanzibar"), "the new folder", limit_s=30.0)

    assert len(follower.hindered) == 1


def test_deletions_that_are_accepted_are_over_at_once(
    followed: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "FIRST_RETRY_S", 60.0)
    followed.write({f"many/{n}.md": f"note {n}" for n in range(40)})
    followed.write({"few.md": "few [[3]]"})

    with follow(followed) as follower:
        follower.ready()
        followed.remove(*(f"many/{n}.md" for n in range(40)))
        until(lambda: follower.hindered, "a word about it")
        with pytest.raises(MassDeletion):
            followed.index()
        followed.index(accept_deletions=True)
        until(lambda: not followed.engine.status().watch.error, "over", limit_s=30.0)

    assert followed.found("note") == []
    assert followed.edges() == {("few.md", "3"): None}


def test_a_vault_that_comes_back_is_followed_again(
    followed: VaultHarness, tmp_path: Path
) -> None:
    followed.write({"Tea.md": "oolong"})

    with follow(followed) as follower:
        follower.ready()
        followed.root.rename(tmp_path / "unmounted")
        until(lambda: follower.hindered, "that it is missing")
        assert followed.found("oolong") == ["Tea.md"]
        (tmp_path / "unmounted").rename(followed.root)
        until(lambda: not followed.engine.status().watch.error, "that it is back")
        back = follower.after(lambda: followed.write({"New.md": "sencha"}))

    assert back.report.added == 1
    assert len(follower.hindered) == 1


def test_a_disk_that_is_full_for_a_while_ends_nothing(
    followed: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed.write({"Tea.md": "oolong"})
    index, left = IndexKeeper.index, [1, 1]

    def full(keeper: IndexKeeper, *given: Any, **wanted: Any) -> IndexReport:
        if left:
            left.pop()
            raise IndexUnwritable("/somewhere", "no space left on device")
        return index(keeper, *given, **wanted)

    monkeypatch.setattr(IndexKeeper, "index", full)

    with follow(followed) as follower:
        follower.ready()

    (told,) = follower.hindered
    assert "no space left" in told.message
    assert follower.brought[0].report.added == 1


def test_another_writer_is_waited_for_and_named(
    followed: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glassmind.index.watching.WRITER_WAIT_S", 0.1)
    followed.indexed({"Tea.md": "oolong"})

    with WriterLock(followed.folder / "writer.lock") as lock:
        assert lock.try_acquire()
        with follow(followed) as follower:
            until(lambda: follower.hindered, "who is writing")
            lock.release()
            follower.ready()

    assert "is being written by process" in follower.hindered[0].message


@pytest.mark.slow
def test_new_text_is_found_while_the_rest_is_still_embedded(
    meaning: MeaningHarness,
) -> None:
    delay_s = [0.02]

    def slow(_: Embeddable) -> None:
        time.sleep(delay_s[0])  # what a model takes, not a wait for something

    meaning.settings |= QUICK
    meaning.model.before = slow
    meaning.write({f"{n}.md": LONG.format(f"number {n}") for n in range(400)})

    with follow(meaning) as follower:
        until(lambda: len(meaning.model.seen) > 8, "the first passage")
        meaning.write({"New.md": "a word that nobody knew: zanzibar"})
        until(lambda: meaning.found("zanzibar", mode="fulltext"), "the new note")
        embedded = len(meaning.model.seen)
        delay_s[0] = 0.0
        until(lambda: len(meaning.covered()) == 401, "all vectors")
        until(lambda: meaning.engine.status().vectors_behind == 0, "all in place")

    assert embedded < 400
    assert len(meaning.model.seen) == 401, "nothing was embedded twice"
    assert follower.hindered == []
    meaning.check_level()


def test_a_missing_model_is_told_once(meaning: MeaningHarness) -> None:
    meaning.settings |= QUICK
    meaning.model.before = _fail

    with follow(meaning) as follower:
        follower.ready()
        for number in range(3):
            note = {f"{number}.md": LONG.format(f"number {number}")}
            follower.after(lambda note=note: meaning.write(note))  # type: ignore[misc]

    told = [new for new in follower.news if getattr(new, "cause", "") == "vectors"]
    assert len(told) == 1
    assert "no model today" in told[0].report.warnings[0]  # type: ignore[union-attr]


def _fail(_: Embeddable) -> None:
    raise ModelFailed("words", "no model today")


def test_links_that_changed_are_told_of_when_it_was_quiet(
    followed: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def with_hook(vault: Vault, _: object) -> Watching:
        return Watching(vault, lambda: calls.append(1))

    monkeypatch.setattr("glassmind.index.watching.Watching", with_hook)
    followed.write({"Tea.md": "oolong"})

    with follow(followed, watch__community_debounce_ms=200) as follower:
        follower.ready()
        until(lambda: len(calls) == 1, "the first call")
        follower.after(lambda: followed.write({"New.md": "[[Tea]]"}))
        until(lambda: len(calls) == 2, "the second call")


def test_what_a_dead_process_left_and_was_settled_is_told(
    followed: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop, news = threading.Event(), list[News]()
    stop.set()
    said = "20260304-abcde (Tea) was interrupted; it is applied now"
    monkeypatch.setattr("glassmind.keeping.settle_vault", lambda _: (said,))

    followed.engine.watch(stop, told=news.append)

    assert news[0] == ChangeRecovered(said)
    assert news_as_text(news[0]) == said
    assert news_as_json(news[0]) == {"event": "settled", "message": said}


def test_a_run_that_is_under_way_is_left_when_it_is_to_end(
    followed: VaultHarness,
) -> None:
    followed.write({f"{n}.md": f"note {n}" for n in range(300)})
    stop, news = threading.Event(), list[News]()

    def told(one: News) -> None:
        news.append(one)
        stop.set()

    followed.engine.watch(stop, told=told)

    assert news == [WatchModeChanged("watching")]
    assert followed.index().added == 300
