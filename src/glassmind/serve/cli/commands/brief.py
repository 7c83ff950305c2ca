"""`glassmind brief`: where work stands, for who begins."""

from argparse import Namespace

from glassmind.render.briefings import briefing_as_json
from glassmind.render.briefings_markdown import briefing_as_markdown
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import add_budget, add_project, notice_all
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.types.context import Briefing


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add_project(parser)
    parser.add_argument(
        "--since", metavar="DAY", help="what changed on that day or later (7d)"
    )
    add_budget(parser)


def run(args: Namespace, output: Output) -> int:
    """Print the briefing, and say by the exit code whether there is anything in it."""
    with engine_of(args, output) as engine:
        found = engine.bundles.brief(
            project=args.project, since=args.since, budget_tokens=args.budget
        )
        vault = engine.config.vault.name
    notice_all(output, found.degraded)
    if output.as_json:
        output.json(briefing_as_json(found, vault=vault))
    else:
        output.verbatim(briefing_as_markdown(found))
    return exits.OK if _says_anything(found) else exits.NOTHING


def _says_anything(found: Briefing) -> bool:
    return any(
        (found.hot, found.decisions, found.questions, found.tasks, found.changed)
    )
