"""`glassmind health`: what is to be mended in the vault, and how well it is in all."""

from argparse import SUPPRESS, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

from glassmind.errors import WrongUsage
from glassmind.render.dismissals import dismissed_as_json, dismissed_as_text
from glassmind.render.health import finding_now_as_json, health_as_json, secrets_as_json
from glassmind.render.health_text import (
    finding_now_as_text,
    health_as_markdown,
    health_as_text,
    secrets_as_text,
)
from glassmind.surfaces.cli import exits
from glassmind.surfaces.cli.changing import add_dry_run, carried_out
from glassmind.surfaces.cli.opening import engine_of
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser, at_least_zero

if TYPE_CHECKING:  # help does without it
    from glassmind.knowledge.verbs import Knowledge
    from glassmind.render.health_text import Ways

WAYS: "Ways" = {
    "suggest": "glassmind graph suggest NOTE",
    "resolve": "glassmind resolve NAME",
    "dismiss": "glassmind graph dismiss A B",
    "themes": "glassmind graph themes",
}
"""How the verbs that help are called from a shell."""

PLACES = 10
"""Credentials of which the place is told, unless more are asked for."""

BEST = 100
"""The score of a vault in which nothing is to be mended."""


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add = parser.add_argument
    add(
        "--check",
        metavar="NAME",
        action="append",
        help="this check alone; may be given several times",
    )
    few = parser.add_mutually_exclusive_group()
    few.add_argument(
        "--limit",
        "-n",
        type=at_least_zero,
        metavar="N",
        default=SUPPRESS,
        help="most findings to show of each check",
    )
    few.add_argument("--all", action="store_true", help="show every finding")
    add("--markdown", action="store_true", help="print the report as Markdown")
    add(
        "--fail-below",
        type=score,
        metavar="N",
        help="exit with 2 where the score is lower; with --check, that of these checks",
    )
    add(
        "--fix",
        action="store_true",
        help="mend what can be mended, in one change or proposal",
    )
    add_dry_run(parser)
    _add_findings(parser)


def _add_findings(parser: CommandParser) -> None:
    """Tell the parser what can be done about one finding."""
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--again", metavar="KEY", help="look whether a finding is mended")
    one.add_argument("--dismiss", metavar="KEY", help="never show a finding again")
    one.add_argument("--restore", metavar="KEY", help="take a dismissal back")


def score(text: str) -> int:
    """Return a score from 0 to 100; the type of an option.

    Raises:
        ArgumentTypeError: it is none.
    """
    if text.isascii() and text.isdigit() and int(text) <= BEST:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is no score from 0 to {BEST}")


def run(args: Namespace, output: Output) -> int:
    """Print the report, or do what is asked about one finding."""
    key = args.again or args.dismiss or args.restore
    if args.fix:
        return _fix(args, output)
    if args.dry_run:
        raise WrongUsage("--dry-run goes with --fix", "health")
    if key is not None and (args.markdown or args.check or args.fail_below is not None):
        raise WrongUsage("one finding is looked at alone", "health")
    with engine_of(args, output) as engine:
        knowledge = engine.knowledge
        if args.again is not None:
            return _again(knowledge, args.again, output)
        if key is not None:
            return _settle(knowledge, key, output, back=args.restore is not None)
        return _report(knowledge, args, output)


def _fix(args: Namespace, output: Output) -> int:
    """Mend what no person has to decide, as far as the settings let it happen."""
    one = args.again or args.dismiss or args.restore
    shaped = args.markdown or args.all or hasattr(args, "limit")
    if one is not None or shaped or args.fail_below is not None:
        raise WrongUsage("--fix goes with --check and --dry-run alone", "health")
    return carried_out(
        args,
        output,
        lambda engine, asking: engine.editing.repair(
            engine.knowledge.repairs(checks=args.check), asking
        ),
    )


def _report(knowledge: "Knowledge", args: Namespace, output: Output) -> int:
    wishes = {"limit": None} if args.all else {}
    if hasattr(args, "limit"):
        wishes = {"limit": args.limit}
    found = knowledge.health(checks=args.check, **wishes)
    # asked for by no other way: where credentials stand is for their owner alone
    secrets = [] if args.check else knowledge.secrets()
    if output.as_json:
        held = {"secrets": secrets_as_json(secrets)} if secrets else {}
        output.json(health_as_json(found) | held)
    elif args.markdown:
        output.text(health_as_markdown(found, WAYS, whole=args.all))
    else:
        shown = secrets_as_text(secrets, output.style, wishes.get("limit", PLACES))
        output.text(health_as_text(found, output.style, WAYS) + shown)
    low = args.fail_below is not None and found.score < args.fail_below
    return exits.USAGE if low else exits.OK


def _again(knowledge: "Knowledge", key: str, output: Output) -> int:
    now = knowledge.check_finding(key)
    if output.as_json:
        output.json(finding_now_as_json(now))
    else:
        output.text(finding_now_as_text(now, output.style))
    return exits.NOTHING if now.state in {"mended", "gone"} else exits.OK


def _settle(knowledge: "Knowledge", key: str, output: Output, *, back: bool) -> int:
    check, _, subject = key.partition(":")
    verb = knowledge.restore_finding if back else knowledge.dismiss_finding
    done = verb(check, subject)
    if output.as_json:
        output.json(dismissed_as_json(done))
    else:
        output.text(dismissed_as_text(done, output.style, back=back))
    return exits.OK
