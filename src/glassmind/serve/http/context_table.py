"""The routes of bundles: a part of the table of all routes."""

from glassmind.serve.http import context
from glassmind.serve.http.arguments import INTENT, LONGEST_NAME, MODE
from glassmind.serve.http.asked import Route
from glassmind.serve.http.replies import MARKDOWN
from glassmind.serve.mcp.tool import REQUIRED, Argument

LEAST_TOKENS, MOST_TOKENS = 200, 100_000
"""As the settings have the least; the most is a book, and half of what models read."""

MOST_NOTES = 200
"""Notes that passages are taken of."""

PROJECT = Argument(
    "project",
    "string",
    "Its name, folder:PATH, #tag or property:KEY=VALUE.",
    None,
    most=LONGEST_NAME,
)
SINCE = Argument(
    "since", "string", "From this day on: 2026-03-01, 7d.", None, most=LONGEST_NAME
)
BUDGET = Argument(
    "budget",
    "integer",
    "Most tokens of its Markdown; else as the settings say.",
    None,
    least=LEAST_TOKENS,
    most=MOST_TOKENS,
)

CONTEXT: tuple[Route, ...] = (
    Route(
        "POST",
        "/context",
        "Pack what matters for a question into a budget of tokens.",
        context.post_context,
        "Bundle",
        (
            Argument("query", "string", "A question, or words and filters."),
            Argument(
                "limit",
                "integer",
                "Most notes to take passages of.",
                None,
                least=1,
                most=MOST_NOTES,
            ),
            BUDGET,
            PROJECT,
            MODE,
            INTENT,
        ),
        (404, 409),
        other_types=(MARKDOWN,),
    ),
    Route(
        "GET",
        "/hot-context",
        "Pack what is alive now into a budget of tokens.",
        context.get_hot_context,
        "Bundle",
        (
            BUDGET,
            PROJECT,
            Argument("limit", "integer", "Most notes.", 10, least=1, most=MOST_NOTES),
        ),
        (404, 409),
        other_types=(MARKDOWN,),
    ),
    Route(
        "GET",
        "/brief",
        "Tell where work stands: what is hot, decided, open, and what changed.",
        context.get_brief,
        "Briefing",
        (PROJECT, SINCE, BUDGET),
        (404, 409),
        other_types=(MARKDOWN,),
    ),
    Route(
        "GET",
        "/summary",
        "Tell a project in sentences of its own notes, each cited; nothing is kept.",
        context.get_summary,
        "Summary",
        (PROJECT._replace(default=REQUIRED), BUDGET),
        (404, 409),
        other_types=(MARKDOWN,),
    ),
)
