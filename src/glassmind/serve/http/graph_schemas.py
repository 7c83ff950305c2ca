"""The shape of answers about names, as a JSON schema."""

from typing import Any

from glassmind.serve.http.schemas import (
    COUNT,
    NUMBER,
    TEXT,
    TEXTS,
    listed,
    or_null,
    shape,
)

CANDIDATE = shape(
    kind=TEXT,
    path=or_null("string"),
    title=TEXT,
    link=TEXT,
    score=NUMBER,
    reason=TEXT,
    matched=TEXT,
    links=COUNT,
    uri=or_null("string"),
)

GRAPH_SCHEMAS: dict[str, Any] = {
    "Resolution": shape(
        vault=TEXT,
        text=TEXT,
        verdict={"enum": ["exists", "likely", "ambiguous", "new"]},
        advice=TEXT,
        link=or_null("string"),
        candidates=listed(CANDIDATE),
        notices=TEXTS,
    ),
}
