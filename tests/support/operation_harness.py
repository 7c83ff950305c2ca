"""Run operations as a surface does, and return their results, values or texts."""

from typing import Any

from glassmind.engine import Engine
from glassmind.obsidian.text import Style
from glassmind.operations.registry import Caller, Operation, all_operations, joined


def _operation(name: str) -> Operation:
    (found,) = [operation for operation in all_operations() if operation.name == name]
    return found


def result_of(engine: Engine, operation_name: str, /, **given: Any) -> Any:
    """Return the result of an operation for an agent."""
    operation = _operation(operation_name)
    arguments = operation.arguments(**given)
    return operation.run(engine, arguments, Caller("http", "test"))


def values_of(engine: Engine, operation_name: str, /, **given: Any) -> Any:
    """Return the JSON of an operation."""
    return result_of(engine, operation_name, **given).to_json()


def text_of(engine: Engine, operation_name: str, /, **given: Any) -> str:
    """Return what a person reads on a terminal."""
    operation = _operation(operation_name)
    arguments = operation.arguments(**given)
    result = operation.run(engine, arguments, Caller("http", "test"))
    return joined(operation.for_people(result, arguments, Style()))
