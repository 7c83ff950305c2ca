"""The bars of a search by everything at once, each against a baseline of the same run.

    python benchmarks/hybrid.py [--only whole|pipeline|busy|cold] [--quick]

Vaults are generated and so are the vectors of their chunks, since embedding 100,000 of
them takes an hour; where a question's vector is part of a bar, the real model makes it.
Ours and the baseline take turns, so that a busy machine is busy for both.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import processes
import vaults
from vectors import CLUSTERS, WIDTH, clustered, percentiles, read_all, timed, unit

from glassmind import Engine
from glassmind.config.load import load_config
from glassmind.engine import engine_for
from glassmind.errors import ModelFault
from glassmind.keeping import DomainHooks
from glassmind.model.vectors import Space
from glassmind.models.embedders import embedder_for
from glassmind.models.files import models_folder
from glassmind.store.lexical import files as words
from glassmind.store.vectors.files import place_of
from glassmind.store.vectors.search import open_snapshot
from glassmind.vault import Vault

if TYPE_CHECKING:
    from glassmind.model.vectors import Embeddable, Matrix, Vector
    from glassmind.models.protocols import Embedder

CACHE = Path(tempfile.gettempdir()) / "glassmind-benchmarks"
WHOLE = 20_000
"""Notes whose passages get 99,500 vectors: the most below where bytes are scanned."""

SCANS, WORDS = 2.5, 2.0
"""What a whole search may take: so many times reading all vectors, and raw tantivy."""

PIPELINE = {500: (50.0, 200.0), 5_000: (150.0, 500.0), 20_000: (400.0, 1_200.0)}
"""Notes, and milliseconds that the Knowledge layer's documentation gives for its search
by vectors and for its whole pipeline, reranking included. Ours does not rerank by
default, and when it does, takes the time that it is given: those rows have no bar."""


class Row(NamedTuple):
    """One measurement against what it may take; `most` 0 is for the eye alone."""

    name: str
    p50_ms: float
    p95_ms: float
    baseline_ms: float = 0.0
    most: float = 0.0
    by_p95: bool = False

    @property
    def ratio(self) -> float:
        """How many times the baseline it took."""
        ours = self.p95_ms if self.by_p95 else self.p50_ms
        return ours / self.baseline_ms

    @property
    def failed(self) -> bool:
        """Whether it missed its bar."""
        return bool(self.most) and self.ratio > self.most

    def line(self) -> str:
        """Return a line of the table."""
        text = f"{self.name:<56}{self.p50_ms:>9.2f}{self.p95_ms:>9.2f}"
        if self.baseline_ms:
            kind = "p95" if self.by_p95 else "p50"
            text += f"{self.baseline_ms:>10.2f}{self.ratio:>7.2f}x {kind}"
        if self.most:
            text += f"  <= {self.most:g}x  {'MISSED' if self.failed else 'ok'}"
        return text


class Generated:
    """An embedder that knows nothing: a row around some centre for every passage.

    It stands in for `real` in its space, so that the real one can be asked afterwards.
    Questions have their vectors beforehand; any other is left to the real one.
    """

    def __init__(self, real: "Embedder | None", questions: Sequence[str] = ()) -> None:
        self._real = real
        self.space = real.space if real is not None else "generated"
        self.width = real.width if real is not None else WIDTH
        self._rng = np.random.default_rng(3)
        shape = (CLUSTERS, WIDTH)
        self._centres = unit(self._rng.standard_normal(shape, np.float32))
        made = clustered(self._rng, max(1, len(questions)), self._centres)
        self._known = dict(zip(questions, made, strict=False))

    def passages(self, parts: "Sequence[Embeddable]") -> "Iterator[Matrix]":
        """Yield a row for each part, as if it had one window."""
        yield from clustered(self._rng, len(parts), self._centres)[:, None, :]

    def query(self, text: str) -> "Vector":
        """Return the vector that was made for a question."""
        found: Vector | None = self._known.get(text)
        if found is not None:
            return found
        if self._real is not None:
            return self._real.query(text)
        made: Vector = clustered(self._rng, 1, self._centres)[0]
        return made


class StandIn(Vault):
    """The adapters of a vault whose model is another."""

    def __init__(self, model: Generated, root: Path, place: Path) -> None:
        super().__init__(configured(root, place))
        self._model, self.hooks = model, DomainHooks()

    def embedder(self) -> "Embedder":
        """Return the stand-in."""
        return self._model

    def embedder_of(self, _: Space) -> "Embedder | None":
        """Return the stand-in, whatever the space."""
        return self._model


def configured(root: Path, place: Path) -> "processes.Config":
    """Return the usual settings for a vault, with the models of this user."""
    user = load_config(flags={}, env=os.environ, cwd=Path.cwd(), need_vault=False)
    flags = {
        "vault.path": root,
        "index.location": str(place),
        "embeddings.models_folder": str(models_folder(user)),
    }
    return load_config(flags=flags, env={}, cwd=Path.cwd())


def real_model() -> "Embedder | None":
    """Return the usual model; None when it is not on this machine."""
    CACHE.mkdir(parents=True, exist_ok=True)  # the first that runs finds no vault
    try:
        return embedder_for(configured(CACHE, CACHE / "nowhere"))
    except ModelFault:
        return None


def vault_of(notes: int) -> tuple[Path, Path]:
    """Return a generated vault and the place of its index, vectors and all."""
    root, place = CACHE / f"vault-{notes}", CACHE / f"hybrid-{notes}"
    vaults.write_vault(root, notes)
    with Engine(StandIn(Generated(real_model()), root, place)) as engine:
        report = engine.index()
        if report.warnings:
            print("   ", *report.warnings)
    return root, place


def whole(turns: int) -> Iterator[Row]:
    """Yield a whole search at 100,000 chunks, its question's vector being there."""
    root, place = vault_of(WHOLE)
    asked = vaults.queries(turns)
    engine = Engine(StandIn(Generated(real_model(), asked), root, place))
    raw, floats = raw_tantivy(place), scanned(engine, place)
    ways: dict[str, Callable[[str], object]] = {
        "whole": engine.search,
        "raw": raw,
        "read": lambda _: read_all(floats),
        "words": lambda text: engine.search(text, mode="fulltext"),
        "semantic": lambda text: engine.search(text, mode="semantic"),
    }
    times = in_turns(ways, asked)
    work = in_turns(ways, asked, worked)
    engine.close()
    size = f"{floats.nbytes / 1e6:.0f} MB"
    yield Row(f"reading {size} on one thread", *percentiles(times["read"]))
    yield Row("raw tantivy, top 50", *percentiles(times["raw"]))
    yield Row("mode fulltext", *percentiles(times["words"]))
    yield Row("mode semantic", *percentiles(times["semantic"]))
    name = f"hybrid / {SCANS:g} readings and {WORDS:g} raw tantivy"
    yield Row(name, *percentiles(times["whole"]), allowed(times), 1)
    yield Row(
        "  the same, in work of all threads", *percentiles(work["whole"]), allowed(work)
    )


