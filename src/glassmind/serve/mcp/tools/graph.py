"""Tools of the set `graph` that are not operations."""

from glassmind.serve.mcp.tool import Tool
from glassmind.serve.mcp.tools import graph_names

TOOLS: tuple[Tool, ...] = (graph_names.RESOLVE_TOOL,)
