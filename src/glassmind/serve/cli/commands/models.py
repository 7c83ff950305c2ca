"""`glassmind models`: list, fetch and check what turns text into vectors."""

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from glassmind.config import Config
from glassmind.config.places import current_folder
from glassmind.errors import WrongUsage
from glassmind.models import shelf
from glassmind.models.download import Watch, unwatched
from glassmind.render.models import (
    fetched_as_json,
    fetched_as_text,
    model_checks_as_json,
    model_checks_as_text,
    models_as_json,
    models_as_text,
)
from glassmind.serve.cli import exits
from glassmind.serve.cli.opening import config_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser

ACTIONS = ("list", "fetch", "check")


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.add_argument(
        "action", choices=ACTIONS, help="list all, fetch some, check those here"
    )
    parser.take_words("names", "NAME", "presets or models; all means every one")
    parser.add_argument(
        "--from",
        dest="source",
        metavar="PATH",
        help="look in this folder before anywhere else",
    )


def run(args: Namespace, output: Output) -> int:
    """Do what the action says."""
    if args.action == "list" and args.names:
        raise WrongUsage("models list takes no names", "models")
    if args.source and args.action != "fetch":
        raise WrongUsage("--from goes with fetch", "models")
    actions = {"list": _list, "fetch": _fetch, "check": _check}
    return actions[args.action](args, output)


def _config(args: Namespace, output: Output) -> Config:
    """Return the settings in force, having told of odd ones."""
    config = config_of(args, need_vault=False)
    for warning in config.warnings:
        output.notice(warning)
    return config


def _list(args: Namespace, output: Output) -> int:
    found = shelf.states(_config(args, output))
    if output.as_json:
        output.json(models_as_json(found))
    else:
        output.text(models_as_text(found, output.style))
    return exits.OK


def _fetch(args: Namespace, output: Output) -> int:
    local = current_folder() / Path(args.source).expanduser() if args.source else None
    if local is not None and not local.exists():
        raise WrongUsage(f"there is nothing at {local}", "models")
    config = _config(args, output)
    done = []
    with shown_download(output) as watcher:
        for model in shelf.fetch(config, args.names, local=local, watcher=watcher):
            done.append(model)
            if model.notice:
                output.notice(model.notice)
            if model.problem:
                output.fault(model.problem)
            elif not output.as_json:
                output.text(fetched_as_text(model, output.style))
    if not done:
        output.notice("your settings name no model that could be fetched")
    if output.as_json:
        output.json(fetched_as_json(done))
    missing = [model for model in done if model.problem]
    # Of all models some are out of reach where the hub is: that is no failure.
    enough = shelf.EVERYTHING in args.names and len(missing) < len(done)
    return exits.MODEL if missing and not enough else exits.OK


def _check(args: Namespace, output: Output) -> int:
    checks = shelf.check(_config(args, output), args.names)
    if output.as_json:
        output.json(model_checks_as_json(checks))
    else:
        output.text(model_checks_as_text(checks, output.style))
    if not checks:
        output.notice("no model is here; run: glassmind models fetch")
        return exits.NOTHING
    return exits.OK if all(check.ok for check in checks) else exits.MODEL


@contextmanager
def shown_download(output: Output) -> Iterator[Callable[[str], Watch]]:
    """Yield what shows, model by model, how many bytes have come."""
    if not output.shows_progress:
        yield lambda _model: unwatched
        return
    # 70 milliseconds, which only a terminal is worth.
    from rich import console, progress  # noqa: PLC0415

    with progress.Progress(
        progress.TextColumn("Fetching {task.description}"),
        progress.BarColumn(),
        progress.DownloadColumn(),
        progress.TransferSpeedColumn(),
        progress.TimeRemainingColumn(),
        console=console.Console(file=sys.stderr, no_color=not output.colourful or None),
        transient=True,
    ) as bars:
        last: list[progress.TaskID] = []

        def watcher(model: str) -> Watch:
            for task in last:
                bars.remove_task(task)
            last[:] = [bars.add_task(model, total=None)]

            def show(done: int, total: int) -> None:
                bars.update(last[0], completed=done, total=total or None)

            return show

        yield watcher
