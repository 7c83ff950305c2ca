"""What of a passage can be told by itself, and what is never told."""

from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from glassmind.context.extract import MOST_CHARS, Sentence, pieces_of
from glassmind.context.passages import LineRange

PARTS = st.sampled_from((
    "---\n", "tags: [tea]\n", "```\n", "~~~~\n", "$$\n", "$$ x $$ ", "%%", "<!--",
    "-->", "> ", "- ", "- [x] ", "1. ", "| ", "|---|\n", "a | b\n", "\\|", "===\n",
    "# ", "[^1]: ", "> [!tip]- ", "[[", "]]", "![[", "\r\n", "\n", "\n\n", "\t",
    " ^id\n",
    "Oolong rests for a day. ", "緑茶は熱い。", "\u200b", "\u2028", "?", "(", ")", ": ",
))  # fmt: skip
NOTES = st.one_of(st.text(max_size=300), st.lists(PARTS, max_size=30).map("".join))


def whole(text: str, *, first_line: int = 1) -> LineRange:
    """Return a text as a passage that was found whole."""
    return LineRange(text, first_line, (0, len(text)), ((0, ()),), ends=True)


def told(text: str) -> list[str]:
    return [piece.text for piece in pieces_of(whole(text))]


@given(NOTES, st.integers(0, 300), st.integers(0, 300))
@example("---\na: b\n---", 0, 12)
@example("---\r\na:\r\n  - b c d e\r\n---\r\n", 0, 300)
@example("a|b\n-|-\n", 0, 300)
def test_any_text_has_pieces_that_stand_in_it(text: str, one: int, two: int) -> None:
    focus = (min(one, two, len(text)), min(max(one, two), len(text)))
    stretch = whole(text)._replace(focus=focus)

    found = pieces_of(stretch)

    assert found == sorted(found, key=lambda piece: piece.start)
    for piece in found:
        assert focus[0] <= piece.start < focus[1]
        assert piece.start < piece.end <= len(text)
        assert "\n" not in piece.text
        assert 0 < len(piece.text) <= MOST_CHARS
        assert (piece.kind == "property") == (piece.start < stretch.body)
        if piece.kind == "row":
            assert "\n" not in text[piece.start : piece.end]
            assert "|" in text[piece.start : piece.end]


@given(NOTES)
def test_letters_of_pieces_are_of_the_note_alone(text: str) -> None:
    letters = {*text, " ", ":", ";", ","}

    assert all(letters.issuperset(piece.text) for piece in pieces_of(whole(text)))


@pytest.mark.parametrize(
    "unit", ["|", "[[", ">", "> ", "-", "- ", "|-", "`", "%%", "<!--", "(", "\\|", "$$"]
)
def test_a_line_as_long_as_a_book_takes_time_by_its_length(unit: str) -> None:
    def spent(size: int) -> float:
        text = unit * (size // len(unit)) + "x"
        begun = process_time()
        pieces_of(whole(text)._replace(focus=(0, 4_000)))
        return process_time() - begun

    # ten times as much would be a hundred times as long, were it by the square
    assert spent(1_000_000) <= 40 * spent(100_000) + 0.5


def test_a_sentence_in_a_line_as_long_as_a_book_is_told() -> None:
    filler, said = "Nothing to see here at all. ", "The ferry leaves at nine."
    text = f"{filler * 9_000}{said} {filler * 9_000}"
    at = text.index(said)

    found = pieces_of(whole(text)._replace(focus=(at, at + 40)))

    assert found[0] == Sentence(at, at + len(said), said)
    assert all(piece.text in (said, filler.strip()) for piece in found)


TABLE = ["Stop: Quay; Time: 9:15", "Stop: Mill; Time: 9:40"]


@pytest.mark.parametrize(
    "text",
    [
        "| Stop | Time |\n|---|---|\n| Quay | 9:15 |\n| Mill | 9:40 |\n",
        "Stop | Time\n--- | ---\nQuay | 9:15\nMill | 9:40\n",
        "|Stop|Time|\r\n|:--|--:|\r\n|Quay|9:15|\r\n|Mill|9:40|\r\n",
        "> | Stop | Time |\n> | --- | --- |\n> | Quay | 9:15 |\n> | Mill | 9:40 |",
        "Rides:\n| Stop | Time |\n|-|-|\n| Quay | 9:15 |\n| Mill | 9:40 |\n# On\n",
    ],
    ids=["piped", "bare", "crlf", "quoted", "below text"],
)
def test_a_row_says_which_column_each_value_is_of(text: str) -> None:
    found = [piece for piece in pieces_of(whole(text)) if piece.kind == "row"]

    assert [one.text for one in found] == TABLE


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("| | 9:15 | slow |", "Time: 9:15; Note: slow"),
        ("|| 9:15 ||", "Time: 9:15"),
        ("| [[Quay\\|The quay]] | 9:15 | |", "Stop: [[Quay|The quay]]; Time: 9:15"),
        ("| Quay | 9:15 | slow | more |", "Stop: Quay; Time: 9:15; Note: slow; more"),
        ("| Quay at low water |", "Stop: Quay at low water"),
    ],
)
def test_values_stay_in_their_columns(row: str, said: str) -> None:
    assert told(f"| Stop | Time | Note |\n|---|---|---|\n{row}\n") == [said]


