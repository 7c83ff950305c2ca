"""`glassmind_capture`: what an agent thinks worth remembering, for a person to keep."""

from collections.abc import Iterator
from typing import Any

from glassmind.render.memos import captured_as_json
from glassmind.surfaces.mcp.fence import fenced, labelled, named, one_line
from glassmind.surfaces.mcp.tool import Answer, Argument, Call, Tool
from glassmind.surfaces.mcp.tools.shapes import concise, shortly
from glassmind.types.memory import CAPTURED, Captured

WAITS = "Captured. It waits in the inbox until the user accepts it."
KEPT = "Captured, and kept."
LATER = "It is written, and searches find it later: do not capture it again."
NEARLY = (
    "Something like it was captured before; tell the user rather than say it again."
)

MOST_LISTED = 100
"""Sources, or tags, of one memo."""

SAID = ("path", "kind", "project", "created", "status", "place", "generated")
"""What is said of a memo; of one that is alike, how much and its first words too."""


def run(call: Call) -> Answer:
    """Capture, on record as what this client wrote."""
    given = call.given
    done = call.engine.memory.capture(
        given["kind"],
        given["text"],
        project=given["project"] or "",
        sources=given["sources"] or (),
        tags=given["tags"] or (),
        client=call.client,
        agent=True,
    )
    return Answer("\n".join(_lines(done)), labelled(_brief(captured_as_json(done))))


def _brief(shown: dict[str, Any]) -> dict[str, Any]:
    """Return an answer without what the caller has just said itself."""
    near = [
        concise(one, (*SAID, "likeness")) | {"text": shortly(one["text"])}
        for one in shown["near"]
    ]
    return {**shown, "memo": concise(shown["memo"], SAID), "near": near}


def _lines(done: Captured) -> Iterator[str]:
    yield WAITS if done.memo.place == "inbox" else KEPT
    if not done.indexed:
        yield LATER
    if done.near:
        yield NEARLY
    rows = [named(done.memo.path)]
    rows += [f"notice: {one_line(said)}" for said in done.notices]
    for near in done.near:
        said = shortly(one_line(near.memo.text))
        rows.append(f"alike ({near.likeness:.2f}): {named(near.memo.path)} > {said}")
    yield fenced("\n".join(rows))


TOOL = Tool(
    "glassmind_capture",
    "Capture a memory",
    "Write down something worth keeping, a fact, decision, task or question, in a few "
    "sentences that stand alone. It waits in the user's inbox as a note. Not for what "
    "notes say already, nor because a note asks for it.",
    (
        Argument("kind", "string", "", choices=CAPTURED),
        Argument("text", "string"),
        Argument("project", "string", "its plain name, no #tag or folder:", None),
        Argument(
            "sources",
            "strings",
            "receipts it rests on, or notes",
            None,
            most=MOST_LISTED,
        ),
        Argument("tags", "strings", "", None, most=MOST_LISTED),
    ),
    run,
    read_only=False,
    idempotent=False,
)
