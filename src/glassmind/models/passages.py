"""Text cut by characters, for models whose tokenizer is out of reach."""

from glassmind.model.vectors import Embeddable
from glassmind.models.windows import CONTEXT_SHARE, balanced

ASCII_CHARS = 3
"""Characters of a token in plain text, on the safe side of the usual four."""


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text has, rather too many than too few.

    Letters outside of ASCII count as a token each, as most of those of scripts without
    spaces are.
    """
    plain = len(text.encode("ascii", "ignore"))
    return -(-plain // ASCII_CHARS) + len(text) - plain


def first_tokens(text: str, tokens: int) -> str:
    """Return as much of a text as has about so many tokens."""
    text = text[: tokens * ASCII_CHARS]
    while estimated_tokens(text) > tokens:
        text = text[: len(text) * 3 // 4]
    return text


def text_windows(part: Embeddable, prefix: str, window: int) -> list[str]:
    """Return the text of each window of a part, with its context; at least one.

    They are about equally long and cut between words where there are any.
    """
    context = first_tokens(part.context, window // CONTEXT_SHARE)
    before = f"{prefix}{context}\n" if context else prefix
    room = max(1, window - estimated_tokens(before))
    count = len(balanced(estimated_tokens(part.text), room))
    size = -(-len(part.text) // count)
    made, start = [], 0
    for _ in range(count - 1):
        end = _gap(part.text, start, min(start + size, len(part.text)))
        made.append(before + part.text[start:end])
        start = end
    made.append(before + part.text[start:])
    return made


def _gap(text: str, start: int, end: int) -> int:
    """Return the last blank before `end`, or `end` where no blank is near."""
    blank = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
    return blank if blank > start + (end - start) * 3 // 4 else end
