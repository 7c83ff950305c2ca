"""Values as JSON and back again, equal to what they were.

A record becomes a list that begins with its name; only the records of this table are
ever made, whatever a message says.
"""

from collections.abc import Mapping
from datetime import date
from importlib import import_module
from typing import Any

from glassmind.errors import GlassmindError

SEARCH, FILES = "glassmind.types.search", "glassmind.types.files"
ACCESS = "glassmind.types.access"

RECORDS = {
    "SearchReply": SEARCH,
    "Hit": SEARCH,
    "Hop": "glassmind.types.graph",
    "Passage": SEARCH,
    "Snippet": SEARCH,
    "Evidence": SEARCH,
    "Adjustment": "glassmind.types.adjustments",
    "Span": "glassmind.types",
    "IndexReport": FILES,
    "Skipped": FILES,
    "Progress": FILES,
    "Scope": ACCESS,
    "ReadRule": ACCESS,
}
"""The module of each record that travels."""

ERRORS = tuple(
    f"glassmind.errors{part}"
    for part in (
        "",
        ".base",
        ".config",
        ".context",
        ".editing",
        ".hindsight",
        ".knowledge",
        ".memory",
        ".models",
        ".serving",
        ".setup",
        ".vault",
        ".writing",
    )
)
"""The modules of every error that travels."""

TUPLE, LIST, DATE = "()", "[]", "date"
"""What a list begins with that is no record."""


class Unreadable(ValueError):
    """A message holds what none of ours would."""


def packed(value: Any) -> Any:
    """Return a value as JSON can hold it.

    Raises:
        Unreadable: it is of a kind that does not travel.
    """
    match value:
        case None | bool() | int() | float() | str():
            return value
        case date():
            return [DATE, value.isoformat()]
        case Mapping():
            return {str(key): packed(item) for key, item in value.items()}
        case list():
            return [LIST, *map(packed, value)]
    name = type(value).__name__
    if RECORDS.get(name) == type(value).__module__:
        return [name, *(packed(getattr(value, field)) for field in _fields(value))]
    if isinstance(value, tuple):
        return [TUPLE, *map(packed, value)]
    raise Unreadable(f"a {name} does not travel")


def _fields(record: Any) -> tuple[str, ...]:
    named = getattr(record, "_fields", None)
    return tuple(record.__dataclass_fields__ if named is None else named)


def unpacked(found: Any) -> Any:
    """Return the value that was packed so.

    Raises:
        Unreadable: nobody packs like that.
    """
    if isinstance(found, dict):
        return {key: unpacked(item) for key, item in found.items()}
    if not isinstance(found, list):
        return found
    if not found or not isinstance(found[0], str):
        raise Unreadable("a list without a name")
    name, *rest = found
    parts = [unpacked(item) for item in rest]
    try:
        return _made(name, parts)
    except (TypeError, ValueError, KeyError, IndexError) as error:
        raise Unreadable(f"no {name[:40]} is made of this") from error


def _made(name: str, parts: list[Any]) -> Any:
    match name:
        case "()":
            return tuple(parts)
        case "[]":
            return parts
        case "date":
            return date.fromisoformat(parts[0])
    record = getattr(import_module(RECORDS[name]), name)
    if len(parts) != len(_fields(record)):
        raise Unreadable(f"not all of a {name}")
    return record(*parts)


def packed_error(error: GlassmindError) -> Any:
    """Return an error as JSON can hold it: its name, its sentence, its facts."""
    facts = {}
    for name, value in vars(error).items():
        try:
            facts[name] = packed(value)
        except Unreadable:
            facts[name] = str(value)
    return [type(error).__name__, str(error), facts]


def unpacked_error(found: Any) -> GlassmindError:
    """Return the error that was packed so.

    Raises:
        Unreadable: there is no such error.
    """
    match found:
        case [str() as name, str() as sentence, dict() as facts]:
            kind = _kinds().get(name)
            if kind is not None:
                error = kind.__new__(kind)
                Exception.__init__(error, sentence)
                vars(error).update(unpacked(facts))
                return error
    raise Unreadable("an error that nobody knows")


def _kinds() -> dict[str, type[GlassmindError]]:
    """Return every error by its name, wherever in the package of errors it stands."""
    modules = [import_module(name) for name in ERRORS]
    return {
        name: kind
        for module in modules
        for name, kind in vars(module).items()
        if isinstance(kind, type) and issubclass(kind, GlassmindError)
    }
