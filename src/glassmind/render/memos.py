"""What agents and people left in the agent folder, as programs read it."""

from typing import Any

from glassmind.types.memory import (
    Captured,
    Inbox,
    Memo,
    Moved,
    Near,
    Recalled,
    Superseded,
    WriteLog,
    WriteRecord,
)


def memo_as_json(memo: Memo) -> dict[str, Any]:
    """Return one memo; its text is data, whatever it says."""
    return {
        "path": memo.path,
        "section": memo.section,
        "kind": memo.kind,
        "title": memo.title,
        "text": memo.text,
        "project": memo.project,
        "created": memo.created,
        "client": memo.client,
        "status": memo.status,
        "place": memo.place,
        "generated": memo.generated,
        "sources": list(memo.sources),
        "tags": list(memo.tags),
        "superseded_by": memo.superseded_by,
        "supersedes": memo.supersedes,
        "derived_from": list(memo.derived_from),
        "untrusted": memo.untrusted,
        "box": memo.box,
    }


def captured_as_json(done: Captured) -> dict[str, Any]:
    """Return what was written, and what it may be one with."""
    return {
        "memo": memo_as_json(done.memo),
        "digest": done.digest,
        "near": [_near(one) for one in done.near],
        "indexed": done.indexed,
        "notices": list(done.notices),
    }


def recalled_as_json(found: Recalled) -> dict[str, Any]:
    """Return memos, best or newest first, each with why it is here."""
    return {
        "memos": [
            {**memo_as_json(one.memo), "relevance": one.relevance, "why": one.why}
            for one in found.memos
        ],
        "total": found.total,
        "confidence": found.confidence,
        "doubtful": found.is_doubtful,
        "degraded": list(found.degraded),
    }


def inbox_as_json(found: Inbox) -> dict[str, Any]:
    """Return what waits, the oldest first, and what was promoted by its box."""
    return {
        "waiting": [
            {
                **memo_as_json(one.memo),
                "checked": one.checked,
                "near": [_near(near) for near in one.near],
            }
            for one in found.waiting
        ],
        "promoted": [moved_as_json(one) for one in found.promoted],
        "troubles": list(found.troubles),
    }


def moved_as_json(done: Moved) -> dict[str, Any]:
    """Return a memo where it stands now, and where it stood."""
    return {
        "memo": memo_as_json(done.memo),
        "before": place_before(done),
        "notices": list(done.notices),
    }


def place_before(done: Moved) -> str:
    """Return where a memo stood; one of several in a note, with its heading."""
    return f"{done.before}#{done.section}" if done.section else done.before


def superseded_as_json(done: Superseded) -> dict[str, Any]:
    """Return the memo that was, and the one that has taken its place."""
    return {
        "old": memo_as_json(done.old),
        "new": memo_as_json(done.new),
        "notices": list(done.notices),
    }


def log_as_json(found: WriteLog) -> dict[str, Any]:
    """Return writes, the newest first; `total` counts all that were asked for."""
    return {
        "records": [_record(one) for one in found.records],
        "total": found.total,
        "problems": list(found.problems),
    }


def _near(one: Near) -> dict[str, Any]:
    return {**memo_as_json(one.memo), "likeness": one.likeness}


def _record(one: WriteRecord) -> dict[str, Any]:
    return {
        "at": one.at,
        "path": one.path,
        "to": one.to,
        "why": one.why,
        "client": one.client,
        "before": one.before,
        "after": one.after,
        "bytes": one.size_bytes,
        "undone": one.undone,
    }
