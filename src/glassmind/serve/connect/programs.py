"""The programs that can be connected: what each wants, and what comes next."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from glassmind.serve.connect.entries import Entry
from glassmind.serve.connect.forms import Form
from glassmind.serve.connect.json_text import JsonForm
from glassmind.serve.connect.places import FILES, Machine
from glassmind.serve.connect.toml_text import TomlForm


@dataclass(frozen=True, slots=True)
class Program:
    """A program that starts servers of others.

    `more` is what its entries have besides a command; `follows` is what a person does
    next, with `{name}` for the name of the entry.
    """

    name: str
    title: str
    form: Form
    follows: str
    more: Entry = field(default_factory=dict)

    def file(self, machine: Machine) -> Path:
        """Return where it keeps its list on a machine."""
        return FILES[self.name](machine)


STDIO: Entry = {"type": "stdio"}

CODEX_WAITS_S = 30
"""Seconds that Codex is to wait for a server; of itself it gives up after 10, which the
first start by uv, or one on a cold disk, may take."""

_ALL = (
    Program(
        "claude-code",
        "Claude Code",
        JsonForm("mcpServers"),
        "start Claude Code anew; `claude mcp list` shows whether it is connected",
        STDIO,
    ),
    Program(
        "claude-desktop",
        "Claude Desktop",
        JsonForm("mcpServers"),
        "quit Claude Desktop (closing its window is not enough) and start it again",
    ),
    Program(
        "codex",
        "Codex",
        TomlForm("mcp_servers"),
        "start Codex anew; /mcp lists the tools",
        {"startup_timeout_sec": CODEX_WAITS_S},
    ),
    Program(
        "cursor",
        "Cursor",
        JsonForm("mcpServers", comments=True),
        "switch {name} on in Cursor's settings, under MCP, if it is off",
    ),
    Program(
        "vscode",
        "VS Code",
        JsonForm("servers", comments=True),
        "in VS Code, run `MCP: List Servers` and start {name}; it asks for your trust",
        STDIO,
    ),
    Program(
        "jan",
        "Jan",
        JsonForm("mcpServers"),
        "quit Jan and start it again; Settings, MCP Servers shows {name}",
        {"env": {}, "active": True},
    ),
)

PROGRAMS: Mapping[str, Program] = {one.name: one for one in _ALL}
"""Every program, by the name that the command line has for it."""
