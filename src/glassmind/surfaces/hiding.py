"""Whatever is given out to an agent, looked through for credentials once more.

Notes are indexed and read without them already. This is where everything passes that
leaves, also what no index knows: texts of other files, words of a caller that come back
in a sentence, names of files. So no verb has to think of it, and none can forget it.
"""

import json
from typing import Any

from glassmind.markdown.secrets import redacted
from glassmind.render.texts import texts_in

_BEGINS_JSON = ("{", "[")


def safe_values(value: Any) -> Any:
    """Return values of JSON with the credentials in every text of them hidden.

    They are the very same where there are none.
    """
    if _holds_none(value):
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
    if _holds_none(values):
        return text
    return json.dumps(_hidden(values), ensure_ascii=False)


def _holds_none(value: Any) -> bool:
    """Whether no text holds a credential: looked at all at once, which is quick."""
    texts = "\n".join(texts_in(value))
    return redacted(texts) == texts


def _hidden(value: Any) -> Any:
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, dict):
        return {redacted(str(name)): _hidden(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_hidden(one) for one in value]
    return value
