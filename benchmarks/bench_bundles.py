"""The bar of bundles: what packing takes beside the search that it follows.

    python benchmarks/bench_bundles.py [--notes N] [--turns N]

The vault is generated, and so are the vectors of its chunks; the real model makes those
of the questions and counts the tokens. The search is the one that a bundle makes, and
both are timed inside the same calls, so that a busy machine is busy for both: by the
clock, and in work of all threads, which other programs disturb less. What words count
and what notes state is remembered in a process, so three cases are told apart: its
first bundles, bundles for questions it has not met, and the same questions once more.
For the eye alone: searches by words, which take a fraction of those by meaning, and a
vault of long notes that are full of tasks, decisions and statements.
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import hybrid
import vaults
from vectors import timed

from glassmind import Engine
from glassmind.engine import engine_for
from glassmind.model.context import Bundle
from glassmind.model.search import Mode, SearchReply

NOTES = 10_000
BUDGETS = (1_000, 3_000, 6_000)
MOST = 0.3
"""What packing may take of the search that it follows, at every budget."""

LEARNING = 20
"""Turns before the words that come up are mostly known."""

CROWDED, LINES = 300, 60
"""Long notes, and how many tasks, decisions and statements each of them has."""


class Spent(NamedTuple):
    """Milliseconds by the clock, and of work of all threads."""

    clock: float
    work: float

    def less(self, other: "Spent") -> "Spent":
        """Return what is left without another."""
        return Spent(self.clock - other.clock, self.work - other.work)


class Turn(NamedTuple):
    """What one bundle took."""

    search: Spent
    packing: Spent
    bundle: Bundle


def now() -> Spent:
    """Return where both clocks stand."""
    return Spent(time.perf_counter() * 1_000, time.process_time() * 1_000)


@contextmanager
def timed_searches(engine: Engine) -> Iterator[list[Spent]]:
    """Yield what the searches take that bundles make, in order."""
    spent: list[Spent] = []
    parts = engine.bundles._parts
    searched = parts.search

    def search(*asked: Any, **wishes: Any) -> SearchReply:
        began = now()
        reply = searched(*asked, **wishes)
        spent.append(now().less(began))
        return reply

    parts.search = search
    try:
        yield spent
    finally:
        parts.search = searched


def turns_of(
    engine: Engine, asked: Sequence[str], budget: int, mode: Mode | None = None
) -> list[Turn]:
    """Return what a bundle for each question takes."""
    turns = []
    with timed_searches(engine) as spent:
        for text in asked:
            began = now()
            bundle = engine.bundles.pack(text, budget_tokens=budget, mode=mode)
            whole = now().less(began)
            turns.append(Turn(spent[-1], whole.less(spent[-1]), bundle))
    return turns


def ratios_of(turns: Sequence[Turn]) -> Spent:
    """Return what packing took of the search, in the median."""
    return Spent(
        statistics.median(turn.packing.clock / turn.search.clock for turn in turns),
        statistics.median(turn.packing.work / turn.search.work for turn in turns),
    )


def line_of(name: str, turns: Sequence[Turn]) -> str:
    """Return a line of the table."""
    search = statistics.median(turn.search.clock for turn in turns)
    packing = statistics.median(turn.packing.clock for turn in turns)
    tokens = statistics.median(turn.bundle.tokens for turn in turns)
    notes = statistics.median(len(turn.bundle.notes) for turn in turns)
    ratio = ratios_of(turns)
    return (
        f"{name:<34}{search:>9.2f}{packing:>9.2f}{ratio.clock:>8.2f}x{ratio.work:>8.2f}x"
        f"{tokens:>9.0f}{notes:>7.0f}"
    )


def crowded_note(writer: vaults.Writer, number: int) -> str:
    """Return a long note of which every section of a bundle has something to say."""
    rows = [" ".join(writer.words(7)) for _ in range(3 * LINES)]
    tasks = "".join(f"- [ ] {row}\n" for row in rows[:LINES])
    decided = "".join(f"- 2026-01-02: {row}\n" for row in rows[LINES : 2 * LINES])
    stated = "".join(
        f"The {row[:20].strip()} of hall {at} is {number % 9} EUR. {row}\n\n"
        for at, row in enumerate(rows[2 * LINES :])
    )
    text = writer.note(number)
    return f"{text}\n## Tasks\n{tasks}\n## Decisions\n{decided}\n## Rent\n{stated}"


def crowded_vault() -> tuple[Path, Path]:
    """Return a vault of such notes and the place of its index, vectors and all."""
    root, place = hybrid.CACHE / "crowded", hybrid.CACHE / "crowded-index"
    writer = vaults.Writer(7, CROWDED)
    for number in range(CROWDED):
        file = root / writer.name(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(crowded_note(writer, number), "utf-8")
    model = hybrid.Generated(hybrid.real_model())
    with Engine(hybrid.StandIn(model, root, place)) as engine:
        engine.index()
    return root, place


def print_crowded(asked: Sequence[str]) -> None:
    """Print what bundles of a vault of crowded notes take."""
    with engine_for(hybrid.configured(*crowded_vault())) as engine:
        engine.warm()
        turns_of(engine, asked[:LEARNING], BUDGETS[-1])
        turns = turns_of(engine, asked[LEARNING:], BUDGETS[-1])
    print(line_of(f"{BUDGETS[-1]:,} tokens, {CROWDED} crowded notes", turns))


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
    asked = vaults.queries(LEARNING + given.turns * len(BUDGETS), seed=11)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(
        f"{given.notes:>7,} notes{'':<20}{'search':>9}{'packing':>9}{'ratio':>9}"
        f"{'work':>9}{'tokens':>9}{'notes':>7}"
    )
    with engine_for(hybrid.configured(root, place)) as engine:
        engine.warm()
        plain = [timed(partial(engine.search, text)) for text in asked[:LEARNING]]
        first = turns_of(engine, asked[:LEARNING], BUDGETS[-1])
        print(f"{'raw search, 10 hits':<34}{statistics.median(plain):>9.2f}")
        print(line_of(f"first {LEARNING} of {BUDGETS[-1]:,} tokens", first))
        worst = Spent(0.0, 0.0)
        for case in ("new questions", "asked again"):
            for at, budget in enumerate(BUDGETS):
                ours = asked[LEARNING:][at :: len(BUDGETS)]
                turns = turns_of(engine, ours, budget)
                name = f"{budget:,} tokens, {case}"
                print(line_of(name, turns), flush=True)
                if case == "new questions":
                    worst = max(worst, ratios_of(turns), key=lambda one: one.work)
        by_words = vaults.queries(given.turns, seed=12)
        for budget in BUDGETS:
            turns = turns_of(engine, by_words, budget, "fulltext")
            print(line_of(f"{budget:,} tokens, by words alone", turns), flush=True)
    print_crowded(vaults.queries(LEARNING + given.turns, seed=13))
    missed = worst.work > MOST
    verdict = "MISSED" if missed else "ok"
    print(f"packing / search <= {MOST:g}x of work: {worst.work:.2f}x  {verdict}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
