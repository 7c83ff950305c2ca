"""Where indexes stand, and which vaults Obsidian knows."""

import json
import sys
from pathlib import Path

import pytest
from config_harness import Harness
from hypothesis import given
from hypothesis import strategies as st

from glassmind.config import config_for
from glassmind.config.places import config_home, index_home
from glassmind.errors import BadSetting
from glassmind.files.vaults import known_vaults
from glassmind.store.place import index_locations, index_name

linux_only = pytest.mark.skipif(
    sys.platform in {"win32", "darwin"}, reason="folders of the XDG specification"
)


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    return Harness(tmp_path)


@linux_only
def test_the_users_folders_are_those_of_the_xdg_specification() -> None:
    env = {"HOME": "/home/ada"}
    assert config_home(env) == Path("/home/ada/.config/glassmind")
    assert index_home(env) == Path("/home/ada/.local/share/glassmind")

    env |= {"XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "not/absolute"}
    assert config_home(env) == Path("/c/glassmind")
    assert index_home(env) == Path("/home/ada/.local/share/glassmind")


@linux_only
def test_the_users_folders_are_those_of_platformdirs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    platformdirs = pytest.importorskip("platformdirs")
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)

    env = {"HOME": "/home/ada"}

    assert config_home(env) == Path(platformdirs.user_config_dir("glassmind"))
    assert index_home(env) == Path(platformdirs.user_data_dir("glassmind"))


def test_vaults_of_one_name_have_indexes_of_their_own(tmp_path: Path) -> None:
    first, second = tmp_path / "a" / "Notes", tmp_path / "b" / "Notes"

    assert index_name(first) != index_name(second)
    assert index_name(first).startswith("Notes-")
    assert index_name(first) == index_name(first)


NAMES = st.characters(exclude_characters="/\0", exclude_categories=["Cs"])


@given(st.text(NAMES, min_size=1, max_size=80))
def test_any_vault_name_makes_a_plain_folder_name(name: str) -> None:
    made = index_name(Path("/vaults") / name)

    letters, _, digest = made.rpartition("-")
    assert all(c.isalnum() or c in "-_" for c in letters)
    assert letters
    assert len(digest) == 8
    assert len(made.encode("utf-8", "surrogatepass")) < 200


def test_the_index_is_tried_in_the_configured_place_first(harness: Harness) -> None:
    outside = index_home({}) / index_name(harness.vault)
    cache = harness.vault / ".agent/cache"
    plugin = harness.vault / ".obsidian/plugins/glassmind"
    elsewhere = harness.home / "indexes"

    def places(location: str) -> list[Path]:
        return index_locations(config_for(harness.vault, {"index.location": location}))

    assert places("data") == [outside]
    assert places("vault") == [cache, outside]
    assert places("plugin") == [plugin, outside]
    assert places(str(elsewhere)) == [elsewhere / index_name(harness.vault), outside]


def test_the_cache_follows_the_agent_folder(harness: Harness) -> None:
    flags = {"writes.agent_dir": "Meta/robot", "index.location": "vault"}

    first, *_ = index_locations(config_for(harness.vault, flags))

    assert first == harness.vault / "Meta/robot/cache"


@linux_only
@pytest.mark.parametrize(
    "folder",
    [
        ".config/obsidian",
        ".var/app/md.obsidian.Obsidian/config/obsidian",
        "snap/obsidian/current/.config/obsidian",
    ],
)
def test_vaults_are_found_where_obsidian_keeps_its_list(
    harness: Harness, folder: str
) -> None:
    other = harness.home / "Other"
    other.mkdir()
    vaults = {
        "0123456789abcdef": {"path": str(other), "ts": 5},
        "fedcba9876543210": {"path": str(harness.vault), "ts": 3, "open": True},
        "gone": {"path": str(harness.home / "gone"), "ts": 9},
    }
    registry = harness.home / folder / "obsidian.json"
    registry.parent.mkdir(parents=True)
    registry.write_text(json.dumps({"vaults": vaults}))

    first, second = known_vaults({"HOME": str(harness.home)})

    assert (first.path, first.name, first.open) == (harness.vault, "Notes", True)
    assert (second.id, second.name, second.open) == ("0123456789abcdef", "Other", False)


@linux_only
@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"vaults": []}',
        '{"vaults": {"a": 1, "b": {"path": 3}, "c": {"path": "relative"}}}',
        '{"vaults": {"a": {"path": "/\\u0000"}}}',
        "[" * 100_000,
        "\udcff",
    ],
)
def test_a_broken_list_of_vaults_counts_as_empty(harness: Harness, text: str) -> None:
    registry = harness.home / ".config/obsidian/obsidian.json"
    registry.parent.mkdir(parents=True)
    registry.write_text(text, "utf-8", "surrogateescape")

    assert known_vaults({"HOME": str(harness.home)}) == []


def test_without_obsidian_no_vault_is_known(harness: Harness) -> None:
    assert known_vaults({"HOME": str(harness.home)}) == []


@pytest.mark.parametrize(
    ("place", "link"),
    [("vault", ".agent/cache"), ("plugin", ".obsidian/plugins/glassmind")],
)
def test_an_index_in_the_vault_is_refused_where_a_link_leads_out_of_it(
    tmp_path: Path, place: str, link: str
) -> None:
    vault, outside = tmp_path / "Notes", tmp_path / "outside"
    outside.mkdir()
    (vault / link).parent.mkdir(parents=True)
    (vault / link).symlink_to(outside, target_is_directory=True)

    with pytest.raises(BadSetting, match="out of the vault"):
        index_locations(config_for(vault, {"index.location": place}))

    assert all(
        outside not in (found, found.resolve())
        for found in index_locations(config_for(vault))
    )
