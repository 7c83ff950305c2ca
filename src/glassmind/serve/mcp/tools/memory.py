"""The set `memory`: what was captured, whether citations hold, where work stands.

Nothing here promotes, forgets or supersedes: an agent may say what it would remember,
and a person says what is kept.
"""

from glassmind.serve.mcp.tool import Tool
from glassmind.serve.mcp.tools import memory_recall

TOOLS: tuple[Tool, ...] = (
    memory_recall.TOOL,
    memory_recall.INBOX_TOOL,
)
