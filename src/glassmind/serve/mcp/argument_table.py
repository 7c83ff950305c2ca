"""The older argument table, for the last HTTP routes that are not operations."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, NoReturn, TypeAlias

from glassmind.errors.serving import BadArgument
from glassmind.markdown.style import shortened
from glassmind.operations.arguments import Field

Kind: TypeAlias = Literal[
    "string", "text", "label", "integer", "number", "boolean", "strings", "object",
    "objects", "value",
]  # fmt: skip
"""A text may be empty, where an empty string counts as not given. A label is one that
may be a number, as ids are in answers; a value is any."""

REQUIRED = object()
"""The default of an argument that has to be given."""

TEXTS: frozenset[Kind] = frozenset(("string", "label", "strings"))

LONGEST_TEXT = 20_000
"""Characters of an argument: a question, not a book. Tools that write say their own."""


DEEPEST = 64
"""Brackets inside brackets of JSON in a text; no tool takes more than a few."""


class Argument(NamedTuple):
    """One argument of a tool.

    `most` bounds a number, the characters of a text, or how many texts a list has.
    `fields` are what an object of a list has, where more is known of it.
    """

    name: str
    kind: Kind
    doc: str = ""
    default: object = REQUIRED
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    fields: tuple["Argument", ...] = ()


_TYPES: Mapping[Kind, dict[str, Any]] = {
    "string": {"type": "string"},
    "text": {"type": "string"},
    "label": {"type": "string"},  # not every client knows a type that is two
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "strings": {"type": "array", "items": {"type": "string"}},
    "object": {"type": "object"},
    "objects": {"type": "array", "items": {"type": "object"}},
    "value": {},
}


def argument_table(fields: Sequence[Field]) -> tuple[Argument, ...]:
    """Return the arguments of an operation in the older form, for its last readers."""
    kinds: dict[Any, Kind] = {
        str: "string", int: "integer", float: "number", bool: "boolean"
    }  # fmt: skip
    return tuple(
        Argument(
            field.name,
            "strings" if field.is_list else kinds.get(field.kind, "string"),
            field.about.description or "",
            REQUIRED if field.required else field.default,
            field.choices,
            field.bounds.ge,
            field.bounds.le or field.bounds.max_length,
        )
        for field in fields
    )


def schema_of(arguments: Sequence[Argument]) -> dict[str, Any]:
    """Return the JSON schema (2020-12) of a call."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {one.name: _property(one) for one in arguments},
        "additionalProperties": False,
    }
    required = [one.name for one in arguments if one.default is REQUIRED]
    return schema | {"required": required} if required else schema


def _property(one: Argument) -> dict[str, Any]:
    made = dict(_TYPES[one.kind])
    if one.fields:
        made["items"] = schema_of(one.fields)
    if one.doc:
        made["description"] = one.doc
    if one.choices:
        made["enum"] = list(one.choices)
    if one.default is not REQUIRED and one.default is not None:
        made["default"] = one.default
    if one.kind in {"integer", "number"}:
        bounds = {"minimum": one.least, "maximum": one.most}
        made |= {name: value for name, value in bounds.items() if value is not None}
    return made


def read_arguments(
    owner: str,
    arguments: Sequence[Argument],
    given: Mapping[str, object],
    *,
    strict: bool = False,
) -> dict[str, Any]:
    """Return every argument with its value, defaults filled in.

    `null` counts as not given, and so does an empty text where one may be left out,
    unless this is `strict`. A number, a truth value, a list or an object written as
    text counts as what it says: some clients write all arguments so.

    Raises:
        BadArgument: one is missing, unknown, of another kind, or out of bounds.
    """
    known = {one.name: one for one in arguments}
    for name in given:
        if name not in known:
            names = ", ".join(known) or "none"
            said = shortened(name)
            raise BadArgument(owner, f"there is no argument {said!r}; it takes {names}")
    made = {}
    for name, one in known.items():
        value = given.get(name)
        bare = value == "" and one.default is not REQUIRED and one.kind in TEXTS
        made[name] = _value(owner, one, None if bare and not strict else value)
    return made


