"""`glassmind config`: show, find and change settings."""

import os
from argparse import Namespace
from pathlib import Path

from glassmind.config.places import FILE_NAME, VAULT_NAMES, present
from glassmind.config.reference import as_toml, settings_in_force
from glassmind.config.settings import SETTINGS
from glassmind.config.sources import closest
from glassmind.config.trust import keep_trust
from glassmind.config.write import set_key
from glassmind.errors import NoVault, WrongUsage
from glassmind.render.settings import settings_as_json
from glassmind.serve.cli import exits
from glassmind.serve.cli.opening import config_of, file_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser

TAKES = {"show": 0, "path": 0, "get": 1, "set": 2}
"""What can be done, and how many words it takes."""


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.add_argument(
        "action", choices=TAKES, help="show all, path of the file, get one, set one"
    )
    parser.take_words("words", "KEY [VALUE]", "what to get or set")
    parser.add_argument(
        "--origin", action="store_true", help="show where each value came from"
    )
    parser.add_argument(
        "--in-vault", action="store_true", help="set it in the vault's own file"
    )


def run(args: Namespace, output: Output) -> int:
    """Do what the action says."""
    if len(args.words) != TAKES[args.action]:
        wanted = {0: "takes no more words", 1: "takes a KEY", 2: "takes KEY VALUE"}
        said = wanted[TAKES[args.action]]
        raise WrongUsage(f"config {args.action} {said}", "config")
    actions = {"show": _show, "path": _path, "get": _get, "set": _set}
    actions[args.action](args, output)
    return exits.OK


def _show(args: Namespace, output: Output) -> None:
    config = config_of(args, need_vault=False)
    if output.as_json:
        output.json(settings_as_json(config))
        return
    for warning in config.warnings:
        output.notice(warning)
    for path, value, origin in settings_in_force(config):
        shown = output.style.clean(as_toml(value))
        line = f"{output.style.strong(path)} = {shown}"
        output.line(
            f"{line}  {output.style.faint(f'# {origin}')}" if args.origin else line
        )


def _path(args: Namespace, output: Output) -> None:
    file = _file(args)
    if output.as_json:
        output.json({"path": str(file), "exists": file.is_file()})
    else:
        output.line(str(file))


def _get(args: Namespace, output: Output) -> None:
    (wanted,) = args.words
    config = config_of(args, need_vault=False)
    settings = {path: found for path, *found in settings_in_force(config)}
    if wanted not in settings and wanted in SETTINGS:
        raise NoVault
    if wanted not in settings:
        hint = closest(wanted, list(settings))
        raise WrongUsage(f"{wanted} is not a known setting{hint}", "config")
    value, origin = settings[wanted]
    if output.as_json:
        output.json({"key": wanted, "value": value, "origin": origin})
    else:
        output.verbatim(value if isinstance(value, str) else as_toml(value))
        output.line()


def _set(args: Namespace, output: Output) -> None:
    key, value = args.words
    file = _file(args)
    if args.in_vault:
        with keep_trust(config_of(args).vault.path, os.environ):
            set_key(file, key, value, in_vault=True)
        for warning in config_of(args).warnings:
            output.notice(warning)
    else:
        set_key(file, key, value)
    if output.as_json:
        output.json({"key": key, "path": str(file)})
    else:
        output.notice(f"{key} is set in {file}; what runs already goes on as it began")


def _file(args: Namespace) -> Path:
    """Return the file that is meant: the vault's, the one named, or the user's."""
    if not args.in_vault:
        return file_of(args)
    vault = config_of(args).vault.path
    return next(iter(present(vault, VAULT_NAMES)), vault / FILE_NAME)
