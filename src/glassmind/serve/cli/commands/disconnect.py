"""`glassmind disconnect`: take our entry out of the file of another program."""

from argparse import Namespace

from glassmind.serve.cli import exits
from glassmind.serve.cli.commands.connect import entry_name, file_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.serve.connect.joining import disconnect
from glassmind.serve.connect.launching import NAME
from glassmind.serve.connect.programs import PROGRAMS


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add = parser.add_argument
    add("program", choices=tuple(PROGRAMS), help="the program that starts us")
    add("--name", type=entry_name, default=NAME, metavar="N", help="of the entry there")
    add("--file", metavar="FILE", help="a file of that program in another place")
    add("--force", action="store_true", help="take out an entry that is not ours")


def run(args: Namespace, output: Output) -> int:
    """Take the entry out; that there is none is said, and no fault."""
    program = PROGRAMS[args.program]
    file = file_of(program, args)
    done = disconnect(file, program.form, args.name, force=args.force)
    if output.as_json:
        told = {"program": program.name, "name": args.name, "file": str(file)}
        backup = str(done.backup) if done.backup else None
        more = {"state": done.state, "backup": backup, "others": list(done.others)}
        output.json({**told, **more})
        return exits.OK
    clean = output.style.clean
    if done.state == "absent":
        where = clean(str(file))
        output.line(f"{program.title} is not connected: no {args.name} in {where}")
    else:
        output.line(f"Disconnected {program.title}")
        output.line(f"  {args.name} is gone from {clean(str(file))}")
        output.line(f"  as it was: {clean(str(done.backup))}")
        output.line(f"Next: restart {program.title}, if it is running")
    if done.others:
        output.notice(f"still connected, by other names: {', '.join(done.others)}")
    return exits.OK
