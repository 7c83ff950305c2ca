"""`glassmind search`: the passages that matter, best first."""

from argparse import Namespace

from glassmind.config import Config
from glassmind.errors import WrongUsage
from glassmind.render.hits_text import hits_as_text
from glassmind.render.style import shortened
from glassmind.surfaces.cli import exits
from glassmind.surfaces.cli.opening import engine_of
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser, at_least_one
from glassmind.types.search import SearchReply


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.take_words("query", "QUERY", "words, phrases and filters")
    parser.add_argument(
        "--limit", "-n", type=at_least_one, metavar="N", help="most hits to show"
    )
    parser.add_argument(
        "--unique",
        choices=("notes", "chunks"),
        default="notes",
        help="show the best passage of each note, or every passage",
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument(
        "--explain", action="store_true", help="show what each score is made of"
    )
    shape.add_argument("--paths", action="store_true", help="print paths alone")


def run(args: Namespace, output: Output) -> int:
    """Search, and say by the exit code whether anything was found."""
    query = " ".join(args.query)
    if not query.strip():
        raise WrongUsage("nothing to search for is given", "search")
    with engine_of(args, output) as engine:
        reply = engine.search(
            query,
            limit=args.limit,
            per_note=args.unique == "notes",
            explain=args.explain or output.as_json,
        )
        config = engine.config
    for missing in reply.degraded:
        output.notice(missing)
    _show(reply, config, args, output)
    return exits.OK if reply.hits else exits.NOTHING


def _show(reply: SearchReply, config: Config, args: Namespace, output: Output) -> None:
    if output.as_json:
        from glassmind.render.hits import hits_as_json  # noqa: PLC0415 - 1 ms

        vault = config.vault
        output.json(hits_as_json(reply, vault=vault.name, root=str(vault.path)))
    elif args.paths:
        for path in dict.fromkeys(hit.path for hit in reply.hits):
            output.line(output.style.clean(path))
    else:
        output.text(hits_as_text(reply, output.style, explain=args.explain))
    if not reply.hits:
        output.notice(f"nothing found for {shortened(reply.query)!r}")
