"""The words that families of models want before a question or a passage."""

from typing import NamedTuple


class Family(NamedTuple):
    """What a model's makers say to put before the text, and how much it reads."""

    query: str = ""
    passage: str = ""
    max_tokens: int = 2048


REPRESENT = "Represent this sentence for searching relevant passages: "

INSTRUCT = (
    "Instruct: Given a web search query, retrieve relevant passages that answer "
    "the query\nQuery: "
)

FAMILIES = {
    "nomic-embed": Family("search_query: ", "search_document: "),
    "qwen": Family(INSTRUCT, max_tokens=8192),
    "mxbai": Family(REPRESENT, max_tokens=512),
    "e5-": Family("query: ", "passage: ", 512),
    "embeddinggemma": Family("task: search result | query: ", "title: none | text: "),
    "bge-m3": Family(max_tokens=8192),
    "bge-": Family(REPRESENT, max_tokens=512),
    "all-minilm": Family(max_tokens=256),
}
"""By a part of the model's name; the first that fits decides. From the models' cards.
"""


def prefixes_for(model: str) -> Family:
    """Return what a model wants, by its name; nothing where its family is unknown."""
    name = model.casefold()
    return next((made for part, made in FAMILIES.items() if part in name), Family())
