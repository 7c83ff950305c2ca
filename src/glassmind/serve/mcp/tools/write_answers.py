"""What came of a change, for tools of obsidian-brain."""

from typing import Any

from glassmind.editing.asking import Asking
from glassmind.operations import edit
from glassmind.operations.edit_text import (
    MODEL_DIFF_CHARS,
    MODEL_FILES,
    state_for_models,
)
from glassmind.operations.registry import Caller
from glassmind.serve.mcp.tool import Call
from glassmind.types.editing import Changed

PATIENT_S = edit.PATIENT_S


def asking(call: Call, *, dry_run: bool) -> Asking:
    """Return who asks, by the name that the client of a call gives itself."""
    return edit.asking(call.engine, Caller("mcp", call.client), dry_run=dry_run)


def said_of(done: Changed) -> str:
    """Return the state of a change, and what it means for a model."""
    return state_for_models(edit.change_result(done))


def clipped(values: dict[str, Any]) -> dict[str, Any]:
    """Return a change with the first of its files and diffs; `clipped` if cut."""
    left, files, cut = MODEL_DIFF_CHARS, [], len(values["files"]) > MODEL_FILES
    for file in values["files"][:MODEL_FILES]:
        diff = file["diff"][:left]
        cut = cut or len(diff) < len(file["diff"])
        left -= len(diff)
        files.append({**file, "diff": diff})
    more = {"files_total": len(values["files"]), "clipped": True} if cut else {}
    return {**values, "files": files, **more}
