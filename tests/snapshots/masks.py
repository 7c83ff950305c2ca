"""Masks for values that differ from run to run, and types in place of values."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from snapshots.read_shapes import VERSION

PATTERNS: tuple[tuple[str, str], ...] = (
    (r"Notes-[0-9a-f]{8}\b", "Notes-<hash>"),
    (r"\b20\d{6}-[a-z0-9]{5}\b", "<id>"),
    (r"\bgm_[\w-]{20,}", "<token>"),
    (r"(?m)^[\w-]{43}$", "<token>"),
    (r"notes-[0-9a-z]{6,}(?=>)", "notes-<mark>"),
    (r"(?<=@)[0-9a-f]{8,64}\b", "<digest>"),
    (r"\b(?=[0-9a-f]*\d)[0-9a-f]{12,64}\b", "<digest>"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?", "<time>"),
    (r"(?<=\d{4}-\d\d-\d\d )\d\d:\d\d(:\d\d)?", "<time>"),
    (r"\b\d+(\.\d+)? (s|ms|seconds)\b", "<duration>"),
    (r"(?m)( +\d+\.\d){2}$", "  <milliseconds>"),  # of `eval`
    (r"(?m)^(\w+_(?:seconds_total|bytes)\S*) \S+$", r"\1 <value>"),
    (r"\bcursor=\S+", "cursor=<cursor>"),
    (r"\b[\d,]+(\.\d+)? ?([kKM]i?)?(B|bytes)\b", "<size>"),
)

MAPS = frozenset(("properties", "frontmatter"))
"""Keys of results whose value is a map keyed by data."""

WIDTH = 88
"""Longest line of JSON that is not broken."""

KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_@]*")
"""A key that a program chose; any other key is data, such as a path."""

SCALARS = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    type(None): "null",
}


class Mask:
    """Replaces what differs from run to run: times, ids, digests, paths, versions."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        longest_first = sorted(folders.items(), key=lambda pair: -len(pair[0]))
        exact = [(re.escape(folder), name) for folder, name in longest_first]
        now = datetime.now(UTC)
        days = {f"{now + timedelta(days=shift):%Y-%m-%d}" for shift in (-1, 0, 1)}
        today = "|".join(sorted(days))
        every = [
            *exact,
            (rf"(?<![\d.]){re.escape(VERSION)}(?![\d.])", "<version>"),
            *PATTERNS,
            (today, "<today>"),
        ]
        self._patterns = [(re.compile(pattern), name) for pattern, name in every]

    def __call__(self, text: str) -> str:
        """Return the text with masks."""
        for pattern, name in self._patterns:
            text = pattern.sub(name, text)
        return text


def shape_of(values: Sequence[object], *, is_map: bool = False) -> Any:
    """Return the keys and types that all these values have in common.

    A key that some of the objects lack ends in `?`. Elements of lists are merged.
    """
    shapes: list[Any] = []
    scalars = {SCALARS[type(value)] for value in values if type(value) in SCALARS}
    if "number" in scalars:
        scalars.discard("integer")
    if scalars:
        shapes.append("|".join(sorted(scalars)))
    if lists := [value for value in values if isinstance(value, list)]:
        elements = [element for value in lists for element in value]
        shapes.append([shape_of(elements)] if elements else [])
    if objects := [value for value in values if isinstance(value, dict)]:
        shapes.append(_object_shape(objects, is_map=is_map))
    return shapes[0] if len(shapes) == 1 else {"any of": shapes}


def _object_shape(objects: Sequence[dict[str, Any]], *, is_map: bool) -> dict[str, Any]:
    keys = sorted({key for value in objects for key in value})
    if keys and (is_map or not all(KEY.fullmatch(key) for key in keys)):
        return {"*": shape_of([item for value in objects for item in value.values()])}
    return {
        key + ("" if all(key in value for value in objects) else "?"): shape_of(
            [value[key] for value in objects if key in value], is_map=key in MAPS
        )
        for key in keys
    }


def as_json(value: Any, indent: int = 0) -> str:
    """Return sorted JSON, with what fits into a line on one line."""
    line = json.dumps(value, sort_keys=True, ensure_ascii=False)
    if indent + len(line) <= WIDTH or not isinstance(value, dict | list):
        return line
    pad, inner = " " * indent, " " * (indent + 1)
    if isinstance(value, list):
        items = [as_json(item, indent + 1) for item in value]
    else:
        items = [
            f"{json.dumps(key, ensure_ascii=False)}: {as_json(value[key], indent + 1)}"
            for key in sorted(value)
        ]
    start, end = "[]" if isinstance(value, list) else "{}"
    return f"{start}\n{inner}" + f",\n{inner}".join(items) + f"\n{pad}{end}"


def without_texts(schema: Any) -> Any:
    """Return a JSON schema without descriptions and titles."""
    if isinstance(schema, list):
        return [without_texts(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: without_texts(item) for name, item in value.items()}
        if key == "properties"
        else without_texts(value)
        for key, value in schema.items()
        if key not in ("description", "title", "summary")
    }


def texts_in(schema: Any, place: str = "") -> Iterable[tuple[str, str]]:
    """Yield every description and title of a JSON document, with its place."""
    items: Iterable[tuple[Any, Any]] = ()
    if isinstance(schema, dict | list):
        items = schema.items() if isinstance(schema, dict) else enumerate(schema)
    for key, value in items:
        if key in ("description", "title", "summary") and isinstance(value, str):
            yield f"{place}/{key}", value
        else:
            yield from texts_in(value, f"{place}/{key}")
