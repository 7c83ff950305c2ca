"""`glassmind eval` and `tune`: measure search, and improve its settings."""

import os
from argparse import Namespace
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Meta

from glassmind.config.trust import keep_trust
from glassmind.engine import Engine, engine_for
from glassmind.errors import OK
from glassmind.evaluation.report import (
    evaluation_as_json,
    evaluation_as_text,
    tuning_as_json,
    tuning_as_text,
)
from glassmind.model.index import Progress
from glassmind.serve.cli.opening import config_of, path_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import LocalCommand, flag, one_of, option
from glassmind.serve.cli.settings import file_in_use

if TYPE_CHECKING:  # numpy
    from glassmind.evaluation.bench import BenchOptions
    from glassmind.evaluation.tune import TuneReport

ShowProgress = Callable[[Progress], None] | None


def _open(args: Namespace) -> Callable[[Path | None, Mapping[str, object]], Engine]:
    def opened(root: Path | None, settings: Mapping[str, object]) -> Engine:
        vault = {"vault.path": root} if root else {}
        return engine_for(config_of(args, flags={**vault, **settings}))

    return opened


def _count(progress: ShowProgress) -> Callable[[int, int], None]:
    show = progress or (lambda _: None)
    return lambda done, total: show(Progress("measure", done, total))


def _wanted(
    args: Namespace, progress: ShowProgress, limit: int | None
) -> "BenchOptions":
    from glassmind.evaluation.bench import BenchOptions  # noqa: PLC0415 - numpy

    return BenchOptions(
        preset=getattr(args, "preset", None) or "",
        model=getattr(args, "model", None) or "",
        fresh=args.fresh,
        limit_queries=limit,
        seed=args.seed,
        progress=progress,
    )


def evaluate(args: Namespace, output: Output) -> int:
    """Measure search quality."""
    from glassmind.evaluation import bench, measure  # noqa: PLC0415 - numpy

    one_of(args, "eval", "--queries", "--self", needed=True)
    one_of(args, "eval", "--preset", "--model")
    with output.progress() as progress:
        options, opened = _wanted(args, progress, args.limit_queries), _open(args)
        if args.self:
            chosen = bench.own_bench(opened, options)
        else:
            chosen = bench.queries_bench(opened, path_of(args.queries), options)
        with chosen as opened_bench:
            report = measure.evaluate(
                opened_bench,
                compare=not args.no_ablations,
                seed=args.seed,
                show=_count(progress),
            )
    output.notices((*report.notices, *report.default.degraded))
    for part in report.ablations:
        missing = set(part.degraded) - set(report.default.degraded)
        output.notices(f"{part.name}: {reason}" for reason in missing)
    output.result(evaluation_as_json(report), evaluation_as_text(report, output.style))
    return OK


def tune(args: Namespace, output: Output) -> int:
    """Find better settings."""
    from glassmind.evaluation import bench, tune  # noqa: PLC0415 - numpy

    with output.progress() as progress:
        options = _wanted(args, progress, tune.enough(args.limit_queries))
        with bench.own_bench(_open(args), options) as opened:
            report = tune.tune(opened, seed=args.seed, show=_count(progress))
    output.notices(report.notices)
    if report.accepted and not args.dry_run:
        report = _write(report, args, output)
    text = tuning_as_text(report, output.style)
    if report.file:
        text += f"Written to {output.style.strong(report.file)}\n"
    elif report.accepted:
        text += "Nothing was written: that was a dry run\n"
    output.result(tuning_as_json(report), text)
    return OK


def _write(report: "TuneReport", args: Namespace, output: Output) -> "TuneReport":
    from glassmind.evaluation.tune import write_choice  # noqa: PLC0415 - numpy

    one_of(args, "tune", "--in-vault", "--config")
    config, file = config_of(args), file_in_use(args)
    today = datetime.now().astimezone().date()
    with keep_trust(config.vault.path, os.environ):
        write_choice(config, report, file, in_vault=args.in_vault, today=today)
    written, chosen = config_of(args), report.chosen.settings
    for path, value in chosen.items():
        section, _, name = path.partition(".")
        if getattr(getattr(written, section), name) != value:
            origin = written.origins[path]
            output.notice(f"{path} is not what was written: {origin} overrides it")
    return report._replace(file=str(file))


_MEASURING = (
    option("--limit-queries", "ask at most this many queries", "N", bounds=Meta(ge=1)),
    option("--seed", "random seed", "N", bounds=Meta(ge=0), default=0),
    flag("--fresh", "index again instead of using what is kept"),
)

COMMANDS = {
    "eval": LocalCommand(
        evaluate,
        "Maintain",
        (
            option(
                "--queries", "measure on the queries in this file, a line each", "FILE"
            ),
            flag("--self", "or on queries made from the vault's links"),
            option("--preset", "embed with this preset", "NAME"),
            option("--model", "embed with this model", "NAME"),
            flag("--no-ablations", "measure the current settings only"),
            *_MEASURING,
        ),
        expert=True,
    ),
    "tune": LocalCommand(
        tune,
        "Maintain",
        (
            flag("--dry-run", "show what was found, write nothing"),
            flag("--in-vault", "write to the vault's own file"),
            *_MEASURING,
        ),
        expert=True,
    ),
}
