"""Reading and describing arguments: validation, clear errors, JSON Schema.

All surfaces read arguments here. A program that sends JSON has to send the right types
(`strict`). The CLI and models may write values as text: "7" counts as 7, and a list may
be written as JSON.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NoReturn,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
from msgspec import Meta, ValidationError

from glassmind.errors import BadArgument
from glassmind.obsidian.text import is_text, shortened
from glassmind.operations.registry import Arguments, Surface, arg

LONGEST_TEXT = 20_000  # characters of a text argument that declares no bound of its own
LONGEST_NOTE = 1_000_000  # characters of an argument that becomes a note
DEEPEST = 64  # levels of nesting of JSON that is written as text


class ArgumentField(NamedTuple):
    """One declared argument; `attribute` differs from `name` if that is a keyword."""

    name: str
    kind: Any
    bounds: Meta
    about: Meta
    required: bool
    default: object
    attribute: str

    @property
    def extra(self) -> Mapping[str, Any]:
        return self.about.extra or {}

    @property
    def bounded(self) -> Any:
        return Annotated[self.kind, self.bounds]

    @property
    def choices(self) -> tuple[str, ...]:
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()

    @property
    def is_list(self) -> bool:
        return get_origin(self.kind) is list

    @property
    def is_object(self) -> bool:
        return get_origin(self.kind) is dict

    @property
    def longest(self) -> int:
        if self.extra["note_text"] or self.kind not in (str, list[str]):
            return LONGEST_NOTE
        bound = self.bounds.max_length if self.kind is str else None
        return bound or LONGEST_TEXT

    @property
    def flag(self) -> str:
        return self.extra.get("flag") or "--" + self.name.replace("_", "-")

    def label(self, surface: Surface) -> str:
        if surface != "cli":
            return self.name
        return self.name.upper() if self.extra.get("positional") else self.flag


UNDESCRIBED = arg("")


@cache
def fields_of(
    arguments: type[Arguments], surface: Surface | None = None
) -> tuple[ArgumentField, ...]:
    """Return the declared arguments, or those that a surface offers."""
    hints = get_type_hints(arguments, include_extras=True)
    fields = []
    for declared in msgspec.structs.fields(arguments):
        kind = hints[declared.name]
        metas: Sequence[Meta] = getattr(kind, "__metadata__", ())
        kind = kind.__origin__ if metas else kind
        parts = [part for part in get_args(kind) if part is not type(None)]
        if len(parts) < len(get_args(kind)) and len(parts) == 1:
            kind = parts[0]
        nested, inner = Meta(), getattr(kind, "__metadata__", ())
        if inner:
            kind, nested = kind.__origin__, inner[0]
        about = next((meta for meta in metas if meta.extra), UNDESCRIBED)
        if surface and surface not in (about.extra or {})["only"]:
            continue
        bounds = (about.extra or {})["bounds"]
        if bounds == Meta():
            bounds = next((meta for meta in metas if not meta.extra), nested)
        make = declared.default_factory
        default = make() if callable(make) else declared.default
        required = default is msgspec.NODEFAULT
        default = None if required else default
        name = declared.encode_name
        fields.append(
            ArgumentField(name, kind, bounds, about, required, default, declared.name)
        )
    return tuple(fields)


def read(
    arguments: type[Arguments],
    given: Mapping[str, Any],
    *,
    owner: str,
    surface: Surface,
    strict: bool,
) -> Any:
    fields = {field.name: field for field in fields_of(arguments, surface)}
    for name in given:
        if name not in fields:
            known = ", ".join(fields) or "none"
            said = f"there is no argument {shortened(name)!r}; it takes {known}"
            raise BadArgument(owner, said)
    values = {}
    for field in fields.values():
        value = given.get(field.name)
        optional = not field.required and not field.extra["note_text"]
        if value == "" and surface == "mcp" and optional and not strict:
            value = None  # models send empty texts for what they leave out
        if value is not None or field.required:
            made = checked(field, value, owner, surface, strict=strict)
            values[field.attribute] = made
    return arguments(**values)


def checked(
    field: ArgumentField, value: Any, owner: str, surface: Surface, *, strict: bool
) -> Any:
    if value is None:
        raise BadArgument(owner, f"{field.label(surface)} is missing")
    if not strict:
        value = _from_text(field, value)
    try:
        return _converted(field, value, strict=strict)
    except ValidationError:
        raise BadArgument(owner, problem(field, value, surface)) from None


def _converted(field: ArgumentField, value: Any, *, strict: bool) -> Any:
    if isinstance(value, float) and field.kind is int and value.is_integer():
        value = int(value)
    for text in _texts(value):
        if not is_text(text) or len(text) > field.longest:
            raise ValidationError("not usable as text")
    if field.choices and not isinstance(value, str):
        raise ValidationError("not one of the choices")
    made = msgspec.convert(value, field.bounded, strict=strict)
    if isinstance(made, float) and not math.isfinite(made):
        raise ValidationError("not a finite number")
    return made


def _from_text(field: ArgumentField, value: Any) -> Any:
    if field.kind is str and isinstance(value, int) and not isinstance(value, bool):
        return str(value)  # ids look like numbers
    if not isinstance(value, str) or field.kind in (str, Any):
        return value
    if value.lstrip().startswith(("[", "{")):
        with suppress(ValueError):
            return parsed_json(value)
    return [value] if field.is_list else value


def parsed_json(text: str) -> Any:
    try:
        value = json.loads(
            text, parse_constant=_no_number, object_pairs_hook=_without_repeats
        )
        depth = _depth(value)
    except RecursionError:
        raise ValueError(DEEPEST) from None
    if depth > DEEPEST:
        raise ValueError(DEEPEST)
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; readers of JSON differ in which of two values counts."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError(pairs)
    return made


def plain_value(text: str) -> Any:
    """Return a number or truth value for what JSON writes so: not `1.10`, not `007`."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return text
    is_plain = isinstance(parsed, bool | int | float)
    return parsed if is_plain and json.dumps(parsed) == text else text


