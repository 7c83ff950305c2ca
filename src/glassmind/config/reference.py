"""Show settings: values in force, and the commented configuration file."""

import json
from collections.abc import Iterator
from pathlib import Path

from glassmind.config.settings import SECTIONS, SETTINGS, Config
from glassmind.config.values import AGENT_FOLDER, HIDDEN, Setting, without_password

HEAD = """\
# Settings of Glassmind; see docs/configuration.md.
# Lines such as #limit = 10 show the default: remove the # to change it.
"""


def settings_in_force(config: Config) -> Iterator[tuple[str, object, str]]:
    """Yield name, value and origin of every setting, with secrets hidden.

    Values are as in JSON. In the order of the reference page; `vault.path` is left out
    if no vault was found.
    """
    for path, setting in SETTINGS.items():
        if origin := config.origins.get(path):
            value = getattr(getattr(config, setting.section), setting.name)
            writes = config.writes
            if setting.kind is AGENT_FOLDER and not writes.agent_dir_writable:
                value = value if writes.mode == "off" else False
            yield path, public_value(setting, value), origin


def public_value(setting: Setting, value: object) -> object:
    """Return a value as in JSON, with secrets and passwords hidden."""
    if setting.secret and value:
        return HIDDEN
    return without_password(value) if isinstance(value, str) else plain_value(value)


def plain_value(value: object) -> object:
    """Return a value with the types of JSON and TOML."""
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, Path) else value


def as_toml(value: object) -> str:
    """Return a value as it is written in a configuration file; `HIDDEN` as it is."""
    if value == HIDDEN:
        return HIDDEN
    # JSON is TOML for these types, except that TOML escapes DEL.
    text = json.dumps(plain_value(value), ensure_ascii=False)
    return text.replace("\x7f", "\\u007f")


def commented_file(vault_path: str) -> str:
    """Return a configuration file that sets the vault and shows every other default."""
    lines = [HEAD]
    for section, table in SECTIONS.items():
        lines.append(f"[{section}]")
        for setting in table.settings.values():
            lines.append(f"# {setting.description}")
            if setting.path == "vault.path":
                lines.append(f"path = {as_toml(vault_path)}")
            else:
                lines.append(f"#{setting.name} = {as_toml(setting.default)}")
        lines.append("")
    return "\n".join(lines)
