"""Other programs are connected by an entry in their file, and nothing else in it."""

import errno
import json
import shutil
import stat
import sysconfig
from pathlib import Path

import pytest
from cli_harness import Inside, with_note
from connect_harness import WORDS, entry_for, golden

from glassmind.access.clients import clients_of
from glassmind.config import load_config
from glassmind.errors import BadConfigFile, ConfigError, ConfigUnwritable
from glassmind.model.access import Scope
from glassmind.serve import connect as joining
from glassmind.serve.connect import PROGRAMS, Program, connect

DESKTOP, CODEX = PROGRAMS["claude-desktop"], PROGRAMS["codex"]
NAME = "glassmind"
ENTRY = entry_for(DESKTOP)
OTHER = '{"mcpServers": {"glassmind": {"command": "npx", "args": ["notes"]}}}'


def assert_same(file: Path, before: Path) -> None:
    if before.suffix == ".toml":
        assert file.read_bytes() == before.read_bytes()
    else:  # where an empty list stays
        values = {"mcpServers": {}, **json.loads(before.read_bytes())}
        found = {"mcpServers": {}, **json.loads(file.read_bytes())}
        assert found == values


@pytest.fixture
def inside(tmp_path: Path) -> Inside:
    """The program beside a vault of one note, in a home of its own."""
    return Inside(with_note(tmp_path))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_file_is_changed_as_shown_once_and_comes_back(
    name: str, tmp_path: Path
) -> None:
    before, program = golden(name, "before"), PROGRAMS[name]
    file = Path(shutil.copy(before, tmp_path))
    entry = entry_for(program)

    first = connect(file, program.form, NAME, entry)
    after, moment = file.read_bytes(), file.stat().st_mtime_ns
    again = connect(file, program.form, NAME, entry)

    assert after == golden(name, "after").read_bytes()
    assert (first.state, again.state) == ("connected", "unchanged")
    assert file.stat().st_mtime_ns == moment
    assert first.backup is not None
    assert first.backup.read_bytes() == before.read_bytes()
    assert again.backup is None
    assert connect(file, program.form, NAME, None).state == "disconnected"
    assert_same(file, before)
    assert connect(file, program.form, NAME, None).state == "absent"


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_without_a_file_gets_one_for_its_user_alone(
    name: str, tmp_path: Path
) -> None:
    file, form = tmp_path / "not yet" / "file", PROGRAMS[name].form

    done = connect(file, form, NAME, entry_for(PROGRAMS[name]))

    assert (done.state, done.made, done.backup) == ("connected", True, None)
    assert file.read_text("utf-8") == form.changed("", NAME, entry_for(PROGRAMS[name]))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert connect(file, form, NAME, None).state == "disconnected"
    assert not form.servers(file.read_text("utf-8"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_entry_of_ours_is_replaced_and_values_that_a_person_added_stay(
    name: str, tmp_path: Path
) -> None:
    form = PROGRAMS[name].form
    file = Path(shutil.copy(golden(name, "after"), tmp_path))
    grown = file.read_text("utf-8").replace("/Documents/Notes", "/Old notes")
    if name == "codex":
        grown += 'note = "mine"\n\n[mcp_servers.glassmind.more]\nTZ = "UTC"\n'
    else:
        ours, added = (
            f'"command": "{WORDS[0]}"',
            '"note": "mine", "more": {"TZ": "UTC"}',
        )
        grown = grown.replace(ours, f"{added}, {ours}")
    file.write_text(grown, "utf-8")

    done = connect(file, form, NAME, entry_for(PROGRAMS[name]))

    assert done.state == "changed"
    entry = form.servers(file.read_text("utf-8"))[NAME]
    kept = {"note": "mine", "more": {"TZ": "UTC"}}
    assert entry == {**entry_for(PROGRAMS[name]), **kept}
    assert connect(file, form, NAME, None).state == "disconnected"
    assert_same(file, golden(name, "before"))


def test_variables_that_a_person_set_in_an_entry_stay(tmp_path: Path) -> None:
    jan, file = PROGRAMS["jan"], tmp_path / "mcp_config.json"
    connect(file, jan.form, NAME, {**entry_for(jan), "env": {"TZ": "UTC"}})

    done = connect(file, jan.form, NAME, entry_for(jan))

    assert done.state == "unchanged"
    assert jan.form.servers(file.read_text("utf-8"))[NAME]["env"] == {"TZ": "UTC"}


def test_an_entry_of_another_is_replaced_only_when_forced(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(OTHER, "utf-8")

    with pytest.raises(ConfigError, match="--force"):
        connect(file, DESKTOP.form, NAME, ENTRY)
    with pytest.raises(ConfigError, match="--force"):
        connect(file, DESKTOP.form, NAME, None)
    assert file.read_text("utf-8") == OTHER
    assert [*tmp_path.iterdir()] == [file]

    connect(file, DESKTOP.form, NAME, ENTRY, force=True)

    assert json.loads(file.read_bytes())["mcpServers"] == {NAME: ENTRY}


@pytest.mark.parametrize(
    ("program", "content", "line", "problem"),
    [
        (DESKTOP, b'{"mcpServers": {},\n', 2, "not JSON"),
        (DESKTOP, b"[]", 0, "not a JSON object"),
        (DESKTOP, b'{"mcpServers": []}', 0, "mcpServers is not an object"),
        (DESKTOP, b'{"a": 1,\n"b": "\xff"}', 2, "not UTF-8"),
        (DESKTOP, b"[" * 100_000, 0, "nested"),
        (PROGRAMS["vscode"], b'{"servers": {} // here', 1, "not JSON"),
        (CODEX, b"a = 1\nb =\n", 2, "not TOML"),
        (CODEX, b"mcp_servers = 3\n", 0, "not a table"),
        (CODEX, b"mcp_servers = { a = { command = 'x' } }\n", 0, "by hand"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_file_that_its_program_cannot_read_is_left_as_it_is(
    program: Program, content: bytes, line: int, problem: str, tmp_path: Path
) -> None:
    file = tmp_path / "config"
    file.write_bytes(content)

    with pytest.raises(BadConfigFile, match=problem) as refused:
        connect(file, program.form, NAME, entry_for(program))

    assert "fix the file and try again" in str(refused.value)
    assert refused.value.line == line
    assert file.read_bytes() == content
    assert [*tmp_path.iterdir()] == [file]


def test_a_mark_of_windows_is_read_and_not_written_again(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    was = '\ufeff{\r\n    "theme": "dark"\r\n}\r\n'.encode()
    file.write_bytes(was)

    done = connect(file, DESKTOP.form, NAME, ENTRY)

    assert json.loads(file.read_bytes()) == {
        "theme": "dark",
        "mcpServers": {NAME: ENTRY},
    }
    assert b'\n    "mcpServers": {\n        "glassmind": {' in file.read_bytes()
    assert done.backup is not None
    assert done.backup.read_bytes() == was


def test_copies_are_kept_as_private_as_the_file_and_none_is_written_over(
    tmp_path: Path,
) -> None:
    file = tmp_path / "config.json"
    for number in (1, 2, 3):
        file.write_text(f'{{"turn": {number}}}', "utf-8")
        file.chmod(0o600)
        connect(file, DESKTOP.form, NAME, ENTRY)
        connect(file, DESKTOP.form, NAME, ENTRY)

    copies = sorted(tmp_path.glob("*before-glassmind*"))
    assert [json.loads(copy.read_bytes())["turn"] for copy in copies] == [1, 2, 3]
    assert {stat.S_IMODE(copy.stat().st_mode) for copy in copies} == {0o600}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_link_is_written_through_and_one_to_nowhere_is_refused(
    tmp_path: Path,
) -> None:
    real, link = tmp_path / "dotfiles.json", tmp_path / "config.json"
    real.write_text("{}", "utf-8")
    real.chmod(0o640)
    link.symlink_to(real)
    lost = tmp_path / "lost.json"
    lost.symlink_to(tmp_path / "nowhere.json")

    connect(link, DESKTOP.form, NAME, ENTRY)

    assert link.is_symlink()
    assert json.loads(real.read_bytes()) == {"mcpServers": {NAME: ENTRY}}
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    with pytest.raises(BadConfigFile, match="leads nowhere"):
        connect(lost, DESKTOP.form, NAME, ENTRY)
    assert not (tmp_path / "nowhere.json").exists()
    with pytest.raises(BadConfigFile, match="not a file"):
        connect(tmp_path, DESKTOP.form, NAME, ENTRY)


def test_a_file_that_is_not_ours_to_write_or_changes_meanwhile_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.json"
    file.write_text("{}", "utf-8")
    file.chmod(0o400)

    with pytest.raises(ConfigUnwritable, match="may not write"):
        connect(file, DESKTOP.form, NAME, ENTRY)

    file.chmod(0o600)
    with monkeypatch.context() as another:
        another.setattr("os.geteuid", lambda: 4242)
        with pytest.raises(ConfigUnwritable, match="may not write"):
            connect(file, DESKTOP.form, NAME, ENTRY)
    kept = joining._kept

    def meanwhile(place: Path) -> Path:
        place.write_text('{"theirs": 1}', "utf-8")
        return kept(place)

    monkeypatch.setattr(joining, "_kept", meanwhile)
    with pytest.raises(ConfigUnwritable, match="just now"):
        connect(file, DESKTOP.form, NAME, ENTRY)
    assert file.read_text("utf-8") == '{"theirs": 1}'


def test_a_disk_that_is_full_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.json"
    file.write_text('{"theirs": 1}', "utf-8")

    def full(_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("os.fsync", full)
        with pytest.raises(ConfigUnwritable, match="No space left"):
            connect(file, DESKTOP.form, NAME, ENTRY)

    assert file.read_text("utf-8") == '{"theirs": 1}'
    assert [*tmp_path.glob("*.tmp")] == []
    done = connect(file, DESKTOP.form, NAME, ENTRY)
    assert done.backup is not None
    assert done.backup.read_text("utf-8") == '{"theirs": 1}'


def test_the_entry_starts_this_program_by_its_whole_path_with_what_was_asked_for(
    inside: Inside,
) -> None:
    flags = {"vault.path": str(inside.vault)}
    config = load_config(flags=flags, env=inside.env, cwd=inside.home)
    clients_of(config).add("Scribe", Scope())
    asked = ["--name", "work", "--client", "scribe", "--tools", "core, memory"]

    done = inside.run("connect", "claude-code", *asked)

    assert done.returncode == 0, done.stderr
    entry = json.loads((inside.home / ".claude.json").read_bytes())
    assert entry["mcpServers"]["work"] == {
        "type": "stdio",
        "command": str(Path(sysconfig.get_path("scripts"), "glassmind")),
        "args": [
            "mcp", "--vault", str(inside.vault), "--client", "Scribe",
            "--tools", "core,memory",
        ],
    }  # fmt: skip
    assert f"Connected Claude Code to {inside.vault}\n" in done.stdout
    assert "Next: restart Claude Code" in done.stdout
    assert "not passed on: GLASSMIND_EMBEDDINGS_BACKEND;" in done.stderr
    assert "is Claude Code installed?" in done.stderr


def test_printing_writes_nothing_and_names_the_file(inside: Inside) -> None:
    shown = inside.run("connect", "codex", "--print", CODEX_HOME=str(inside.home))
    told = inside.json("connect", "vscode", "--print")

    first, _, text = shown.stdout.partition("\n\n")
    assert first == f"In {inside.home / 'config.toml'}:"
    assert CODEX.form.servers(text)[NAME]["args"][:2] == ["mcp", "--vault"]
    assert told["state"] == "printed"
    assert told["file"].endswith("/Code/User/mcp.json")
    assert json.loads(told["text"]) == {"servers": {NAME: told["entry"]}}
    assert [*inside.home.iterdir()] == []


def test_both_commands_say_what_they_did_as_json(inside: Inside) -> None:
    file = inside.home / "list.json"
    file.write_text("{}", "utf-8")
    where = ["cursor", "--file", str(file)]

    made, again = inside.json("connect", *where), inside.json("connect", *where)
    gone, absent = inside.json("disconnect", *where), inside.json("disconnect", *where)

    copy = f"{file}.before-glassmind"
    assert (made["state"], made["backup"]) == ("connected", copy)
    assert (again["state"], again["backup"]) == ("unchanged", None)
    assert (gone["state"], gone["backup"]) == ("disconnected", f"{copy}-2")
    assert (absent["state"], absent["backup"]) == ("absent", None)
    assert json.loads(file.read_bytes()) == {"mcpServers": {}}


def test_what_cannot_be_is_refused_before_anything_is_written(inside: Inside) -> None:
    http = ["config", "set", "server.transport", "http"]
    refused = [
        inside.run("connect", "emacs"),
        inside.run("connect", "cursor", "--name", "my notes"),
        inside.run("connect", "cursor", "--file", str(inside.home / "no/list.json")),
        inside.run("connect", "cursor", "--tools", "core,none"),
        inside.run("connect", "cursor", "--client", "scribe"),
        inside.bare("connect", "cursor", "--vault", str(inside.home / "gone")),
        inside.bare("connect", "cursor"),
    ]

    assert [done.returncode for done in refused] == [2, 2, 2, 2, 2, 3, 2]
    assert [*inside.home.iterdir()] == []
    assert inside.run(*http).returncode == 0
    assert "would listen" in inside.run("connect", "cursor").stderr
