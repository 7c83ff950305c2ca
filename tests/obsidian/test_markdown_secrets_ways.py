"""Credentials are hidden in every way that people write them down in Markdown."""

import re
import time
from collections.abc import Callable

import pytest
from secrets_harness import HARMLESS, ISSUED, Drawing, pem

from glassmind.obsidian.secrets import hidden_ranges, redacted

Make = Callable[[Drawing], str]

BEARER = "mF_9.B5f-4.1JqM"
LIMIT_S = 2.0
"""What 200 kB of hostile text may take on a busy machine; they take 0.2 at most."""


def pieces(text: str) -> set[str]:
    """Return every twelve letters in a row."""
    words = re.findall(r"[A-Za-z0-9+/]{12,}", text)
    return {word[at : at + 12] for word in words for at in range(len(word) - 11)}


@pytest.mark.parametrize("make", ISSUED.values(), ids=list(ISSUED))
@pytest.mark.parametrize(
    "around",
    ["_{}_", "__{}__", "___{}___", "see _{}_, then", "密钥{}", "é{}", "密钥_{}_"],
)
def test_a_credential_is_hidden_in_italics_and_behind_any_letter(
    make: Make, around: str
) -> None:
    for seed in range(5):
        credential = make(Drawing(seed))
        drawn = pieces(credential) - pieces(make(Drawing(seed + 1_000)))

        said = redacted(around.format(credential))

        assert "(hidden: " in said
        assert not drawn & pieces(said)
        if "\n" not in credential:  # of keys every line is hidden as a whole
            assert said.startswith(around.partition("{")[0])


@pytest.mark.parametrize("make", ISSUED.values(), ids=list(ISSUED))
@pytest.mark.parametrize("around", ["{}", "key: {} and", "_{}_", r"\_{}\_"])
def test_a_credential_is_hidden_where_its_lines_are_escaped(
    make: Make, around: str
) -> None:
    for seed in range(5):
        credential = make(Drawing(seed))
        drawn = pieces(credential) - pieces(make(Drawing(seed + 1_000)))
        text = around.format(credential.replace("_", r"\_"))

        said = redacted(text)

        assert "(hidden: " in said
        assert not drawn & pieces(said)
        kept = text
        for start, end in reversed(hidden_ranges(text)):
            kept = kept[:start] + kept[end:]
        assert kept == re.sub(r"\(hidden: [^()]+\)", "", said)


@pytest.mark.parametrize("make", HARMLESS.values(), ids=list(HARMLESS))
@pytest.mark.parametrize("around", ["_{}_", "__{}__", "密{}"])
def test_what_only_looks_drawn_is_left_alone_in_italics(
    make: Make, around: str
) -> None:
    for seed in range(20):
        text = around.format(make(Drawing(seed)))

        assert redacted(text) == text
        assert redacted(text.replace("_", r"\_")) == text.replace("_", r"\_")


WRITTEN = {
    "quoted in code": '"{}\\n" +',
    "quoted with a name": "key += '{}\\n';",
    "in a list": "- {}",
    "in a numbered list": "1. {}",
    "in a table": "| {} |",
    "in a table with numbers": "| 12 | {} |",
    "behind slashes": "// {}",
    "behind a hash": "    # {}",
    "with backslashes": "{}\\",
    "with blanks and backslashes": "  {}  \\",
    "with breaks": "{}<br>",
    "with other breaks": "> {} <br/>",
    "in code": "`{}`",
    "as a list of texts": '  "{}",',
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=list(WRITTEN))
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("cut", ["whole", "no end", "no beginning"])
def test_a_private_key_is_hidden_however_its_lines_are_written(
    written: str, ending: str, cut: str
) -> None:
    for seed in range(10):
        key = pem(Drawing(seed)).split("\n")
        start, end = cut == "no beginning", len(key) - (cut == "no end")
        lines = [written.format(line) for line in key[start:end]]
        text = ending.join(["We met.", "", *lines, "", "Then we went home.", "- tea"])

        said = redacted(text)

        assert not {line for line in key if line in said and "PRIVATE" not in line}
        assert len(said.split(ending)) == len(text.split(ending))
        assert said.startswith(f"We met.{ending}{ending}")
        assert said.endswith(f"{ending}{ending}Then we went home.{ending}- tea")


def test_a_private_key_is_hidden_in_a_table_with_a_head() -> None:
    first, *rest = pem(Drawing(3)).split("\n")
    text = "\n".join([f"| {first} |", "|---|", *(f"| {line} |" for line in rest)])

    said = redacted(text)

    assert not pieces(text) & pieces(said)
    assert not pieces(redacted(text.rpartition("\n")[0])) & pieces(text)


