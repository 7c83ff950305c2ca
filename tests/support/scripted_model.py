"""A model that plays a script, for hosts that would ask a real one.

It speaks as two makers' models do. Whatever it is asked, it calls one tool, and once it
has been told the result it ends; what it was told is kept.
"""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Event = dict[str, Any]

SERVER = "mcp__glassmind"
"""The name that hosts make of the server."""

Calling = tuple[str, Mapping[str, object]]
"""A tool, and what it is called with."""

LAST_WORDS = "The script is over."


class ScriptedModel:
    """Where the model listens, and what it has been told so far."""

    def __init__(self, tool: str, arguments: Mapping[str, object]) -> None:
        self.calling: Calling = (tool, dict(arguments))
        self.asked: list[Any] = []
        self.url = ""

    @property
    def told(self) -> str:
        """All that the model knew in the end: rules, tools, question, result."""
        return json.dumps(self.asked[-1], ensure_ascii=False)

    @property
    def result(self) -> str:
        """What the host made of the tool's result for the model to read."""
        (result,) = _results(self.asked[-1])
        return result

    def reply(self, path: str, body: Any) -> list[Event]:
        """Return the events of a reply: a call at first, then the last words."""
        self.asked.append(body)
        over = bool(_results(body))
        if path.startswith("/v1/messages"):
            return _message(None if over else self.calling)
        return _response(None if over else self.calling)


def _results(body: Any) -> list[str]:
    """Return the results of tools that a request tells of, in either dialect."""
    if "input" in body:
        kind = "function_call_output"
        return [_text(one["output"]) for one in body["input"] if one["type"] == kind]
    parts = [p for m in body["messages"] for p in m["content"] if isinstance(p, dict)]
    return [_text(part["content"]) for part in parts if part["type"] == "tool_result"]


def _text(given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)


def _message(calling: Calling | None) -> list[Event]:
    block: Event = {"type": "text", "text": ""}
    delta: Event = {"type": "text_delta", "text": LAST_WORDS}
    if calling is not None:
        tool, arguments = calling
        name = f"{SERVER}__{tool}"
        block = {"type": "tool_use", "id": "call_1", "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
    usage = {"input_tokens": 1, "output_tokens": 1}
    message: Event = {
        "id": "message_1", "type": "message", "role": "assistant", "model": "scripted",
        "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    reason = {"stop_reason": "end_turn" if calling is None else "tool_use"}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": reason, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]


def _response(calling: Calling | None) -> list[Event]:
    words = [{"type": "output_text", "text": LAST_WORDS}]
    item: Event = {"type": "message", "role": "assistant", "content": words}
    if calling is not None:
        tool, arguments = calling
        item = {
            "type": "function_call", "call_id": "call_1", "namespace": SERVER,
            "name": tool, "arguments": json.dumps(arguments),
        }  # fmt: skip
    response = {"id": "response_1", "output": [item]}
    return [
        {"type": "response.created", "response": {"id": "response_1"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]


@contextmanager
def scripted_model(tool: str, /, **arguments: object) -> Iterator[ScriptedModel]:
    """Run a model that calls a tool with these arguments."""
    model = ScriptedModel(tool, arguments)

    class Harness(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for event in model.reply(self.path, json.loads(body)):
                line = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
                self.wfile.write(line.encode())

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Harness) as server:
        model.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield model
        finally:
            server.shutdown()
            thread.join()
