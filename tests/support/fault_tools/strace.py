"""Letting the system calls of a running program fail, one at a time."""

import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from fault_tools.harness import Finished, Harness, finish

FAILING = {
    "write": "ENOSPC",
    "pwrite64": "ENOSPC",
    "fsync": "EIO",
    "fdatasync": "EIO",
    "ftruncate": "ENOSPC",
    "fallocate": "ENOSPC",
    "openat": "ENOSPC",
    "mkdirat": "ENOSPC",
    "mkdir": "ENOSPC",
    "renameat": "EIO",
    "renameat2": "EIO",
    "rename": "EIO",
    "unlinkat": "EIO",
    "unlink": "EIO",
}
"""What each call that an index depends on may say, one architecture or another."""

_CALL = re.compile(r"^(?:\[pid +)?(\d+)\]? +(\w+)\(")


def need_strace() -> None:
    """Skip, and say so, where no program can be traced."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed: failing system calls are NOT tested")


def run_traced(harness: Harness, log: Path, *options: str) -> Finished:
    """Index under strace, which looks on from just before the vault is opened."""
    running = harness.start("index", wait=True)
    assert running.stdout is not None
    assert running.stdout.readline() == "ready\n"
    command = ["strace", "-f", "-o", str(log), *options, "-p", str(running.pid)]
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert tracer.stderr is not None
    first = tracer.stderr.readline()
    if "attached" not in first:
        finish(running)
        finish(tracer)
        pytest.skip(f"this system lets nobody trace ({first.strip()}): NOT tested")
    try:
        return finish(running)
    finally:
        finish(tracer)


def count_calls(harness: Harness, log: Path) -> dict[str, int]:
    """Return how often each call is made by the thread that makes it most."""
    calls = ",".join(f"?{name}" for name in FAILING)
    done = run_traced(harness, log, "-e", f"trace={calls}")
    assert done.code == 0, done.err
    seen = Counter(
        (found[1], found[2])
        for line in log.read_text("utf-8", "replace").splitlines()
        if (found := _CALL.match(line))
    )
    most: dict[str, int] = {}
    for (_, name), count in seen.items():
        most[name] = max(most.get(name, 0), count)
    return most


def run_failing(harness: Harness, log: Path, call: str, number: int) -> Finished:
    """Index while one call fails, in each thread that makes it so often."""
    fault = f"inject={call}:error={FAILING[call]}:when={number}"
    return run_traced(harness, log, "-e", f"trace={call}", "-e", fault)


def is_root() -> bool:
    """Whether this user may mount and become others."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
