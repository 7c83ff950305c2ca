"""The core: few tools, each told in the fewest words that let it be used well."""

from glassmind.serve.mcp.tool import Tool
from glassmind.serve.mcp.tools import (
    context,
)

TOOLS: tuple[Tool, ...] = (
    context.TOOL,
    context.HOT_TOOL,
)
