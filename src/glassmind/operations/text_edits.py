"""Edits of a text as callers write them: arguments, JSON and its schema.

The types of the domain say which fields an edit has; `FIELDS` describes each field.
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Annotated, Any, cast, get_type_hints

from msgspec import Meta, defstruct

from glassmind.edit.text_edits import KINDS
from glassmind.errors import BadArgument, BadValue
from glassmind.model.edits import FUZZY, ChangeProperty, TextEdit
from glassmind.operations.arguments import fields_of, property_schema, read
from glassmind.operations.registry import Arguments, Surface, arg

MOST_EDITS = 200
PLACE = 4_096
"""Characters of a name or heading."""

INDEX = arg("Which of several headings, from 0.", ge=0, le=10_000)
HeadingIndex = Annotated[int | None, INDEX]

FIELDS: Mapping[str, Meta] = {
    "text": arg(
        "The text to write; - reads standard input.",
        flag="--text",
        file="--file",
        note_text=True,
        for_models="what to write",
    ),
    "find": arg("The text to replace.", note_text=True, for_models="occurs once"),
    "task.find": arg("The text of the task, or a part of it.", note_text=True),
    "fuzzy": arg(
        f"Replace the most similar text if it is at least this similar ({FUZZY}).",
        metavar="SHARE",
        for_models=f"how similar is enough, as {FUZZY}",
        ge=0,
        le=1,
    ),
    "heading": arg("The heading; Above#Below if several match.", longest=PLACE),
    "link.heading": arg("Add it at the end of this section.", longest=PLACE),
    "where": arg("Write the text in its place, before it or after it.", for_models=""),
    "scope": arg("The whole section, or its first paragraph.", for_models=""),
    "index": INDEX,
    "block": arg("The id of the block.", for_models="its ^id", longest=PLACE),
    "name": arg("The property.", for_models="", longest=PLACE),
    "act": arg("What to do with it.", for_models=""),
    "value": arg(
        "The value, or an item to add or remove.",
        note_text=True,
        for_models="not for unset; an item for add, remove",
    ),
    "line": arg("Number of the line; frontmatter counts.", ge=1),
    "last": arg("The last of several lines.", ge=1),
    "status": arg("The character between the brackets, or toggle.", longest=20),
    "target": arg("The note to link to.", flag="--to", metavar="NOTE", longest=PLACE),
    "sentence": arg(
        "The sentence; {link} in it marks the place of the link.",
        for_models="{link} marks its place",
        longest=PLACE,
    ),
}
"""Each field's description, by its name, or by `kind.field` if kinds differ."""


def arguments_of(kind: type, base: type[Arguments] = Arguments) -> type[Arguments]:
    hints = get_type_hints(kind)
    declared: list[Any] = []
    for field in fields(kind):
        meta = FIELDS.get(f"{KINDS[kind]}.{field.name}") or FIELDS[field.name]
        hint = Any if field.name == "value" else hints[field.name]
        default = () if field.default is MISSING else (field.default,)
        declared.append((field.name, Annotated[hint, meta], *default))
    name = f"{kind.__name__}Arguments"
    made = defstruct(name, declared, bases=(base,), frozen=True, kw_only=True)
    return cast("type[Arguments]", made)


ARGUMENTS = {name: (kind, arguments_of(kind)) for kind, name in KINDS.items()}
"""Each kind of edit with its arguments, by the name that callers use for it."""


def edit_from(kind: type, arguments: Arguments) -> TextEdit:
    edit: TextEdit = kind(**{f.name: getattr(arguments, f.name) for f in fields(kind)})
    return edit


def read_edits(given: Sequence[Mapping[str, Any]], surface: Surface) -> list[TextEdit]:
    """Return the edits in a list of objects.

    Raises:
        BadArgument: the list is empty, or an object does not describe an edit.
    """
    if not given:
        raise BadValue("edits", "must have at least one edit")
    return [_read_edit(f"edits[{at}]", each, surface) for at, each in enumerate(given)]


def _read_edit(owner: str, given: Mapping[str, Any], surface: Surface) -> TextEdit:
    rest = dict(given)
    op = rest.pop("op", None)
    if not isinstance(op, str) or op not in ARGUMENTS:
        raise BadArgument(owner, f"op must be one of {', '.join(ARGUMENTS)}")
    kind, arguments = ARGUMENTS[op]
    # only the terminal offers options; a list of edits is JSON there too
    made = read(arguments, rest, owner=owner, surface="mcp", strict=surface == "http")
    edit = edit_from(kind, made)
    is_property = isinstance(edit, ChangeProperty) and edit.act != "unset"
    if is_property and "value" not in rest:
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
    return {"properties": properties, "required": ["op"], "additionalProperties": False}


def _fields_of_kinds() -> str:
    """Return which fields each kind takes, optional ones in brackets."""
    kinds = []
    for name, (_kind, arguments) in ARGUMENTS.items():
        taken = [f.name if f.required else f"[{f.name}]" for f in fields_of(arguments)]
        kinds.append(f"{name}: {', '.join(taken)}")
    return "; ".join(kinds)


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
