"""The sentence around a link, as it is written."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vault_harness import VaultHarness

from glassmind.obsidian.text import LONGEST, sentence_at, sentences_in
from glassmind.store.sqlite.store import SqliteStore


def told(vault: VaultHarness, path: str) -> list[str]:
    """Return the sentence around each link of a note, in order."""
    note_id = vault.value("select id from files where path = ?", path)
    count = vault.value("select count(*) from links where note_id = ?", note_id)
    rows = SqliteStore(vault.folder).rows()
    found = rows.link_sentences([(note_id, seq) for seq in range(count)])
    return [found[note_id, seq] for seq in range(count)]


def around(text: str, link: str = "[[Tea]]", nth: int = 0) -> str:
    """Return the sentence around a link of a text."""
    at = text.find(link)
    for _ in range(nth):
        at = text.find(link, at + 1)
    return sentence_at(text, at, at + len(link))


def test_a_sentence_is_told_from_those_beside_it() -> None:
    text = "Nothing here. We saw [[Tea]] at noon! Then rain."

    assert around(text) == "We saw [[Tea]] at noon!"


def test_a_paragraph_of_several_lines_is_one_text() -> None:
    text = "Above.\n\nA line that\ngoes on to [[Tea]]\nand ends. More.\n\nBelow."

    assert around(text) == "A line that goes on to [[Tea]] and ends."


def test_a_full_stop_inside_a_link_ends_nothing() -> None:
    text = "Now. See [[No. 7. Tea]] now. Then."

    assert around(text, "[[No. 7. Tea]]") == "See [[No. 7. Tea]] now."


@pytest.mark.parametrize(
    "text",
    [
        "See e.g. [[Tea]] or Mr. Smith on it.",
        "Prof. (Dr. J. Smith) had [[Tea]], milk etc. and left.",
        "Das ist z.B. [[Tea]] bzw. Kaffee.",
    ],
)
def test_a_word_that_is_shortened_ends_no_sentence(text: str) -> None:
    assert around(f"Before. {text} Behind.") == text


def test_a_list_that_ends_in_etc_ends_its_sentence() -> None:
    assert around("We had [[Tea]] etc. Then rain.") == "We had [[Tea]] etc."


def test_an_item_a_heading_and_a_row_stand_for_themselves() -> None:
    text = (
        "# On [[Tea]]\nWords.\n- one. [[Tea]] two. three\n- other\n| [[Tea]] | 1. 2 |"
    )

    assert around(text) == "On [[Tea]]"
    assert around(text, nth=1) == "one. [[Tea]] two. three"
    assert around(text, nth=2) == "| [[Tea]] | 1. 2 |"


def test_code_that_is_fenced_is_no_part_of_a_sentence() -> None:
    assert around("```\n[[Tea]]\n```\nReal [[Tea]] now.", nth=1) == "Real [[Tea]] now."


def test_the_same_link_twice_on_a_line_is_two_sentences() -> None:
    text = "First [[Tea]] here. Then [[Tea]] there."

    assert around(text, nth=1) == "Then [[Tea]] there."


def test_a_quotation_loses_its_marks() -> None:
    text = "> [!note] Hm\n> So [[Tea]]\n> it is."

    assert around(text) == "[!note] Hm So [[Tea]] it is."


def test_of_a_long_sentence_the_words_around_the_link_are_kept() -> None:
    text = "word " * 200 + "[[Tea]]" + " word" * 200

    found = around(text)

    assert "[[Tea]]" in found
    assert found.startswith("…word")
    assert found.endswith("word…")
    assert len(found) <= LONGEST + 2


@given(
    st.text(alphabet="ab. \n\r#>|-*[`é", max_size=200),
    st.integers(0, 220),
    st.integers(0, 20),
)
def test_any_place_has_some_sentence_without_line_ends(
    text: str, start: int, length: int
) -> None:
    found = sentence_at(text, start, start + length)

    assert "\n" not in found
    assert len(found) <= LONGEST + 2


WORDS = st.sampled_from([
    "Tea is good", "über [[Tea]] 茶 go", "[x](Tea.md) `[[Tea]]` we", "- [ ] a [[Tea]]",
    "> so [[Tea ceremony]]", "# [[Tea]]", "long " * 90, "", "| [[Tea]] | b |",
])  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(WORDS, st.sampled_from([". ", "\n", "\n\n"])), max_size=40))
def test_the_sentence_of_a_link_holds_that_very_link(
    tmp_path_factory: pytest.TempPathFactory, parts: list[tuple[str, str]]
) -> None:
    text = "".join(f"{part}{end}" for part, end in parts)
    vault = VaultHarness(tmp_path_factory.mktemp("said"))
    vault.indexed({"a.md": text, "Tea.md": "", "Tea ceremony.md": ""})

    said = told(vault, "a.md")

    links = vault.rows("select l.start_byte, l.end_byte from links l order by l.seq")
    raw = text.encode()
    assert all(
        raw[start:end].decode() in sentence
        for (start, end), sentence in zip(links, said, strict=True)
    )
    vault.close()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Go (now! or later) on. End.", ["Go (now! or later) on.", "End."]),
        ("Go (now! Then rest. End.", ["Go (now!", "Then rest.", "End."]),
        ("Go :( Why? Because (so). End.", ["Go :( Why?", "Because (so).", "End."]),
        ("Go. (See there. Or here.) End.", ["Go.", "(See there. Or here.) End."]),
    ],
)
def test_a_sentence_does_not_end_inside_a_bracket(text: str, said: list[str]) -> None:
    assert sentences_in(text) == said


def test_every_kind_of_link_has_its_sentence(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "a.md": '---\nup: "[[b]]"\n---\nHe [b](b.md). She [[b]]. They ![[b]]!\n',
            "b.md": "",
        }
    )

    assert told(vault, "a.md") == [
        "up: [[b]]",
        "He [b](b.md).",
        "She [[b]].",
        "They ![[b]]!",
    ]


def test_a_link_that_is_gone_has_no_sentence(vault: VaultHarness) -> None:
    vault.indexed({"a.md": "[[b]]"})
    rows = SqliteStore(vault.folder).rows()

    assert rows.link_sentences([(1, 7), (99, 0)]) == {}


PLACES: dict[str, str | bytes] = {
    "Tea.md": "",
    "Tea ceremony.md": "",
    "Two words.md": "",
    "names.md": "I saw a [[Tea ceremony]] there. At home I have [[Tea]] alone.",
    "paths.md": "First. I read [this](Two%20words.md). Then [that](<Two words.md>).",
    "code.md": "Use `[[Tea]]` so. But really [[Tea]] is good.",
    "case.md": "Über 茶 [[tea]] one. Then [[Tea]] two.",
    "long.md": "We walked along the river. " * 200
    + "Then we met over [[Tea]] at last.",
    "many.md": "One [[Tea]]. " + "[[Two words]] " * 80 + ". Two [[Tea]] here.",
}


def test_a_link_is_told_from_what_looks_like_it(vault: VaultHarness) -> None:
    vault.indexed(PLACES)

    assert told(vault, "names.md") == [
        "I saw a [[Tea ceremony]] there.",
        "At home I have [[Tea]] alone.",
    ]
    assert told(vault, "paths.md") == [
        "I read [this](Two%20words.md).",
        "Then [that](<Two words.md>).",
    ]
    assert told(vault, "code.md") == ["But really [[Tea]] is good."]
    assert told(vault, "case.md") == ["Über 茶 [[tea]] one.", "Then [[Tea]] two."]
    assert told(vault, "long.md") == ["Then we met over [[Tea]] at last."]
    assert (told(vault, "many.md")[0], told(vault, "many.md")[-1]) == (
        "One [[Tea]].",
        "Two [[Tea]] here.",
    )
