"""`glassmind mcp`: serve one client over stdin and stdout."""

from argparse import Namespace
from typing import TYPE_CHECKING

from glassmind.errors import ConfigError
from glassmind.surfaces.cli.opening import config_of
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser
from glassmind.surfaces.mcp.toolsets import DEFAULT, EMPTY, SETS, read_names

if TYPE_CHECKING:
    from glassmind.surfaces.mcp.opening import Opened


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add = parser.add_argument
    add(
        "--tools",
        metavar="SETS",
        action="append",
        help=f"sets of tools, such as core,brain; of {', '.join(SETS)}",
    )
    add("--no-watch", action="store_true", help="do not follow changes of the vault")


def run(args: Namespace, output: Output) -> int:
    """Serve until the client goes."""
    names = read_names(args.tools or DEFAULT)
    if _speaks_http(args):
        return _serve_http(args, output)
    for name in names:
        if name in EMPTY:
            output.notice(f"the set of tools {name} is empty as yet")
    from glassmind.surfaces.mcp.wires import Wires  # noqa: PLC0415 - before all else

    wires = Wires()
    from glassmind.surfaces.mcp.stdio import serve  # noqa: PLC0415 - loads the protocol

    return serve(wires, lambda: _opened(args), names)


def _speaks_http(args: Namespace) -> bool:
    """Whether the settings want HTTP; ones that cannot be used are told by tools."""
    try:
        return config_of(args).server.transport == "http"
    except ConfigError:
        return False


def _serve_http(args: Namespace, output: Output) -> int:
    """Do what `glassmind serve` does."""
    from glassmind.surfaces.cli.program import command_parser  # noqa: PLC0415

    serving, parser = command_parser("serve")
    usual = vars(parser.read([]))
    return serving.run(Namespace(**{**usual, **vars(args)}), output)


def _opened(args: Namespace) -> "Opened":
    """Return the vault with all that goes on beside it.

    Raises:
        ConfigError: the vault or a setting cannot be used.
    """
    from glassmind.residence import Residence  # noqa: PLC0415 - behind the handshake
    from glassmind.surfaces.mcp.log import log  # noqa: PLC0415

    def told(sentence: str) -> None:
        log("vault", said=sentence)

    config = config_of(args)
    for warning in config.warnings:
        told(warning)
    home = Residence(config, watch=not args.no_watch, log=told)
    home.engine.client = "mcp"
    return home
