"""What a newcomer gets wrong, and the sentence that helps with each."""

import ast
import errno
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli_harness import Inside, Program, with_note
from fault_tools.harness import NOBODY, delete_index

from glassmind import __main__ as entry
from glassmind.errors import (
    ConfigUnwritable,
    ModelAbsent,
    NoVault,
    VaultAbsent,
)
from glassmind.files.vaults import known_vaults, registry_folders
from glassmind.serve import connect as launching
from glassmind.serve.cli import setup
from glassmind.serve.connect import Installation

ROOT = Path(__file__).parents[3]

OLDER = ("3.10", "3.9", "3.8", "3.7", "3.6")
"""Releases that are still met, and too old for us."""

posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX permissions")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Inside:
    inside = Inside(with_note(tmp_path))
    monkeypatch.chdir(inside.home)
    return inside


def refused(program: Program, folder: Path | str) -> str:
    """Return why a folder is not taken, having seen that nothing was written."""
    done = program.bare("init", folder)

    assert done.returncode in {2, 3}, done.stdout
    assert done.stdout == ""
    assert not program.settings.exists()
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix("glassmind: ")


def test_no_vault_at_all_leads_to_the_first_command(program: Inside) -> None:
    searched = program.bare("search", "tea")
    begun = program.bare("init")

    assert "run glassmind init, which finds those of Obsidian" in searched.stderr
    assert "name the folder of your notes: glassmind init FOLDER" in begun.stderr


def test_a_misspelt_folder_is_told_what_may_be_meant(program: Inside) -> None:
    (program.home / "Documents").mkdir()

    assert "did you mean Documents?" in refused(program, program.home / "Document")


def test_a_file_is_told_the_folder_it_stands_in(program: Inside) -> None:
    said = refused(program, program.vault / "Tea.md")

    assert f"name the folder it is in, {program.vault}\n" in said


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("home", "is your home folder"),
        ("above", "is the folder that holds your home folder"),
        ("root", "is the root of the disk"),
    ],
)
def test_a_folder_that_holds_far_more_than_notes_is_not_taken(
    program: Inside, place: str, said: str
) -> None:
    (program.home / "Todo.md").write_text("tea\n", "utf-8")
    home = program.home
    folder = {"home": home, "above": home.parent, "root": Path(home.anchor)}[place]

    told = refused(program, folder)

    assert said in told
    assert f"to take it all the same: glassmind config set vault.path {folder}" in told


def test_a_home_folder_that_is_a_vault_is_taken(program: Inside) -> None:
    (program.home / ".obsidian").mkdir()
    (program.home / "Todo.md").write_text("tea\n", "utf-8")

    assert program.bare("init", program.home).returncode == 0


def test_a_folder_without_a_note_is_not_taken_for_a_vault(program: Inside) -> None:
    empty, pictures = program.home / "Empty", program.home / "Pictures"
    (pictures / "2026").mkdir(parents=True)
    (pictures / "2026/a.png").write_bytes(b"")
    (pictures / ".hidden").mkdir()
    (pictures / ".hidden/a.md").write_bytes(b"")
    empty.mkdir()

    assert "is empty; check that its disk is there" in refused(program, empty)
    assert "holds no notes (.md, .canvas, .base)" in refused(program, pictures)


def test_a_folder_of_notes_is_taken_though_obsidian_never_saw_it(
    program: Inside,
) -> None:
    folder = program.home / "Plain/2026"
    folder.mkdir(parents=True)
    (folder / "a.MD").write_text("tea\n", "utf-8")

    assert program.bare("init", folder.parent).returncode == 0


def test_a_folder_of_a_vault_leads_to_the_whole(program: Inside) -> None:
    below = program.vault / "Drinks"
    below.mkdir()
    (below / "a.md").write_text("tea\n", "utf-8")

    said = refused(program, below)

    assert f"is a folder of the vault {program.vault}" in said
    assert f"take the whole: glassmind init {program.vault} " in said


def test_a_folder_of_vaults_names_each(program: Inside) -> None:
    for name in ("Work", "My life"):
        (program.home / "Vaults" / name / ".obsidian").mkdir(parents=True)

    said = refused(program, program.home / "Vaults")
    one = refused(program, program.vault.parent)

    assert "is not a vault but contains 2 vaults" in said
    assert f"glassmind init '{program.home}/Vaults/My life', or glassmind init" in said
    assert "holds your home folder" in one


