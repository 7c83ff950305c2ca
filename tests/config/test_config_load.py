"""Which value wins, which vault is meant, what is said about mistakes."""

import os
from pathlib import Path
from typing import Any

import pytest
from config_harness import Harness

from glassmind.config import config_for, load_config
from glassmind.config.settings import SETTINGS
from glassmind.config.write import set_keys
from glassmind.errors import BadConfigFile, BadSetting, NoVault, VaultAbsent


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    return Harness(tmp_path)


def test_without_files_every_setting_has_its_default(harness: Harness) -> None:
    config = harness.load()

    assert config.index.chunk_target_tokens == 500
    assert config.index.ignore_dirs == (".git", ".obsidian", ".trash", "node_modules")
    assert config.search.semantic_weight == 0.55
    assert config.server.host == "127.0.0.1"
    assert config.watch.enabled
    assert config.vault.name == "Notes"
    assert config.warnings == ()
    assert config.files == ()


def test_a_flag_beats_a_variable_beats_the_vault_beats_the_user(
    harness: Harness,
) -> None:
    harness.user_says("[search]\nlimit = 6\n")
    assert harness.load().search.limit == 6

    harness.vault_says("[search]\nlimit = 3\n")
    assert harness.load().search.limit == 3

    assert harness.load(GLASSMIND_SEARCH_LIMIT="4").search.limit == 4
    flags = {"search.limit": 5}
    assert harness.load(flags=flags, GLASSMIND_SEARCH_LIMIT="4").search.limit == 5


def test_each_value_remembers_where_it_came_from(harness: Harness) -> None:
    file = harness.user_says("[search]\n\nlimit = 2\n")

    config = harness.load(
        flags={"vault.path": str(harness.vault)}, GLASSMIND_SERVER_PORT="7000"
    )

    assert config.origins["search.limit"] == f"user file {file}:3"
    assert config.origins["server.port"] == "GLASSMIND_SERVER_PORT"
    assert config.origins["vault.path"] == "--vault"
    assert config.origins["watch.enabled"] == "default"
    assert config.files == (file,)


def test_a_flag_that_was_not_given_says_nothing(harness: Harness) -> None:
    assert harness.load(flags={"search.limit": None}).search.limit == 10


def test_an_unknown_flag_is_a_mistake_of_the_program(harness: Harness) -> None:
    with pytest.raises(BadSetting, match=r"did you mean search\.limit"):
        harness.load(flags={"search.limt": 3})


def test_the_vault_is_the_nearest_folder_that_looks_like_one(harness: Harness) -> None:
    deep = harness.vault / "a" / "b"
    deep.mkdir(parents=True)

    config = harness.load(cwd=deep)

    assert config.vault.path == harness.vault
    assert config.origins["vault.path"] == "the current folder"


@pytest.mark.parametrize("mark", [".agent", "glassmind.toml"])
def test_an_agent_folder_or_a_configuration_marks_a_vault(
    tmp_path: Path, mark: str
) -> None:
    vault = tmp_path / "Plain"
    vault.mkdir()
    (vault / mark).mkdir() if mark == ".agent" else (vault / mark).touch()

    config = load_config(flags={}, env={"HOME": str(tmp_path)}, cwd=vault)

    assert config.vault.path == vault


def test_the_users_own_configuration_folder_is_no_vault(harness: Harness) -> None:
    harness.user_says("")

    with pytest.raises(NoVault):
        harness.load(cwd=harness.settings)


def test_no_vault_at_all_names_what_to_do(harness: Harness) -> None:
    with pytest.raises(NoVault, match="--vault") as caught:
        harness.load(cwd=harness.home)

    assert "GLASSMIND_VAULT_PATH" in str(caught.value)


def test_a_configuration_can_be_had_without_a_vault(harness: Harness) -> None:
    config = harness.load(cwd=harness.home, need_vault=False)

    assert config.search.limit == 10
    assert "vault.path" not in config.origins
    with pytest.raises(NoVault):
        _ = config.vault.path


