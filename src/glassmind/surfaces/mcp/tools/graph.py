"""The set `graph`: what follows from the links of a vault."""

from glassmind.surfaces.mcp.tool import Tool
from glassmind.surfaces.mcp.tools import graph_names, graph_path, graph_themes

TOOLS: tuple[Tool, ...] = (
    graph_path.TOOL,
    graph_themes.TOOL,
    graph_names.RESOLVE_TOOL,
    graph_names.ONTOLOGY_TOOL,
)
