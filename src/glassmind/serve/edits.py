"""Bounds and checks of edits, for tools of obsidian-brain."""

from collections.abc import Mapping
from typing import Any, get_args

from glassmind.errors.serving import BadArgument
from glassmind.markdown.style import is_text
from glassmind.operations.text_edits import LONGEST_NOTE, MOST_EDITS
from glassmind.types.editing import WHERE, Scope

__all__ = ["LONGEST_NOTE", "MOST_EDITS", "SCOPES", "WHERES", "whole_values"]

WHERES, SCOPES = tuple(WHERE), get_args(Scope)


def whole_values(owner: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return values of JSON whose every text can be written.

    Raises:
        BadArgument: one of them is not valid Unicode.
    """
    if not _is_whole(given):
        raise BadArgument(owner, "a text holds half a character")
    return given


def _is_whole(value: object) -> bool:
    if isinstance(value, str):
        return is_text(value)
    if isinstance(value, Mapping):
        return all(_is_whole(name) and _is_whole(one) for name, one in value.items())
    return not isinstance(value, list) or all(map(_is_whole, value))
