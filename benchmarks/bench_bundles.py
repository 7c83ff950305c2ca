"""The bar of bundles: what packing takes beside the search that it follows.

    python benchmarks/bench_bundles.py [--notes N] [--turns N]

The vault is generated, and so are the vectors of its chunks; the real model makes those
of the questions and counts the tokens. Search and packing are timed inside the same
calls, so that a busy machine is busy for both. The words of a vault are counted once a
process: the first turns, which learn them, are told apart.
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import hybrid
import vaults
from vectors import timed

from glassmind import Engine
from glassmind.types.context import Bundle
from glassmind.types.search import SearchReply
from glassmind.wiring import LocalAdapters

NOTES = 10_000
BUDGETS = (1_000, 3_000, 6_000)
MOST = 0.3
"""What packing may take of the search that it follows, at the largest budget."""

LEARNING = 20
"""Turns before the words that come up are mostly known."""


class Turn(NamedTuple):
    """What one bundle took, in milliseconds."""

    search_ms: float
    packing_ms: float
    bundle: Bundle

    @property
    def ratio(self) -> float:
        """What packing took of the search."""
        return self.packing_ms / self.search_ms


@contextmanager
def timed_searches(engine: Engine) -> Iterator[list[float]]:
    """Yield the milliseconds of the searches that bundles make, in order."""
    spent: list[float] = []
    bundles = engine.bundles
    before = bundles._shelf  # noqa: SLF001 - nothing else tells the two apart
    searched = before.sources.search

    def search(*asked: Any, **wishes: Any) -> SearchReply:
        began = time.perf_counter()
        reply = searched(*asked, **wishes)
        spent.append((time.perf_counter() - began) * 1_000)
        return reply

    sources = replace(before.sources, search=search)
    bundles._shelf = replace(before, sources=sources)  # noqa: SLF001
    try:
        yield spent
    finally:
        bundles._shelf = before  # noqa: SLF001


def turns_of(engine: Engine, asked: Sequence[str], budget: int) -> list[Turn]:
    """Return what a bundle for each question takes."""
    turns = []
    with timed_searches(engine) as spent:
        for text in asked:
            began = time.perf_counter()
            bundle = engine.bundles.pack(text, budget_tokens=budget)
            whole = (time.perf_counter() - began) * 1_000
            turns.append(Turn(spent[-1], whole - spent[-1], bundle))
    return turns


def line_of(name: str, turns: Sequence[Turn]) -> str:
    """Return a line of the table."""
    search = statistics.median(turn.search_ms for turn in turns)
    packing = statistics.median(turn.packing_ms for turn in turns)
    ratio = statistics.median(turn.ratio for turn in turns)
    tokens = statistics.median(turn.bundle.tokens for turn in turns)
    notes = statistics.median(len(turn.bundle.notes) for turn in turns)
    return (
        f"{name:<34}{search:>9.2f}{packing:>9.2f}{ratio:>8.2f}x"
        f"{tokens:>9.0f}{notes:>7.0f}"
    )


def main() -> int:
    """Print every row; 1 when the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=NOTES)
    parser.add_argument("--turns", type=int, default=60)
    given = parser.parse_args()
    if hybrid.real_model() is None:
        print("skipped (no model; run: glassmind models fetch)")
        return 0
    root, place = hybrid.vault_of(given.notes)
    asked = vaults.queries(given.turns + LEARNING, seed=11)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(
        f"{given.notes:>7,} notes{'':<20}{'search':>9}{'packing':>9}{'ratio':>9}"
        f"{'tokens':>9}{'notes':>7}"
    )
    with Engine(LocalAdapters(hybrid.configured(root, place))) as engine:
        engine.warm()
        plain = [timed(partial(engine.search, text)) for text in asked]
        first = turns_of(engine, asked[:LEARNING], BUDGETS[-1])
        print(f"{'raw search, 10 hits':<34}{statistics.median(plain):>9.2f}")
        print(line_of(f"first {LEARNING} of {BUDGETS[-1]:,} tokens", first))
        for budget in BUDGETS:
            turns = turns_of(engine, asked[LEARNING:], budget)
            print(line_of(f"bundle of {budget:,} tokens", turns), flush=True)
    ratio = statistics.median(turn.ratio for turn in turns)
    verdict = "MISSED" if ratio > MOST else "ok"
    print(f"packing / search <= {MOST:g}x: {ratio:.2f}x  {verdict}")
    return int(ratio > MOST)


if __name__ == "__main__":
    sys.exit(main())
