"""Configuration files written and changed, without harm to what a person wrote."""

import os
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest
from config_harness import Harness
from hypothesis import given
from hypothesis import strategies as st

from glassmind.config.settings import SETTINGS, settings_in_force
from glassmind.config.sources import as_toml
from glassmind.config.write import commented_file, set_keys, write_config
from glassmind.errors import BadConfigFile, BadSetting, ConfigUnwritable

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUE = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXT,
    st.lists(TEXT),
)


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    return Harness(tmp_path)


def write_new(harness: Harness, *, in_vault: bool = False) -> Path:
    file = (harness.vault if in_vault else harness.settings) / "glassmind.toml"
    write_config(file, harness.vault, in_vault=in_vault)
    return file


@given(VALUE)
def test_every_value_comes_back_from_toml(value: object) -> None:
    assert tomllib.loads(f"x = {as_toml(value)}")["x"] == value


def test_a_new_file_sets_the_vault_and_explains_the_rest(harness: Harness) -> None:
    file = write_new(harness)

    text = file.read_text("utf-8")
    assert file == harness.settings / "glassmind.toml"
    assert tomllib.loads(text)["vault"] == {"path": str(harness.vault)}
    for path, key in SETTINGS.items():
        assert key.description in text, path
    config = harness.load(cwd=harness.home)
    assert config.vault.path == harness.vault
    assert config.warnings == ()


def test_the_defaults_shown_in_a_new_file_are_the_defaults(harness: Harness) -> None:
    shown = commented_file(str(harness.vault))
    active = "\n".join(
        line[1:] if line.startswith("#") and not line.startswith("# ") else line
        for line in shown.splitlines()
    )
    before = harness.load()

    harness.user_says(active)

    after = harness.load()
    assert [found[:2] for found in settings_in_force(after)] == [
        found[:2] for found in settings_in_force(before)
    ]
    assert after.warnings == ()


def test_a_file_in_the_vault_may_move_with_it(harness: Harness) -> None:
    file = write_new(harness, in_vault=True)

    assert file == harness.vault / "glassmind.toml"
    assert tomllib.loads(file.read_text())["vault"] == {"path": "."}
    assert harness.load().warnings == ()


def test_a_users_file_is_for_the_user_alone(harness: Harness) -> None:
    file = write_new(harness)

    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file_and_no_litter(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file = harness.user_says("[search]\nlimit = 2\n")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, name, full)
    with pytest.raises(ConfigUnwritable, match="No space left"):
        set_keys(file, {"search.limit": "3"})

    assert file.read_text() == "[search]\nlimit = 2\n"
    assert [entry.name for entry in harness.settings.iterdir()] == ["glassmind.toml"]


def test_setting_a_key_keeps_every_other_byte(harness: Harness) -> None:
    file = harness.user_says(
        "# top\n[search]  # how\nlimit = 2   # few\n# later\n\n[server]\nport=1\n"
    )

    set_keys(file, {"search.limit": "30"})

    assert file.read_text() == (
        "# top\n[search]  # how\nlimit = 30   # few\n# later\n\n[server]\nport=1\n"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "[search]\nlimit = 5\n"),
        ("[server]\nport = 1\n", "[server]\nport = 1\n\n[search]\nlimit = 5\n"),
        ("[search]\n#limit = 10\n", "[search]\nlimit = 5\n"),
        ("[search]\n# limit = 10\nx = 1\n", "[search]\nlimit = 5\nx = 1\n"),
        ("[search]\n\n[server]\n", "[search]\nlimit = 5\n\n[server]\n"),
        ("search.limit = 3\n", "search.limit = 5\n"),
        ("[search]\r\nlimit = 3\r\n", "[search]\r\nlimit = 5\r\n"),
        ("[search]\nlimit = 3", "[search]\nlimit = 5"),
        ('x = "#limit = 1"\n[search]\n', 'x = "#limit = 1"\n[search]\nlimit = 5\n'),
    ],
)
def test_a_key_is_set_where_a_person_would_look_for_it(
    harness: Harness, before: str, after: str
) -> None:
    file = harness.settings / "glassmind.toml"
    file.write_bytes(before.encode())

    set_keys(file, {"search.limit": 5})

    assert file.read_bytes().decode() == after


def test_a_value_over_many_lines_is_replaced_whole(harness: Harness) -> None:
    file = harness.user_says(
        '[index]\nignore_dirs = [\n  "a", # why\n  "b",\n]\nlocation = "data"\n'
    )

    set_keys(file, {"index.ignore_dirs": "x,y"})

    assert file.read_text() == (
        '[index]\nignore_dirs = ["x", "y"]\nlocation = "data"\n'
    )


def test_a_setting_in_an_inline_table_is_changed_in_place(harness: Harness) -> None:
    file = harness.user_says("search = {limit = 3} # mine\n")

    set_keys(file, {"search.limit": 5})

    assert file.read_text() == "search = {limit = 5} # mine\n"


@pytest.mark.parametrize("text", ["search = 3\n", "[[search]]\nlimit = 3\n"])
def test_a_section_that_is_not_a_table_is_left_to_the_user(
    harness: Harness, text: str
) -> None:
    file = harness.user_says(text)

    with pytest.raises(ConfigUnwritable, match="by hand"):
        set_keys(file, {"search.limit": 5})

    assert file.read_text() == text


