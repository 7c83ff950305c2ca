"""How likely it is that the vault holds an answer at all.

A ranking always has a best; it need not be good. How near the best comes and how much
of the question it says are put through a logistic curve. What counts as near differs
from vault to vault and from model to model, so a vault is asked what hardly any vault
knows, and nearness is told from there; and what its own links ask for teaches the
curve what an answer looks like in it (`learning`).
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from math import exp, fsum, log1p
from pathlib import Path
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from urllib.parse import unquote

from glassmind.model import NotePath
from glassmind.model.search import LinkClue
from glassmind.search.query import key_of, plain, size_of

if TYPE_CHECKING:
    from glassmind.model.search import Hit
    from glassmind.search.plan import Run


NEAR = 3
"""Hits that are looked at closely."""


class Signals(NamedTuple):
    """What tells an answer from a near miss.

    `cosine` is of the nearest passage, `coverage` how much of the question one passage
    says, and `length` grows with the words of the question.
    """

    cosine: float
    coverage: float
    length: float


class Curve(NamedTuple):
    """What turns signals into a probability.

    `far` is how near the questions of strangers come on average, and `spread` by how
    much they differ. `weights` are of what `features` returns.
    """

    far: float
    spread: float
    bias: float
    weights: tuple[float, float, float, float]

    def features(self, signals: Signals) -> tuple[float, float, float, float]:
        """Return what counts: few words say much when all of them are found."""
        near = (signals.cosine - self.far) / self.spread
        said = signals.coverage * signals.length
        return near, signals.coverage, signals.length, said

    def probability(self, signals: Signals) -> float:
        """Return how likely the vault holds an answer, from 0 to 1."""
        pairs = zip(self.weights, self.features(signals), strict=True)
        value = self.bias + fsum(weight * feature for weight, feature in pairs)
        return 1 / (1 + exp(-max(-500.0, min(500.0, value))))


USUAL = Curve(0.262, 0.066, -2.79, (1.06, 4.03, -1.17, 4.48))
"""Fitted by `benchmarks/confidence.py` to eight sets at once, each counting alike: half
of the questions have an answer, the others are a stranger's. What is far is that of the
model below; each vault has its own."""

FITTED = "all-minilm-l6-v2"
"""The model that `USUAL` knows the strangers of."""


def signals_of(run: "Run", hits: "Sequence[Hit]") -> Signals:
    """Return the signals of an answered search."""
    semantic = run.votes.get("semantic", [])
    notes = [hit for hit in hits if hit.is_note]  # a fact is none of the vault's
    said = [f"{hit.title} {hit.snippet.text}" for hit in notes[:NEAR]]
    return Signals(
        cosine=semantic[0].score if semantic else 0.0,
        coverage=max((_said_in(text, run) for text in said), default=0.0),
        length=log1p(len(run.question.meaning.split())),
    )


def _said_in(text: str, run: "Run") -> float:
    """Return how much of the question a text says.

    Phrases stand in all that is found, to the letter; a beginning is said by a word
    that begins so.
    """
    plain, asked = run.query.coverage(text), run.question.words
    phrases = sum(len(phrase.split()) for phrase in asked.phrases)
    if not phrases and not asked.prefixes:
        return plain
    begun = {one.lower() for one in asked.prefixes}
    found = [at for at in begun if re.search(rf"\b{re.escape(at)}", text.lower())]
    total = len(asked.words) + phrases + len(begun)
    return (plain * len(asked.words) + phrases + len(found)) / total


FEWEST, MOST = 5, 60
"""Words of a sentence that says something; longer ones are no sentence any more."""

PER_TARGET = 3
"""Questions about one note: a hub would outweigh all others."""

_WIKI = re.compile(r"!?\[\[([^\]|\n]*)(?:\|([^\]\n]*))?\]\]")
_INLINE = re.compile(r"!?\[([^\[\]]*)\]\(<?([^()<>]*)>?\)")
_MARKS = str.maketrans(dict.fromkeys("*_`~|<>=…", " "))


class OwnQuestion(NamedTuple):
    """A question that `target` answers, and the note that it was taken from."""

    text: str
    source: NotePath
    target: NotePath


def own_questions(clues: Iterable[LinkClue], most: int) -> list[OwnQuestion]:
    """Return the questions of some links, each once, in the order of these."""
    found: list[OwnQuestion] = []
    known: set[str] = set()
    about: Counter[NotePath] = Counter()
    for clue in clues:
        for text in _texts(clue):
            key = key_of(text)
            if len(found) >= most or about[clue.target] >= PER_TARGET or key in known:
                continue
            known.add(key)
            about[clue.target] += 1
            found.append(OwnQuestion(text, clue.source, clue.target))
    return found


def _texts(clue: LinkClue) -> Iterator[str]:
    """Yield what a link asks: more than the name of what it leads to."""
    name = clue.target.removesuffix(".md").rpartition("/")[2]
    shown = plain(clue.shown)
    key = key_of(shown)
    said = any(letter.isalpha() for letter in key)
    if said and key not in {key_of(clue.title), key_of(name)}:
        yield shown
    around = _without_link(clue)
    if FEWEST <= size_of(around) <= MOST:
        yield around


def _without_link(clue: LinkClue) -> str:
    """Return the sentence around a link as it reads, without what it shows."""
    name = clue.written.rpartition("/")[2].removesuffix(".md")

    def leads_there(written: str) -> bool:
        place = unquote(written.partition("#")[0]).strip()
        return place.rpartition("/")[2].removesuffix(".md") == name

    def wiki(found: re.Match[str]) -> str:
        return " " if leads_there(found[1]) else found[2] or found[1]

    def inline(found: re.Match[str]) -> str:
        return " " if leads_there(found[2]) else found[1]

    text = _INLINE.sub(inline, _WIKI.sub(wiki, clue.sentence))
    return plain(text.translate(_MARKS))


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
    from glassmind.models.intents import fitted  # noqa: PLC0415 - numpy

    toward = (usual.bias, *usual.weights)
    pull = (BIAS_PULL, *([PULL] * len(usual.weights)))
    bias, near, coverage, length, said = fitted(rows, labels, counts, toward, pull)
    return usual._replace(bias=bias, weights=(near, coverage, length, said))
