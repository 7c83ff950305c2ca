"""`glassmind serve`: the vault over HTTP, for programs on this machine."""

from argparse import ArgumentTypeError, Namespace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

from glassmind.access.clients import clients_of
from glassmind.config import Config
from glassmind.config.values import is_loopback
from glassmind.errors.access import ClientsUnreadable
from glassmind.errors.serving import TokenNeeded
from glassmind.serve.cli import exits
from glassmind.serve.cli.opening import config_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.serve.mcp.toolsets import DEFAULT, EMPTY, SETS, read_names

if TYPE_CHECKING:
    from glassmind.serve.http.token import TokenFile

MOST_PORT = 65_535

STRUCTURED = "send structured content and output schemas to MCP clients"

OPEN_FILE = "others on this machine can read the token in {0}: chmod 600 {0}"

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
    add("--structured", action="store_true", help=STRUCTURED)
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
    token = _chosen_token(args, config)
    if token is None and not args.show_token and not is_loopback(host):
        raise TokenNeeded(host)
    token = token or _kept_token(args, config)
    if args.show_token:
        return _show_token(token, output)
    if token.is_open:
        output.notice(OPEN_FILE.format(token.origin))
    try:
        clients_of(config).all()
    except ClientsUnreadable as error:  # told now; they are let in when it is mended
        output.notice(str(error))
    _serve(args, config, output, token)
    return exits.OK


class _Token(NamedTuple):
    """What clients have to know, and where it is from.

    `told_by` is the command that prints one which nobody chose; one that `is_open` can
    be read by others. `file` is followed while the server runs.
    """

    text: str
    origin: str
    file: "TokenFile | None" = None
    told_by: str = ""
    is_open: bool = False


def _chosen_token(args: Namespace, config: Config) -> _Token | None:
    """Return the token that somebody chose; None if nobody did."""
    from glassmind.serve.http.token import (  # noqa: PLC0415 - only to serve
        TokenFile,
        checked_token,
        is_open_to_others,
        read_token,
    )

    if args.token_file:
        file = Path(args.token_file)
        text, there = read_token(file), file.is_file()  # a pipe is read once
        followed = TokenFile(file, private=False) if there else None
        is_open = there and is_open_to_others(file.stat())
        return _Token(text, args.token_file, followed, is_open=is_open)
    origin = "--token" if args.token is not None else config.origins["server.token"]
    given = config.server.token if args.token is None else args.token
    if not given and args.token is None:
        return None
    return _Token(checked_token(given, origin), origin)


def _kept_token(args: Namespace, config: Config) -> _Token:
    from glassmind.serve.http.token import (  # noqa: PLC0415 - only to serve
        TokenFile,
        kept_token,
        token_file,
    )

    file = token_file(config)
    vault = f" --vault {quote(args.vault)}" if getattr(args, "vault", None) else ""
    told_by = f"glassmind serve{vault} --show-token"
    followed = TokenFile(file, private=True)
    return _Token(kept_token(file), str(file), followed, told_by)


def _show_token(token: _Token, output: Output) -> int:
    if output.as_json:
        output.json({"token": token.text, "origin": token.origin})
    else:
        output.line(token.text)
    return exits.OK


def _serve(args: Namespace, config: Config, output: Output, token: _Token) -> None:
    from glassmind.serve.http.run import Terms, serve  # noqa: PLC0415 - a second

    host = args.host or config.server.host
    if not is_loopback(host):
        output.notice(OPEN_WIRE)
    port = config.server.port if args.port is None else args.port
    names = read_names(args.tools or DEFAULT)
    watch, quiet = not args.no_watch, output.quiet

    def told(url: str) -> None:
        _tell_where(url, token, output)

    known = token.file or token.text
    terms = Terms(host, port, known, names, watch, quiet, args.structured)
    serve(config, terms, told)


def _tell_where(url: str, token: _Token, output: Output) -> None:
    if output.as_json:
        output.json({"url": url, "mcp": f"{url}/mcp", "token_origin": token.origin})
    else:
        output.line(f"Listening on {url}, for MCP on {url}/mcp")
        printed = f"; {token.told_by} prints it" if token.told_by else ""
        output.line(f"Token: from {token.origin}{printed}")
    output.flush()
