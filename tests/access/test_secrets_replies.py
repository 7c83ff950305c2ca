"""What leaves for an agent is looked through; what is no credential stays as it is."""

import json
from typing import Any, cast

import anyio
import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from secrets_harness import HARMLESS, ISSUED, Drawing, pem
from test_secrets_shapes import pieces

from glassmind.model import Span
from glassmind.obsidian.receipts import receipt_of
from glassmind.obsidian.secrets import redacted
from glassmind.serve.http.replies import answered, encoded
from glassmind.serve.mcp.server import hide_credentials
from glassmind.serve.mcp.toolsets import write_cursor
from glassmind.serve.recording import safe_text, safe_values

DRAW = Drawing(8)
TOKEN, KEY = ISSUED["GitHub classic"](DRAW), pem(DRAW)


def test_values_without_credentials_are_the_very_same() -> None:
    for seed in range(30):
        values = {name: [make(Drawing(seed))] for name, make in HARMLESS.items()}

        assert safe_values(values) is values


@pytest.mark.parametrize("offset", [0, 7, 123_456])
def test_cursors_and_receipts_are_left_alone(offset: int) -> None:
    for seed in range(50):
        asked = {"query": Drawing(seed).alnum(9)}
        cursor = write_cursor("glassmind_search", asked, offset)
        receipt = receipt_of("a/B.md", "Head", Span(1, 2), Drawing(seed).alnum(80))

        assert safe_values([cursor, receipt]) == [cursor, receipt]


@given(st.text("0123456789abcdef", min_size=32, max_size=32))
def test_what_looks_like_a_digest_is_never_a_credential(digest: str) -> None:
    assert redacted(digest) == digest


def test_a_credential_among_digests_goes_and_the_digests_stay() -> None:
    digest = "98d0f4b1" * 4

    told = answered({"hits": [{"digest": digest, "text": f"x {TOKEN}"}]}).body

    assert digest.encode() in told
    assert not pieces(bytes(told).decode()) & pieces(TOKEN)


def test_credentials_go_from_texts_names_and_keys_and_json_stays_json() -> None:
    values = {"a": [f"x {TOKEN}", {TOKEN: 1}], "key": KEY, "n": 3, "none": None}

    told = json.loads(encoded(values))

    assert told["a"] == ["x (hidden: GitHub token)", {"(hidden: GitHub token)": 1}]
    assert (told["n"], told["none"]) == (3, None)
    assert not pieces(json.dumps(told)) & pieces(f"{TOKEN} {KEY}")


@pytest.mark.parametrize("indent", [None, 2])
def test_a_text_that_is_json_is_still_json(indent: int | None) -> None:
    values = {"text": f"first\n{TOKEN}\n{KEY}\nlast", "id": "0123456789abcdef"}

    told = json.loads(safe_text(json.dumps(values, indent=indent)))

    assert told["id"] == values["id"]
    assert told["text"].startswith("first\n(hidden: GitHub token)\n(hidden: private")
    assert told["text"].endswith("\nlast")


def test_an_answer_of_the_protocol_is_looked_through_in_all_its_parts() -> None:
    text = types.TextContent(text=f"it is {TOKEN}")
    link = types.ResourceLink(uri=f"note://A%20{TOKEN}.md", name=f"A {TOKEN}.md")
    made = types.CallToolResult(
        content=[text, link], structured_content={"hits": [{"text": TOKEN}]}
    )
    plain = types.CallToolResult(content=[types.TextContent(text="nothing")])

    for reply in (made, plain):
        values = reply.model_dump()

        async def answer(_: Any, values: dict[str, Any] = values) -> Any:
            return values

        sent = anyio.run(hide_credentials, cast("Any", None), answer)
        assert TOKEN not in json.dumps(sent)
        assert (sent is values) == (reply is plain)
