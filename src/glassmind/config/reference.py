"""Show settings: values in force, the commented configuration file, tables of docs."""

import json
from collections.abc import Iterator
from pathlib import Path

from glassmind.config.settings import SECTIONS, SETTINGS, Config
from glassmind.config.trust import RULES
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
    for section in SECTIONS:
        lines.append(f"[{section}]")
        for setting in _settings_of(section):
            lines.append(f"# {setting.description}")
            if setting.path == "vault.path":
                lines.append(f"path = {as_toml(vault_path)}")
            else:
                lines.append(f"#{setting.name} = {as_toml(setting.default)}")
        lines.append("")
    return "\n".join(lines)


def _settings_of(section: str) -> list[Setting]:
    return [each for each in SETTINGS.values() if each.section == section]


def reference_tables() -> str:
    """Return the tables of the configuration page, one for each section."""
    columns = ("key", "value", "default", "variable", "also read", "meaning")
    lines = []
    for section, table in SECTIONS.items():
        summary = (table.__doc__ or "").partition("\n")[0]
        lines += [f"### `[{section}]`", "", summary, "", *_head(columns)]
        for each in _settings_of(section):
            default = f"`{as_toml(each.default)}`"
            cells = (
                f"`{each.path}`",
                _allowed(each),
                "none" if each.path == "vault.path" else default,
                f"`{each.variable}`",
                ", ".join(map(_alias, each.aliases)),
                each.description,
            )
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


def _allowed(setting: Setting) -> str:
    if setting.choices:
        return ", ".join(f"`{choice}`" for choice in setting.choices)
    bounds = (
        f" from {setting.bounds[0]} to {setting.bounds[1]}" if setting.bounds else ""
    )
    return setting.kind.expected + bounds


def _alias(name: str) -> str:
    return f"`{name[1:]}` (reversed)" if name.startswith("!") else f"`{name}`"


def _head(columns: tuple[str, ...]) -> list[str]:
    return [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]


def trust_table() -> str:
    """Return the table of the security page: which origin may set what."""
    lines = _head(("setting", "you", "a trusted vault", "an untrusted vault"))
    for path, setting in SETTINGS.items():
        rule, _ = RULES[setting.vault]
        trusted = rule if path == "vault.path" else "any value"
        lines.append(f"| `{path}` | any value | {trusted} | {rule} |")
    return "\n".join(lines)
