"""`glassmind serve`: the vault over HTTP, for programs on this machine."""

from argparse import ArgumentTypeError, Namespace
from pathlib import Path

from glassmind.access.clients import clients_of
from glassmind.config import Config
from glassmind.config.guards import is_loopback
from glassmind.errors.access import ClientsUnreadable
from glassmind.errors.serving import TokenNeeded
from glassmind.surfaces.cli import exits
from glassmind.surfaces.cli.opening import config_of
from glassmind.surfaces.cli.output import Output
from glassmind.surfaces.cli.parser import CommandParser
from glassmind.surfaces.mcp.toolsets import DEFAULT, EMPTY, SETS, read_names

MOST_PORT = 65_535

OPEN_WIRE = (
    "other machines can reach this server, and nothing on the way is encrypted: "
    "whoever listens there can read notes and the token; put TLS in front of it"
)


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    add = parser.add_argument
    add("--host", metavar="ADDRESS", help="the address to listen on")
    add("--port", type=_port, metavar="N", help="the port; 0 takes any that is free")
    token = parser.add_mutually_exclusive_group()
    token.add_argument("--token", metavar="TOKEN", help="what clients have to know")
    token.add_argument("--token-file", metavar="FILE", help="a file that holds it")
    add("--show-token", action="store_true", help="print the token and end")
    add(
        "--tools",
        metavar="SETS",
        action="append",
        help=f"sets of MCP tools, such as core,brain; of {', '.join(SETS)}",
    )
    add("--no-watch", action="store_true", help="do not follow changes of the vault")


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) <= MOST_PORT:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is no port: it must be from 0 to {MOST_PORT}")


def run(args: Namespace, output: Output) -> int:
    """Serve until a signal ends it."""
    names = read_names(args.tools or DEFAULT)
    config = config_of(args)
    for warning in config.warnings:
        output.notice(warning)
    for name in names:
        if name in EMPTY:
            output.notice(f"the set of tools {name} is empty as yet")
    host = args.host or config.server.host
    token, origin = _chosen_token(args, config)
    if not token and not args.show_token and not is_loopback(host):
        raise TokenNeeded(host)
    if not token:
        token, origin = _kept_token(config)
    if args.show_token:
        return _show_token(token, origin, output)
    try:
        clients_of(config).all()
    except ClientsUnreadable as error:  # told now; they are let in when it is mended
        output.notice(str(error))
    _serve(args, config, output, (token, origin))
    return exits.OK


def _chosen_token(args: Namespace, config: Config) -> tuple[str, str]:
    """Return the token that somebody chose and where; nothing if nobody did."""
    from glassmind.surfaces.http.token import checked_token, read_token  # noqa: PLC0415

    if args.token_file:
        return read_token(Path(args.token_file)), args.token_file
    origin = "--token" if args.token is not None else config.origins["server.token"]
    given = config.server.token if args.token is None else args.token
    if not given and args.token is None:
        return "", ""
    return checked_token(given, origin), origin


def _kept_token(config: Config) -> tuple[str, str]:
    from glassmind.surfaces.http.token import kept_token, token_file  # noqa: PLC0415

    file = token_file(config)
    return kept_token(file), str(file)


def _show_token(token: str, origin: str, output: Output) -> int:
    if output.as_json:
        output.json({"token": token, "origin": origin})
    else:
        output.line(token)
    return exits.OK


def _serve(
    args: Namespace, config: Config, output: Output, token: tuple[str, str]
) -> None:
    from glassmind.surfaces.http.serve import Terms, serve  # noqa: PLC0415 - a second

    host = args.host or config.server.host
    if not is_loopback(host):
        output.notice(OPEN_WIRE)
    port = config.server.port if args.port is None else args.port
    names = read_names(args.tools or DEFAULT)
    watch, quiet = not args.no_watch, output.quiet

    def told(url: str) -> None:
        _tell_where(url, token[1], output)

    serve(config, Terms(host, port, token[0], names, watch, quiet), told)


def _tell_where(url: str, origin: str, output: Output) -> None:
    if output.as_json:
        output.json({"url": url, "mcp": f"{url}/mcp", "token_origin": origin})
    else:
        output.line(f"Listening on {url}, for MCP on {url}/mcp")
        output.line(f"Token: from {origin}; glassmind serve --show-token prints it")
    output.flush()
