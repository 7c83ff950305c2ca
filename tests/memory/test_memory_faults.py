"""Captures while disks fill, programs are killed, and others capture too."""

import errno
import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fault_tools.strace import need_strace
from vault_harness import VaultHarness
from write_program import CALLS, Counted

from glassmind.errors import VaultError
from glassmind.files.write import VaultWriter
from glassmind.memory.format import read_memo
from glassmind.model import NotePath
from glassmind.model.memory import MemoryItem

DRIVE = Path(__file__).parents[1] / "support" / "capture_program.py"
LOG = ".agent/logs/writes.jsonl"
FIRST, SECOND = "Oolong is blue.", "Sencha is green.\n\nAnd so is matcha."

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX alone has it")


def memos(vault: VaultHarness) -> list[MemoryItem]:
    """Return every memo on disk; whatever is not whole raises."""
    found: list[MemoryItem] = []
    for file in sorted((vault.root / ".agent").rglob("*.md")):
        path = NotePath(file.relative_to(vault.root).as_posix())
        memo = read_memo(path, file.read_bytes().decode(), ".agent")
        assert memo, f"{path} is no memo"
        assert memo.text
        assert memo.created
        assert memo.client
        found.append(memo)
    return found


def texts(vault: VaultHarness) -> list[str]:
    return sorted(memo.text for memo in memos(vault))


def record(vault: VaultHarness) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (vault.root / LOG).read_text().splitlines()]


def strays(vault: VaultHarness) -> list[str]:
    """Return what in the agent folder is neither a memo nor the record."""
    files = [p for p in (vault.root / ".agent").rglob("*") if p.is_file()]
    names = (p.relative_to(vault.root).as_posix() for p in files if p.suffix != ".md")
    return [name for name in names if name != LOG]


def harness(root: Path) -> VaultHarness:
    """Return a vault without an index, so that only the write is looked at."""
    root.mkdir()
    made = VaultHarness(root)
    made.write({"Tea.md": "Oolong\n"})
    made.open()
    return made


def request(vault: VaultHarness, said: Sequence[str], **more: Any) -> list[str]:
    settings = {"index.location": str(vault.place), **vault.settings}
    asked = {"vault": str(vault.root), "settings": settings, "texts": said, **more}
    return [sys.executable, str(DRIVE), json.dumps(asked)]


@posix
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
def test_whatever_the_disk_refuses_a_capture_is_whole_or_not_there(
    tmp_path: Path, code: int
) -> None:
    def fail() -> None:
        raise OSError(code, os.strerror(code))

    for meant in range(1, 200):
        vault = harness(tmp_path / str(meant))
        memory = vault.engine.memory
        memory.capture("memory", FIRST)

        with pytest.MonkeyPatch.context() as patch:
            counted = Counted(meant, fail)
            for name in CALLS:
                patch.setattr(os, name, counted.around(getattr(os, name)))
            try:
                memory.capture("memory", SECOND)
                kept = [FIRST, SECOND]
            except VaultError:
                kept = [FIRST]

        assert texts(vault) == kept
        memory.capture("memory", "Matcha is greener.")
        assert texts(vault) == sorted([*kept, "Matcha is greener."])
        assert strays(vault) == []
        vault.close()
        if counted.calls < meant:
            return
    raise AssertionError("a capture takes fewer calls")


SOME = (14, 26, 36, 200)
"""Calls of a capture at which it is killed where not each of them is tried."""


@posix
@pytest.mark.parametrize(
    "calls", [SOME, pytest.param((*range(1, 45), 200), marks=pytest.mark.slow)]
)
def test_a_capture_that_is_killed_is_whole_and_on_record_or_not_there(
    tmp_path: Path, calls: Sequence[int]
) -> None:
    seen = set()
    for meant in calls:
        vault = harness(tmp_path / str(meant))
        vault.engine.memory.capture("memory", FIRST)
        before = len(record(vault))

        asked = request(vault, [SECOND], dies_at=meant)
        subprocess.run(asked, timeout=60, check=False, capture_output=True)

        kept = texts(vault)
        assert kept in ([FIRST], [FIRST, SECOND])
        if SECOND in kept:
            assert len(record(vault)) == before + 1
        seen.add(len(kept))
        vault.engine.memory.capture("memory", "Matcha is greener.")
        assert strays(vault) == []
        vault.close()
    assert seen == {1, 2}


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    ["fsync:1", "fsync:2", "fsync:3", "?linkat:1", "?unlinkat:1", "/^rename:1"],
)
def test_a_capture_that_dies_in_a_call_of_the_system_is_whole_or_not_there(
    tmp_path: Path, call: str
) -> None:
    need_strace()
    vault = harness(tmp_path / "vault")
    vault.engine.memory.capture("memory", FIRST)
    name, number = call.split(":")

    dies = f"inject={name}:signal=KILL:when={number}"
    traced = ["strace", "-f", "-qq", "-o", str(tmp_path / "log"), "-e", dies]
    asked = [*traced, *request(vault, [SECOND])]
    done = subprocess.run(asked, timeout=120, check=False, capture_output=True)

    if b"ptrace" in done.stderr:
        pytest.skip("this system lets nobody trace: NOT tested")
    assert done.returncode != 0 or name != "fsync", "it was not killed"
    assert texts(vault) in ([FIRST], [FIRST, SECOND])
    recorded = {line["path"] for line in record(vault)}
    assert {memo.path for memo in memos(vault)} <= recorded
    vault.engine.memory.capture("memory", "Matcha is greener.")
    assert strays(vault) == []
    vault.close()


