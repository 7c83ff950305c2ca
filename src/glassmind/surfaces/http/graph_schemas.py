"""The shapes of answers about the graph, as JSON schemas."""

from typing import Any

from glassmind.surfaces.http.schemas import (
    ANY,
    COUNT,
    FLAG,
    LINES,
    NUMBER,
    TEXT,
    TEXTS,
    WHOLE,
    and_perhaps,
    listed,
    or_null,
    shape,
)

TIE = shape(
    source=TEXT,
    target=TEXT,
    kind=TEXT,
    property=TEXT,
    confidence=NUMBER,
    line=COUNT,
    sentence=TEXT,
)

NEIGHBOUR = shape(
    path=TEXT,
    title=TEXT,
    ghost=FLAG,
    hop=COUNT,
    directions=TEXTS,
    via=TEXTS,
    edges=listed(TIE),
    edges_total=COUNT,
    shared_tags=TEXTS,
    uri=or_null("string"),
)

NODE = shape(path=TEXT, title=TEXT, hop=COUNT, ghost=FLAG, tags=TEXTS, properties=ANY)

STOP = {"path": TEXT, "title": TEXT, "ghost": FLAG, "uri": or_null("string")}

CHAIN = shape(
    length=COUNT,
    notes=listed(shape(**STOP)),
    steps=listed(shape(directions=TEXTS, edges=listed(TIE), edges_total=COUNT)),
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

ENTITY = shape(
    name=TEXT,
    state={"enum": ["linked", "match", "unsure", "stub"]},
    sources=TEXTS,
    mentions=listed(shape(line=or_null("integer"), text=TEXT)),
    mentions_total=COUNT,
    link=or_null("string"),
    path=or_null("string"),
    uri=or_null("string"),
    candidates=listed(CANDIDATE),
    stub={"anyOf": [shape(path=TEXT, text=TEXT, reason=TEXT), {"type": "null"}]},
)

SOME = shape(shown={"type": "array"}, total=COUNT)
"""The first of many, and how many there are."""

SUGGESTION = shape(
    key=TEXT,
    kind=TEXT,
    source=TEXT,
    source_title=TEXT,
    source_uri=TEXT,
    target=TEXT,
    target_title=TEXT,
    target_uri=TEXT,
    score=NUMBER,
    reason=TEXT,
    signs=listed(shape(name=TEXT, strength=NUMBER, share=NUMBER, reason=TEXT)),
    mention=or_null("object"),
    property=or_null("string"),
    similarity=or_null("number"),
    shared_notes=TEXTS,
    shared_tags=TEXTS,
    edit={
        "anyOf": [
            shape(
                path=TEXT, digest=TEXT, line=COUNT, bytes=LINES, before=TEXT, after=TEXT
            ),
            {"type": "null"},
        ]
    },
)

THEME = shape(
    id=WHOLE,
    label=TEXT,
    summary=TEXT,
    size=COUNT,
    standing={"enum": ["confirmed", "emergent"]},
    hub=or_null("string"),
    tags=listed(shape(name=TEXT, notes=COUNT)),
    members=listed(
        shape(
            path=TEXT, title=TEXT, influence=NUMBER, ghost=FLAG, uri=or_null("string")
        )
    ),
)

FOUND = shape(key=TEXT, path=TEXT, line=or_null("integer"), what=TEXT)

CHECK = shape(
    name=TEXT,
    title=TEXT,
    severity={"enum": ["high", "medium", "low"]},
    count=COUNT,
    dismissed=COUNT,
    examples=listed(FOUND),
    fix=TEXT,
    verb=or_null("string"),
    unchecked=or_null("string"),
)

GRAPH_SCHEMAS: dict[str, Any] = {
    "Connections": and_perhaps(
        shape(
            path=TEXT,
            title=TEXT,
            ghost=FLAG,
            tags=TEXTS,
            theme=or_null("object"),
            uri=or_null("string"),
            depth=COUNT,
            hops=listed(
                shape(
                    hop=COUNT,
                    total=COUNT,
                    inbound_total=COUNT,
                    outbound_total=COUNT,
                    neighbours=listed(NEIGHBOUR),
                )
            ),
            similar=listed(shape(path=TEXT, title=TEXT, similarity=NUMBER, uri=TEXT)),
            notices=TEXTS,
        ),
        subgraph=shape(nodes=listed(NODE), edges=listed(TIE), edges_total=COUNT),
    ),
    "Chains": shape(
        source=shape(**STOP),
        target=shape(**STOP),
        chains=listed(CHAIN),
        cut=FLAG,
        reason={"anyOf": [shape(kind=TEXT, text=TEXT), {"type": "null"}]},
        common=listed(shape(**STOP, from_source=TEXTS, from_target=TEXTS)),
        common_total=COUNT,
        notices=TEXTS,
    ),
    "Dismissed": shape(file=TEXT, line=TEXT, changed=FLAG),
    "Ingestion": shape(
        vault=TEXT,
        path=TEXT,
        title=TEXT,
        uri=TEXT,
        entities=listed(ENTITY),
        total=COUNT,
        counts=ANY,
        notices=TEXTS,
    ),
    "Ontology": shape(
        vault=TEXT,
        notes=COUNT,
        labels=SOME,
        types=SOME,
        properties=SOME,
        schemas=SOME,
        spellings=SOME,
        hubs=SOME,
        hierarchies=listed(
            shape(
                nesting=TEXT,
                name=TEXT,
                size=COUNT,
                depth=COUNT,
                roots=SOME,
                cycles=SOME,
            )
        ),
        notices=TEXTS,
    ),
    "Resolution": shape(
        vault=TEXT,
        text=TEXT,
        verdict={"enum": ["exists", "likely", "ambiguous", "new"]},
        advice=TEXT,
        link=or_null("string"),
        candidates=listed(CANDIDATE),
        notices=TEXTS,
    ),
    "Ranking": shape(
        metric=TEXT,
        theme=or_null("object"),
        about=TEXT,
        notes=listed(
            shape(
                rank=COUNT,
                path=TEXT,
                title=TEXT,
                ghost=FLAG,
                score=NUMBER,
                inbound=COUNT,
                outbound=COUNT,
                hit=FLAG,
                reason=TEXT,
                uri=or_null("string"),
            )
        ),
        total=COUNT,
        margin=NUMBER,
        samples=COUNT,
        notices=TEXTS,
    ),
    "Similar": shape(
        note=or_null("string"),
        pairs=listed(
            shape(
                path=TEXT,
                title=TEXT,
                uri=TEXT,
                other_path=TEXT,
                other_title=TEXT,
                other_uri=TEXT,
                similarity=NUMBER,
            )
        ),
        total=COUNT,
        dismissed=COUNT,
        status=shape(
            count=COUNT,
            waiting=or_null("integer"),
            threshold=or_null("number"),
            most=or_null("integer"),
        ),
        notices=TEXTS,
    ),
    "Suggestions": shape(
        note=or_null("string"), suggestions=listed(SUGGESTION), notices=TEXTS
    ),
    "Timeline": shape(
        path=TEXT,
        title=TEXT,
        uri=TEXT,
        events=listed(
            shape(
                day=TEXT,
                time=TEXT,
                kind=TEXT,
                path=TEXT,
                title=TEXT,
                origin=TEXT,
                detail=TEXT,
                sentence=TEXT,
                commit=TEXT,
                uri=TEXT,
            )
        ),
        total=COUNT,
        notices=TEXTS,
    ),
    "VaultHealth": shape(
        score=COUNT,
        partial=FLAG,
        parts=listed(shape(check=TEXT, points=NUMBER, lost=NUMBER)),
        notes=COUNT,
        sound=COUNT,
        findings=COUNT,
        dismissed=COUNT,
        checks=listed(CHECK),
        notices=TEXTS,
    ),
    "Finding": shape(
        key=TEXT,
        state={"enum": ["there", "mended", "gone", "unchecked"]},
        dismissed=FLAG,
        finding={"anyOf": [FOUND, {"type": "null"}]},
        reason=or_null("string"),
    ),
    "Themes": shape(
        vault=TEXT,
        themes=listed(THEME),
        total=COUNT,
        modularity=NUMBER,
        resolution=NUMBER,
        notes=COUNT,
        apart=COUNT,
        ghosts=FLAG,
        warning=TEXT,
    ),
}
"""By the name that a route gives them."""
