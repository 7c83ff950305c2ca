"""The core: few tools, each told in the fewest words that let it be used well."""

from glassmind.surfaces.mcp.tool import Tool
from glassmind.surfaces.mcp.tools import connections, list_notes, read, search, status

TOOLS: tuple[Tool, ...] = (
    search.TOOL,
    read.TOOL,
    list_notes.TOOL,
    connections.TOOL,
    status.TOOL,
)
