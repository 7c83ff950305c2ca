"""What may be wished of a search."""

import re
from collections.abc import Mapping
from typing import get_args

from glassmind.config import Config
from glassmind.errors import BadLimit, BadWish, NothingAsked
from glassmind.model.search import (
    ChannelName,
    FusionName,
    Intent,
    Mode,
    Rerank,
    Wish,
    WordQuery,
)

MOST_HITS = 10_000
"""More would be a listing; tantivy sets room aside for all that are asked for."""

MOST_HOPS = 5
"""Links that a walk follows at most; further away everything is linked."""

UNMEASURED = "min_similarity was not looked at: nothing was searched by meaning"
"""What is told where there are no cosines to leave hits out by."""

CHOICES: Mapping[str, tuple[str | None, ...]] = {
    "mode": get_args(Mode),
    "intent": (*get_args(Intent), "auto", None),
    "fallback_intent": (*get_args(Intent), None),
    "fusion": get_args(FusionName),
    "rerank": get_args(Rerank),
    "unique": ("notes", "chunks"),
}
"""What a wish of each name may be."""


def checked(wish: Wish) -> Wish:
    """Return a wish that can be met.

    Raises:
        BadLimit, BadWish: this one cannot.
    """
    if not 1 <= wish.limit <= MOST_HITS:
        raise BadLimit(wish.limit, MOST_HITS)
    if not 0 <= wish.hop_depth <= MOST_HOPS:
        raise BadWish("hop_depth", wish.hop_depth, f"from 0 to {MOST_HOPS}")
    if not 0.0 <= wish.threshold <= 1.0:
        raise BadWish("threshold", wish.threshold, "from 0 to 1")
    least = wish.min_similarity
    if least is not None and not -1.0 <= least <= 1.0:
        raise BadWish("min_similarity", least, "from -1 to 1")
    for name, choices in CHOICES.items():
        if getattr(wish, name) not in choices:
            raise BadWish(name, getattr(wish, name), _one_of(choices))
    named = get_args(ChannelName)
    if wish.channels is not None and not set(named) >= set(wish.channels) != set():
        raise BadWish("channels", wish.channels, f"some of {_listed(named)}")
    return wish


def mode_of(config: Config) -> Mode:
    """Return the mode of a call that names none; nothing embeds in `none`."""
    usual, none = config.search.mode, config.embeddings.backend == "none"
    return "fulltext" if none and usual == "hybrid" else usual


def _one_of(choices: tuple[str | None, ...]) -> str:
    return f"one of {_listed(choices)}"


def _listed(choices: tuple[str | None, ...]) -> str:
    return ", ".join(str(choice) for choice in choices)


SAYS = r"\S"
"""What stands somewhere in every query that says anything."""


def asked_for(text: str) -> str:
    """Return a query that says something, be it a filter alone.

    Raises:
        NothingAsked: this one does not.
    """
    if not re.search(SAYS, text):
        raise NothingAsked
    return text


def is_by_words_alone(query: WordQuery, wish: Wish) -> bool:
    """Whether the word index answers by itself, in its own order and scores.

    So does a query that only filters: there is nothing to be close to in meaning.
    """
    if wish.channels is not None:
        return wish.channels == ("lexical",)
    if wish.mode == "fulltext":
        return True
    asks = query.words or query.phrases or query.prefixes
    return not asks and wish.root_note is None


def unheeded(wish: Wish, *, by_meaning: bool) -> tuple[str, ...]:
    """Return what of a wish has no say in an answer, in sentences."""
    return () if by_meaning or wish.min_similarity is None else (UNMEASURED,)
