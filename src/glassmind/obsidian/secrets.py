"""Redact credentials in notes: known by their shape, replaced line by line.

Each shape has a word that text without it never holds, so most notes are done after a
search for those words. A password that looks like any other word is not recognized.
"""

import json
import re
from base64 import urlsafe_b64decode
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from glassmind.obsidian.secret_shapes import (
    ALNUM,
    ESCAPED,
    PRIVATE_KEY,
    WORD,
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
"""Whether what has the shape of a credential is one."""

Hide = Callable[[str], str]
"""Returns a text without the credentials of a shape."""

HEAD_CHARS = 4096
"""The longest first part of a JWT that is read; those in use have a few dozen."""

NEAR_LINES = 3
"""How far from an AWS key its other half is looked for; files have them in a row."""


class ShapeGroup(NamedTuple):
    """Shapes that share a word: whether it may be there, and how they are hidden."""

    may_hold: Callable[[str], object]
    hides: Sequence[Hide]


SHAPES_VERSION = 2
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
    for group in _GROUPS:
        if group.may_hold(text):
            for hide in group.hides:
                text = hide(text)
    return without_shapes(text, _hidden)


def secret_locations(text: str) -> list[SecretLocation]:
    """Return where credentials stand in a text, never what they are."""
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


def _hidden(kind: str, _: str = "") -> str:
    return f"(hidden: {kind})"


def _hiding(
    name: str, pattern: str, judge: Judge | None = None, *, begins: str = ""
) -> Hide:
    """Return what hides a shape; if its pattern has a group, that is the secret."""

    def instead(match: re.Match[str]) -> str:
        group = 1 if match.re.groups else 0
        if judge is not None and not judge(match[group].replace(ESCAPED, "_")):
            return match[0]
        before = match[0][: match.start(group) - match.start()]
        after = match[0][match.end(group) - match.start() :]
        return f"{before}{_hidden(name)}{after}"

    # compiled when it is needed, and kept: most who import this hide nothing
    compiled = cache(lambda: re.compile(begins + with_escapes(pattern), re.ASCII))
    return lambda text: compiled().sub(instead, text)


def _begins(letter: str, inside: str) -> str:
    """Return a pattern of the first letter of what begins no sooner.

    What is written for a blank, in an address or in JSON, ends what was before; lines
    that nothing stands before are those of italics.
    """
    before = r"(?<=%[0-9A-Fa-f]{2}.)|(?<=\\[nrt].)"
    lines = "|".join(
        rf"(?<={said}.)(?<![\\{inside}]{said}.)" for said in ("_", "__", "___", r"\\_")
    )
    return rf"{letter}(?:(?<![{inside}].)|{before}|{lines})"


def _prefixed(
    name: str, first: str, inside: str, rest: str, judge: Judge | None = None
) -> Hide:
    return _hiding(name, rest, judge, begins=_begins(first, inside))


_RUN = re.compile(r"[A-Za-z0-9]{16,}")
_MODEL_KEY = re.compile(r"sk-(?:ant|proj|svcacct|admin|or)-")


def _is_bearer(text: str) -> bool:
    if not is_password(text):
        return False
    return (_has_figure(text) and is_drawn(text)) or 3 * turns(text) >= len(text)


def _has_figure(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


def _is_model_key(text: str) -> bool:
    if _MODEL_KEY.match(text):
        return _has_figure(text)
    return any(_has_figure(run) for run in _RUN.findall(text))


def _is_jwt(text: str) -> bool:
    head = text.partition(".")[0][:HEAD_CHARS]
    try:
        read = json.loads(urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, RecursionError):
        return False
    return isinstance(read, dict) and bool(read.keys() & {"alg", "typ", "enc", "kid"})


_AWS_NAMED = re.compile(
    r"A[KSB]IA[A-Z0-9]{16}|ecret(?:\\?_)?[Aa]ccess(?:\\?_)?[Kk]ey"
    r"|ECRET\\?_ACCESS\\?_KEY"
)
_AWS_SECRET = re.compile(
    r"(?<![A-Za-z0-9/+])(?=[^a-z\s]{0,39}[a-z])(?=[^A-Z\s]{0,39}[A-Z])"
    r"[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"
)


def _without_aws_secrets(text: str) -> str:
    lines = text.split("\n")
    near: set[int] = set()
    for row, line in enumerate(lines):
        if ("IA" in line or "ccess" in line.lower()) and _AWS_NAMED.search(line):
            near.update(range(row - NEAR_LINES, row + NEAR_LINES + 1))
    for row in near:
        if 0 <= row < len(lines):
            lines[row] = _AWS_SECRET.sub("(hidden: AWS secret key)", lines[row])
    return "\n".join(lines)


def _has(*words: str) -> Callable[[str], bool]:
    def has(text: str) -> bool:
        for word in words:
            letter = word[-1]
            at = text.find(letter)
            while at >= 0:
                if text.endswith(word, 0, at + 1):
                    return True
                at = text.find(letter, at + 1)
        return False

    return has


_has_azure_key = _has("haredAccessK", "ccountK")

# A pattern that begins with its rarest letter is soon through a text, and words that
# share one share a search: one for each word by itself costs four times as much.
_WITH_LINE = re.compile(
    r"_(?<=[hpvasS][pousrmetS]_)(?:(?<=gh[pousr]_)|(?<=npm_)|(?<=[sr]k_live_)"
    r"|(?<=github_pat_)|(?<=ecret_access_)key|(?<=ECRET_ACCESS_)KEY)"
)
_WITH_DASH = re.compile(
    r"-(?<=[sxpadrEC][kbpasreoitcdYK]-)(?:(?<=[^\w-]sk-)|(?<=^sk-)|(?<=%[0-9A-Fa-f]{2}sk-)"
    r"|(?<=\\[nrt]sk-)|(?<=[^A-Za-z0-9]_sk-)|(?<=^_sk-)|(?<=xox[a-z]-)"
    r"|(?<=xapp-)|(?<=pypi-)|(?<=glpat-)|(?<=gl[dr]t-)|(?<=PRIVATE KEY-)"
    r"|(?<=KEY BLOCK-))",
    re.ASCII,
)


def _has_line(text: str) -> bool:
    if "_" not in text:
        return False
    if _WITH_LINE.search(text):
        return True
    escapes = "\\" in text and ESCAPED in text
    return escapes and bool(_WITH_LINE.search(text.replace(ESCAPED, "_")))


_WITH_COLON = re.compile(r":(?:AA|(?<=otpauth:))")
_WITH_CAPITAL = re.compile(r"I(?:(?<=A[KSB]I)A|(?<=AI)za)")

_END = r"(?![A-Za-z0-9-]|_{1,3}[A-Za-z0-9-])"
_BLANK = r"[ \t\xa0\u2007\u202f\u3000]"
_AROUND = r"""[ \t\xa0\u2007\u202f\u3000"'`*_\\]"""

# Every pattern takes as much as it can without going back, and begins where no longer
# word could have begun: hostile text costs no more than its length.
_GROUPS = (
    ShapeGroup(
        _has_line,
        [
            _without_aws_secrets,
            _prefixed("GitHub token", "g", ALNUM, r"(?:h[pousr]|ithub_pat)_\w{36,}+"),
            _prefixed("npm token", "n", r"\w", r"pm_[A-Za-z0-9]{36,}+"),
            _prefixed("Stripe key", "[sr]", ALNUM, r"k_live_[A-Za-z0-9]{10,}+"),
        ],
    ),
    ShapeGroup(
        _WITH_DASH.search,
        [
            without_private_keys,
            _prefixed("GitLab token", "g", WORD, r"l(?:pat|dt|rt)-[\w.-]{20,}+"),
            _prefixed("PyPI token", "p", WORD, r"ypi-Ag[\w-]{50,}+"),
            _prefixed("API key", "s", WORD, r"k-[\w-]{20,}+", _is_model_key),
            _prefixed(
                "Slack token",
                "x",
                WORD,
                r"(?:ox[a-z]|app)-[A-Za-z0-9-]{10,}+",
                _has_figure,
            ),
        ],
    ),
    ShapeGroup(
        _WITH_CAPITAL.search,
        [
            _without_aws_secrets,
            _prefixed("AWS key", "A", ALNUM, r"[KSB]IA[A-Z0-9]{16}(?![A-Za-z0-9])"),
            _prefixed("Google key", "A", WORD, rf"Iza[\w-]{{35}}{_END}"),
        ],
    ),
    ShapeGroup(
        _has("eyJ"),
        [_prefixed("JWT", "e", r"\w.-", r"yJ[\w-]++(?:\.[\w-]++){2,4}", _is_jwt)],
    ),
    ShapeGroup(
        lambda text: _has_azure_key(text) or ("=" in text and "sig=" in text),
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
        _WITH_COLON.search,
        [
            _hiding("Telegram token", rf"(?<!\d)\d{{5,16}}:AA[\w-]{{32,34}}{_END}"),
            _hiding(
                "one-time secret",
                r"otpauth:[^\s?]{0,200}+\?[^\s]{0,200}?secret=([A-Za-z2-7]{12,}+)",
            ),
        ],
    ),
    ShapeGroup(
        _has("uthoriz", "UTHORIZ"),
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


_HIDDEN = re.compile(r"\(hidden: [^()\n]{1,40}\)")


class HiddenRange(NamedTuple):
    """Some letters of a text that are hidden: the first, and the one behind them."""

    start: int
    end: int


def hidden_ranges(text: str) -> list[HiddenRange]:
    """Return which letters of a text are hidden, in order; none holds a line end.

    Where it could be told in several ways, they are all that are hidden in any.
    """
    safe = redacted(text)
    if safe == text:
        return []
    found: list[HiddenRange] = []
    at = 0
    for before, after in zip(text.split("\n"), safe.split("\n"), strict=True):
        if before != after:
            found += _joined([_moved(one, at) for one in _gone(before, after)])
        at += len(before) + 1
    return found


def _gone(before: str, after: str) -> list[HiddenRange]:
    kept = _HIDDEN.split(after)
    left, right = _firsts(before, kept), _lasts(before, kept)
    if left is None or right is None:  # a mark that was half there before
        return [HiddenRange(0, len(before))]
    ends = [start + len(said) for start, said in zip(left, kept, strict=True)]
    spans = [HiddenRange(*both) for both in zip(ends, right[1:], strict=False)]
    return [one for one in spans if not _HIDDEN.fullmatch(before[one.start : one.end])]


def _firsts(line: str, kept: Sequence[str]) -> list[int] | None:
    found, at = [0], len(kept[0])
    for piece in kept[1:-1]:
        start = line.find(piece, at + 1)
        if start < 0:
            return None
        found.append(start)
        at = start + len(piece)
    return [*found, len(line) - len(kept[-1])]


def _lasts(line: str, kept: Sequence[str]) -> list[int] | None:
    at = len(line) - len(kept[-1])
    found = [at]
    for piece in reversed(kept[1:-1]):
        at = line.rfind(piece, 0, max(0, at - 1))
        if at < 0:
            return None
        found.append(at)
    return [0, *reversed(found)]


def _moved(letters: HiddenRange, by: int) -> HiddenRange:
    return HiddenRange(letters.start + by, letters.end + by)


def _joined(spans: Sequence[HiddenRange]) -> list[HiddenRange]:
    found: list[HiddenRange] = []
    for start, end in sorted(spans):
        if found and start < found[-1].end:
            found[-1] = HiddenRange(found[-1].start, max(end, found[-1].end))
        elif start < end:
            found.append(HiddenRange(start, end))
    return found
