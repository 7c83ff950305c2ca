"""`glassmind recall`: what was captured, by what it says or the newest first."""

from argparse import Namespace
from typing import get_args

from glassmind.render.memos import recalled_as_json
from glassmind.render.memos_text import recalled_as_text
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import add_limit, add_project, notice_all
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.types.memory import MemoKind

LIMIT = 10


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.take_words("query", "QUERY", "what it should say; without, the newest")
    add_project(parser)
    add = parser.add_argument
    add("--kind", choices=get_args(MemoKind), help="of one kind alone")
    add("--since", metavar="DAY", help="captured on that day or later")
    add("--until", metavar="DAY", help="captured before that day")
    add("--all", action="store_true", help="also what was superseded")
    add_limit(parser, f"most to show ({LIMIT})", LIMIT)


def run(args: Namespace, output: Output) -> int:
    """Print what was captured, and say by the exit code whether anything was."""
    with engine_of(args, output) as engine:
        found = engine.memory.recall(
            " ".join(args.query).strip() or None,
            project=args.project,
            kind=args.kind,
            since=args.since,
            until=args.until,
            superseded=args.all,
            limit=args.limit,
        )
    notice_all(output, found.degraded)
    if found.is_doubtful:
        output.notice("nothing good was captured; these are the nearest misses")
    if output.as_json:
        output.json(recalled_as_json(found))
    else:
        output.text(recalled_as_text(found, output.style))
    return exits.OK if found.memos else exits.NOTHING
