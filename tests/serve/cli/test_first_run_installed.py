"""Installed as newcomers do it, by uvx and pipx, from a copy without our venv."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "sample-vault"

OURS = ("GLASSMIND_", "PYTHON", "VIRTUAL_ENV", "UV_", "PIPX_", "XDG_")
"""How the names of variables begin that would let this environment show through."""

LIMIT_S = 600
"""For what downloads some 200 MB of wheels, on a bad day."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

Done = subprocess.CompletedProcess[str]


class Newcomer:
    """Somebody with a home, a copy of the source, uv and pipx, and nothing else."""

    def __init__(self, root: Path) -> None:
        self.home, self.source, self.tools = root / "home", root / "src", root / "tools"
        self.vault = self.home / "My notes"
        for folder in (self.home, self.source):
            folder.mkdir()
        kept = {k: v for k, v in os.environ.items() if not k.startswith(OURS)}
        venv = str(Path(sys.executable).parent)
        path = [one for one in kept["PATH"].split(os.pathsep) if one != venv]
        self.bin = self.home / ".local/bin"
        self.env = {
            **kept,
            "HOME": str(self.home),
            "PATH": os.pathsep.join([str(self.tools / "bin"), str(self.bin), *path]),
            "UV_CACHE_DIR": str(root / "uv"),
            "UV_PYTHON": os.path.realpath(sys.executable),
            "UV_PYTHON_DOWNLOADS": "never",
            "PIPX_HOME": str(root / "pipx"),
            "PIPX_BIN_DIR": str(self.bin),
        }

    def run(self, *words: str | Path) -> Done:
        return subprocess.run(
            [str(word) for word in words],
            cwd=self.source,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=LIMIT_S,
            check=False,
        )

    def ready(self) -> None:
        """Unpack the source as it is committed, and fetch uv and pipx."""
        packed = ROOT / ".git"
        if shutil.which("git") is None or not packed.exists():
            pytest.skip("NOT TESTED: uvx and pipx, as this is no checkout of git")
        archive = self.source.with_suffix(".tar")
        made = ["git", "-C", str(ROOT), "archive", "-o", str(archive), "HEAD"]
        subprocess.run(made, timeout=60, check=True)
        shutil.unpack_archive(archive, self.source, filter="data")
        shutil.copytree(SAMPLE, self.vault)
        base = os.path.realpath(sys.executable)
        self.run(base, "-m", "venv", self.tools)
        got = self.run(self.tools / "bin/pip", "install", "--quiet", "uv", "pipx")
        if got.returncode:
            pytest.skip(
                f"NOT TESTED: uv and pipx are not to be had: {got.stderr[-300:]}"
            )


@pytest.fixture
def newcomer(tmp_path: Path) -> Newcomer:
    made = Newcomer(tmp_path)
    made.ready()
    return made


def next_of(done: Done) -> list[str]:
    """Return the words of the command that is told to come next."""
    assert done.returncode == 0, done.stderr
    (line,) = [one for one in done.stdout.splitlines() if one.startswith("Next: ")]
    return shlex.split(line.removeprefix("Next: "))


def found_by(done: Done) -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_uvx_runs_it_from_a_copy_and_what_it_says_is_next_runs_too(
    newcomer: Newcomer,
) -> None:
    told = newcomer.run("uvx", "--from", ".", "glassmind", "--version")
    if told.returncode and "Failed to fetch" in told.stderr:
        pytest.skip(f"NOT TESTED: uvx got no packages: {told.stderr[-300:]}")

    words = ("glassmind", "init", newcomer.vault, "--no-embed")
    follows = next_of(newcomer.run("uvx", "--from", ".", *words))
    found = found_by(newcomer.run(*follows, "--mode", "fulltext"))

    assert told.stdout.startswith("glassmind "), told.stderr
    assert follows[:4] == ["uvx", "--from", str(newcomer.source), "glassmind"]
    assert found.startswith("1. ")


def test_pipx_installs_it_and_it_is_called_by_its_name(newcomer: Newcomer) -> None:
    base = os.path.realpath(sys.executable)
    done = newcomer.run("pipx", "install", "--python", base, ".")
    if done.returncode and "Could not fetch" in done.stderr:
        pytest.skip(f"NOT TESTED: pipx got no packages: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr

    first = newcomer.run("glassmind", "init", newcomer.vault, "--no-embed")
    follows = next_of(first)
    found = found_by(newcomer.run(*follows, "--mode", "fulltext"))
    again = newcomer.run("glassmind", "init", "--no-embed")
    gone = newcomer.run("pipx", "uninstall", "glassmind")

    assert follows[:2] == ["glassmind", "search"]
    assert found.startswith("1. ")
    assert "(as it was)" in again.stdout
    assert gone.returncode == 0
    assert not (newcomer.bin / "glassmind").exists()
