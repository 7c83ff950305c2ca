"""`glassmind verify`: whether the lines that were cited still stand there."""

from argparse import Namespace

from glassmind.errors import WrongUsage
from glassmind.markdown.cited import receipts_in
from glassmind.render.verified import verified_as_json
from glassmind.render.verified_text import verified_as_text
from glassmind.surfaces.cli import exits
from glassmind.surfaces.cli.asking import STDIN, piped_text
from glassmind.surfaces.cli.opening import engine_of
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser

HOLDS = ("unchanged", "moved")
"""States in which the very text that was cited still stands somewhere."""


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.take_words(
        "receipts",
        "RECEIPT",
        "path#heading:lines@digest; - takes those of the text that is piped in",
    )


def run(args: Namespace, output: Output) -> int:
    """Say what became of each, and by the exit code whether all still hold."""
    receipts = _receipts(args.receipts)
    with engine_of(args, output) as engine:
        found = engine.bundles.verify(receipts)
    if output.as_json:
        output.json(verified_as_json(found))
    else:
        output.text(verified_as_text(found, output.style))
    return exits.OK if all(one.state in HOLDS for one in found) else exits.NOTHING


def _receipts(words: list[str]) -> list[str]:
    """Return the receipts that are meant, each once.

    Raises:
        WrongUsage: there are none.
    """
    if not words:
        raise WrongUsage("no receipt is given", "verify")
    given: list[str] = []
    for word in words:
        if word != STDIN:
            given.append(word)
            continue
        found = receipts_in(piped_text("verify"))
        if not found:
            raise WrongUsage("what is piped in holds no receipt", "verify")
        given += found
    return list(dict.fromkeys(given))
