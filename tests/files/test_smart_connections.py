"""Vectors of Smart Connections: the last line wins, stale ones do not count."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fault_tools.harness import fingerprint
from semantic_harness import LONG, MeaningHarness, WordModel
from vault_harness import NOON

from glassmind.errors import ModelAbsent
from glassmind.files.smart_connections import (
    LARGEST_BYTES,
    MODEL,
    SPACE,
    WIDTH,
    SmartConnections,
)
from glassmind.model import NotePath
from glassmind.model.vectors import Unembedded
from glassmind.vault import Vault

LATER_MS = (NOON + 1_000_000) * 1000


def axis(number: int) -> list[float]:
    """Return a vector that is easily told from others."""
    return [2.0 if place == number else 0.0 for place in range(WIDTH)]


def item(vector: list[Any] | None, **more: Any) -> dict[str, Any]:
    made = {"embeddings": {MODEL: {"vec": vector}}, "last_embed": {"at": LATER_MS}}
    return {**made, **more}


def line(key: str, value: object) -> str:
    return f"{json.dumps(key)}: {json.dumps(value)},"


def write_lines(
    root: Path, *lines: str, name: str = "Tea_md", folder: str = ".smart-env/multi"
) -> Path:
    file = root / folder / f"{name}.ajson"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(["", *lines]), "utf-8")
    return file


def chunk(first: int = 1, last: int = 10, path: str = "Tea.md") -> Unembedded:
    return Unembedded(
        1, 1, NotePath(path), NOON * 10**9, "Tea", (), first, last, "text"
    )  # fmt: skip


def axes(rows: bytes | None) -> list[int]:
    """Return which vectors of `axis` the rows are, all of unit length."""
    assert rows is not None
    found = np.frombuffer(rows, "<f4").reshape(-1, WIDTH)
    assert np.allclose(np.linalg.norm(found, axis=1), 1)
    return [int(place) for place in found.argmax(axis=1)]


def test_a_chunk_takes_the_blocks_that_overlap_it_the_tightest_first(
    tmp_path: Path,
) -> None:
    write_lines(
        tmp_path,
        line("smart_sources:Tea.md", item(axis(0))),
        line("smart_blocks:Tea.md#A", item(axis(1), lines=[1, 20], path=None)),
        line("smart_blocks:Tea.md#A#{1}", item(axis(2), lines=[3, 6])),
        line("smart_blocks:Tea.md#B", item(axis(3), lines=[21, 30])),
    )
    given = SmartConnections(tmp_path)

    assert axes(given.rows_for(chunk(1, 6))) == [2, 1]
    assert axes(given.rows_for(chunk(21, 22))) == [3]
    assert axes(given.rows_for(chunk(40, 50))) == [0]
    assert given.rows_for(chunk(path="Other.md")) is None
    assert given.remarks() == []


def test_the_last_line_wins_and_null_takes_an_item_away(tmp_path: Path) -> None:
    write_lines(
        tmp_path,
        line("smart_sources:Tea.md", item(axis(0))),
        line("smart_sources:Tea.md", item(axis(5))),
        line("smart_sources:Oak.md", item(axis(1)))
        + line("smart_sources:Oak.md", None),
    )
    given = SmartConnections(tmp_path)

    assert axes(given.rows_for(chunk())) == [5]
    assert given.rows_for(chunk(path="Oak.md")) is None


def test_the_folder_of_older_releases_is_read_and_the_newer_one_wins(
    tmp_path: Path,
) -> None:
    old = ".smart-connections"
    write_lines(tmp_path, line("smart_sources:Old.md", item(axis(1))), folder=old)
    write_lines(
        tmp_path,
        line("SmartSource:Tea.md", item(axis(2))),
        line("smart_sources:Tea.md", item(axis(2))),
        folder=old,
        name="b",
    )
    write_lines(tmp_path, line("smart_sources:Tea.md", item(axis(3))))
    given = SmartConnections(tmp_path)

    assert axes(given.rows_for(chunk(path="Old.md"))) == [1]
    assert axes(given.rows_for(chunk())) == [3]


@pytest.mark.parametrize(
    ("times", "fresh"),
    [
        ({"last_embed": {"at": NOON * 1000}}, True),
        ({"last_embed": {"at": NOON * 1000 - 1}}, False),
        ({"last_embed": {}, "last_import": {"mtime": NOON * 1000}}, True),
        ({"last_embed": None, "last_import": {"mtime": NOON * 1000 - 1}}, False),
        ({"last_embed": None}, False),
    ],
)
def test_what_was_embedded_before_the_note_last_changed_is_stale(
    tmp_path: Path, times: dict[str, Any], fresh: bool
) -> None:
    write_lines(tmp_path, line("smart_sources:Tea.md", item(axis(0), **times)))
    given = SmartConnections(tmp_path)

    assert (given.rows_for(chunk()) is not None) is fresh
    assert given.stale == (not fresh)


@pytest.mark.parametrize(
    "vector",
    [None, [], [1.0], [0.0] * WIDTH, ["x"] * WIDTH, [True] * WIDTH, [1e300] * WIDTH],
)
def test_what_is_no_vector_of_the_model_is_left_out(
    tmp_path: Path, vector: list[Any] | None
) -> None:
    write_lines(tmp_path, line("smart_sources:Tea.md", item(vector)))

    assert SmartConnections(tmp_path).rows_for(chunk()) is None


def test_lines_that_cannot_be_read_are_skipped_and_counted(tmp_path: Path) -> None:
    write_lines(
        tmp_path,
        "no json at all",
        '"smart_sources:Oak.md": {"embeddings": ',
        '"half": ',
        "[" * 100_000,
        '"smart_sources:Rain.md": 7,',
        line("smart_blocks:Tea.md#A", item(axis(1), lines=["a", None])),
        line("smart_sources:Tea.md", item(axis(4))),
    )
    given = SmartConnections(tmp_path)

    assert axes(given.rows_for(chunk())) == [4]
    assert given.malformed == 4
    assert given.remarks() == ["4 lines of Smart Connections could not be read"]


def test_files_too_large_and_links_out_of_the_vault_are_not_read(
    tmp_path: Path,
) -> None:
    root, outside = tmp_path / "Notes", tmp_path / "outside"
    secret = write_lines(outside, line("smart_sources:Tea.md", item(axis(0))))
    huge = write_lines(root, name="huge")
    os.truncate(huge, LARGEST_BYTES + 1)
    (root / ".smart-env/multi/link.ajson").symlink_to(secret)
    given = SmartConnections(root)

    assert given.rows_for(chunk()) is None
    assert given.unread == 2


def test_a_vault_without_the_plugin_gives_nothing(tmp_path: Path) -> None:
    given = SmartConnections(tmp_path)

    assert given.rows_for(chunk()) is None
    assert given.state == "0:0:0"


class PluginModel(WordModel):
    """What embeds as the plugin does, for what it has not embedded."""

    def __init__(self) -> None:
        super().__init__("bge-micro", WIDTH)


@pytest.fixture
def plugin(meaning: MeaningHarness) -> MeaningHarness:
    meaning.use(PluginModel())
    meaning.open(embeddings__backend="smart-connections")
    return meaning


def test_given_vectors_are_used_and_only_the_rest_is_embedded(
    plugin: MeaningHarness,
) -> None:
    plugin.write({"Tea.md": LONG.format("oolong"), "Oak.md": LONG.format("oak")})
    write_lines(plugin.root, line("smart_sources:Tea.md", item(axis(7))))
    before = fingerprint(plugin.root)

    report = plugin.index()

    assert (report.embedded, report.reused, report.left) == (1, 1, 0)
    assert plugin.rows("select name, width from spaces") == [(SPACE, WIDTH)]
    assert [part.context for part in plugin.model.seen] == ["Oak"]
    assert fingerprint(plugin.root) == before
    plugin.check_level()


def test_a_stale_vector_is_made_anew_by_the_same_model(plugin: MeaningHarness) -> None:
    plugin.write({"Tea.md": LONG.format("oolong")})
    stale = item(axis(7), last_embed={"at": 1000})
    write_lines(plugin.root, line("smart_sources:Tea.md", stale))

    report = plugin.index()

    assert (report.embedded, report.left) == (1, 0)
    assert report.warnings == ("1 passage changed after Smart Connections embedded",)


def test_without_the_model_only_given_vectors_are_there(
    plugin: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(_: Vault) -> WordModel:
        raise ModelAbsent("bge-micro-v2")

    monkeypatch.setattr(Vault, "embedder", absent)
    plugin.write({"Tea.md": LONG.format("oolong"), "Oak.md": LONG.format("oak")})
    write_lines(plugin.root, line("smart_sources:Tea.md", item(axis(7))))

    report = plugin.index()

    assert (report.embedded, report.reused, report.left) == (0, 1, 1)
    assert "only what Smart Connections has embedded is used" in report.warnings[0]
    assert plugin.covered() == ["Tea.md"]
    write_lines(plugin.root, line("smart_sources:Oak.md", item(axis(8))), name="Oak")
    assert plugin.index().left == 0
