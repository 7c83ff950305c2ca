"""The route of answers: a part of the table of all routes."""

from glassmind.config import Config
from glassmind.serve.http.answers import NO, YES, get_answer
from glassmind.serve.http.answers_events import EVENTS
from glassmind.serve.http.arguments import INTENT, MODE
from glassmind.serve.http.asked import Route
from glassmind.serve.http.context_table import PROJECT
from glassmind.serve.http.limits import ANSWER_S
from glassmind.serve.mcp.tool import Argument
from glassmind.types.questions import LONGEST_QUESTION, MOST_SOURCES

ASKED = "/api/kb/ask"

ANSWERS: tuple[Route, ...] = (
    Route(
        "GET",
        ASKED,
        "Answer a question, in the shape of obsidian-rag and with what bears it out.",
        get_answer,
        "Answer",
        (
            Argument("question", "string", "A question.", most=LONGEST_QUESTION),
            Argument(
                "stream",
                "string",
                "Whether the answer comes as events while it is made.",
                "0",
                (*NO, *YES),
            ),
            Argument(
                "limit",
                "integer",
                "Most passages that the answer may rest on.",
                None,
                least=1,
                most=MOST_SOURCES,
            ),
            PROJECT,
            MODE,
            INTENT,
            Argument("model", "boolean", "Let the model of the settings write.", True),
        ),
        (404, 409),
        other_types=(EVENTS,),
        quick=True,
    ),
)


def longest_answer_s(config: Config) -> float:
    """Return the seconds that an answer may take: its own, and one it waits for."""
    return 2 * config.llm.timeout_s + ANSWER_S