def _depth(value: Any) -> int:
    return 1 + max(map(_depth, _children(value)), default=0)


def _children(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
    for child in _children(value):
        yield from _texts(child)


def problem(field: ArgumentField, value: Any, surface: Surface) -> str:
    return f"{field.label(surface)} must be {_requirement(field, value)}"


def _requirement(field: ArgumentField, value: Any) -> str:
    for text in _texts(value):
        if not is_text(text):
            return "valid Unicode text"
        if len(text) > field.longest:
            return f"at most {field.longest:,} characters (got {len(text):,})"
        least = field.bounds.min_length or 0
        if field.kind is str and len(text) < least:
            return f"at least {least} characters (got {len(text)})"
    if field.choices:
        required = f"{'one of ' * (len(field.choices) > 1)}{', '.join(field.choices)}"
    elif field.is_list:
        most = field.bounds.max_length
        if isinstance(value, list) and most is not None and len(value) > most:
            return f"a list of at most {most} items (got {len(value)})"
        texts = get_args(field.kind) == (str,)
        required = "a list of texts" if texts else "a list of objects"
    elif field.kind in (int, float):
        required = _required_number(field, value)
    else:
        required = {bool: "true or false", str: "a text"}.get(field.kind, "an object")
    number = field.kind in (int, float) and isinstance(value, str)
    got = value if number else json.dumps(value, ensure_ascii=False, default=str)
    return f"{required} (got {shortened(got)})"


def _required_number(field: ArgumentField, value: Any) -> str:
    low, high = field.bounds.ge, field.bounds.le
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if low is not None and number < low:
        return f"{low:g} or more"
    if high is not None and number > high:
        return f"{high:g} or less"
    return "a whole number" if field.kind is int else "a number"


def schema_of(arguments: type[Arguments], surface: Surface) -> dict[str, Any]:
    fields = fields_of(arguments, surface)
    made: dict[str, Any] = {
        "type": "object",
        "properties": {field.name: property_schema(field, surface) for field in fields},
        "additionalProperties": False,
    }
    required = [field.name for field in fields if field.required]
    return made | ({"required": required} if required else {})


def property_schema(
    field: ArgumentField, surface: Surface, *, in_query: bool = False
) -> dict[str, Any]:
    made = msgspec.json.schema(field.bounded)
    if field.choices:
        made = {"type": "string", "enum": list(field.choices)}
    if surface == "mcp":
        for name in ("maxLength", "minLength", "maxItems"):
            made.pop(name, None)
        description = field.extra["for_models"]
    else:
        description = "" if in_query else field.about.description
        if field.kind is str and not field.choices:
            made.setdefault("maxLength", field.longest)
        if field.extra["pattern"]:
            made["pattern"] = field.extra["pattern"]
        if not field.required and not in_query and "type" in made:
            made["type"] = [made["type"], "null"]
            if "enum" in made:
                made["enum"] = [*made["enum"], None]
    if description:
        made["description"] = description
    # every word of a tool's schema costs tokens, and readers expect false or 0
    silent = (None, "", False, 0) if surface == "mcp" else (None, "")
    if not field.required and field.default not in silent:
        made["default"] = msgspec.to_builtins(field.default)
    return made


def require_defaults(parts: Iterable[dict[str, Any]]) -> None:
    for part in parts:
        for name, field in part.get("properties", {}).items():
            if "default" in field:
                del field["default"]
                part["required"] = [*part.get("required", ()), name]


def remove_properties(schema: dict[str, Any], names: Sequence[str]) -> None:
    for name in names:
        schema["properties"].pop(name, None)
    if "required" in schema:
        schema["required"] = [name for name in schema["required"] if name not in names]
