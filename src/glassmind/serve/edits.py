"""Edits of a text as callers write them: a list of objects, each with its `op`.

One table for the command line, HTTP and MCP, read by the rules of tools.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

from glassmind.errors.serving import BadArgument
from glassmind.render.style import is_text
from glassmind.serve.mcp.tool import REQUIRED, Argument, read_arguments
from glassmind.types.editing import (
    FUZZY,
    TOGGLE,
    WHERE,
    AddLink,
    Append,
    AtBlock,
    AtHeading,
    AtLine,
    ChangeProperty,
    Prepend,
    PropertyAct,
    Replace,
    Scope,
    SetTask,
    TextEdit,
)

LONGEST_NOTE = 1_000_000
"""Letters that one edit or a new note may have: a book, not a library."""

MOST_EDITS = 200
"""Edits of one call."""

LONGEST_DIGEST = 128
"""Letters of a digest that a caller read: twice those that ours have."""

WHERES, SCOPES = tuple(WHERE), get_args(Scope)

TEXT = Argument("text", "string", "what to write", most=LONGEST_NOTE)
_WHERE = Argument("where", "string", "", "replace", choices=WHERES)
_HEADING = Argument("heading", "string", "its text; Above#Below for one of several")


class Op(NamedTuple):
    """One kind of edit: what makes it, and what it takes."""

    make: type
    arguments: tuple[Argument, ...]


OPS: Mapping[str, Op] = {
    "append": Op(Append, (TEXT,)),
    "prepend": Op(Prepend, (TEXT,)),
    "replace": Op(
        Replace,
        (
            Argument("find", "string", "stands there exactly once", most=LONGEST_NOTE),
            TEXT,
            Argument(
                "fuzzy", "number", f"how alike will do, as {FUZZY}", None, (), 0, 1
            ),
        ),
    ),
    "heading": Op(
        AtHeading,
        (
            _HEADING,
            TEXT,
            _WHERE,
            Argument("scope", "string", "", "section", choices=SCOPES),
            Argument("index", "integer", "which of one name, from 0", None, least=0),
        ),
    ),
    "block": Op(AtBlock, (Argument("block", "string", "its ^id"), TEXT, _WHERE)),
    "property": Op(
        ChangeProperty,
        (
            Argument("name", "string"),
            Argument("act", "string", "", "set", choices=get_args(PropertyAct)),
            Argument("value", "value", "but for unset; an item for add, remove", None),
        ),
    ),
    "line": Op(
        AtLine,
        (
            Argument("line", "integer", "from 1, frontmatter counted", least=1),
            TEXT,
            _WHERE,
            Argument("last", "integer", "last of several lines", None, least=1),
        ),
    ),
    "task": Op(
        SetTask,
        (
            Argument("status", "string", "one sign, or toggle", TOGGLE, most=20),
            Argument("line", "integer", "", None, least=1),
            Argument("find", "string", "", "", most=LONGEST_NOTE),
        ),
    ),
    "link": Op(
        AddLink,
        (
            Argument("target", "string", "the note that the link leads to"),
            Argument("sentence", "string", "{link} marks where it stands"),
            _HEADING._replace(default=""),
        ),
    ),
}
"""By what a caller names them; the arguments are the fields of the edit."""


def read_edits(
    owner: str, given: Sequence[Mapping[str, Any]], place: str = "edits"
) -> list[TextEdit]:
    """Return the edits of a list.

    Raises:
        BadArgument: there is none, or one of them means nothing; it says which.
    """
    if not given:
        raise BadArgument(owner, f"{place!r} holds no edit")
    if len(given) > MOST_EDITS:
        raise BadArgument(owner, f"{place!r} has more than {MOST_EDITS}")
    return [read_edit(f"{owner}: {place}[{at}]", one) for at, one in enumerate(given)]


def read_edit(owner: str, given: Mapping[str, Any]) -> TextEdit:
    """Return the edit that an object means.

    Raises:
        BadArgument: it means none.
    """
    name = given.get("op")
    op = OPS.get(name) if isinstance(name, str) else None
    if op is None:
        listed = ", ".join(OPS)
        raise BadArgument(owner, f"'op' must be one of {listed}")
    whole = whole_values(owner, given)
    rest = {key: value for key, value in whole.items() if key != "op"}
    made: TextEdit = op.make(**read_arguments(owner, op.arguments, rest))
    if isinstance(made, ChangeProperty) and made.act != "unset" and "value" not in rest:
        raise BadArgument(owner, "the argument 'value' is missing; null empties it")
    return made


def whole_values(owner: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return values of JSON whose every text can be written.

    Raises:
        BadArgument: one cannot: it holds half a character.
    """
    if not _is_whole(given):
        raise BadArgument(owner, "a text holds half a character")
    return given


def _is_whole(value: object) -> bool:
    """Whether every text in a value of JSON can be written."""
    if isinstance(value, str):
        return is_text(value)
    if isinstance(value, Mapping):
        return all(_is_whole(name) and _is_whole(one) for name, one in value.items())
    return not isinstance(value, list) or all(map(_is_whole, value))


def _fields() -> tuple[Argument, ...]:
    """Return what an edit may have, whatever its kind: what it is, and the rest."""
    fields = {"op": Argument("op", "string", choices=tuple(OPS))}
    for op in OPS.values():
        for one in op.arguments:
            fields.setdefault(one.name, one._replace(default=None))
    return tuple(fields.values())


def _told() -> str:
    """Return in a line which fields each kind takes, those in brackets as wished."""
    return "; ".join(
        f"{name}: {', '.join(_field(one) for one in op.arguments)}"
        for name, op in OPS.items()
    )


def _field(one: Argument) -> str:
    return one.name if one.default is REQUIRED else f"[{one.name}]"


EDITS = Argument(
    "edits",
    "objects",
    f"applied in order, all or none. By op: {_told()}",
    most=MOST_EDITS,
    fields=_fields(),
)

EXPECTED = Argument(
    "expected",
    "string",
    "digest of the note as it was read, or its first 8 letters or more",
    None,
    most=LONGEST_DIGEST,
)

DRY_RUN = Argument(
    "dry_run", "boolean", "show what would be done, change nothing", False
)
