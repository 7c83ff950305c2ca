"""Where programs keep their lists on each system, and by which words we are started."""

import json
from pathlib import Path

import pytest

from glassmind.serve.connect import (
    PROGRAMS,
    RELEASE,
    HostSystem,
    Installation,
    is_ours,
    launch_of,
    source_in,
    this_program,
)

LINUX = {
    "claude-code": ".claude.json",
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "codex": ".codex/config.toml",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "jan": ".local/share/Jan/data/mcp_config.json",
}
MAC = LINUX | {
    "claude-desktop": ("Library/Application Support/Claude/claude_desktop_config.json"),
    "vscode": "Library/Application Support/Code/User/mcp.json",
    "jan": "Library/Application Support/Jan/data/mcp_config.json",
}
WINDOWS = LINUX | {
    "claude-desktop": "AppData/Roaming/Claude/claude_desktop_config.json",
    "vscode": "AppData/Roaming/Code/User/mcp.json",
    "jan": "AppData/Roaming/Jan/data/mcp_config.json",
}
COMMIT = {"vcs": "git", "commit_id": "0123abc"}
STORE = "AppData/Local/Packages/Claude_pzs8sxrjxfjjc"


@pytest.mark.parametrize(
    ("platform", "expected"),
    [("linux", LINUX), ("darwin", MAC), ("win32", WINDOWS)],
)
def test_every_system_has_its_own_places(
    platform: str, expected: dict[str, str], tmp_path: Path
) -> None:
    machine = HostSystem(platform, tmp_path, {})

    found = {name: program.file(machine) for name, program in PROGRAMS.items()}

    assert found == {name: tmp_path / place for name, place in expected.items()}


@pytest.mark.parametrize(
    ("platform", "name", "variable", "place"),
    [
        ("linux", "claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("linux", "codex", "CODEX_HOME", "config.toml"),
        ("linux", "vscode", "XDG_CONFIG_HOME", "Code/User/mcp.json"),
        ("linux", "jan", "XDG_DATA_HOME", "Jan/data/mcp_config.json"),
        ("linux", "jan", "JAN_DATA_FOLDER", "mcp_config.json"),
        ("win32", "vscode", "APPDATA", "Code/User/mcp.json"),
    ],
)
def test_a_variable_moves_them_unless_it_is_relative(
    platform: str, name: str, variable: str, place: str, tmp_path: Path
) -> None:
    moved = HostSystem(platform, tmp_path, {variable: str(tmp_path / "moved")})
    relative = HostSystem(platform, tmp_path, {variable: "moved"})

    assert PROGRAMS[name].file(moved) == tmp_path / "moved" / place
    assert PROGRAMS[name].file(relative) == PROGRAMS[name].file(
        HostSystem(platform, tmp_path, {})
    )


@pytest.mark.parametrize(
    ("platform", "name", "there", "expected"),
    [
        (
            "win32",
            "claude-desktop",
            f"{STORE}/SystemAppData/settings.dat",
            f"{STORE}/LocalCache/Roaming/Claude/claude_desktop_config.json",
        ),
    ],
)
def test_what_is_installed_decides_where_a_program_may_be_in_two_ways(
    platform: str, name: str, there: str, expected: str, tmp_path: Path
) -> None:
    (tmp_path / there).parent.mkdir(parents=True)
    (tmp_path / there).touch()
    env = {"LOCALAPPDATA": str(tmp_path / "AppData/Local")}

    assert (
        PROGRAMS[name].file(HostSystem(platform, tmp_path, env)) == tmp_path / expected
    )


def running(root: Path, **known: str) -> Installation:
    """Return a program that is installed below a folder."""
    (root / "env/bin").mkdir(parents=True)
    (root / "env/bin/glassmind").touch()
    places = {"prefix": root / "env", "scripts": root / "env/bin"}
    fields = {"executable": "/usr/bin/python3"} | {k: str(v) for k, v in places.items()}
    return Installation(**{**fields, **known})


def test_the_script_is_started_by_the_path_a_shell_finds_it_at(tmp_path: Path) -> None:
    program = running(tmp_path)
    script, link = tmp_path / "env/bin/glassmind", tmp_path / "glassmind"
    link.symlink_to(script)
    another = tmp_path / "another"
    another.touch()

    assert launch_of(program) == (str(script),)
    assert launch_of(program._replace(on_path=str(link))) == (str(link),)
    assert launch_of(program._replace(on_path=str(another))) == (str(script),)
    assert launch_of(program._replace(scripts=str(tmp_path))) == (str(link),)


def test_without_a_script_python_is_started_and_trusts_no_folder_it_stands_in(
    tmp_path: Path,
) -> None:
    program = running(tmp_path, scripts=str(tmp_path))

    assert launch_of(program) == ("/usr/bin/python3", "-P", "-m", "glassmind")


def test_what_runs_from_the_cache_of_uv_is_started_by_uv(tmp_path: Path) -> None:
    cached = str(tmp_path / "uv/archive-v0/x1y2")
    program = running(tmp_path, prefix=cached, source="/src/glassmind")

    found = launch_of(program._replace(uv="/opt/bin/uv"))
    lost = launch_of(program)

    words = ("/opt/bin/uv", "tool", "run", "--from", "/src/glassmind", "glassmind")
    assert found == words
    assert lost == (str(tmp_path / "env/bin/glassmind"),)


@pytest.mark.parametrize(
    ("told", "source"),
    [
        ("", RELEASE),
        ("[]", RELEASE),
        ('{"url": "file:///src/my%20glassmind", "dir_info": {}}', "/src/my glassmind"),
        ('{"url": "https://x.example/g.whl"}', "https://x.example/g.whl"),
        (
            json.dumps({"url": "https://x.example/g", "vcs_info": COMMIT}),
            "git+https://x.example/g@0123abc",
        ),
    ],
)
def test_uv_installs_again_what_was_installed(told: str, source: str) -> None:
    assert source_in(told) == source


def test_this_program_is_started_by_a_whole_path_that_is_there() -> None:
    (word, *_) = launch_of(this_program())

    assert Path(word).is_absolute()
    assert Path(word).is_file()


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ("glassmind mcp", True),
        ("/opt/bin/glassmind --vault /v mcp", True),
        (r"C:\Tools\Glassmind.EXE mcp", True),
        ("/usr/bin/python3 -P -m glassmind mcp", True),
        ("uvx glassmind==0.1.0 mcp", True),
        ("uvx --from glassmind[multilingual] glassmind@latest mcp", True),
        ("glassmind serve", False),
        ("npx glassmind-notes mcp", False),
        ("npx mcp glassmind", False),
        ("mcp", False),
    ],
)
def test_an_entry_of_ours_is_told_from_others(command: str, ours: bool) -> None:
    first, *args = command.split()

    assert is_ours({"command": first, "args": args}) is ours
    assert not is_ours({"url": "http://127.0.0.1:7331/mcp"})
    assert not is_ours(None)
