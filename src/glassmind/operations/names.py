"""Names of notes that callers give: also `note://` and `obsidian://` addresses.

Results contain such addresses, so callers may use them as names.
"""

from typing import Any, TypeVar
from unicodedata import normalize
from urllib.parse import quote, unquote

from msgspec import Struct, structs

from glassmind.engine import Engine
from glassmind.errors import BadValue, PathOutsideVault
from glassmind.files.read import safe_path
from glassmind.model.access import DisclosedLines
from glassmind.obsidian.text import obsidian_uri, shortened
from glassmind.operations.registry import Caller

SCHEME = "note://"
OBSIDIAN = "obsidian://"

Value = TypeVar("Value")


def note_uri(path: str) -> str:
    return SCHEME + quote(path, safe="/", errors="surrogatepass")


def path_in(uri: str) -> str:
    scheme, mark, rest = uri.partition("://")
    if scheme.lower() != "note" or not mark:
        raise PathOutsideVault(uri, f"an address of a note begins with {SCHEME}")
    # clients that know no address without a host write note:///Folder/Note.md
    path = rest.removeprefix("/")
    safe_path(path)  # before decoding, so that nothing hides in what is decoded twice
    return safe_path(unquote(path))


def cited(receipt: str, path: str = "") -> DisclosedLines:
    """Return the lines that a receipt is for; of another text, the note at `path`."""
    from glassmind.obsidian.receipts import parse_receipt  # noqa: PLC0415 - 27 ms

    found = parse_receipt(receipt) if "@" in receipt else None
    return DisclosedLines(found.path, *found.span) if found else DisclosedLines(path)


def is_address(name: str) -> bool:
    """Whether a name is an address: then it means one note and is not guessed at."""
    return name.lower().startswith((SCHEME, OBSIDIAN))


def note_name(vault: Engine, name: str, argument: str) -> str:
    plain = named_by(vault, name, argument)
    return plain.partition("#")[0] if is_address(name) else plain


def named_by(vault: Engine, name: str, argument: str) -> str:
    if name.lower().startswith(SCHEME):
        return path_in(name)
    if not is_address(name):
        return name
    action, _, query = name[len(OBSIDIAN) :].partition("?")
    pairs = (part.partition("=") for part in query.split("&"))
    # unlike in forms, a plus is a plus in the name of a note
    given = {key: unquote(value) for key, _, value in pairs}
    if action.rstrip("/").lower() != "open" or not given.get("file"):
        known = f"{OBSIDIAN}open?vault=...&file=..."
        raise BadValue(argument, f"must be a name, or an address such as {known}")
    own = vault.config.vault.name
    other = given.get("vault", own)
    if normalize("NFC", other) != normalize("NFC", own):
        problem = f"is an address in the vault {shortened(other)!r}, not {own!r}"
        raise BadValue(argument, problem)
    return given["file"]


def with_uris(vault: str, value: Value) -> Value:
    """Return a result with the Obsidian addresses of its notes, for a vault's name.

    A field `uri` gets that of `path`, and `x_uri` that of `x` or `x_path`. Unresolved
    links have none: to open one would create a note.
    """
    filled: Value = _filled(vault, value)
    return filled


def _filled(vault: str, value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_filled(vault, item) for item in value]
    if not isinstance(value, Struct):
        return value
    values = {name: getattr(value, name) for name in value.__struct_fields__}
    changes = {
        name: _filled(vault, part)
        for name, part in values.items()
        if isinstance(part, (Struct, list, tuple))
    }
    for name in values:
        if name.endswith("uri") and not values.get("ghost"):
            path = values.get(f"{name[:-3]}path") or values.get(name[:-4])
            changes[name] = obsidian_uri(vault, path) if path else None
    return structs.replace(value, **changes)


def report_guesses(
    vault: Engine, caller: Caller, *names: str | None, ghosts: bool = False
) -> None:
    if caller.surface != "cli":
        return
    for name in filter(None, names):
        path = vault.knowledge.guess(name, ghosts=ghosts)
        if path is not None:
            caller.notice(f"Closest match: {path}")
