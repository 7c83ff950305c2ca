"""What is said of an answer that holds text which readers of the notes do not see.

Looked for in one place, in whatever a tool answers, so that no tool can forget it.
"""

from collections.abc import Mapping
from typing import Any

import mcp_types as types

from glassmind.markdown.hidden_text import hidden_in, hidden_notice
from glassmind.operations.model_text import fenced

FIELD = "hidden_text"
"""Where values say which kinds there are."""


def flagged(made: types.CallToolResult, packed: object) -> types.CallToolResult:
    """Return an answer that says which kinds of hidden text it holds, if any.

    Text that is JSON, as other systems reply, stays alone: clients read it as such. And
    a packet, of values that are `packed`, that says so itself stays in its budget.
    """
    texts = [one.text for one in made.content if isinstance(one, types.TextContent)]
    values: dict[str, Any] | None = made.structured_content
    kinds = hidden_in(texts if values is None else values)
    if not kinds or (values is None and _tells(packed)):
        return made
    told = None if values is None else {FIELD: list(kinds), **values}
    first, *links = made.content
    notice = types.TextContent(text=f"Notice: {hidden_notice(kinds)}.")
    says_so = values is not None and _tells(values)
    is_json = bool(texts) and texts[0].startswith(("{", "["))
    notices = [] if is_json or says_so else [notice]
    return made.model_copy(
        update={"content": [first, *notices, *links], "structured_content": told}
    )


def _tells(packed: object) -> bool:
    """Whether values say of one of their texts that it hides something."""
    if isinstance(packed, Mapping):
        return packed.get("hidden") is True or any(map(_tells, packed.values()))
    return isinstance(packed, list | tuple) and any(map(_tells, packed))


def fenced_note(text: str) -> str:
    """Return the text of a note in the fence, below a notice of what it hides."""
    notice = hidden_notice(hidden_in(text))
    return f"Notice: {notice}.\n{fenced(text)}" if notice else fenced(text)
