"""Questions as words alone, and what two of them are compared by."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple, cast, get_args

from glassmind.config import Config
from glassmind.errors import BadDate, BadLimit, BadWish, NothingAsked
from glassmind.model.search import (
    ChannelName,
    Filter,
    FilterKind,
    FusionName,
    Intent,
    Mode,
    Rerank,
    SearchOptions,
    WordQuery,
)
from glassmind.obsidian.text import fold

_FILTERS = re.compile(r"\b(tag|path|file|before|after):", re.IGNORECASE)
_DASHES = re.compile(r"(?:^|(?<=\s))-+(?=\S)")
_SIGNS = str.maketrans(dict.fromkeys('"“”[]*', " "))
_WIDE = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORDS = re.compile(rf"[{_WIDE}]|[^\W{_WIDE}]+")


def plain(text: str) -> str:
    """Return a question as words alone: what it quotes or names is not an operator."""
    bare = _FILTERS.sub(r"\1 ", text.translate(_SIGNS))
    return " ".join(_DASHES.sub("", " ".join(bare.split())).split())


def key_of(text: str) -> str:
    return " ".join(_WORDS.findall(fold(text)))


def size_of(text: str) -> int:
    """Return how many words a text has; a Chinese, Japanese or Korean letter is one."""
    return len(_WORDS.findall(text))


LONGEST_QUERY = 10_000
"""Characters that are read; what is longer is a pasted document, not a question."""

_MEANT = frozenset('-[":*')  # a query without any of these holds nothing but words

_PIECE = r"""
    (?P<not>-(?!-))?
    (?:
      \[(?P<property>\s*[^\s\[\]:"][^\[\]:"]*)(?::(?P<value>"[^"]*"|[^\[\]]*))?\](?!\])
      | (?P<filter>tag|path|file|before|after):(?P<argument>"\s*[^\s"][^"]*"|[^\s"]+)
      | "(?P<phrase>[^"]*)"
      | (?P<word>[^\s"]+)
    )
    """
_AGO = r"(\d{1,4})(d|w|m|y)"
_DAYS_IN = {"d": 1, "w": 7, "m": 30, "y": 365}


def parse_query(text: str, today: date) -> WordQuery:
    # half of a surrogate pair, as a terminal may send it, is a letter of no note
    text = text[:LONGEST_QUERY].encode("utf-8", "replace").decode("utf-8")
    if _MEANT.isdisjoint(text):
        return WordQuery(tuple(text.split()))
    words: list[str] = []
    phrases: list[str] = []
    excluded: list[str] = []
    prefixes: list[str] = []
    filters: list[Filter] = []
    for match in re.finditer(_PIECE, text, re.VERBOSE | re.IGNORECASE):
        at = match.start()
        starts_piece = at == 0 or text[at - 1].isspace()
        negated = match["not"] is not None and starts_piece
        if match["property"] is not None:
            filters.append(
                _property(match["property"], match["value"], negated=negated)
            )
        elif match["filter"] is not None:
            kind = match["filter"].lower()
            filters.append(
                _filter(kind, match["argument"].strip('"'), today, negated=negated)
            )
        elif match["phrase"] is not None:
            if _has_letter(match["phrase"]):
                (excluded if negated else phrases).append(match["phrase"])
        elif negated:
            if _has_letter(match["word"]):
                excluded.append(match["word"].rstrip("*"))
        elif match["word"].endswith("*") and _has_letter(match["word"]):
            prefixes.append(match["word"].rstrip("*"))
        else:
            words.append(match["word"])
    return WordQuery(
        tuple(words), tuple(phrases), tuple(excluded), tuple(prefixes), tuple(filters)
    )


def _has_letter(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _property(name: str, value: str | None, *, negated: bool) -> Filter:
    wanted = None if value is None else value.strip().strip('"')
    return Filter("property", wanted or None, name=name.strip(), negated=negated)


def _filter(kind: str, value: str, today: date, *, negated: bool) -> Filter:
    day = parse_day(value, today) if kind in {"before", "after"} else None
    return Filter(cast("FilterKind", kind), value, day=day, negated=negated)


def midnight(day: date) -> datetime:
    """Return when a day begins here; in UTC for the first and last days of all."""
    begin = datetime.combine(day, time.min)
    try:
        return begin.astimezone()
    except (OverflowError, ValueError):
        return begin.replace(tzinfo=UTC)


def parse_day(text: str, today: date) -> date:
    named = {"today": 0, "yesterday": 1, "tomorrow": -1}
    if text.lower() in named:
        return today - timedelta(days=named[text.lower()])
    if ago := re.fullmatch(_AGO, text.lower()):
        days = int(ago[1]) * _DAYS_IN[ago[2]]
        if days >= today.toordinal():
            raise BadDate(text)
        return today - timedelta(days=days)
    padded = text + "-01-01"[len(text) - 4 :] if len(text) in (4, 7) else text
    try:
        return date.fromisoformat(padded)
    except ValueError:
        raise BadDate(text) from None


MOST_HITS = 10_000
"""More would be a listing; tantivy sets room aside for all that are asked for."""

MOST_HOPS = 5  # links that a walk follows at most; further away everything is linked
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
BOUNDS = {"hop_depth": (0, MOST_HOPS), "threshold": (0, 1), "min_similarity": (-1, 1)}
"""What the options of a search may be, by name."""


def checked(wish: SearchOptions) -> SearchOptions:
    if not 1 <= wish.limit <= MOST_HITS:
        raise BadLimit(wish.limit, MOST_HITS)
    for name, (low, high) in BOUNDS.items():
        value = getattr(wish, name)
        if value is not None and not low <= value <= high:
            raise BadWish(name, value, f"from {low} to {high}")
    for name, choices in CHOICES.items():
        if getattr(wish, name) not in choices:
            known = ", ".join(map(str, choices))
            raise BadWish(name, getattr(wish, name), f"one of {known}")
    named = get_args(ChannelName)
    if wish.channels is not None and not set(named) >= set(wish.channels) != set():
        raise BadWish("channels", wish.channels, f"some of {', '.join(named)}")
    return wish


def mode_of(config: Config) -> Mode:
    """Return the mode of a call that names none; nothing embeds in `none`."""
    usual, none = config.search.mode, config.embeddings.backend == "none"
    return "fulltext" if none and usual == "hybrid" else usual


SAYS = r"\S"  # what stands somewhere in every query that says anything


def asked_for(text: str) -> str:
    if not re.search(SAYS, text):
        raise NothingAsked
    return text


class Question(NamedTuple):
    text: str
    words: WordQuery
    wish: SearchOptions
    today: date

    @property
    def meaning(self) -> str:
        """What the question says apart from its operators; it is embedded."""
        words = self.words
        return " ".join((*words.words, *words.phrases, *words.prefixes))


def is_by_words_alone(question: Question) -> bool:
    """Whether the word index answers by itself, in its own order and scores.

    So does a query that only filters: there is nothing to be close to in meaning.
    """
    wish = question.wish
    if wish.channels is not None:
        return wish.channels == ("lexical",)
    if wish.mode == "fulltext":
        return True
    return not question.meaning and wish.root_note is None


def unheeded(wish: SearchOptions, *, by_meaning: bool) -> tuple[str, ...]:
    return () if by_meaning or wish.min_similarity is None else (UNMEASURED,)
