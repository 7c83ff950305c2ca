"""Settings from environment variables: our own, those of other tools, and `.env` files.

A real variable beats the same one in a `.env` file, and one of ours beats an alias.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from glassmind.config.entries import RANKS, Entry, Source, nearest
from glassmind.config.files import short
from glassmind.config.keys import Key
from glassmind.config.sections import KEYS
from glassmind.config.values import is_bare

PREFIX = "GLASSMIND_"
CONFIG_VARIABLE = "GLASSMIND_CONFIG"
"""Names the user's configuration file, where it is not in its usual place."""

OTHER_VARIABLES = (CONFIG_VARIABLE, "GLASSMIND_DEBUG", "GLASSMIND_TOKEN")
"""Variables that are ours but no settings."""

FOREIGN_WORDS = {
    "EMBEDDING_PROVIDER": {"transformers": "onnx"},
    "MCP_TRANSPORT": {"streamable-http": "http"},
}
"""What other tools call what we call otherwise."""

ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class Variables:
    """Variables from one place: the real environment, or the `.env` in `file`."""

    def __init__(
        self, values: Mapping[str, str], base: Path, source: Source = "user"
    ) -> None:
        self.values, self.base, self.source = values, base, source
        self.file: Path | None = None
        self.lines: Mapping[str, int] = {}

    def origin(self, name: str) -> str:
        """Return the variable's name, with file and line when it is from a `.env`."""
        return f"{name} in {short(self.file)}:{self.lines[name]}" if self.file else name


def dotenv_variables(
    dotenv: Path, content: bytes, base: Path, source: Source = "user"
) -> Variables:
    """Return the variables in the content of a `.env` file; paths start at `base`."""
    found = parse_dotenv(content.decode("utf-8-sig", "replace"))
    values = {name: value for name, (value, _) in found.items()}
    variables = Variables(values, base, source)
    variables.file = dotenv
    variables.lines = {name: line for name, (_, line) in found.items()}
    return variables


def parse_dotenv(text: str) -> dict[str, tuple[str, int]]:
    r"""Return each variable's value and line; the last of two wins.

    `export`, comments, single quotes (literal) and double quotes (with `\n`, `\"` and
    the like) are understood; nothing is expanded, and a line that is no assignment is
    skipped.
    """
    found = {}
    for number, line in enumerate(text.split("\n"), 1):
        name, equals, rest = line.strip().partition("=")
        name = name.removeprefix("export ").strip()
        value = _unquoted(rest.strip())
        if equals and name.isidentifier() and value is not None:
            found[name] = (value, number)
    return found


def _unquoted(text: str) -> str | None:
    """Return a value without quotes and comment; None when a quote stays open."""
    if text.startswith("'"):
        inside, closed, _ = text[1:].partition("'")
        return inside if closed else None
    if text.startswith('"'):
        return _double_quoted(text[1:])
    if text.startswith("#"):
        return ""
    return text.partition(" #")[0].partition("\t#")[0].rstrip()


def _double_quoted(text: str) -> str | None:
    made: list[str] = []
    letters = iter(text)
    for letter in letters:
        if letter == '"':
            return "".join(made)
        if letter == "\\":
            escaped = next(letters, "")
            made.append(ESCAPES.get(escaped, escaped))
        else:
            made.append(letter)
    return None


def variable_entries(key: Key, sources: list[Variables]) -> Iterator[Entry]:
    """Yield what the variables say about a key, the strongest first.

    An empty variable says nothing.
    """
    for name in (key.variable, *key.aliases):
        variable = name.removeprefix("!")
        for source in sources:
            raw = source.values.get(variable, "").strip()
            if raw:
                yield Entry(
                    _translated(raw, name),
                    source.origin(variable),
                    source.base,
                    RANKS["environment"],
                    text=True,
                    source=source.source,
                    foreign=variable != key.variable,
                )


def _translated(raw: str, name: str) -> str:
    if name.startswith("!"):
        turned = {"1": "0", "true": "0", "yes": "0", "on": "0"}
        return turned.get(raw.lower(), "1")
    if name == "DATA_DIR" and is_bare(raw):
        # There it is always a folder; here one word would be the name of a place.
        return f"./{raw}"
    return FOREIGN_WORDS.get(name, {}).get(raw, raw)


def unknown_variables(sources: list[Variables]) -> Iterator[str]:
    """Yield a warning for each variable that looks like ours and is not."""
    known = {made.variable for made in KEYS.values()} | set(OTHER_VARIABLES)
    for source in sources:
        for name in source.values:
            if name.startswith(PREFIX) and name not in known:
                hint = nearest(name, sorted(known))
                yield f"{source.origin(name)} is no variable we know{hint}"
