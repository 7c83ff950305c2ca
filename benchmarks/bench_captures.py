"""Captures by many processes at once, against bare files in the same run.

    python benchmarks/bench_captures.py [--programs N] [--each N]

Eight processes capture 125 memos each into one vault that has an index. Then every memo
is looked for: on disk, once; on record; and in the index after one run. The baseline is
as many processes that each write as many new files as small: bytes, `fsync`, a name,
`fsync` of the folder, and a line in a log with an `fsync` of its own, which is all that
a capture may not do without. Exits with 1 where a memo is lost, doubled or unrecorded.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from glassmind import open_vault
from glassmind.memory.format import read_memo
from glassmind.model import NotePath

LOG = ".agent/logs/writes.jsonl"
PATIENCE_S = 900.0
"""How long the slowest of the processes may take."""


class Ran(NamedTuple):
    """What came of some processes: how long from the first to the last, and answers."""

    seconds: float
    each_s: list[float]
    answers: list[Any]


def child(asked: dict[str, Any]) -> None:
    """Do one process's share when told to, and say when and what."""
    work = bare if asked["bare"] else captures
    ready = work(asked)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    began, each, answers = time.time(), [], []
    for number in range(asked["each"]):
        before = time.perf_counter()
        answers.append(ready(number))
        each.append(time.perf_counter() - before)
    sys.stdout.write(json.dumps([began, time.time(), each, answers]))


def captures(asked: dict[str, Any]) -> Callable[[int], Any]:
    """Return what captures one memo; everything is open and imported already."""
    memory = open_vault(asked["vault"], settings=asked["settings"], env={}).memory

    def capture(number: int) -> Any:
        text = text_of(asked["name"], number)
        done = memory.capture("memory", text, project="Tea", client=asked["name"])
        return [done.memory.path, done.indexed]

    return capture


def bare(asked: dict[str, Any]) -> Callable[[int], Any]:
    """Return what writes one file and a line about it, each on the disk."""
    root = Path(asked["vault"])
    folder = os.open(root, os.O_RDONLY)
    log = os.open(root / "log", os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def write(number: int) -> None:
        name = f"{asked['name']} {number}"
        staged = os.open(root / f".{name}", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        os.write(staged, text_of(asked["name"], number).encode().ljust(200))
        os.fsync(staged)
        os.close(staged)
        os.write(log, f"{name}\n".encode().rjust(200))
        os.fsync(log)
        os.rename(root / f".{name}", root / name)  # noqa: PTH104 - the bare call
        os.fsync(folder)

    return write


def text_of(name: str, number: int) -> str:
    """Return what a process says at a time; nobody else says it."""
    return (
        f"{name} found at {number} that leaves are best at {70 + number % 30} degrees"
    )


def ran(programs: int, asked: dict[str, Any]) -> Ran:
    """Start processes, let them begin together, and return what came of them."""
    started = []
    for number in range(programs):
        share = json.dumps({**asked, "name": f"agent-{number}"})
        one = subprocess.Popen(
            [sys.executable, __file__, "--child", share],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(one)
    for one in started:
        if one.stdout is None or one.stdout.readline() != "ready\n":
            raise SystemExit("a process did not come up")
    told = [one.stdin for one in started if one.stdin is not None]
    for pipe in told:
        pipe.write("go\n")
        pipe.flush()
    said = [json.loads(one.communicate(timeout=PATIENCE_S)[0]) for one in started]
    return Ran(
        max(end for _, end, *_ in said) - min(began for began, *_ in said),
        sorted(seconds for _, _, each, _ in said for seconds in each),
        [answer for *_, answers in said for answer in answers],
    )


def faults(root: Path, settings: dict[str, Any], made: Ran, said: Counter[str]) -> int:
    """Print what is wrong with the vault after a run, and return how much."""
    found = [memo for file in sorted((root / ".agent").rglob("*.md"))
             if (memo := read_memo(NotePath(file.relative_to(root).as_posix()),
                                   file.read_bytes().decode(), ".agent"))]  # fmt: skip
    kept = Counter(memo.text for memo in found)
    lost, doubled = said - kept, kept - said
    lines = [json.loads(line) for line in (root / LOG).read_text().splitlines()]
    made_lines = [line for line in lines if not line.get("undone")]
    undone = len(lines) - len(made_lines)
    unrecorded = {memo.path for memo in found} - {line["path"] for line in made_lines}
    with open_vault(root, settings=settings, env={}) as engine:
        engine.index()
        listed = engine.list_notes(folder=".agent", limit=10_000).notes
    missing = {memo.path for memo in found} - {note.path for note in listed}
    amiss = abs(len(made_lines) - undone - len(made.answers))
    print(f"  on disk {len(found):,}, lost {lost.total()}, doubled {doubled.total()}")
    print(f"  on record {len(made_lines) - undone:,}, unrecorded {len(unrecorded)}, "
          f"undone {undone}")  # fmt: skip
    print(f"  not in the index after one run {len(missing)}")
    return lost.total() + doubled.total() + len(unrecorded) + len(missing) + amiss


def shown(name: str, made: Ran) -> float:
    """Print how fast a run was, and return how many a second."""
    rate = len(made.answers) / made.seconds
    middle = made.each_s[len(made.each_s) // 2] * 1_000
    last = made.each_s[int(len(made.each_s) * 0.99)] * 1_000
    print(f"{name:<28}{made.seconds:>8.1f} s {rate:>9.1f}/s   median {middle:>7.1f} ms"
          f"   p99 {last:>8.1f} ms")  # fmt: skip
    return rate


def measured(programs: int, each: int, *, index: bool) -> int:
    """Measure captures against bare files in a folder of their own."""
    with tempfile.TemporaryDirectory(prefix="glassmind-captures-") as folder:
        root, plain = Path(folder) / "Notes", Path(folder) / "bare"
        (root / ".obsidian").mkdir(parents=True)
        plain.mkdir()
        (root / "Tea.md").write_text("# Tea\n\nOolong is blue.\n")
        settings = {
            "index.location": str(Path(folder) / "index"),
            "embeddings.backend": "none",
        }
        if index:
            with open_vault(root, settings=settings, env={}) as engine:
                engine.index()
        asked = {"settings": settings, "each": each}
        base = ran(programs, {**asked, "vault": str(plain), "bare": True})
        made = ran(programs, {**asked, "vault": str(root), "bare": False})
        print(f"{programs} processes x {each} captures, "
              f"{'indexed at once' if index else 'no index yet'}")  # fmt: skip
        ratio = shown("  bare files, fsynced", base) / shown("  captures", made)
        at_once = sum(answer[1] for answer in made.answers)
        print(f"  a capture costs {ratio:.1f} bare files; indexed at once {at_once:,}")
        said = Counter(
            text_of(f"agent-{n}", t) for n in range(programs) for t in range(each)
        )
        return faults(root, settings, made, said)


def main(given: Sequence[str] | None = None) -> int:
    """Measure what is asked for; return 1 where anything was lost or doubled."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--programs", type=int, default=8)
    parser.add_argument("--each", type=int, default=125)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args(given)
    if args.child:
        child(json.loads(args.child))
        return 0
    wrong = sum(
        measured(args.programs, args.each, index=index) for index in (True, False)
    )
    print("ok" if not wrong else f"MISSED: {wrong} memos")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
