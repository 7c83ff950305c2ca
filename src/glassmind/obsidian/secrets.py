"""Redact credentials in notes: known by their shape, replaced line by line.

Each shape has a word that text without it never holds, so most notes are done after a
search for those words. A password that looks like any other word is not recognized.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from glassmind.obsidian.secret_shapes import (
    ESCAPED,
    KEY_BLOCK,
    PRIVATE_KEY,
    Hidden,
    is_drawn,
    is_password,
    names_somebody,
    turns,
    with_escapes,
    without_passwords,
    without_private_keys,
    without_shapes,
)

Judge = Callable[[str], bool]
Hide = Callable[[str, Hidden], str]
NEAR_LINES = 3
"""How far from an AWS key its other half is looked for; files have them in a row."""


class ShapeGroup(NamedTuple):
    may_hold: Callable[[str], object]
    hides: Sequence[Hide]


SHAPES_VERSION = 3
"""Raised whenever other text is hidden, so that every note is read again."""


class SecretLocation(NamedTuple):
    """A credential in a text: the line, counted from 1, and what kind it is."""

    line: int
    kind: str


def redacted(text: str) -> str:
    """Return a text with `(hidden: AWS key)` and the like in place of credentials.

    It has as many lines as before. Of private keys every line is hidden, also where
    only the beginning or only the end of one is there; any other credential has to be
    there whole, so a text is cut after this, not before.
    """
    return _redacted(text, lambda kind, _: f"(hidden: {kind})")


def _redacted(text: str, hidden: Hidden) -> str:
    for group in _GROUPS:
        if group.may_hold(text):
            for hide in group.hides:
                text = hide(text, hidden)
    return without_shapes(text, hidden)


def secret_locations(text: str) -> list[SecretLocation]:
    safe = redacted(text)
    if safe == text:
        return []
    found: list[SecretLocation] = []
    key_ended = 0
    pairs = zip(text.split("\n"), safe.split("\n"), strict=True)
    for line, (before, after) in enumerate(pairs, 1):
        if before == after:
            continue
        fresh = Counter(_SAID.findall(after)) - Counter(_SAID.findall(before))
        goes_on = key_ended == line - 1 and PRIVATE_KEY in fresh
        key_ended = line if PRIVATE_KEY in fresh else key_ended
        if not goes_on:
            found += [SecretLocation(line, kind) for kind in fresh.elements()]
    return found


_SAID = re.compile(r"\(hidden: ([^()\n]{1,40})\)")


def _hiding(name: str, pattern: str, judge: Judge | None = None) -> Hide:
    """Return what hides a shape; if its pattern has a group, that is the secret."""
    # compiled when it is needed, and kept: most who import this hide nothing
    compiled = cache(lambda: re.compile(with_escapes(pattern), re.ASCII))

    def hide(text: str, hidden: Hidden) -> str:
        def instead(match: re.Match[str]) -> str:
            group = 1 if match.re.groups else 0
            if judge is not None and not judge(match[group].replace(ESCAPED, "_")):
                return match[0]
            before = match[0][: match.start(group) - match.start()]
            after = match[0][match.end(group) - match.start() :]
            return f"{before}{hidden(name, match[group])}{after}"

        return compiled().sub(instead, text)

    return hide


def _is_bearer(text: str) -> bool:
    if not is_password(text):
        return False
    has_figure = any(letter.isdigit() for letter in text)
    return (has_figure and is_drawn(text)) or 3 * turns(text) >= len(text)


_AWS_NAMED = re.compile(
    r"A[KSB]IA[A-Z0-9]{16}|ecret(?:\\?_)?[Aa]ccess(?:\\?_)?[Kk]ey"
    r"|ECRET\\?_ACCESS\\?_KEY"
)
_AWS_SECRET = re.compile(
    r"(?<![A-Za-z0-9/+])(?=[^a-z\s]{0,39}[a-z])(?=[^A-Z\s]{0,39}[A-Z])"
    r"[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"
)


def _without_aws_secrets(text: str, hidden: Hidden) -> str:
    lines = text.split("\n")
    near: set[int] = set()
    for row, line in enumerate(lines):
        if ("IA" in line or "ecret" in line or "ECRET" in line) and (
            _AWS_NAMED.search(line)
        ):
            near.update(range(row - NEAR_LINES, row + NEAR_LINES + 1))
    for row in near:
        if 0 <= row < len(lines):
            lines[row] = _AWS_SECRET.sub(
                lambda match: hidden("AWS secret key", match[0]), lines[row]
            )
    return "\n".join(lines)


_END = r"(?![A-Za-z0-9-]|_{1,3}[A-Za-z0-9-])"
_BLANK = r"[ \t\xa0\u2007\u202f\u3000]"
_AROUND = r"""[ \t\xa0\u2007\u202f\u3000"'`*_\\]"""

# Every pattern takes as much as it can without going back, and begins where no longer
# word could have begun: hostile text costs no more than its length.
_GROUPS = (
    ShapeGroup(
        lambda text: "IA" in text or "ecret" in text or "ECRET" in text,
        [_without_aws_secrets],
    ),
    ShapeGroup(lambda text: KEY_BLOCK in text, [without_private_keys]),
    ShapeGroup(
        lambda text: "ccountK" in text or "haredAccessK" in text or "sig=" in text,
        [
            _hiding(
                "Azure key",
                r"""(?:AccountKey|SharedAccessKey)["']?[ \t]{0,4}[=:][ \t]{0,4}"""
                r"""["']?([A-Za-z0-9+/]{40,}+={0,2})""",
            ),
            _hiding(
                "Azure signature",
                r"""(?:[?&;"']|Signature )sig=([A-Za-z0-9%+/]{40,}+={0,2})""",
            ),
        ],
    ),
    ShapeGroup(
        lambda text: ":AA" in text or "otpauth:" in text,
        [
            _hiding("Telegram token", rf"(?<!\d)\d{{5,16}}:AA[\w-]{{32,34}}{_END}"),
            _hiding(
                "one-time secret",
                r"otpauth:[^\s?]{0,200}+\?[^\s]{0,200}?secret=([A-Za-z2-7]{12,}+)",
            ),
        ],
    ),
    ShapeGroup(
        lambda text: "uthoriz" in text or "UTHORIZ" in text,
        [
            _hiding(
                "access token",
                rf"""uthorization["'`]?{_BLANK}{{0,8}}[:=,]{_BLANK}{{0,8}}\[?["'`]?"""
                rf"""(?:[Bb]earer|[Bb]asic|[Tt]oken){_BLANK}{{1,8}}([\w.~+/=-]{{8,}}+)""",
                is_password,
            ),
            _hiding(
                "access token",
                rf"(?:uthorization|UTHORIZATION){_AROUND}{{0,64}}+(?:=>|[:=,|\uff1a])"
                rf"(?:{_AROUND}|\[){{0,64}}+"
                r"(?:[Bb]earer|[Bb]asic|[Tt]oken|BEARER|BASIC|TOKEN)"
                rf"""["'`*]{{0,3}}{_BLANK}{{1,8}}+["'`*]{{0,3}}([\w.~+/=-]{{8,}}+)""",
                _is_bearer,
            ),
        ],
    ),
    ShapeGroup(names_somebody, [without_passwords]),
)


class HiddenRange(NamedTuple):
    """Some letters of a text that are hidden: the first, and the one behind them."""

    start: int
    end: int


def hidden_ranges(text: str) -> list[HiddenRange]:
    """Return which letters of a text are hidden, in order; none holds a line end."""
    # letters for private use, of which at least one is not in the text
    filler = next(sign for sign in map(chr, range(0xE000, 0xF900)) if sign not in text)
    masked = _redacted(text, lambda _, value: filler * len(value))
    return [HiddenRange(*found.span()) for found in re.finditer(f"{filler}+", masked)]
