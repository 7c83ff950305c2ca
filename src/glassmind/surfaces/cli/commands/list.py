"""`glassmind list`: notes by folder, tag, property or date."""

import sys
from argparse import ArgumentTypeError, Namespace

from glassmind.render.notes import list_as_json
from glassmind.render.notes_text import list_as_text
from glassmind.render.style import counted
from glassmind.surfaces.cli import exits
from glassmind.surfaces.cli.opening import engine_of
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser, at_least_one, at_least_zero
from glassmind.types.catalogue import NoteList

KINDS = ("markdown", "canvas", "base", "excalidraw")


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add = parser.add_argument
    add("--folder", metavar="PATH", default="", help="notes in or below a folder")
    add("--tag", metavar="TAG", type=tag, help="notes with a tag, or one below it")
    add(
        "--property",
        metavar="NAME[=VALUE]",
        type=name_and_value,
        default=("", None),
        help="notes with a property",
    )
    add("--since", metavar="DAY", help="notes of that day or later")
    add("--until", metavar="DAY", help="notes of days before that one")
    add("--kind", choices=KINDS, default="", help="notes of one kind")
    add("--newest", action="store_true", help="last modified first, not by path")
    add("--limit", "-n", type=at_least_one, metavar="N", help="most notes to show")
    add("--offset", type=at_least_zero, metavar="N", default=0, help="notes to pass by")


def tag(text: str) -> str:
    """Return a tag; the type of an option.

    Raises:
        ArgumentTypeError: it is empty.
    """
    if not text.strip(" #/"):
        raise ArgumentTypeError(f"{text!r} names no tag")
    return text.strip()


def name_and_value(text: str) -> tuple[str, str | None]:
    """Return the parts of `name=value`, or a name alone; the type of an option.

    Raises:
        ArgumentTypeError: it has no name.
    """
    name, equals, value = text.partition("=")
    if not name.strip():
        raise ArgumentTypeError(f"{text!r} names no property")
    return name.strip(), value.strip() if equals else None


def run(args: Namespace, output: Output) -> int:
    """List, and say by the exit code whether anything was found."""
    name, value = args.property
    with engine_of(args, output) as engine:
        found = engine.list_notes(
            folder=args.folder,
            tag=args.tag or "",
            property_name=name,
            property_value=value,
            since=args.since,
            until=args.until,
            kind=args.kind,
            newest=args.newest,
            limit=args.limit or sys.maxsize,
            offset=args.offset,
        )
        vault = engine.config.vault
    for said in found.notices:
        output.notice(said)
    if output.as_json:
        root = str(vault.path)
        shown = list_as_json(found, offset=args.offset, vault=vault.name, root=root)
        output.json(shown)
    else:
        _show(found, args.offset, output)
    return exits.OK if found.notes else exits.NOTHING


def _show(found: NoteList, offset: int, output: Output) -> None:
    if output.on_terminal:
        output.text(list_as_text(found, output.style))
    else:
        output.text("".join(f"{output.style.clean(n.path)}\n" for n in found.notes))
    if found.total and not found.notes:
        there = counted(found.total, "note")
        output.notice(f"--offset {offset:,} is past the end of {there}")
    elif not found.notes:
        output.notice("no note passes")
    elif found.total > len(found.notes):
        first, last = offset + 1, offset + len(found.notes)
        output.notice(f"notes {first:,} to {last:,} of {found.total:,}")
