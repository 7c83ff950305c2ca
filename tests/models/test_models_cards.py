"""What is known of models, and which one the settings mean."""

import re
from pathlib import Path

import pytest
from model_harness import settings

from glassmind.config.load import load_config
from glassmind.errors import BadSetting, ModelAbsent, UnknownModel
from glassmind.models.cards import (
    BGE_MICRO,
    BGE_SMALL,
    CARDS,
    E5_SMALL,
    MINILM,
    PRESETS,
    RERANKER,
    WORDLLAMA,
    ModelCard,
    WheelSource,
    card_named,
    cards_for,
)
from glassmind.models.embedders import (
    cards_chosen,
    embedder_for,
    recipe_for,
    reranker_of,
)
from glassmind.models.files import models_folder

SHA256 = re.compile(r"[0-9a-f]{64}")


def test_every_name_means_one_model() -> None:
    names = [name.casefold() for card in CARDS for name in (card.id, *card.also)]

    assert len(names) == len(set(names))
    assert not set(names) & set(PRESETS)


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_every_source_names_a_place_for_each_file(card: ModelCard) -> None:
    for source in card.sources:
        assert len(source.paths) == len(card.files)
        if isinstance(source, WheelSource):
            assert SHA256.fullmatch(source.sha256)
        else:
            assert re.fullmatch(r"[0-9a-f]{40}", source.revision)
    for file in card.files:
        for known in card.accepted(file.name):
            assert SHA256.fullmatch(known.sha256)
            assert known.size_bytes


def test_a_model_is_found_by_the_name_it_has_on_the_hub() -> None:
    assert card_named("TaylorAI/bge-micro-v2") is BGE_MICRO
    assert card_named("sentence-transformers/all-minilm-l6-v2") is MINILM


def test_a_name_nobody_has_is_told_with_those_there_are() -> None:
    with pytest.raises(UnknownModel, match="english, english-quality"):
        cards_for("klingon")


@pytest.mark.parametrize(
    ("preset", "card"),
    [
        ("english", MINILM),
        ("english-quality", BGE_SMALL),
        ("balanced", BGE_SMALL),
        ("fastest", WORDLLAMA),
        ("multilingual", E5_SMALL),
    ],
)
def test_a_preset_means_a_model(tmp_path: Path, preset: str, card: ModelCard) -> None:
    assert cards_chosen(settings(tmp_path, preset=preset))[0] is card


def test_what_a_release_knows_of_a_model_is_a_part_of_how_it_makes_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = settings(tmp_path, preset="english-quality")
    before = recipe_for(config)
    wider = BGE_SMALL._replace(window=BGE_SMALL.window * 2)
    monkeypatch.setattr("glassmind.models.embedders.cards_for", lambda _: (wider,))

    assert recipe_for(config) != before
    assert recipe_for(settings(tmp_path, backend="none")) != before


@pytest.mark.parametrize(
    ("variables", "chosen"),
    [
        ({}, BGE_MICRO),
        ({"EMBEDDING_PRESET": "fastest"}, WORDLLAMA),
        ({"EMBEDDING_PRESET": "fastest", "EMBEDDING_MODEL": BGE_SMALL.id}, BGE_SMALL),
    ],
)
def test_a_models_variable_beats_a_presets_which_beats_a_file(
    tmp_path: Path, variables: dict[str, str], chosen: ModelCard
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f'[embeddings]\nmodel = "{BGE_MICRO.id}"\npreset = "balanced"\n')

    config = load_config(
        flags={}, env=variables, cwd=tmp_path, file=file, need_vault=False
    )

    assert cards_chosen(config)[0] is chosen


@pytest.mark.parametrize(
    "line", ['models_folder = "/elsewhere"', 'model = "/elsewhere"', 'api_key = "x"']
)
def test_a_vault_cannot_choose_a_folder_or_a_key_for_its_reader(
    tmp_path: Path, line: str
) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "glassmind.toml").write_text(f"[embeddings]\n{line}\n")

    config = load_config(flags={}, env={"HOME": str(tmp_path / "h")}, cwd=tmp_path)

    chosen = config.embeddings
    assert (chosen.models_folder, chosen.model, chosen.api_key) == ("", "", "")
    assert any(line.split(maxsplit=1)[0] in warning for warning in config.warnings)


def test_a_key_is_not_told_with_the_settings(tmp_path: Path) -> None:
    config = settings(tmp_path, api_key="sk-secret")

    assert "sk-secret" not in repr(config) + repr(config.embeddings)


def test_models_lie_in_the_users_folder_unless_another_is_named(tmp_path: Path) -> None:
    usual = models_folder(settings(tmp_path))
    named = models_folder(settings(tmp_path, models_folder=str(tmp_path / "m")))

    assert usual.parts[-2:] == ("glassmind", "models")
    assert named == tmp_path / "m"


def test_a_folder_for_models_is_never_relative(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="models_folder"):
        models_folder(settings(tmp_path, models_folder="here"))


def test_a_model_that_is_not_here_is_told_with_what_to_run(tmp_path: Path) -> None:
    config = settings(tmp_path, models_folder=str(tmp_path))

    with pytest.raises(ModelAbsent, match="glassmind models fetch all-minilm-l6-v2"):
        embedder_for(config)
    with pytest.raises(ModelAbsent, match="glassmind models fetch ms-marco"):
        reranker_of(models_folder(config))


def test_a_folder_without_a_model_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(ModelAbsent, match=r"no model\.onnx"):
        embedder_for(settings(tmp_path, model=str(tmp_path)))


def test_nothing_embeds_where_the_settings_say_so(tmp_path: Path) -> None:
    assert embedder_for(settings(tmp_path, backend="none")) is None


def test_smart_connections_means_the_model_it_embeds_with(tmp_path: Path) -> None:
    assert cards_chosen(settings(tmp_path, backend="smart-connections")) == (BGE_MICRO,)


def test_a_reranker_is_no_model_to_embed_with() -> None:
    with pytest.raises(UnknownModel) as error:
        cards_for(RERANKER.id)

    assert RERANKER.id not in error.value.known
