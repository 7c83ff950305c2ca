"""Credentials that stand in notes: known by their shape, and hidden line by line.

Each shape has a word that text without it never holds, so most notes are done with
after a search for those words. What keys look like is public: those who give them out
document their prefixes, so that they can be found where they should not be. A password
that looks like any other word is not known here.
"""

import json
import re
from base64 import urlsafe_b64decode
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import NamedTuple

from glassmind.markdown.private_keys import PRIVATE_KEY, without_private_keys
from glassmind.markdown.secret_shapes import ALNUM, WORD, without_shapes

Judge = Callable[[str], bool]
"""Whether what has the shape of a credential is one."""

Hide = Callable[[str], str]
"""Returns a text without the credentials of a shape."""

HEAD_CHARS = 4096
"""The longest first part of a JWT that is read; those in use have a few dozen."""

NEAR_LINES = 3
"""How far from an AWS key its other half is looked for; files have them in a row."""

NAME_CHARS = 512
"""The longest name and password that are looked for before a host."""


class Group(NamedTuple):
    """Shapes that share a word: whether it may be there, and how they are hidden."""

    may_hold: Callable[[str], object]
    hides: Sequence[Hide]


SHAPES_VERSION = 1
"""Raised whenever other text is hidden, so that every note is read again."""


class Sighting(NamedTuple):
    """A credential in a text: the line, counted from 1, and what kind it is."""

    line: int
    kind: str


def holds_secret(text: str) -> bool:
    """Whether a credential of a known shape stands in a text."""
    return redacted(text) != text


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


def sightings(text: str) -> list[Sighting]:
    """Return where credentials stand in a text, never what they are.

    A private key is one, at its first line.
    """
    safe = redacted(text)
    if safe == text:
        return []
    found: list[Sighting] = []
    key_ended = 0
    pairs = zip(text.split("\n"), safe.split("\n"), strict=True)
    for line, (before, after) in enumerate(pairs, 1):
        if before == after:
            continue
        fresh = Counter(_SAID.findall(after)) - Counter(_SAID.findall(before))
        goes_on = key_ended == line - 1 and PRIVATE_KEY in fresh
        key_ended = line if PRIVATE_KEY in fresh else key_ended
        if not goes_on:
            found += [Sighting(line, kind) for kind in fresh.elements()]
    return found


_SAID = re.compile(r"\(hidden: ([^()\n]{1,40})\)")


def _hidden(kind: str, _: str = "") -> str:
    return f"(hidden: {kind})"


def _hiding(name: str, pattern: str, judge: Judge | None = None) -> Hide:
    """Return what hides a shape; if its pattern has a group, that is the secret."""

    def instead(match: re.Match[str]) -> str:
        group = 1 if match.re.groups else 0
        if judge is not None and not judge(match[group]):
            return match[0]
        before = match[0][: match.start(group) - match.start()]
        after = match[0][match.end(group) - match.start() :]
        return f"{before}{_hidden(name)}{after}"

    # compiled when it is needed, and kept: most who import this hide nothing
    compiled = cache(lambda: re.compile(pattern, re.ASCII))
    return lambda text: compiled().sub(instead, text)


def _begins(letter: str, inside: str) -> str:
    """Return a pattern of the first letter of what begins no sooner.

    What is written for a blank, in an address or in JSON, ends what was before.
    """
    before = r"(?<=%[0-9A-Fa-f]{2}.)|(?<=\\[nrt].)"
    return rf"{letter}(?:(?<![{inside}].)|{before})"


# A stand-in for a password: what a manual writes where yours would be.
_STAND_IN = re.compile(
    r"""(?ix) [$<{\[(*.] .* | .* [}>\])] | % .* %
      | (?:your|my|the|some)? [-_]?
        (?: pass | passwd | password | pwd | pw | token | secret | key | api[-_]?key )
        (?:[-_]?here)?
      | (.)\1{2,} """
)
_PORT = re.compile(r"\d{1,5}(?![\w.~%-])", re.ASCII)
_RUN = re.compile(r"[A-Za-z0-9]{16,}")
_MODEL_KEY = re.compile(r"sk-(?:ant|proj|svcacct|admin|or)-")


def _is_password(text: str) -> bool:
    return not (_STAND_IN.fullmatch(text) or _PORT.match(text))


def _has_figure(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


def _is_model_key(text: str) -> bool:
    """Whether letters look drawn, not written: a long run that has figures in it."""
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
    r"A[KSB]IA[A-Z0-9]{16}|ecret_?[Aa]ccess_?[Kk]ey|ECRET_ACCESS_KEY"
)
_AWS_SECRET = re.compile(
    r"(?<![A-Za-z0-9/+])(?=[^a-z\s]{0,39}[a-z])(?=[^A-Z\s]{0,39}[A-Z])"
    r"[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])"
)


def _without_aws_secrets(text: str) -> str:
    """Return a text without the forty letters that stand near a key of AWS."""
    lines = text.split("\n")
    near: set[int] = set()
    for row, line in enumerate(lines):
        if ("IA" in line or "ccess" in line.lower()) and _AWS_NAMED.search(line):
            near.update(range(row - NEAR_LINES, row + NEAR_LINES + 1))
    for row in near:
        if 0 <= row < len(lines):
            lines[row] = _AWS_SECRET.sub("(hidden: AWS secret key)", lines[row])
    return "\n".join(lines)


