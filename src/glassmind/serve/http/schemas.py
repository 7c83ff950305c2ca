"""The shapes of answers, as JSON schemas."""

from typing import Any

from glassmind.serve.http.replies import LABELS


def shape(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object that has all of these."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
    }


def and_perhaps(known: dict[str, Any], **properties: Any) -> dict[str, Any]:
    """Return the schema of an object that may have these too."""
    return {**known, "properties": {**known["properties"], **properties}}


def listed(items: Any) -> dict[str, Any]:
    """Return the schema of a list."""
    return {"type": "array", "items": items}


def or_null(kind: str) -> dict[str, Any]:
    """Return the schema of a value of some kind that may be missing."""
    return {"type": [kind, "null"]}


TEXT, COUNT = {"type": "string"}, {"type": "integer", "minimum": 0}
NUMBER, FLAG, ANY = {"type": "number"}, {"type": "boolean"}, {"type": "object"}
WHOLE, TEXTS = {"type": "integer"}, listed(TEXT)
LINES = {"type": "array", "items": COUNT, "minItems": 2, "maxItems": 2}
SNIPPET = shape(text=TEXT, marks=listed(LINES))
PLACE = {"heading_path": TEXTS, "heading": TEXT, "lines": LINES, "chunk_index": COUNT}

ERROR = and_perhaps(
    shape(error=and_perhaps(shape(code=TEXT, message=TEXT, hint=TEXT), digest=TEXT)),
    **LABELS["properties"],
)

EVIDENCE = shape(channel=TEXT, rank=COUNT, share=NUMBER, reason=TEXT, fields=ANY)

HIT = and_perhaps(
    shape(
        path=TEXT,
        title=TEXT,
        **PLACE,
        score=NUMBER,
        relevance=NUMBER,
        channels=TEXTS,
        match_reason=TEXT,
        similarity=or_null("number"),
        depth=COUNT,
        connected_via=TEXTS,
        hops=listed(shape(source=TEXT, target=TEXT, kind=TEXT, property=TEXT)),
        evidence=listed(EVIDENCE),
        adjustments=listed(shape(name=TEXT, share=NUMBER, reason=TEXT)),
        snippet=SNIPPET,
        more=listed(shape(**PLACE, snippet=SNIPPET, digest=TEXT)),
        digest=TEXT,
        modified=or_null("string"),
        uri=or_null("string"),
    ),
    generated=FLAG,
)

SCHEMAS: dict[str, Any] = {
    "Error": ERROR,
    "SearchReply": shape(
        vault=TEXT,
        query=TEXT,
        mode=TEXT,
        intent=or_null("string"),
        channels=TEXTS,
        confidence=or_null("number"),
        doubtful=FLAG,
        reranked=COUNT,
        hits=listed(HIT),
        degraded=TEXTS,
    ),
    "Note": and_perhaps(
        shape(
            path=TEXT,
            title=TEXT,
            heading_path=TEXTS,
            heading=TEXT,
            lines=LINES,
            text=TEXT,
            digest=TEXT,
            uri=TEXT,
            notices=TEXTS,
            offset=COUNT,
            letters=COUNT,
            truncated=FLAG,
            next_offset=or_null("integer"),
        ),
        generated=FLAG,
    ),
    "Job": shape(
        job=TEXT,
        state={"enum": ["waiting", "running", "done", "failed"]},
        progress={"type": ["object", "null"]},
        report={
            "anyOf": [{"$ref": "#/components/schemas/IndexResult"}, {"type": "null"}]
        },
        error={"type": ["object", "null"]},
    ),
    "Health": and_perhaps(
        shape(status={"enum": ["ok", "degraded"]}, version=TEXT),
        channels=shape(
            lexical=FLAG, bm25=FLAG, semantic=FLAG, graph=FLAG, hindsight=FLAG
        ),
        note_count=COUNT,
        vault_path=TEXT,
    ),
    "OpenApi": ANY,
}
"""By the name that a route gives them."""
