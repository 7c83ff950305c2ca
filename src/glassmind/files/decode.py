"""From a file's bytes to text: which encoding they are in, and if they are text."""

import codecs
from dataclasses import dataclass
from typing import NamedTuple

REPLACED = "\ufffd"

_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins as the mark of UTF-16 does
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SIGNATURES = (b"\x89PNG", b"%PDF-", b"PK\x03\x04", b"\xff\xd8", b"GIF8", b"\x1f\x8b")
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1b"))

_MARKS = b"\n\r#[]>`*_<$%|~=^&\\"

MARKS_LIMIT = 500_000
"""Lines and Markdown marks in a note. Parsing needs up to 0.5 KB for each, and some
steps take time that grows with their square."""

BINARY_SHARE = 0.01
"""Control or invalid characters beyond one in a hundred mean that this is no text."""


class Decoded(NamedTuple):
    """The text of a file without its byte order mark, line ends as they were.

    `flagged` means that the text is a guess: `reason` says what was guessed.
    """

    text: str
    encoding: str
    flagged: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Why these bytes are not the text of a note."""

    reason: str


def decode(raw: bytes) -> Decoded | Unreadable:
    """Return the text these bytes hold, or why they hold none.

    The text can always be encoded as UTF-8: it has no lone surrogates.
    """
    if len(raw) > MARKS_LIMIT and marks_in(raw) > MARKS_LIMIT:
        return Unreadable(
            f"it has more than {MARKS_LIMIT:,} lines and Markdown marks; split it"
        )
    for mark, encoding in _ORDER_MARKS:
        if raw.startswith(mark):
            return _text_only(_marked(raw[len(mark) :], encoding))
    if b"\0" in raw:
        return Unreadable("it holds NUL bytes, so it is not a text file")
    try:
        return Decoded(raw.decode(), "utf-8")
    except UnicodeDecodeError:
        return _guess(raw)


def marks_in(raw: bytes) -> int:
    """Return how many lines and Markdown marks some bytes have, roughly."""
    return len(raw) - len(raw.translate(None, _MARKS))


def _marked(body: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(body.decode(encoding), encoding)
    except UnicodeDecodeError:
        text = body.decode(encoding, "replace")
    return Decoded(text, encoding, flagged=True, reason=_repaired(text, encoding))


def _text_only(found: Decoded) -> Decoded | Unreadable:
    if "\0" in found.text:
        return Unreadable("it holds NUL characters, so it is not a text file")
    if found.text.count(REPLACED) > 1 + len(found.text) * BINARY_SHARE:
        return Unreadable(f"it is marked as {found.encoding}, and is not")
    return found


def _guess(raw: bytes) -> Decoded | Unreadable:
    """Read bytes that are not UTF-8: damaged, in an 8-bit encoding, or no text."""
    controls = len(raw) - len(raw.translate(None, _CONTROLS))
    if raw.startswith(_SIGNATURES) or controls > len(raw) * BINARY_SHARE:
        return Unreadable("it is a binary file under a text file's name")
    text = raw.decode(errors="replace")
    damaged = text.count(REPLACED)
    accents = len(text) - len(text.encode("ascii", "ignore")) - damaged
    if accents > damaged:
        return Decoded(text, "utf-8", flagged=True, reason=_repaired(text, "utf-8"))
    try:
        text, encoding = raw.decode("cp1252"), "cp1252"
    except UnicodeDecodeError:
        text, encoding = raw.decode("latin-1"), "latin-1"
    reason = f"it is not UTF-8 and was read as {encoding}; save it as UTF-8"
    return Decoded(text, encoding, flagged=True, reason=reason)


def _repaired(text: str, encoding: str) -> str:
    count = text.count(REPLACED)
    if count == 1:
        return f"1 place is not valid {encoding} and was replaced"
    return f"{count} places are not valid {encoding} and were replaced"