def test_a_folder_that_is_refused_can_be_taken_all_the_same(program: Inside) -> None:
    empty = program.home / "Empty"
    empty.mkdir()

    program.bare("config", "set", "vault.path", str(empty))

    assert program.bare("index").returncode == 0


@contextmanager
def bound_by_permissions() -> Iterator[None]:
    """Be a user whom permissions bind, if we are one whom they do not."""
    if os.geteuid() != 0:
        yield
        return
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@pytest.fixture
def reachable() -> Iterator[Inside]:
    """A home that another user can reach, after all that is imported was."""
    root = Path(tempfile.mkdtemp(prefix="glassmind-first-"))
    root.chmod(0o755)
    inside = Inside(with_note(root))
    assert inside.bare("init", inside.vault, "--no-embed").returncode == 0
    shutil.rmtree(inside.home / ".config")
    yield inside
    for folder in (root, *root.rglob("*")):
        if not folder.is_symlink():
            folder.chmod(stat.S_IMODE(folder.stat().st_mode) | 0o700)
    shutil.rmtree(root)


@posix
@pytest.mark.parametrize("words", [("init",), ("index", "--vault")])
def test_a_vault_that_may_not_be_read_says_who_can_help(
    reachable: Inside, words: tuple[str, ...]
) -> None:
    reachable.vault.chmod(0)

    with bound_by_permissions():
        done = reachable.bare(*words, reachable.vault)

    assert done.returncode == 3
    assert "cannot be read (Permission denied); its owner has to let you" in done.stderr


@posix
def test_vaults_behind_a_closed_door_are_not_offered(reachable: Inside) -> None:
    registry = reachable.home / ".config/obsidian/obsidian.json"
    registry.parent.mkdir(parents=True)
    behind = reachable.home / "Closed"
    (behind / "Notes").mkdir(parents=True)
    registry.write_text(f'{{"vaults": {{"a": {{"path": "{behind}/Notes"}}}}}}')
    listed = known_vaults(reachable.env)
    behind.chmod(0)

    with bound_by_permissions():
        seen = known_vaults(reachable.env)

    assert (len(listed), seen) == (1, [])


@posix
def test_settings_that_may_not_be_written_can_stand_elsewhere(
    reachable: Inside,
) -> None:
    reachable.home.chmod(0o555)

    with bound_by_permissions():
        done = reachable.bare("init", reachable.vault)

    assert done.returncode == 2
    assert "Permission denied; name another file: --config FILE, or" in done.stderr


@posix
def test_settings_that_may_not_be_read_can_stand_elsewhere(reachable: Inside) -> None:
    reachable.settings.parent.mkdir(parents=True)
    reachable.settings.parent.chmod(0)

    with bound_by_permissions():
        done = reachable.bare("init", reachable.vault)

    assert done.returncode == 2
    assert "Permission denied; name another file: --config FILE, or" in done.stderr


@posix
def test_an_index_that_has_no_place_says_which_setting_gives_it_one(
    reachable: Inside,
) -> None:
    delete_index(reachable.home / ".local")
    reachable.home.chmod(0o555)
    (reachable.vault.parent / "mine").mkdir(mode=0o777)
    (reachable.vault.parent / "mine").chmod(0o777)
    mine = reachable.vault.parent / "mine/glassmind.toml"

    with bound_by_permissions():
        done = reachable.bare("init", reachable.vault, "--config", mine)

    assert done.returncode == 4
    assert "index.location" in done.stderr


def test_a_disk_that_can_only_be_read_says_so(
    program: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("tempfile.mkstemp", no_room)

    assert "Read-only file system; name another file" in refused(program, program.vault)


@pytest.mark.parametrize(
    ("system", "folder"),
    [
        ("darwin", "{home}/Library/Application Support/obsidian"),
        ("win32", "{home}/AppData/Roaming/obsidian"),
    ],
)
def test_the_list_of_vaults_is_looked_for_on_other_systems_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str, folder: str
) -> None:
    monkeypatch.setattr(sys, "platform", system)

    found = registry_folders({"HOME": str(tmp_path)})

    assert [str(one) for one in found] == [folder.format(home=tmp_path)]


def test_an_old_python_gets_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 13))
    monkeypatch.setattr(sys, "argv", ["glassmind", "init"])

    assert entry.main() == 2
    assert "Python 3.11 or later is needed" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["__init__.py", "__main__.py", "version.py"])
def test_what_an_old_python_reads_before_that_is_no_riddle_to_it(name: str) -> None:
    text = (ROOT / "src/glassmind" / name).read_text("utf-8")

    assert ast.parse(text, feature_version=(3, 6)).body


