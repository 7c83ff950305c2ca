"""Receipts, `path#heading:12-18@digest`: write, read, and find them in a text.

What a shell, Markdown or YAML would interpret is percent-encoded, so that a receipt is
one word. It is read from the right, since a heading may hold any character.
"""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from typing import Any
from unicodedata import normalize
from urllib.parse import quote, unquote_to_bytes

from glassmind.model import NotePath, Span
from glassmind.model.context import Receipt
from glassmind.obsidian.secrets import redacted

DIGEST_CHARS = 16
"""Hex digits of a SHA-256 in a receipt: 64 bits, far beyond chance in one vault."""

HEADING_CHARS = 80
"""Of a longer heading these are enough: it is for people, the lines are what counts."""

LONGEST_RECEIPT = 20_000
"""Characters that are looked at: the longest path there is, each letter as `%XX`."""

FORM = "path#heading:12-18@digest"
_ACTIVE = frozenset("%\"'`$\\!&;,<>|*?()[]{}^")
"""What a shell expands, Markdown renders or a list in YAML ends at."""

_MARKING = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])|~|={2,}")
"""What Markdown takes for marks where it stands: a `_` inside a word is one letter."""

_ACTIVE_IN_PATH = _ACTIVE | {"#"}
_FIRST = re.compile(r"\w|\.(?!/)")
"""What the word of a receipt may begin with: no option, no mark of YAML."""

_RECEIPT = re.compile(
    r"(?P<path>[^#]+)(?:#(?P<heading>.*))?:"
    r"(?P<start>[1-9][0-9]{0,8})(?:-(?P<end>[1-9][0-9]{0,8}))?"
    r"@(?P<digest>[0-9a-fA-F]{8,64})",
    re.DOTALL,
)
_ENDS = re.compile(r"\r+\n|\r")
_LISTED = re.compile(r"(?:[-*+]\s+)?(?:(?:\[[0-9]{1,4}\]:?|[0-9]{1,4}[.)])\s+)?")
"""What stands before a receipt in a list, such as the sources of a bundle."""

_WRAPPED = (("`", "`"), ('"', '"'), ("'", "'"), ("<", ">"))


def digest_of_lines(text: str) -> str:
    """Return what a receipt knows some lines by, however they end.

    A credential in them does not count: who has a digest could else try passwords.
    """
    return full_digest(redacted(text))[:DIGEST_CHARS]


def full_digest(text: str) -> str:
    plain = _ENDS.sub("\n", text).rstrip("\r\n") if "\r" in text else text.rstrip("\n")
    return sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()


def receipt_of(path: str, heading: str, span: Span, text: str) -> str:
    return receipt_text(Receipt(NotePath(path), heading, span, digest_of_lines(text)))


def receipt_text(receipt: Receipt) -> str:
    """Return a receipt as it is written; of a long heading, its beginning."""
    path, heading, (start, end), digest = receipt
    lines = str(start) if start == end else f"{start}-{end}"
    return f"{_place(path, heading)}:{lines}@{digest}"


@lru_cache(maxsize=4_096)
def _place(path: str, heading: str) -> str:
    """Return what of a receipt stands before its lines; most are asked for again."""
    path = _written(path, _ACTIVE_IN_PATH)
    before = "" if path[:1].isalnum() or _FIRST.match(path) else "./"
    heading = redacted(" ".join(heading.split()))[:HEADING_CHARS].rstrip()
    under = f"#{_written(heading, _ACTIVE)}" if heading else ""
    return f"{before}{path}{under}"


def _written(text: str, active: frozenset[str]) -> str:
    if text.isascii() and text.isprintable() and active.isdisjoint(text):
        word = text.replace(" ", "%20")
    else:
        word = "".join(
            quote(sign, safe="", errors="surrogatepass")
            if sign in active or sign.isspace() or not sign.isprintable()
            else sign
            for sign in text
        )
    return _MARKING.sub(
        lambda marks: "".join(f"%{ord(sign):02X}" for sign in marks[0]), word
    )


def parse_receipt(text: str) -> Receipt | None:
    """Return the receipt that a text is; None where it is none."""
    match = _RECEIPT.fullmatch(bare(text)) if len(text) <= LONGEST_RECEIPT else None
    if match is None:
        return None
    start = int(match["start"])
    end = int(match["end"] or start)
    path = _read(match["path"])
    while path.startswith("./"):
        path = path[2:]
    if end < start or not path:
        return None
    heading = _read(match["heading"] or "")
    path = normalize("NFC", path)
    return Receipt(NotePath(path), heading, Span(start, end), match["digest"].lower())


def bare(text: str) -> str:
    said = _LISTED.sub("", text.strip(), count=1)
    for opening, closing in _WRAPPED:
        if len(said) > 1 and said.startswith(opening) and said.endswith(closing):
            return said[1:-1].strip()
    return said


def _read(text: str) -> str:
    if "%" not in text:
        return text
    raw = unquote_to_bytes(text.encode("utf-8", "surrogatepass"))
    return raw.decode("utf-8", "replace")


SOURCES = "## Sources"
"""Below this a bundle lists its receipts; what stands above is text of notes."""

CITING = frozenset({"receipt", "receipts", "sources"})

_WORD = re.compile(
    r"[^\s\"'`$\\!&;,<>|*?()\[\]{}^]+:[1-9][0-9]*(?:-[1-9][0-9]*)?@[0-9a-fA-F]{8,64}"
)


def receipts_in(text: str) -> list[str]:
    """Return the receipts in the JSON or the Markdown of an answer, each once."""
    try:
        found = list(_in_json(json.loads(text)))
    except (ValueError, RecursionError):
        lines = text.splitlines()
        heads = [at for at, line in enumerate(lines) if line.strip() == SOURCES]
        listed = lines[heads[-1] :] if heads else lines
        found = [word for line in listed for word in _WORD.findall(line)]
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
