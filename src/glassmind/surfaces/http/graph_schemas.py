"""The shapes of answers about the graph, as JSON schemas."""

from typing import Any

from glassmind.surfaces.http.schemas import (
    ANY,
    COUNT,
    FLAG,
    NUMBER,
    TEXT,
    TEXTS,
    WHOLE,
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

GRAPH_SCHEMAS: dict[str, Any] = {
    "Connections": shape(
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
        subgraph={
            "anyOf": [
                shape(nodes=listed(NODE), edges=listed(TIE), edges_total=COUNT),
                {"type": "null"},
            ]
        },
        notices=TEXTS,
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
