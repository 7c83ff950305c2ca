"""Connect other programs: entries in their files, and how they start us.

A file is replaced whole, by a rename, or not at all, and a copy of the old one is kept
beside it. If its program rewrites it between our reading and our rename, we give up.
TOML keeps its comments. JSON is written again with its own indentation, so a file with
comments is left to its owner. Line ends become plain line feeds.
"""

import json
import os
import re
import shutil
import stat
import sys
import sysconfig
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from glassmind.config.sources import put_text
from glassmind.errors import BadConfigFile, ConfigError, ConfigUnwritable
from glassmind.version import __version__

Entry = Mapping[str, object]


class UnsupportedClient(Exception):
    def __init__(self, problem: str, line: int = 0) -> None:
        super().__init__(problem)
        self.problem, self.line = problem, line


class Form:
    """A list of servers in JSON, or as a subclass writes it.

    Methods raise `UnsupportedClient`.
    """

    kind = "an object"

    def __init__(self, section: str) -> None:
        self.section = section

    def servers(self, text: str) -> dict[str, Any]:
        found = self.read(text).get(self.section, {})
        if not isinstance(found, dict):
            raise UnsupportedClient(f"{self.section} is not {self.kind}")
        return found

    def read(self, text: str) -> dict[str, Any]:
        try:
            found = json.loads(text or "{}", object_pairs_hook=_unique)
        except json.JSONDecodeError as error:
            why = "; it may have no comments" * ("//" in text or "/*" in text)
            raise UnsupportedClient(
                f"it is not JSON ({error.msg}{why})", error.lineno
            ) from error
        except RecursionError as error:
            raise UnsupportedClient("it is nested too deeply") from error
        if not isinstance(found, dict):
            raise UnsupportedClient("it is not a JSON object")
        return found

    def changed(self, text: str, name: str, entry: Entry | None) -> str:
        """Return the text with an entry of that name, or without one."""
        values, servers = self.read(text), self.servers(text)
        servers.pop(name, None)
        values[self.section] = ({} if entry is None else {name: entry}) | servers
        indent = re.search(r'^([ \t]+)"', text, re.MULTILINE)
        unit = indent[1] if indent else "  "
        return json.dumps(values, ensure_ascii=False, indent=unit) + "\n"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise UnsupportedClient("it gives a name twice, so it has to be edited by hand")
    return made


class TomlForm(Form):
    kind = "a table"

    def read(self, text: str) -> dict[str, Any]:
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            line = re.search(r" \(at line (\d+)", str(error))
            number = int(line[1]) if line else 0
            raise UnsupportedClient(f"it is not TOML ({error})", number) from error
        except RecursionError as error:
            raise UnsupportedClient("it is nested too deeply") from error

    def changed(self, text: str, name: str, entry: Entry | None) -> str:
        import tomlkit  # noqa: PLC0415 - slow to import

        expected, own = self.servers(text), f"[{self.section}.{name}]"
        expected.pop(name, None)
        made = text
        with suppress(ValueError, KeyError, TypeError):  # of tomlkit
            document = tomlkit.parse(text)
            document.get(self.section, {}).pop(name, None)
            made = tomlkit.dumps(document).rstrip() + "\n"
        if entry is not None:
            expected[name] = dict(entry)
            block = tomlkit.dumps({self.section: {name: entry}})
            made = f"{made.rstrip()}\n\n{block}".lstrip("\n")
        with suppress(UnsupportedClient):
            if self.servers(made) == expected and _comments(made) == _comments(text):
                return made
        raise UnsupportedClient(
            f"{own} is written in a way that has to be edited by hand"
        )


def _comments(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.lstrip()[:1] == "#"]


NAME = "glassmind"
RELEASE = f"{NAME}=={__version__}"

CACHED = re.compile(r"[/\\](archive|environments|builds)-v\d+[/\\]")
"""Folders of uv's cache, whose content may be deleted."""


class Installation(NamedTuple):
    """How this program runs; `source` is what `uv` would install."""

    executable: str
    prefix: str
    scripts: str
    on_path: str = ""
    uv: str = ""
    source: str = RELEASE


def this_program() -> Installation:
    return Installation(
        sys.executable,
        sys.prefix,
        sysconfig.get_path("scripts"),
        on_path=shutil.which(NAME) or "",
        uv=os.environ.get("UV") or shutil.which("uv") or "",
        source=_source(),
    )


