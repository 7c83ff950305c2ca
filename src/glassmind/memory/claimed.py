"""Which memos others say that they took the place of, and which links lead to memos.

A memo that another has taken the place of says so itself. It need not know any more:
the other was forgotten and came back, or has another name since. What the living one
says (`supersedes`) counts as well.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import TypeAlias

from glassmind.files.names import NOTE_SUFFIX
from glassmind.model import NotePath
from glassmind.model.memory import MEMO_FOLDERS

At: TypeAlias = tuple[NotePath, str]
"""Where a memo stands: its note, and its section in one of several."""

_LINK = re.compile(r"\[\[(?P<note>[^\[\]#|]+)(?:#(?P<section>[^\[\]|]*))?")
"""A link as `supersede` writes it: by its path, which no other file has."""

_PLACE = re.compile(rf"(?:^|/)((?:{'|'.join(sorted({*MEMO_FOLDERS.values()}))})/.+)")


def places_in(value: object, folder: str) -> list[At]:
    """Return where links of ours lead to: one, some in a line, or a list of them."""
    many = value if isinstance(value, list) else [value]
    return [
        (_below(found["note"], folder), found["section"] or "")
        for one in many
        if isinstance(one, str)
        for found in _LINK.finditer(one)
    ]


def _below(note: str, folder: str) -> NotePath:
    return NotePath(
        f"{agent_path(note, folder).removesuffix(NOTE_SUFFIX)}{NOTE_SUFFIX}"
    )


def agent_path(path: str, folder: str) -> str:
    """Return a path to a memo as it is below the agent folder, whatever its name was.

    A person may have given the folder another name since the link was written.
    """
    found = None if path.startswith(f"{folder}/") else _PLACE.search(path)
    return path if found is None else f"{folder}/{found[1]}"


def claimed_by_others(claims: Iterable[tuple[At, Collection[At]]]) -> set[At]:
    """Return the memos that others took the place of, given what each says of itself.

    Where such claims lead back to the one that makes them, none of them counts: one
    that is current is left in any case.
    """
    above: dict[At, set[At]] = {}
    for successor, olds in claims:
        for old in olds:
            above.setdefault(old, set()).add(successor)
    return {old for old in above if not _leads_back(old, above)}


def _leads_back(start: At, above: Mapping[At, Collection[At]]) -> bool:
    seen: set[At] = set()
    left = [*above[start]]
    while left:
        at = left.pop()
        if at == start:
            return True
        if at not in seen:
            seen.add(at)
            left += above.get(at, ())
    return False
