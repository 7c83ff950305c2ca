"""What a vault teaches about its own answers: the curve of confidence.

It is asked what its links ask for, once as it is and, for some, with the answer taken
away; and it is asked what hardly any vault knows. The first have an answer, the others
have none. The curve is the usual one, bent as far as that many examples say.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean, pstdev
from typing import TypeAlias

from glassmind.model import NotePath
from glassmind.models.logistic import fitted
from glassmind.search.confidence import USUAL, Curve, Signals
from glassmind.search.own_questions import OwnQuestion

Ask: TypeAlias = Callable[[str, Collection[NotePath]], Signals | None]
"""Asks a question as if some notes were not there; None where meaning has no say."""

QUESTIONS, LEAST_QUESTIONS = 80, 30
"""Questions of its own that a vault is asked, and how many teach anything: with 40 the
probabilities hold as well as with 150."""

AWAY_EACH, AWAY_SHARE = 4, 0.03
"""Of so many own questions one is asked with its answer taken away, and so much of what
has no answer is of that kind: more, and nothing is told from what stands beside it."""

PULL, BIAS_PULL = 10.0, 2.5
"""How many examples the usual curve counts as; from 3 to 30 it makes no difference."""

LEAST_STRANGERS = 20
"""Answers of strangers that say what is far; fewer are chance."""

LEAST_SPREAD = 0.01
"""No vault tells nearer from farther than so."""

_FILE = Path(__file__).with_name("strangers.txt")


@cache
def strangers() -> tuple[str, ...]:
    """Return questions that hardly any vault of notes can answer.

    Names of things, questions and sentences, from crafts, sciences, old machines and
    the lives of people nobody knows, so that neither form nor field gives them away.
    """
    return tuple(filter(None, _FILE.read_text("utf-8").splitlines()))


def asked_in_all(questions: Sequence[OwnQuestion]) -> int:
    """Return how much `learnt` asks."""
    own = questions if len(questions) >= LEAST_QUESTIONS else ()
    return len(strangers()) + len(own) + len(own[::AWAY_EACH])


def learnt(
    ask: Ask, questions: Sequence[OwnQuestion], usual: Curve = USUAL
) -> Curve | None:
    """Return the curve that a vault teaches; None where it cannot be asked.

    One with too few questions of its own teaches only what is far.
    """
    far = _signals(ask(text, ()) for text in strangers())
    if len(far) < LEAST_STRANGERS:
        return None
    cosines = [signals.cosine for signals in far]
    spread = max(pstdev(cosines), LEAST_SPREAD)
    usual = usual._replace(far=fmean(cosines), spread=spread)
    if len(questions) < LEAST_QUESTIONS:
        return usual
    there = _signals(ask(one.text, {one.source}) for one in questions)
    away = _signals(
        ask(one.text, {one.source, one.target}) for one in questions[::AWAY_EACH]
    )
    return _bent(usual, there, far, away) if there and away else usual


def _signals(asked: Iterable[Signals | None]) -> list[Signals]:
    return [signals for signals in asked if signals is not None]


def _bent(
    usual: Curve,
    there: Sequence[Signals],
    far: Sequence[Signals],
    away: Sequence[Signals],
) -> Curve:
    """Return a curve that fits examples: half of what counts has an answer."""
    rows = [usual.features(one) for one in (*there, *far, *away)]
    kinds = (
        (1.0, 0.5, there),
        (0.0, 0.5 * (1 - AWAY_SHARE), far),
        (0.0, 0.5 * AWAY_SHARE, away),
    )
    labels, counts = [], []
    for label, share, kind in kinds:
        labels += [label] * len(kind)
        counts += [len(rows) * share / len(kind)] * len(kind)
    toward = (usual.bias, *usual.weights)
    pull = (BIAS_PULL, *([PULL] * len(usual.weights)))
    bias, near, coverage, length, said = fitted(rows, labels, counts, toward, pull)
    return usual._replace(bias=bias, weights=(near, coverage, length, said))