def launch_of(running: Installation) -> tuple[str, ...]:
    """Return the words that start this program again.

    Links on the path outlive a release. What runs from uv's cache is started by uv.
    Python itself gets `-P`: it may start in a folder of somebody else.
    """
    if CACHED.search(running.prefix + os.sep) and running.uv:
        uv = str(Path(running.uv).absolute())
        return (uv, "tool", "run", "--from", running.source, NAME)
    for script in (Path(running.scripts, NAME), Path(running.scripts, f"{NAME}.exe")):
        if script.is_file():
            on_path = running.on_path
            same = on_path and os.path.realpath(on_path) == os.path.realpath(script)
            return (str(Path(on_path if same else script).absolute()),)
    return (running.executable, "-P", "-m", NAME)


def _source() -> str:
    """Return what this program was installed from, as pip noted it."""
    try:
        noted = distribution(NAME).read_text("direct_url.json") or ""
    except PackageNotFoundError:
        return RELEASE
    return source_in(noted)


def source_in(noted: str) -> str:
    try:
        origin = json.loads(noted)
        url = str(origin["url"])
        if url.startswith("file:"):
            from urllib.request import url2pathname  # noqa: PLC0415 - loads ssl

            return url2pathname(urlsplit(url).path)
        if commit := origin.get("vcs_info"):
            return f"{commit['vcs']}+{url}@{commit['commit_id']}"
    except (ValueError, KeyError, TypeError, AttributeError):
        return RELEASE
    return url


NAMES = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Names that every program accepts; Claude Code and Codex refuse all others."""

STORE_CLAUDE = "Packages/Claude_pzs8sxrjxfjjc"
"""Claude Desktop from Microsoft's store: Windows gives it an AppData of its own."""

DESKTOP_FILE = "Claude/claude_desktop_config.json"
JAN_FILE = "mcp_config.json"

CODEX_WAITS_S = 30
"""Seconds for Codex to wait for a server; its default, 10, may be too short for the
first start with uv or from a cold disk."""


def is_ours(entry: object) -> bool:
    if not isinstance(entry, Mapping):
        return False
    command, args = entry.get("command"), entry.get("args")
    if not isinstance(command, str) or not isinstance(args, list):
        return False
    words = [command, *map(str, args)]
    before = words[: words.index("mcp")] if "mcp" in words else []
    return NAME in map(_stem, before)


def _stem(word: str) -> str:
    last = re.split(r"[/\\]", word)[-1].lower().removesuffix(".exe")
    return re.split(r"\[|==|@", last)[0]


class HostSystem(NamedTuple):
    platform: str
    home: Path
    env: Mapping[str, str]

    def folder_in(self, variable: str) -> Path | None:
        value = self.env.get(variable, "").strip()
        return Path(value) if value and Path(value).is_absolute() else None

    @property
    def settings(self) -> Path:
        if self.platform == "win32":
            return self.folder_in("APPDATA") or self.home / "AppData/Roaming"
        if self.platform == "darwin":
            return self.home / "Library/Application Support"
        return self.folder_in("XDG_CONFIG_HOME") or self.home / ".config"


def claude_desktop(machine: HostSystem) -> Path:
    local = machine.folder_in("LOCALAPPDATA")
    if machine.platform == "win32" and local and (local / STORE_CLAUDE).is_dir():
        return local / STORE_CLAUDE / "LocalCache/Roaming" / DESKTOP_FILE
    return machine.settings / DESKTOP_FILE


def jan(machine: HostSystem) -> Path:
    own = machine.settings
    if machine.platform not in {"win32", "darwin"}:
        own = machine.folder_in("XDG_DATA_HOME") or machine.home / ".local/share"
    return (machine.folder_in("JAN_DATA_FOLDER") or own / "Jan/data") / JAN_FILE


class Program(NamedTuple):
    """`more` is in entries beside a command; `follows` is what a person does next."""

    title: str
    file: Callable[[HostSystem], Path]
    form: Form
    follows: str
    more: Entry = MappingProxyType({})


def entry_of(words: Sequence[str], program: Program) -> dict[str, object]:
    return {"command": words[0], "args": list(words[1:]), **program.more}


STDIO: Entry = {"type": "stdio"}

