"""Tuning search to one vault: what is tried, how it is asked, what comes of it."""

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product
from typing import NamedTuple

from glassmind.config.settings import SETTINGS, Config
from glassmind.evaluation.bench import Bench
from glassmind.evaluation.choose import SHUFFLES, Choice, choose
from glassmind.evaluation.faults import LimitTooLow, TooFewQueries
from glassmind.evaluation.measure import (
    DEFAULT,
    SEED,
    Asked,
    ShowCount,
    ask_all,
    engine_asker,
)
from glassmind.evaluation.metrics import mean
from glassmind.model.evaluation import Tried, TuneReport

LEAST_QUERIES = 50
"""Below this no gain that a vault may hope for is told from noise."""

SHARES = (0.2, 0.35, 0.5, 0.65, 0.8)
"""Shares of meaning against words: nearer ones rank alike."""

LINKS = (0.0, 0.4, 0.8, 1.2)
"""Weights of the graph where votes are stretched; beyond these, hubs come first."""

PREFIX, PREFIXES = "embeddings.prefix", ("headings", "title", "none")
"""What passages are embedded with; each means to embed the vault once more."""

IN_FORCE = "in force"


class Candidate(NamedTuple):
    """Settings that may be better, by full name; those not named stay."""

    name: str
    settings: Mapping[str, object]

    @property
    def embeds(self) -> bool:
        """Whether it takes other vectors."""
        return any(path.startswith("embeddings.") for path in self.settings)


def candidates(config: Config, *, prefixes: bool = False) -> list[Candidate]:
    """Return what is tried: first the settings in force, then others, each once.

    Only settings that search makes use of are changed. With `prefixes`, so is what
    passages are embedded with, unless another program embeds them.
    """
    found: dict[tuple[object, ...], Candidate] = {(): Candidate(IN_FORCE, {})}
    given = config.embeddings.backend in {"none", "smart-connections"}
    prefixed: list[dict[str, object]] = [{PREFIX: one} for one in PREFIXES]
    for settings in chain(_settings(), prefixed if prefixes and not given else ()):
        changed = {
            path: value
            for path, value in settings.items()
            if path in SETTINGS and _value(config, path) != value
        }
        if changed:
            key = tuple(sorted((path, str(value)) for path, value in changed.items()))
            found.setdefault(key, Candidate(_named(changed), changed))
    return list(found.values())


def _settings() -> Iterator[dict[str, object]]:
    for share, links in product(SHARES, LINKS):
        yield {
            "search.fusion": "minmax",
            "search.balance": share,
            "search.graph_weight": links,
        }
    yield {"search.fusion": "rrf"}
    for share in SHARES:
        yield {"search.fusion": "weighted_rrf", "search.balance": share}
        yield {
            "search.fusion": "weighted_sum",
            "search.semantic_weight": share,
            "search.keyword_weight": round(1 - share, 2),
        }
    for rerank in ("on", "off"):
        yield {"search.rerank": rerank}


def _value(config: Config, path: str) -> object:
    section, _, name = path.partition(".")
    return getattr(getattr(config, section), name)


def _named(settings: Mapping[str, object]) -> str:
    return ", ".join(
        f"{path.partition('.')[2]} {value}" for path, value in settings.items()
    )


def enough(limit: int | None) -> int | None:
    """Return a limit of queries that leaves what it takes to tune; None is no limit.

    Raises:
        LimitTooLow: this one does not.
    """
    if limit is not None and limit < LEAST_QUERIES:
        raise LimitTooLow(limit, LEAST_QUERIES)
    return limit


def tune(
    bench: Bench,
    *,
    seed: int = SEED,
    shuffles: int = SHUFFLES,
    show: ShowCount = lambda _done, _all: None,
    prefixes: bool = False,
) -> TuneReport:
    """Return whether other settings are better on this bench; nothing is written.

    With `prefixes`, passages are embedded anew for each of the other prefixes.

    Raises:
        TooFewQueries: the bench asks too little to tell.
    """
    began = time.perf_counter()
    if len(bench.queries) < LEAST_QUERIES:
        raise TooFewQueries(len(bench.queries), LEAST_QUERIES)
    with bench.open({}) as engine:
        tried = candidates(engine.config, prefixes=prefixes and bench.anew is not None)
    asked = _asked(bench, tried, show)
    rankings = [one.rankings for one in asked]
    choice = choose(rankings, bench.queries, seed=seed, shuffles=shuffles)
    report = _report(bench, tried, asked, choice)
    return report._replace(seconds=time.perf_counter() - began)


def _asked(bench: Bench, tried: Sequence[Candidate], show: ShowCount) -> list[Asked]:
    """Return what every candidate answers; engines share an index where they can."""
    found = []
    total = len(tried) * len(bench.queries)
    for number, candidate in enumerate(tried):
        before = number * len(bench.queries)

        def shown(done: int, _all: int, before: int = before) -> None:
            show(before + done, total)

        opened = bench.anew if candidate.embeds and bench.anew else bench.open
        with opened(candidate.settings) as engine:
            asker = engine_asker(engine)
            found.append(ask_all(asker, bench.queries, DEFAULT, shown, deep=False))
    return found


def _report(
    bench: Bench, tried: Sequence[Candidate], asked: Sequence[Asked], choice: Choice
) -> TuneReport:
    scored = [
        Tried(candidate.name, candidate.settings, mean(one.column("ndcg@10")))
        for candidate, one in zip(tried, asked, strict=True)
    ]
    missing = dict.fromkeys(reason for one in asked for reason in one.degraded)
    return TuneReport(
        accepted=choice.accepted,
        reason=choice.reason,
        queries=len(bench.queries),
        notes=bench.notes,
        folds=choice.folds,
        agreeing=choice.agreeing,
        before=choice.before,
        after=choice.after,
        held_out=choice.held_out,
        luck=choice.luck,
        chance=choice.chance,
        chosen=scored[choice.best],
        current=scored[0],
        tried=scored,
        notices=(*bench.notices, *missing),
    )
