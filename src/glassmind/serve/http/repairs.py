"""Mending the vault on request, as far as its settings let it happen at once."""

from glassmind.serve.http.asked import Asked
from glassmind.serve.http.editing import changed_reply
from glassmind.serve.http.replies import Reply


def post_fix(asked: Asked) -> Reply:
    """Mend findings of vault health."""
    engine = asked.engine
    return changed_reply(
        asked,
        lambda asking: engine.editing.repair(
            engine.knowledge.repairs(checks=asked.given["check"]), asking
        ),
    )


def post_links(asked: Asked) -> Reply:
    """Make links that are suggested."""
    engine, given = asked.engine, asked.given
    return changed_reply(
        asked,
        lambda asking: engine.editing.repair(
            engine.knowledge.links_to_add(
                given["name"],
                keys=given["keys"],
                mentions=given["mentions"],
                limit=given["limit"],
            ),
            asking,
        ),
    )
