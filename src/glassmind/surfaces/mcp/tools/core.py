"""The core: few tools, each told in the fewest words that let it be used well."""

from glassmind.surfaces.mcp.tool import Tool
from glassmind.surfaces.mcp.tools import (
    context,
    status,
)

TOOLS: tuple[Tool, ...] = (
    context.TOOL,
    context.HOT_TOOL,
    status.TOOL,
)
