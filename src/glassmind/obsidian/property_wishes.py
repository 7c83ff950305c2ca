"""What a change of a property comes to: its value now, and the one it should have."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from glassmind.errors.editing import BadEdit, NotEditable
from glassmind.model import NotePath, PropertyValue
from glassmind.model.editing import ChangeProperty
from glassmind.obsidian.yaml_values import check_text, check_value, is_same

LONGEST_NAME = 200
"""Characters of a property's name; YAML lets a key have 1,024 bytes."""

_TAGS = "tags"
_TAG_ENDS, _ALIAS_ENDS = re.compile(r"[,\s]+"), re.compile(r"\s*,\s*")
_PARTED = {
    "tags": _TAG_ENDS,
    "tag": _TAG_ENDS,
    "aliases": _ALIAS_ENDS,
    "alias": _ALIAS_ENDS,
}
"""What parts a text into items, as Obsidian did before 1.9 and Dataview does."""

_NOTHING: tuple[PropertyValue, ...] = (None, "")


class Wish(NamedTuple):
    """A property as it is and as it should be; `gone` means that it should not be.

    For a list, `more` are the items to add and `less` the numbers of those to take
    away, where that is all.
    """

    name: str
    now: PropertyValue
    wanted: PropertyValue
    gone: bool = False
    more: tuple[PropertyValue, ...] = ()
    less: tuple[int, ...] = ()


def check_change(change: ChangeProperty) -> None:
    """Refuse a name or a value that no property can have; raises `BadEdit`."""
    name = change.name
    if not name.strip() or name != name.strip():
        raise BadEdit("a property needs a name, without blanks around it")
    check_text(name)
    if not name.isprintable() or len(name) > LONGEST_NAME:
        raise BadEdit(f"no property can be called {name[:60]!r}")
    if change.act in ("add", "remove") and change.value in (None, []):
        raise BadEdit(f"say which item of {name} to {change.act}")
    if change.act != "unset":
        check_value(change.value)


def wish_of(
    path: NotePath, properties: Mapping[str, PropertyValue], change: ChangeProperty
) -> Wish | None:
    """Return what a change comes to; None where it is so already.

    Raises:
        BadEdit: items are added to something that has properties of its own.
        NotEditable: two names differ from the one asked for only in their case.
    """
    name = _key(path, properties, change.name)
    known, now = name in properties, properties.get(name)
    match change.act:
        case "set":
            if known and is_same(now, change.value):
                return None
            return Wish(name, now, change.value)
        case "unset":
            return Wish(name, now, None, gone=True) if known else None
    items = as_list(change.value)
    if isinstance(now, dict):
        raise BadEdit(f"{name} is no list: it holds properties of its own")
    if change.act == "add":
        return _wish_to_add(Wish(name, now, None), items)
    return _wish_to_remove(Wish(name, now, None), items) if known else None


def _wish_to_add(wish: Wish, items: Sequence[PropertyValue]) -> Wish | None:
    now = wish.now
    whole = [] if now in _NOTHING else as_list(now)
    held = _items(wish.name, now) if whole else []
    more: list[PropertyValue] = []
    for item in items:
        if not any(_equal(wish.name, item, one) for one in (*whole, *held, *more)):
            more.append(item)
    if not more:
        return None
    return wish._replace(wanted=[*held, *more], more=tuple(more))


def _wish_to_remove(wish: Wish, items: Sequence[PropertyValue]) -> Wish | None:
    held = as_list(wish.now)
    less = _found(wish.name, held, items)
    if not less:
        held = _items(wish.name, wish.now)
        less = _found(wish.name, held, items)
    if not less:
        return None
    kept = [one for number, one in enumerate(held) if number not in less]
    return wish._replace(wanted=kept, less=tuple(less))


def _found(
    name: str, held: Sequence[PropertyValue], items: Sequence[PropertyValue]
) -> list[int]:
    return [
        number
        for number, one in enumerate(held)
        if any(_equal(name, item, one) for item in items)
    ]


def _items(name: str, value: PropertyValue) -> list[PropertyValue]:
    """Return the items of a property; a text with several of them is parted."""
    ends = _PARTED.get(name.lower())
    if ends is None or not isinstance(value, str):
        return as_list(value)
    return [item for item in ends.split(value.strip()) if item]


def as_list(value: PropertyValue) -> list[PropertyValue]:
    """Return a list as it is, and anything else as a list of it."""
    return value if isinstance(value, list) else [value]


def _equal(name: str, one: PropertyValue, other: PropertyValue) -> bool:
    """Return whether two items are one; tags are so in any case, and with a `#`."""
    if name.lower() == _TAGS and isinstance(one, str) and isinstance(other, str):
        return _tag(one) == _tag(other)
    return is_same(one, other)


def _tag(text: str) -> str:
    return text.strip().removeprefix("#").lower()


def _key(path: NotePath, properties: Mapping[str, PropertyValue], name: str) -> str:
    """Return what a property is called there: exactly so, or else in another case."""
    if name in properties:
        return name
    alike = [key for key in properties if key.lower() == name.lower()]
    if len(alike) > 1:
        raise NotEditable(path, f"it has {' and '.join(alike)}; say which")
    return alike[0] if alike else name
