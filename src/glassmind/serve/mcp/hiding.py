"""Answers of the protocol without credentials, whoever made them."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

from glassmind.serve.hiding import safe_text, safe_values
from glassmind.serve.mcp.engine import Context

Params = TypeVar("Params")
Result = TypeVar("Result", bound=BaseModel)

TEXT = "text"
"""The field that may hold values, written as text."""


def hiding(
    answering: Callable[[Context, Params], Awaitable[Result]],
) -> Callable[[Context, Params], Awaitable[Result]]:
    """Return what answers the same, and shows no credentials; nor do its faults."""

    async def answer(ctx: Context, params: Params) -> Result:
        try:
            return safe(await answering(ctx, params))
        except MCPError as error:
            raise MCPError(
                error.code, safe_text(error.message), safe_values(error.data)
            ) from error

    return answer


def safe(result: Result) -> Result:
    """Return an answer with the credentials in every text of it hidden."""
    changed = {}
    for name in type(result).model_fields:
        before = getattr(result, name)
        after = _safe(name, before)
        if after is not before:
            changed[name] = after
    return result.model_copy(update=changed) if changed else result


def _safe(name: str, value: Any) -> Any:
    if isinstance(value, BaseModel):
        return safe(value)
    if isinstance(value, list) and any(isinstance(one, BaseModel) for one in value):
        made = [_safe("", one) for one in value]
        same = all(a is b for a, b in zip(made, value, strict=True))
        return value if same else made
    if isinstance(value, str):
        made_text = safe_text(value) if name == TEXT else safe_values(value)
        return value if made_text == value else made_text
    return safe_values(value)
