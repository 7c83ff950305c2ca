"""The sentence around a link, as it is written."""

from hypothesis import given
from hypothesis import strategies as st
from vault_desk import VaultDesk

from glassmind.markdown.sentences import LONGEST, sentence_at
from glassmind.store.sqlite.net_rows import NetRows
from glassmind.store.sqlite.reader import SqliteReader


def told(vault: VaultDesk, path: str) -> list[str]:
    """Return the sentence around each link of a note, in order."""
    note_id = vault.value("select id from files where path = ?", path)
    count = vault.value("select count(*) from links where note_id = ?", note_id)
    rows = NetRows(SqliteReader(vault.folder).connection())
    found = rows.sentences([(note_id, seq) for seq in range(count)])
    return [found[note_id, seq] for seq in range(count)]


def test_a_sentence_is_told_from_those_beside_it() -> None:
    text = "Nothing here. We saw [[Tea]] at noon! Then rain."

    assert sentence_at(text, 0, "[[Tea") == "We saw [[Tea]] at noon!"


def test_a_paragraph_of_several_lines_is_one_text() -> None:
    text = "Above.\n\nA line that\ngoes on to [[Tea]]\nand ends. More.\n\nBelow."

    assert sentence_at(text, 3, "[[Tea") == "A line that goes on to [[Tea]] and ends."


def test_a_full_stop_inside_a_link_ends_nothing() -> None:
    assert sentence_at("See [[No. 7. Tea]] now.", 0, "[[No. 7. Tea") == (
        "See [[No. 7. Tea]] now."
    )


def test_an_item_a_heading_and_a_row_stand_for_themselves() -> None:
    text = (
        "# On [[Tea]]\nWords.\n- one. [[Tea]] two. three\n- other\n| [[Tea]] | 1. 2 |"
    )

    assert sentence_at(text, 0, "[[Tea") == "On [[Tea]]"
    assert sentence_at(text, 2, "[[Tea") == "one. [[Tea]] two. three"
    assert sentence_at(text, 4, "[[Tea") == "| [[Tea]] | 1. 2 |"


def test_the_same_link_twice_on_a_line_is_two_sentences() -> None:
    text = "First [[Tea]] here. Then [[Tea]] there."

    assert sentence_at(text, 0, "[[Tea", 1) == "Then [[Tea]] there."


def test_a_quotation_loses_its_marks() -> None:
    assert sentence_at("> [!note] Hm\n> So [[Tea]]\n> it is.", 1, "[[Tea") == (
        "[!note] Hm So [[Tea]] it is."
    )


def test_of_a_long_sentence_the_words_around_the_link_are_kept() -> None:
    text = "word " * 200 + "[[Tea]]" + " word" * 200

    found = sentence_at(text, 0, "[[Tea")

    assert "[[Tea]]" in found
    assert found.startswith("…word")
    assert found.endswith("word…")
    assert len(found) <= LONGEST + 2


@given(st.text(alphabet="ab. \n#>|-*[", max_size=200), st.integers(0, 20))
def test_any_text_has_some_sentence_without_line_ends(text: str, line: int) -> None:
    found = sentence_at(text, line, "[[a")

    assert "\n" not in found
    assert len(found) <= LONGEST + 2


def test_every_kind_of_link_has_its_sentence(vault: VaultDesk) -> None:
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


def test_a_link_that_is_gone_has_no_sentence(vault: VaultDesk) -> None:
    vault.indexed({"a.md": "[[b]]"})
    rows = NetRows(SqliteReader(vault.folder).connection())

    assert rows.sentences([(1, 7), (99, 0)]) == {}
