"""`glassmind list`: notes by folder, tag, property or date."""

import sys
from argparse import Namespace

from glassmind.render.notes import list_as_json
from glassmind.render.notes_text import list_as_text
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
    add("--tag", metavar="TAG", default="", help="notes with a tag, or one below it")
    add("--property", metavar="NAME[=VALUE]", default="", help="notes with a property")
    add("--since", metavar="DAY", help="notes of that day or later")
    add("--until", metavar="DAY", help="notes of days before that one")
    add("--kind", choices=KINDS, default="", help="notes of one kind")
    add("--newest", action="store_true", help="last modified first, not by path")
    add("--limit", "-n", type=at_least_one, metavar="N", help="most notes to show")
    add("--offset", type=at_least_zero, metavar="N", default=0, help="notes to pass by")


def run(args: Namespace, output: Output) -> int:
    """List, and say by the exit code whether anything was found."""
    name, equals, value = args.property.partition("=")
    with engine_of(args, output) as engine:
        found = engine.list_notes(
            folder=args.folder,
            tag=args.tag,
            property_name=name.strip(),
            property_value=value.strip() if equals else None,
            since=args.since,
            until=args.until,
            kind=args.kind,
            newest=args.newest,
            limit=args.limit or sys.maxsize,
            offset=args.offset,
        )
        vault = engine.config.vault.name
    if output.as_json:
        output.json(list_as_json(found, offset=args.offset, vault=vault))
    else:
        _show(found, args.offset, output)
    return exits.OK if found.notes else exits.NOTHING


def _show(found: NoteList, offset: int, output: Output) -> None:
    if output.on_terminal:
        output.text(list_as_text(found, output.style))
    else:
        output.text("".join(f"{note.path}\n" for note in found.notes))
    if not found.notes:
        output.notice("no note passes")
    elif found.total > len(found.notes):
        first, last = offset + 1, offset + len(found.notes)
        output.notice(f"notes {first:,} to {last:,} of {found.total:,}")
