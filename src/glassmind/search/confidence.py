"""How likely it is that the vault holds an answer at all.

A ranking always has a best; it need not be good. How near the best comes and how much
of the question it says are put through a logistic curve. What counts as near differs
from vault to vault and from model to model, so after embedding a vault is asked what
hardly any vault knows, and nearness is told from there.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from math import exp, fsum, log1p
from pathlib import Path
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, NamedTuple

from glassmind.model.index import Progress, ShowProgress

if TYPE_CHECKING:
    from glassmind.model.search import Hit
    from glassmind.model.vectors import Space
    from glassmind.search.plan import Run
    from glassmind.search.semantic import SemanticSearch
    from glassmind.vault import Vault

NEAR = 3  # hits that are looked at closely


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
        pairs = zip(self.weights, self.features(signals), strict=True)
        value = self.bias + fsum(weight * feature for weight, feature in pairs)
        return 1 / (1 + exp(-max(-500.0, min(500.0, value))))


USUAL = Curve(0.262, 0.066, -2.79, (1.06, 4.03, -1.17, 4.48))
"""Fitted by `benchmarks/confidence.py` to eight sets at once, each counting alike: half
of the questions have an answer, the others are a stranger's. What is far is that of the
model below; each vault has its own."""

FITTED = "all-minilm-l6-v2"  # the model that `USUAL` knows the strangers of


def signals_of(run: "Run", hits: "Sequence[Hit]") -> Signals:
    semantic = run.votes.get("semantic", [])
    notes = [hit for hit in hits if hit.is_note]  # a fact is none of the vault's
    said = [f"{hit.title} {hit.snippet.text}" for hit in notes[:NEAR]]
    return Signals(
        cosine=semantic[0].score if semantic else 0.0,
        coverage=max((_said_in(text, run) for text in said), default=0.0),
        length=log1p(len(run.text.split())),
    )


def _said_in(text: str, run: "Run") -> float:
    plain, query = run.query.coverage(text), run.words
    phrases = sum(len(phrase.split()) for phrase in query.phrases)
    if not phrases and not query.prefixes:
        return plain
    begun = {prefix.lower() for prefix in query.prefixes}
    found = [at for at in begun if re.search(rf"\b{re.escape(at)}", text.lower())]
    total = len(query.words) + phrases + len(begun)
    return (plain * len(query.words) + phrases + len(found)) / total


VERSION = 2  # raised when the same vault teaches something else than before
LEAST_NOTES = 50
"""Notes of a vault that is worth asking: in a smaller one nothing is typical."""

GROWTH = 1.25  # how much a vault grows or shrinks until it is asked again
LEAST_SPREAD = 0.01  # no vault tells nearer from farther than so
_STRANGERS = Path(__file__).with_name("strangers.txt")


@cache
def strangers() -> tuple[str, ...]:
    """Return questions that hardly any vault of notes can answer.

    Names of things, questions and sentences, from crafts, sciences, old machines and
    the lives of people nobody knows, so that neither form nor field gives them away.
    """
    return tuple(filter(None, _STRANGERS.read_text("utf-8").splitlines()))


def curve_of(folder: Path | None, space: "Space") -> Curve | None:
    """Return the curve of a vault; None for a model that nothing is known of.

    Where the vault taught none it is the usual one, if that was made for the model.
    """
    learnt = None if folder is None else _read(_file_of(folder, space))
    if learnt is not None:
        far, spread, _ = learnt
        return USUAL._replace(far=far, spread=spread)
    return USUAL if space.name.startswith(FITTED) else None


def learn_curve(
    vault: "Vault",
    semantic: "SemanticSearch",
    progress: ShowProgress,
    pause: Callable[[], bool],
) -> None:
    """Ask the vault what it does not know, if it changed much; keep how near that is.

    A pause leaves all as it was. Raises ModelFault or NotEmbedded.
    """
    space = vault.store.rows().answering_space()
    notes = vault.store.rows().count("notes")
    if space is None or notes < LEAST_NOTES:
        return
    file = _file_of(vault.place.folder, space)
    learnt = _read(file)
    if learnt is not None and max(notes, learnt[2]) <= GROWTH * min(notes, learnt[2]):
        return
    index = semantic.index()
    if semantic.covered() < 1:
        return
    cosines, texts = [], strangers()
    for number, text in enumerate(texts, 1):
        if pause():
            return
        nearest = index.vectors.best(index.vector_of(text), 1)
        cosines += [candidate.score for candidate in nearest]
        progress(Progress("confidence", number, len(texts)))
    if cosines:
        found = (fmean(cosines), max(pstdev(cosines), LEAST_SPREAD), notes)
        part = file.with_suffix(f".{os.getpid()}.part")
        with suppress(OSError):  # a folder that cannot be written: learnt again
            part.write_text(json.dumps(found), "utf-8")
            part.replace(file)


def _file_of(folder: Path, space: "Space") -> Path:
    known = f"{VERSION}\n{space.name}"
    digest = hashlib.sha256(known.encode()).hexdigest()[:16]
    return folder / f"confidence-{digest}.json"


def _read(file: Path) -> tuple[float, float, int] | None:
    try:
        far, spread, notes = json.loads(file.read_text("utf-8"))
        return (float(far), float(spread), int(notes)) if spread > 0 else None
    except (OSError, ValueError, TypeError):
        return None
