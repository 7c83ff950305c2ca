"""Values of properties as YAML on one line, in the quotes that are used around them."""

import json
import math
from collections.abc import Sequence

from glassmind.errors.editing import BadEdit
from glassmind.model import PropertyValue
from glassmind.obsidian.yaml_core import resolve_plain
from glassmind.obsidian.yaml_write import quoted, scalar

DEEPEST = 8
"""Lists in lists of a value that is written; people write one."""

_TWO_BYTES = 0xFFFF

JSON_QUOTE = "json"
"""Said in the place of a quote where everything is written as JSON."""


def check_value(value: PropertyValue, depth: int = 0) -> None:
    """Refuse what no property can hold.

    Raises:
        BadEdit: a number without end, half a character, or too many lists in lists.
    """
    if depth > DEEPEST:
        raise BadEdit(f"a property is nested {DEEPEST} deep at most")
    match value:
        case float() if not math.isfinite(value):
            raise BadEdit("a property cannot be a number without end")
        case int() if resolve_plain(str(int(value))) != int(value):
            raise BadEdit(f"{str(value)[:30]} is too large a number; give it as text")
        case str():
            check_text(value)
        case list():
            for item in value:
                check_value(item, depth + 1)
        case dict():
            for key, item in value.items():
                if not isinstance(key, str):
                    raise BadEdit(f"the name {key!r} in a property is no text")
                check_text(key)
                check_value(item, depth + 1)
        case _:
            pass


def check_text(text: str) -> None:
    """Refuse a text that cannot be encoded; raises `BadEdit`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadEdit("a property holds half a character") from None


def inline(value: PropertyValue, quote: str = "") -> str:
    """Return a value as YAML on one line, which may stand in brackets too.

    Text is in this quote where that can hold it.
    """
    match value:
        case _ if quote == JSON_QUOTE:
            return _as_json(value)
        case str():
            return _text(value, quote)
        case list():
            return f"[{', '.join(inline(item, quote) for item in value)}]"
        case dict():
            pairs = (f"{scalar(key)}: {inline(v, quote)}" for key, v in value.items())
            return f"{{{', '.join(pairs)}}}"
        case _:
            return json.dumps(value)


def name_as_key(name: str, quote: str = "") -> str:
    """Return the name of a property as it is written before a colon."""
    return _as_json(name) if quote == JSON_QUOTE else scalar(name)


def is_same(one: PropertyValue, other: PropertyValue) -> bool:
    """Return whether two values are equal and of one kind: `1` is not `true`."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(
            is_same(one[key], other[key]) for key in one
        )
    return one == other


def common_quote(styles: Sequence[str]) -> str:
    """Return the quote that all of some texts are in; "" for none or several."""
    first = styles[0] if styles else ""
    return first if all(style == first for style in styles) else ""


def _text(text: str, quote: str) -> str:
    if quote == "'" and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return quoted(text) if quote == '"' else scalar(text)


def _as_json(value: PropertyValue) -> str:
    """Return a value as JSON; YAML knows no pairs of escapes for one character."""
    written = json.dumps(value, ensure_ascii=False)
    if written.isprintable():
        return written
    return "".join(
        sign if sign.isprintable() or ord(sign) > _TWO_BYTES else f"\\u{ord(sign):04x}"
        for sign in written
    )
