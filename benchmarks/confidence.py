"""What confidence is made of: fits its curve, and says how well it holds.

Every question of each set at hand is put with its answer and with the answer taken
away, and so are questions that the set cannot answer: those of strangers and of other
sets. The signals that the search gives are kept. A curve is fitted on all sets but one
and judged on that one; the last lines are the curve of all together.

    python benchmarks/confidence.py [SET ...]
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from unittest.mock import patch

import quality

from glassmind import Engine
from glassmind.evaluation.answerable import KINDS, ask_posed
from glassmind.evaluation.bench import Bench, Wanted, own_bench
from glassmind.evaluation.calibrate import Example, across_groups, auroc, fit
from glassmind.evaluation.gold import GoldQuery
from glassmind.evaluation.strangers import STRANGERS
from glassmind.retrieval.confidence import Signals, signals_of
from glassmind.retrieval.search import Search
from glassmind.types.search import Hit

SAMPLE = Path(__file__).resolve().parent.parent / "sample-vault"


QUERIES = 300
"""Questions of each set, so that none outweighs the others."""


def benches() -> Iterator[tuple[str, AbstractContextManager[Bench]]]:
    """Yield every set at hand; vaults with queries are also asked about themselves."""
    wanted = Wanted(limit_queries=QUERIES)
    yield from quality.benches(wanted)
    own = {"sample": SAMPLE}
    own |= {
        f"{name}-itself": quality.SHARED / "vaults" / name / "vault"
        for name in ("lyz", "tasks-docs", "tasks-demo")
    }
    for name, root in own.items():
        if root.is_dir():
            yield name, own_bench(quality.opener(root), wanted)


def examples(
    engine: Engine, queries: Sequence[GoldQuery], strangers: Sequence[str], group: str
) -> list[tuple[str, Example]]:
    """Return the signals of each question, and why it lacks an answer, if it does."""
    seen: list[Signals] = []

    def kept(search: Search, hits: Sequence[Hit]) -> Signals:
        seen.append(signals_of(search, hits))
        return seen[-1]

    found = []
    with patch("glassmind.retrieval.confidence.signals_of", kept):
        for posed, reply in ask_posed(engine, queries, strangers=strangers):
            if reply.confidence is not None:
                signals = seen[-1]._asdict()
                made = Example(signals, posed.answerable, group)
                found.append((posed.lacking, made))
    return found


def strange_to(name: str) -> list[str]:
    """Return questions that a set cannot answer; sets of one first word are related."""
    found = list(STRANGERS)
    for other in ("lyz", "tasks-docs"):
        folder = quality.SHARED / "vaults" / other
        if folder.is_dir() and other.partition("-")[0] != name.partition("-")[0]:
            found += [query.text for query in quality.link_queries(folder)[::3]]
    return found


def main(names: list[str]) -> int:
    """Print how well each set is judged by the others, and the curve of all."""
    known: list[tuple[str, Example]] = []
    for name, making in benches():
        if names and name not in names:
            continue
        with making as bench, bench.open({}) as engine:
            known += examples(engine, bench.queries, strange_to(name), name)
        print(f"{name}: {len(known)} examples so far", flush=True)
    for lacking in (*KINDS, ""):
        wanted = ("", lacking) if lacking else ("", *KINDS)
        _tell(lacking or "both", [one for why, one in known if why in wanted])
    return 0


def _tell(against: str, known: Sequence[Example]) -> None:
    print(f"\nagainst {against}: {len(known)} examples")
    labels = [one.answerable for one in known]
    for signal in known[0].features:
        area = auroc([one.features[signal] for one in known], labels)
        print(f"  {signal:<12} alone: AUROC {area:.3f}")
    for group, found in across_groups(known).items():
        print(f"  {group:<18} ECE {found.ece:.3f}  AUROC {found.auroc:.3f}")
    made = fit(known)
    for signal, weight in zip(made.names, made.weights, strict=True):
        print(f"  {signal:<12} {weight:+.3f}")
    print(f"  {'bias':<12} {made.bias:+.3f}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
