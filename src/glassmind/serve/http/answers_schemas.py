"""The shapes of answers to questions and of their events, as JSON schemas."""

from typing import Any, get_args

from glassmind.serve.http.context_schemas import CONFLICTS
from glassmind.serve.http.schemas import (
    COUNT,
    ERROR,
    FLAG,
    LINES,
    NUMBER,
    TEXT,
    TEXTS,
    listed,
    or_null,
    shape,
)
from glassmind.types.answers import Support

SOURCE = shape(
    number=COUNT,
    path=TEXT,
    chunkIndex=COUNT,
    relevanceScore=NUMBER,
    excerpt=TEXT,
    title=TEXT,
    heading_path=TEXTS,
    heading=TEXT,
    lines=LINES,
    receipt=TEXT,
    generated=FLAG,
    superseded_by=TEXT,
    uri=TEXT,
)

SUPPORT = {"enum": list(get_args(Support))}

STATEMENT = {
    "text": TEXT,
    "support": SUPPORT,
    "citations": listed(shape(source=COUNT, quote=TEXT, receipt=TEXT)),
    "problem": TEXT,
}

ANSWER = shape(
    question=TEXT,
    answer=TEXT,
    sources=listed(SOURCE),
    modelUsed=TEXT,
    in_notes=FLAG,
    statements=listed(shape(**STATEMENT)),
    dropped=COUNT,
    confidence=or_null("number"),
    mode=TEXT,
    intent=or_null("string"),
    degraded=TEXTS,
    conflicts=CONFLICTS,
)

EVENT_VALUES = {
    "sources": shape(sources=listed(SOURCE), confidence=or_null("number")),
    "text": shape(text=TEXT, support=SUPPORT),
    "statement": shape(number=COUNT, **STATEMENT),
    "withdrawn": shape(reason=TEXT),
    "answer": ANSWER,
    "error": ERROR,
}
"""What stands in each event, by its name."""


def _event(name: str, value: dict[str, Any]) -> dict[str, Any]:
    json = {"contentMediaType": "application/json", "contentSchema": value}
    return shape(event={"const": name}, data={"type": "string", **json})


ANSWERS_SCHEMAS: dict[str, Any] = {
    "Answer": ANSWER,
    "AnswerEvent": {"oneOf": [_event(*one) for one in EVENT_VALUES.items()]},
}
"""By the name that a route gives them."""
