"""`glassmind mcp`, `serve`, `watch` and `service`: start a long-running process."""

import signal
import sys
from argparse import Namespace
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from shlex import quote
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Meta, to_builtins

from glassmind import errors
from glassmind.access.clients import Clients, clients_of
from glassmind.access.scopes import DEFAULT_SETS, SETS, read_names, sets_within
from glassmind.config import Config
from glassmind.config.values import is_loopback
from glassmind.errors import BUG, OK
from glassmind.index.schedule import (
    HOUR_MIN,
    launchd_units,
    systemd_units,
    units_as_script,
)
from glassmind.model.access import EVERY_AGENT, Scope
from glassmind.model.index import IndexUpdated, News
from glassmind.obsidian.text import Style
from glassmind.serve.cli.opening import config_of, words_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import LocalCommand, flag, one_of, option
from glassmind.serve.http.token import (
    TokenFile,
    checked_token,
    is_open_to_others,
    kept_token,
    read_token,
    token_file,
)
from glassmind.serve.log import log
from glassmind.store.place import index_name

if TYPE_CHECKING:
    from glassmind.serve.daemon.host import VaultHost


def mcp(args: Namespace, output: Output) -> int:
    """Serve an agent over stdin and stdout."""
    names = read_names(args.tools or DEFAULT_SETS)
    transport = "stdio"
    with suppress(errors.ConfigError):
        transport = config_of(args).server.transport
    if transport == "http":
        if args.client:
            problem = "over HTTP a client is known by its token: --client is for stdio"
            raise errors.WrongUsage(problem, "mcp")
        usual = dict.fromkeys(("host", "port", "token", "token_file", "show_token"))
        return serve(Namespace(**usual, **vars(args)), output)
    client = NamedClient(args) if args.client else None
    names = names if client is None else client.toolsets()
    from glassmind.serve.mcp.process import ProcessStreams  # noqa: PLC0415 - before all else

    wires = ProcessStreams()
    from glassmind.serve.mcp.stdio import serve as serve_stdio  # noqa: PLC0415 - heavy

    return serve_stdio(
        wires,
        lambda: _opened(args),
        names,
        scope=client.scope if client else lambda: EVERY_AGENT,
        name=client.name if client else "",
        structured=args.structured,
    )


class NamedClient:
    def __init__(self, args: Namespace) -> None:
        self.name: str = args.client
        self._args, self._wanted = args, args.tools
        self._clients: Clients | None = None
        self._served: tuple[str, ...] = ()

    def toolsets(self) -> tuple[str, ...]:
        """Return the tool sets; if the settings cannot be used, every call says so."""
        try:
            scope = self._find()
        except errors.ConfigError:
            scope = EVERY_AGENT
        self._served = sets_within(scope, self._wanted)
        return self._served

    def scope(self) -> Scope:
        """Return what it may read now, unless it was revoked or its sets changed."""
        scope = self._find()
        if sets_within(scope, self._wanted) != self._served:
            raise errors.AccessFault(
                f"the tool sets of {self.name!r} have changed; restart this server"
            )
        return scope

    def _find(self) -> Scope:
        self._clients = self._clients or clients_of(config_of(self._args))
        try:
            client = self._clients.named(self.name)
        except errors.ClientUnknown:
            raise errors.ClientUnknown(
                self.name
            ) from None  # without names of other clients
        self.name = client.name
        self._clients.note_use(client)
        return client.scope


def _opened(args: Namespace) -> "VaultHost":
    from glassmind.serve.daemon.host import VaultHost  # noqa: PLC0415 - tantivy

    config = config_of(args)
    for warning in config.warnings:
        _log(warning)
    host = VaultHost(config, watch=not args.no_watch, log=_log)
    host.engine.client = "mcp"
    return host


def _log(message: str) -> None:
    log("vault", said=message)


OPEN_FILE = "others on this machine can read the token in {0}: chmod 600 {0}"

NOT_ENCRYPTED = (
    "other machines can reach this server, and nothing is encrypted on the way: notes "
    "and the token can be read there; put TLS in front of it"
)


class Token(NamedTuple):
    """The server watches `file` for changes; `shown_by` prints a generated token."""

    text: str
    origin: str
    file: TokenFile | None = None
    shown_by: str = ""


def serve(args: Namespace, output: Output) -> int:
    """Serve the vault over HTTP."""
    one_of(args, "serve", "--token", "--token-file")
    names = read_names(args.tools or DEFAULT_SETS)
    config = config_of(args)
    output.notices(config.warnings)
    host = args.host or config.server.host
    token = _token(args, config, host)
    if args.show_token:
        values = {"token": token.text, "origin": token.origin}
        output.result(values, f"{token.text}\n")
        return OK
    if args.token_file and token.file and is_open_to_others(Path(token.origin).stat()):
        output.notice(OPEN_FILE.format(token.origin))
    try:
        clients_of(config).all()
    except errors.ClientsUnreadable as error:  # they have access as soon as it is fixed
        output.notice(str(error))
    if not is_loopback(host):
        output.notice(NOT_ENCRYPTED)
    from glassmind.serve.http import run  # noqa: PLC0415 - takes a second

    def show_address(url: str) -> None:
        shown = f"; {token.shown_by} prints it" if token.shown_by else ""
        text = f"Listening on {url}, for MCP on {url}/mcp\nToken: from {token.origin}"
        values = {"url": url, "mcp": f"{url}/mcp", "token_origin": token.origin}
        output.result(values, f"{text}{shown}\n")
        output.flush()

    port = config.server.port if args.port is None else args.port
    run.serve(
        config,
        host,
        port,
        token.file or token.text,
        on_start=show_address,
        toolsets=names,
        watch=not args.no_watch,
        quiet=output.quiet,
        structured=args.structured,
    )
    return OK


