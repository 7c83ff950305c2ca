"""The set `write`: edits, new notes, moves, repairs, the trash, what became of each.

Whatever the settings do not let happen at once becomes a proposal. No tool approves
one: that is done by a person, at the command line.
"""

from glassmind.serve.mcp.tool import Tool
from glassmind.serve.mcp.tools import (
    write_changes,
    write_edit,
    write_move,
    write_repair,
)

TOOLS: tuple[Tool, ...] = (
    write_edit.EDIT_TOOL,
    write_edit.CREATE_TOOL,
    write_move.RESTRUCTURE_TOOL,
    write_repair.TOOL,
    write_edit.DELETE_TOOL,
    write_changes.TOOL,
)
