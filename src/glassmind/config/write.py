"""Write configuration files: a new commented one, or single settings with tomlkit."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from glassmind.config.places import FILE_NAME, USER_NAMES, config_home, current_folder
from glassmind.config.settings import SECTIONS, find_setting
from glassmind.config.sources import (
    as_toml,
    lines_of,
    parse_toml,
    put_text,
    read_text,
    refuse_link,
)
from glassmind.config.values import AGENT_FOLDER, plain
from glassmind.errors import BadConfigFile, BadSetting, ConfigExists, ConfigUnwritable

HEAD = """\
# Settings of Glassmind; see docs/configuration.md.
# Lines such as #limit = 10 show the default: remove the # to change it.
"""


def new_file(
    vault: Path,
    env: Mapping[str, str],
    *,
    named: Path | None = None,
    in_vault: bool = False,
    force: bool = False,
) -> Path:
    """Return the path for a new configuration file of a vault.

    It is the named file, else in the user's configuration folder, or with `in_vault` in
    the vault. Raises `ConfigExists` unless `force` is set, or `ConfigUnwritable`.
    """
    if in_vault:
        found = [vault / FILE_NAME]
    elif named is not None:
        found = [named]
    else:
        # A second user file would hide the first, so any of the names counts.
        found = [config_home(env) / name for name in USER_NAMES]
    for file in found:
        if file.exists() and not force:
            raise ConfigExists(str(file))
    if in_vault:
        refuse_link(found[0])
    return found[0]


def write_config(file: Path, vault: Path, *, in_vault: bool = False) -> None:
    """Write a commented configuration for a vault; raises `ConfigUnwritable`."""
    text = commented_file("." if in_vault else str(vault.resolve()))
    put_text(file, text, in_vault=in_vault)


def commented_file(vault_path: str) -> str:
    """Return a configuration file that sets the vault and shows every other default."""
    lines = [HEAD]
    for section, table in SECTIONS.items():
        lines.append(f"[{section}]")
        for setting in table.settings.values():
            value, mark = setting.default, "#"
            if setting.path == "vault.path":
                value, mark = vault_path, ""
            lines.append(f"# {setting.description}")
            lines.append(f"{mark}{setting.name} = {as_toml(value)}")
        lines.append("")
    return "\n".join(lines)


def set_keys(
    file: Path,
    settings: Mapping[str, object],
    *,
    above: Sequence[str] = (),
    in_vault: bool = False,
) -> None:
    """Set some settings in a configuration file, all or none; the other text stays.

    The values are text as on a command line, or typed. A missing file is created.
    `above` are lines of a comment to put above the first setting. With `in_vault` the
    file is as readable as the notes, and no link is followed.

    Raises:
        BadSetting: a name is unknown, or a value is invalid.
        BadConfigFile: the existing file cannot be read.
        ConfigUnwritable: the text has to be edited by hand, the disk refused, or a
            link is in the way.
    """
    values = {path: _value(path, raw) for path, raw in settings.items()}
    if in_vault:
        refuse_link(file)
    old = read_text(file) if file.exists() else ""
    text, newline = old.replace("\r\n", "\n"), "\r\n" if "\r\n" in old else "\n"
    for path, value in values.items():
        text = _with_setting(file, text, path, value)
    if above:
        lines = text.split("\n")
        at = lines_of(text).get(next(iter(values)), len(lines) + 1) - 1
        lines[at:at] = [f"# {each}" for each in above]
        text = "\n".join(lines)
    put_text(file, text.replace("\n", newline), in_vault=in_vault)


def _value(path: str, raw: object) -> Any:
    """Return the checked value as it is written in a file."""
    setting = find_setting(path, "the command line")
    try:
        value = setting.parse(raw, current_folder(), is_text=True)
    except ValueError as error:
        raise BadSetting(path, "the command line", str(error)) from None
    return plain(False if setting.kind is AGENT_FOLDER and not value else value)


def _with_setting(file: Path, text: str, path: str, value: Any) -> str:
    """Return the text with one setting changed and everything else as it was.

    Raises `ConfigUnwritable` unless reading it gives the old values and the new one.
    """
    import tomlkit  # noqa: PLC0415 - slow, and only for writing

    section, _, name = path.partition(".")
    tables = parse_toml(file, text)
    if section not in tables and text and not text.endswith("\n"):
        text += "\n"
    try:
        tables.setdefault(section, {})[name] = value
        document = tomlkit.parse(text)
        table: Any = document.setdefault(section, tomlkit.table())
        has_body = isinstance(table, tomlkit.items.Table) and name not in table
        for _, item in table.value.body if has_body else ():
            is_comment = isinstance(item, tomlkit.items.Comment)
            if is_comment and re.match(rf"#[# ]*{name}\s*=", item.trivia.comment):
                # The default, shown in a comment, becomes the setting.
                item.trivia.comment = f"{name} = {tomlkit.item(value).as_string()}"
                break
        else:
            table[name] = value
        new = tomlkit.dumps(document)
        if parse_toml(file, new) == tables:
            return new
    except (TypeError, tomlkit.exceptions.TOMLKitError, BadConfigFile, RecursionError):
        pass
    raise ConfigUnwritable(str(file), f"set {path} by hand, in [{section}]")
