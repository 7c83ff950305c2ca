"""The core: few tools, each told in the fewest words that let it be used well."""

from glassmind.surfaces.mcp.tool import Tool
from glassmind.surfaces.mcp.tools import (
    connections,
    context,
    list_notes,
    read,
    status,
)

TOOLS: tuple[Tool, ...] = (
    read.TOOL,
    list_notes.TOOL,
    connections.TOOL,
    context.TOOL,
    context.HOT_TOOL,
    status.TOOL,
)
