"""`glassmind eval`: how good search is, in figures."""

from argparse import Namespace
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from glassmind.config.places import current_folder
from glassmind.errors import WrongUsage
from glassmind.serve.cli import exits
from glassmind.serve.cli.measuring import (
    add_measuring_options,
    counted_by,
    opener_of,
)
from glassmind.serve.cli.opening import config_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.serve.cli.progress import shown_progress

if TYPE_CHECKING:
    from glassmind.evaluation.bench import Bench, Wanted
    from glassmind.types.evaluation import EvalReport

PAGES = (".html", ".htm")
"""How the files end that browsers open as the page that a chart is."""


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add = parser.add_mutually_exclusive_group(required=True).add_argument
    add("--dataset", metavar="PATH", help="a collection in the BEIR layout")
    add("--queries", metavar="FILE", help="queries about the vault, one a line")
    add("--self", dest="own", action="store_true", help="ask by the vault's own links")
    add = parser.add_argument
    add("--preset", default="", metavar="NAME", help="embed with this preset")
    add("--model", default="", metavar="NAME", help="embed with this model")
    add(
        "--no-ablations", action="store_true", help="measure the settings in force only"
    )
    add("--calibration", action="store_true", help="measure the confidence too")
    add("--bundles", action="store_true", help="measure what bundles hold too")
    add("--chart", metavar="FILE", help="write a page with a chart, as HTML")
    add_measuring_options(parser)


def run(args: Namespace, output: Output) -> int:
    """Measure, and show the figures."""
    # numpy and what it draws in, which no other command should pay for.
    from glassmind.evaluation.bench import Wanted  # noqa: PLC0415
    from glassmind.evaluation.run import evaluate  # noqa: PLC0415

    if args.preset and args.model:
        raise WrongUsage("--preset and --model name the same thing; give one", "eval")
    if args.chart:
        _refuse_place(_path(args.chart), args)
    with shown_progress(output) as progress:
        wanted = Wanted(
            preset=args.preset,
            model=args.model,
            fresh=args.fresh,
            limit_queries=args.limit_queries,
            seed=args.seed,
            progress=progress,
        )
        with _bench(args, wanted) as bench:
            report = evaluate(
                bench,
                compare=not args.no_ablations,
                calibration=args.calibration,
                bundles=args.bundles,
                seed=args.seed,
                show=counted_by(progress),
            )
    _show(report, args, output)
    return exits.OK


def _bench(args: Namespace, wanted: "Wanted") -> "AbstractContextManager[Bench]":
    from glassmind.evaluation import bench  # noqa: PLC0415 - as above

    opened = opener_of(args)
    if args.own:
        return bench.own_bench(opened, wanted)
    if args.queries:
        return bench.queries_bench(opened, _path(args.queries), wanted)
    return bench.collection_bench(opened, _path(args.dataset), wanted)


def _path(written: str) -> Path:
    return current_folder() / Path(written).expanduser()


def _refuse_place(file: Path, args: Namespace) -> None:
    """Refuse to write a chart where something else stands, before anything is measured.

    Raises:
        WrongUsage: it is to be no page, nowhere, in the vault, or in place of another.
    """
    problem = ""
    vault = None if args.dataset else config_of(args).vault.path.resolve()
    if file.suffix.lower() not in PAGES:
        problem = f"a chart is a page, and its file must end in {' or '.join(PAGES)}"
    elif not file.parent.is_dir():
        problem = "there is no such folder for a chart"
    elif vault is not None and file.resolve().is_relative_to(vault):
        problem = "measuring writes nothing into a vault; name another place"
    elif file.exists() and not _is_chart(file):
        problem = "that is no chart of ours, and it is left as it is"
    if problem:
        raise WrongUsage(f"{problem}: {file}", "eval")


def _is_chart(file: Path) -> bool:
    from glassmind.render.evaluation_chart import HEAD  # noqa: PLC0415

    try:
        with file.open("rb") as opened:
            return opened.read(len(HEAD.encode())) == HEAD.encode()
    except OSError:
        return False


def _show(report: "EvalReport", args: Namespace, output: Output) -> None:
    for notice in (*report.notices, *report.default.degraded):
        output.notice(notice)
    for one in report.ablations:
        for missing in set(one.degraded) - set(report.default.degraded):
            output.notice(f"{one.name}: {missing}")
    if args.chart:
        from glassmind.render.evaluation_chart import evaluation_as_page  # noqa: PLC0415

        file = _path(args.chart)
        try:
            file.write_text(evaluation_as_page(report), "utf-8")
        except OSError as error:
            reason = error.strerror or str(error)
            raise WrongUsage(f"{file} was not written: {reason}", "eval") from error
        output.notice(f"the chart is in {file}")
    if output.as_json:
        from glassmind.render.evaluation import evaluation_as_json  # noqa: PLC0415

        output.json(evaluation_as_json(report))
    else:
        from glassmind.render.evaluation_text import evaluation_as_text  # noqa: PLC0415

        output.text(evaluation_as_text(report, output.style))
