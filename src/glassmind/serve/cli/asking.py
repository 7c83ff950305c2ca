"""What commands of bundles and of memory share: options, and text that is piped in."""

import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterable
from typing import Literal, get_args

from glassmind.errors import WrongUsage
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser, at_least_one
from glassmind.types.search import Intent

STDIN = "-"
"""What stands for the text that is piped in."""

STDIN_BYTES = 16 * 1024 * 1024
"""The most that is read of a pipe: far above a bundle, far below a machine's memory."""

PROJECT = "a project: its name, folder:PATH, #tag or property:KEY=VALUE"


def add_project(
    parser: CommandParser, about: str = PROJECT, *, required: bool = False
) -> None:
    """Tell the parser that notes of a project may be meant."""
    parser.add_argument(
        "--project", metavar="P", type=project, required=required, help=about
    )


def project(text: str) -> str:
    """Return what names a project; the type of an option.

    Raises:
        ArgumentTypeError: it is empty.
    """
    if not text.strip():
        raise ArgumentTypeError("it names no project")
    return text


def add_limit(parser: CommandParser, about: str, usual: int | None = None) -> None:
    """Tell the parser what may be counted, and how many of it there are else."""
    parser.add_argument(
        "--limit", "-n", type=at_least_one, metavar="N", default=usual, help=about
    )


def add_budget(parser: CommandParser) -> None:
    """Tell the parser how much may be handed out."""
    parser.add_argument(
        "--budget",
        type=at_least_one,
        metavar="N",
        help="most tokens, of the Markdown: JSON is larger (context.budget_tokens)",
    )


def add_mode_and_intent(parser: CommandParser) -> None:
    """Add how to search, and what kind of answer is wanted."""
    parser.add_argument(
        "--mode",
        choices=("hybrid", "semantic", "fulltext"),
        help="by words, meaning and links (the default), meaning alone or words alone",
    )
    parser.add_argument(
        "--intent",
        choices=("auto", "balanced", *get_args(Intent)),
        default="auto",
        help="what kind of answer is wanted; auto tells it from the question",
    )


def intent_of(args: Namespace) -> Intent | Literal["auto"] | None:
    """Return the intent as the engine takes it."""
    return None if args.intent == "balanced" else args.intent


def one_name(words: Iterable[str], command: str, what: str = "note") -> str:
    """Return the name that several words are.

    Raises:
        WrongUsage: they are none.
    """
    name = " ".join(words)
    if not name.strip():
        raise WrongUsage(f"no {what} is named", command)
    return name


def two_names(words: list[str], command: str) -> tuple[str, str]:
    """Return two names, each a word of its own.

    Raises:
        WrongUsage: there are more or fewer, or one is empty.
    """
    match [word for word in words if word.strip()]:
        case [first, second] if len(words) == 2:  # noqa: PLR2004 - two of them
            return first, second
        case _:
            hint = 'takes two names; write those with blanks as "Deep Work"'
            raise WrongUsage(f"{command} {hint}", command)


def piped_text(command: str) -> str:
    """Return what is piped in.

    Raises:
        WrongUsage: it is no text, or far too much of it.
    """
    stream = getattr(sys.stdin, "buffer", None)
    raw = stream.read(STDIN_BYTES + 1) if stream is not None else b""
    if len(raw) > STDIN_BYTES:
        most = STDIN_BYTES // (1024 * 1024)
        raise WrongUsage(f"more than {most} MiB are piped in", command)
    try:
        return str(raw, "utf-8-sig")
    except UnicodeDecodeError as error:
        raise WrongUsage("what is piped in is no text in UTF-8", command) from error


def notice_all(output: Output, notices: Iterable[str]) -> None:
    """Tell a person what stands beside an answer."""
    for said in notices:
        output.notice(said)
