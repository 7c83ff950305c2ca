"""The least server the SDK allows: it hands back answers that were written down.

    python benchmarks/bare_server.py FILE

FILE is JSON: the result of a call by the text of its query. What a call costs here is
what the SDK costs; whatever a real server costs more is its own.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import mcp_types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

TOOL = "glassmind_search"


def bare_server(written: dict[str, Any]) -> Server:
    """Return a server of one tool that answers each query as written down."""
    known = {
        query: mcp_types.CallToolResult.model_validate(result)
        for query, result in written.items()
    }
    tool = mcp_types.Tool(name=TOOL, input_schema={"type": "object"})

    async def list_tools(*_: object) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult(tools=[tool])

    async def call_tool(
        _: object, asked: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult:
        return known[(asked.arguments or {})["query"]]

    return Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)


async def serve(server: Server) -> None:
    """Serve on standard input and output until they close."""
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    answers = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    asyncio.run(serve(bare_server(answers)))
