"""`glassmind ontology`: what a vault calls things."""

from argparse import SUPPRESS, Namespace

from glassmind.render.ontology import ontology_as_json
from glassmind.render.ontology_text import ontology_as_text
from glassmind.surfaces.cli import exits
from glassmind.surfaces.cli.opening import engine_of
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser, at_least_one


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.add_argument(
        "--limit",
        "-n",
        type=at_least_one,
        metavar="N",
        default=SUPPRESS,
        help="most labels, properties, schemas, spellings and hubs to show of each",
    )


def run(args: Namespace, output: Output) -> int:
    """Print the vocabulary."""
    wishes = {"limit": args.limit} if hasattr(args, "limit") else {}
    with engine_of(args, output) as engine:
        found = engine.knowledge.ontology(**wishes)
        vault = engine.config.vault
    if output.as_json:
        output.json(ontology_as_json(found, vault=vault.name))
    else:
        output.text(ontology_as_text(found, output.style))
    return exits.OK
