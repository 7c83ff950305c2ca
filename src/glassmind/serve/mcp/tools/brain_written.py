"""What a tool of obsidian-brain that writes replies, made or not."""

from collections.abc import Callable
from typing import Any

from glassmind.engine import Engine
from glassmind.errors import IndexAbsent
from glassmind.handing import ghosts_gone
from glassmind.render.changes import changed_as_json
from glassmind.serve.mcp.tools.write_answers import clipped, said_of
from glassmind.types.catalogue import Stats
from glassmind.types.editing import Changed, FileDiff


def written(done: Changed, **more: Any) -> dict[str, Any]:
    """Return the note that a change is about, what was done, and its diff.

    `message` says it in words; where nothing was changed yet, and how the user
    approves it, too.
    """
    told = clipped(changed_as_json(done))
    main = main_path(done)
    made = {
        "id": main,
        "path": main,
        "status": done.changeset.state,
        "applied": done.applied,
        "changeset": done.changeset.id,
        "message": said_of(done),
        **more,
        "diff": "".join(file["diff"] for file in told["files"]),
        "index": done.index,
    }
    if told["approve"]:
        made["approve"] = told["approve"]
    if told.get("clipped"):
        made["truncated"] = True
    kept = ("reason", "risks", "notices")
    return made | {name: told[name] for name in kept if told[name]}


def main_path(done: Changed) -> str:
    """Return the note that a change is about, where it is then; empty for none.

    One that it hides is named too: who asked for that knows it.
    """
    if done.closed:
        return str(done.closed[0])
    main = main_file(done)
    return str(main.to) if main else ""


def main_file(done: Changed) -> FileDiff | None:
    """Return the file that is made or moved, else the first; links follow in others."""
    moved = (file for file in done.files if file.path != file.to)
    return next(moved, done.files[0] if done.files else None)


def preview_of(done: Changed) -> dict[str, Any]:
    """Return what a preview is committed by, if edits are; nothing for what is none.

    A change of nothing is none: it is not kept, and has no id.
    """
    one = done.changeset
    if one.state != "previewed" or done.is_empty:
        return {}
    identity = {"previewId": one.id} if one.id and one.draft.verb == "edit" else {}
    return {"dryRun": True, **identity}


def counts_of(engine: Engine) -> Stats | None:
    """Return what the index holds; None where there is none."""
    try:
        return engine.stats()
    except IndexAbsent:
        return None


def pruning(engine: Engine) -> Callable[[], int]:
    """Return what counts later how many of the stubs of now are none then.

    New ones are not set off against them; 0 where there is no index.
    """
    try:
        return ghosts_gone(engine)
    except IndexAbsent:
        return lambda: 0


def lost(before: Stats | None, after: Stats | None, name: str) -> int:
    """Return how many fewer of something the index holds; never below none."""
    if before is None or after is None:
        return 0
    return max(0, int(getattr(before, name)) - int(getattr(after, name)))