def allowed(times: dict[str, list[float]]) -> float:
    """Return what a whole search may take where reading and tantivy took so long."""
    reading, raw = (statistics.median(times[name]) for name in ("read", "raw"))
    return SCANS * reading + WORDS * raw


def worked(run: Callable[[], object]) -> float:
    """Return what some work cost in milliseconds of all threads."""
    before = time.process_time()
    run()
    return (time.process_time() - before) * 1_000


def raw_tantivy(place: Path) -> Callable[[str], object]:
    """Return tantivy's own search for the best 50 of the same word index."""
    index = words.open_index(next(place.iterdir()) / words.FOLDER)
    searcher, every = index.searcher(), [*words.STEMMED_FIELDS, "body"]

    def search(text: str) -> object:
        query = index.parse_query(text, default_field_names=every)
        return searcher.search(query, limit=50, count=False).hits

    return search


def scanned(engine: Engine, place: Path) -> "Matrix":
    """Return the bytes that a scan of the vectors reads, as floats."""
    folder, space = next(place.iterdir()), engine.stats().space
    found = open_snapshot(place_of(folder, space), WIDTH)
    if found is None:
        raise SystemExit(f"{folder} has no vectors")
    rows = found.vectors if found.small is None else found.small.view(np.float32)
    return rows.reshape(-1)