CHANGES = st.sampled_from(
    [
        ("search", "limit", 7),
        ("search", "intent_model", 'a "quoted" \\ name'),
        ("search", "balance", 0.25),
        ("server", "hosts", ["notes.lan", "é"]),
        ("server", "port", 9),
        ("watch", "enabled", False),
    ]
)


@given(
    values=st.dictionaries(
        st.sampled_from(["limit", "fusion", "names", "intent_model"]), VALUE, max_size=3
    ),
    change=CHANGES,
    comment=st.text(st.characters(categories=["L", "N", "P", "Zs"]), max_size=10),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_setting_one_value_changes_nothing_else(
    tmp_path_factory: pytest.TempPathFactory,
    values: dict[str, Any],
    change: tuple[str, str, Any],
    comment: str,
    end: str,
) -> None:
    section, name, value = change
    lines = [f"{key} = {as_toml(each)} # {comment}" for key, each in values.items()]
    lines = ["# head", "[search]", *lines, "", "[server]", "port = 1", ""]
    file = tmp_path_factory.getbasetemp() / "changed.toml"
    file.write_text("\n".join(lines), "utf-8", newline=end)

    set_keys(file, {f"{section}.{name}": value})

    expected: dict[str, dict[str, Any]] = {"search": values, "server": {"port": 1}}
    expected = {**expected, section: {**expected.get(section, {}), name: value}}
    changed = file.read_bytes().decode("utf-8")
    assert tomllib.loads(changed) == expected
    kept = [line for line in lines if line and not line.startswith(f"{name} = ")]
    assert [line for line in changed.split(end) if line in kept] == kept
    assert end == "\r\n" or "\r\n" not in changed


def test_a_wrong_value_or_key_is_not_written(harness: Harness) -> None:
    file = harness.user_says("")
    for path, raw in (
        ("search.limit", "many"),
        ("search.limt", "3"),
    ):
        with pytest.raises(BadSetting):
            set_keys(file, {path: raw})

    assert file.read_text() == ""


def test_a_file_that_does_not_fit_can_be_mended_one_key_at_a_time(
    harness: Harness,
) -> None:
    file = harness.user_says(
        "[index]\nchunk_overlap_tokens = 900\n[search]\nlimit = 0\n"
    )

    set_keys(file, {"search.limit": "3"})
    set_keys(file, {"index.chunk_overlap_tokens": "9"})

    assert harness.load().index.chunk_overlap_tokens == 9


def test_a_broken_file_is_not_touched(harness: Harness) -> None:
    file = harness.user_says("[search\n")

    with pytest.raises(BadConfigFile):
        set_keys(file, {"search.limit": "3"})

    assert file.read_text() == "[search\n"


def test_no_agent_folder_is_written_as_false(harness: Harness) -> None:
    file = harness.user_says("")

    set_keys(file, {"writes.agent_dir": "false"})

    assert file.read_text() == "[writes]\nagent_dir = false\n"


def test_a_linked_file_stays_a_link(harness: Harness) -> None:
    real = harness.home / "dotfiles.toml"
    real.write_text("[search]\nlimit = 2\n")
    real.chmod(0o640)
    link = harness.settings / "glassmind.toml"
    link.symlink_to(real)

    set_keys(link, {"search.limit": "3"})

    assert link.is_symlink()
    assert real.read_text() == "[search]\nlimit = 3\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_password_in_a_url_is_not_shown(harness: Harness) -> None:
    config = harness.load(GLASSMIND_HINDSIGHT_URL="http://me:hunter2@localhost:1/x")

    shown = {key: value for key, value, _ in settings_in_force(config)}

    assert config.hindsight.url == "http://me:hunter2@localhost:1/x"
    assert shown["hindsight.url"] == "http://(hidden)@localhost:1/x"


def test_all_settings_are_shown_with_their_origin(harness: Harness) -> None:
    shown = list(settings_in_force(harness.load(GLASSMIND_SEARCH_LIMIT="3")))

    assert [key for key, _, _ in shown] == list(SETTINGS)
    assert ("search.limit", 3, "GLASSMIND_SEARCH_LIMIT") in shown
    assert ("vault.path", str(harness.vault), "the current folder") in shown


def test_an_agent_folder_that_is_not_written_shows_as_false(harness: Harness) -> None:
    file = harness.user_says("[writes]\nagent_dir = false\n")

    shown = list(settings_in_force(harness.load()))

    assert ("writes.agent_dir", False, f"user file {file}:2") in shown


def test_without_a_vault_the_rest_is_shown(harness: Harness) -> None:
    shown = list(settings_in_force(harness.load(cwd=harness.home, need_vault=False)))

    assert [key for key, _, _ in shown] == [
        key for key in SETTINGS if key != "vault.path"
    ]


def test_nothing_is_written_through_a_link_in_a_vault(harness: Harness) -> None:
    mine = harness.home / "mine.toml"
    mine.write_text("mine = 1\n", "utf-8")
    file = harness.vault / "glassmind.toml"
    file.symlink_to(mine)

    with pytest.raises(ConfigUnwritable, match="symbolic link"):
        set_keys(file, {"search.limit": "3"}, in_vault=True)
    with pytest.raises(ConfigUnwritable, match="symbolic link"):
        write_new(harness, in_vault=True)

    assert mine.read_text("utf-8") == "mine = 1\n"
