"""The bars of embedding, each a ratio against bare ONNX Runtime in the same run.

    python benchmarks/embedding.py [--chunks N] [--rounds N] [--model NAME]

Ours and the baseline take turns, so that a busy machine is busy for both; figures are
medians of the turns.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from glassmind.config.load import load_config
from glassmind.model.vectors import Embeddable
from glassmind.models.cards import ModelCard, card_named
from glassmind.models.embedders import embedder_of
from glassmind.models.files import models_folder
from glassmind.models.runtime import onnxruntime
from glassmind.models.tokens import tokenizer_of
from glassmind.models.vectors import usable_cores

SAMPLE = Path(__file__).parents[1] / "sample-vault"
QUERY = "why did the battery fail in the frost"
CHUNK_CHARS = 1600

BARE_COLD = """
import sys
import numpy as np, onnxruntime
from tokenizers import Tokenizer
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
session = onnxruntime.InferenceSession(
    sys.argv[1], options, providers=["CPUExecutionProvider"])
tokenizer = Tokenizer.from_file(sys.argv[2])
tokenizer.no_padding()
row = np.array([tokenizer.encode(sys.argv[3]).ids], dtype=np.int64)
given = {"input_ids": row, "attention_mask": np.ones_like(row),
         "token_type_ids": np.zeros_like(row)}
