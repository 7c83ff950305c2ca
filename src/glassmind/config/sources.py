"""Read settings as they are written: files, environment variables and `.env` files."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from glassmind.config.places import CONFIG_VARIABLE, short
from glassmind.config.settings import SECTIONS, SETTINGS
from glassmind.config.values import BOOLEANS, is_bare_name
from glassmind.errors import BadConfigFile

DEFAULT, USER_FILE, VAULT_FILE, ENVIRONMENT, OPTION = range(5)
"""Ranks of origins; the highest wins."""

USER_DOTENV, VAULT_DOTENV, REAL_ENVIRONMENT = range(3)
"""Order of variables of one name; the highest wins."""

Source: TypeAlias = Literal["user", "trusted vault", "vault"]
"""Who set a value: the user (options, variables, own file), or a file in the vault."""

Warn: TypeAlias = Callable[[str], None]

OTHER_VARIABLES = (CONFIG_VARIABLE, "GLASSMIND_DEBUG", "GLASSMIND_TOKEN")
"""Our variables that are not settings."""

TRANSLATIONS = {
    ("EMBEDDING_PROVIDER", "transformers"): "onnx",
    ("MCP_TRANSPORT", "streamable-http"): "http",
}
"""Values of other tools' variables that have another name here."""

MOST_UNKNOWN = 5
"""Unknown names in a file that get a warning each; a vault may contain thousands."""

_ASSIGNMENT = re.compile(
    r"""(?:export\s)?\s*(?P<name>\w+)\s*=\s*
    (?:'(?P<literal>[^']*)'
    |"(?P<quoted>(?:[^"\\]|\\.)*)"
    |(?P<plain>[^'"\#\s].*?)?(?:(?<=[=\s])\#.*)?$)""",
    re.VERBOSE,
)
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\r": "\r"}


class Entry(NamedTuple):
    """A value of a setting as written in one place.

    Relative paths start at `base`. `is_text` marks values of variables and options;
    `foreign` those of other tools' variables, which may mean something else.
    `order` decides within a rank.
    """

    path: str
    raw: object
    origin: str
    base: Path
    rank: int
    source: Source = "user"
    order: int = 0
    is_text: bool = False
    foreign: bool = False


def closest(name: str, known: Sequence[str]) -> str:
    """Return a hint such as `; did you mean search.limit?`, or nothing."""
    from difflib import get_close_matches  # noqa: PLC0415 - only after a mistake

    matches = get_close_matches(name, known, n=1)
    return f"; did you mean {matches[0]}?" if matches else ""


def read_text(file: Path) -> str:
    """Return the text of a file; raises `BadConfigFile` if that is not possible."""
    try:
        return decode(file, file.read_bytes())
    except OSError as error:
        raise BadConfigFile(short(file), 0, error.strerror or str(error)) from error


def decode(file: Path, content: bytes, longest_line: int | None = None) -> str:
    """Return the text without a byte order mark; raises `BadConfigFile`."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadConfigFile(short(file), line, "it is not UTF-8 text") from error
    for number, each in enumerate(text.split("\n") if longest_line else (), 1):
        if longest_line and len(each) > longest_line:
            problem = f"a line has more than {longest_line:,} characters"
            raise BadConfigFile(short(file), number, problem)
    return text


def parse_toml(file: Path, text: str) -> dict[str, Any]:
    """Parse a file's text; raises `BadConfigFile`, with the line if it is known."""
    import tomllib  # noqa: PLC0415 - only if there is a file

    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise BadConfigFile(short(file), 0, "it is nested too deeply") from error
    except ValueError as error:  # not TOML, or a number of thousands of digits
        problem, at, place = str(error).partition(" (at ")
        digits = re.match(r"line (\d+)", place)
        line = int(digits[1]) if digits else (text.count("\n") + 1) * bool(at)
        raise BadConfigFile(short(file), line, problem) from error


def line_of(text: str, section: str, name: str = "") -> int:
    """Return the line that sets a key or opens a section; 0 if not found.

    A guess, good enough for messages: `tomllib` reports no lines.
    """
    current: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        left, equals, _ = line.strip().partition("=")
        if left.startswith("["):
            current = [left.strip("[").partition("]")[0].strip().strip("\"'")]
            if current == [section] and not name:
                return number
        elif equals and not left.startswith("#"):
            keys = [part.strip(" \t\"'") for part in left.split(".")]
            if [*current, *keys] in ([section, name], [section]):
                return number
    return 0


