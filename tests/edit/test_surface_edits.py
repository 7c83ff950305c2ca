"""Edits as objects of a list, for the command line, HTTP and MCP alike."""

from typing import Any

import pytest

from glassmind.errors import BadArgument
from glassmind.model.edits import ChangeProperty
from glassmind.operations.edit import read_edits


@pytest.mark.parametrize("act", [{}, {"act": "set"}, {"act": "add"}, {"act": "remove"}])
def test_a_property_is_not_emptied_by_a_value_that_was_forgotten(
    act: dict[str, Any],
) -> None:
    given = {"op": "property", "name": "status", **act}

    with pytest.raises(BadArgument, match=r"edits\[0\]: value is missing"):
        read_edits([given], "mcp")


@pytest.mark.parametrize("value", [None, "", 0, False, [], "done"])
def test_a_property_may_be_given_any_value_nothing_too(value: object) -> None:
    given = {"op": "property", "name": "status", "value": value}

    (edit,) = read_edits([given], "mcp")
    assert edit == ChangeProperty("status", "set", value)  # type: ignore[arg-type]


def test_a_property_is_taken_out_without_a_value() -> None:
    given = {"op": "property", "name": "status", "act": "unset"}

    assert read_edits([given], "mcp") == [ChangeProperty("status", "unset", None)]
