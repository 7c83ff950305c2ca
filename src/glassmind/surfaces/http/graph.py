"""What follows from the links, in the shapes that the program prints with --json."""

from glassmind.render.chains import chains_as_json
from glassmind.render.connections import connections_as_json
from glassmind.render.dismissals import dismissed_as_json
from glassmind.render.graph_files import GRAPH_FILES
from glassmind.render.health import finding_now_as_json, health_as_json
from glassmind.render.ingestion import ingestion_as_json
from glassmind.render.ontology import ontology_as_json
from glassmind.render.pairs import similar_as_json
from glassmind.render.ranks import ranking_as_json
from glassmind.render.resolution import resolution_as_json
from glassmind.render.suggestions import suggestions_as_json
from glassmind.render.themes import themes_as_json
from glassmind.render.timeline import timeline_as_json
from glassmind.surfaces.asking import check_untainted
from glassmind.surfaces.hiding import safe_text
from glassmind.surfaces.http.asked import Asked
from glassmind.surfaces.http.memory import USUAL
from glassmind.surfaces.http.replies import Reply, answered
from glassmind.surfaces.mcp.tools.graph_dismiss import DISMISSED
from glassmind.types.callers import CALLER

MEDIA_TYPES = {
    "graphml": "application/graphml+xml; charset=utf-8",
    "dot": "text/vnd.graphviz; charset=utf-8",
}
"""As IANA lists them, and as programs for graphs ask for them."""


def get_connections(asked: Asked) -> Reply:
    """Answer with what stands around a note."""
    given = dict(asked.given)
    shape = given.pop("format")
    given["subgraph"] = given["subgraph"] or shape in GRAPH_FILES
    found = asked.engine.knowledge.connections(**given)
    values = connections_as_json(found, vault=asked.engine.config.vault.name)
    if shape in GRAPH_FILES and found.subgraph is not None:
        file = safe_text(GRAPH_FILES[shape](found.subgraph))
        body = file.encode("utf-8", "replace")
        media_type = MEDIA_TYPES[shape].encode()
        return Reply(200, body, media_type=media_type, shown=values)
    return answered(values)


def get_path(asked: Asked) -> Reply:
    """Answer with chains of links between two notes, or why there is none."""
    found = asked.engine.knowledge.path(**asked.given)
    return answered(chains_as_json(found, vault=asked.engine.config.vault.name))


def get_themes(asked: Asked) -> Reply:
    """Answer with the groups of notes that links hold together."""
    found = asked.engine.knowledge.themes(**asked.given)
    return answered(themes_as_json(found, vault=asked.engine.config.vault.name))


def post_refresh_themes(asked: Asked) -> Reply:
    """Find the themes anew and keep them, which writes to the index."""
    asked.desk.whole.knowledge.themes(refresh=True, **asked.given)
    found = asked.engine.knowledge.themes()
    return answered(themes_as_json(found, vault=asked.engine.config.vault.name))


def get_rank(asked: Asked) -> Reply:
    """Answer with the notes that matter most."""
    found = asked.engine.knowledge.rank(**asked.given)
    return answered(ranking_as_json(found, vault=asked.engine.config.vault.name))


def get_suggest(asked: Asked) -> Reply:
    """Answer with what should be linked; nothing is written."""
    found = asked.engine.knowledge.suggest(**asked.given)
    return answered(suggestions_as_json(found, vault=asked.engine.config.vault.name))


def get_similar(asked: Asked) -> Reply:
    """Answer with notes that are alike without a link."""
    found = asked.engine.knowledge.similar(**asked.given)
    return answered(similar_as_json(found, vault=asked.engine.config.vault.name))


def get_timeline(asked: Asked) -> Reply:
    """Answer with how what stands around a note grew."""
    found = asked.engine.knowledge.timeline(**asked.given)
    return answered(timeline_as_json(found, vault=asked.engine.config.vault.name))


def get_ontology(asked: Asked) -> Reply:
    """Answer with what the vault calls things."""
    found = asked.engine.knowledge.ontology(**asked.given)
    return answered(ontology_as_json(found, vault=asked.engine.config.vault.name))


def get_resolve(asked: Asked) -> Reply:
    """Answer whether the vault has what a text names."""
    found = asked.engine.knowledge.resolve(**asked.given)
    return answered(resolution_as_json(found, vault=asked.engine.config.vault.name))


def get_vault_health(asked: Asked) -> Reply:
    """Answer with what is to be mended in the vault."""
    checks = asked.given["check"]
    if checks is not None:
        checks = [name for listed in checks for name in listed.split(",")]
    found = asked.engine.knowledge.health(checks=checks, limit=asked.given["limit"])
    return answered(health_as_json(found))


def get_finding(asked: Asked) -> Reply:
    """Answer whether a finding still is one."""
    return answered(
        finding_now_as_json(asked.engine.knowledge.check_finding(**asked.given))
    )


def get_ingest(asked: Asked) -> Reply:
    """Answer with what a note names; nothing is written."""
    found = asked.engine.knowledge.ingest(**asked.given)
    return answered(ingestion_as_json(found, vault=asked.engine.config.vault.name))


def post_dismiss(asked: Asked) -> Reply:
    """Dismiss two notes, or take that back."""
    check_untainted(asked.engine, CALLER.get() or USUAL, DISMISSED)
    knowledge, given = asked.engine.knowledge, asked.given
    settle = knowledge.restore_pair if given["restore"] else knowledge.dismiss
    return answered(dismissed_as_json(settle(given["a"], given["b"])))


def post_dismiss_finding(asked: Asked) -> Reply:
    """Dismiss a finding, or take that back."""
    check_untainted(asked.engine, CALLER.get() or USUAL, DISMISSED)
    knowledge, given = asked.engine.knowledge, asked.given
    check, _, subject = given["key"].partition(":")
    back = given["restore"]
    settle = knowledge.restore_finding if back else knowledge.dismiss_finding
    return answered(dismissed_as_json(settle(check, subject)))
