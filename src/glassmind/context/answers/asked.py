"""What may be asked of the notes."""

from glassmind.errors import BadLimit, BadWish, NothingAsked
from glassmind.model.search import LONGEST_QUESTION, MOST_SOURCES, says_something


def check_asked(question: str, limit: int) -> None:
    """See that a question can be answered.

    Raises:
        NothingAsked: it holds no word.
        BadWish: it is too long.
        BadLimit: it is to rest on no passage, or on too many.
    """
    if len(question) > LONGEST_QUESTION:
        length = f"of {len(question):,} letters"
        raise BadWish("a question", length, f"of {LONGEST_QUESTION:,} at most")
    if not says_something(question):
        raise NothingAsked
    if not 1 <= limit <= MOST_SOURCES:
        raise BadLimit(limit, MOST_SOURCES)
