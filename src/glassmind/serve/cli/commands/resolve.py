"""`glassmind resolve`: whether the vault has what a text names."""

from argparse import SUPPRESS, Namespace

from glassmind.errors import WrongUsage
from glassmind.render.resolution import resolution_as_json, resolution_as_text
from glassmind.serve.cli import exits
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser, at_least_one


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.take_words("text", "TEXT", "a name, as one would write it")
    parser.add_argument(
        "--limit",
        "-n",
        type=at_least_one,
        metavar="N",
        default=SUPPRESS,
        help="most candidates to show",
    )


def run(args: Namespace, output: Output) -> int:
    """Print the verdict, and say by the exit code whether there is such a thing."""
    text = " ".join(args.text)
    if not text.strip():
        raise WrongUsage("nothing to look for is given", "resolve")
    wishes = {"limit": args.limit} if hasattr(args, "limit") else {}
    with engine_of(args, output) as engine:
        found = engine.knowledge.resolve(text, **wishes)
        vault = engine.config.vault
    if output.as_json:
        output.json(resolution_as_json(found, vault=vault.name))
    else:
        output.text(resolution_as_text(found, output.style))
    return exits.NOTHING if found.verdict == "new" else exits.OK
