"""`glassmind index`: bring the index up to the vault."""

from argparse import Namespace

from glassmind.indexing.run import IndexRequest
from glassmind.render.reports import report_as_json
from glassmind.render.reports_text import report_as_text
from glassmind.surfaces.cli import exits
from glassmind.surfaces.cli.opening import engine_of
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser
from glassmind.surfaces.cli.progress import shown_progress


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add = parser.add_argument
    add("--verify", action="store_true", help="read every note, changed or not")
    add("--rebuild", action="store_true", help="throw the index away and begin anew")
    add("--compact", action="store_true", help="write the word index anew")
    add(
        "--accept-deletions",
        action="store_true",
        help="believe that a large part of the vault was deleted",
    )


def run(args: Namespace, output: Output) -> int:
    """Index, with progress for whoever watches, and tell what was done."""
    request = IndexRequest(
        verify=args.verify,
        rebuild=args.rebuild,
        compact=args.compact,
        accept_deletions=args.accept_deletions,
    )
    try:
        with engine_of(args, output) as engine, shown_progress(output) as progress:
            report = engine.index(request, progress)
    except KeyboardInterrupt:
        output.fault(
            "stopped; what was indexed is kept, and glassmind index goes on from there"
        )
        return exits.INTERRUPTED
    for warning in report.warnings:
        output.notice(warning)
    if output.as_json:
        output.json(report_as_json(report))
    else:
        output.text(report_as_text(report, output.style))
    return exits.OK
