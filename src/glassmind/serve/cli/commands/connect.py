"""`glassmind connect`: let another program start us, by an entry in its own file."""

import shlex
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterator, Mapping
from os import environ
from pathlib import Path

from glassmind.access.clients import clients_of
from glassmind.config import Config
from glassmind.config.places import current_folder
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import notice_all
from glassmind.serve.cli.opening import config_of, named_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.serve.connect.joining import Outcome, connect
from glassmind.serve.connect.launching import NAME, launch_of, this_program
from glassmind.serve.connect.programs import (
    NAMES,
    PROGRAMS,
    Program,
    entry_of,
    this_machine,
)
from glassmind.serve.mcp.toolsets import SETS, read_names, tools_of

PASSED_ON = ("GLASSMIND_CONFIG", "GLASSMIND_VAULT_PATH")
"""Variables whose meaning the entry carries; clients hand on hardly a variable."""

SAID = {
    "connected": "Connected {title} to {vault}",
    "changed": "Changed how {title} is connected to {vault}",
    "unchanged": "{title} is connected already to {vault}",
}


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add = parser.add_argument
    add("program", choices=tuple(PROGRAMS), help="the program that is to start us")
    add("--print", action="store_true", dest="shown", help="print it, write nothing")
    add("--name", type=entry_name, default=NAME, metavar="N", help="of the entry there")
    add("--client", metavar="NAME", help="a name of `glassmind clients`, for its scope")
    add(
        "--tools",
        "--toolset",
        metavar="SETS",
        action="append",
        help=f"sets of tools, such as core,brain; of {', '.join(SETS)}",
    )
    add("--file", metavar="FILE", help="a file of that program in another place")
    add("--force", action="store_true", help="replace an entry that is not ours")


def entry_name(text: str) -> str:
    """Return a name that every program takes; the type of an option.

    Raises:
        ArgumentTypeError: it is none.
    """
    if NAMES.fullmatch(text):
        return text
    raise ArgumentTypeError(f"{text!r} is not of letters, digits, - and _ alone")


def run(args: Namespace, output: Output) -> int:
    """Write the entry, or print it, and tell what comes next."""
    program, config = PROGRAMS[args.program], config_of(args)
    launch = launch_of(this_program())
    words = [*launch.words, *_options(args, config)]
    entry = entry_of(words, program.more)
    file = file_of(program, args)
    notices = [*filter(None, [launch.notice]), *_notices(config, environ)]
    told = {"program": program.name, "name": args.name, "file": str(file)}
    told |= {"vault": str(config.vault.path), "entry": entry}
    if args.shown:
        shown = program.form.shown(args.name, entry)
        if output.as_json:
            output.json({**told, "state": "printed", "text": shown, "notices": notices})
            return exits.OK
        output.line(f"In {output.style.clean(str(file))}:\n")
        output.verbatim(shown)
        notice_all(output, notices)
        return exits.OK
    done = connect(file, program.form, args.name, entry, force=args.force)
    notices += _remarks(done, program, args.name, file)
    follows = program.follows.format(name=args.name)
    if output.as_json:
        backup = str(done.backup) if done.backup else None
        more = {"state": done.state, "backup": backup, "next": follows}
        output.json({**told, **more, "notices": notices})
        return exits.OK
    notice_all(output, notices)
    _show(done, told, program, follows, words, output)
    return exits.OK


def file_of(program: Program, args: Namespace) -> Path:
    """Return the file that is named, else where the program keeps its list."""
    if args.file:
        return current_folder() / Path(args.file).expanduser()
    return program.file(this_machine())


def _options(args: Namespace, config: Config) -> Iterator[str]:
    """Yield what stands behind the program: its command, and what was asked for.

    Raises:
        ClientUnknown, ClientsUnreadable: there is no such client.
        UnknownToolset, ToolsetsClash: the sets of tools cannot be served.
    """
    yield from ("mcp", "--vault", str(current_folder() / config.vault.path))
    named = named_of(args)
    if named is not None:
        yield from ("--config", str(current_folder() / named))
    if args.client:
        yield from ("--client", clients_of(config).named(args.client).name)
    if args.tools:
        tools_of(args.tools)  # refuses what could not be served
        yield from ("--tools", ",".join(read_names(args.tools)))


def _notices(config: Config, env: Mapping[str, str]) -> Iterator[str]:
    """Yield what may keep a server from being what its user expects."""
    yield from config.warnings
    left = [key for key in env if key.startswith("GLASSMIND_") and key not in PASSED_ON]
    if left:
        yield (
            f"not passed on: {', '.join(sorted(left))}; what is meant for every "
            "program goes into the configuration (glassmind config set)"
        )
    if config.server.transport == "http":
        yield (
            'server.transport is "http", so the server would listen rather than '
            "answer who started it; run: glassmind config set server.transport stdio"
        )


def _remarks(done: Outcome, program: Program, name: str, file: Path) -> Iterator[str]:
    if done.made:
        yield f"{file} was not there before; is {program.title} installed?"
    if done.off:
        yield f"{name} is switched off in {file}"
    if done.others:
        yield f"connected too, by other names: {', '.join(done.others)}"


def _show(  # noqa: PLR0913, PLR0917 - one page from what was done
    done: Outcome,
    told: Mapping[str, object],
    program: Program,
    follows: str,
    words: list[str],
    output: Output,
) -> None:
    clean = output.style.clean
    said = SAID[done.state].format(title=program.title, vault=clean(str(told["vault"])))
    output.line(said)
    output.line(f"  entry: {told['name']} in {clean(str(told['file']))}")
    output.line(f"  starts: {clean(shlex.join(words))}")
    if done.backup:
        output.line(f"  as it was: {clean(str(done.backup))}")
    if done.state != "unchanged":
        output.line(f"Next: {output.style.strong(follows)}")
