"""`glassmind watch`: follow the vault until told to end."""

import signal
from argparse import Namespace
from datetime import datetime
from threading import Event

from glassmind.render.style import Style
from glassmind.render.watch import news_as_json, news_as_text
from glassmind.serve.cli import exits
from glassmind.serve.cli.opening import config_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.serve.daemon.host import VaultHost
from glassmind.types.watch import Brought, News, TellNews

LOOK_S = 0.5
"""How often a signal is looked for where waiting does not end by one."""

ENDINGS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""What ends a program on one system or another."""

WARNINGS_SHOWN = 10
"""Warnings told one by one of each batch; `--json` has them all."""


def add_arguments(_parser: CommandParser) -> None:
    """Tell the parser what the command takes: nothing of its own."""


def run(args: Namespace, output: Output) -> int:
    """Follow the vault, or stand by while another process does."""
    config = config_of(args, flags={"watch.enabled": True})
    for warning in config.warnings:
        output.remark(warning)
    stop = ending()
    told = teller(output, stop)
    with VaultHost(config, watch=True, log=output.remark, on_news=told) as host:
        while not stop.wait(LOOK_S):
            if not host.is_alive:
                return exits.BUG
    return exits.OK


def ending() -> Event:
    """Return what is set when somebody wants this process to end."""
    stop = Event()
    for name in ENDINGS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: stop.set())
    return stop


def teller(output: Output, stop: Event) -> TellNews:
    """Return what writes a line for each event, and ends where nobody reads them."""

    def tell(news: News) -> None:
        try:
            _write(news, output)
            output.flush()
        except OSError:
            output.abandon()
            stop.set()

    return tell


def _write(news: News, output: Output) -> None:
    if output.as_json:
        output.json(news_as_json(news), on_one_line=True)
        return
    now = datetime.now().astimezone()
    output.line(f"{now:%H:%M:%S} {Style.clean(news_as_text(news))}")
    if isinstance(news, Brought):
        for warning in news.report.warnings[:WARNINGS_SHOWN]:
            output.remark(warning)
