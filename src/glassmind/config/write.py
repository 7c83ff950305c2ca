"""Write configuration files: a new commented one, or single settings with tomlkit."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from glassmind.config.places import current_folder
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
from glassmind.errors import BadConfigFile, ConfigUnwritable

COMMAND = "the command line"
HEAD = """\
# Settings of Glassmind; see docs/configuration.md.
# Lines such as #limit = 10 show the default: remove the # to change it.
"""


def write_config(file: Path, vault: Path, *, in_vault: bool = False) -> None:
    text = commented_file("." if in_vault else str(vault.resolve()))
    put_text(file, text, in_vault=in_vault)


def commented_file(vault_path: str) -> str:
    lines = [HEAD]
    for section, table in SECTIONS.items():
        lines.append(f"[{section}]")
        for setting in table.settings.values():
            value, mark = setting.default, "#"
            if setting.path == "vault.path":
                value, mark = vault_path, ""
            choices = f" One of {', '.join(setting.choices)}." * bool(setting.choices)
            lines.append(f"# {setting.description}{choices}")
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

    Raises `BadSetting`, `BadConfigFile`, or `ConfigUnwritable` if a link is in the way,
    the disk refused, or the text has to be edited by hand.
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
    setting = find_setting(path, COMMAND)
    value = setting.parse(raw, current_folder(), COMMAND, is_text=True)
    return plain(False if setting.kind is AGENT_FOLDER and not value else value)


def _with_setting(file: Path, text: str, path: str, value: Any) -> str:
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
