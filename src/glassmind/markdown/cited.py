"""Finding the receipts in a text that cites: a saved bundle, its JSON, or a list."""

import json
import re
from collections.abc import Iterator
from typing import Any

from glassmind.markdown.receipts import parse_receipt

SOURCES = "## Sources"
"""Below this a bundle lists its receipts; what stands above is text of notes."""

_WORD = re.compile(
    r"[^\s\"'`$\\!&;,<>|*?()\[\]{}^]+:[1-9][0-9]*(?:-[1-9][0-9]*)?@[0-9a-fA-F]{8,64}"
)
"""A receipt as it is written: one word without any sign that Markdown would render."""


def receipts_in(text: str) -> list[str]:
    """Return the receipts that a text cites, each once, in its order.

    Of a bundle these are its sources; what its notes quote does not count.
    """
    try:
        found = list(_in_json(json.loads(text)))
    except (ValueError, RecursionError):
        found = list(_in_lines(text))
    return list(dict.fromkeys(found))


def _in_json(value: Any) -> Iterator[str]:
    match value:
        case dict():
            for key, held in value.items():
                if key == "receipt" and isinstance(held, str):
                    yield held
                else:
                    yield from _in_json(held)
        case list():
            for held in value:
                yield from [held] if _is_receipt(held) else _in_json(held)
        case _:
            pass


def _is_receipt(value: object) -> bool:
    return isinstance(value, str) and parse_receipt(value) is not None


def _in_lines(text: str) -> Iterator[str]:
    lines = text.splitlines()
    heads = [at for at, line in enumerate(lines) if line.strip() == SOURCES]
    for line in lines[heads[-1] :] if heads else lines:
        yield from (found.group() for found in _WORD.finditer(line))
