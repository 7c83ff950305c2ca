"""What was shown already is told by its runs of three words, however it is found."""

from hypothesis import given
from hypothesis import strategies as st

from glassmind.context.excerpts import LONG_LINE, parted
from glassmind.context.passages import SAID, ShownPassages

WORDS = st.lists(st.sampled_from(("tea", "pot", "lid", "cup", "Cup", "oolong")))
TEXTS = WORDS.map(" ".join)


def runs_of(text: str) -> set[tuple[str, ...]]:
    words = text.lower().split()
    threes = {tuple(words[at : at + 3]) for at in range(len(words) - 2)}
    return threes or {tuple(words)}


@given(st.lists(TEXTS, max_size=5), TEXTS)
def test_a_text_is_shown_when_most_of_its_runs_of_words_are(
    texts: list[str], text: str
) -> None:
    shown = ShownPassages()
    for one in texts:
        shown.add(one)

    found = shown.has(text)

    known = set[tuple[str, ...]]().union(*map(runs_of, texts))
    runs = runs_of(text)
    assert found == (len(runs & known) >= SAID * len(runs))


@given(st.lists(st.text("ab.! \t\r\u3002", max_size=3 * LONG_LINE), max_size=4))
def test_lines_are_parted_alike_one_by_one_and_together(lines: list[str]) -> None:
    text = "\n".join(lines)

    apart, at = [], 0
    for line in lines:
        apart += parted(text, at, at + len(line))
        at += len(line) + 1

    assert parted(text, 0, len(text)) == apart
    shown = "".join(text[start:end] for start, end in apart)
    assert "".join(shown.split()) == "".join(text.split())