def in_turns(
    ways: dict[str, Callable[[str], object]],
    asked: Sequence[str],
    cost: Callable[[Callable[[], object]], float] = timed,
) -> dict[str, list[float]]:
    """Return what each way takes for each question, one after the other."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for text in (asked[0], *asked):
        for name, way in ways.items():
            times[name].append(cost(partial(way, text)))
    return {name: spent[1:] for name, spent in times.items()}


def pipeline(turns: int) -> Iterator[Row]:
    """Yield the whole pipeline, the question's vector made by the real model."""
    for notes, (vector_ms, whole_ms) in PIPELINE.items():
        root, place = vault_of(notes)
        with engine_for(configured(root, place)) as engine:
            ways: dict[str, Callable[[str], object]] = {
                "semantic": lambda text: engine.search(text, mode="semantic"),
                "hybrid": engine.search,
                "reranked": lambda text: engine.search(text, rerank="on"),
            }
            times = in_turns(ways, vaults.queries(turns, seed=11))
            said = engine.search("anything", rerank="on").degraded
        if said:
            print("   ", *said)
        named = f"{notes:,} notes"
        near, every, read = (percentiles(times[name]) for name in ways)
        yield Row(f"{named}, semantic / its vector search", *near, vector_ms, 1)
        yield Row(f"{named}, hybrid / its vector search", *every, vector_ms, 1)
        yield Row(
            f"{named}, hybrid / its whole pipeline", *every, whole_ms, 1, by_p95=True
        )
        yield Row(f"{named}, with rerank / the same", *read, whole_ms)


def busy(turns: int) -> Iterator[Row]:
    """Yield searches while another process embeds the vault, against idle ones."""
    root = CACHE / "vault-500"
    vaults.write_vault(root, 500)
    with tempfile.TemporaryDirectory() as scratch:
        config = configured(root, Path(scratch))
        idle, working = processes.beside_embedding(config, vaults.queries(turns))
    before = percentiles(idle)
    yield Row("hybrid, nothing else running", *before)
    yield Row(
        "hybrid while embedding / idle", *percentiles(working), before[1], 3, True
    )


def cold(turns: int) -> Iterator[Row]:
    """Yield cold commands: everything a shell pays for one search."""
    root, place = processes.SAMPLE, CACHE / "sample"
    config = configured(root, place)
    with engine_for(config) as engine:
        engine.index()
    times = processes.cold_commands(config, turns)
    bare, least = (statistics.median(times[name]) for name in ("bare", "pass"))
    yield Row("python -c pass", *percentiles(times["pass"]))
    yield Row(
        "interpreter, session and one embedding, bare", *percentiles(times["bare"])
    )
    yield Row("cold hybrid search / that", *percentiles(times["hybrid"]), bare, 1.5)
    yield Row("cold fulltext search / python", *percentiles(times["words"]), least, 12)


SECTIONS: dict[str, tuple[Callable[[int], Iterator[Row]], int]] = {
    "whole": (whole, 100),
    "pipeline": (pipeline, 60),
    "busy": (busy, 60),
    "cold": (cold, 15),
}
"""What is measured, and how many turns it takes."""


def main() -> int:
    """Print every row; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=[*SECTIONS], action="append")
    parser.add_argument("--quick", action="store_true", help="a third of the turns")
    given = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"{'':<56}{'p50 ms':>9}{'p95 ms':>9}{'baseline':>10}")
    there, missed = real_model() is not None, False
    for name in given.only or SECTIONS:
        measure, turns = SECTIONS[name]
        if name != "whole" and not there:
            print(f"skipped: {name} (no model; run: glassmind models fetch)")
            continue
        for row in measure(turns // 3 if given.quick else turns):
            print(row.line(), flush=True)
            missed |= row.failed
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
