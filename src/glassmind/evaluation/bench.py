"""Vaults to measure on, and copies of them that hide answers.

The user's vault is only read. A copy has every note at its path, with its time, and an
empty file for each attachment, so that links lead where they led.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeAlias

import platformdirs

from glassmind.config import Config
from glassmind.config.places import APP, FILE_NAME
from glassmind.engine import Engine
from glassmind.errors import GlassmindError, IndexUnwritable, ModelFault
from glassmind.evaluation.gold import (
    BadGold,
    Gold,
    GoldQuery,
    NotMeasurable,
    read_queries,
)
from glassmind.evaluation.own_links import (
    MOST_QUERIES,
    Readings,
    Replacement,
    own_gold,
    read_vault,
)
from glassmind.model import NotePath
from glassmind.model.index import IndexReport, ShowProgress
from glassmind.models.embedders import embedder_for
from glassmind.store.lock import WriterLock
from glassmind.store.place import index_name


def copy_vault(
    readings: Readings,
    hidden: Mapping[NotePath, Sequence[Replacement]],
    folder: Path,
) -> None:
    try:
        remove(folder)
        folder.mkdir(parents=True, mode=0o700)
        for file in readings.files:
            raw = readings.texts.get(file.path, b"")
            if file.path in hidden:
                raw = edited(raw, hidden[file.path], readings.notes[file.path].base)
            copied = folder / file.path
            copied.parent.mkdir(parents=True, exist_ok=True)
            copied.write_bytes(raw)
            os.utime(copied, ns=(file.mtime_ns, file.mtime_ns))
        settings = readings.root / FILE_NAME
        # A link is not read in the vault either.
        if settings.is_file() and not settings.is_symlink():
            (folder / FILE_NAME).write_bytes(settings.read_bytes())
    except OSError as error:
        raise IndexUnwritable(str(folder), error.strerror or str(error)) from error


def edited(raw: bytes, edits: Sequence[Replacement], base: int = 0) -> bytes:
    parts: list[bytes] = []
    at = 0
    for edit in edits:
        parts += [raw[at : base + edit.start], edit.text]
        at = base + edit.end
    return b"".join([*parts, raw[at:]])


def remove(folder: Path) -> None:
    if folder.is_dir() and not folder.is_symlink():
        shutil.rmtree(folder)


WAIT_S = 5.0
"""How long another measurement of the same set is waited for: it takes minutes."""


@contextmanager
def place_for(source: Path, gold: str, model: str, *, fresh: bool) -> Iterator[Path]:
    key = sha256(f"{gold}\n{model}".encode()).hexdigest()[:8]
    cache = platformdirs.user_cache_dir(APP, appauthor=False)
    folder = Path(cache, "evaluation") / f"{index_name(source)}-{key}"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise IndexUnwritable(str(folder), error.strerror or str(error)) from error
    with WriterLock(folder / "lock") as lock:
        lock.acquire(timeout_s=WAIT_S)
        if fresh:
            for part in folder.iterdir():
                remove(part)
        yield folder


Open: TypeAlias = Callable[[Path | None, Mapping[str, object]], Engine]
"""Opens a vault (None: the one that is chosen) with settings that win over others."""


class Bench(NamedTuple):
    gold: str
    source: Path
    queries: Sequence[GoldQuery]
    notes: int
    model: str
    open: Callable[[Mapping[str, object]], Engine]
    notices: Sequence[str] = ()


class BenchOptions(NamedTuple):
    preset: str = ""
    model: str = ""
    fresh: bool = False
    limit_queries: int | None = None
    seed: int = 0
    progress: ShowProgress | None = None

    def settings(self) -> dict[str, object]:
        """Return the settings that were asked for; what is measured is not use."""
        unseen: dict[str, object] = {"memory.record_use": False}
        if self.model:
            return {"embeddings.model": self.model, **unseen}
        if self.preset:  # a configured model would win over it
            return {"embeddings.preset": self.preset, "embeddings.model": "", **unseen}
        return unseen


@contextmanager
def queries_bench(open_: Open, file: Path, wanted: BenchOptions) -> Iterator[Bench]:
    gold = read_queries(file)
    config = config_of(open_, None, wanted)
    root = config.vault.path
    targets = {path for query in gold.queries for path in query.grades}
    if not any((root / path).is_file() for path in targets):
        raise BadGold(str(file), 0, f"none of the notes it names is in {root}")
    with place_for(root, "queries", model_of(config), fresh=wanted.fresh) as place:
        opener = opener_for(open_, place, wanted, root)
        _seed(lambda: open_(root, {}), place, lambda: opener({}))
        bench = ready("queries", root, gold, opener, wanted)
        with opener({}) as engine:
            known = {note.path for note in engine.list_notes(limit=bench.notes).notes}
        notices = list(bench.notices)
        asked = {path for query in bench.queries for path in query.grades}
        if gone := sorted(asked - known):
            what = "1 relevant note is not in the index and counts"
            if len(gone) > 1:
                what = f"{len(gone)} relevant notes are not in the index and count"
            more = ", ..." if len(gone) > 1 else ""
            notices.append(f"{what} as missed: {gone[0]}{more}")
        yield bench._replace(notices=notices)


@contextmanager
def own_bench(open_: Open, wanted: BenchOptions) -> Iterator[Bench]:
    config = config_of(open_, None, wanted)
    root = config.vault.path
    readings = read_vault(config)
    most = wanted.limit_queries or MOST_QUERIES
    gold = own_gold(readings, seed=wanted.seed, most=most)
    if not gold.gold.queries:
        problem = "it has no links, aliases or headings that could be asked"
        raise BadGold(str(root), 0, problem)
    with place_for(root, "self", model_of(config), fresh=wanted.fresh) as place:
        opener = opener_for(open_, place, wanted)
        try:
            copy_vault(readings, gold.hidden, place / "vault")
            _seed(lambda: open_(root, {}), place, lambda: opener({}))
            yield ready("self", root, gold.gold, opener, wanted)
        finally:
            remove(place / "vault")


def model_of(config: Config) -> str:
    embeddings = config.embeddings
    return (
        "none"
        if embeddings.backend == "none"
        else embeddings.model or embeddings.preset
    )


def config_of(open_: Open, root: Path | None, wanted: BenchOptions) -> Config:
    with open_(root, wanted.settings()) as engine:
        return engine.config


def opener_for(
    open_: Open, place: Path, wanted: BenchOptions, root: Path | None = None
) -> Callable[[Mapping[str, object]], Engine]:
    ours = {"index.location": str(place / "index"), **wanted.settings()}
    return lambda settings: open_(root or place / "vault", {**ours, **settings})


def ready(
    kind: str,
    source: Path,
    gold: Gold,
    opener: Callable[[Mapping[str, object]], Engine],
    wanted: BenchOptions,
) -> Bench:
    with opener({}) as engine:
        report = _indexed(engine, wanted)
        model = model_of(engine.config)
    queries = sampled(gold.queries, wanted)
    return Bench(kind, source, queries, report.notes, model, opener, gold.notices)


def _indexed(engine: Engine, wanted: BenchOptions) -> IndexReport:
    if wanted.preset or wanted.model:  # else former vectors would be measured for it
        try:
            embedder = embedder_for(engine.config)
        except ModelFault as fault:
            raise NotMeasurable(str(fault)) from fault
        if embedder is None:
            said = f"embeddings.backend is {engine.config.embeddings.backend}"
            raise NotMeasurable(f"{said}, which asks no model by name")
    # The index is ours: what is gone from it was taken out by us.
    report = engine.index(progress=wanted.progress, accept_deletions=True)
    engine.knowledge.themes()  # a part of what is asked; a watch makes them, too
    if report.left and not report.embedded:
        raise NotMeasurable("; ".join(report.warnings) or "there is no model")
    return report


def _seed(known: Callable[[], Engine], place: Path, made: Callable[[], Engine]) -> None:
    if (place / "index").exists():
        return
    copy = place / "seed.db"
    copy.unlink(missing_ok=True)
    # It saves time and nothing else: without it all is indexed from the notes.
    with suppress(GlassmindError):
        with known() as own:
            own.backup(copy)
        with made() as engine:
            engine.restore(copy, force=True)
    copy.unlink(missing_ok=True)


def sampled(queries: Sequence[GoldQuery], wanted: BenchOptions) -> Sequence[GoldQuery]:
    if wanted.limit_queries is None or len(queries) <= wanted.limit_queries:
        return queries
    order = sorted(
        queries,
        key=lambda gold_query: sha256(
            f"{wanted.seed}:{gold_query.id}".encode()
        ).digest(),
    )
    kept = {query.id for query in order[: wanted.limit_queries]}
    return [query for query in queries if query.id in kept]
