"""Redact credentials in notes: known by their shape, replaced line by line.

A shape is here if what begins so can hardly be anything else; see
`docs/decisions/secrets.md`. A password that looks like any other word is not
recognized.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from string import ascii_letters, ascii_uppercase, digits
from typing import NamedTuple

HEX = "0-9a-f"
ANY_HEX = "0-9A-Fa-f"
ALNUM = "A-Za-z0-9"
WORD = r"\w-"
DOTTED = r"\w.=-"
BASE64 = "A-Za-z0-9+/="

LETTERS_A_TURN = 6
"""What is drawn turns from small letters to capitals or figures, or back, at least once
in so many: at random every second one does, in names of pages every tenth at most."""

LONGEST_RUN = 4_096
"""Letters in a row from which on they are a picture or a font, written as text."""

_INSIDE = re.compile(
    r"[0-9A-Z](?<=[\w.~-].)(?<=[\w.~-]{14})(?:[\w.~%+/-]++|\\_)*+", re.ASCII
)
"""A figure or a capital deep in a run of letters, and the rest of the run. Prose has
next to none, and every credential here has one: so most text is passed by quickly."""

_CLASSES = bytes(
    ord("A" if chr(code) in f"{ascii_uppercase}{digits}" else "a")
    if chr(code) in f"{ascii_letters}{digits}_.~-"
    else ord(" ")
    for code in range(128)
).ljust(256)
_DEEP = re.compile(rb"A(?<=[aA].)(?<=[aA]{14})")
"""What `_INSIDE` begins with, in bytes that were put into these three classes: a letter
that never varies is found at once, one of many has to be tried at every place."""

_RUN = frozenset(f"{ascii_letters}{digits}_.~%+/-")

ESCAPED = "\\_"
"""How a line in a word is written so that no italics begin at it."""

_TAKES_LINE = re.compile(r"\[(?:\\.|[^\]])*\]|\\.|_")


def with_escapes(pattern: str) -> str:
    def instead(match: re.Match[str]) -> str:
        if match[0] == "_":
            return r"\\?_"
        takes = "_" in match[0] or r"\w" in match[0]
        return rf"(?:{match[0]}|\\_)" if takes else match[0]

    return _TAKES_LINE.sub(instead, pattern)


class Shape(NamedTuple):
    """A kind of credential: what it may begin with, its letters, and how many at least.

    What was written rather than drawn, such as `figd_put-your-own-token-in-here`, is
    none, unless the kind is `sure`.
    """

    kind: str
    begins: tuple[str, ...]
    letters: str
    least: int
    sure: bool = False

    @property
    def pattern(self) -> str:
        begins = "|".join(map(re.escape, self.begins))
        return with_escapes(f"((?:{begins})[{self.letters}]{{{self.least},}}+)")


class SecretPattern(NamedTuple):
    """A kind of credential that is told by more than how it begins."""

    kind: str
    looks: str
    sure: bool = False

    @property
    def pattern(self) -> str:
        return with_escapes(self.looks)


SHAPES: Sequence[Shape] = (
    Shape("1Password token", ("ops_eyJ",), BASE64, 100),
    Shape("Adobe secret", ("p8e-",), ALNUM, 32),
    Shape("age key", ("AGE-SECRET-KEY-1",), "A-Z0-9", 40),
    Shape("Alibaba key", ("LTAI",), ALNUM, 20),
    Shape("API key", ("pplx-", "xai-", "gsk_", "r8_", "tvly-", "nvapi-"), WORD, 32),
    Shape("API key", ("lsv2_pt_", "lsv2_sk_"), r"\w", 32),
    Shape("API key", ("sk-",), WORD, 20),
    Shape("Artifactory key", ("AKCp",), ALNUM, 60),
    Shape("Atlassian token", ("ATATT3", "ATCTT3", "ATBB"), DOTTED, 28),
    Shape("AWS key", ("ABSK",), BASE64, 100),
    Shape("Brevo key", ("xkeysib-", "xsmtpsib-"), WORD, 64),
    Shape("Clojars token", ("CLOJARS_",), ALNUM, 50),
    Shape("Databricks token", ("dapi",), HEX, 32),
    Shape("DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), HEX, 40),
    Shape("Docker token", ("dckr_pat_", "dckr_oat_"), WORD, 24),
    Shape("Doppler token", ("dp.pt.", "dp.st.", "dp.ct.", "dp.sa."), r"\w.", 40),
    Shape("Duffel token", ("duffel_live_", "duffel_test_"), WORD, 40),
    Shape("Dynatrace token", ("dt0c01.", "dt0s01.", "dt0s16."), "A-Za-z0-9.", 60),
    Shape("EasyPost key", ("EZAK", "EZTK"), ALNUM, 54),
    Shape("Facebook token", ("EAAC", "EAAM", "EAAG", "EAAB"), ALNUM, 100),
    Shape("Figma token", ("figd_", "figo_"), WORD, 36),
    Shape("Flutterwave key", ("FLWSECK-", "FLWSECK_TEST-"), "A-Za-z0-9-", 12),
    Shape("Fly token", ("fo1_", "fm1a_", "fm1r_", "fm2_"), r"\w+/=-", 43),
    Shape("Frame.io token", ("fio-u-",), DOTTED, 60),
    Shape("GitHub token",
          ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"), r"\w", 36, True),
    Shape("GitLab token", ("glpat-", "gldt-", "glrt-"), r"\w.-", 20, True),
    Shape(
        "GitLab token",
        ("glptt-", "glft-", "glsoat-", "glcbt-", "glimt-", "gloas-", "glagent-",
         "glffct-", "glwt-", "GR1348941"),
        r"\w.-",
        20,
    ),
    Shape("Google secret", ("GOCSPX-",), WORD, 24),
    Shape("Google token", ("ya29.", "1//0"), WORD, 30),
    Shape("Grafana token", ("glsa_", "glc_eyJ"), r"\w+/=", 32),
    Shape("Heroku token", ("HRKU-",), WORD, 32),
    Shape("Hugging Face token", ("hf_", "api_org_"), ALNUM, 30),
    Shape("Linear key", ("lin_api_", "lin_oauth_"), ALNUM, 32),
    Shape("New Relic key", ("NRAK-", "NRII-", "NRJS-"), "A-Za-z0-9-", 19),
    Shape("Notion token", ("ntn_", "secret_"), ALNUM, 43),
    Shape("npm token", ("npm_",), ALNUM, 36, True),
    Shape("Octopus key", ("API-",), "A-Z0-9", 26),
    Shape("OpenShift token", ("sha256~",), WORD, 43),
    Shape("PlanetScale token", ("pscale_tkn_", "pscale_pw_", "pscale_oauth_"),
          DOTTED, 32),
    Shape("Postman key", ("PMAK-",), "0-9a-f-", 50),
    Shape("Prefect key", ("pnu_", "pnb_"), ALNUM, 36),
    Shape("Pulumi token", ("pul-",), HEX, 40),
    Shape("PyPI token", ("pypi-Ag",), WORD, 50, True),
    Shape("ReadMe key", ("rdme_",), ALNUM, 60),
    Shape("RubyGems key", ("rubygems_",), HEX, 40),
    Shape("Scalingo token", ("tk-us-",), WORD, 48),
    Shape("SendGrid key", ("SG.",), r"\w.-", 60),
    Shape("Sentry token", ("sntrys_", "sntryu_"), r"\w+/=", 40),
    Shape("Shippo token", ("shippo_live_", "shippo_test_"), ANY_HEX, 40),
    Shape("Shopify token", ("shpat_", "shpca_", "shppa_", "shpss_"), ANY_HEX, 32),
    Shape("Slack token",
          ("xoxe.xoxp-", "xoxe.xoxb-", "xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-",
           "xoxs-", "xapp-"), "A-Za-z0-9-", 10),
    Shape("Sourcegraph token", ("sgp_",), ANY_HEX + "_", 40),
    Shape("Square token", ("sq0atp-", "sq0csp-"), WORD, 22),
    Shape("Stripe key", ("sk_live_", "rk_live_"), ALNUM, 10, True),
    Shape("Stripe key", ("sk_test_", "rk_test_", "sk_prod_", "rk_prod_"), ALNUM, 16),
    Shape("Stripe key", ("whsec_",), BASE64, 24),
    Shape("Supabase key", ("sbp_", "sb_secret_"), r"\w", 30),
    Shape("Tailscale key", ("tskey-",), WORD, 20),
    Shape("Tencent key", ("AKID",), ALNUM, 32),
    Shape("Typeform token", ("tfp_",), DOTTED, 40),
    Shape("Vault token", ("hvs.", "hvb.", "hvr."), WORD, 24),
    Shape("Yandex key", ("AQVN",), WORD, 35),
)  # fmt: skip

PATTERNS: Sequence[SecretPattern] = (
    SecretPattern("Airtable token", r"(pat[A-Za-z0-9]{14}\.[0-9a-f]{64})"),
    SecretPattern("AWS key", r"(A[KSB]IA[A-Z0-9]{16})(?![A-Za-z0-9])", True),
    SecretPattern("Azure secret",
        r"([\w~.]{3}[0-9]Q~[\w~.-]{31,34})(?![A-Za-z0-9~.-]|_{1,3}[A-Za-z0-9~.-])"),
    SecretPattern("Cloudflare key", r"(v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}+)"),
    SecretPattern("Discord token",
        r"([MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40})"
        r"(?![A-Za-z0-9.-]|_{1,3}[A-Za-z0-9.-])"),
    SecretPattern("Discord webhook",
        r"discord(?:app)?\.com/api/webhooks/([0-9]{10,25}/[\w-]{40,}+)"),
    SecretPattern("Google key",
        r"(AIza[\w-]{35})(?![A-Za-z0-9-]|_{1,3}[A-Za-z0-9-])", True),
    SecretPattern("JWT", r"(eyJ[\w-]{8,250}+\.[\w.-]{16,}+)"),
    SecretPattern("Mailchimp key",
        r"([0-9a-f]{32}-us[0-9]{1,2})(?![A-Za-z0-9]|_{1,3}[A-Za-z0-9])"),
    SecretPattern("Mailgun key", r"(?<!-)(key-[0-9a-f]{32,}+)"),
    SecretPattern("MaxMind key",
        r"([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)(?![A-Za-z0-9]|_{1,3}[A-Za-z0-9])"),
    SecretPattern("Slack webhook",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w+/-]{20,}+)"),
    SecretPattern("Teams webhook",
        r"[\w-]{1,60}\.webhook\.office\.com/webhookb2/([\w/-]{20,}+)"),
    SecretPattern("Twilio key", r"(SK[0-9a-f]{32})(?![A-Za-z0-9])"),
    SecretPattern("Terraform token", r"([A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}+)"),
)  # fmt: skip
"""Each begins where no longer word could have begun, as all shapes do."""

_ALL: Sequence[Shape | SecretPattern] = (*SHAPES, *PATTERNS)
_LONG_WORD = re.compile(r"[A-Za-z0-9]{20,}")
"""Longer than what people write without a blank; with a figure in it, it is drawn."""

_TURN = re.compile(r"[A-Z0-9](?<=[a-z].)|[a-z0-9](?<=[A-Z].)|[A-Za-z](?<=[0-9].)")

Hidden = Callable[[str, str], str]


@cache
def _any_shape() -> re.Pattern[str]:
    """Return what finds them all; made when it is first needed, in milliseconds."""
    start = r"(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2})|(?<=\\[nrt]))"
    shapes = "|".join(shape.pattern for shape in _ALL)
    return re.compile(f"{start}(?:{shapes})", re.ASCII)


def without_shapes(text: str, hidden: Hidden) -> str:
    """Return a text without credentials of these shapes, in linear time."""
    if not _DEEP.search(text.encode("utf-8", "surrogatepass").translate(_CLASSES)):
        return text

    def instead(match: re.Match[str]) -> str:
        at = match.lastindex or 0
        shape = _ALL[at - 1]
        if not shape.sure and not is_drawn(match[at].replace(ESCAPED, "_")):
            return match[0]
        before = match[0][: match.start(at) - match.start()]
        return before + hidden(shape.kind, match[at])

    parts, done = [], 0
    for found in _INSIDE.finditer(text):
        start, end = found.span()
        while start > done and (
            text[start - 1] in _RUN or text.startswith(ESCAPED, start - 1)
        ):
            start -= 1
        if start > done and text[start - 1] == "\\":
            start -= 1  # what follows may be how a new line is written
        if end - start <= LONGEST_RUN:
            parts += [text[done:start], _any_shape().sub(instead, text[start:end])]
            done = end
    return "".join((*parts, text[done:])) if parts else text


def is_drawn(text: str) -> bool:
    if turns(text) * LETTERS_A_TURN >= len(text):
        return True
    return any(any(map(str.isdigit, word)) for word in _LONG_WORD.findall(text))


def turns(text: str) -> int:
    return len(_TURN.findall(text))


NAME_CHARS = 512
"""The longest name and password that are looked for before a host."""

PORT_FIGURES = 5

_NAMED = re.compile(r"://[^\s/:]*+:\S")
_ADDRESS = re.compile(
    r"""://([^\s/?#:"'`<>|]*+):([^\s/?#"'`<>|]+)@(?=[\w\[$<{])""", re.ASCII
)
# What a manual writes where yours would be.
_STAND_IN = re.compile(
    r"""(?ix) \*+ (?: (?-i:[A-Z_]+) \*+ )?
      | < .* > | \{ .* \} | \[ .* \] | \( .* \) | % .* %
      | \$ (?: (?-i:[A-Z_][A-Z0-9_]*) | \d{1,2} | env:\w+
             | [\w.:]* (?: pass | pwd | pw | token | secret | key ) [\w.]* )
      | \** (?:your|my|the|some)? [-_]?
        (?: pass | passwd | password | pwd | pw | token | secret | key | api[-_]?key )
        (?:[-_]?here)? \**
      | (.)\1{2,} """
)
_FILLED_IN = re.compile(r"(?:\$\{|\$\(|\{\{)[^})]{0,60}[})]")
_OPENED = re.compile(r"[^\])}]*[\[({][^\])}]*")
_VARIABLE = re.compile(r"[$%{]\w+[%}]?")
# A host has a port, and somebody's mail follows right behind it.
_PORT = re.compile(r"\d{1,5}[),;\]}].*")
_HOST = re.compile(r"localhost|[\d.]+", re.ASCII)


