"""Routes of the graph that are not operations: refreshing themes."""

from glassmind.operations.graph import ThemesArguments, themes
from glassmind.operations.registry import Caller
from glassmind.serve.http.asked import USUAL, Asked
from glassmind.serve.http.replies import Reply, answered


def post_refresh_themes(asked: Asked) -> Reply:
    """Find the themes of the whole vault again, and show those of visible notes."""
    asked.desk.whole.knowledge.themes(refresh=True, **asked.given)
    result = themes(asked.engine, ThemesArguments(), Caller("http", USUAL))
    return answered(result.to_json())._replace(shown=result.sources())