PROGRAMS = {
    "claude-code": Program(
        "Claude Code",
        lambda m: (m.folder_in("CLAUDE_CONFIG_DIR") or m.home) / ".claude.json",
        Form("mcpServers"),
        "restart Claude Code; `claude mcp list` shows whether it is connected",
        STDIO,
    ),
    "claude-desktop": Program(
        "Claude Desktop",
        claude_desktop,
        Form("mcpServers"),
        "quit Claude Desktop (closing its window is not enough) and start it again",
    ),
    "codex": Program(
        "Codex",
        lambda m: (m.folder_in("CODEX_HOME") or m.home / ".codex") / "config.toml",
        TomlForm("mcp_servers"),
        "restart Codex; /mcp lists the tools",
        {"startup_timeout_sec": CODEX_WAITS_S},
    ),
    "cursor": Program(
        "Cursor",
        lambda m: m.home / ".cursor/mcp.json",
        Form("mcpServers"),
        "enable {name} in Cursor's settings, under MCP, if it is off",
    ),
    "vscode": Program(
        "VS Code",
        lambda m: m.settings / "Code/User/mcp.json",
        Form("servers"),
        "in VS Code, run `MCP: List Servers` and start {name}; it asks for your trust",
        STDIO,
    ),
    "jan": Program(
        "Jan",
        jan,
        Form("mcpServers"),
        "quit Jan and start it again; Settings, MCP Servers shows {name}",
        {"env": {}, "active": True},
    ),
}


BACKUP = "before-glassmind"  # suffix of a copy's name; later copies also have a number

UNCHANGED = (
    "nothing was changed: fix the file and try again, or add the entry yourself "
    "(glassmind connect --print shows it)"
)

FIRM = ("type", "command", "args", "active")
"""Values that make an entry start us; a person may set the others."""

State = Literal["connected", "changed", "unchanged", "disconnected", "absent"]


class Outcome(NamedTuple):
    """What was done to a file, which is `made` if there was none."""

    state: State
    backup: Path | None = None
    made: bool = False


def connect(
    file: Path, form: Form, name: str, entry: Entry | None, *, force: bool = False
) -> Outcome:
    """Put an entry into a file, or remove one of ours if there is none to put.

    Values that a person added to one of ours stay.

    Raises:
        ConfigError: another's entry has that name, and `force` was not given.
        BadConfigFile: the file is not what its program reads; nothing was changed.
        ConfigUnwritable: it cannot be written; nothing was changed.
    """
    old = _text_of(file)
    text = old or ""
    try:
        servers = form.servers(text)
        known = servers.get(name) if is_ours(servers.get(name)) else None
        if name in servers and known is None and not force:
            raise ConfigError(
                f"{file} has an entry {name!r} that does not start glassmind; nothing "
                "was changed: choose another name (--name), or use --force"
            )
        if entry is None:
            if name not in servers:
                return Outcome("absent")
            new = form.changed(text, name, None)
            return Outcome("disconnected", _replace(file, old, new))
        kept = {k: v for k, v in (known or {}).items() if k not in FIRM}
        merged = {**entry, **kept}
        if known == merged:
            return Outcome("unchanged")
        new = form.changed(text, name, merged)
    except UnsupportedClient as error:
        problem = f"{error.problem}; {UNCHANGED}"
        raise BadConfigFile(str(file), error.line, problem) from error
    state: State = "connected" if known is None else "changed"
    return Outcome(state, _replace(file, old, new), made=old is None)


def _text_of(file: Path) -> str | None:
    """Return a file's text; None without one. Raises `BadConfigFile`."""
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            raise BadConfigFile(str(file), 0, "it is not a file")
        return file.read_text("utf-8-sig")
    except FileNotFoundError as error:
        if not file.is_symlink():
            return None
        problem = "it is a symbolic link that leads nowhere"
        raise BadConfigFile(str(file), 0, problem) from error
    except OSError as error:
        raise BadConfigFile(str(file), 0, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        problem = f"it is not UTF-8 text; {UNCHANGED}"
        raise BadConfigFile(str(file), line, problem) from error


def _replace(file: Path, old: str | None, new: str) -> Path | None:
    backup = None
    if old is not None:
        facts = file.stat()  # a rename needs no right to write the file itself
        is_own = os.name != "posix" or facts.st_uid == os.geteuid()
        if not facts.st_mode & stat.S_IWUSR or not is_own:
            raise ConfigUnwritable(str(file), "you may not write it")
        backup = _kept(file)
    if _text_of(file) != old:
        problem = "its program changed it just now; nothing was changed, try again"
        raise ConfigUnwritable(str(file), problem)
    put_text(file, new)
    return backup


def _kept(file: Path) -> Path:
    place, number = file.with_name(f"{file.name}.{BACKUP}"), 1
    while os.path.lexists(place):
        number += 1
        place = file.with_name(f"{file.name}.{BACKUP}-{number}")
    put_text(place, file.read_bytes().decode("utf-8"))
    return place