@pytest.mark.parametrize("release", OLDER)
def test_the_sentence_is_told_by_a_real_old_python(release: str) -> None:
    asked = [f"python{release}", "-m", "glassmind", "init"]
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src")}
    env |= {"PYTHONDONTWRITEBYTECODE": "1", "PYENV_VERSION": _pyenv_has(release)}
    try:
        done = subprocess.run(
            asked, env=env, capture_output=True, text=True, timeout=60, check=False
        )
    except FileNotFoundError:
        pytest.skip(f"NOT TESTED: there is no Python {release} here")
    if "pyenv" in done.stderr:
        pytest.skip(f"NOT TESTED: there is no Python {release} here")

    assert done.returncode == 2
    assert done.stderr.startswith("glassmind: Python 3.11 or later is needed")


def _pyenv_has(release: str) -> str:
    """Return how pyenv calls a release, where pyenv is what has it."""
    found = (Path.home() / ".pyenv/versions").glob(f"{release}.*")
    return next((one.name for one in sorted(found)), release)


def test_the_package_and_the_launcher_want_the_same_python() -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    launcher = (ROOT / "run").read_text("utf-8")

    assert wanted["requires-python"] == ">=3.11"
    assert re.findall(r"version_info < \((\d+), (\d+)\)", launcher) == [("3", "11")]


@posix
@pytest.mark.parametrize("place", ["path", "environment", "nowhere"])
def test_the_launcher_tells_of_a_python_that_is_too_old(
    tmp_path: Path, place: str
) -> None:
    shutil.copy(ROOT / "run", tmp_path / "run")
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    for name in ("bash", "dirname"):
        found = shutil.which(name)
        assert found is not None
        (bin_folder / name).symlink_to(found)
    old = {"path": bin_folder / "python3", "environment": tmp_path / ".venv/bin/python"}
    if place in old:
        old[place].parent.mkdir(parents=True, exist_ok=True)
        says = '#!/bin/sh\ncase "$2" in *exit*) exit 1 ;; *) echo 3.9 ;; esac\n'
        old[place].write_text(says, "utf-8")
        old[place].chmod(0o755)

    done = subprocess.run(
        ["bash", tmp_path / "run", "demo"],
        env={"PATH": str(bin_folder)},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )

    said = {
        "path": "needs Python 3.11 or later; this is 3.9, and none was found",
        "environment": ".venv holds a Python older than 3.11, or a broken one",
        "nowhere": "needs Python 3.11 or later; none was found on the PATH",
    }
    assert done.returncode == 2
    assert said[place] in done.stderr


@pytest.mark.parametrize(
    ("words", "call"),
    [
        (("/usr/bin/glassmind",), "glassmind"),
        (("/home/a b/.venv/bin/glassmind",), "'/home/a b/.venv/bin/glassmind'"),
        (("/x/uv", "tool", "run", "--from", "/s", "glassmind"), "uvx --from /s glass"),
        (("/x/python", "-P", "-m", "glassmind"), "/x/python -P -m glassmind"),
    ],
)
def test_the_next_command_is_called_as_this_one_was(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], call: str
) -> None:
    running = Installation("/x/python", "/x", "/x/bin", on_path="/usr/bin/glassmind")
    monkeypatch.setattr(launching, "this_program", lambda: running)
    monkeypatch.setattr(launching, "launch_of", lambda _: words)
    monkeypatch.setattr(shutil, "which", lambda name: f"/x/{name}")

    assert setup.own_call().startswith(call)


def test_the_page_for_newcomers_quotes_what_is_said() -> None:
    page = (ROOT / "docs/getting-started.md").read_text("utf-8")
    rows = re.findall(r"^\| (`.+?) \|", page, re.MULTILINE)
    quoted = [part for row in rows for part in re.findall(r"`(.+?)`", row)]
    errors = (
        NoVault(),
        VaultAbsent("/a", "--vault"),
        ConfigUnwritable("/a", "Read-only file system"),
        ModelAbsent("m", "no network"),
    )
    names = ("vault.py", "__main__.py", "files/vaults.py", "serve/http/run.py")
    sources = [ROOT / "src/glassmind" / name for name in (*names, "serve/cli/setup.py")]
    told = [str(error) for error in errors]
    told += [re.sub(r'"\s+f?"', "", file.read_text("utf-8")) for file in sources]

    assert len(quoted) > 12
    for quote in quoted:
        parts = quote.split("...")
        assert any(all(part.strip() in one for part in parts) for one in told), quote
