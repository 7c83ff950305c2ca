"""Finding the receipts in a text that cites: a saved bundle, its JSON, or a list."""

import json
import re
from collections.abc import Iterator
from typing import Any

from glassmind.obsidian.receipts import parse_receipt

SOURCES = "## Sources"
"""Below this a bundle lists its receipts; what stands above is text of notes."""

CITING = frozenset({"receipt", "receipts", "sources"})
"""What JSON has receipts under; other texts in it are those of notes."""

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


def _in_json(value: Any, key: str = "sources") -> Iterator[str]:
    match value:
        case dict():
            for name, held in value.items():
                yield from _in_json(held, str(name))
        case list():
            for held in value:
                yield from _in_json(held, key)
        case str() if key in CITING and parse_receipt(value) is not None:
            yield value
        case _:
            pass


def _in_lines(text: str) -> Iterator[str]:
    lines = text.splitlines()
    heads = [at for at, line in enumerate(lines) if line.strip() == SOURCES]
    for line in lines[heads[-1] :] if heads else lines:
        yield from (found.group() for found in _WORD.finditer(line))
