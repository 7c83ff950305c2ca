"""Tools of the set `graph` that are not operations."""

from glassmind.surfaces.mcp.tool import Tool
from glassmind.surfaces.mcp.tools import graph_names

TOOLS: tuple[Tool, ...] = (graph_names.RESOLVE_TOOL,)
