"""Hides credentials in everything that is sent to an agent.

Notes are indexed and read without them already. This also covers what is not indexed:
other files, words of a caller in a message, names of files.
"""

import json
import re
from collections.abc import Collection
from typing import Any

from glassmind.obsidian.secrets import redacted
from glassmind.obsidian.text import texts_in, with_texts

_is_digest = re.compile(r"[0-9a-f]{32}").fullmatch


def safe_values(value: Any, texts: Collection[str] | None = None) -> Any:
    """Return values of JSON with the credentials in their texts hidden.

    Without any, it is the same object. `texts` are its texts, if the caller has them.
    """
    if _hold_none(texts_in(value) if texts is None else texts):
        return value
    return with_texts(value, safe_text)


def safe_text(text: str) -> str:
    """Return a text with its credentials hidden; JSON stays JSON."""
    safe = redacted(text)
    if safe == text or not text.startswith(("{", "[")):
        return safe
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return safe
    made = safe_values(values)
    return text if made is values else json.dumps(made, ensure_ascii=False)


def _hold_none(texts: Collection[str]) -> bool:
    """Return whether no text holds a credential, looking at all at once, to be quick.

    Digests are left out: with one of them, all texts would be searched the slow way.
    """
    joined = "\n".join([text for text in set(texts) if not _is_digest(text)])
    return redacted(joined) == joined