def _token(args: Namespace, config: Config, host: str) -> Token:
    if args.token_file:
        file = Path(args.token_file)
        text, is_file = read_token(file), file.is_file()  # a pipe is read once
        followed = TokenFile(file, private=False) if is_file else None
        return Token(text, args.token_file, followed)
    if args.token is not None:
        return Token(checked_token(args.token, "--token"), "--token")
    if config.server.token:
        origin = config.origins["server.token"]
        return Token(checked_token(config.server.token, origin), origin)
    if not args.show_token and not is_loopback(host):
        raise errors.ServingFault(
            f"{host} can be reached from other machines: choose a token, by "
            "--token-file FILE or the variable GLASSMIND_SERVER_TOKEN, or keep to "
            "127.0.0.1"
        )
    file = token_file(config)
    vault = f" --vault {quote(args.vault)}" if getattr(args, "vault", None) else ""
    shown_by = f"glassmind serve{vault} --show-token"
    return Token(kept_token(file), str(file), TokenFile(file, private=True), shown_by)


LOOK_S = 0.5  # seconds between looks for a signal, where one does not end waiting
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
WARNINGS_SHOWN = 10  # warnings shown of each batch; `--json` has them all


def watch(args: Namespace, output: Output) -> int:
    """Index changes until stopped."""
    from glassmind.serve.daemon.host import VaultHost  # noqa: PLC0415 - tantivy

    config = config_of(args, flags={"watch.enabled": True})
    for warning in config.warnings:
        output.remark(warning)
    stop = Event()
    for name in SIGNALS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: stop.set())

    def show(news: News) -> None:
        try:
            _write(news, output)
            output.flush()
        except OSError:  # the reader has left
            output.abandon()
            stop.set()

    with VaultHost(config, watch=True, log=output.remark, on_news=show) as host:
        while not stop.wait(LOOK_S):
            if not host.is_alive:
                return BUG
    return OK


def _write(news: News, output: Output) -> None:
    from glassmind.serve.daemon.host import (  # noqa: PLC0415 - tantivy
        news_as_json,
        news_as_text,
    )

    if output.as_json:
        output.json(news_as_json(news), on_one_line=True)
        return
    now = datetime.now().astimezone()
    output.line(f"{now:%H:%M:%S} {Style.clean(news_as_text(news))}")
    if isinstance(news, IndexUpdated):
        for warning in news.report.warnings[:WARNINGS_SHOWN]:
            output.remark(warning)


def service(args: Namespace, output: Output) -> int:
    """Print timer files for indexing."""
    config = config_of(args)
    vault, words = str(config.vault.path), words_of(args, config)
    command = [sys.executable, "-m", "glassmind", *words, "index", "--quiet"]
    letters = index_name(config.vault.path).encode("ascii", "replace").decode()
    name = f"glassmind-{letters.replace('?', '_')}"
    kind = args.kind or ("launchd" if sys.platform == "darwin" else "systemd")
    if kind == "systemd":
        units = systemd_units(command, name=name, vault=vault, every_min=args.every)
    else:
        try:
            units = launchd_units(command, name=name, every_min=args.every)
        except ValueError as error:
            problem = f"a property list cannot hold the name {vault!r}"
            raise errors.WrongUsage(problem, "service") from error
    output.result(to_builtins(units), output.style.clean(units_as_script(units)))
    return OK


_SETS = f"MCP tool sets, separated by commas; there are {', '.join(SETS)}"
TOOLS = option("--tools", _SETS, "SETS", action="append")
CLIENT = option("--client", "use this client's scope", "NAME")
_SERVED = (
    TOOLS,
    flag("--structured", "send structured content and output schemas to MCP clients"),
    flag("--no-watch", "do not watch the vault for changes"),
)
PORTS, MINUTES = Meta(ge=0, le=65_535), Meta(ge=1, le=HOUR_MIN)
_EVERY = f"how often to index, from 1 to {HOUR_MIN} minutes"

COMMANDS = {
    "mcp": LocalCommand(mcp, "Agents", (*_SERVED, CLIENT)),
    "serve": LocalCommand(
        serve,
        "Agents",
        (
            option("--host", "the address to listen on", "ADDRESS"),
            option(
                "--port", "the port to listen on; 0 picks a free one", "N", bounds=PORTS
            ),
            option("--token", "the token that clients must send", "TOKEN"),
            option("--token-file", "a file with that token", "FILE"),
            flag("--show-token", "print the token and end"),
            *_SERVED,
        ),
    ),
    "watch": LocalCommand(watch, "Maintain"),
    "service": LocalCommand(
        service,
        "Maintain",
        (
            option("action", "print the timer files", choices=("print",)),
            option("--kind", "default: this system", choices=("systemd", "launchd")),
            option("--every", _EVERY, "MINUTES", bounds=MINUTES, default=15),
        ),
        expert=True,
    ),
}
