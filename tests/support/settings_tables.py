"""The tables of settings in docs/configuration.md and docs/security.md."""

from glassmind.config.settings import SECTIONS, SETTINGS
from glassmind.config.sources import as_toml
from glassmind.config.values import BOOLEAN, Setting

RULES = {
    "nothing": "nothing",
    "any": "any value",
    "lower": "a lower number",
    "higher": "a higher number",
    "add": "further names, added to yours",
    "add-off": "further rules that say `off`, added to yours",
    "writes": "a stricter value",
    "own-folder": "its own folder (`.`)",
    "own-agent-dir": "`false`, or `.agent` if you chose no other folder",
}


def reference_tables() -> str:
    """Return the tables of the configuration page, one for each section."""
    columns = ("key", "value", "default", "variable", "also read", "meaning")
    lines = []
    for section, table in SECTIONS.items():
        summary = (table.__doc__ or "").partition("\n")[0]
        lines += [f"### `[{section}]`", "", summary, "", *_head(columns)]
        for each in table.settings.values():
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


def _rule(setting: Setting) -> str:
    if setting.kind is BOOLEAN and setting.vault in {"lower", "higher"}:
        return "`true`" if setting.vault == "higher" else "`false`"
    if setting.choices and setting.vault == "higher":
        return "a stricter value"
    return RULES[setting.vault]


def _alias(name: str) -> str:
    return f"`{name[1:]}` (reversed)" if name.startswith("!") else f"`{name}`"


def _head(columns: tuple[str, ...]) -> list[str]:
    return [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]


def trust_table() -> str:
    """Return the table of the security page: which origin may set what."""
    lines = _head(("setting", "you", "a trusted vault", "an untrusted vault"))
    for path, setting in SETTINGS.items():
        rule, trusted = _rule(setting), "any value"
        if path == "vault.path":
            rule = trusted = "its own folder (`.`)"
        lines.append(f"| `{path}` | any value | {trusted} | {rule} |")
    return "\n".join(lines)
