"""Credentials of well known issuers, drawn anew for each seed: none was ever given out.

They are put together here, so that no scanner thinks that one leaked.
"""

import base64
import json
import string
from collections.abc import Callable, Mapping
from random import Random

LETTERS = string.ascii_letters + string.digits
WORD = LETTERS + "_-"
HEX = "0123456789abcdef"
BASE64 = LETTERS + "+/"


class Drawing:
    """Draws letters, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def of(self, letters: str, size: int) -> str:
        """Return so many of some letters."""
        return "".join(self._random.choice(letters) for _ in range(size))

    def alnum(self, size: int) -> str:
        """Return letters and figures, at least one of each."""
        return self.of(LETTERS, size - 3) + "a7Q"

    def word(self, size: int) -> str:
        """Return what may have a dash and a line in it, but not at its end."""
        return self.of(WORD, size - 3) + "a7Q"

    def hex(self, size: int) -> str:
        """Return figures of base 16."""
        return self.of(HEX, size - 2) + "a7"

    def coded(self, size: int) -> str:
        """Return letters as base 64 has them."""
        return self.of(BASE64, size - 3) + "a7Q"


def jwt(draw: Drawing) -> str:
    """Return a token in three parts whose first says what it is."""
    parts = [{"alg": "HS256", "typ": "JWT"}, {"sub": draw.hex(8), "iat": 1}]
    coded = [base64.urlsafe_b64encode(json.dumps(part).encode()) for part in parts]
    head = ".".join(one.decode().rstrip("=") for one in coded)
    return f"{head}.{draw.word(43)}"


def pem(draw: Drawing) -> str:
    """Return a private key of several lines."""
    lines = [draw.coded(64) for _ in range(6)]
    mark = "RSA PRIVATE KEY"
    return "\n".join([f"-----BEGIN {mark}-----", *lines, f"-----END {mark}-----"])


ISSUED: Mapping[str, Callable[[Drawing], str]] = {
    "AWS key": lambda d: "AKIA" + d.of(string.ascii_uppercase + "234567", 16),
    "AWS session": lambda d: "ASIA" + d.of(string.ascii_uppercase + "234567", 16),
    "GitHub classic": lambda d: f"ghp_{d.alnum(36)}",
    "GitHub app": lambda d: f"ghs_{d.alnum(36)}",
    "GitHub fine-grained": lambda d: f"github_pat_{d.alnum(22)}_{d.alnum(59)}",
    "GitLab": lambda d: f"glpat-{d.word(20)}",
    "GitLab trigger": lambda d: f"glptt-{d.hex(40)}",
    "Slack bot": lambda d: (
        f"xoxb-{d.of('123456789', 12)}-{d.of('123456789', 13)}-{d.alnum(24)}"
    ),
    "Slack app": lambda d: (
        f"xapp-1-A{d.of('ABC123', 10)}-{d.of('123', 13)}-{d.hex(64)}"
    ),
    "Stripe live": lambda d: f"sk_live_{d.alnum(24)}",
    "Stripe test": lambda d: f"sk_test_{d.alnum(24)}",
    "Stripe restricted": lambda d: f"rk_live_{d.alnum(24)}",
    "Stripe webhook": lambda d: f"whsec_{d.alnum(32)}",
    "Google API": lambda d: f"AIza{d.word(35)}",
    "Google OAuth secret": lambda d: f"GOCSPX-{d.word(28)}",
    "Google OAuth access": lambda d: f"ya29.a0{d.word(120)}",
    "Google OAuth refresh": lambda d: f"1//0{d.word(60)}",
    "OpenAI": lambda d: f"sk-{d.alnum(20)}T3BlbkFJ{d.alnum(20)}",
    "OpenAI project": lambda d: f"sk-proj-{d.word(74)}T3BlbkFJ{d.word(74)}",
    "Anthropic": lambda d: f"sk-ant-api03-{d.word(93)}AA",
    "Hugging Face": lambda d: f"hf_{d.of(string.ascii_letters, 34)}",
    "npm": lambda d: f"npm_{d.alnum(36)}",
    "PyPI": lambda d: f"pypi-AgEIcHlwaS5vcmc{d.word(120)}",
    "Twilio": lambda d: f"SK{d.hex(32)}",
    "SendGrid": lambda d: f"SG.{d.word(22)}.{d.word(43)}",
    "Azure storage": lambda d: (
        "DefaultEndpointsProtocol=https;AccountName=notes;"
        f"AccountKey={d.coded(86)}==;EndpointSuffix=core.windows.net"
    ),
    "Azure service bus": lambda d: (
        "Endpoint=sb://x.servicebus.windows.net/;"
        f"SharedAccessKeyName=Root;SharedAccessKey={d.coded(43)}="
    ),
    "Azure AD secret": lambda d: f"{d.of(LETTERS, 3)}8Q~{d.alnum(34)}",
    "JWT": jwt,
    "PEM": pem,
    "Postgres URL": lambda d: f"postgres://ada:{d.alnum(16)}@db.example.org:5432/x",
    "MongoDB URL": lambda d: f"mongodb+srv://ada:{d.alnum(16)}@c0.example.net/x",
    "DigitalOcean": lambda d: f"dop_v1_{d.hex(64)}",
    "Telegram bot": lambda d: f"{d.of('123456789', 10)}:AA{d.word(33)}",
    "Discord bot": lambda d: f"M{d.alnum(23)}.{d.word(6)}.{d.word(38)}",
    "Slack webhook": lambda d: (
        "https://hooks.slack.com/services/"
        f"T{d.alnum(9).upper()}/B{d.alnum(9).upper()}/{d.alnum(24)}"
    ),
    "Shopify": lambda d: f"shpat_{d.hex(32)}",
    "Square": lambda d: f"sq0atp-{d.word(22)}",
    "Mailgun": lambda d: f"key-{d.hex(32)}",
    "Mailchimp": lambda d: f"{d.hex(32)}-us12",
    "Docker": lambda d: f"dckr_pat_{d.word(27)}",
    "Databricks": lambda d: f"dapi{d.hex(32)}",
    "Linear": lambda d: f"lin_api_{d.alnum(40)}",
    "Notion": lambda d: f"ntn_{d.of('123456789', 11)}{d.alnum(35)}",
    "Figma": lambda d: f"figd_{d.word(40)}",
    "Grafana": lambda d: f"glsa_{d.alnum(32)}_{d.hex(8)}",
    "Atlassian": lambda d: f"ATATT3{d.word(186)}",
    "HashiCorp Vault": lambda d: f"hvs.{d.word(95)}",
    "Terraform": lambda d: f"{d.alnum(14)}.atlasv1.{d.word(67)}",
    "Perplexity": lambda d: f"pplx-{d.alnum(48)}",
    "Groq": lambda d: f"gsk_{d.alnum(52)}",
    "Replicate": lambda d: f"r8_{d.alnum(37)}",
    "Postman": lambda d: f"PMAK-{d.hex(24)}-{d.hex(34)}",
    "New Relic": lambda d: f"NRAK-{d.alnum(27).upper()}",
    "RubyGems": lambda d: f"rubygems_{d.hex(48)}",
    "Supabase": lambda d: f"sbp_{d.hex(40)}",
    "Tailscale": lambda d: f"tskey-auth-{d.alnum(17)}-{d.alnum(32)}",
    "Fly": lambda d: f"fm2_{d.coded(120)}",
    "age": lambda d: f"AGE-SECRET-KEY-1{d.of('QPZRY9X8GF2TVDW0S3JN54', 58)}",
    "Airtable": lambda d: f"pat{d.alnum(14)}.{d.hex(64)}",
    "Sentry": lambda d: f"sntryu_{d.hex(64)}",
    "one-time secret": lambda d: (
        "otpauth://totp/Mail:ada?secret="
        f"{d.of('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 32)}&issuer=Mail"
    ),
}
"""By issuer, what makes one of its credentials, with what always stands around it."""

AROUND = [
    "{}",
    "key: {}",
    "TOKEN={}",
    'export KEY="{}"',
    "the old one was `{}`, I think",
    "- [ ] rotate {}",
    "| mail | {} |",
    "curl -H 'X-Key: {}' https://example.org",
    "https://example.org/x%20{}",
    "a line\\n{}\\nthe next",
]
"""How a person writes one down."""

HARMLESS: Mapping[str, Callable[[Drawing], str]] = {
    "git SHA": lambda d: f"commit {d.hex(40)}",
    "SHA-256": lambda d: f"sha256:{d.hex(64)} and {d.hex(64)}  file.iso",
    "MD5": lambda d: f'cache-key-{d.hex(32)} etag: "{d.hex(32)}"',
    "UUID": lambda d: f"{d.hex(8)}-{d.hex(4)}-{d.hex(4)}-{d.hex(4)}-{d.hex(12)}",
    "picture": lambda d: f"![x](data:image/png;base64,{d.coded(3000)}==)",
    "base 64": lambda d: d.coded(76) + "\n" + d.coded(76) + "\n" + d.coded(20) + "==",
    "address": lambda d: f"https://example.org/a/{d.alnum(24)}?v={d.alnum(11)}&t=12",
    "integrity": lambda d: f'integrity="sha384-{d.coded(64)}"',
    "block id": lambda d: f"^{d.hex(6)} and [[Note#^{d.hex(6)}]]",
    "public key": lambda d: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{d.coded(43)} ada@x",
    "receipt": lambda d: f"Projects/Garden.md#Beds:12-18@{d.hex(16)}",
    "cursor": lambda d: f"{d.word(60)}",
    "digest": lambda d: f'{{"digest":"{d.hex(32)}","id":"{d.of(LETTERS.lower(), 8)}"}}',
}
"""What looks drawn too and is no credential: none of it is hidden."""
