"""The words of subjects and names, as they are compared."""

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_POSSESSOR = re.compile("['\u2019]s\\b")
LINK = re.compile(
    r"!?\[\[(?:[^\]|]*/)?(?P<name>[^\]|#/]*)(?:#[^\]|]*)?(?:\|[^\]]*)?\]\]"
)


def links_in(text: str) -> list[str]:
    """Return the names that the links of a text lead to."""
    return [link["name"] for link in LINK.finditer(text)] if "[[" in text else []


@lru_cache(maxsize=4096)  # the same titles and names are compared for every question
def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a subject or a name as they are compared: of links the names.

    Plurals and the `s` of a possessor are taken off.
    """
    linked = "[[" in text
    plain = LINK.sub(lambda link: f" {link['name']} ", text) if linked else text
    plain = _POSSESSOR.sub("", plain.casefold())
    return tuple(_singular(word) for word in _WORD.findall(plain))


def _singular(word: str) -> str:
    short = len(word) < 4 or word.endswith(("ss", "us", "is"))  # noqa: PLR2004
    return word if short or not word.endswith("s") else word[:-1]
