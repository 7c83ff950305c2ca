"""The passages that may answer a question, numbered, and what they say to it."""

from glassmind.context.bundling import Wish
from glassmind.context.shelf import Shelf
from glassmind.types.answers import Gathered


def gathered(shelf: Shelf, question: str, wish: Wish, *, private: bool) -> Gathered:
    """Return what was found for a question."""
    reply = shelf.sources.search(
        question,
        limit=wish.limit,
        mode=wish.mode,
        intent=wish.intent,
        project=wish.project or None,
        today=wish.today,
    )
    return Gathered(question, (), (), reply.confidence, reply.mode, reply.intent)