@pytest.mark.parametrize(
    "variable", ["GLASSMIND_VAULT_PATH", "VAULT_PATH", "KG_VAULT_PATH"]
)
def test_a_variable_names_the_vault(harness: Harness, variable: str) -> None:
    config = harness.load(cwd=harness.home, env={variable: str(harness.vault)})

    assert config.vault.path == harness.vault
    assert config.origins["vault.path"] == variable


def test_the_users_file_names_the_vault_from_where_it_stands(harness: Harness) -> None:
    harness.user_says('[vault]\npath = "../../../Notes"\n')

    assert harness.load(cwd=harness.home).vault.path == harness.vault


def test_a_vault_that_is_not_there_is_named_with_who_said_so(harness: Harness) -> None:
    with pytest.raises(VaultAbsent, match=r"nowhere.*VAULT_PATH"):
        harness.load(VAULT_PATH=str(harness.home / "nowhere"))


def test_a_link_to_a_vault_leads_to_the_vault(harness: Harness) -> None:
    link = harness.home / "link"
    link.symlink_to(harness.vault)

    assert harness.load(flags={"vault.path": link}).vault.path == harness.vault


def test_a_named_file_takes_the_place_of_the_users(harness: Harness) -> None:
    harness.user_says("[search]\nlimit = 7\n")
    other = harness.home / "other.toml"
    other.write_text("[search]\nlimit = 9\n")

    assert harness.load(GLASSMIND_CONFIG=str(other)).search.limit == 9
    with pytest.raises(BadConfigFile, match="No such file"):
        harness.load(GLASSMIND_CONFIG=str(harness.home / "absent.toml"))


def test_the_vaults_file_named_by_the_user_is_the_users(harness: Harness) -> None:
    file = harness.vault_says('[writes]\nmode = "allow"\n')

    config = harness.load(GLASSMIND_CONFIG=str(file))

    assert config.writes.mode == "allow"
    assert config.warnings == ()


def test_an_unknown_setting_is_named_with_the_nearest_one(harness: Harness) -> None:
    file = harness.user_says("[search]\nlimt = 3\n\n[serch]\nlimit = 3\n")

    config = harness.load()

    assert config.search.limit == 10
    assert config.warnings == (
        (
            f"user file {file}:2: search.limt is not a known setting; "
            "did you mean search.limit?"
        ),
        (
            f"user file {file}:5: serch.limit is not a known setting; "
            "did you mean search.limit?"
        ),
    )


def test_a_name_cannot_play_tricks_on_a_terminal(harness: Harness) -> None:
    harness.vault_says('["\\u001b[2J"]\nx = 1\n[search]\n"\\u001b]0;x" = 1\n')

    warnings = harness.load().warnings

    assert len(warnings) == 2
    assert all(sentence.isprintable() for sentence in warnings)