def names_somebody(text: str) -> bool:
    at = text.find("@")
    while at >= 0:
        address = text.rfind("://", max(0, at - NAME_CHARS), at)
        if address >= 0 and _NAMED.match(text, address, at):
            return True
        at = text.find("@", at + 1)
    return False


def is_password(text: str) -> bool:
    if len(text) > NAME_CHARS:
        return True
    return not (_STAND_IN.fullmatch(text) or _FILLED_IN.search(text))


def without_passwords(text: str, hidden: Hidden) -> str:
    def instead(match: re.Match[str]) -> str:
        name, password = match[1], match[2]
        # `user[:password]@host` and `${USER:-ada}:${PASS}`
        opened = password[-1] in "])}" and _OPENED.fullmatch(name)
        variables = name[:1] in {"$", "%", "{"} and _VARIABLE.fullmatch(password)
        digits_only = len(password) <= PORT_FIGURES and password.isdigit()
        port = _PORT.fullmatch(password) or (digits_only and _HOST.fullmatch(name))
        if opened or variables or port or not is_password(password):
            return match[0]
        return f"://{name}:{hidden('password', password)}@"

    return _ADDRESS.sub(instead, text)


MOST_LINES = 400
"""No private key has as many; two marks further apart are of two blocks."""

KEY_BLOCK = "PRIVATE KEY"
PRIVATE_KEY = "private key"

