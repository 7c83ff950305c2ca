"""Write docs/reference.md from the registry: every operation with its arguments.

    python packaging/reference.py [--check]

With `--check`, nothing is written; the exit code is 1 if the page is out of date.
"""

# ruff: noqa: INP001 - a script, not a package

import argparse
import json
import sys
from pathlib import Path
from typing import get_args

import glassmind.serve.http.app  # noqa: F401 - registers the server's own
from glassmind.operations.arguments import ArgumentField, fields_of, property_schema
from glassmind.operations.registry import Group, Operation, all_operations

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference.md"
INTRODUCTION = """\
# Operations

<!-- Written by packaging/reference.py from the registry; do not edit. -->

Every operation with its command, its MCP tool, its REST route and its arguments. A
dash means that a surface does not offer it. Options of the command line have the
argument's name with dashes, unless the table names another. For how to use them, see
the [command line](cli.md), [MCP](mcp.md) and [HTTP](http.md).
"""
SURFACES = {"cli": "CLI", "mcp": "MCP", "http": "HTTP"}


def page() -> str:
    """Return the whole page."""
    operations = [op for op in all_operations() if op.command or op.tool or op.route]
    parts = [INTRODUCTION]
    for group in get_args(Group):
        members = [op for op in operations if op.group == group]
        if members:
            parts += [f"## {group}\n", *map(section, members)]
    return "\n".join(parts)


def section(op: Operation) -> str:
    """Return the section of one operation."""
    command = f"`glassmind {op.command_path}`" if op.command else "-"
    tool = f"`{op.tool_name}` ({op.toolset})" if op.tool else "-"
    route = f"`{op.route.method} {op.route.path}`" if op.route else "-"
    head = f"### {op.name}\n\n{op.summary}\n\n{command} · {tool} · {route}\n"
    rows = [row(field) for field in fields_of(op.arguments)]
    if not rows:
        return head
    table = ["| argument | values | default | |", "|---|---|---|---|", *rows]
    return "\n".join([head, *table, ""])


def row(field: ArgumentField) -> str:
    """Return the row of one argument."""
    default = "required" if field.required else plain(field.default)
    about = (field.about.description or "").replace("|", r"\|")
    only = [SURFACES[name] for name in field.extra["only"]]
    if len(only) < len(SURFACES):
        about += f" ({' and '.join(only)} only)"
    usual = "--" + field.name.replace("_", "-")
    if "cli" in field.extra["only"] and field.flag != usual:
        about += f" CLI: `{field.flag}`."
    return f"| `{field.name}` | {values(field)} | {default} | {about} |"


def values(field: ArgumentField) -> str:
    """Return what an argument takes, such as `1 to 50`."""
    schema = property_schema(field, "http", in_query=True)
    if field.choices:
        return ", ".join(f"`{choice}`" for choice in field.choices)
    kind = {int: "number", float: "number", bool: "true or false", str: "text"}
    if field.kind not in kind:
        return "list" if field.is_list else "JSON"
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f"{low:,} to {high:,}"
    if low is not None:
        return f"{low:,} or more"
    return kind[field.kind]


def plain(default: object) -> str:
    """Return a default as the table shows it."""
    if default is None or default in ("", (), []):
        return ""
    return f"`{json.dumps(default, ensure_ascii=False, default=str).strip(chr(34))}`"


def main() -> int:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    made = page()
    if parser.parse_args().check:
        return int(PAGE.read_text("utf-8") != made)
    PAGE.write_text(made, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
