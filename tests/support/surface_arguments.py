"""What tools and routes take, however they are declared."""

from typing import TYPE_CHECKING, Any, NamedTuple

from glassmind.serve.tool import McpTool

if TYPE_CHECKING:
    from route_table import Route


class Argument(NamedTuple):
    """One argument; `kind` is a type of JSON Schema, or `strings` for a list."""

    name: str
    kind: str
    required: bool
    default: object = None
    choices: tuple[str, ...] = ()
    most: float | None = None


if TYPE_CHECKING:
    from route_table import Route


def names_of(one: "McpTool | Route") -> list[str]:
    """Return the names of all arguments."""
    return [argument.name for argument in arguments_of(one)]


def required_of(one: "McpTool | Route") -> list[str]:
    """Return the names of those that have to be given."""
    return [argument.name for argument in arguments_of(one) if argument.required]


def choices_of(one: "McpTool | Route") -> dict[str, tuple[Any, ...]]:
    """Return every argument with the values it may have; empty for any."""
    return {argument.name: argument.choices for argument in arguments_of(one)}


def arguments_of(one: "McpTool | Route") -> tuple[Argument, ...]:
    """Return every argument."""
    return arguments_in(one.schema) if isinstance(one, McpTool) else one.arguments


def arguments_in(schema: Any) -> tuple[Argument, ...]:
    """Return the arguments that a schema describes."""
    required = schema.get("required", ())
    return tuple(
        Argument(
            name,
            _kind_of(said),
            name in required,
            said.get("default"),
            tuple(value for value in said.get("enum", ()) if value is not None),
            said.get("maximum"),
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
