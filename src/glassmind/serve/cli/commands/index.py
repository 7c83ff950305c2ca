"""`glassmind index`: bring the index up to the vault."""

from argparse import Namespace
from collections.abc import Callable, Sequence

from glassmind.indexing.background import lower_priority
from glassmind.render.reports import report_as_json
from glassmind.render.reports_text import report_as_text
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import notice_all
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.serve.cli.progress import shown_progress
from glassmind.types.files import Progress

WARNINGS_SHOWN = 10
"""Warnings told one by one; a vault of bad frontmatter would bury what was done."""


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add = parser.add_argument
    add("--verify", action="store_true", help="examine the index, read every note")
    add("--rebuild", action="store_true", help="throw the index away and begin anew")
    add("--compact", action="store_true", help="write words and vectors anew")
    add("--no-embed", action="store_true", help="index text alone, without vectors")
    add(
        "--accept-deletions",
        action="store_true",
        help="believe that a large part of the vault was deleted",
    )


def gently(
    progress: Callable[[Progress], None] | None,
) -> Callable[[Progress], None]:
    """Return the same, but lower the priority when embedding begins.

    Embedding uses all cores for as long as it lasts, and searches should go first.
    """
    is_lowered = False

    def told(now: Progress) -> None:
        nonlocal is_lowered
        if now.stage == "embed" and not is_lowered:
            is_lowered = True
            lower_priority()
        if progress is not None:
            progress(now)

    return told


def run(args: Namespace, output: Output) -> int:
    """Index, with progress for whoever watches, and tell what was done."""
    try:
        with engine_of(args, output) as engine, shown_progress(output) as progress:
            report = engine.index(
                verify=args.verify,
                rebuild=args.rebuild,
                compact=args.compact,
                accept_deletions=args.accept_deletions,
                embed=not args.no_embed,
                progress=gently(progress),
            )
            vault = str(engine.config.vault.path)
    except KeyboardInterrupt:
        output.fault(
            "stopped; what was indexed is kept, and glassmind index goes on from there"
        )
        return exits.INTERRUPTED
    tell_warnings(report.warnings, output)
    if output.as_json:
        output.json(report_as_json(report))
    else:
        output.text(report_as_text(report, output.style, vault=vault))
    return exits.OK


def tell_warnings(warnings: Sequence[str], output: Output) -> None:
    """Tell what was left out of an index, or cannot be read as it was meant."""
    notice_all(output, warnings[:WARNINGS_SHOWN])
    more = len(warnings) - WARNINGS_SHOWN
    if more > 0:
        output.notice(f"and {more:,} more like these; --json has them in full")