def test_a_user_file_that_may_not_be_read_is_named(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", closed)

    with pytest.raises(BadConfigFile, match="Permission denied"):
        harness.load()


def test_folders_above_that_do_not_let_us_look_are_no_vaults(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = os.stat

    def guarded(path: Any, *args: Any, **options: Any) -> os.stat_result:
        if Path(path).name in {".obsidian", ".agent"}:
            raise PermissionError(13, "Permission denied")
        return look(path, *args, **options)

    monkeypatch.setattr(os, "stat", guarded)

    with pytest.raises(NoVault):
        harness.load()


def test_a_key_outside_every_section_is_warned_about(harness: Harness) -> None:
    harness.user_says("limit = 3\n")

    assert "limit is not a known setting" in harness.load().warnings[0]


def test_an_unknown_variable_of_ours_is_named_with_the_nearest_one(
    harness: Harness,
) -> None:
    config = harness.load(GLASSMIND_SEARCH_LIMT="3", GLASSMIND_DEBUG="1")

    assert config.warnings == (
        (
            "GLASSMIND_SEARCH_LIMT is not a known variable; "
            "did you mean GLASSMIND_SEARCH_LIMIT?"
        ),
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[search]\nlimit = \n", 2),
        ("[search]\nlimit = 3\nlimit = 4\n", 3),
        ('[vault]\npath = "never closed\n', 2),
    ],
)
def test_bad_toml_is_named_with_file_and_line(
    harness: Harness, text: str, line: int
) -> None:
    file = harness.user_says(text)

    with pytest.raises(BadConfigFile) as caught:
        harness.load()

    assert caught.value.line == line
    assert f"{file}:{line}" in str(caught.value)


def test_a_file_that_is_not_text_is_named_with_its_line(harness: Harness) -> None:
    (harness.settings / "glassmind.toml").write_bytes(b"[search]\n# \xff\n")

    with pytest.raises(BadConfigFile, match=r":2 .*UTF-8"):
        harness.load()


def test_endless_nesting_is_a_bad_file_and_no_crash(harness: Harness) -> None:
    harness.user_says("x = " + "[" * 100_000)

    with pytest.raises(BadConfigFile):
        harness.load()


def test_a_byte_order_mark_and_crlf_are_nothing_special(harness: Harness) -> None:
    content = b"\xef\xbb\xbf[search]\r\nlimit = 3\r\n"
    (harness.settings / "glassmind.toml").write_bytes(content)

    config = harness.load()

    assert config.search.limit == 3
    assert config.origins["search.limit"].endswith(":2")


def test_the_name_of_a_preset_may_be_in_capitals(harness: Harness) -> None:
    harness.user_says('[embeddings]\npreset = "Multilingual"\n')

    assert harness.load().embeddings.preset == "multilingual"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "[search]\nlimit = 0\n",
            r":2\) must be a whole number from 1 to 10000 \(got 0\)",
        ),
        ('[search]\nlimit = "3"\n', r":2\) must be a whole number .* \(got '3'\)"),
        ("[search]\nlimit = true\n", "must be a whole number"),
        ("[search]\ntag_weight = -0.1\n", "must be a number from 0 to 1000"),
        ("[search]\ntag_weight = nan\n", "must be a number"),
        ('[search]\nfusion = "best"\n', "must be one of minmax, rrf"),
        ("[server]\nport = 70000\n", "must be a whole number from 1 to 65535"),
        ('[server]\nhost = ""\n', "must be an address"),
        ('[embeddings]\nurl = "ftp://here"\n', "must be an http"),
        ('[embeddings]\nurl = ""\n', "must be an http"),
        ('[embeddings]\nurl = "http://"\n', "must be an http"),
        ('[embeddings]\nurl = "http://localhost:99999"\n', "must be an http"),
        ('[index]\nignore_dirs = ".git"\n', "must be a list of names"),
        ("[index]\nignore_dirs = [1]\n", "must be a list of names"),
        ("[index]\nmax_note_bytes = 0\n", "must be a whole number from 1"),
        ('[index]\nlocation = "valt"\n', "must be data, vault, plugin or a folder"),
        ("[watch]\nenabled = 1\n", "must be true or false"),
        ('[writes]\nagent_dir = "../x"\n', "true, false or a folder inside the vault"),
        ('[writes]\nagent_dir = "/x"\n', "true, false or a folder inside the vault"),
        (
            '[writes]\nagent_dir = ".obsidian"\n',
            "true, false or a folder inside the vault",
        ),
        ('[writes]\nmode = "yes"\n', "must be one of off, agent-only"),
        ('[vault]\nname = "a\\nb"\n', "must be one line of text"),
    ],
)
def test_a_wrong_value_is_named_with_file_line_and_key(
    harness: Harness, text: str, problem: str
) -> None:
    file = harness.user_says(text)

    with pytest.raises(BadSetting, match=problem) as caught:
        harness.load()

    assert str(file) in str(caught.value)
    assert caught.value.key in SETTINGS


