"""`glassmind config` and `trust`: show, change and trust settings."""

import os
from argparse import Namespace
from pathlib import Path

from glassmind.config.load import TRUSTED_VAULT, settings_in
from glassmind.config.places import FILE_NAME, short
from glassmind.config.settings import SETTINGS, find_setting, settings_in_force
from glassmind.config.sources import as_toml, decode
from glassmind.config.trust import (
    is_trusted,
    keep_trust,
    read_vault_settings,
    record_trust,
    revoke_trust,
)
from glassmind.config.write import COMMAND, set_keys
from glassmind.errors import NOTHING, OK, NoVault, WrongUsage
from glassmind.obsidian.text import shortened
from glassmind.operations.registry import joined
from glassmind.serve.cli.opening import config_of, file_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import LocalCommand, flag, option

TAKES = {"show": "", "path": "", "get": "KEY", "set": "KEY VALUE"}


def config(args: Namespace, output: Output) -> int:
    """Show and change settings."""
    takes = TAKES[args.action]
    if len(args.words) != len(takes.split()):
        problem = f"config {args.action} takes {takes or 'no more words'}"
        raise WrongUsage(problem, "config")
    actions = {"show": _show, "path": _path, "get": _get, "set": _set}
    actions[args.action](args, output)
    return OK


def _show(args: Namespace, output: Output) -> None:
    config = config_of(args, need_vault=False)
    found = [*settings_in_force(config)]
    files, warnings = [str(file) for file in config.files], list(config.warnings)
    settings = {path: {"value": v, "origin": origin} for path, v, origin in found}
    style, lines = output.style, []
    for path, value, origin in found:
        line = f"{style.strong(path)} = {style.clean(as_toml(value))}"
        lines.append(f"{line}  {style.faint(f'# {origin}')}" if args.origin else line)
    output.notices(warnings)
    values = {"settings": settings, "files": files, "warnings": warnings}
    output.result(values, joined(lines))


def _path(args: Namespace, output: Output) -> None:
    file = file_in_use(args)
    output.result({"path": str(file), "exists": file.is_file()}, f"{file}\n")


def _get(args: Namespace, output: Output) -> None:
    (key,) = args.words
    found = settings_in_force(config_of(args, need_vault=False))
    settings = {path: (value, origin) for path, value, origin in found}
    find_setting(key, COMMAND)
    if key not in settings:
        raise NoVault
    value, origin = settings[key]
    text = value if isinstance(value, str) else as_toml(value)
    values = {"key": key, "value": value, "origin": origin}
    output.result(values, f"{output.style.clean(text)}\n")


def _set(args: Namespace, output: Output) -> None:
    key, value = args.words
    file = file_in_use(args)
    if args.in_vault:
        with keep_trust(config_of(args).vault.path, os.environ):
            set_keys(file, {key: value}, in_vault=True)
        output.notices(config_of(args).warnings)
    else:
        set_keys(file, {key: value})
    output.notice(f"{key} is set in {file}; restart running servers to use it")
    output.result({"key": key, "path": str(file)}, "")


def file_in_use(args: Namespace) -> Path:
    return config_of(args).vault.path / FILE_NAME if args.in_vault else file_of(args)


def trust(args: Namespace, output: Output) -> int:
    """Trust the settings file inside a vault."""
    vault = config_of(args).vault.path
    if args.revoke:
        revoked = revoke_trust(vault, os.environ)
        sentence = "is no longer trusted" if revoked else "was not trusted"
        output.notice(f"{vault} {sentence}.")
        facts: dict[str, object] = {"trusted": False, "revoked": revoked}
        output.result({"vault": str(vault), **facts}, "")
        return OK
    settings = read_vault_settings(vault)
    if settings is None:
        output.notice(f"{vault} has no settings file, so there is nothing to trust.")
        return NOTHING
    text = decode(settings.file, settings.content)
    preview, problems = settings_in(settings.file, text, TRUSTED_VAULT)
    output.notices(problems)
    values = {
        path: shortened(as_toml(SETTINGS[path].shown(value)), 200)
        for path, value in preview.items()
    }
    done = "You already trust these settings."
    if not is_trusted(settings, os.environ):
        style = output.style
        lines = [f"{style.strong(short(settings.file))}:"]
        lines += [f"  {path} = {style.clean(text)}" for path, text in values.items()]
        if not output.as_json:
            output.text(joined(lines))
        if not args.yes and not output.can_ask:
            raise WrongUsage("add --yes to trust these settings", "trust")
        if not args.yes and not output.says_yes("Trust these settings?"):
            output.notice("Nothing was changed.")
            return NOTHING
        record_trust(settings, os.environ)
        done = "Trusted until the file changes."
    places = {"vault": str(settings.vault), "file": str(settings.file)}
    facts = {"trusted": True, "digest": settings.digest(), "settings": values}
    output.notice(done)
    output.result(places | facts, "")
    return OK


COMMANDS = {
    "config": LocalCommand(
        config,
        "Maintain",
        (
            option("action", "show all, path of the file, get or set", choices=TAKES),
            flag("--origin", "show where each value came from"),
            flag("--in-vault", "set it in the vault's own file"),
        ),
        words=("words", "KEY [VALUE]", "what to get or set"),
    ),
    "trust": LocalCommand(
        trust,
        "Agents",
        (
            flag("--revoke", "stop trusting the vault's settings"),
            flag("--yes", "do it without asking; needed without a terminal"),
        ),
    ),
}
