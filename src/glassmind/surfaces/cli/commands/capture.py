"""`glassmind capture`: keep something worth remembering in the agent folder."""

from argparse import ArgumentTypeError, Namespace

from glassmind.errors import WrongUsage
from glassmind.render.memos import captured_as_json
from glassmind.render.memos_text import captured_as_text
from glassmind.surfaces.cli import exits
from glassmind.surfaces.cli.asking import STDIN, notice_all, piped_text, project
from glassmind.surfaces.cli.opening import engine_of
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser, Once
from glassmind.types.memory import CAPTURED


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.add_argument("kind", choices=CAPTURED, help="what it is")
    add_content(parser)


def add_content(parser: CommandParser) -> None:
    """Tell the parser what is kept, and what is kept with it."""
    parser.take_words("words", "TEXT", "what to keep; - takes what is piped in")
    add = parser.add_argument
    same = "the same, for text that is no words"
    add("--text", metavar="TEXT", action=Once, help=same)
    about = "the project that it belongs to, by its name"
    add("--project", metavar="P", type=project, help=about)
    add(
        "--source",
        metavar="RECEIPT",
        action="append",
        default=[],
        help="what it stands on: a receipt, a note, or Note.md:12-18; several times",
    )
    add("--tags", metavar="A,B", type=tags, default=(), help="tags, with commas")


def tags(text: str) -> tuple[str, ...]:
    """Return the tags of a list with commas; the type of an option.

    Raises:
        ArgumentTypeError: there is none in it.
    """
    found = tuple(one.strip().lstrip("#") for one in text.split(","))
    if not all(found):
        raise ArgumentTypeError(f"{text!r} names no tag between two commas")
    return found


def run(args: Namespace, output: Output) -> int:
    """Keep it, and say where it is."""
    text = _text(args, "capture")
    with engine_of(args, output) as engine:
        done = engine.memory.capture(
            args.kind,
            text,
            project=args.project or "",
            sources=args.source,
            tags=args.tags,
        )
    notice_all(output, done.notices)
    if output.as_json:
        output.json(captured_as_json(done))
    else:
        output.text(captured_as_text(done, output.style))
    return exits.OK


def _text(args: Namespace, command: str) -> str:
    """Return what is to be kept.

    Raises:
        WrongUsage: nothing is, or it is said twice.
    """
    said = " ".join(args.words)
    if args.text is not None and args.words:
        raise WrongUsage("the text is given twice, with --text and without", command)
    text = said if args.text is None else str(args.text)
    if text == STDIN:
        text = piped_text(command)
    if not text.strip():
        hint = "write it behind the kind, or - for what is piped in"
        raise WrongUsage(f"no text is given: {hint}", command)
    return text
