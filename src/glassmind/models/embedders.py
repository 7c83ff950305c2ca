"""From the settings to the model that is meant."""

import json
from collections.abc import Iterator, Sequence
from math import sqrt
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from glassmind.config.settings import Config, Embeddings
from glassmind.errors import (
    ModelAbsent,
    ModelFailed,
    ModelFault,
    UnknownModel,
)
from glassmind.model.vectors import Embeddable
from glassmind.models.cards import (
    BGE_MICRO,
    RERANKER,
    WORDLLAMA,
    ModelCard,
    cards_for,
)
from glassmind.models.files import (
    check_files,
    is_here,
    is_installed,
    model_in,
    models_folder,
    names_folder,
)
from glassmind.models.vectors import VERSION, space_of

if TYPE_CHECKING:
    from glassmind.model.vectors import Matrix, Space, Vector
    from glassmind.models.onnx import CrossEncoder
    from glassmind.models.protocols import Embedder
    from glassmind.models.tokens import TokenCounter


QUESTION = "How often should tomato plants be watered?"
ANSWER = Embeddable("Garden", "Give your tomatoes water every morning in summer.")
STRANGER = Embeddable("Office", "The invoice for the new chairs was paid in March.")
"""A pair that belongs together, and a text that belongs to neither."""

NEARER = 0.05
"""How much nearer the pair must be; broken weights give about 0, models we know 0.2 up.
"""

CLOSE_TO_ONE = 1e-3


def self_test(embedder: "Embedder", model: str) -> None:
    """See that a model's vectors are sound and say something about meaning."""
    asked = embedder.query(QUESTION)
    answer, stranger = (rows[0] for rows in embedder.passages([ANSWER, STRANGER]))
    for vector in (asked, answer, stranger):
        if vector.shape != (embedder.width,):
            reason = f"{vector.size} numbers in place of {embedder.width}"
            raise ModelFailed(model, reason)
        length = sqrt(float(vector @ vector))
        if not abs(length - 1) < CLOSE_TO_ONE:
            raise ModelFailed(model, "its vectors are not of unit length")
    gain = float(asked @ answer) - float(asked @ stranger)
    if not gain > NEARER:
        reason = f"a question is no nearer to its answer than to others: {gain:.3f}"
        raise ModelFailed(model, reason)


class ChosenEmbedder:
    def __init__(self, inner: "Embedder", model: str) -> None:
        self.inner, self.model = inner, model
        self._passed = False

    @property
    def space(self) -> str:
        return self.inner.space

    @property
    def width(self) -> int:
        return self.inner.width

    def passages(self, parts: Sequence[Embeddable], /) -> "Iterator[Matrix]":
        if not self._passed:
            self_test(self.inner, self.model)
            self._passed = True
        yield from self.inner.passages(parts)

    def query(self, text: str, /) -> "Vector":
        return self.inner.query(text)

    def counter(self) -> "TokenCounter | None":
        """Return what counts tokens as the model does; None where only a server can."""
        return getattr(self.inner, "counter", None)


USUAL_PRESET = "english"


def embedder_for(config: Config) -> ChosenEmbedder | None:
    """Return what embeds under these settings; None where they say that nothing does.

    Nothing is loaded and nothing is fetched yet. Raises UnknownModel, ModelAbsent,
    ModelDamaged or RemoteRefused.
    """
    embeddings, home = config.embeddings, models_folder(config)
    if embeddings.backend == "none":
        return None
    if embeddings.backend in {"ollama", "openai"}:
        from glassmind.models.served import served_embedder  # noqa: PLC0415

        served = served_embedder(embeddings)
        return ChosenEmbedder(served, served.model)
    if names_folder(embeddings.model):
        folder = Path(embeddings.model).expanduser()
        card = model_in(folder)
        return ChosenEmbedder(_opened(card, folder, None), card.id)
    card = present(cards_chosen(config), home)
    return ChosenEmbedder(embedder_of(card, home), card.id)


