"""What tools and routes take, however they are declared."""

from typing import TYPE_CHECKING, Any

from glassmind.serve.mcp.tool import REQUIRED, Argument, Tool, schema_of

if TYPE_CHECKING:
    from route_table import Route


def names_of(one: "Tool | Route") -> list[str]:
    """Return the names of all arguments."""
    return list(choices_of(one))


def required_of(one: "Tool | Route") -> list[str]:
    """Return the names of those that have to be given."""
    if isinstance(one, Tool):
        return list((one.schema or schema_of(one.arguments)).get("required", ()))
    return [argument.name for argument in one.arguments if argument.default is REQUIRED]


def choices_of(one: "Tool | Route") -> dict[str, tuple[Any, ...]]:
    """Return every argument with the values it may have; empty for any."""
    if isinstance(one, Tool):
        properties = (one.schema or schema_of(one.arguments))["properties"]
        return {name: tuple(said.get("enum", ())) for name, said in properties.items()}
    return {argument.name: argument.choices for argument in one.arguments}


def arguments_of(one: "Tool | Route") -> tuple[Argument, ...]:
    """Return every argument, also of what is made from an operation."""
    if isinstance(one, Tool) and one.schema is not None:
        return arguments_in(one.schema)
    return one.arguments


def arguments_in(schema: Any) -> tuple[Argument, ...]:
    """Return the arguments that a schema describes."""
    required = schema.get("required", ())
    return tuple(
        Argument(
            name,
            "strings" if _type_of(said) == "array" else _type_of(said),
            default=REQUIRED if name in required else said.get("default"),
            choices=tuple(value for value in said.get("enum", ()) if value is not None),
            most=said.get("maximum"),
        )
        for name, said in schema["properties"].items()
    )


def _type_of(said: dict[str, Any]) -> Any:
    """Return the type of a value that is not null."""
    types = said.get("type", "object")
    return types if isinstance(types, str) else types[0]
