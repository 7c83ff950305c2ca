"""Whether `suggest` brings hidden links back, beside what vectors alone would say.

Links of a vault are hidden from a copy of it, a quarter at a time, and every note that
lost one is asked what it should be linked with: how many of the first ten did it lose?
Once with the words of each link left in the text (`shown`), as if its writer had
forgotten the brackets, and once without (`gone`). Held against it is the order by the
cosine of the notes' vectors, over the same notes.

    python benchmarks/links.py [VAULT ...] [--folds 4] [--seed 0] [--signs]

A vault is a folder, or the name of one that stands beside the checkout. With `--signs`,
also what is lost without each sign, and what it says alone.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from hidden_links import Fold, Left, folds_of

from glassmind import Engine, open_vault
from glassmind.evaluation.bench import copy_vault, model_of, place_for, remove
from glassmind.evaluation.metrics import mean
from glassmind.evaluation.own_links import Readings, read_vault
from glassmind.graph.suggestions import (
    WEIGHTS,
    NodeCandidates,
    Pages,
    SuggestionFinder,
)
from glassmind.model import NotePath

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data" / "vaults"
FIRST = 10
"""Suggestions that count: what fits a screen."""

BAR = 0.20
"""By how much suggestions have to be better than the cosine, on the vault `lyz`."""


class Recovered(NamedTuple):
    """For one note, how many of its hidden links were among the first ten, by way."""

    hidden: int
    came_back: dict[str, int]


def vaults(names: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Yield the vaults at hand: those named, or all."""
    known = {"sample": ROOT / "sample-vault"}
    for name in ("lyz", "tasks-docs", "tasks-demo", "kepano"):
        known[name] = SHARED / name / "vault"
    for name in names or known:
        folder = known.get(name, Path(name))
        if folder.is_dir():
            yield name, folder


def recovered(
    vault: Path, left: Left, asked: argparse.Namespace
) -> Iterator[Recovered]:
    """Yield what came back for every note that lost a link, fold by fold."""
    with open_vault(vault, env={}) as engine:
        config = engine.config
    readings: Readings = read_vault(config)
    with place_for(vault, "links", model_of(config), fresh=False) as place:
        try:
            for fold in folds_of(
                readings, left=left, count=asked.folds, seed=asked.seed
            ):
                copy_vault(readings, fold.edits, place / "vault")
                settings = {"index.location": str(place / "index")}
                with open_vault(place / "vault", settings=settings, env={}) as engine:
                    engine.index(accept_deletions=True)
                    yield from of_fold(engine, fold, signs=asked.signs)
        finally:
            remove(place / "vault")


def of_fold(engine: Engine, fold: Fold, *, signs: bool) -> Iterator[Recovered]:
    """Yield what came back in one copy of a vault."""
    for note, partners in fold.partners.items():
        offered = engine.knowledge.suggest(note, limit=FIRST).suggestions
        ends = {one.source if one.target == note else one.target for one in offered}
        came_back = {"suggest": len(ends & partners)}
        vault = engine._vault
        with vault.files() as files:
            finder = SuggestionFinder(vault, Pages(files))
            net = finder.facts.net
            node = net.node_at(NotePath(note))
            outlook = None if node is None else finder.outlook(node)
        if outlook is not None:
            hidden = {at for at, path in enumerate(net.paths) if path in partners}
            for way, order in ways(outlook, signs=signs):
                came_back[way] = len(hidden & set(order))
        yield Recovered(len(partners), came_back)


def ways(outlook: NodeCandidates, *, signs: bool) -> Iterator[tuple[str, list[int]]]:
    """Yield the first ten nodes by the cosine, and by the signs in other sums."""
    yield "cosine", first(outlook.cosines, outlook)
    yield "all signs", first(outlook.scores, outlook)
    if not signs:
        return
    for left_out in WEIGHTS:
        total = sum(
            weight * outlook.signs[name]
            for name, weight in WEIGHTS.items()
            if name != left_out
        )
        yield f"without {left_out}", first(np.asarray(total), outlook)
        yield f"{left_out} alone", first(outlook.signs[left_out], outlook)


def first(scores: np.ndarray, outlook: NodeCandidates) -> list[int]:
    """Return the best nodes that may be suggested; of equals those by path first."""
    open_ = np.where(outlook.open_, scores, -np.inf)
    order = np.argsort(-open_, kind="stable")[:FIRST]
    return [int(at) for at in order if open_[at] > -np.inf]


def shown(name: str, left: Left, found: Sequence[Recovered]) -> float:
    """Print a row for each way, and return by how much suggestions are better."""
    hidden = sum(one.hidden for one in found) // 2
    ceiling = mean([min(one.hidden, FIRST) / FIRST for one in found])
    print(f"\n{name}, links {left}: {hidden} links of {len(found)} notes hidden, ")
    print(f"so that precision@10 could be {ceiling:.4f} at most")
    plain = mean([one.came_back["cosine"] / FIRST for one in found])
    for way in found[0].came_back:
        precision = mean([one.came_back[way] / FIRST for one in found])
        recall = mean([one.came_back[way] / one.hidden for one in found])
        gain = precision / plain - 1 if plain else 0.0
        print(f"  {way:22} p@10 {precision:.4f}  r@10 {recall:.3f}  {gain:+.1%}")
    best = mean([one.came_back["suggest"] / FIRST for one in found])
    return best / plain - 1 if plain else 0.0


def main() -> int:
    """Measure, print, and fail when the bar on `lyz` is missed."""
    parser = argparse.ArgumentParser(description="How many hidden links come back.")
    parser.add_argument("vaults", nargs="*", metavar="VAULT")
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--signs", action="store_true")
    asked = parser.parse_args()
    missed = False
    ways_left: tuple[Left, ...] = ("shown", "gone")
    for name, folder in vaults(asked.vaults):
        for left in ways_left:
            found = list(recovered(folder, left, asked))
            gain = shown(name, left, found)
            missed |= name == "lyz" and left == "shown" and gain < BAR
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
