"""Properties as YAML, one value on one line, so that every reader reads them alike.

Text stands plain only where no reader of YAML 1.1 or 1.2 could take it for anything
else; otherwise in double quotes, with whatever is not seen written as an escape. So no
value can end its line, its property or the block it stands in.
"""

import re
from collections.abc import Sequence
from typing import TypeAlias

Fact: TypeAlias = str | bool | Sequence[str]
"""What a property of ours may say."""

_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:[+-]\d\d:\d\d)?)?")
_PLAIN = re.compile(r"[^\W\d_](?:[\w ./()+-]*[\w)])?")
_OTHERWISE = frozenset(
    "y n yes no on off true false null none nan inf infinity".split()  # noqa: SIM905
)
"""Words, in lower case, that some reader takes for more than a word."""


def property_lines(name: str, fact: Fact) -> list[str]:
    """Return the lines of a property, without line ends; a list has one for each."""
    match fact:
        case bool():
            return [f"{name}: {'true' if fact else 'false'}"]
        case str():
            return [f"{name}: {scalar(fact)}"]
    return [f"{name}:", *(f"  - {scalar(item)}" for item in fact)]


def scalar(text: str) -> str:
    """Return a text as YAML that is read as this text, to the letter.

    A day or a time stands plain and is one to whoever asks.
    """
    if _TIME.fullmatch(text):
        return text
    if _PLAIN.fullmatch(text) and text.lower() not in _OTHERWISE:
        return text
    return quoted(text)


def quoted(text: str) -> str:
    """Return a text as YAML in double quotes, whatever is not seen as an escape."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(sign: str) -> str:
    if sign in '"\\':
        return f"\\{sign}"
    if sign.isprintable():
        return sign
    code = ord(sign)
    if code <= 0xFF:  # noqa: PLR2004 - two hex digits
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004
