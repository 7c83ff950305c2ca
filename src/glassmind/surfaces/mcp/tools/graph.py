"""The set `graph`: what follows from the links of a vault."""

from glassmind.surfaces.mcp.tool import Tool
from glassmind.surfaces.mcp.tools import (
    graph_dismiss,
    graph_health,
    graph_ingest,
    graph_names,
    graph_path,
    graph_rank,
    graph_similar,
    graph_subgraph,
    graph_suggest,
    graph_themes,
    graph_timeline,
)

TOOLS: tuple[Tool, ...] = (
    graph_path.TOOL,
    graph_themes.TOOL,
    graph_rank.TOOL,
    graph_suggest.TOOL,
    graph_similar.TOOL,
    graph_subgraph.TOOL,
    graph_timeline.TOOL,
    graph_names.RESOLVE_TOOL,
    graph_names.ONTOLOGY_TOOL,
    graph_ingest.TOOL,
    graph_health.TOOL,
    graph_dismiss.TOOL,
)
