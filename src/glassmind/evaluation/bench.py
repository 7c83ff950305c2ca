"""A gold set with a vault that is indexed and ready to be asked.

Three ways lead here: a collection whose documents become notes, a vault with a file of
queries, and a vault that is asked about itself. Each has an index of its own in the
user's cache, kept from run to run; the copy of a user's vault is not.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeAlias

from glassmind.config import Config
from glassmind.engine import Engine
from glassmind.errors import GlassmindError, ModelFault
from glassmind.evaluation.beir import read_collection
from glassmind.evaluation.copies import copy_vault, remove, write_notes
from glassmind.evaluation.faults import BadGold, Unmeasurable
from glassmind.evaluation.gold import Gold, GoldQuery, read_queries
from glassmind.evaluation.own_links import MOST, own_gold
from glassmind.evaluation.place import place_for
from glassmind.evaluation.readings import read_vault
from glassmind.model.index import IndexReport
from glassmind.models.choose import embedder_for
from glassmind.ports.indexing import ShowProgress

Open: TypeAlias = Callable[[Path | None, Mapping[str, object]], Engine]
"""Opens a vault (None: the one that is chosen) with settings that win over others."""


class Bench(NamedTuple):
    """Queries, and what opens an engine that can answer them.

    Engines under other settings share the index; who opens one closes it. `anew` opens
    one whose passages are embedded by other settings, with an index of its own.
    """

    gold: str
    source: Path
    queries: Sequence[GoldQuery]
    notes: int
    model: str
    open: Callable[[Mapping[str, object]], Engine]
    notices: Sequence[str] = ()
    anew: Callable[[Mapping[str, object]], Engine] | None = None


class Wanted(NamedTuple):
    """How a bench is to be made ready; `preset` and `model` win over the settings."""

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
def collection_bench(open_: Open, folder: Path, wanted: Wanted) -> Iterator[Bench]:
    """Yield a collection in the BEIR layout as notes, ready to be asked.

    Raises:
        BadGold: a file of it cannot be used.
    """
    documents = read_collection(folder)
    model = model_of(_config(open_, folder, wanted))
    with place_for(folder, "dataset", model, fresh=wanted.fresh) as place:
        write_notes(documents.notes, place / "vault")
        opener = _opener(open_, place, wanted)
        made = _ready("dataset", folder, documents.gold, opener, wanted)
        yield made._replace(anew=_anew(opener, place, wanted))


@contextmanager
def queries_bench(open_: Open, file: Path, wanted: Wanted) -> Iterator[Bench]:
    """Yield the chosen vault and a file of queries about it, ready to be asked.

    Raises:
        BadGold: the file cannot be used, or names notes of another vault.
    """
    gold = read_queries(file)
    config = _config(open_, None, wanted)
    root = config.vault.path
    _check_targets(gold.queries, root, file)
    with place_for(root, "queries", model_of(config), fresh=wanted.fresh) as place:
        opener = _opener(open_, place, wanted, root)
        _seed(lambda: open_(root, {}), place, "index", lambda: opener({}))
        made = _ready("queries", root, gold, opener, wanted)
        with opener({}) as engine:
            notices = (*made.notices, *_missing(made.queries, engine, made.notes))
        yield made._replace(anew=_anew(opener, place, wanted), notices=notices)


@contextmanager
def own_bench(open_: Open, wanted: Wanted) -> Iterator[Bench]:
    """Yield the chosen vault's questions about itself, and a copy that hides them.

    The copy is deleted in the end.

    Raises:
        BadGold: the vault has nothing to ask about.
    """
    config = _config(open_, None, wanted)
    root = config.vault.path
    readings = read_vault(config)
    most = wanted.limit_queries or MOST
    found = own_gold(readings, seed=wanted.seed, most=most)
    if not found.gold.queries:
        problem = "it has no links, aliases or headings that could be asked"
        raise BadGold(str(root), 0, problem)
    with place_for(root, "self", model_of(config), fresh=wanted.fresh) as place:
        opener = _opener(open_, place, wanted)
        try:
            copy_vault(config, readings, found.hidden, place / "vault")
            _seed(lambda: open_(root, {}), place, "index", lambda: opener({}))
            made = _ready("self", root, found.gold, opener, wanted)
            yield made._replace(anew=_anew(opener, place, wanted))
        finally:
            remove(place / "vault")


def model_of(config: Config) -> str:
    """Return the model that the settings name, or the preset."""
    chosen = config.embeddings
    return "none" if chosen.backend == "none" else chosen.model or chosen.preset


def _config(open_: Open, root: Path | None, wanted: Wanted) -> Config:
    with open_(root, wanted.settings()) as engine:
        return engine.config


def _opener(
    open_: Open, place: Path, wanted: Wanted, root: Path | None = None
) -> Callable[[Mapping[str, object]], Engine]:
    """Return what opens the vault in a place, or another with its index there."""
    ours = {"index.location": str(place / "index"), **wanted.settings()}
    return lambda settings: open_(root or place / "vault", {**ours, **settings})


def _ready(
    kind: str,
    source: Path,
    gold: Gold,
    opener: Callable[[Mapping[str, object]], Engine],
    wanted: Wanted,
) -> Bench:
    """Return the bench once its index is up to date.

    Raises:
        Unmeasurable: the model of the settings cannot be asked.
    """
    with opener({}) as engine:
        report = _brought_up(engine, wanted)
        model = model_of(engine.config)
    queries = sampled(gold.queries, wanted)
    return Bench(kind, source, queries, report.notes, model, opener, gold.notices)


def _brought_up(engine: Engine, wanted: Wanted) -> IndexReport:
    """Bring an index up to its notes.

    Raises:
        Unmeasurable: the model of the settings cannot be asked.
    """
    if wanted.preset or wanted.model:  # else former vectors would be measured for it
        try:
            chosen = embedder_for(engine.config)
        except ModelFault as fault:
            raise Unmeasurable(str(fault)) from fault
        if chosen is None:
            said = f"embeddings.backend is {engine.config.embeddings.backend}"
            raise Unmeasurable(f"{said}, which asks no model by name")
    # The index is ours: what is gone from it was taken out by us.
    report = engine.index(progress=wanted.progress, accept_deletions=True)
    engine.knowledge.themes()  # a part of what is asked; a watch makes them, too
    if report.left and not report.embedded:
        raise Unmeasurable("; ".join(report.warnings) or "there is no model")
    return report


def _seed(
    known: Callable[[], Engine], place: Path, name: str, made: Callable[[], Engine]
) -> None:
    """Begin with a copy of an index that is known, so that little is done anew.

    `made` opens the vault with the index called so.
    """
    if (place / name).exists():
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


def _anew(
    opener: Callable[[Mapping[str, object]], Engine], place: Path, wanted: Wanted
) -> Callable[[Mapping[str, object]], Engine]:
    """Return what opens the same notes, embedded by other settings."""

    def opened(settings: Mapping[str, object]) -> Engine:
        said = "\n".join(f"{key} {settings[key]}" for key in sorted(settings))
        name = f"index-{sha256(said.encode()).hexdigest()[:8]}"
        apart = {**settings, "index.location": str(place / name)}
        _seed(lambda: opener({}), place, name, lambda: opener(apart))
        with opener(apart) as engine:
            _brought_up(engine, wanted)
        return opener(apart)

    return opened


def _check_targets(queries: Sequence[GoldQuery], root: Path, file: Path) -> None:
    """Refuse queries about another vault: not one of their notes is there."""
    targets = {path for query in queries for path in query.grades}
    if not any((root / path).is_file() for path in targets):
        raise BadGold(str(file), 0, f"none of the notes it names is in {root}")


def _missing(queries: Sequence[GoldQuery], engine: Engine, notes: int) -> Iterator[str]:
    """Yield how many relevant notes no search can find, if any, and one of them.

    `notes` is how many the index has.
    """
    known = {note.path for note in engine.list_notes(limit=notes).notes}
    gone = sorted({path for query in queries for path in query.grades} - known)
    if len(gone) == 1:
        yield f"1 relevant note is not in the index and counts as missed: {gone[0]}"
    elif gone:
        said = f"{len(gone)} relevant notes are not in the index and count as missed"
        yield f"{said}: {gone[0]}, ..."


def sampled(queries: Sequence[GoldQuery], wanted: Wanted) -> Sequence[GoldQuery]:
    """Return so many of the queries as are wanted, in their order; chosen by seed."""
    if wanted.limit_queries is None or len(queries) <= wanted.limit_queries:
        return queries
    order = sorted(
        queries, key=lambda one: sha256(f"{wanted.seed}:{one.id}".encode()).digest()
    )
    kept = {query.id for query in order[: wanted.limit_queries]}
    return [query for query in queries if query.id in kept]
