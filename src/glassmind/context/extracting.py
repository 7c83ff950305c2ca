"""An answer in sentences of the notes: which are told, and whether any should be.

The pieces of the best passages are ordered by the words of the question that they hold,
or, where the model for that is here, by how well each reads as its answer. A question
that the vault does not answer has a best piece too; how likely it is one is told from
how well it reads, and from how sure the search is.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import exp, fsum, isnan, log
from time import monotonic
from typing import NamedTuple

from glassmind.context.answer_kinds import AnswerKind
from glassmind.context.asking import Lookup
from glassmind.context.passages import Stretch
from glassmind.context.pieces import Piece, pieces_of
from glassmind.errors import ModelFault
from glassmind.ports.models import Reranker

MOST_TOLD = 4
"""Pieces of an answer: with fewer, one in ten loses what was asked for."""

READ = 32
"""Pieces, from those with most words, that are read together with the question."""

READ_S = 2.0
"""Seconds for that; what is not read by then is not told."""

FITTING = 0.3
"""What it counts that a piece is of the best passage."""

OTHER_KIND, OTHER_KIND_READ = 0.1, 0.15
"""What a piece loses that has nothing of the kind asked for."""

NEAR, NEAR_READ = 0.2, 0.5
"""How far behind the best another piece may be that is told beside it."""

LEAST_ODDS = -12.0
"""The log odds of what reads least of all like an answer."""

SHORT = 7
"""Words below which a sentence is read behind the title of its note."""

OPENING, FIRST_LINES = 0.6, 20
"""What the first sentence of a note gains where it is asked who or what that is, and
how far down it may begin."""

_WHO_IS = re.compile(
    r"\W*(?:(?:who|what)(?: is| was| are|['\u2019]s)|tell me about|summari[sz]e|wer ist"
    r"|was ist|qui est|qu['\u2019]est-ce que|qui[ée]n es|qu[ée] es)\b",
    re.IGNORECASE,
)

ALIKE = 0.8
"""Share of words from which two pieces say the same."""

DENIES = frozenset((
    "no", "not", "never", "none", "isn't", "wasn't", "don't", "doesn't", "didn't",
    "won't", "can't", "nicht", "kein", "keine", "keinen", "nie", "ne", "pas", "jamais",
    "nunca",
))  # fmt: skip
"""Words that make a sentence say the contrary of another that is like it."""

TOLD = 0.7
"""How likely an answer must be to be told."""


class Told(NamedTuple):
    """A piece that answers, of the passage of a number, and how well it does."""

    number: int
    piece: Piece
    score: float


class Extract(NamedTuple):
    """The best pieces for a question, in the order they are told in.

    `likelihood` is how likely they answer it; None where there are none. `lacks` says
    why nobody has read them, if so.
    """

    told: tuple[Told, ...]
    likelihood: float | None
    read: bool
    lacks: str = ""


class Passage(NamedTuple):
    """A passage that pieces are taken of; `fit` is its relevance."""

    number: int
    stretch: Stretch
    fit: float
    title: str = ""


class _Scored(NamedTuple):
    told: Told
    share: float
    is_kind: bool
    may_answer: bool
    read: str
    odds: float | None = None


def extract(  # noqa: PLR0913 - all that an answer hangs on
    question: str,
    passages: Sequence[Passage],
    words: Lookup,
    reranker: Callable[[], Reranker],
    confidence: float | None,
    *,
    clock: Callable[[], float] = monotonic,
) -> Extract:
    """Return the pieces that answer a question best, and how likely they do."""
    found = list(_by_words(question, passages, words))
    found.sort(key=lambda one: -one.told.score)
    read, lacks = _read(question, found[:READ], reranker, clock)
    if read:
        found = sorted(read, key=lambda one: -one.told.score)
    chosen = _chosen(found, NEAR_READ if read else NEAR)
    likely = _likelihood(found, confidence)
    return Extract(_in_order(chosen), likely, bool(read), lacks)


def _by_words(
    question: str, passages: Sequence[Passage], words: Lookup
) -> Iterator[_Scored]:
    """Yield every piece with what its words say."""
    wanted = AnswerKind(question)
    total = fsum(words.weights.get(word, 0.0) for word in words.typed) or 1.0
    for passage in passages:
        opening = OPENING if _is_about(question, passage, words) else 0.0
        for piece in pieces_of(passage.stretch):
            held = words.words(piece.text) & words.typed
            share = fsum(words.weights.get(word, 0.0) for word in held) / total
            under = passage.stretch.heading_path(piece.start)
            is_kind = wanted.is_in(piece.text, under[-1] if under else "")
            opens = opening if piece.kind == "sentence" else 0.0
            if opens > 0:
                share, is_kind, opening = 1.0, True, opening - OPENING / 3
            score = share + FITTING * passage.fit - (0 if is_kind else OTHER_KIND)
            score += opens
            read = _read_as(piece, passage.title, opens=opens > 0)
            told = Told(passage.number, piece, score)
            may_answer = is_kind or wanted.is_why
            yield _Scored(told, share, is_kind, may_answer, read)


def _read(
    question: str,
    found: Sequence[_Scored],
    reranker: Callable[[], Reranker],
    clock: Callable[[], float],
) -> tuple[list[_Scored], str]:
    """Return pieces with what reading them says; none where nobody reads, and why."""
    made: list[_Scored] = []
    if not found:  # which is no reason to load a model
        return made, ""
    try:
        verdicts = reranker().scores(question, [one.read for one in found])
        until: float | None = None
        for one, verdict in zip(found, verdicts, strict=False):
            odds = max(LEAST_ODDS, _odds(verdict))
            fit = one.told.score - one.share + (0 if one.is_kind else OTHER_KIND)
            score = odds / 10 + fit - (0 if one.is_kind else OTHER_KIND_READ)
            made.append(one._replace(told=one.told._replace(score=score), odds=odds))
            now = clock()  # from the first on: before it a model may be loaded
            until = now + READ_S if until is None else until
            if now > until:
                break
    except ModelFault as fault:
        return [], str(fault)
    return made, ""


def _read_as(piece: Piece, title: str, *, opens: bool) -> str:
    """Return what is read of a piece: a short one says little without its note."""
    short = opens or piece.kind != "sentence" or len(piece.text.split()) < SHORT
    return f"{title}: {piece.text}" if short and title else piece.text


def _is_about(question: str, passage: Passage, words: Lookup) -> bool:
    """Whether a question asks who or what a note is, and this is how that begins."""
    if passage.stretch.first_line > FIRST_LINES or not _WHO_IS.match(question):
        return False
    return bool(words.typed) and words.typed <= words.words(passage.title)


def _odds(verdict: float) -> float:
    """Return the log odds of a probability; of one that is no number, the least."""
    if isnan(verdict):
        return LEAST_ODDS
    sure = min(max(verdict, 1e-7), 1 - 1e-7)
    return log(sure / (1 - sure))


def _chosen(found: Sequence[_Scored], near: float) -> list[_Scored]:
    """Return the best, and what is not far behind and says something else."""
    chosen: list[_Scored] = []
    for one in found:
        best = chosen[0].told.score if chosen else one.told.score
        if len(chosen) == MOST_TOLD or one.told.score < best - near:
            break
        if not any(_alike(one.told.piece, other.told.piece) for other in chosen):
            chosen.append(one)
    return chosen


def _alike(one: Piece, other: Piece) -> bool:
    """Whether two pieces say the same: not with other figures, nor if one denies it."""
    words, others = set(one.text.lower().split()), set(other.text.lower().split())
    if _has_figure(words - others) and _has_figure(others - words):
        return False
    if words.isdisjoint(DENIES) != others.isdisjoint(DENIES):
        return False
    return len(words & others) >= ALIKE * min(len(words), len(others))


def _has_figure(words: Iterable[str]) -> bool:
    return any(letter.isdigit() for word in words for letter in word)


def _in_order(chosen: Sequence[_Scored]) -> tuple[Told, ...]:
    """Return what is told with the best first, and what stands together together."""
    told = [one.told for one in chosen]
    first = {one.number: at for at, one in reversed(list(enumerate(told)))}
    return tuple(sorted(told, key=lambda one: (first[one.number], one.piece.start)))


def _likelihood(found: Sequence[_Scored], confidence: float | None) -> float | None:
    """Return how likely the best pieces answer; None where there are none."""
    if not found:
        return None
    kind = [one for one in found if one.may_answer]
    sure = None if confidence is None or isnan(confidence) else _odds(confidence)
    odds = max((one.odds for one in kind if one.odds is not None), default=None)
    share = max((one.share for one in kind), default=0.0)
    if any(one.odds is not None for one in found):
        best = LEAST_ODDS if odds is None else odds
        return _curve(READ_CURVE if sure is not None else READ_ALONE, best, sure)
    return _curve(WORD_CURVE if sure is not None else WORDS_ALONE, share, sure)


READ_CURVE, READ_ALONE = (0.21, 0.16, 0.35), (0.27, 0.0, 1.18)
WORD_CURVE, WORDS_ALONE = (0.9, 0.36, -1.13), (4.0, 0.0, -1.56)
"""What the best piece, the confidence of the search and nothing at all count, fitted to
questions with and without an answer (docs/evaluation.md)."""


def _curve(
    weights: tuple[float, float, float], best: float, sure: float | None
) -> float:
    value = weights[0] * best + weights[1] * (sure or 0.0) + weights[2]
    return 1 / (1 + exp(-value))
