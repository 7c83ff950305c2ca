"""`glassmind mcp`: serve one client over stdin and stdout."""

from argparse import Namespace
from typing import TYPE_CHECKING

from glassmind.access.clients import Clients, clients_of
from glassmind.errors import ConfigError, WrongUsage
from glassmind.errors.access import ClientChanged, ClientUnknown
from glassmind.serve.cli.commands.serve import STRUCTURED
from glassmind.serve.cli.opening import config_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.serve.mcp.log import log
from glassmind.serve.mcp.toolsets import (
    DEFAULT,
    EMPTY,
    SETS,
    read_names,
    sets_within,
)
from glassmind.types.access import EVERY_AGENT, Scope

if TYPE_CHECKING:
    from glassmind.serve.mcp.engine import Opened


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add = parser.add_argument
    add(
        "--tools",
        metavar="SETS",
        action="append",
        help=f"sets of tools, such as core,brain; of {', '.join(SETS)}",
    )
    about = "serve it as this one of glassmind clients: its scope, its tools"
    add("--client", metavar="NAME", help=about)
    add("--structured", action="store_true", help=STRUCTURED)
    add("--no-watch", action="store_true", help="do not follow changes of the vault")


def run(args: Namespace, output: Output) -> int:
    """Serve until the client goes."""
    names = read_names(args.tools or DEFAULT)
    if _speaks_http(args):
        if args.client:
            said = "over HTTP a client is known by its token: --client is for stdio"
            raise WrongUsage(said, "mcp")
        return _serve_http(args, output)
    seat = Seat(args) if args.client else None
    names = names if seat is None else seat.toolsets()
    for name in names:
        if name in EMPTY:
            output.notice(f"the set of tools {name} is empty as yet")
    from glassmind.serve.mcp.process import Wires  # noqa: PLC0415 - before all else

    wires = Wires()
    from glassmind.serve.mcp.stdio import serve  # noqa: PLC0415 - loads the protocol

    return serve(
        wires,
        lambda: _opened(args),
        names,
        scope=seat.scope if seat else lambda: EVERY_AGENT,
        name=seat.name if seat else "",
        structured=args.structured,
    )


class Seat:
    """The client that is served by its name, as it is registered at each moment."""

    def __init__(self, args: Namespace) -> None:
        self.name: str = args.client
        self._args, self._wanted = args, args.tools
        self._clients: Clients | None = None
        self._served: tuple[str, ...] = ()

    def toolsets(self) -> tuple[str, ...]:
        """Return the sets of tools that are served from now on.

        Settings that cannot be used are told by the tools, those of the call then.

        Raises:
            ClientUnknown, ClientsUnreadable: there is no such client.
            BeyondToolsets: it may use none of the sets that are wanted.
        """
        try:
            scope = self._found()
        except ConfigError:
            scope = EVERY_AGENT
        self._served = sets_within(scope, self._wanted)
        return self._served

    def scope(self) -> Scope:
        """Return what it may read now.

        Raises:
            ClientUnknown, ClientsUnreadable: it is let in no more.
            ClientChanged: it may use other tools by now.
        """
        scope = self._found()
        if sets_within(scope, self._wanted) != self._served:
            raise ClientChanged(self.name)
        return scope

    def _found(self) -> Scope:
        if self._clients is None:
            self._clients = clients_of(config_of(self._args))
        try:
            client = self._clients.named(self.name)
        except ClientUnknown:
            raise ClientUnknown(self.name) from None  # nobody is told of other clients
        self.name = client.name
        self._clients.note_use(client)
        return client.scope


def _speaks_http(args: Namespace) -> bool:
    """Whether the settings want HTTP; ones that cannot be used are told by tools."""
    try:
        return config_of(args).server.transport == "http"
    except ConfigError:
        return False


def _serve_http(args: Namespace, output: Output) -> int:
    """Do what `glassmind serve` does."""
    from glassmind.serve.cli.program import command_parser  # noqa: PLC0415

    serving, parser = command_parser("serve")
    usual = vars(parser.read([]))
    return serving.run(Namespace(**{**usual, **vars(args)}), output)


def _opened(args: Namespace) -> "Opened":
    """Return the vault with all that goes on beside it.

    Raises:
        ConfigError: the vault or a setting cannot be used.
    """
    from glassmind.serve.daemon.host import VaultHost  # noqa: PLC0415 - loads tantivy

    def told(sentence: str) -> None:
        log("vault", said=sentence)

    config = config_of(args)
    for warning in config.warnings:
        told(warning)
    host = VaultHost(config, watch=not args.no_watch, log=told)
    host.engine.client = "mcp"
    return host
