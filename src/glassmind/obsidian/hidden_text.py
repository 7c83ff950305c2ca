"""Detect text in a note that its reader does not see: prompt injection can hide there.

Joiners that a script or an emoji needs, and direction marks beside right-to-left
letters, do not count. A false alarm costs a word, a miss is a trap: so code, which is
visible, counts as well. Every check takes linear time.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final

from glassmind.obsidian.text import texts_in

COMMENT: Final = "comment"
ZERO_WIDTH: Final = "zero-width"
BIDI: Final = "bidi"
TAGS: Final = "tag-characters"
HYPHENS: Final = "soft-hyphens"
STYLED: Final = "invisible-html"
CONTROL: Final = "control"

FIELD = "hidden_text"
"""The field of a reply that names the kinds in it."""

KINDS = (COMMENT, ZERO_WIDTH, BIDI, TAGS, HYPHENS, STYLED, CONTROL)
"""In the order in which they are told."""

_JOINED = (
    "\u0600-\u08ff\u0900-\u109f\u1780-\u18af\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc"
)

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_FROM_RIGHT = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff]"

_PICTURE = (
    "\u00a9\u00ae\u2190-\u27ff\u2900-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff\ufe0f\u20e3"
)

_FLAG = "\U0001f3f4\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|"
_FLAG += "\U000e0073\U000e0063\U000e0074|\U000e0077\U000e006c\U000e0073)\U000e007f"
"""The flags of England, Scotland and Wales, the only ones that are spelled in tags."""

_FINE = (
    f"{_FLAG}"
    f"|(?<=[{_JOINED}])[\u200c\u200d](?![\u200b-\u200f])"
    f"|(?<=[{_PICTURE}])\u200d(?=[{_PICTURE}])"
    f"|(?<=[{_UNSPACED}])\u200b(?=[{_UNSPACED}])"
    "|(?<=[^\ufe00-\ufe0f\\s])[\ufe00-\ufe0f](?![\ufe00-\ufe0f])"
    "|(?<=[\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])"
    "[\U000e0100-\U000e01ef](?![\U000e0100-\U000e01ef])"
    "|(?<=[\u1800-\u18af])[\u180b-\u180f]"
    "|\\A\ufeff"
)
"""What is needed where it stands, and so is hidden from nobody."""

_ZERO_WIDTH = (
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065"
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a"
    "\U000e0100-\U000e01ef]"
)
_BIDI = "[\u202a-\u202e\u2066-\u206f]"
_MARK = "[\u061c\u200e\u200f]"
_MARKS = "[\u061c\u200e\u200f]{3}"
"""So many marks of direction in a row point nowhere."""

_TAGS = "[\U000e0000-\U000e007f]"
_HYPHENS = "\u00ad\u00ad|\u00ad\\w\u00ad\\w\u00ad"
"""A word is parted between syllables: neither twice in a place, nor at each letter."""

_CONTROL = "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]"

_LEADING = r"(?m)^[ \t>]*%%"
_REFERENCE = r"(?m)^[ \t>]{0,20}\[[^\]\n]{1,80}\]:[ \t]*(?:#|<>)[ \t]+[\"'(]"
"""`[//]: # (like this)`: a link that leads nowhere, which some write comments in."""

_STYLE = (
    r"(?i)\bstyle\s{0,20}=\s{0,20}"
    r"(?:\"([^\"]{0,4000})\"?|'([^']{0,4000})'?|([^\s>]{1,400}))"
)
_ENTITY = r"&#(?:[xX]([0-9a-fA-F]{1,6})|([0-9]{1,7}));?"
_CSS_COMMENT = r"(?s)/\*.*?(?:\*/|\Z)"
_ZERO = r"[-+]?0*\.?0*(?:px|p[tc]|r?em|ex|ch|%|v[hw]|[cm]m|in)?(?![\d.])"
_GONE = (
    r"(?i)\\"  # nobody writes a letter of CSS by its number who means to be read
    r"|display:none|visibility:(?:hidden|collapse)|content-visibility:hidden"
    rf"|(?:opacity|font-size|max-height|max-width|zoom):{_ZERO}(?:;|!|\Z)"
    rf"|(?<![-\w])(?:height|width):{_ZERO}(?:;|!|\Z)|scale\(0(?![.\d])"
    r"|font-size:0?\.[0-2]|font-size:1px"
    r"|(?<![-\w])color:(?:white|snow|transparent|#fff|rgba?\(255,255,255|hsla?\(0,0%,100%"
    r"|rgba\([^)]{0,40},0(?:\.0+)?\)|#[0-9a-f]{3}0(?![0-9a-f])|#[0-9a-f]{6}00)"
    r"|(?:text-indent|left|top|margin-left|right):-\d{3,}|clip(?:-path)?:"
)
_ELEMENT = (
    r"(?i)<(?:script|style|template|noscript|head|title)\b"
    r"|<[a-z][^<>]{0,4000}?\s(?:hidden(?=[\s=/>])|color\s{0,20}=\s{0,20}[\"']?"
    r"(?:white|#fff))"
)

_SUSPECT = (
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160"
    "\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a"
    "\U000e0000-\U000e01ef]"
)
"""Letters without any of which, and without marks of comments or of HTML, a text hides
nothing, as most do not."""


def hidden_kinds(text: str) -> tuple[str, ...]:
    return hidden_among((text,))


def holds_hidden(text: str) -> bool:
    return bool(hidden_kinds(text))


def hidden_in(values: Any) -> tuple[str, ...]:
    return hidden_among(texts_in(values))


def hidden_among(texts: Collection[str]) -> tuple[str, ...]:
    if not _is_suspect("\n".join(texts)):  # one look for all, as most answers need
        return ()
    found = {kind for text in texts if _is_suspect(text) for kind in _kinds(text)}
    return tuple(kind for kind in KINDS if kind in found)


def _is_suspect(text: str) -> bool:
    if "<" in text or "%%" in text or "]:" in text:
        return True
    if text.isascii() and text.replace("\n", " ").isprintable():
        return False  # as most
    return re.search(_SUSPECT, text) is not None


def _kinds(text: str) -> Iterator[str]:
    if _is_commented(text):
        yield COMMENT
    if "<" in text and (re.search(_ELEMENT, text) or _is_styled_away(text)):
        yield STYLED
    if re.search(_CONTROL, text):
        yield CONTROL
    if text.isascii():
        return
    plain = re.sub(_FINE, "", text)
    if re.search(_ZERO_WIDTH, plain):
        yield ZERO_WIDTH
    nowhere = re.search(_MARK, plain) is not None and (
        re.search(_MARKS, plain)
        or not re.search(_FROM_RIGHT, plain.replace("\u061c", ""))
    )
    if nowhere or re.search(_BIDI, plain):
        yield BIDI
    if re.search(_TAGS, plain):
        yield TAGS
    if re.search(_HYPHENS, plain):
        yield HYPHENS


def _is_commented(text: str) -> bool:
    marks = text.count("%%")
    open_mark = marks == 1 and re.search(_LEADING, text)
    reference = "]:" in text and re.search(_REFERENCE, text)
    return "<!--" in text or marks > 1 or bool(open_mark or reference)


def _is_styled_away(text: str) -> bool:
    for match in re.finditer(_STYLE, text):
        style = re.sub(_ENTITY, _letter, match[match.lastindex or 0])
        style = re.sub(_CSS_COMMENT, "", style.replace("&colon;", ":"))
        if re.search(_GONE, "".join(style.split())):
            return True
    return False


def _letter(found: re.Match[str]) -> str:
    code = int(found[1], 16) if found[1] else int(found[2])
    return chr(code) if code < 128 else " "  # noqa: PLR2004 - CSS is written in ASCII


def hidden_notice(kinds: Iterable[str]) -> str:
    """Return what is said of an answer that holds such text; empty where none does."""
    names = ", ".join(kinds)
    return f"hidden text: {names}; who reads the notes does not see it" if names else ""


INVISIBLE = "\u00ad\u200b-\u200f\u2060-\u2064\ufeff\U000e0000-\U000e007f"
_UNSEEN = re.compile(f"[{INVISIBLE}]+")
_BLANK_LINE = re.compile(r"\n[ \t>]*\r?\n")
_COMMENT_MARK = re.compile("<!--|%%")
_LEADING_MARK = re.compile(r"^[ \t>]*(?=%%)", re.MULTILINE)


def visible_text(text: str) -> str:
    """Return what is seen of a text of a note; it has as many lines."""
    if text.isascii() and "<!--" not in text and "%%" not in text:
        return text  # as most
    parts, at = [], 0
    for start, end in comment_spans(text):
        parts += [text[at:start], "\n" * text.count("\n", start, end) or " "]
        at = end
    return _UNSEEN.sub("", "".join([*parts, text[at:]]))


def comment_spans(text: str) -> list[tuple[int, int]]:
    """Return where comments stand in a text, in order.

    One of HTML that is not closed goes on to the end, and so does one of Obsidian that
    begins a line; one inside a line is closed before the next blank line, or is none.
    """
    found, at = [], 0
    leading = {match.end() for match in _LEADING_MARK.finditer(text)}
    while (mark := _COMMENT_MARK.search(text, at)) is not None:
        start, at = mark.span()
        close = "-->" if mark[0] == "<!--" else "%%"
        over = text.find(close, at)
        end = over + len(close) if over >= 0 else len(text)
        inside = close == "%%" and start not in leading
        if inside and (over < 0 or _BLANK_LINE.search(text, start, over)):
            continue
        found.append((start, end))
        at = end
    return found
