"""The shapes of answers about changes, as JSON schemas."""

from typing import Any, get_args

from glassmind.serve.http.schemas import (
    COUNT,
    FLAG,
    TEXT,
    TEXTS,
    listed,
    or_null,
    shape,
)
from glassmind.types.editing import STATES, ChangeVerb, IndexState

CHANGESET = {
    "id": or_null("string"),
    "state": {"enum": list(STATES)},
    "verb": {"enum": list(get_args(ChangeVerb))},
    "title": TEXT,
    "created": TEXT,
    "client": TEXT,
    "links_rewritten": shape(files=COUNT, occurrences=COUNT),
    "adopted": COUNT,
    "risks": TEXTS,
    "undoes": TEXT,
    "reason": TEXT,
    "approve": or_null("string"),
}

ENDS = {"path": or_null("string"), "to": TEXT}

EDITING_SCHEMAS: dict[str, Any] = {
    "Changed": shape(
        **CHANGESET,
        applied=FLAG,
        files=listed(
            shape(
                **ENDS,
                before=or_null("string"),
                after=TEXT,
                added=COUNT,
                removed=COUNT,
                diff=TEXT,
            )
        ),
        index={"enum": list(get_args(IndexState))},
        notices=TEXTS,
    ),
    "Changesets": shape(
        changesets=listed(
            shape(**CHANGESET, applied=FLAG, files=listed(shape(**ENDS)))
        ),
        total=COUNT,
        notices=TEXTS,
    ),
}
"""By the name that a route gives them."""
