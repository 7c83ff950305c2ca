"""Credentials in notes are hidden, whatever stands around them; nothing else is."""

import base64
import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.obsidian.secrets import redacted

VAULTS = Path(__file__).parents[3] / "shared" / "data" / "vaults"

LETTERS = "aB3dE5gH7jK9mN1pQ4sT6vW8yZ0bC2fG5hJ7kL9nP1rS3tU6wX8zA0cD"
"""What is drawn for a token; taken apart so that no scanner thinks that one leaked."""

LIMIT_S = 2.0
"""What 300 kB of hostile text may take on a busy machine; they take 0.1 at most."""


def drawn(size: int) -> str:
    return (LETTERS * (size // len(LETTERS) + 1))[:size]


def part(made: object) -> str:
    plain = json.dumps(made).encode()
    return base64.urlsafe_b64encode(plain).decode().rstrip("=")


JWT = f"{part({'alg': 'HS256', 'typ': 'JWT'})}.{part({'sub': '42'})}.{drawn(43)}"

TOKENS = {
    "AWS key": ["AKIA" + "IOSFODNN7EXAMPLE", "ASIA" + drawn(16).upper()],
    "GitHub token": [
        *(f"gh{kind}_{drawn(36)}" for kind in "pousr"),
        f"github_pat_{drawn(22)}_{drawn(59)}",
    ],
    "GitLab token": ["glpat-" + drawn(20), f"glpat-{drawn(30)}.01.{drawn(9)}"],
    "Slack token": [f"xoxb-123456789012-{drawn(24)}", f"xapp-1-A0-12-{drawn(20)}"],
    "Google key": ["AIza" + drawn(35)],
    "Stripe key": ["sk_live_" + drawn(24), "rk_live_" + drawn(24)],
    "API key": [
        "sk-" + drawn(48),
        "sk-proj-" + drawn(74),
        f"sk-ant-api03-{drawn(10)}-{drawn(8)}_{drawn(60)}",
    ],
    "npm token": ["npm_" + drawn(36)],
    "PyPI token": ["pypi-AgEI" + drawn(80)],
    "JWT": [JWT],
}
"""Tokens that have nothing around them which is needed to know them, by kind."""

EACH = [(kind, token) for kind, tokens in TOKENS.items() for token in tokens]

KEY_LINES = [
    "-----BEGIN OPENSSH " + "PRIVATE KEY-----",
    *(drawn(70) for _ in range(4)),
    drawn(20) + "==",
    "-----END OPENSSH " + "PRIVATE KEY-----",
]


def holds_secret(text: str) -> bool:
    return redacted(text) != text


@pytest.mark.parametrize(("kind", "token"), EACH)
@pytest.mark.parametrize(
    "around", ["{}", "key: {}", "`{}`", "KEY={}\nnext", "«{}», é", "(see {}), then"]
)
def test_a_token_is_hidden_and_what_stands_around_it_stays(
    kind: str, token: str, around: str
) -> None:
    assert redacted(around.format(token)) == around.format(f"(hidden: {kind})")
    assert holds_secret(around.format(token))


@pytest.mark.parametrize(
    "line",
    [
        'curl -H "Authorization: Bearer {}" https://example.org',
        "authorization: bearer {}",
        'headers = {{"Authorization": "Bearer {}"}}',
        "Authorization: Basic {}",
    ],
)
def test_what_an_authorization_head_bears_is_hidden(line: str) -> None:
    hidden = line.format("(hidden: access token)")

    assert redacted(line.format("mF_9.B5f-4.1JqM")) == hidden


@pytest.mark.parametrize("password", ["hunter2", "p@ss:w0rd", "a", "%24ecret!"])
def test_the_password_in_an_address_is_hidden(password: str) -> None:
    said = redacted(f"db: postgres://ada:{password}@db.example.org:5432/notes?x=1")

    assert said == "db: postgres://ada:(hidden: password)@db.example.org:5432/notes?x=1"


def test_the_secret_of_aws_is_hidden_beside_its_key() -> None:
    secret = "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY"
    note = f"[default]\nid = AKIAIOSFODNN7EXAMPLE\n\nother = {secret}\nend\n"

    assert redacted(note) == (
        "[default]\nid = (hidden: AWS key)\n\nother = (hidden: AWS secret key)\nend\n"
    )
    assert secret not in redacted(f"AWS_SECRET_ACCESS_KEY={secret}")
    assert redacted(f"a path: {secret}") == f"a path: {secret}"


@pytest.mark.parametrize("margin", ["", "    ", "> ", ">> "])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_every_line_of_a_private_key_is_hidden(margin: str, ending: str) -> None:
    note = ["before", *(margin + line for line in KEY_LINES), "after"]

    said = redacted(ending.join(note))

    hidden = [margin + "(hidden: private key)"] * len(KEY_LINES)
    assert said == ending.join(["before", *hidden, "after"])


@pytest.mark.parametrize(
    "cut", [KEY_LINES[:3], KEY_LINES[3:], [*KEY_LINES[:4], "", "Then we went home."]]
)
def test_a_private_key_that_was_cut_off_is_hidden_too(cut: list[str]) -> None:
    said = redacted("\n".join(cut))

    assert LETTERS[:16] not in said
    assert len(said.split("\n")) == len(cut)
    assert said.endswith(cut[-1] if "home" in cut[-1] else "(hidden: private key)")


def test_a_private_key_on_one_line_is_hidden() -> None:
    key = "\\n".join(KEY_LINES)

    said = redacted(f'{{"private_key": "{key}\\n", "id": 7}}')

    assert said == '{"private_key": "(hidden: private key)\\n", "id": 7}'


@pytest.mark.parametrize(
    "text",
    [
        "A key begins with `-----BEGIN RSA PRIVATE KEY-----`, and then letters follow.",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <token>",
        "Authorization: Bearer YOUR_TOKEN",
        "https://user:password@example.org and https://${USER}:${PASS}@example.org",
        "see http://localhost:8080, ask me@example.org",
        "http://localhost:8080/@ada and ssh://git@example.org:22/x",
        "the task-list-of-2024-and-everything-after-that-is-long",
        "sk-learn-has-a-pipeline-and-a-grid-of-parameters",
        "eyJ is how a token begins: eyJhbGciOi... or eyJ.eyJ.eyJ",
        "commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
        "ghp_ and github_pat_ are prefixes; npm_config_cache is a variable",
        "PRIVATE KEY in big letters, ASIA and AKIA too",
        "xoxo-love-and-kisses-to-all-of-you",
    ],
)
def test_what_only_speaks_of_credentials_stays(text: str) -> None:
    assert redacted(text) == text
    assert not holds_secret(text)


SAID = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.sampled_from([token for _, token in EACH]),
        st.sampled_from([*KEY_LINES, "\n", " ", "@", "://", "a:b", "Authorization: "]),
    ),
    max_size=12,
)


