"""What confidence is made of: fits the usual curve, and says how well each one holds.

Every set at hand is asked its own questions, with the answer and with the answer taken
away, and questions of strangers that nobody learns from. The usual curve is fitted to
the other sets and knows of this one only how near strangers come, as `glassmind index`
finds out. Of few questions no error is nought: `chance` is what the curve would show
in the mean, and at most in 19 of 20 cases, if every probability of it held. The last
line is the usual curve of all sets together.

    python benchmarks/confidence.py [--preset NAME] [SET ...]
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date
from pathlib import Path
from statistics import fmean, pstdev
from typing import NamedTuple

import numpy as np
import quality
from answerable import posed
from calibrate import Quality, error_of, reliability
from calibrate import quality as judged
from logistic import fitted
from strange_questions import STRANGERS

from glassmind import Engine
from glassmind.engine import local_vault
from glassmind.evaluation.bench import Bench, BenchOptions, own_bench
from glassmind.evaluation.gold import GoldQuery
from glassmind.model.search import SearchOptions
from glassmind.search.confidence import USUAL, Curve, Signals, signals_of, strangers
from glassmind.search.hits import hits_of
from glassmind.search.query import Question, parse_query
from glassmind.search.search import run_search

WISH = SearchOptions(facts=False, rerank="off")
"""As people ask: ten hits, of the vault alone."""

SAMPLE = Path(__file__).resolve().parent.parent / "sample-vault"

ASKED = 300
"""Questions of each set, so that none outweighs the others."""

LEAST_SETS = 4
"""Sets that a usual curve is fitted to; with fewer at hand it is the one that ships."""

MOST_ERROR, LEAST_AREA, MISSED = 0.05, 0.80, "  MISSED"
"""What the curve is held to, against strangers; a set that misses it is marked
and makes the exit code 1."""

DRAWS = 500
"""How often chance is asked what error it makes."""


class Seen(NamedTuple):
    """What a set said: to its questions, and to what it is taught by."""

    there: Sequence[Signals]
    away: Sequence[Signals]
    strange: Sequence[Signals]
    taught: Sequence[Signals]

    def far(self, usual: Curve) -> Curve:
        """Return a usual curve that knows how near strangers come in this vault."""
        cosines = [one.cosine for one in self.taught]
        return usual._replace(far=fmean(cosines), spread=pstdev(cosines))


def benches(
    wanted: BenchOptions,
) -> Iterator[tuple[str, AbstractContextManager[Bench]]]:
    """Yield every set at hand; vaults with queries are also asked about themselves."""
    yield from quality.benches(wanted)
    own = {"sample": SAMPLE}
    own |= {
        f"{name}-itself": quality.SHARED / "vaults" / name / "vault"
        for name in ("lyz", "tasks-docs", "tasks-demo", "kepano")
    }
    for name, root in own.items():
        if root.is_dir():
            yield name, own_bench(quality.opener(root), wanted)


def seen_in(engine: Engine, queries: Sequence[GoldQuery]) -> Seen:
    """Return what a vault says, asked as `glassmind index` and `eval` ask it."""
    vault, today = local_vault(engine.config), date(2026, 11, 1)
    index = vault.store.keywords()
    if index is None:
        raise SystemExit("there is no word index")

    def signals(text: str) -> Signals | None:
        question = Question("", parse_query(text, today), WISH, today)
        run, ranking = run_search(vault, index, question, WISH.limit)
        hits = list(hits_of(run, ranking))
        return signals_of(run, hits) if "semantic" in run.votes else None

    found: dict[str, list[Signals]] = {}
    for one in posed(queries, STRANGERS):
        judged = signals(one.text)
        if judged is not None:
            found.setdefault(one.lacking, []).append(judged)
    taught = [judged for judged in map(signals, strangers()) if judged is not None]
    vault.close()
    there, away, strange = (found[kind] for kind in ("", "taken away", "strangers"))
    return Seen(there, away, strange, taught)


def usual_of(sets: Mapping[str, Seen]) -> Curve:
    """Return the curve of some sets together; those of one vault count as one."""
    tables, labels, counts = [], [], []
    names = [_vault(name) for name in sets]
    for name, seen in sets.items():
        curve = seen.far(USUAL)
        share = ASKED / names.count(_vault(name)) / 2
        for label, kind in ((1.0, seen.there), (0.0, seen.taught)):
            tables += [curve.features(one) for one in kind]
            labels += [label] * len(kind)
            counts += [share / len(kind)] * len(kind)
    pull = (1e-9, 1.0, 1.0, 1.0, 1.0)
    found = fitted(tables, labels, counts, (0.0,) * 5, pull)
    bias, near, coverage, length, said = found
    return USUAL._replace(bias=bias, weights=(near, coverage, length, said))


def _vault(name: str) -> str:
    return name.partition("-itself")[0]


def _judged(curve: Curve, there: Sequence[Signals], gone: Sequence[Signals]) -> Quality:
    sure = [curve.probability(one) for one in (*there, *gone)]
    return judged(sure, [True] * len(there) + [False] * len(gone))


def by_chance(
    curve: Curve, there: Sequence[Signals], gone: Sequence[Signals]
) -> tuple[float, float]:
    """Return the error if every probability held: the mean, and that of one in 20.

    What has an answer is drawn anew by what the curve says of it.
    """
    chance = np.random.default_rng(7)
    sure = np.array([curve.probability(one) for one in (*there, *gone)])
    # both kinds count half, as where they are judged, whatever is drawn
    counts = np.repeat([0.5 / len(there), 0.5 / len(gone)], [len(there), len(gone)])
    errors = []
    for _ in range(DRAWS):
        drawn = chance.random(len(sure)) < sure
        bins = reliability(sure.tolist(), drawn.tolist(), counts=counts)
        errors.append(error_of(bins))
    return float(np.mean(errors)), float(np.quantile(errors, 0.95))


def _told(name: str, sets: Mapping[str, Seen]) -> str:
    seen, vault = sets[name], _vault(name)
    others = {key: one for key, one in sets.items() if _vault(key) != vault}
    usual = usual_of(others) if len(others) >= LEAST_SETS else USUAL
    curve = seen.far(usual)
    found = _judged(curve, seen.there, seen.strange)
    hard = _judged(curve, seen.there, seen.away)
    missed = found.ece > MOST_ERROR or found.auroc < LEAST_AREA
    mean, most = by_chance(curve, seen.there, seen.strange)
    cells = " ".join(f"{one.auroc:11.3f} {one.ece:8.3f}" for one in (found, hard))
    told = f"{name:<18} {len(seen.there):5} {cells}"
    return f"{told} {mean:8.3f} {most:8.3f}{MISSED * missed}"


def main(arguments: Sequence[str]) -> int:
    """Print how well each set is judged, and the usual curve of all."""
    parser = argparse.ArgumentParser(description="Fits and judges confidence.")
    parser.add_argument("--preset", default="", help="the model to ask with")
    parser.add_argument("sets", nargs="*", help="some of the sets; all by default")
    chosen = parser.parse_args(arguments)
    sets: dict[str, Seen] = {}
    for name, making in benches(
        BenchOptions(limit_queries=ASKED, preset=chosen.preset)
    ):
        if chosen.sets and name not in chosen.sets:
            continue
        with making as bench, bench.open({}) as engine:
            sets[name] = seen_in(engine, bench.queries)
        print(f"{name} is asked", file=sys.stderr, flush=True)
    kinds = ("strangers", "taken away")
    head = " ".join(f"{kind:>11} {'ECE':>8}" for kind in kinds)
    print(f"{'set':<18} asked {head} {'chance':>8} {'most':>8}")
    told = [_told(name, sets) for name in sets]
    print(*told, sep="\n")
    found = usual_of(sets)
    print(f"\nusual: bias {found.bias:.2f}, weights", *np.round(found.weights, 2))
    near = [seen.far(USUAL) for seen in sets.values()]
    far, spread = (np.mean([one[at] for one in near]) for at in (0, 1))
    print(f"far {far:.3f}, spread {spread:.3f}")
    return int(any(line.endswith(MISSED) for line in told))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
