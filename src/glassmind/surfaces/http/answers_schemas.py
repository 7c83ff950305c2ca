"""The shape of answers to questions, as a JSON schema."""

from typing import Any, get_args

from glassmind.surfaces.http.schemas import (
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
    uri=TEXT,
)

STATEMENT = shape(
    text=TEXT,
    support={"enum": list(get_args(Support))},
    citations=listed(shape(source=COUNT, quote=TEXT, receipt=TEXT)),
    problem=TEXT,
)

ANSWERS_SCHEMAS: dict[str, Any] = {
    "Answer": shape(
        question=TEXT,
        answer=TEXT,
        sources=listed(SOURCE),
        modelUsed=TEXT,
        in_notes=FLAG,
        statements=listed(STATEMENT),
        dropped=COUNT,
        confidence=or_null("number"),
        mode=TEXT,
        intent=or_null("string"),
        degraded=TEXTS,
    )
}
"""By the name that a route gives them."""
