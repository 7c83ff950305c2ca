"""What happens to a vault while the real program follows it."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fault_tools.dump import differences, dump
from fault_tools.harness import Harness
from fault_tools.vaults import edit, make_vault, note_text, notes_of, write
from watch_harness import check_follows, ids_of, until, watcher

from glassmind.files.watch import STOOD_STILL_S

pytestmark = pytest.mark.slow

ENDS_WITHIN_S = 3.0


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    return Harness(tmp_path)


def by_rename(note: Path, text: str) -> None:
    """Write a new file, then let it take the place of the old (Obsidian, VS Code)."""
    staged = note.with_name(f"{note.name}.tmp-4711")
    staged.write_text(text, "utf-8")
    staged.replace(note)


def by_backup(note: Path, text: str) -> None:
    """Rename the old file to a backup, write anew, delete the backup (vim)."""
    (note.parent / "4913").write_text("", "utf-8")
    (note.parent / "4913").unlink()
    backup = note.with_name(f"{note.name}~")
    note.rename(backup)
    note.write_text(text, "utf-8")
    backup.unlink()


def by_swap(note: Path, text: str) -> None:
    """Keep a swap file beside the note while it is edited, and a backup after it."""
    swap = note.with_name(f".{note.name}.swp")
    swap.write_bytes(b"b0VIM 9.0")
    shutil.copy2(note, note.with_name(f"{note.name}~"))
    note.write_text(text, "utf-8")
    swap.unlink()


def in_place(note: Path, text: str) -> None:
    """Cut the file to nothing, then write in two steps."""
    with note.open("w", encoding="utf-8") as file:
        file.flush()
        file.write(text[: len(text) // 2])
        file.flush()
        file.write(text[len(text) // 2 :])


def twice(note: Path, text: str) -> None:
    """Save, and save again within a few milliseconds, of equal length."""
    note.write_text(text.replace("saved", "draft"), "utf-8")
    note.write_text(text, "utf-8")


def deleted_first(note: Path, text: str) -> None:
    """Delete the old file before the new one is written (some sync tools)."""
    note.unlink()
    note.write_text(text, "utf-8")


SAVES = {save.__name__: save for save in
         (by_rename, by_backup, by_swap, in_place, twice, deleted_first)}  # fmt: skip


def test_every_way_of_saving_ends_in_what_is_on_disk(harness: Harness) -> None:
    make_vault(harness.vault, 30, 141)
    notes = notes_of(harness.vault)
    with watcher(harness) as watching:
        watching.ready()
        before = ids_of(harness)
        for turn in range(3):
            for number, save in enumerate(SAVES.values()):
                note = harness.vault / notes[number]
                save(note, f"saved {turn} by {number}, see [[{notes[-1]}]]\n")

        check_follows(harness)

        assert ids_of(harness) == before, "each is the note that it was"


def storm(harness: Harness, notes: int) -> None:
    """Rename every note, some into other folders, some over and over."""
    rng = random.Random(15)
    for number, path in enumerate(notes_of(harness.vault)[:notes]):
        place = rng.choice(["", "Projects/", "Moved/", "Moved/Deep/"])
        target = harness.vault / f"{place}Renamed {number}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        between = (harness.vault / path).with_name(f"Between {number}.md")
        (harness.vault / path).rename(between)
        between.rename(target)


def check_storm(harness: Harness, notes: int, limit_s: float = 60) -> None:
    make_vault(harness.vault, notes, 15)
    with watcher(harness, GLASSMIND_WATCH_DEBOUNCE_MS="750") as watching:
        watching.ready()
        before = ids_of(harness)

        storm(harness, notes)
        check_follows(harness, limit_s)

        assert sorted(ids_of(harness).values()) == sorted(before.values())
        assert [e for e in watching.events if e["event"] == "error"] == []


@pytest.mark.slow
def test_a_storm_of_renames_keeps_every_note(harness: Harness) -> None:
    check_storm(harness, 300)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_five_thousand_renames_keep_every_note(harness: Harness) -> None:
    check_storm(harness, 5_000, limit_s=240)


QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")


@pytest.mark.slow
@pytest.mark.skipif(not QUEUE.exists(), reason="the system has no inotify")
def test_what_an_overflow_of_the_queue_swallowed_is_found_all_the_same(
    harness: Harness,
) -> None:
    make_vault(harness.vault, 20, 17)
    other = harness.vault / "Other"
    other.mkdir()
    with watcher(harness) as watching:
        watching.ready()
        watching.pause()
        began, number = time.monotonic(), 0
        # two events each, or more; and for so long that it is noticed to stand still
        while number <= int(QUEUE.read_text("ascii")) // 2 or (
            time.monotonic() - began < 2 * STOOD_STILL_S
        ):
            scratch = harness.vault / f"scratch{number % 2}.tmp"
            scratch.touch()
            scratch.unlink()
            number += 1
        write(harness.vault, "Other/Late.md", "swallowed")
        watching.resume()

        check_follows(harness)


def test_a_folder_that_moves_keeps_its_notes(harness: Harness) -> None:
    make_vault(harness.vault, 60, 16)
    with watcher(harness) as watching:
        watching.ready()
        before = ids_of(harness)

        (harness.vault / "Projects").rename(harness.vault / "Daily" / "Projects")
        check_follows(harness)
        write(harness.vault, "Daily/Projects/Deep/New.md", "heard of in there, too")
        check_follows(harness)

        after = ids_of(harness)
    moved = {f"Daily/{p}" if p.startswith("Projects/") else p: n
             for p, n in before.items()}  # fmt: skip
    assert {path: after.get(path) for path in moved} == moved


def git(vault: Path, *args: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@example.com", *args],
        cwd=vault,
        check=True,
        capture_output=True,
        timeout=120,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(vault),
            "GIT_CONFIG_NOSYSTEM": "1",
        },
    )


def check_checkouts(harness: Harness, notes: int, limit_s: float = 60) -> None:
    if shutil.which("git") is None:
        pytest.skip("there is no git here")
    make_vault(harness.vault, notes, 17)
    git(harness.vault, "init", "-q", "-b", "one")
    git(harness.vault, "add", "-A")
    git(harness.vault, "commit", "-q", "-m", "one")
    git(harness.vault, "checkout", "-q", "-b", "two")
    rng = random.Random(17)
    edit(harness.vault, rng, steps=min(notes // 3, 200))
    for number in range(notes // 10):
        write(harness.vault, f"Other/{number}.md", note_text(rng, []))
    git(harness.vault, "add", "-A")
    git(harness.vault, "commit", "-q", "-m", "two")
    with watcher(harness) as watching:
        watching.ready()
        for branch in ("one", "two", "one"):
            git(harness.vault, "checkout", "-q", branch)
            check_follows(harness, limit_s)


@pytest.mark.slow
def test_another_branch_is_followed(harness: Harness) -> None:
    check_checkouts(harness, 150)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_another_branch_of_a_large_vault_is_followed(harness: Harness) -> None:
    check_checkouts(harness, 5_000, limit_s=240)


def test_a_process_that_was_stopped_catches_up(harness: Harness) -> None:
    make_vault(harness.vault, 60, 18)
    with watcher(harness) as watching:
        watching.ready()

        watching.pause()
        edit(harness.vault, random.Random(18), steps=40)
        (harness.vault / "Daily").rename(harness.vault / "Diary")
        watching.resume()

        check_follows(harness)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_sleep_in_which_all_events_were_lost_is_made_good(harness: Harness) -> None:
    make_vault(harness.vault, 60, 19)
    wrap = [sys.executable, "-c", LOSE_EVENTS]
    with watcher(harness, wrap=wrap) as watching:
        watching.ready()

        watching.pause()
        edit(harness.vault, random.Random(19), steps=40)
        slept = subprocess.run(["sleep", "30"], timeout=60, check=True)
        assert slept.returncode == 0
        watching.resume()

        check_follows(harness)


LOSE_EVENTS = """
import runpy, sys
from glassmind.files.watch import VaultEvents
VaultEvents._told_of = lambda *_, **__: None
sys.argv = sys.argv[sys.argv.index("glassmind"):]
runpy.run_module("glassmind", run_name="__main__", alter_sys=True)
"""
"""The program, deaf."""


def few_watches() -> list[str]:
    """Return what runs a command where the system has hardly any watches left."""
    limit = "echo 5 > /proc/sys/user/max_inotify_watches"
    wrap = ["unshare", "-Ur", "sh", "-c", f'{limit}; exec "$@"', "sh"]
    tried = [*wrap, "true"]
    if (
        shutil.which("unshare") is None
        or subprocess.run(tried, capture_output=True, timeout=60, check=False).stderr
    ):
        pytest.skip("NOT TESTED: a limit of watches, as unshare is not allowed here")
    return wrap


def test_a_limit_of_watches_means_looking_and_is_told(harness: Harness) -> None:
    make_vault(harness.vault, 40, 20)
    with watcher(harness, wrap=few_watches()) as watching:
        watching.ready()
        assert watching.mode() == "polling"

        edit(harness.vault, random.Random(20), steps=30)
        check_follows(harness)

        with harness.engine() as engine:
            found = engine.status().watch
        assert found.mode == "polling"
        assert "fs.inotify.max_user_watches" in found.reason


def test_folders_that_come_until_the_limit_is_reached_are_not_lost(
    harness: Harness,
) -> None:
    write(harness.vault, "Tea.md", "oolong")
    with watcher(harness, wrap=few_watches()) as watching:
        watching.ready()
        assert watching.mode() == "watching"

        for number in range(8):
            write(harness.vault, f"{number}/Note.md", f"note {number}")
        check_follows(harness)
        until(lambda: watching.mode() == "polling", "another way")
        write(harness.vault, "7/Note.md", "changed where nobody listens")

        check_follows(harness)


def test_too_few_watches_for_old_and_new_at_once_are_enough(harness: Harness) -> None:
    write(harness.vault, "a/Tea.md", "oolong")
    with watcher(harness, wrap=few_watches()) as watching:
        watching.ready()

        write(harness.vault, "b/New.md", "the fourth folder of five at most")
        check_follows(harness)
        write(harness.vault, "b/New.md", "heard of in there")
        check_follows(harness)

        modes = [e["mode"] for e in watching.events if e["event"] == "mode"]
        assert modes == ["watching"]


def emptied(vault: Path) -> None:
    for path in notes_of(vault):
        (vault / path).unlink()


def unmounted(vault: Path) -> None:
    vault.rename(vault.with_name("unmounted"))


def mounted_empty(vault: Path) -> None:
    unmounted(vault)
    vault.mkdir()


@pytest.mark.parametrize(
    "lose",
    [
        emptied,
        pytest.param(unmounted, marks=pytest.mark.slow),
        pytest.param(mounted_empty, marks=pytest.mark.slow),
    ],
)
def test_a_vault_that_seems_gone_keeps_its_index(
    harness: Harness, lose: Callable[[Path], None]
) -> None:
    make_vault(harness.vault, 40, 21)
    kept = harness.vault.with_name("kept")
    shutil.copytree(harness.vault, kept)
    with watcher(harness) as watching:
        watching.ready()
        folder = harness.folder
        before = dump(folder)

        lose(harness.vault)
        until(lambda: [e for e in watching.events if e["event"] == "error"], "a word")
        assert differences(dump(folder), before) == []

        shutil.rmtree(harness.vault, ignore_errors=True)
        kept.rename(harness.vault)
        write(harness.vault, "New.md", "and is followed when it is back")
        check_follows(harness)


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        pytest.param(signal.SIGINT, marks=pytest.mark.slow),
        pytest.param(signal.SIGHUP, marks=pytest.mark.slow),
    ],
)
def test_a_signal_ends_it_soon_and_cleanly(
    harness: Harness, number: signal.Signals
) -> None:
    make_vault(harness.vault, 20, 22)
    with watcher(harness) as watching:
        watching.ready()
        write(harness.vault, "New.md", "about to be heard of")

        assert watching.end(number) < ENDS_WITHIN_S

    assert not list(harness.folder.glob("watch.json*"))
    harness.check_converges()


def test_who_asks_for_it_is_not_kept_from_it_by_a_setting(harness: Harness) -> None:
    write(harness.vault, "Tea.md", "oolong")

    with watcher(harness, GLASSMIND_WATCH_ENABLED="false") as watching:
        watching.ready()

        assert watching.mode() == "watching"


@pytest.mark.slow
def test_a_signal_during_the_first_run_ends_it_soon(harness: Harness) -> None:
    make_vault(harness.vault, 600, 23)
    with watcher(harness) as watching:
        until(lambda: watching.events, "a sign of life")

        assert watching.end() < ENDS_WITHIN_S

    harness.check_converges()


def test_it_ends_when_nobody_reads_what_it_says(harness: Harness) -> None:
    write(harness.vault, "Tea.md", "oolong")
    command = [
        sys.executable,
        "-m",
        "glassmind",
        "--vault",
        str(harness.vault),
        "watch",
    ]
    env = {**harness.env, "GLASSMIND_WATCH_DEBOUNCE_MS": "60"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env
    ) as running:
        assert running.stdout is not None
        running.stdout.readline()
        running.stdout.close()

        for number in range(50):
            write(harness.vault, f"{number}.md", "more to tell of")

        assert running.wait(60) == 0


def test_a_second_watch_stands_by_and_takes_over(harness: Harness) -> None:
    make_vault(harness.vault, 20, 24)
    with watcher(harness) as first:
        first.ready()
        with watcher(harness) as second:
            write(harness.vault, "One.md", "one of them hears this")
            check_follows(harness)

            first.running.kill()
            first.running.wait(60)
            second.ready()
            write(harness.vault, "Two.md", "and the other this")
            check_follows(harness)
