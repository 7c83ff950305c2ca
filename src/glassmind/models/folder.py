"""A model in a folder of the user's own, known by its weights or by what lies there."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from glassmind.errors import ModelAbsent
from glassmind.models.cards import CARDS, ModelCard, ModelFile, Pooling
from glassmind.models.checksum import sha256_of
from glassmind.models.families import prefixes_for

WEIGHTS = (
    "model.onnx",
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
    "onnx/model.onnx",
)
"""Where the weights lie in the folders that tools make, the first that is there."""

USUAL_WIDTH, USUAL_TOKENS = 384, 512


class LocalModel(NamedTuple):
    """The card of a folder, and the sha256 of its weights."""

    card: ModelCard
    sha256: str


def names_folder(name: str) -> bool:
    """Whether the name of a model is that of a folder."""
    return name.startswith(("/", "~", ".", "\\")) or ":\\" in name or ":/" in name


def model_in(folder: Path) -> LocalModel:
    """Return what is known of the model in a folder.

    Weights we know have our card. Of others the width, pooling and length are read from
    the files that come with models, and the prefixes go by the folder's name.

    Raises:
        ModelAbsent: no model is there.
    """
    weights = next((name for name in WEIGHTS if (folder / name).is_file()), None)
    if weights is None or not (folder / "tokenizer.json").is_file():
        wanted = f"there is no {WEIGHTS[0]} with a tokenizer.json in it"
        raise ModelAbsent(str(folder), wanted)
    digest = sha256_of(folder / weights)
    files = (ModelFile(weights, 0, digest), ModelFile("tokenizer.json"))
    for card in CARDS:
        if card.files and card.weights.sha256 == digest:
            return LocalModel(card._replace(files=files), digest)
    return LocalModel(_described(folder)._replace(files=files), digest)


def _described(folder: Path) -> ModelCard:
    made = _read(folder / "config.json")
    pooled = _read(folder / "1_Pooling" / "config.json")
    pooling: Pooling = "cls" if pooled.get("pooling_mode_cls_token") is True else "mean"
    prefixes = prefixes_for(folder.name)
    longest = _count(made.get("max_position_embeddings"), USUAL_TOKENS)
    card = ModelCard(
        folder.name,
        "a folder of yours",
        "unknown",
        _count(made.get("hidden_size"), USUAL_WIDTH),
        pooling=pooling,
        query_prefix=prefixes.query,
        passage_prefix=prefixes.passage,
        max_tokens=min(longest, USUAL_TOKENS),
    )
    return card._replace(window=min(card.window, card.max_tokens))


def _count(found: object, usual: int) -> int:
    return found if isinstance(found, int) and found > 0 else usual


def _read(file: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
