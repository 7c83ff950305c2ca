"""Edits of a text as callers write them: arguments, JSON and its schema.

The types of the domain say which fields an edit has; `FIELDS` describes each field.
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Annotated, Any, cast, get_type_hints

from msgspec import Meta, defstruct

from glassmind.editing.text.apply import KINDS
from glassmind.errors.editing import NoMatch
from glassmind.errors.serving import BadArgument
from glassmind.operations.arguments import fields_of, property_schema, read
from glassmind.operations.registry import Arguments, Surface, arg
from glassmind.types.editing import FUZZY, ChangeProperty, Replace, TextEdit

LONGEST_NOTE = 1_000_000
"""Characters of one edit or a new note: about the length of a book."""

MOST_EDITS = 200
"""Edits of one call."""

Place = Meta(max_length=4_096)
FromOne = Meta(ge=1)
FromZero = Meta(ge=0, le=10_000)
NoBounds = Meta()

Text = arg(
    "The text to write; - reads standard input.",
    flag="--text",
    file="--file",
    note_text=True,
    for_models="what to write",
)

FIELDS: Mapping[str, tuple[Meta, Meta]] = {
    "text": (NoBounds, Text),
    "find": (
        NoBounds,
        arg("The text to replace.", note_text=True, for_models="occurs once"),
    ),
    "task.find": (
        NoBounds,
        arg("The text of the task, or a part of it.", note_text=True),
    ),
    "fuzzy": (
        Meta(ge=0, le=1),
        arg(
            f"Replace the most similar text if it is at least this similar ({FUZZY}).",
            metavar="SHARE",
            for_models=f"how similar is enough, as {FUZZY}",
        ),
    ),
    "heading": (
        Place,
        arg(
            "The heading; Above#Below if several have its text.",
            for_models="its text; Above#Below for one of several",
        ),
    ),
    "link.heading": (Place, arg("Add it at the end of this section.")),
    "where": (
        NoBounds,
        arg("Write the text in its place, before it or after it.", for_models=""),
    ),
    "scope": (
        NoBounds,
        arg("The whole section, or its first paragraph.", for_models=""),
    ),
    "index": (
        FromZero,
        arg(
            "Which of several headings with this text, from 0.",
            for_models="which of several, from 0",
        ),
    ),
    "block": (Place, arg("The id of the block.", for_models="its ^id")),
    "name": (Place, arg("The property.", for_models="")),
    "act": (NoBounds, arg("What to do with it.", for_models="")),
    "value": (
        NoBounds,
        arg(
            "The value, or an item to add or remove.",
            note_text=True,
            for_models="not for unset; an item for add, remove",
        ),
    ),
    "line": (
        FromOne,
        arg(
            "The number of the line; frontmatter counts.",
            for_models="from 1, frontmatter counted",
        ),
    ),
    "last": (
        FromOne,
        arg("The last of several lines.", for_models="last of several lines"),
    ),
    "status": (
        Meta(max_length=20),
        arg(
            "The character between the brackets, or toggle.",
            for_models="one character, or toggle",
        ),
    ),
    "target": (
        Place,
        arg(
            "The note to link to.",
            flag="--to",
            metavar="NOTE",
            for_models="the note to link to",
        ),
    ),
    "sentence": (
        Place,
        arg(
            "The sentence; {link} in it marks the place of the link.",
            for_models="{link} marks its place",
        ),
    ),
}
"""Bounds and description by the field's name, or by `kind.field` if kinds differ."""


def arguments_of(kind: type, base: type[Arguments] = Arguments) -> type[Arguments]:
    """Return the arguments of one kind of edit, besides those of `base`."""
    hints = get_type_hints(kind)
    declared: list[Any] = []
    for field in fields(kind):
        metas = FIELDS.get(f"{KINDS[kind]}.{field.name}") or FIELDS[field.name]
        hint = Any if field.name == "value" else hints[field.name]
        default = () if field.default is MISSING else (field.default,)
        declared.append((field.name, Annotated[(hint, *metas)], *default))
    name = f"{kind.__name__}Arguments"
    made = defstruct(name, declared, bases=(base,), frozen=True, kw_only=True)
    return cast("type[Arguments]", made)


ARGUMENTS = {name: (kind, arguments_of(kind)) for kind, name in KINDS.items()}
"""Each kind of edit with its arguments, by the name that callers use for it."""


def edit_from(kind: type, arguments: Arguments) -> TextEdit:
    """Return the edit that arguments describe."""
    edit: TextEdit = kind(**{f.name: getattr(arguments, f.name) for f in fields(kind)})
    return edit


def read_edits(
    given: Sequence[Mapping[str, Any]], surface: Surface, owner: str = "edits"
) -> list[TextEdit]:
    """Return the edits in a list of objects.

    Raises:
        BadArgument: the list is empty, or an object does not describe an edit.
    """
    if not given:
        raise BadArgument(owner, "there are no edits")
    return [
        _read_edit(f"{owner}[{at}]", each, surface) for at, each in enumerate(given)
    ]


def _read_edit(owner: str, given: Mapping[str, Any], surface: Surface) -> TextEdit:
    rest = dict(given)
    op = rest.pop("op", None)
    if not isinstance(op, str) or op not in ARGUMENTS:
        raise BadArgument(owner, f"op must be one of {', '.join(ARGUMENTS)}")
    kind, arguments = ARGUMENTS[op]
    # only the terminal offers options; a list of edits is JSON there too
    made = read(arguments, rest, owner=owner, surface="mcp", strict=surface == "http")
    edit = edit_from(kind, made)
    is_forgotten = isinstance(edit, ChangeProperty) and "value" not in rest
    if is_forgotten and edit.act != "unset":  # type: ignore[union-attr]
        raise BadArgument(owner, "value is missing; null empties the property")
    return edit


def _item_schema() -> dict[str, Any]:
    """Return the schema of one edit: every field of every kind, to keep it short."""
    properties: dict[str, Any] = {"op": {"type": "string", "enum": list(ARGUMENTS)}}
    for _kind, arguments in ARGUMENTS.values():
        for field in fields_of(arguments):
            schema = property_schema(field, "mcp")
            schema.pop("default", None)
            properties.setdefault(field.name, schema)
    return {
        "properties": properties,
        "required": ["op"],
        "additionalProperties": False,
    }


def _fields_of_kinds() -> str:
    """Return which fields each kind takes, optional ones in brackets."""
    return "; ".join(
        f"{name}: "
        + ", ".join(
            field.name if field.required else f"[{field.name}]"
            for field in fields_of(arguments)
        )
        for name, (_kind, arguments) in ARGUMENTS.items()
    )


Edits = Annotated[
    list[Annotated[dict[str, Any], Meta(extra_json_schema=_item_schema())]],
    Meta(max_length=MOST_EDITS),
    arg(
        "A file with a JSON list of edits; - reads standard input.",
        flag="--edits",
        metavar="FILE",
        file="--edits",
        note_text=True,
        for_models=f"applied in order, all or none. By op: {_fields_of_kinds()}",
    ),
]


def looser_helps(
    error: NoMatch, edits: Sequence[TextEdit], least: float | None = None
) -> bool:
    """Return whether a text that was not found may be found with less similarity.

    That is so for a text to replace, not for a heading or a block. `least` is the
    similarity that would be enough; without it, any that was not given.
    """
    places = [f"edits[{at}]" for at in range(len(edits))]
    missed = edits[places.index(error.place) if error.place in places else 0]
    if not isinstance(missed, Replace):
        return False
    return missed.fuzzy is None or (least is not None and missed.fuzzy > least)
