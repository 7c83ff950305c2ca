"""The shapes of answers about memory, as JSON schemas."""

from typing import Any, get_args

from glassmind.serve.http.schemas import (
    COUNT,
    FLAG,
    NUMBER,
    TEXT,
    TEXTS,
    listed,
    or_null,
    shape,
)
from glassmind.types.memory import HeatLevel, MemoKind, MemoPlace

MEMO = {
    "path": TEXT,
    "section": TEXT,
    "kind": {"enum": list(get_args(MemoKind))},
    "title": TEXT,
    "text": TEXT,
    "project": TEXT,
    "created": TEXT,
    "client": TEXT,
    "status": TEXT,
    "place": {"enum": list(get_args(MemoPlace))},
    "generated": FLAG,
    "sources": TEXTS,
    "tags": TEXTS,
    "superseded_by": TEXT,
    "supersedes": TEXT,
    "derived_from": TEXTS,
    "untrusted": FLAG,
    "box": TEXT,
}

NEAR = listed(shape(**MEMO, likeness=NUMBER))

MEMORY_SCHEMAS: dict[str, Any] = {
    "Captured": shape(
        memo=shape(**MEMO), digest=TEXT, near=NEAR, indexed=FLAG, notices=TEXTS
    ),
    "Recalled": shape(
        memos=listed(shape(**MEMO, relevance=NUMBER, why=TEXT)),
        total=COUNT,
        confidence=or_null("number"),
        doubtful=FLAG,
        degraded=TEXTS,
    ),
    "Inbox": shape(
        waiting=listed(shape(**MEMO, checked=FLAG, near=NEAR)),
        promoted=listed(shape(memo=shape(**MEMO), before=TEXT, notices=TEXTS)),
        troubles=TEXTS,
    ),
    "WriteLog": shape(
        records=listed(
            shape(
                at=TEXT,
                path=TEXT,
                why=TEXT,
                client=TEXT,
                before=or_null("string"),
                after=or_null("string"),
                bytes=COUNT,
                undone=FLAG,
            )
        ),
        total=COUNT,
        problems=TEXTS,
    ),
    "Temperatures": shape(
        notes=listed(
            shape(
                path=TEXT,
                title=TEXT,
                heat=NUMBER,
                level={"enum": list(get_args(HeatLevel))},
                reasons=TEXTS,
                pinned=FLAG,
            )
        ),
        projects=listed(shape(name=TEXT, notes=COUNT, last=TEXT)),
        hot=COUNT,
        warm=COUNT,
        cold=COUNT,
        waiting=COUNT,
        notices=TEXTS,
    ),
}
"""By the name that a route gives them."""
