"""`glassmind log`: what was written to the vault, by whom."""

from argparse import Namespace

from glassmind.render.memos import log_as_json
from glassmind.render.memos_text import log_as_text
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import add_limit, notice_all
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser

LIMIT = 20


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add_limit(parser, f"most writes to show ({LIMIT})", LIMIT)
    parser.add_argument("--since", metavar="DAY", help="of that day or later")
    parser.add_argument("--path", metavar="PATH", help="of one file alone")


def run(args: Namespace, output: Output) -> int:
    """Print the record, and say by the exit code whether there is one."""
    with engine_of(args, output) as engine:
        found = engine.memory.log(limit=args.limit, since=args.since, path=args.path)
    notice_all(output, found.problems)
    if output.as_json:
        output.json(log_as_json(found))
    else:
        output.text(log_as_text(found, output.style))
    return exits.OK if found.records else exits.NOTHING
