"""Routes of the graph that are not operations: resolve, and refreshing themes."""

import msgspec

from glassmind.operations.graph import ThemesArguments, themes
from glassmind.operations.registry import Caller
from glassmind.render.resolution import resolution_as_json
from glassmind.serve.http.asked import USUAL, Asked
from glassmind.serve.http.replies import Reply, answered


def post_refresh_themes(asked: Asked) -> Reply:
    """Find the themes of the whole vault again, and show those of visible notes."""
    asked.desk.whole.knowledge.themes(refresh=True, **asked.given)
    result = themes(asked.engine, ThemesArguments(), Caller("http", USUAL))
    return answered(msgspec.to_builtins(result))._replace(shown=result.sources())


def get_resolve(asked: Asked) -> Reply:
    """Answer whether the vault has what a text names."""
    found = asked.engine.knowledge.resolve(**asked.given)
    return answered(resolution_as_json(found, vault=asked.engine.config.vault.name))
