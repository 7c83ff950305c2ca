"""The property of a note that a question asks for.

People ask for a property by its name: "what is the rent of the flat". Its lines stand
apart from the text, so they are a passage of their own.
"""

from glassmind.context.asking import Lookup
from glassmind.context.passages import Stretch, part_of

LONGEST_ENDING = 2
"""Letters by which a name may be longer than the word for it: `launches`."""

LONGEST_CHARS = 240
"""Characters of the properties that are shown: a few lines. Two that stand further
apart are not shown together, and one that is longer is a list to be read by itself."""


def asked_property(
    stretch: Stretch, words: Lookup, *, by_value: bool
) -> Stretch | None:
    """Return the properties whose names are words of a question.

    Whole lines, with all that stands below them; of several that stand too far apart,
    the one with most of these words. Where none is named, that whose value holds some,
    if `by_value`.
    """
    body = stretch.body
    named: dict[int, float] = {}
    valued: dict[int, float] = {}
    for place, word in words.places(stretch.text) if body else ():
        if place >= body:
            break
        start = stretch.text.rfind("\n", 0, place) + 1
        over = stretch.text.find(":", start, stretch.text.find("\n", place))
        found = valued if over < place else named
        if found is named and not _is_name(stretch.text, place, word):
            continue
        found[start] = found.get(start, 0.0) + words.weights.get(word, 0.0)
    lines = _shown(stretch, named) or (_shown(stretch, valued) if by_value else None)
    if lines is None:
        return None
    start, end = lines
    return part_of(stretch, start, start + len(stretch.text[start:end].rstrip()))


def value_in(text: str) -> str:
    """Return the value of the first property in a text."""
    return text.partition(":")[2].strip(" \t\r\n\"'")


def _is_name(text: str, place: int, word: str) -> bool:
    """Whether a word of a name is one of the question, but for a short ending.

    Who decided is not asked by what was.
    """
    over = place + len(word)
    return not text[over : over + LONGEST_ENDING + 1].isalnum()


def _shown(stretch: Stretch, lines: dict[int, float]) -> tuple[int, int] | None:
    """Return those of some lines that say something and are not too long."""
    parts = {start: _block(stretch, start) for start in lines}
    told = [
        (start, end) for start, end in parts.items() if _speaks(stretch, start, end)
    ]
    if not told:
        return None
    first, last = min(told)[0], max(end for _, end in told)
    if last - first <= LONGEST_CHARS:
        return first, last
    short = [one for one in told if one[1] - one[0] <= LONGEST_CHARS]
    return max(short, key=lambda one: (lines[one[0]], -one[0]), default=None)


def _block(stretch: Stretch, start: int) -> int:
    """Return where a property ends that begins with a line."""
    text, end = stretch.text, stretch.text.find("\n", start)
    depth = _depth(text, start)
    while end + 1 < stretch.body and not text.startswith("---", end + 1):
        below = _depth(text, end + 1)
        listed = below == depth and text.startswith("- ", end + 1 + below)
        if below <= depth and not (listed and not text.startswith("-", start + depth)):
            break
        end = text.find("\n", end + 1)
    return end


def _depth(text: str, start: int) -> int:
    """Return how many blanks a line begins with."""
    at = start
    while text[at : at + 1] in {" ", "\t"}:
        at += 1
    return at - start


def _speaks(stretch: Stretch, start: int, end: int) -> bool:
    """Whether a property has a value."""
    name, colon, value = stretch.text[start:end].partition(":")
    said = value if colon else name
    return bool(said.strip(" \t\r\n\"'[]{}-#"))