def test_the_example_of_the_design_document_is_understood(harness: Harness) -> None:
    harness.user_says(f"""
[vault]
path = "{harness.vault.as_posix()}"

[index]
include_agent_dir = true
ignore_dirs = [".git", ".obsidian", ".trash"]
chunk_target_tokens = 500
chunk_overlap_tokens = 80

[embeddings]
backend = "ollama"
model = "nomic-embed-text"
url = "http://localhost:11434"

[search]
semantic_weight = 0.55
keyword_weight = 0.25
recency_weight = 0.10
link_weight = 0.05
tag_weight = 0.05

[writes]
mode = "agent-only"
agent_dir = ".agent"

[server]
host = "127.0.0.1"
port = 7331
""")

    config = harness.load(cwd=harness.home)

    assert config.warnings == ()
    assert config.embeddings.model == "nomic-embed-text"
    assert config.writes.mode == "agent-only"
    assert config.writes.user_notes == "off"
    assert config.writes.agent_dir_writable


@pytest.mark.parametrize(
    ("text", "mode", "user_notes", "agent"),
    [
        ("", "propose", "propose", True),
        ('agent_dir = true\nuser_notes = "propose"', "propose", "propose", True),
        ('mode = "off"', "off", "off", False),
        ('mode = "off"\nuser_notes = "allow"', "off", "off", False),
        ('mode = "agent-only"', "agent-only", "off", True),
        ('mode = "agent-only"\nuser_notes = "propose"', "propose", "propose", True),
        ('user_notes = "off"', "agent-only", "off", True),
        ('agent_dir = false\nuser_notes = "off"', "off", "off", False),
        ("agent_dir = false", "propose", "propose", False),
        ('mode = "allow"', "allow", "allow", True),
        ('user_notes = "allow"', "allow", "allow", True),
    ],
)
def test_both_spellings_of_the_write_policy_mean_the_same(
    harness: Harness, text: str, mode: str, user_notes: str, agent: bool
) -> None:
    harness.user_says(f"[writes]\n{text}\n")

    writes = harness.load().writes

    assert (writes.mode, writes.user_notes) == (mode, user_notes)
    assert writes.agent_dir_writable is agent
    assert writes.agent_dir == ".agent"


def test_a_stronger_mode_beats_a_weaker_place_for_user_notes(harness: Harness) -> None:
    harness.user_says('[writes]\nuser_notes = "allow"\n')

    config = harness.load(GLASSMIND_WRITES_MODE="agent-only")

    assert config.writes.user_notes == "off"
    assert config.origins["writes.user_notes"] == "the rest of [writes]"


def test_a_configuration_cannot_be_changed(tmp_path: Path) -> None:
    config = config_for(tmp_path)

    with pytest.raises(AttributeError):
        config.search.limit = 3  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del config.vault
    assert config == config_for(tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("embeddings.api_key", "hunter2\nand more"),
        ("embeddings.url", "http://me:hunter2@localhost\t"),
        ("embeddings.url", "ftp://me:hunter2@localhost"),
    ],
)
def test_a_secret_that_cannot_be_used_is_not_repeated(
    harness: Harness, name: str, value: str
) -> None:
    with pytest.raises(BadSetting, match=f"{name} .* must be") as refused:
        config_for(harness.vault, {name: value})
    with pytest.raises(BadSetting, match=f"{name} .* must be") as unwritten:
        set_keys(harness.home / "glassmind.toml", {name: value})

    assert "hunter2" not in f"{refused.value} {unwritten.value}"


def test_a_configuration_for_tests_looks_at_no_file(harness: Harness) -> None:
    harness.vault_says("[search]\nlimit = 3\n")

    config = config_for(harness.vault, {"index.chunk_min_chars": 7})

    assert config.search.limit == 10
    assert config.index.chunk_min_chars == 7
    assert "hunter2" not in repr(
        config_for(harness.vault, {"hindsight.url": "http://me:hunter2@localhost"})
    )


@pytest.mark.parametrize("in_the_way", ["file", "folder"])
def test_without_a_usable_user_file_there_are_defaults(
    tmp_path: Path, in_the_way: str
) -> None:
    home = tmp_path / "home"
    if in_the_way == "file":
        home.write_text("not a folder")
    else:
        (home / "glassmind" / "glassmind.toml").mkdir(parents=True)
    env = {"XDG_CONFIG_HOME": str(home)}

    config = load_config(flags={}, env=env, cwd=tmp_path, need_vault=False)

    assert config.search.limit == 10
