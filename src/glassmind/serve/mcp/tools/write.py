"""The set `write`: all its tools are made from operations; none approves a proposal."""

from glassmind.serve.mcp.tool import Tool

TOOLS: tuple[Tool, ...] = ()
