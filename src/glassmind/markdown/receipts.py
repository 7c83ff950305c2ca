"""Receipts as text: `path#heading:12-18@digest`, and the digest of some lines.

Read from the right, since a heading may hold any sign; `%` and `#` in a path are
written `%25` and `%23`.
"""

import re
from hashlib import sha256

from glassmind.types import NotePath, Span
from glassmind.types.context import Receipt

DIGEST_CHARS = 16
"""Hex digits of a SHA-256 in a receipt: 64 bits, far beyond chance in one vault."""

_RECEIPT = re.compile(
    r"(?P<path>[^#]+)(?:#(?P<heading>.*))?"
    r":(?P<start>[1-9]\d{0,8})(?:-(?P<end>[1-9]\d{0,8}))?@(?P<digest>[0-9a-f]{8,64})",
    re.DOTALL,
)


def digest_of_lines(text: str) -> str:
    """Return what a receipt knows some lines by, however they end."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    return sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_CHARS]


def receipt_of(path: str, heading: str, span: Span, text: str) -> str:
    """Return the receipt of lines of a note; `text` is what stands there, whole."""
    made = Receipt(NotePath(path), heading, span, digest_of_lines(text))
    return receipt_text(made)


def receipt_text(receipt: Receipt) -> str:
    """Return a receipt as it is written."""
    path = receipt.path.replace("%", "%25").replace("#", "%23")
    heading = " ".join(receipt.heading.split())
    start, end = receipt.span
    lines = str(start) if start == end else f"{start}-{end}"
    under = f"#{heading}" if heading else ""
    return f"{path}{under}:{lines}@{receipt.digest}"


def parse_receipt(text: str) -> Receipt | None:
    """Return the receipt that a text is; None where it is none."""
    found = _RECEIPT.fullmatch(text.strip())
    if found is None:
        return None
    start = int(found["start"])
    end = int(found["end"] or start)
    if end < start:
        return None
    path = found["path"].replace("%23", "#").replace("%25", "%")
    return Receipt(
        NotePath(path), found["heading"] or "", Span(start, end), found["digest"]
    )