def _value(owner: str, one: Argument, given: object) -> object:
    if given is None:
        if one.default is REQUIRED:
            raise BadArgument(owner, f"the argument {one.name!r} is missing")
        return one.default
    value = _READERS[one.kind](given)
    if value is None:
        listed = ", ".join(one.choices)
        wanted = f"one of {listed}" if listed else _WANTED[one.kind]
        raise BadArgument(owner, f"{one.name!r} must be {wanted}")
    _check_bounds(owner, one, value)
    return value


def _check_bounds(owner: str, one: Argument, value: object) -> None:
    if one.choices and value not in one.choices:
        listed = ", ".join(one.choices)
        raise BadArgument(owner, f"{one.name!r} must be one of {listed}")
    if isinstance(value, str):
        longest = one.most or LONGEST_TEXT
        if len(value) > longest:
            letters = f"{longest:,.0f} letters"
            raise BadArgument(owner, f"{one.name!r} is longer than {letters}")
    elif isinstance(value, list):
        if one.most is not None and len(value) > one.most:
            raise BadArgument(owner, f"{one.name!r} has more than {one.most:,.0f}")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        low = one.least is not None and value < one.least
        high = one.most is not None and value > one.most
        if low or high:
            bounds = _range(one.least, one.most)
            raise BadArgument(owner, f"{one.name!r} must be {bounds}")


def _range(least: float | None, most: float | None) -> str:
    if most is None:
        return f"at least {least:g}"
    return f"at most {most:g}" if least is None else f"from {least:g} to {most:g}"


def _text(given: object) -> object:
    return given if isinstance(given, str) else None


def _label(given: object) -> object:
    is_number = isinstance(given, int) and not isinstance(given, bool)
    return str(given) if is_number else _text(given)


def _whole(given: object) -> object:
    number = _number(given)
    whole = isinstance(number, int | float) and float(number).is_integer()
    return int(number) if whole else None  # type: ignore[call-overload]


def _number(given: object) -> object:
    if isinstance(given, bool):
        return None
    if isinstance(given, str):
        try:
            given = float(given)
        except ValueError:
            return None
    finite = isinstance(given, int | float) and abs(given) < float("inf")
    return given if finite else None


def _truth(given: object) -> object:
    if isinstance(given, str):
        return {"true": True, "false": False}.get(given.lower())
    return given if isinstance(given, bool) else None


def _texts(given: object) -> object:
    found = _parsed(given)
    all_text = isinstance(found, list) and all(isinstance(one, str) for one in found)
    if not all_text and isinstance(given, str):
        return [given]
    return found if all_text else None


def _any(given: object) -> object:
    return given


def _mapping(given: object) -> object:
    found = _parsed(given)
    return found if isinstance(found, dict) else None


def _mappings(given: object) -> object:
    found = _parsed(given)
    all_maps = isinstance(found, list) and all(isinstance(one, dict) for one in found)
    return found if all_maps else None


def _parsed(given: object) -> object:
    """Return what a text says that is a list or an object of JSON; else what it is."""
    if not isinstance(given, str) or not given.lstrip().startswith(("[", "{")):
        return given
    try:
        return from_json(given)
    except ValueError:
        return given


def from_json(text: str) -> Any:
    """Return what a text of JSON says.

    Raises:
        ValueError: it is none, or nested deeper than any tool takes.
    """
    try:
        found = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise ValueError(DEEPEST) from None
    level = [found]
    for _ in range(DEEPEST):
        level = [below for one in level for below in _held(one)]
    if level:
        raise ValueError(DEEPEST)
    return found


def _held(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


_READERS: Mapping[Kind, Callable[[object], object]] = {
    "string": _text,
    "text": _text,
    "label": _label,
    "integer": _whole,
    "number": _number,
    "boolean": _truth,
    "strings": _texts,
    "object": _mapping,
    "objects": _mappings,
    "value": _any,
}

_WANTED: Mapping[Kind, str] = {
    "string": "a text",
    "text": "a text",
    "label": "a text or a whole number",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "strings": "a list of texts",
    "object": "an object",
    "objects": "a list of objects",
    "value": "a value",
}
