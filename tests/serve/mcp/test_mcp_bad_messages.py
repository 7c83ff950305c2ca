"""Messages that break the protocol get a JSON-RPC error, and the server goes on."""

import json
import time
from collections.abc import Iterator
from typing import Any

import mcp_types as types
import pytest
from mcp_harness import LIMIT_S, Line, environment, line
from vault_harness import VaultHarness

from glassmind.serve.mcp.stdio import error_for

PARSE, REQUEST = types.PARSE_ERROR, types.INVALID_REQUEST


def call(arguments: str, identity: str = "7") -> bytes:
    return (
        f'{{"jsonrpc":"2.0","id":{identity},"method":"tools/call","params":'
        f'{{"name":"glassmind_list","arguments":{arguments}}}}}'
    ).encode()


def deep(levels: int) -> str:
    return '{"a":' * levels + "1" + "}" * levels


BAD: dict[str, tuple[bytes, int, object]] = {
    "params are a list": (
        b'{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[1]}',
        REQUEST,
        7,
    ),
    "params are a text": (
        b'{"jsonrpc":"2.0","id":"a","method":"tools/list","params":"x"}',
        REQUEST,
        "a",
    ),
    "arguments are 500 deep": (call(deep(500)), REQUEST, 7),
    "arguments are 5,000 deep": (call(deep(5_000)), PARSE, None),
    "lists are 100,000 deep": (call("[" * 100_000 + "]" * 100_000), PARSE, None),
    "half a character": (call('{"folder":"\\ud800"}'), REQUEST, 7),
    "the id has 5,000 digits": (
        b'{"jsonrpc":"2.0","id":%s,"method":"ping"}' % (b"9" * 5_000),
        PARSE,
        None,
    ),
    "a batch": (b'[{"jsonrpc":"2.0","id":7,"method":"ping"}]', REQUEST, None),
    "an empty batch": (b"[]", REQUEST, None),
    "a number": (b"5", REQUEST, None),
    "no method": (b'{"jsonrpc":"2.0","id":7}', REQUEST, 7),
    "the method is a number": (b'{"jsonrpc":"2.0","id":7,"method":5}', REQUEST, 7),
    "another JSON-RPC": (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', REQUEST, 7),
    "an empty object": (b"{}", REQUEST, None),
    "no JSON-RPC": (b'{"id":7,"method":"ping"}', REQUEST, 7),
    "invalid JSON": (b"{nope", PARSE, None),
    "text behind the JSON": (
        b'{"jsonrpc":"2.0","id":7,"method":"ping"}\0',
        PARSE,
        None,
    ),
    "invalid UTF-8": (
        b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"\xff\xfe"}}',
        PARSE,
        None,
    ),
    "bytes": (b"\x80\x81\x82", PARSE, None),
}

UNANSWERED = {
    "a blank line": b"",
    "a notification with a list": b'{"jsonrpc":"2.0","method":"x","params":[1]}',
    "a request whose id is neither a number nor a text": (
        b'{"jsonrpc":"2.0","id":null,"method":"x"}'
    ),
    "a response nobody waits for": b'{"jsonrpc":"2.0","id":7,"result":{}}',
    "an error response without an id": b'{"jsonrpc":"2.0","id":null,"error":{}}',
    "a broken response": b'{"jsonrpc":"2.0","id":7,"error":5}',
}
"""Nobody waits for an answer to these."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Line]:
    harness = VaultHarness(tmp_path_factory.mktemp("bad"))
    harness.indexed({"Tea.md": "Oolong."})
    with line(environment(harness)) as started:
        started.greet()
        yield started
    harness.close()


def replies(server: Line, raw: bytes, number: int) -> list[dict[str, Any]]:
    """Return what answers a message; a request that is sent behind it ends the wait.

    An error is written before the next message is read, so it comes first.
    """
    server.write(raw + b"\n")
    server.send("ping", number)
    found: list[dict[str, Any]] = []
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        message = json.loads(server.said.get(timeout=LIMIT_S))
        if message.get("id") == number:
            assert message["result"] == {}
            return found
        found.append(message)
    raise AssertionError("the server did not answer a ping")


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_message_gets_an_error_and_the_next_request_an_answer(
    server: Line, fault: str
) -> None:
    raw, code, identity = BAD[fault]

    (reply,) = replies(server, raw, 1_000 + list(BAD).index(fault))

    assert (reply["jsonrpc"], reply["id"]) == ("2.0", identity)
    assert reply["error"]["code"] == code
    assert reply["error"]["message"]


@pytest.mark.parametrize("kind", UNANSWERED)
def test_what_is_no_request_is_not_answered(server: Line, kind: str) -> None:
    assert not replies(server, UNANSWERED[kind], 2_000 + list(UNANSWERED).index(kind))


def test_a_carriage_return_inside_of_a_message_does_not_end_it(server: Line) -> None:
    server.write(b'{"jsonrpc":"2.0",\r"id":3000,"method":"ping"}\r\n')

    assert server.answer(3_000)["result"] == {}


@pytest.mark.parametrize("fault", BAD)
def test_the_error_is_the_same_without_a_process(fault: str) -> None:
    raw, code, identity = BAD[fault]

    said = error_for(raw)

    assert said is not None
    assert (said.error.code, said.id) == (code, identity)