def cards_chosen(config: Config) -> Sequence[ModelCard]:
    embeddings = config.embeddings
    if embeddings.backend == "smart-connections":
        return (BGE_MICRO,)
    name = embeddings.model or embeddings.preset
    if embeddings.backend == "static" and name == USUAL_PRESET:
        return (WORDLLAMA,)
    return cards_for(name)


def recipe_for(config: Config) -> str:
    """Return how this release makes vectors by these settings, without a look at them.

    Another release may know another card by the same name; what it makes then lies in
    another space, though no setting was changed. Of what cards do not tell, nothing.
    """
    embeddings = config.embeddings
    if embeddings.backend in {"none", "ollama", "openai"} or names_folder(
        embeddings.model
    ):
        return f"v{VERSION}"
    try:
        cards = cards_chosen(config)
    except UnknownModel:
        return ""
    home = models_folder(config)
    card = next(
        (model_card for model_card in cards if can_run(model_card, home)), cards[0]
    )
    return space_of(card, card.weights.sha256 if card.files else "")


def present(cards: Sequence[ModelCard], home: Path) -> ModelCard:
    for card in cards:
        if can_run(card, home):
            return card
    raise ModelAbsent(cards[0].id)


def can_run(card: ModelCard, home: Path) -> bool:
    if card.runs == "use":
        return is_installed()
    return is_here(card, home / card.id)


def reranker_of(home: Path) -> "CrossEncoder":
    """Return what reads a question and a passage together; nothing is loaded yet."""
    from glassmind.models.onnx import CrossEncoder  # noqa: PLC0415

    folder = home / RERANKER.id
    check_files(RERANKER, folder)
    return CrossEncoder(RERANKER, folder)


def embedder_of(card: ModelCard, home: Path, threads: int | None = None) -> "Embedder":
    if card.runs == "use":
        from glassmind.models.static import SentenceEmbedder  # noqa: PLC0415

        return SentenceEmbedder(card, threads=threads)
    folder = home / card.id
    check_files(card, folder)
    return _opened(card, folder, threads)


def _opened(card: ModelCard, folder: Path, threads: int | None) -> "Embedder":
    if card.runs == "static":
        from glassmind.models.static import StaticEmbedder  # noqa: PLC0415

        return StaticEmbedder(card, folder)
    from glassmind.models.onnx import OnnxEmbedder  # noqa: PLC0415

    return OnnxEmbedder(card, folder, threads=threads)


GIVEN = "smart-connections:"
"""How the name of a space begins whose vectors another program made."""


class Embedders:
    def __init__(self, config: Config) -> None:
        self._config, self._making = config, RLock()
        self._made: dict[str, Embedder] = {}

    def chosen(self) -> "Embedder":
        embedder = embedder_for(self._config)
        if embedder is None:
            raise ModelFault(
                "no model is chosen (embeddings.backend is none); run: glassmind "
                "config set embeddings.backend onnx, then: glassmind index"
            )
        return self._shared(embedder)

    def of(self, space: "Space") -> "Embedder | None":
        """Return the model of a space, be it chosen or not; None when it is not here.

        While a new model is still at work, the old one answers.
        """
        config = self._config
        try:
            then = vars(config.embeddings) | json.loads(space.settings)
            chosen = Config(**vars(config) | {"embeddings": Embeddings(**then)})
            model = embedder_for(chosen)
        except ModelFault:
            return None
        if model is None:
            return None
        embedder = self._shared(model)
        same = embedder.space == space.name or space.name.startswith(GIVEN)
        return embedder if same else None

    def _shared(self, made: "Embedder") -> "Embedder":
        """Return the model that was made for the same vectors before, if there is one.

        It may be loaded already, and one copy is enough for a process.
        """
        with self._making:
            return self._made.setdefault(made.space, made)


def has_other_settings(config: Config, space: "Space") -> bool:
    now, then = vars(config.embeddings), json.loads(space.settings)
    return any(now[name] != then[name] for name in then.keys() & now)
