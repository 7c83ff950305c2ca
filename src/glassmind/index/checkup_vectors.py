"""Examining what searches by meaning rest on: the model, the vectors, their matrix."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from glassmind.errors import ModelFault
from glassmind.model.catalogue import Check
from glassmind.model.pairs import Dismissals, PairStatus
from glassmind.model.vectors import Space
from glassmind.ports.indexing import KnownVectors
from glassmind.ports.models import Embedder

VERIFY = "run: glassmind index --verify"
UPDATE = "run: glassmind index"


@dataclass(frozen=True, slots=True)
class VectorBench:
    """What an examination of vectors looks through.

    `chosen` is how the settings name the model, empty where they want none; `model`
    opens it or raises a `ModelFault`, and `foreign` then says so where a space is not
    the one that the settings ask for; `former` tells by the settings alone whether
    others made it. `damage` reads the whole matrix, `behind` says
    how many changes it has yet to apply (None for all), `holder` names who embeds now.
    `pairs` says how many notes are known to be alike, `dismissals` what a person
    wants to hear no more of.
    """

    chosen: str
    model: Callable[[], Embedder]
    foreign: Callable[[Space], str | None]
    former: Callable[[Space], bool]
    known: Callable[[], KnownVectors]
    least_chars: int
    damage: Callable[[], str | None]
    behind: Callable[[], int | None]
    holder: Callable[[], str | None]
    pairs: Callable[[], PairStatus]
    dismissals: Callable[[], Dismissals]


def look_at_model(bench: VectorBench) -> Iterator[Check]:
    """Say whether the chosen model can be asked."""
    if not bench.chosen:
        yield Check("model", "ok", "none is chosen: words and links only")
        return
    try:
        bench.model()
    except ModelFault as error:
        fix = "until then, words and links are searched"
        yield Check("model", "warn", str(error), fix)
    else:
        yield Check("model", "ok", f"{bench.chosen} is at hand")


def look_at_vectors(bench: VectorBench) -> Iterator[Check]:
    """Say whether every vector is what was written, and every chunk has one."""
    known = bench.known()
    damaged = known.damaged()
    if damaged:
        much = "1 vector is" if len(damaged) == 1 else f"{len(damaged):,} vectors are"
        yield Check("vectors", "fail", f"{much} not what was written", VERIFY)
        return
    space, holder = known.answering(), bench.holder()
    if space is None:
        if holder is not None:
            finding = f"nothing is embedded yet; {holder} is embedding now"
            yield Check("vectors", "ok", finding)
        elif bench.chosen:
            yield Check("vectors", "warn", "nothing is embedded yet", UPDATE)
        return
    wrong, behind = bench.damage(), bench.behind()
    if wrong is not None and behind is not None:
        yield Check("vectors", "fail", f"their matrix is damaged: {wrong}", VERIFY)
    elif behind != 0 and holder is None:  # whoever embeds sees to that
        much = "everything" if behind is None else f"{behind:,} changes"
        yield Check("vectors", "warn", f"{much} still to take in", UPDATE)
    coverage = known.coverage(space, bench.least_chars)
    covered = f"{coverage.covered:,} of {coverage.total:,} passages"
    if not coverage.missing:
        yield Check("vectors", "ok", f"every vector reads well: {covered} have one")
    elif holder is not None:
        finding = f"{covered} have a vector; {holder} is embedding now"
        yield Check("vectors", "ok", finding)
    else:
        yield Check("vectors", "warn", f"{covered} have a vector", UPDATE)


def look_at_dismissals(bench: VectorBench) -> Iterator[Check]:
    """Say which dismissals are not followed, or not for sure; nothing where all are."""
    found = bench.dismissals()
    for said in (*found.problems, *found.lost):
        yield Check("dismissals", "warn", said, "mend or delete the line")
