"""The set `memory`, without the tools made from operations."""

from glassmind.serve.mcp.tool import Tool

TOOLS: tuple[Tool, ...] = ()
