"""What Hindsight remembers, and what it is given to remember."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class RecalledFact(NamedTuple):
    """Something that Hindsight remembers, and `path`, which tells it from all notes.

    `kind` is `world`, `experience`, `observation`, or a word of the server's; `day` is
    when it happened, else when it was said, as 2026-03-01. `document` names what it was
    told in, as whoever told it called that. What the server does not say is empty.
    """

    path: str
    text: str
    kind: str = ""
    day: str = ""
    document: str = ""
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class Told(NamedTuple):
    """Something that Hindsight is to remember; told again, it replaces the former.

    `document` is what it goes by there, `created` a time with its zone.
    """

    document: str
    text: str
    created: str = ""
    context: str = ""
    facts: Mapping[str, str] = MappingProxyType({})
    tags: tuple[str, ...] = ()


ORIGIN = "glassmind"
"""How the name of a document begins that we told."""


def document_of(path: str, vault: str) -> str:
    """Return what a memo of a vault goes by in Hindsight."""
    return f"{ORIGIN}:{vault}:{path}"


def memo_of(document: str, vault: str) -> str:
    """Return the note of a memo that goes by this; empty where it is none of ours."""
    ours = f"{ORIGIN}:{vault}:"
    if not document.startswith(ours):
        return ""
    return document.removeprefix(ours).partition("#")[0]
