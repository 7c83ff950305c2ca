"""How watching stands, as other processes are told."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from vault_harness import VaultHarness
from watch_harness import QUICK, Follower, until

from glassmind.model.index import (
    UNWATCHED,
    IndexReport,
    IndexUpdated,
    News,
    UpdateFailed,
    WatchModeChanged,
    WatchState,
)
from glassmind.obsidian.text import Style
from glassmind.operations.maintain import status_result, status_text, watch_text
from glassmind.operations.registry import joined
from glassmind.serve.daemon.host import news_as_json, news_as_text
from glassmind.store.watch_state import (
    FILE,
    STALE_S,
    clear_state,
    read_state,
    write_state,
)

LIMITED = "the system's watch limit is reached; raise fs.inotify.max_user_watches"


def state(**facts: object) -> WatchState:
    known = {"mode": "watching", "pid": os.getpid(), **facts}
    return WatchState(**known)  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_status_tells_of_a_watch_while_it_lasts(vault: VaultHarness) -> None:
    vault.settings |= QUICK
    vault.indexed({"Tea.md": "oolong"})
    assert vault.engine.status().watch == UNWATCHED

    with Follower(vault.open()) as follower:
        follower.ready()
        until(lambda: vault.engine.status().watch.reconciled, "word of it")
        found = vault.engine.status()

    assert (found.watch.mode, found.watch.pid) == ("watching", os.getpid())
    result = status_result(found, "/x")
    assert result.to_json()["watch"]["mode"] == "watching"
    text = joined(status_text(result, None, Style()))
    assert f"Watch: watching by process {os.getpid()}, all compared at " in text
    assert vault.engine.status().watch == UNWATCHED


@pytest.mark.slow
def test_every_answer_says_what_keeps_the_watch_from_the_vault(
    vault: VaultHarness, tmp_path: Path
) -> None:
    vault.settings |= QUICK
    vault.write({f"many/{n}.md": f"note {n}" for n in range(40)})

    with Follower(vault.open()) as follower:
        follower.ready()
        (vault.root / "many").rename(tmp_path / "many")
        until(lambda: vault.ask("note").degraded, "a word about it")
        hits, degraded = len(vault.found("note")), vault.ask("note").degraded
        listed = vault.engine.list_notes().notices
        (tmp_path / "many").rename(vault.root / "many")
        until(lambda: not vault.ask("note").degraded, "that it is over")

    assert hits > 0
    (said,) = degraded
    assert tuple(listed) == degraded
    assert said.startswith("the index may be behind the vault: 40 of 40 notes seem")


def test_an_answer_says_nothing_of_a_watch_that_is_gone(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": "oolong"})
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait(30)
    write_state(vault.folder, state(pid=gone.pid, error="the disk is full"))

    assert vault.ask("oolong").degraded == ()


def test_the_word_of_a_process_that_is_gone_is_not_believed(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait(timeout=60)
    write_state(tmp_path, state(pid=gone.pid))

    assert read_state(tmp_path) == UNWATCHED


def test_word_that_is_old_is_not_believed(tmp_path: Path) -> None:
    write_state(tmp_path, state())
    assert read_state(tmp_path) == state()
    file = tmp_path / FILE
    told = json.loads(file.read_text("utf-8"))
    told["written"] = time.time() - STALE_S - 1

    file.write_text(json.dumps(told), "utf-8")

    assert read_state(tmp_path) == UNWATCHED


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "7", '{"mode": "watching"}', '{"pid": "x"}', '{"odd": 1, "pid": 1}',
     '{"pid": 1, "written": "today"}', '{"pid": 99999999999999999999}'],
)  # fmt: skip
def test_word_that_makes_no_sense_is_not_believed(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text, "utf-8")

    assert read_state(tmp_path) == UNWATCHED
    clear_state(tmp_path, os.getpid())


def test_only_ones_own_word_is_taken_back(tmp_path: Path) -> None:
    write_state(tmp_path, state())

    clear_state(tmp_path, os.getpid() + 1)
    assert read_state(tmp_path) == state()
    clear_state(tmp_path, os.getpid())
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_takes_no_word_is_no_failure(tmp_path: Path) -> None:
    write_state(tmp_path / "absent", state())

    assert read_state(tmp_path / "absent") == UNWATCHED


def test_a_doctor_tells_why_changes_are_looked_for(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": "oolong"})
    write_state(vault.folder, state(mode="polling", reason=LIMITED))

    (check,) = [one for one in vault.engine.doctor() if one.name == "watch"]

    assert check.state == "warn"
    assert LIMITED in check.finding


def test_a_state_is_told_on_one_line() -> None:
    full = WatchState(
        "polling", LIMITED, "", "2026-03-04T09:12:44+01:00", 2, "it is full", 7
    )

    assert watch_text(UNWATCHED) == "off"
    assert watch_text(full) == (
        f"polling ({LIMITED}) by process 7, all compared at 09:12:44, "
        "2 changes waiting, last error: it is full"
    )


REPORT = IndexReport(added=1, moved=2, notes=7, seconds=0.314, warnings=("odd",))


@pytest.mark.parametrize(
    ("news", "text", "event"),
    [
        (
            IndexUpdated("events", REPORT, ("a", "b", "c", "d")),
            "indexed changes: 1 added, 2 moved, 7 notes in 0.31 s (a, b, c, ...)",
            "indexed",
        ),
        (
            IndexUpdated("start", IndexReport(notes=1)),
            "compared the whole vault: nothing new, 1 note in 0.00 s",
            "indexed",
        ),
        (
            IndexUpdated("vectors", IndexReport(embedded=12, left=3)),
            "12 passages embedded, 3 left",
            "indexed",
        ),
        (
            WatchModeChanged("polling", LIMITED),
            f"polling, looking for changes every few seconds ({LIMITED})",
            "mode",
        ),
        (UpdateFailed("it is full", 2.0), "it is full; trying again in 2 s", "error"),
    ],
)
def test_news_are_told_on_one_line(news: News, text: str, event: str) -> None:
    assert news_as_text(news) == text
    told = news_as_json(news)
    assert told["event"] == event
    assert json.loads(json.dumps(told)) == told
