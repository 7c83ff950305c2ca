"""The settings put in words: a commented file, the reference page, what is in force."""

from collections.abc import Iterator

from glassmind.config.keys import Key
from glassmind.config.sections import KEYS, SECTIONS, Config
from glassmind.config.toml import as_toml
from glassmind.config.values import HIDDEN, without_password
from glassmind.config.vault_rules import OWN_FOLDER

HEAD = """\
# The settings of Glassmind; see docs/configuration.md.
# A line that begins with # and a key shows the default: remove the # to change it.
"""

TYPES = {
    "flag": "true or false",
    "count": "whole number",
    "number": "number",
    "text": "text",
    "word": "text",
    "names": "list of names",
    "rules": "list of `name=word`, or table",
    "folder": "folder",
    "url": "url",
    "host": "address",
    "place": "place or folder",
    "agent_dir": "folder, true or false",
}

COLUMNS = ("key", "value", "default", "variable", "also read", "meaning")


def commented_file(vault_path: str) -> str:
    """Return a configuration file that sets the vault and shows every other default."""
    return "\n".join([HEAD, *_file_lines(vault_path)])


def _file_lines(vault_path: str) -> Iterator[str]:
    for section in SECTIONS:
        yield f"[{section.title}]"
        for made in section.keys:
            yield f"# {made.doc}"
            if made.path == "vault.path":
                yield f"path = {as_toml(vault_path)}"
            else:
                yield f"#{made.name} = {as_toml(made.default)}"
        yield ""


def reference_tables() -> str:
    """Return the tables of the reference page, one for each section."""
    return "\n".join(_table_lines())


def _table_lines() -> Iterator[str]:
    for section in SECTIONS:
        yield f"### `[{section.title}]`\n\n{section.__doc__ or ''}".partition("\n\n ")[
            0
        ]
        yield ""
        yield f"| {' | '.join(COLUMNS)} |"
        yield f"|{'---|' * len(COLUMNS)}"
        for made in section.keys:
            yield f"| {' | '.join(_cells(made))} |"
        yield ""


def _cells(key: Key) -> Iterator[str]:
    yield f"`{key.path}`"
    yield _allowed(key)
    yield "none" if key.path == "vault.path" else f"`{as_toml(key.default)}`"
    yield f"`{key.variable}`"
    yield ", ".join(_alias(name) for name in key.aliases)
    yield key.doc


def _allowed(key: Key) -> str:
    if key.choices:
        return ", ".join(f"`{choice}`" for choice in key.choices)
    bounds = [
        f"{word} {bound}"
        for word, bound in (("from", key.least), ("to", key.most))
        if bound is not None
    ]
    return " ".join([TYPES[key.kind], *bounds])


def _alias(name: str) -> str:
    return f"`{name[1:]}` (reversed)" if name.startswith("!") else f"`{name}`"


def trust_table() -> str:
    """Return the table of the security page: what counts from which origin."""
    columns = ("setting", "you", "a trusted vault", "an untrusted vault")
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    for path, key in KEYS.items():
        trusted = key.from_vault.text if key.from_vault is OWN_FOLDER else "any value"
        lines.append(f"| `{path}` | any value | {trusted} | {key.from_vault.text} |")
    return "\n".join(lines)


def settings_shown(config: Config) -> list[tuple[str, str, str]]:
    """Return key, value as TOML and origin of every setting, secrets hidden.

    In the order of the reference page; a vault that was not found is left out.
    """
    return [
        (path, shown(made, _value(config, made)), origin)
        for path, made in KEYS.items()
        if (origin := config.origins.get(path))
    ]


def _value(config: Config, key: Key) -> object:
    """Return a setting's value as a file would say it."""
    writes = config.writes
    if key.kind == "agent_dir" and not writes.agent_dir_writable:
        return writes.agent_dir if writes.mode == "off" else False
    return getattr(getattr(config, key.section), key.name)


def shown(key: Key, value: object) -> str:
    """Return a value as TOML, with what must not be seen left out."""
    if key.secret and value:
        return HIDDEN
    return as_toml(without_password(value) if isinstance(value, str) else value)
