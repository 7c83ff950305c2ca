"""Whatever is given out to an agent, looked through for credentials once more.

Notes are indexed and read without them already. This is where everything passes that
leaves, also what no index knows: texts of other files, words of a caller that come back
in a sentence, names of files. So no verb has to think of it, and none can forget it.
"""

import json
import re
from collections.abc import Collection
from typing import Any

from glassmind.markdown.secrets import redacted
from glassmind.markdown.texts import texts_in

_BEGINS_JSON = ("{", "[")
_is_digest = re.compile(r"[0-9a-f]{32}").fullmatch


def safe_values(value: Any, texts: Collection[str] | None = None) -> Any:
    """Return values of JSON with the credentials in every text of them hidden.

    They are the very same where there are none. `texts` are those in them, where a
    caller has them already.
    """
    if _hold_none(texts_in(value) if texts is None else texts):
        return value
    return _hidden(value)


def safe_text(text: str) -> str:
    """Return a text with its credentials hidden; in one that is JSON, in its values."""
    safe = redacted(text)
    if safe == text or not text.startswith(_BEGINS_JSON):
        return safe
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return safe
    if _hold_none(texts_in(values)):
        return text
    return json.dumps(_hidden(values), ensure_ascii=False)


def _hold_none(texts: Collection[str]) -> bool:
    """Whether no text holds a credential: looked at all at once, which is quick.

    Digests are left out by their shape, which no credential has: one of them is enough
    to have all texts searched the slow way.
    """
    once = "\n".join([text for text in set(texts) if not _is_digest(text)])
    return redacted(once) == once


def _hidden(value: Any) -> Any:
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, dict):
        return {redacted(str(name)): _hidden(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_hidden(one) for one in value]
    return value
