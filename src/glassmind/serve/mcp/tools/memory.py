"""The set `memory`, without the tools made from operations."""

from glassmind.serve.mcp.tool import Tool
from glassmind.serve.mcp.tools import memory_brief

TOOLS: tuple[Tool, ...] = (
    memory_brief.TOOL,
    memory_brief.SUMMARY_TOOL,
)