names = [one.name for one in session.get_inputs()]
print(session.run(None, {name: given[name] for name in names})[0][0].mean(0)[0])
"""

OUR_COLD = """
import sys
from pathlib import Path
from glassmind.models.cards import card_named
from glassmind.models.embedders import embedder_of
print(embedder_of(card_named(sys.argv[1]), Path(sys.argv[2])).query(sys.argv[3])[0])
"""


class Ratio(NamedTuple):
    """One bar: ours against the baseline, and what the ratio must not pass."""

    name: str
    ours: float
    baseline: float
    bound: float
    unit: str
    at_least: bool = False

    @property
    def ratio(self) -> float:
        """Ours as a multiple of the baseline."""
        return self.ours / self.baseline

    @property
    def met(self) -> bool:
        """Whether the bar is held."""
        if self.at_least:
            return self.ratio >= self.bound
        return self.ratio <= self.bound

    def row(self) -> str:
        """Return a line of the table."""
        sign = ">=" if self.at_least else "<="
        state = "ok" if self.met else "MISSED"
        return (
            f"{self.name:<34}{self.ours:>9.2f}{self.baseline:>9.2f} {self.unit:<8}"
            f"{self.ratio:>6.2f}x {sign} {self.bound}  {state}"
        )


class Bare:
    """ONNX Runtime with nothing around it."""

    def __init__(self, file: Path, threads: int) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        self._session = onnxruntime.InferenceSession(
            str(file), options, providers=["CPUExecutionProvider"]
        )
        self._names = [given.name for given in self._session.get_inputs()]

    def inputs(self, rows: Sequence[Sequence[int]]) -> dict[str, Any]:
        """Return the inputs of a batch, filled up to its longest row."""
        longest = max(map(len, rows))
        ids = np.zeros((len(rows), longest), np.int64)
        mask = np.zeros_like(ids)
        for at, row in enumerate(rows):
            ids[at, : len(row)], mask[at, : len(row)] = row, 1
        given = {"input_ids": ids, "attention_mask": mask}
        given["token_type_ids"] = np.zeros_like(ids)
        return {name: given[name] for name in self._names}

    def run(self, inputs: dict[str, Any]) -> Any:
        """Return what the model says."""
        return self._session.run(None, inputs)[0]


def sample_chunks(limit: int) -> list[Embeddable]:
    """Return pieces of the sample vault's notes, each with its title."""
    found = []
    for file in sorted(SAMPLE.rglob("*.md")):
        text = file.read_text("utf-8", "replace")
        found += [
            Embeddable(file.stem, text[at : at + CHUNK_CHARS])
            for at in range(0, len(text), CHUNK_CHARS)
        ]
    return (found * (1 + limit // max(1, len(found))))[:limit]


def taken(work: Callable[[], object]) -> float:
    """Return the seconds that a piece of work takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def in_turns(
    pieces: Mapping[str, Callable[[], object]], rounds: int, warm: int = 1
) -> dict[str, float]:
    """Return the median seconds of each piece of work, done in turns."""
    times: dict[str, list[float]] = {name: [] for name in pieces}
    for turn in range(rounds + warm):
        for name, work in pieces.items():
            spent = taken(work)
            if turn >= warm:
                times[name].append(spent)
    return {name: statistics.median(spent) for name, spent in times.items()}


def query_ratio(card: ModelCard, home: Path, rounds: int) -> Ratio:
    """Return what a question takes, against running its tokens and nothing else."""
    folder = home / card.id
    embedder = embedder_of(card, home)
    words = tokenizer_of(card, folder / "tokenizer.json")
    bare = Bare(folder / card.weights.name, 1)
    inputs = bare.inputs([words.query(card.query_prefix + QUERY, card.max_tokens)])
    median = in_turns(
        {"ours": lambda: embedder.query(QUERY), "bare": lambda: bare.run(inputs)},
        rounds * 40,
        warm=10,
    )
    return Ratio("query", median["ours"] * 1e3, median["bare"] * 1e3, 1.3, "ms")


def throughput_ratio(
    card: ModelCard, home: Path, chunks: int, rounds: int
) -> tuple[Ratio, dict[str, float]]:
    """Return chunks in a second against the best bare loop over the same tokens.

    Also returns every loop that was tried, in chunks a second.
    """
    folder, cores = home / card.id, usable_cores()
    parts = sample_chunks(chunks)
    embedder = embedder_of(card, home)
    words = tokenizer_of(card, folder / "tokenizer.json")
    windows = [
        window
        for part in parts
        for window in words.windows(part, card.passage_prefix, card.window)
    ]
    narrow = Bare(folder / card.weights.name, 1)
    wide = Bare(folder / card.weights.name, cores)
    singles = [narrow.inputs([window]) for window in windows]
    batches = {size: _batches(wide, windows, size) for size in (8, 32)}

    def spread(inputs: Sequence[dict[str, Any]]) -> None:
        with ThreadPoolExecutor(cores) as pool:
            list(pool.map(narrow.run, inputs))

    pieces: dict[str, Callable[[], object]] = {
        "ours": lambda: list(embedder.passages(parts)),
        "one text a run, a thread a core": lambda: spread(singles),
        "one text a run, all cores on it": partial(_one_by_one, wide, singles),
    }
    for size, made in batches.items():
        pieces[f"batches of {size}, all cores on it"] = partial(_one_by_one, wide, made)
        pieces[f"batches of {size}, a thread a core"] = partial(spread, made)
    median = in_turns(pieces, rounds)
    rates = {name: len(parts) / spent for name, spent in median.items()}
    best = max(rate for name, rate in rates.items() if name != "ours")
    ratio = Ratio("throughput", rates["ours"], best, 0.85, "chunks/s", at_least=True)
    return ratio, rates


def _one_by_one(bare: Bare, inputs: Sequence[dict[str, Any]]) -> None:
    for input_ in inputs:
        bare.run(input_)


def _batches(
    bare: Bare, windows: Sequence[Sequence[int]], size: int
) -> list[dict[str, Any]]:
    ordered = sorted(windows, key=len)
    return [bare.inputs(ordered[at : at + size]) for at in range(0, len(ordered), size)]


def cold_ratio(card: ModelCard, home: Path, rounds: int) -> Ratio:
    """Return a fresh interpreter and one question, against the same without us."""
    folder = home / card.id
    bare = [BARE_COLD, str(folder / card.weights.name), str(folder / "tokenizer.json")]
    ours = [OUR_COLD, card.id, str(home)]
    pieces = {"ours": partial(_python, ours), "bare": partial(_python, bare)}
    median = in_turns(pieces, rounds * 3)
    return Ratio("cold query", median["ours"] * 1e3, median["bare"] * 1e3, 1.2, "ms")


def _python(words: Sequence[str]) -> None:
    subprocess.run(
        [sys.executable, "-c", *words, QUERY],
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=120,
    )


def main() -> int:
    """Print every ratio; the exit code is 1 when one is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--model", default="all-minilm-l6-v2")
    args = parser.parse_args()
    config = load_config(flags={}, env=os.environ, cwd=Path.cwd(), need_vault=False)
    card, home = card_named(args.model), models_folder(config)
    print(f"{card.id}, {usable_cores()} cores, {args.chunks} chunks")
    throughput, rates = throughput_ratio(card, home, args.chunks, args.rounds)
    ratios = [
        query_ratio(card, home, args.rounds),
        throughput,
        cold_ratio(card, home, args.rounds),
    ]
    for ratio in ratios:
        print(ratio.row())
    for name, rate in rates.items():
        print(f"  {name:<34}{rate:>8.1f} chunks/s")
    return 0 if all(ratio.met for ratio in ratios) else 1


if __name__ == "__main__":
    sys.exit(main())
