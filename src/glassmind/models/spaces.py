"""What a model's vectors depend on, in one line of text."""

from glassmind.models.cards import ModelCard

VERSION = 1
"""Raised when text is cut, pooled or prefixed in another way than before."""

SHOWN = 16
"""Digits of a sha256: enough that no two files of models share them."""


def space_of(card: ModelCard, weights: str) -> str:
    """Return the name of the space that a model's vectors lie in.

    Equal names mean vectors that may be compared; `weights` is a sha256.
    """
    return " ".join(
        [
            f"{card.id}@{weights[:SHOWN]}",
            f"{card.width} wide",
            f"{card.pooling} of {card.window}",
            f"{card.query_prefix!r} {card.passage_prefix!r}",
            f"v{VERSION}",
        ]
    )
