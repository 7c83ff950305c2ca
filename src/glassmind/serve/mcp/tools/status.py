"""`glassmind_status`: what is current of the index, and who is at work."""

from glassmind.render.reports import status_as_json
from glassmind.render.reports_text import status_as_text
from glassmind.render.style import Style
from glassmind.serve.mcp.tool import Answer, Call, Tool

NAME = "glassmind_status"


def run(call: Call) -> Answer:
    """Tell how far rows, words and vectors have come."""
    status, root = call.engine.status(), str(call.engine.config.vault.path)
    said = "".join(f"Notice: {Style.clean(notice)}\n" for notice in status.notices)
    text = said + status_as_text(status, Style(), root=root)
    return Answer(text, status_as_json(status, root=root))


TOOL = Tool(
    NAME,
    "Index status",
    "Tell how current the index is: notes, passages, vectors, work under way. Use it "
    "when answers seem stale or incomplete.",
    (),
    run,
)
