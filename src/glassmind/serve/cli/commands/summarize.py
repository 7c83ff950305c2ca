"""`glassmind summarize`: a project in sentences of its own notes."""

from argparse import Namespace
from functools import partial

from glassmind.render.briefings import summary_as_json
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import add_budget, add_project, notice_all
from glassmind.serve.cli.keeping import made_and_shown
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.types.context import Summary


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add_project(parser, required=True)
    add_budget(parser)
    parser.add_argument(
        "--no-save",
        dest="save",
        action="store_false",
        help="print it, and write nothing to the vault",
    )


def run(args: Namespace, output: Output) -> int:
    """Print the summary, and say where it is kept."""
    with engine_of(args, output) as engine:
        make = partial(
            engine.bundles.summarize, args.project, budget_tokens=args.budget
        )
        made = made_and_shown(
            lambda save: make(save=save),
            lambda made: _show(made, output),
            output,
            save=args.save,
        )
    return exits.OK if made.sentences else exits.NOTHING


def _show(made: Summary, output: Output) -> None:
    notice_all(output, made.notices)
    if made.saved is not None:
        output.notice(f"kept in {made.saved}")
    if output.as_json:
        output.json(summary_as_json(made))
    else:
        output.verbatim(made.text)