def file_entries(
    file: Path, text: str, base: Path, warn: Warn, source: Source = "user"
) -> list[Entry]:
    """Return the entries of a configuration file; raises `BadConfigFile`."""
    rank = USER_FILE if source == "user" else VAULT_FILE
    label = f"{'user' if source == 'user' else 'vault'} file {short(file)}"
    entries: list[Entry] = []
    unknown: list[tuple[str, str, str, Sequence[str]]] = []

    def origin(section: str, name: str) -> str:
        line = line_of(text, section, name)
        return f"{label}:{line}" if line else label

    for section, table in parse_toml(file, text).items():
        if not isinstance(table, Mapping):
            unknown.append((section, "", "{} is not in a section", ()))
        elif section not in SECTIONS:
            unknown.append((section, "", "[{}] is not a known section", [*SECTIONS]))
        else:
            for name, raw in table.items():
                path = f"{section}.{name}"
                if path in SETTINGS:
                    at = origin(section, name)
                    entries.append(Entry(path, raw, at, base, rank, source))
                else:
                    problem = "{} is not a known setting"
                    unknown.append((section, name, problem, [*SETTINGS]))
    for section, name, problem, known in unknown[:MOST_UNKNOWN]:
        path = (f"{section}.{name}" if name else section)[:80]
        # An escape sequence in a name must not reach the terminal.
        shown = path if path.isprintable() else ascii(path)
        hint = closest(shown, known)
        warn(f"{origin(section, name)}: {problem.format(shown)}{hint}")
    if len(unknown) > MOST_UNKNOWN:
        warn(f"{short(file)} has {len(unknown) - MOST_UNKNOWN} more unknown names")
    return entries


def parse_dotenv(text: str) -> dict[str, tuple[str, int]]:
    r"""Return each variable's value and line; the last of two wins.

    `export`, comments, single quotes (literal) and double quotes (with `\n`, `\"` and
    so on) are supported; nothing is expanded, and other lines are skipped.
    """
    found = {}
    for number, line in enumerate(text.split("\n"), 1):
        match = _ASSIGNMENT.match(line.strip())
        if match is None or not match["name"].isidentifier():
            continue
        literal, quoted, plain = match.group("literal", "quoted", "plain")
        if quoted is not None:
            literal = re.sub(r"\\.", lambda c: _ESCAPES.get(c[0], c[0][1]), quoted)
        value = (plain or "").rstrip() if literal is None else literal
        found[match["name"]] = (value, number)
    return found


def dotenv_entries(
    file: Path, content: bytes, base: Path, warn: Warn, source: Source = "user"
) -> Iterator[Entry]:
    """Yield the entries of a `.env` file."""
    found = parse_dotenv(content.decode("utf-8-sig", "replace"))
    values = {name: value for name, (value, _) in found.items()}
    order = USER_DOTENV if source == "user" else VAULT_DOTENV
    place = {name: f"{name} in {short(file)}:{at}" for name, (_, at) in found.items()}
    for entry in variable_entries(values, base, warn, order, place):
        yield entry._replace(source=source)


def variable_entries(
    values: Mapping[str, str],
    base: Path,
    warn: Warn,
    order: int = REAL_ENVIRONMENT,
    origins: Mapping[str, str] | None = None,
) -> Iterator[Entry]:
    """Yield the entries of environment variables; empty ones do not count."""
    origins = origins or {}
    for setting in SETTINGS.values():
        for alias in (setting.variable, *setting.aliases):
            name = alias.removeprefix("!")
            if raw := values.get(name, "").strip():
                foreign = name != setting.variable
                yield Entry(
                    setting.path,
                    _translated(alias, raw),
                    origins.get(name, name),
                    base,
                    ENVIRONMENT,
                    order=order if foreign else 10 + order,
                    is_text=True,
                    foreign=foreign,
                )
    known = {setting.variable for setting in SETTINGS.values()} | {*OTHER_VARIABLES}
    for name in values:
        if name.startswith("GLASSMIND_") and name not in known:
            hint = closest(name, sorted(known))
            warn(f"{origins.get(name, name)} is not a known variable{hint}")


def _translated(alias: str, raw: str) -> str:
    if alias.startswith("!"):
        return "false" if BOOLEANS.get(raw.lower()) is True else "true"
    if alias == "DATA_DIR" and is_bare_name(raw):
        return f"./{raw}"  # always a folder there; here one word would name a place
    return TRANSLATIONS.get((alias, raw), raw)
