"""`glassmind read-chunks`: a note as it was split for the index."""

from argparse import Namespace

from glassmind.errors import WrongUsage
from glassmind.render.notes import chunks_as_json
from glassmind.render.notes_text import chunks_as_text
from glassmind.surfaces.cli import exits
from glassmind.surfaces.cli.opening import engine_of
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.take_words("name", "NAME", "path, title or alias of a note")


def run(args: Namespace, output: Output) -> int:
    """Print the chunks."""
    name = " ".join(args.name)
    if not name.strip():
        raise WrongUsage("no note is named", "read-chunks")
    with engine_of(args, output) as engine:
        path, chunks = engine.chunks(name)
    if output.as_json:
        output.json(chunks_as_json(path, chunks))
    else:
        output.text(chunks_as_text(path, chunks, output.style))
    return exits.OK