def _has_tail(letter: str, word: str, text: str) -> bool:
    """Whether a word is there that ends with a letter which is rare."""
    at = text.find(letter)
    while at >= 0:
        if text.endswith(word, 0, at + 1):
            return True
        at = text.find(letter, at + 1)
    return False


_NAMED = re.compile(r"://[^\s/:]*+:\S")


def _names_somebody(text: str) -> bool:
    """Whether an address may have a name and a password before its host."""
    at = text.find("@")
    while at >= 0:
        address = text.rfind("://", max(0, at - NAME_CHARS), at)
        if address >= 0 and _NAMED.match(text, address, at):
            return True
        at = text.find("@", at + 1)
    return False


# A pattern that begins with its rarest letter is soon through a text, and words that
# share one share a search: one for each word by itself costs four times as much.
_WITH_LINE = re.compile(
    r"_(?<=[hpvasS][pousrmetS]_)(?:(?<=gh[pousr]_)|(?<=npm_)|(?<=[sr]k_live_)"
    r"|(?<=github_pat_)|(?<=ecret_access_)key|(?<=ECRET_ACCESS_)KEY)"
)
_WITH_DASH = re.compile(
    r"-(?<=[sxpadrEC][kbpasreoitcdYK]-)(?:(?<=[^\w-]sk-)|(?<=^sk-)|(?<=%[0-9A-Fa-f]{2}sk-)"
    r"|(?<=\\[nrt]sk-)|(?<=xox[a-z]-)"
    r"|(?<=xapp-)|(?<=pypi-)|(?<=glpat-)|(?<=gl[dr]t-)|(?<=PRIVATE KEY-)"
    r"|(?<=KEY BLOCK-))"
)
_WITH_CAPITAL = re.compile(r"I(?:(?<=A[KSB]I)A|(?<=AI)za)")

# Every pattern takes as much as it can without going back, and begins where no longer
# word could have begun: hostile text costs no more than its length.
_GROUPS = (
    Group(
        _WITH_LINE.search,
        [
            _without_aws_secrets,
            _hiding(
                "GitHub token", _begins("g", ALNUM) + r"(?:h[pousr]|ithub_pat)_\w{36,}+"
            ),
            _hiding("npm token", _begins("n", r"\w") + r"pm_[A-Za-z0-9]{36,}+"),
            _hiding("Stripe key", _begins("[sr]", ALNUM) + r"k_live_[A-Za-z0-9]{10,}+"),
        ],
    ),
    Group(
        _WITH_DASH.search,
        [
            without_private_keys,
            _hiding(
                "GitLab token", _begins("g", WORD) + r"l(?:pat|dt|rt)-[\w.-]{20,}+"
            ),
            _hiding("PyPI token", _begins("p", WORD) + r"ypi-Ag[\w-]{50,}+"),
            _hiding("API key", _begins("s", WORD) + r"k-[\w-]{20,}+", _is_model_key),
            _hiding(
                "Slack token",
                _begins("x", WORD) + r"(?:ox[a-z]|app)-[A-Za-z0-9-]{10,}+",
                _has_figure,
            ),
        ],
    ),
    Group(
        _WITH_CAPITAL.search,
        [
            _without_aws_secrets,
            _hiding(
                "AWS key", _begins("A", ALNUM) + r"[KSB]IA[A-Z0-9]{16}(?![A-Za-z0-9])"
            ),
            _hiding("Google key", _begins("A", WORD) + r"Iza[\w-]{35}(?![\w-])"),
        ],
    ),
    Group(
        partial(_has_tail, "J", "eyJ"),
        [
            _hiding(
                "JWT", _begins("e", r"\w.-") + r"yJ[\w-]++(?:\.[\w-]++){2,4}", _is_jwt
            )
        ],
    ),
    Group(
        lambda text: "haredAccess" in text or "ccountKey" in text or "sig=" in text,
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
    Group(
        lambda text: ":AA" in text,
        [_hiding("Telegram token", r"(?<!\d)\d{5,16}:AA[\w-]{32,34}(?![\w-])")],
    ),
    Group(
        lambda text: "otpauth:" in text,
        [
            _hiding(
                "one-time secret",
                r"otpauth:[^\s?]{0,200}+\?[^\s]{0,200}?secret=([A-Za-z2-7]{12,}+)",
            )
        ],
    ),
    Group(
        lambda text: "uthorization" in text,
        [
            _hiding(
                "access token",
                r"""uthorization["'`]?[ \t]{0,8}[:=,][ \t]{0,8}["'`]?"""
                r"""(?:[Bb]earer|[Bb]asic|[Tt]oken)[ \t]{1,8}([\w.~+/=-]{8,}+)""",
                _is_password,
            )
        ],
    ),
    Group(
        _names_somebody,
        [
            _hiding(
                "password",
                r"""://[^\s/?#@:"'`<>|]*+:([^\s/?#"'`<>|]+)@(?=[\w\[$<{])""",
                _is_password,
            )
        ],
    ),
)
