"""What tools and routes take, however they are declared."""

from typing import Any

from glassmind.operations.arguments import (
    fields_of,
    schema_for_http,
)
from glassmind.serve.http.asked import Route
from glassmind.serve.mcp.tool import REQUIRED, Argument, Tool, schema_of


def names_of(one: Tool | Route) -> list[str]:
    """Return the names of all arguments."""
    return list(choices_of(one))


def required_of(one: Tool | Route) -> list[str]:
    """Return the names of those that have to be given."""
    if isinstance(one, Tool):
        return list((one.schema or schema_of(one.arguments)).get("required", ()))
    if one.operation is not None:
        fields = fields_of(one.operation.arguments, "http")
        return [field.name for field in fields if field.required]
    return [argument.name for argument in one.arguments if argument.default is REQUIRED]


def choices_of(one: Tool | Route) -> dict[str, tuple[Any, ...]]:
    """Return every argument with the values it may have; empty for any."""
    if isinstance(one, Tool):
        properties = (one.schema or schema_of(one.arguments))["properties"]
        return {name: tuple(said.get("enum", ())) for name, said in properties.items()}
    if one.operation is not None:
        fields = fields_of(one.operation.arguments, "http")
        own = {"client": ()} if one.operation.writes else {}
        return {field.name: field.choices for field in fields} | own
    return {argument.name: argument.choices for argument in one.arguments}


def arguments_of(one: Tool | Route) -> tuple[Argument, ...]:
    """Return every argument, also of what is made from an operation."""
    if isinstance(one, Route) and one.operation is not None:
        schema: Any = schema_for_http(one.operation.arguments)
    elif isinstance(one, Tool) and one.schema is not None:
        schema = one.schema
    else:
        return one.arguments
    required = schema.get("required", ())
    return tuple(
        Argument(
            name,
            "strings" if _type_of(said) == "array" else _type_of(said),
            default=REQUIRED if name in required else said.get("default"),
            choices=tuple(value for value in said.get("enum", ()) if value is not None),
        )
        for name, said in schema["properties"].items()
    )


def _type_of(said: dict[str, Any]) -> Any:
    """Return the type of a value that is not null."""
    types = said.get("type", "object")
    return types if isinstance(types, str) else types[0]
