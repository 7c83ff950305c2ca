"""The core toolset, without the tools made from operations."""

from glassmind.serve.mcp.tool import Tool

TOOLS: tuple[Tool, ...] = ()
