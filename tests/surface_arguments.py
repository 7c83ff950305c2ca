"""What tools and routes take, however they are declared."""

from typing import Any, NamedTuple

from glassmind.operations.arguments import schema_for_http
from glassmind.serve.http.asked import Route
from glassmind.serve.mcp.tool import Tool, schema_of


class Argument(NamedTuple):
    """One argument; `kind` is a type of JSON Schema, or `strings` for a list."""

    name: str
    kind: str
    required: bool
    default: object = None
    choices: tuple[str, ...] = ()


def names_of(one: Tool | Route) -> list[str]:
    """Return the names of all arguments."""
    return [argument.name for argument in arguments_of(one)]


def required_of(one: Tool | Route) -> list[str]:
    """Return the names of those that have to be given."""
    return [argument.name for argument in arguments_of(one) if argument.required]


def choices_of(one: Tool | Route) -> dict[str, tuple[Any, ...]]:
    """Return every argument with the values it may have; empty for any."""
    return {argument.name: argument.choices for argument in arguments_of(one)}


def arguments_of(one: Tool | Route) -> tuple[Argument, ...]:
    """Return every argument."""
    schema: Any
    if isinstance(one, Tool):
        schema = one.schema
    elif one.operation is not None:
        schema = schema_for_http(one.operation.arguments)
        if one.operation.writes:
            schema["properties"]["client"] = {"type": "string"}
    else:
        schema = schema_of(one.arguments)
    required = schema.get("required", ())
    return tuple(
        Argument(
            name,
            _kind_of(said),
            name in required,
            said.get("default"),
            tuple(value for value in said.get("enum", ()) if value is not None),
        )
        for name, said in schema["properties"].items()
    )


def _kind_of(said: dict[str, Any]) -> str:
    """Return the type of a value that is not null."""
    types = said.get("type", "object")
    kind = types if isinstance(types, str) else types[0]
    if kind != "array":
        return str(kind)
    return "objects" if said["items"].get("type") == "object" else "strings"