_MARK = re.compile(r"-----(BEGIN|END)[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_ONE_LINE = re.compile(
    r"-----BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"[^-\n\r]{16,}+-----END[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
)
_MARGIN = re.compile(r"[ \t>]*+(?:(?:[-*+|#]|//|\d{1,3}[.)])[ \t]++)?+")
_KEY_LINE = re.compile(
    r"[ \t>]*+(?:[A-Za-z0-9+/]++={0,3}|=[A-Za-z0-9+/]{4}|[A-Z][A-Za-z-]++:.*+)?\s*+"
)

# A line of a key as it is quoted, listed, put into a table or behind slashes: a short
# margin, letters, and a short tail.
_BEFORE = (
    r"(?:[^A-Za-z0-9]{0,12}+(?:\d{1,4}[^A-Za-z0-9+/]{1,6}+)?"
    r"""|(?:(?!\(hidden)[^"'`]){0,40}["'`])"""
)
_BEHIND = r"={0,3}+(?:\\[nr]|<br ?/?>|&nbsp;|[^A-Za-z0-9]){0,16}+\s*+"
_WRITTEN = re.compile(
    _BEFORE
    + r"(?=[A-Za-z0-9+/]{0,63}(?:[0-9]|[a-z][A-Z]))"
    + r"(?:[A-Za-z0-9+/]{16,}+|[A-Za-z0-9+/]{2,15}+(?==))"
    + _BEHIND
)
_SHORT = re.compile(_BEFORE + r"[A-Za-z0-9+/]{1,15}+" + _BEHIND)
_EMPTY = re.compile(r"""[ \t>/#*"'\\]*+(?:\|[-:| \t]*+)?(?:<br ?/?>)?\s*+""")
_DRAWN = re.compile(r"[A-Za-z0-9+/]{40,}+")
_CASE_TURN = re.compile(r"[a-z][A-Z]")
_LETTERS = re.compile(r"[A-Za-z0-9+/]{16,}")
_FIGURE = re.compile(r"[0-9]")


def without_private_keys(text: str, hidden: Hidden) -> str:
    """Return a text with every line of its private keys hidden.

    A block without an end runs as far as its lines look like one, and so does one
    without a beginning: a passage may have been cut out of the middle.
    """
    whole = _ONE_LINE.sub(lambda match: hidden(PRIVATE_KEY, match[0]), text)
    lines = whole.splitlines(keepends=True)
    marked = [
        (row, marks)
        for row, line in enumerate(lines)
        if KEY_BLOCK in line and (marks := _MARK.findall(line))
    ]
    rows: set[int] = set()
    for at, (row, marks) in enumerate(marked):
        after = marked[at + 1] if at + 1 < len(marked) else (len(lines), ["BEGIN"])
        before = marked[at - 1][0] if at else -1
        if marks[-1] == "BEGIN":
            rows.update(_block(lines, row, *after))
        elif marks[0] == "BEGIN":
            rows.update(_if_a_key(lines, range(row, row + 1)))
        if marks[0] == "END" and row not in rows:
            rows.update(_if_a_key(lines, range(_start(lines, before, row), row + 1)))
    for row in rows:
        lines[row] = _hidden_line(lines[row], hidden)
    return "".join(lines)


def _block(lines: Sequence[str], start: int, after: int, marks: Sequence[str]) -> range:
    if marks[0] == "END" and after - start < MOST_LINES:
        between = lines[start + 1 : after]
        alike = sum(map(_is_inside, between))
        if 2 * alike >= len(between):
            return _if_a_key(lines, range(start, after + 1), closed=True)
    end = start + 1
    while end < after and _is_inside(lines[end]):
        end += 1
    if end < after and _is_last(lines[end - 1], lines[end]):
        end += 1
    return _if_a_key(lines, range(start, end))


def _start(lines: Sequence[str], before: int, end: int) -> int:
    start = end
    if end - 2 > before and _is_last(lines[end - 2], lines[end - 1]):
        start -= 1
    while start - 1 > before and _is_inside(lines[start - 1]):
        start -= 1
    return start


def _is_inside(line: str) -> bool:
    return any(one.fullmatch(line) for one in (_KEY_LINE, _WRITTEN, _EMPTY))


def _is_last(line: str, following: str) -> bool:
    return bool(_WRITTEN.fullmatch(line) and _SHORT.fullmatch(following))


def _if_a_key(lines: Sequence[str], block: range, *, closed: bool = False) -> range:
    """Return a block, or none of it where it is marks without a key.

    Where one of its ends is not there, what is listed or quoted beside the other may
    be anything: it counts where it is as long as lines of keys are.
    """
    for row in block:
        said = _MARK.sub(" ", lines[row])
        plain = closed or said != lines[row] or _KEY_LINE.fullmatch(said)
        found = (_LETTERS if plain else _DRAWN).findall(said)
        if any(
            _FIGURE.search(one) and (plain or _CASE_TURN.search(one)) for one in found
        ):
            return block
    return range(0)


def _hidden_line(line: str, hidden: Hidden) -> str:
    margin = _MARGIN.match(line)
    kept = margin[0] if margin else ""
    said = line.rstrip()
    if len(said) <= len(kept):
        return line
    return kept + hidden(PRIVATE_KEY, said[len(kept) :]) + line[len(said) :]


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
    locations: list[SecretLocation] = []
    key_ended = 0
    pairs = zip(text.split("\n"), safe.split("\n"), strict=True)
    for line, (before, after) in enumerate(pairs, 1):
        if before == after:
            continue
        fresh = Counter(_SAID.findall(after)) - Counter(_SAID.findall(before))
        goes_on = key_ended == line - 1 and PRIVATE_KEY in fresh
        key_ended = line if PRIVATE_KEY in fresh else key_ended
        if not goes_on:
            locations += [SecretLocation(line, kind) for kind in fresh.elements()]
    return locations


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
    return [HiddenRange(*match.span()) for match in re.finditer(f"{filler}+", masked)]
