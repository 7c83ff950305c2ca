"""`glassmind trust`: let the settings file inside a vault set everything."""

import os
from argparse import Namespace
from pathlib import Path

from glassmind.config.load import preview_trust
from glassmind.config.places import short
from glassmind.config.reference import as_toml, public_value
from glassmind.config.settings import SETTINGS
from glassmind.config.trust import (
    DOTENV,
    VaultSettings,
    is_trusted,
    read_vault_settings,
    record_trust,
    revoke_trust,
)
from glassmind.errors import WrongUsage
from glassmind.serve.cli import exits
from glassmind.serve.cli.changing import add_yes, can_ask, is_confirmed
from glassmind.serve.cli.opening import config_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser

LONGEST_VALUE = 200
"""Characters of a value that are shown, so that none pushes the others off a screen."""


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.add_argument(
        "--revoke", action="store_true", help="stop trusting the vault's settings"
    )
    add_yes(parser)


def run(args: Namespace, output: Output) -> int:
    """Show the settings of the vault, ask, and record that they are trusted."""
    vault = config_of(args).vault.path
    if args.revoke:
        return _revoke(vault, output)
    settings, warnings = read_vault_settings(vault)
    for warning in warnings:
        output.notice(warning)
    if settings is None:
        output.notice(f"{vault} has no settings file, so there is nothing to trust.")
        return exits.NOTHING
    preview, problems = preview_trust(settings)
    for warning in problems:
        output.notice(warning)
    if preview is None:
        return exits.USAGE
    values = {path: _shown(path, value) for path, value in preview.items()}
    if is_trusted(settings, os.environ):
        return _show(settings, values, output, "You already trust these settings.")
    if not output.as_json:
        _list(settings, values, output)
    if not args.yes and not can_ask(output):
        raise WrongUsage("add --yes to trust these settings", "trust")
    if not is_confirmed(args, output, "Trust these settings?"):
        output.notice("Nothing was changed.")
        return exits.NOTHING
    record_trust(settings, os.environ)
    return _show(settings, values, output, "Trusted until one of these files changes.")


def _shown(path: str, value: object) -> str:
    """Return a value as TOML, cut if it is long, with secrets hidden."""
    text = as_toml(public_value(SETTINGS[path], value))
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}..."


def _list(settings: VaultSettings, values: dict[str, str], output: Output) -> None:
    style = output.style
    names = [settings.file.name, *([DOTENV] if settings.dotenv is not None else [])]
    output.line(
        f"{' and '.join(names)} in {style.strong(short(settings.file.parent))}:"
    )
    for path, value in values.items():
        output.line(f"  {path} = {style.clean(value)}")


def _show(
    settings: VaultSettings, values: dict[str, str], output: Output, sentence: str
) -> int:
    if output.as_json:
        output.json(
            {
                "vault": str(settings.vault),
                "file": str(settings.file),
                "trusted": True,
                "digest": settings.digest(),
                "settings": values,
            }
        )
    else:
        output.notice(sentence)
    return exits.OK


def _revoke(vault: Path, output: Output) -> int:
    revoked = revoke_trust(vault, os.environ)
    if output.as_json:
        output.json({"vault": str(vault), "trusted": False, "revoked": revoked})
    else:
        sentence = "is no longer trusted" if revoked else "was not trusted"
        output.notice(f"{vault} {sentence}.")
    return exits.OK
