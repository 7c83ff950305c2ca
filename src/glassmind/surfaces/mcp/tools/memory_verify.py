"""`glassmind_verify`: what became of lines that were cited."""

from collections.abc import Iterator, Mapping
from typing import Any

from glassmind.operations.model_text import named, one_line
from glassmind.render.verified import verified_as_json
from glassmind.surfaces.mcp.tool import Answer, Argument, Call, Tool
from glassmind.surfaces.mcp.tools.paged import Listing, answer_of, in_place, kept
from glassmind.surfaces.mcp.tools.shapes import CURSOR, FORMAT

NAME = "glassmind_verify"

MOST_RECEIPTS = 1_000
"""Of one call: to look for lines that are gone takes a millisecond each."""


def run(call: Call) -> Answer:
    """Look for lines by their receipts."""
    values = verified_as_json(call.engine.bundles.verify(call.given["receipts"]))
    listing = Listing(
        values["receipts"],
        in_place(values, "receipts"),
        kept("receipt", "state", "now", "note"),
        _lines,
    )
    return answer_of(NAME, call, listing)


def _lines(_: int, one: Mapping[str, Any]) -> Iterator[str]:
    cited = one.get("receipt", "")  # empty where nothing was given
    yield f"{one['state']}: {named(cited)}"
    if one.get("now") and one["now"] != cited:
        yield f"   now: {named(one['now'])}"
    yield f"   {one_line(one['note'])}"


TOOL = Tool(
    NAME,
    "Verify receipts",
    "Tell whether lines that were cited by receipts (path#heading:12-18@digest) are "
    "unchanged, moved, changed or gone.",
    (Argument("receipts", "strings", most=MOST_RECEIPTS), FORMAT, CURSOR),
    run,
)