@given(SAID, st.sampled_from(["\n", " ", "\r\n> ", "|"]))
def test_lines_stay_as_many_and_what_was_hidden_stays_so(
    parts: list[str], between: str
) -> None:
    text = between.join(parts)

    said = redacted(text)

    assert len(said.splitlines()) == len(text.splitlines())
    assert said.count("\n") == text.count("\n")
    assert redacted(said) == said
    assert holds_secret(text) == (said != text)


HOSTILE = [
    "AKIA", "ghp_", "sk-", "sk_live_", "xoxb-", "glpat-", "npm_", "pypi-Ag", "eyJ",
    "eyJ.", "eyJa.eyJ", "://a:", "://", "@", "a:b@", "Authorization: Bearer ",
    "Authorization:\t", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n", "-----BEGIN ",
    "aws_secret_access_key\n",
    "A", "a", "-", "_", "1", "=", "/", "J", " ", "\n", "> ",
]  # fmt: skip
"""What patterns that go back stumble over, when it is said a hundred thousand times."""


@pytest.mark.parametrize(
    "head", ["", "sk-ghp_ eyJ://a:AKIA PRIVATE KEY authorization "]
)
@pytest.mark.parametrize("again", HOSTILE)
def test_hostile_text_takes_no_longer_than_its_length(head: str, again: str) -> None:
    text = head + again * (300_000 // len(again))

    began = time.process_time()
    redacted(text)

    assert time.process_time() - began < LIMIT_S


@pytest.mark.skipif(not VAULTS.is_dir(), reason="the vaults are not at hand")
def test_of_other_peoples_notes_few_hold_anything() -> None:
    notes = [note.read_text("utf-8") for note in VAULTS.rglob("*.md")]

    holding = [text for text in notes if holds_secret(text)]

    assert len(notes) > 1000
    assert len(holding) <= 6  # passwords of examples, in five notes on databases
