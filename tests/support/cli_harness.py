"""The real program, started as a user starts it, in a home and a vault of its own."""

import io
import json
import os
import pty
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

from glassmind.serve.cli.program import run_program

SAMPLE = Path(__file__).parents[2] / "sample-vault"
KEPT = ("PATH", "LANG", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "SYSTEMROOT", "TMPDIR")
"""Variables that the program may see of ours; the rest is the test's to choose."""

LIMIT_S = 60
"""How long one run may take before the test gives up."""

Done = subprocess.CompletedProcess[str]


class Program:
    """`glassmind` with a home of its own, standing outside of every vault."""

    def __init__(self, root: Path) -> None:
        self.home, self.vault = root / "home", root / "Notes"
        self.home.mkdir()
        self.env = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.env["HOME"] = str(self.home)
        self.env["GLASSMIND_EMBEDDINGS_BACKEND"] = "none"  # most tests need no model

    @property
    def settings(self) -> Path:
        return self.home / ".config/glassmind/glassmind.toml"

    def bare(self, *args: str | Path, **variables: str) -> Done:
        """Run without a vault."""
        return subprocess.run(
            self._command(*args),
            cwd=self.home,
            env={**self.env, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=LIMIT_S,
            check=False,
        )

    def run(self, *args: str | Path, **variables: str) -> Done:
        """Run on the vault."""
        return self.bare("--vault", self.vault, *args, **variables)

    def piped(self, text: str | bytes, *args: str | Path) -> Done:
        """Run on the vault, in a process of its own, with something piped in."""
        done = subprocess.run(
            self._command("--vault", self.vault, *args),
            cwd=self.home,
            env=self.env,
            input=text.encode() if isinstance(text, str) else text,
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        return Done(done.args, done.returncode, out, err)

    def json(self, *args: str | Path) -> Any:
        """Run on the vault and return the one object it prints."""
        return json.loads(self.run("--json", *args).stdout)

    def imported(self, *args: str | Path) -> set[str]:
        """Run on the vault and return the packages that were imported."""
        return {name.partition(".")[0] for name in self.modules(*args)}

    def modules(self, *args: str | Path) -> set[str]:
        """Run on the vault and return the modules that were imported."""
        command = [sys.executable, "-X", "importtime", *self._command(*args)[1:]]
        done = subprocess.run(
            command,
            cwd=self.vault,
            env=self.env,
            capture_output=True,
            encoding="utf-8",
            timeout=LIMIT_S,
            check=True,
        )
        times = [line for line in done.stderr.splitlines() if line.count("|") == 2]
        return {line.rpartition("|")[2].strip() for line in times}

    def on_terminal(self, *args: str | Path, **variables: str) -> str:
        """Run on the vault in a pseudo-terminal and return all that it showed."""
        with self.terminal(*args, **variables) as screen:
            return screen.until_the_end()

    @contextmanager
    def terminal(self, *args: str | Path, **variables: str) -> Iterator["Screen"]:
        """Run on the vault in a pseudo-terminal, for the test to read and type."""
        ours, theirs = pty.openpty()
        started = subprocess.Popen(
            self._command("--vault", self.vault, *args),
            cwd=self.home,
            env={**self.env, "TERM": "xterm-256color", **variables},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        try:
            yield Screen(ours, started)
        finally:
            started.kill()
            started.wait(timeout=LIMIT_S)
            # Not before the process has ended: Linux may tell a reader that the
            # last writer is gone while what it wrote waits to be read.
            os.close(theirs)
            os.close(ours)

    def _command(self, *args: str | Path) -> list[str]:
        return [sys.executable, "-m", "glassmind", *map(str, args)]


class Inside(Program):
    """The same program in this process, for what needs no process of its own."""

    def __init__(self, program: Program) -> None:
        self.home, self.vault, self.env = program.home, program.vault, program.env

    def bare(self, *args: str | Path, **variables: str) -> Done:
        """Run without a vault."""
        return run_inside(args, {**self.env, **variables})

    def piped(self, text: str | bytes, *args: str | Path) -> Done:
        """Run on the vault with `text` as standard input."""
        raw = text.encode() if isinstance(text, str) else text
        with mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO(raw), "utf-8")):
            return self.run(*args)


def run_inside(args: Sequence[str | Path], env: Mapping[str, str]) -> Done:
    """Run the program in this process, with these variables and no others."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    argv = [str(arg) for arg in args]
    chosen = mock.patch.dict(os.environ, env, clear=True)
    with chosen, redirect_stdout(out), redirect_stderr(err):
        code = run_program(argv)
    return Done(argv, code, *(_written(stream) for stream in (out, err)))


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode("utf-8")


class Screen:
    """What a terminal shows of one process."""

    def __init__(self, end: int, started: "subprocess.Popen[bytes]") -> None:
        self._end, self.started, self._shown = end, started, bytearray()

    @property
    def shown(self) -> str:
        return self._shown.decode("utf-8", "replace")

    def type(self, text: bytes) -> None:
        os.write(self._end, text)

    def until(self, text: str) -> str:
        """Read on until something is shown, and return all that was."""
        while text not in self.shown and self._read():
            pass
        assert text in self.shown, self.shown
        return self.shown

    def until_the_end(self) -> str:
        """Read on until the process has ended, and return all that was shown."""
        while self._read():
            pass
        return self.shown

    def _read(self) -> bool:
        """Wait for more; false at the end."""
        giving_up = time.monotonic() + LIMIT_S
        while time.monotonic() < giving_up:
            has_ended = self.started.poll() is not None
            if select.select([self._end], [], [], 0.05)[0]:
                self._shown += os.read(self._end, 65_536)
                return True
            if has_ended:
                return False
        raise TimeoutError(self.shown)


def with_sample(root: Path) -> Program:
    """Return a program beside a copy of the sample vault."""
    program = Program(root)
    shutil.copytree(SAMPLE, program.vault)
    return program


def with_index(root: Path) -> Program:
    """Return a program beside an indexed copy of the sample vault."""
    program = with_sample(root)
    done = Inside(program).run("index")
    assert done.returncode == 0, done.stderr
    return program


def with_note(root: Path, text: str = "# Tea\n\nOolong rests.\n") -> Program:
    """Return a program beside a vault of one note, `Tea.md`."""
    program = Program(root)
    (program.vault / ".obsidian").mkdir(parents=True)
    (program.vault / "Tea.md").write_text(text, "utf-8")
    return program