def test_rows_whose_head_is_elsewhere_are_told_without_names() -> None:
    assert told("| Quay | 9:15 |\n| Mill | 9:40 |\n") == ["Quay; 9:15", "Mill; 9:40"]


def test_a_pipe_makes_no_table() -> None:
    assert told("Either tea | or coffee.\nThen a walk.\n") == [
        "Either tea | or coffee.",
        "Then a walk.",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- [ ] Oil the hinge\n- [x] Paint it", ["Oil the hinge", "Paint it"]),
        ("- Sails\n  - mend the jib\n    1. buy twine", ["mend the jib", "buy twine"]),
        ("- The jib\n  is torn.\n", ["The jib is torn."]),
        ("> The tide\n> turns at six.\n", ["The tide turns at six."]),
        ("> [!tip] On tides\n> It turns at six.\n", ["On tides", "It turns at six."]),
        ("> [!tip|wide]- \n> It turns at six.\n", ["It turns at six."]),
        ("The tide turns.[^1]\n\n[^1]: As told by Ferrin.\n",
         ["The tide turns.[^1]", "As told by Ferrin."]),
        ("It turns at six. ^tide-1\n\n^another\n", ["It turns at six."]),
        ("Text above.\r\nIt goes on.\r\n", ["Text above.", "It goes on."]),
        ("Text above.\n> A quotation.\n", ["Text above.", "A quotation."]),
        ("Tides of the bay\n===\nThey turn.\n", ["They turn."]),
        ("Tides of the bay\n---\nThey turn.\n", ["They turn."]),
        ("- Tides of the bay\n---\nThey turn.\n", ["Tides of the bay", "They turn."]),
        ("# Tides of the bay\nThey turn.\n***\nAt six.\n", ["They turn.", "At six."]),
    ],
)  # fmt: skip
def test_lines_are_told_without_their_marks(text: str, said: list[str]) -> None:
    assert told(text) == said


@pytest.mark.parametrize(
    "hidden",
    [
        "```\nkeep = out. It is code.\n$$\n~~~\nmore of it.\n```\n",
        "````md\n```\nStill code here.\n```\nAnd here.\n````\n",
        "~~~ python\nkeep = out\n```\n~~~\n",
        "$$\nx = y + z\n$$\n",
        "- ```sh\n  rm everything\n  ```\n",
        "> ```\n> keep out of this\n> ```\n",
        "> ```\n> it is never closed\n",
        "%%\nFor me alone. Nobody reads it.\n\nNot even this.\n%%\n",
        "<!--\nFor me alone. Nobody reads it.\n\nNot even this.\n-->\n",
        "For me %% and more. Secretly. %%\n",
        "For me <!-- and more. Secretly. -->\n",
        "> %%\n> For me alone. Nobody reads it.\n> %%\n",
        "A sentence with \u200bletters without width.\n",
        "Is this an answer?\n",
        "A heading of its own.\n====\n",
        "A heading\nof two lines.\n-\n",
        "> A heading in a quotation.\n> ---\n",
        "![[A picture.png]]\n",
    ],
)
def test_what_is_code_or_hidden_or_asks_is_not_told(hidden: str) -> None:
    assert told(f"Said before.\n\n{hidden}\nSaid behind.\n") == [
        "Said before.",
        "Said behind.",
    ]


@pytest.mark.parametrize("opens", ["```", "~~~~", "$$", "%%", "<!--"])
def test_what_is_never_closed_hides_the_rest(opens: str) -> None:
    assert told(f"Said before.\n\n{opens}\nNot said.\n\n# Nor\n\nthis.\n") == [
        "Said before."
    ]


def test_signs_of_comments_in_code_hide_no_other_sentence() -> None:
    text = "It is hidden. Write `%%` or `<!--` around it. Then save.\n\nGo on.\n"

    assert told(text) == ["It is hidden.", "Then save.", "Go on."]


def test_mathematics_in_a_line_hides_no_other_line() -> None:
    assert told("$$ x = 1 $$\n\nThen go on.\n")[-1] == "Then go on."


PROPERTIES = (
    '---\ntags:\n  - boat\n  - small\nowner: "Ferrin: the elder"\nempty:\n'
    "list: [oak, pine]\n# a comment\nsummary: |\n  It leaks\n  at the bow\n"
    "'berth': 'C 4'\n---\nIt was built in 1931.\n"
)  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_properties_are_told_with_what_stands_below_their_names(end: str) -> None:
    found = pieces_of(whole(PROPERTIES.replace("\n", end)))

    assert [(one.kind, one.text) for one in found] == [
        ("property", "tags: boat, small"),
        ("property", "owner: Ferrin: the elder"),
        ("property", "list: [oak, pine]"),
        ("property", "summary: It leaks, at the bow"),
        ("property", "berth: C 4"),
        ("sentence", "It was built in 1931."),
    ]


def test_only_the_head_of_a_note_has_properties() -> None:
    found = pieces_of(whole("---\nowner: Ferrin\n---\n", first_line=4))

    assert all(one.kind == "sentence" for one in found)


def test_pieces_are_those_that_begin_in_what_was_found() -> None:
    text = "Tea rests.\n\nThe ferry leaves. It comes back.\n\nCoffee is hot.\n"
    focus = (text.index("The"), text.index("Coffee"))

    found = pieces_of(whole(text)._replace(focus=focus))

    assert [one.text for one in found] == ["The ferry leaves.", "It comes back."]
    assert [text[one.start : one.end] for one in found] == [one.text for one in found]
