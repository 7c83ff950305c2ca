"""The shapes of answers, as JSON schemas."""

from typing import Any


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
    }


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _or_null(kind: str) -> dict[str, Any]:
    return {"type": [kind, "null"]}


TEXT, COUNT = {"type": "string"}, {"type": "integer", "minimum": 0}
NUMBER, FLAG, ANY = {"type": "number"}, {"type": "boolean"}, {"type": "object"}
WHOLE, TEXTS = {"type": "integer"}, _list(TEXT)
LINES = {"type": "array", "items": COUNT, "minItems": 2, "maxItems": 2}
SNIPPET = _object(text=TEXT, marks=_list(LINES))
PLACE = {"heading_path": TEXTS, "heading": TEXT, "lines": LINES, "chunk_index": COUNT}

ERROR = _object(error=_object(code=TEXT, message=TEXT, hint=TEXT))

EVIDENCE = _object(channel=TEXT, rank=COUNT, share=NUMBER, reason=TEXT, fields=ANY)

HIT = _object(
    path=TEXT,
    title=TEXT,
    **PLACE,
    score=NUMBER,
    relevance=NUMBER,
    channels=TEXTS,
    match_reason=TEXT,
    similarity=_or_null("number"),
    depth=COUNT,
    connected_via=TEXTS,
    evidence=_list(EVIDENCE),
    adjustments=_list(_object(name=TEXT, share=NUMBER, reason=TEXT)),
    snippet=SNIPPET,
    more=_list(_object(**PLACE, snippet=SNIPPET, digest=TEXT)),
    digest=TEXT,
    modified=TEXT,
    uri=TEXT,
)

REPORT = _object(
    added=COUNT,
    changed=COUNT,
    moved=COUNT,
    removed=COUNT,
    unchanged=COUNT,
    notes=COUNT,
    seconds=NUMBER,
    skipped=_list(_object(path=TEXT, reason=TEXT, unknown=FLAG)),
    skipped_total=COUNT,
    warnings=TEXTS,
    warnings_total=COUNT,
    rebuilt=FLAG,
    compacted=FLAG,
    embedded=COUNT,
    reused=COUNT,
    left=COUNT,
)

SCHEMAS: dict[str, Any] = {
    "Error": ERROR,
    "SearchReply": _object(
        vault=TEXT,
        query=TEXT,
        mode=TEXT,
        intent=_or_null("string"),
        channels=TEXTS,
        confidence=_or_null("number"),
        doubtful=FLAG,
        reranked=COUNT,
        hits=_list(HIT),
        degraded=TEXTS,
    ),
    "Passages": _list(
        _object(chunkId=TEXT, path=TEXT, chunkIndex=COUNT, content=TEXT, score=NUMBER)
    ),
    "Note": _object(
        path=TEXT,
        title=TEXT,
        heading_path=TEXTS,
        heading=TEXT,
        lines=LINES,
        text=TEXT,
        digest=TEXT,
        uri=TEXT,
        offset=COUNT,
        letters=COUNT,
        truncated=FLAG,
        next_offset=_or_null("integer"),
    ),
    "IndexReport": REPORT,
    "Job": _object(
        job=TEXT,
        state={"enum": ["waiting", "running", "done", "failed"]},
        progress={"type": ["object", "null"]},
        report={
            "anyOf": [{"$ref": "#/components/schemas/IndexReport"}, {"type": "null"}]
        },
        error={"type": ["object", "null"]},
    ),
    "Health": _object(
        status={"enum": ["ok", "degraded"]},
        channels=_object(
            lexical=FLAG, bm25=FLAG, semantic=FLAG, graph=FLAG, hindsight=FLAG
        ),
        note_count=COUNT,
    ),
    "Stats": _object(
        vault=TEXT,
        notes=COUNT,
        chunks=COUNT,
        tags=COUNT,
        links=COUNT,
        ghosts=COUNT,
        attachments=COUNT,
        tasks=COUNT,
        headings=COUNT,
        skipped=COUNT,
        skipped_by_reason=ANY,
        index_bytes=COUNT,
        folder=TEXT,
        last_run=_or_null("string"),
        troubled=COUNT,
        embedded=COUNT,
        embeddable=COUNT,
        space=TEXT,
        width=COUNT,
        embedded_notes=COUNT,
        empty_notes=COUNT,
    ),
    "OpenApi": ANY,
}
"""By the name that a route gives them."""