@posix
def test_a_folder_that_cannot_be_written_is_told_and_nothing_is_left(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed({"Tea.md": "Oolong\n"})
    usual = os.open

    def refuses(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if flags & os.O_CREAT and str(path).endswith(".part"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return usual(path, flags, *more, **named)

    monkeypatch.setattr(os, "open", refuses)

    with pytest.raises(VaultError, match="Permission denied; it is as it was"):
        vault.engine.memory.capture("memory", FIRST)

    assert not list((vault.root / ".agent").rglob("*.md"))


def test_what_a_person_saves_between_our_reading_and_writing_is_not_lost(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.open()
    vault.indexed({"Tea.md": "Oolong\n"})
    note = vault.root / vault.engine.memory.capture("memory", FIRST).memory.path
    usual, saves = VaultWriter.put, iter(range(3))

    def slow(writer: VaultWriter, path: str, *args: Any, **named: Any) -> Any:
        for number in saves:
            text = note.read_text().replace("\n## ", f"\nmine {number}\n\n## ", 1)
            note.write_text(f"{text}\nsaved {number}\n")
            break
        return usual(writer, path, *args, **named)

    monkeypatch.setattr(VaultWriter, "put", slow)

    vault.engine.memory.capture("memory", SECOND)

    written = note.read_text()
    assert "saved 0" in written
    assert SECOND in texts(vault)


def race(vault: VaultHarness, threads: int, each: int) -> Counter[str]:
    """Capture from many threads at once, into one project; return what was said."""
    memory = vault.engine.memory
    failed: list[BaseException] = []

    def keep(number: int) -> None:
        try:
            for turn in range(each):
                memory.capture("memory", f"fact {number} {turn}", project="Tea")
        except BaseException as error:
            failed.append(error)
            raise

    running = [threading.Thread(target=keep, args=(n,)) for n in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(timeout=300)
    assert not failed
    return Counter(f"fact {n} {t}" for n in range(threads) for t in range(each))


def test_threads_that_capture_at_once_lose_nothing(tmp_path: Path) -> None:
    vault = harness(tmp_path / "race")

    said = race(vault, 6, 10)

    assert Counter(texts(vault)) == said
    vault.close()


@pytest.mark.slow
def test_a_thousand_races_for_one_note_lose_no_capture(tmp_path: Path) -> None:
    vault = harness(tmp_path / "race")

    said = race(vault, 8, 125)

    assert Counter(texts(vault)) == said
    lines = record(vault)
    assert len([line for line in lines if not line.get("undone")]) >= 1_000
    vault.close()


def crowd(
    vault: VaultHarness, programs: int, each: int, *, same: bool = False, **more: Any
) -> list[list[Any]]:
    """Let programs capture at once; return what each says that it kept."""
    started = [
        subprocess.Popen(
            request(
                vault,
                ["the very same" if same else f"fact {n} {t}" for t in range(each)],
                client=f"agent-{n}",
                **more,
            ),
            stdout=subprocess.PIPE,
            text=True,
        )
        for n in range(programs)
    ]
    kept: list[list[Any]] = []
    for program in started:
        out, _ = program.communicate(timeout=600)
        assert program.returncode == 0
        kept += json.loads(out)
    return kept


def check_crowd(vault: VaultHarness, kept: list[list[Any]], said: Counter[str]) -> None:
    """None lost, none doubled, the record complete, and all of them in the index."""
    found = memos(vault)
    assert Counter(memo.text for memo in found) == said
    assert sorted(memo.path for memo in found) == sorted(path for path, _ in kept)
    assert strays(vault) == []
    lines = record(vault)
    made = [line for line in lines if not line.get("undone")]
    assert {memo.path for memo in found} == {line["path"] for line in made}
    assert all(line["client"].startswith("agent-") for line in lines)
    assert len(made) == len(found) + sum(line.get("undone", False) for line in lines)
    vault.index()
    known = {path for (path,) in vault.rows("select path from files")}
    assert {memo.path for memo in found} <= known


def test_programs_that_capture_at_once_lose_and_double_nothing(
    vault: VaultHarness,
) -> None:
    vault.open()
    vault.indexed({"Tea.md": "Oolong\n"})

    kept = crowd(vault, 2, 9, project="Tea")

    said = Counter(f"fact {n} {t}" for n in range(2) for t in range(9))
    check_crowd(vault, kept, said)


@pytest.mark.slow
def test_programs_that_capture_the_same_words_at_once_keep_them_all(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Tea.md": "Oolong\n"})

    kept = crowd(vault, 2, 9, same=True, agent=True)

    check_crowd(vault, kept, Counter({"the very same": 18}))


@pytest.mark.slow
@pytest.mark.parametrize("same", [False, True])
def test_a_thousand_captures_by_eight_programs_lose_and_double_nothing(
    vault: VaultHarness, same: bool
) -> None:
    vault.open()
    vault.indexed({"Tea.md": "Oolong\n"})

    kept = crowd(vault, 8, 125, same=same, project="Tea")

    each = Counter(f"fact {n} {t}" for n in range(8) for t in range(125))
    check_crowd(vault, kept, Counter({"the very same": 1_000}) if same else each)
