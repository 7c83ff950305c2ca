"""`glassmind ingest`: what a note names, and what the vault has of it."""

from argparse import SUPPRESS, Namespace

from glassmind.errors import WrongUsage
from glassmind.render.ingestion import ingestion_as_json, ingestion_as_text
from glassmind.surfaces.cli import exits
from glassmind.surfaces.cli.opening import engine_of, tell_guesses
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser, at_least_one


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.take_words("name", "NOTE", "path, title or alias")
    parser.add_argument(
        "--limit",
        "-n",
        type=at_least_one,
        metavar="N",
        default=SUPPRESS,
        help="most names to show",
    )


def run(args: Namespace, output: Output) -> int:
    """Print what is named, and say by the exit code whether anything is."""
    name = " ".join(args.name)
    if not name.strip():
        raise WrongUsage("no note is named", "ingest")
    wishes = {"limit": args.limit} if hasattr(args, "limit") else {}
    with engine_of(args, output) as engine:
        found = engine.knowledge.ingest(name, **wishes)
        tell_guesses(engine, [name], output)
        vault = engine.config.vault
    for said in found.notices:
        output.notice(said)
    if output.as_json:
        output.json(ingestion_as_json(found, vault=vault.name))
    else:
        output.text(ingestion_as_text(found, output.style))
    return exits.OK if found.entities.total else exits.NOTHING
