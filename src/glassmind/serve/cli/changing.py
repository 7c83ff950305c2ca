"""What commands that change the vault share: texts, questions, what came of it."""

import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from glassmind.engine import Engine
from glassmind.errors import WrongUsage
from glassmind.errors.editing import ConfirmFirst
from glassmind.render.changes import changed_as_json
from glassmind.render.changes_text import changed_as_text
from glassmind.serve.asking import asking_of
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import STDIN, STDIN_BYTES, notice_all, piped_text
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser

if TYPE_CHECKING:  # help does without it
    from glassmind.editing.asking import Asking
    from glassmind.types.editing import Changed

CLIENT = "cli"
"""Who asks, where it is put on record."""

LEFT = "nothing was changed"
"""What is said to a person who says no."""

YES = frozenset(("y", "yes"))

ABOUT_DRY_RUN = "show what would be done, and change nothing"
ABOUT_YES = "do it without asking; needed where there is no terminal"


def add_dry_run(parser: CommandParser) -> None:
    """Tell the parser that a change may only be shown."""
    parser.add_argument("--dry-run", action="store_true", help=ABOUT_DRY_RUN)


def add_yes(parser: CommandParser) -> None:
    """Tell the parser that a person may say yes before being asked."""
    parser.add_argument("--yes", action="store_true", help=ABOUT_YES)


def carried_out(
    args: Namespace, output: Output, verb: Callable[[Engine, "Asking"], "Changed"]
) -> int:
    """Have a change made, proposed or shown, and print what came of it.

    Raises:
        ConfirmFirst: it takes something away, and nobody is there to say yes.
    """
    with engine_of(args, output) as engine:
        dry_run = bool(getattr(args, "dry_run", False))
        try:
            done = verb(engine, asking_of(engine, CLIENT, dry_run=dry_run))
        except ConfirmFirst:
            if not can_ask(output):
                raise
            output.notice(LEFT)  # somebody was asked, and said no
            return exits.NOTHING
    show_changed(done, output)
    return exits.OK


def show_changed(done: "Changed", output: Output, *, whole: bool = False) -> None:
    """Print what came of a change; with `whole` the diffs of one that is made too."""
    notice_all(output, done.notices)
    if output.as_json:
        output.json(changed_as_json(done))
    else:
        output.text(changed_as_text(done, output.style, whole=whole))


def can_ask(output: Output) -> bool:
    """Whether a person is there to answer a question."""
    there = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    return there and not output.as_json


def is_confirmed(args: Namespace, output: Output, question: str) -> bool:
    """Whether a person says yes: by an option, or now where one is there to ask."""
    if args.yes:
        return True
    if not can_ask(output):
        return False
    output.flush()
    sys.stderr.write(f"{output.style.clean(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in YES


def text_of(args: Namespace, command: str, *, usual: str | None = None) -> str:
    """Return the text that is to be written.

    Without one there is the `usual` one, or what is piped in.

    Raises:
        WrongUsage: none is given, or it is said twice.
    """
    if args.text is not None and args.file is not None:
        raise WrongUsage("the text is given twice, with --text and --file", command)
    if STDIN in (args.text, args.file):
        return piped_text(command)
    if args.text is not None:
        return str(args.text)
    if args.file is not None:
        return file_text(args.file, command)
    if usual is not None:
        return usual
    piped = sys.stdin is not None and not sys.stdin.isatty()
    text = piped_text(command) if piped else ""
    if not text:
        hint = "use --text, --file, or pipe it in"
        raise WrongUsage(f"no text is given: {hint}", command)
    return text


def file_text(name: str, command: str) -> str:
    """Return the text of a file, or with `-` what is piped in.

    Raises:
        WrongUsage: it cannot be read, is too large, or is no text.
    """
    if name == STDIN:
        return piped_text(command)
    try:
        with Path(name).open("rb") as file:
            raw = file.read(STDIN_BYTES + 1)
        if len(raw) > STDIN_BYTES:
            most = STDIN_BYTES // (1024 * 1024)
            raise WrongUsage(f"{name} has more than {most} MiB", command)
        return str(raw, "utf-8-sig")
    except OSError as error:
        said = f"{name} cannot be read ({error.strerror or error})"
        raise WrongUsage(said, command) from error
    except ValueError as error:
        said = f"{name} cannot be read as text in UTF-8 ({error})"
        raise WrongUsage(said, command) from error
