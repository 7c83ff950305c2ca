"""`glassmind read`: a note, or a part of it, as it stands on disk."""

from argparse import ArgumentTypeError, Namespace

from glassmind.errors import WrongUsage
from glassmind.render.approval import UNREAD
from glassmind.render.hidden_text import hidden_kinds, hidden_notice
from glassmind.render.notes import note_as_json
from glassmind.retrieval.notes import GuessedNote
from glassmind.surfaces.cli import exits
from glassmind.surfaces.cli.asking import notice_all
from glassmind.surfaces.cli.opening import engine_of
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.take_words("name", "NAME", "path, title, alias or receipt; Note#Heading")
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--heading", metavar="TEXT", default="", help="one section alone")
    part.add_argument(
        "--lines", metavar="A-B", type=line_range, help="some lines alone, from 1"
    )
    parser.add_argument(
        "--raw",
        action="store_true",
        help="a canvas or drawing as its file stands, not as it was indexed",
    )


def line_range(text: str) -> tuple[int, int | None]:
    """Return the ends of `12-34`, of one line, or of `12-` to the end; of an option.

    Raises:
        ArgumentTypeError: it is neither, or runs backwards.
    """
    first, dash, last = text.partition("-")
    if not all(end.isascii() and end.isdigit() for end in (first, last or first)):
        raise ArgumentTypeError(f"{text!r} is no range of lines such as 12-34")
    if dash and not last:
        return int(first), None
    if int(first) > int(last or first):
        raise ArgumentTypeError(f"{text}: the first line is after the last")
    return int(first), int(last or first)


def run(args: Namespace, output: Output) -> int:
    """Print the note."""
    name = " ".join(args.name)
    if not name.strip():
        raise WrongUsage("no note is named", "read")
    with engine_of(args, output) as engine:
        note = engine.read(name, heading=args.heading, lines=args.lines, raw=args.raw)
        vault = engine.config.vault.name
    if isinstance(note, GuessedNote):
        output.notice(f"taken for: {note.path}")
    if note.generated:
        output.notice(UNREAD)
    notice_all(output, note.notices)
    if hides := hidden_notice(hidden_kinds(note.text)):
        output.notice(hides)
    if output.as_json:
        output.json(note_as_json(note, vault=vault))
    else:
        output.verbatim(note.text)
        if output.on_terminal and not note.text.endswith("\n"):
            output.line()
    return exits.OK
