"""Questions that a server finds too long, told by its words."""

TOO_LONG = (400, 413, 422, 500)

LENGTH_HINT = (
    "the question is too long for the model: set llm.context_tokens to what it can take"
)


def is_too_long(status: int, words: str) -> bool:
    """Whether a server refuses a question for its length."""
    heard = words.casefold()
    about = any(word in heard for word in ("token", "length", "size"))
    return status in TOO_LONG and "context" in heard and about
