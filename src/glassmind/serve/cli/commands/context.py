"""`glassmind context`: what of the vault matters for a question, for an agent."""

from argparse import Namespace
from functools import partial

from glassmind.engine import Engine
from glassmind.errors import WrongUsage
from glassmind.render.bundles import bundle_as_json
from glassmind.render.bundles_markdown import bundle_as_markdown
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import (
    STDIN,
    add_budget,
    add_limit,
    add_mode_and_intent,
    add_project,
    intent_of,
    notice_all,
    piped_text,
)
from glassmind.serve.cli.keeping import made_and_shown
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.types.context import Bundle


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.take_words(
        "query", "QUERY", "what the context is for; - takes what is piped in"
    )
    add_budget(parser)
    add_limit(parser, "most notes to take passages of")
    add_project(parser)
    add_mode_and_intent(parser)
    parser.add_argument(
        "--save", action="store_true", help="keep it in summaries/ of the agent folder"
    )
    parser.add_argument(
        "--markdown", action="store_true", help="print Markdown, as without it"
    )


def run(args: Namespace, output: Output) -> int:
    """Print the bundle, and say by the exit code whether any note matters."""
    query = piped_text("context") if args.query == [STDIN] else " ".join(args.query)
    if not query.strip():
        raise WrongUsage("nothing to look for is given", "context")
    if args.markdown and output.as_json:
        raise WrongUsage("--json and --markdown do not go together", "context")
    with engine_of(args, output) as engine:
        pack = partial(
            engine.bundles.pack,
            query,
            budget_tokens=args.budget,
            limit=args.limit,
            project=args.project,
            mode=args.mode,
            intent=intent_of(args),
        )
        bundle = made_and_shown(
            lambda save: pack(save=save),
            lambda made: show_bundle(engine, made, output),
            output,
            save=args.save,
        )
    return exits.OK if bundle.notes else exits.NOTHING


def show_bundle(engine: Engine, bundle: Bundle, output: Output) -> None:
    """Print a bundle in the shape that was asked for, with what was missing aside."""
    notice_all(output, bundle.degraded)
    if bundle.saved is not None:
        output.notice(f"kept in {bundle.saved}")
    if output.as_json:
        vault = engine.config.vault
        output.json(bundle_as_json(bundle, vault=vault.name, root=str(vault.path)))
    else:
        output.verbatim(bundle_as_markdown(bundle))
