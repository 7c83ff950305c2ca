"""The texts in values of JSON, names of fields too.

Every answer to an agent passes here: so it is one loop, which looks at types and not at
what they descend from.
"""

from collections.abc import Callable, Iterable
from types import NoneType
from typing import Any

_TEXTLESS = frozenset((int, float, bool, NoneType, bytes))


def texts_in(values: Any) -> list[str]:
    """Return every text that is somewhere in some values, in no order."""
    texts: list[str] = []
    waiting = [values]
    while waiting:
        one = waiting.pop()
        kind = type(one)
        if kind is str:
            texts.append(one)
        elif kind is dict:
            texts += map(str, one)
            waiting += one.values()
        elif kind is list or kind is tuple:
            waiting += one
        elif kind not in _TEXTLESS:
            _take_apart(one, texts, waiting)
    return texts


def _take_apart(one: Any, texts: list[str], waiting: list[Any]) -> None:
    """Sort out a value of a kind that only descends from one of JSON."""
    if isinstance(one, str):
        texts.append(one)
    elif isinstance(one, dict):
        texts += map(str, one)
        waiting += one.values()
    elif isinstance(one, Iterable) and not isinstance(one, bytes):
        waiting += one


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return values of JSON with every text changed, names of fields too."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(str(k)): with_texts(v, change) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [with_texts(item, change) for item in value]
    return value
