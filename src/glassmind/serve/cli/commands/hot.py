"""`glassmind hot`: what is alive now in the vault."""

from argparse import Namespace

from glassmind.engine import Engine
from glassmind.errors import WrongUsage
from glassmind.operations.registry import Caller
from glassmind.render.temperatures import temperatures_as_json
from glassmind.render.temperatures_text import temperatures_as_text
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import (
    add_budget,
    add_limit,
    add_project,
    notice_all,
)
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.operations import CLIENT
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser

LIMIT, BUNDLE_LIMIT = 20, 10
"""How many notes are told of, and of how many a bundle has passages."""


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add_project(parser)
    add_limit(parser, f"most notes ({LIMIT}; {BUNDLE_LIMIT} with --context)")
    parser.add_argument(
        "--context",
        action="store_true",
        help="print what these notes say, as context does",
    )
    add_budget(parser)


def run(args: Namespace, output: Output) -> int:
    """Print the warmest notes, or what they say."""
    if args.budget is not None and not args.context:
        raise WrongUsage("--budget goes with --context", "hot")
    with engine_of(args, output) as engine:
        return (
            _packed(engine, args, output)
            if args.context
            else _told(engine, args, output)
        )


def _told(engine: Engine, args: Namespace, output: Output) -> int:
    found = engine.memory.temperatures(limit=args.limit or LIMIT, project=args.project)
    notice_all(output, found.notices)
    if output.as_json:
        output.json(temperatures_as_json(found))
    else:
        output.text(temperatures_as_text(found, output.style))
    return exits.OK if found.notes else exits.NOTHING


def _packed(engine: Engine, args: Namespace, output: Output) -> int:
    from glassmind.operations.context import (  # noqa: PLC0415 - only now
        HotContextArguments,
        hot_context,
    )

    limit = args.limit or BUNDLE_LIMIT
    arguments = HotContextArguments(
        budget=args.budget, project=args.project, limit=limit
    )
    result = hot_context(engine, arguments, Caller("cli", CLIENT))
    notice_all(output, result.all_notices())
    if output.as_json:
        output.json(result.to_json())
    else:
        output.verbatim(result.markdown)
    return exits.NOTHING if result.is_empty() else exits.OK