@pytest.mark.parametrize(
    "text",
    [
        "- `-----BEGIN PRIVATE KEY-----`\n- `someIdentifier2WithFigures`\n- Home",
        "See -----BEGIN PRIVATE KEY-----\n- https://example.org/2024/keysAndLocks1234",
        "`-----BEGIN PRIVATE KEY-----`\n- 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12\n",
        "| -----BEGIN PRIVATE KEY----- | a |\n|---|---|\n| -----END PRIVATE KEY----- |",
        "- RSA2048\n- Ed25519\n- internationalization2\n`-----END PRIVATE KEY-----`",
    ],
)
def test_what_only_speaks_of_private_keys_stays(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize(
    "password",
    ["2024!x", "2024", "1!", "$x", "$ecret1", "$3cr3t", "*x", "**x9", "x)", "x]", "(x",
     "{x", ".x", "x}", "$", "2024@x"],
)  # fmt: skip
@pytest.mark.parametrize("name", ["ada", "", "ada@srv", "ada%40srv"])
def test_a_password_in_an_address_is_hidden_whatever_its_letters(
    password: str, name: str
) -> None:
    said = redacted(f"at postgres://{name}:{password}@db.example.org:5432/notes")

    assert said == f"at postgres://{name}:(hidden: password)@db.example.org:5432/notes"


@pytest.mark.parametrize(
    "text",
    [
        "postgres://ada:$PASSWORD@db and postgres://ada:${PASS}@db",
        "postgres://$user:$dbpass@db and postgres://$1:$2@$3",
        "postgres://$user:$word@$host",
        "postgres://ada:$(cat pw)@db and postgres://ada:$(pw)@db",
        "postgres://{user}:{pw}@{host} and postgres://{{user}}:{{pw}}@db",
        "postgres://${USER:-ada}:${PASS:-x}@db",
        "mysql://user[:pass]@host and mysql://(user):(pass)@host",
        "mysql://ada:***@host and mysql://ada:*@host and mysql://ada:....@host",
        "mysql://ada:**password**@host and mysql://ada:**DB_PASS**@host",
        "mysql://ada:$env:PW@host and mysql://ada:$config.password@host",
        "(http://localhost:8080),ada@example.org",
        "http://localhost:8080,ada@example.org",
        "[x](http://example.org:80);ada@example.org",
        "http://127.0.0.1:1@evil.example and http://localhost:8080@evil.example",
        "ssh://git@example.org:22/x@y",
        "ssh://git@example.org:22 and ada@example.org",
        "mongodb://ada@one:27017,two:27017/x",
    ],
)
def test_what_stands_for_a_password_stays(text: str) -> None:
    assert redacted(text) == text


@pytest.mark.parametrize(
    "line",
    [
        "| Authorization | Bearer {} |",
        "| `Authorization`           | `Bearer {}` |",
        "| Authorization \\| Bearer {} |",
        "**Authorization**: Bearer {}",
        "**Authorization:** Bearer {}",
        "__Authorization__: **Bearer {}**",
        "*Authorization: Bearer* {}",
        "Authorization: BEARER {}",
        "AUTHORIZATION: BASIC {}",
        "Authorization:\xa0Bearer\xa0{}",
        "Authorization: Bearer\u202f{}",
        '{{"Authorization": ["Bearer {}"]}}',
        "'Authorization' => 'Bearer {}'",
        "Authorization：Bearer {}",  # noqa: RUF001
    ],
)
def test_what_an_authorization_bears_is_hidden_in_other_ways_too(line: str) -> None:
    for token in (BEARER, "dXNlcjpwYXNzd29yZA==", "s3cr3t-pw", Drawing(5).alnum(40)):
        assert redacted(line.format(token)) == line.format("(hidden: access token)")


@pytest.mark.parametrize(
    "text",
    [
        "| Authorization | Basic authentication |",
        "| Authorization | Bearer accessToken |",
        "| Authorization | Token required |",
        "**Authorization:** Basic base64-encoded credentials",
        "**Authorization:** Bearer YOUR_ACCESS_TOKEN",
        "AUTHORIZATION: BASIC REQUIREMENTS",
        "Authorization (Bearer abc123def456ghi) and authorization bearer documents",
        "**Authorization**: Bearer <token>, Bearer ${TOKEN}, Bearer xxxxxxxxxx",
    ],
)
def test_what_only_speaks_of_authorization_stays(text: str) -> None:
    assert redacted(text) == text


HOSTILE = [
    "_", "__sk-", "_sk-", "sk-", "-----BEGIN", "-----BEGIN PRIVATE KEY-----\n- ", ":@",
    "://:@", " ", "\\_", "_eyJ", "____eyJ", "-_eyJ", "\\_eyJ", "ghp\\_", "\\", "$pass",
    "${", "Authorization | ", "Authorization:\xa0", "| ", '"a\\n" +\n', "- aB1\n",
    "-----END PRIVATE KEY-----\n// aB1aB1aB1aB1aB1aB1aB1\n", "AIza_", "_mmk", "(", "})",
    "*",
]  # fmt: skip


@pytest.mark.parametrize(
    "head", ["", "x://a:", "x://$a:$!", "_sk-ghp_ PRIVATE KEY- eyJ AIza authorization "]
)
@pytest.mark.parametrize("again", HOSTILE)
def test_hostile_text_takes_no_longer_than_its_length(head: str, again: str) -> None:
    text = head + again * (200_000 // len(again)) + "!@h"

    began = time.process_time()
    redacted(text)

    assert time.process_time() - began < LIMIT_S
