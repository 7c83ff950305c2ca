"""The shapes of bundles and briefings, as JSON schemas."""

from typing import Any, get_args

from glassmind.serve.http.schemas import (
    COUNT,
    FLAG,
    LINES,
    NUMBER,
    TEXT,
    TEXTS,
    listed,
    or_null,
    shape,
)
from glassmind.types.context import ConflictKind, ItemKind, ReceiptState

CITED = shape(text=TEXT, path=TEXT, receipt=TEXT)

EXCERPT = shape(
    heading_path=TEXTS,
    heading=TEXT,
    lines=LINES,
    text=TEXT,
    receipt=TEXT,
    trimmed=FLAG,
    hidden=FLAG,
)

BUNDLE_NOTE = shape(
    path=TEXT,
    title=TEXT,
    date=TEXT,
    relevance=NUMBER,
    why=TEXT,
    channels=TEXTS,
    generated=FLAG,
    excerpts=listed(EXCERPT),
    uri=TEXT,
)

ITEMS = listed(
    shape(
        kind={"enum": list(get_args(ItemKind))},
        text=TEXT,
        path=TEXT,
        title=TEXT,
        heading_path=TEXTS,
        heading=TEXT,
        lines=LINES,
        receipt=TEXT,
        date=TEXT,
        rule=TEXT,
        approved=FLAG,
        trimmed=FLAG,
        hidden=FLAG,
    )
)

NEXT_READS = listed(shape(path=TEXT, title=TEXT, why=TEXT))

SIDE = shape(path=TEXT, title=TEXT, value=TEXT, date=TEXT, receipt=TEXT, approved=FLAG)

CONFLICTS = listed(
    shape(
        kind={"enum": list(get_args(ConflictKind))},
        about=TEXT,
        sides={"type": "array", "items": SIDE, "minItems": 2, "maxItems": 2},
    )
)

BUDGETED = {
    "budget_tokens": COUNT,
    "tokens": COUNT,
    "tokenizer": TEXT,
    "dropped": listed(shape(section=TEXT, count=COUNT, tokens=COUNT, at_least=FLAG)),
    "degraded": TEXTS,
}

OPEN = {"decisions": ITEMS, "questions": ITEMS, "tasks": ITEMS, "conflicts": CONFLICTS}

CONTEXT_SCHEMAS: dict[str, Any] = {
    "Bundle": shape(
        vault=TEXT,
        query=TEXT,
        project=TEXT,
        mode=TEXT,
        intent=or_null("string"),
        channels=TEXTS,
        confidence=or_null("number"),
        doubtful=FLAG,
        answer=listed(CITED),
        notes=listed(BUNDLE_NOTE),
        **OPEN,
        suggested=NEXT_READS,
        sources=TEXTS,
        follow_ups=TEXTS,
        saved=or_null("string"),
        **BUDGETED,
    ),
    "Briefing": shape(
        project=TEXT,
        since=TEXT,
        hot=NEXT_READS,
        **OPEN,
        changed=listed(shape(path=TEXT, title=TEXT, date=TEXT, uri=TEXT)),
        sources=TEXTS,
        notices=TEXTS,
        **BUDGETED,
    ),
    "Summary": shape(
        project=TEXT,
        text=TEXT,
        sentences=listed(CITED),
        sources=TEXTS,
        tokens=COUNT,
        tokenizer=TEXT,
        saved=or_null("string"),
        notices=TEXTS,
    ),
    "Verified": shape(
        receipts=listed(
            shape(
                receipt=TEXT,
                state={"enum": list(get_args(ReceiptState))},
                now=or_null("string"),
                note=TEXT,
            )
        )
    ),
}
"""By the name that a route gives them."""
