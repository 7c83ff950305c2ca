"""Words of every script are found, marked where they stand."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vault_harness import VaultHarness

from glassmind.store.lexical import analysis


def marked(vault: VaultHarness, text: str) -> list[list[str]]:
    """Return the marked stretches of each hit's snippet."""
    return [
        [hit.snippet.text[a:b] for a, b in hit.snippet.marks]
        for hit in vault.ask(text).hits
    ]


@pytest.mark.parametrize(
    ("text", "query", "stretch"),
    [
        ("私は緑茶が好きです", "緑茶", "緑茶"),
        ("我喜欢喝绿茶", "绿茶", "绿茶"),
        ("나는 녹차를 좋아한다", "녹차", "녹차"),
        ("ฉันชอบชาเขียว", "ชาเขียว", "ชาเขียว"),
        ("カタカナ語のテスト", "カタカナ", "カタカナ"),
        ("𠮷野家で食べた", "𠮷野", "𠮷野"),
    ],
)
def test_any_stretch_of_a_run_without_spaces_is_found(
    vault: VaultHarness, text: str, query: str, stretch: str
) -> None:
    vault.indexed({"A.md": f"before {text} after", "B.md": "something else 別物"})

    assert vault.found(query) == ["A.md"]
    assert "".join(marked(vault, query)[0]) == stretch


def test_a_single_character_is_found(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "私は猫が好き", "B.md": "私は犬が好き"})

    assert vault.found("猫") == ["A.md"]
    assert marked(vault, "猫") == [["猫"]]


def test_a_single_character_is_found_as_a_phrase_and_excluded(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "私は猫が好き", "B.md": "私は犬が好き"})

    assert vault.found('"猫"') == ["A.md"]
    assert vault.found("好き -猫") == ["B.md"]
    assert vault.found("-猫") == ["B.md"]


def test_a_phrase_without_spaces_must_stand_whole(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "東京都庁に行く", "B.md": "京都と東京の庁"})

    assert vault.found('"東京都庁"') == ["A.md"]


def test_a_word_of_two_scripts_is_found_by_either_and_by_both(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {"Both.md": "the 東京tower view", "X.md": "a 東京", "Y.md": "a tower"}
    )

    assert sorted(vault.found("東京")) == ["Both.md", "X.md"]
    assert sorted(vault.found("tower")) == ["Both.md", "Y.md"]
    assert vault.found("東京tower")[0] == "Both.md"


def test_each_part_of_a_word_of_two_scripts_is_marked(vault: VaultHarness) -> None:
    vault.indexed({"Both.md": "the 東京tower view"})

    assert marked(vault, "tower") == [["tower"]]
    assert marked(vault, "東京") == [["東京"]]
    assert marked(vault, "東京tower") == [["東京", "tower"]]


def test_a_phrase_of_two_scripts_needs_them_both(vault: VaultHarness) -> None:
    vault.indexed(
        {"Both.md": "the 東京tower view", "X.md": "a 東京", "Y.md": "a tower"}
    )

    assert vault.found('"東京tower"') == ["Both.md"]
    assert sorted(vault.found('view -"東京tower" tower 東京')) == ["X.md", "Y.md"]


def test_titles_and_headings_without_spaces_are_found(vault: VaultHarness) -> None:
    vault.indexed({"緑茶.md": "x", "B.md": "# 烏龍茶の話\n\ntext"})

    assert vault.found("緑茶") == ["緑茶.md"]
    assert vault.found("烏龍茶") == ["B.md"]


@pytest.mark.parametrize("query", ["cafe", "café", "CAFÉ", "cafe\u0301"])
@pytest.mark.parametrize("text", ["a café here", "a cafe\u0301 here", "a cafe here"])
def test_accents_do_not_matter_and_the_word_is_marked(
    vault: VaultHarness, query: str, text: str
) -> None:
    vault.indexed({"A.md": text, "B.md": "nothing"})

    assert vault.found(query) == ["A.md"]
    ((stretch, *_),) = marked(vault, query)
    assert stretch in {"café", "cafe", "cafe\u0301"}


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Ελληνικά κείμενα", "ελληνικά"),
        ("Привет мир", "привет"),
        ("naïve Übergröße", "ubergroße"),
        ("smörgåsbord", "smorgasbord"),
        ("שלום עולם", "שלום"),
        ("مرحبا بالعالم", "مرحبا"),
        ("नमस्ते दुनिया", "दुनिया"),
    ],
)
def test_other_alphabets_are_found_whatever_their_case(
    vault: VaultHarness, text: str, query: str
) -> None:
    vault.indexed({"A.md": text, "B.md": "nothing"})

    assert vault.found(query) == ["A.md"]
    assert len(marked(vault, query)[0]) == 1


def test_a_tag_without_spaces_is_found_by_filter_and_by_word(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "text #日本語/文法", "B.md": "text"})

    assert vault.found("tag:日本語") == ["A.md"]
    assert vault.found("日本語") == ["A.md"]


def test_a_property_without_spaces_is_found_by_filter(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "---\n著者: 夏目漱石\n---\ntext", "B.md": "text"})

    assert vault.found("[著者]") == ["A.md"]
    assert vault.found("[著者:夏目漱石]") == ["A.md"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Łódź", "lodz"),
        ("lodz", "Łódź"),
        ("Straße", "strasse"),
        ("Ærø", "aero"),
        ("ﬁnal", "final"),
        ("\uff37\uff49\uff44\uff45", "wide"),
        ("Ⓐ", "a"),
        ("naïve “quoted” — words…", "naive quoted"),
        ("Ωμέγα", "ωμέγα"),
        ("1.5 \u212b long", '"1.5 å long"'),
        ("\u212bngström unit", '"angstrom unit"'),
        ("\u212bngström", "angs*"),
        ("nai\u0308ve", "naive"),
        ("nai\u0308ve", "na\u00efve"),
    ],
)
def test_letters_are_found_by_their_plain_forms_and_the_other_way_round(
    vault: VaultHarness, text: str, query: str
) -> None:
    vault.indexed({"A.md": f"{text} here", "B.md": "something else"})

    assert vault.found(query) == ["A.md"]


@given(st.text())
def test_what_was_prepared_for_the_index_holds_nothing_left_to_fold(text: str) -> None:
    prepared = analysis.prepared(text)

    assert analysis.prepared(prepared) == prepared or analysis.has_unspaced(text)
    assert terms_indexed(prepared) == analysis.exact.analyze(prepared)


@pytest.mark.slow
def test_every_letter_there_is_leaves_nothing_to_fold() -> None:
    letters = (chr(code) for code in range(sys.maxunicode + 1))
    text = analysis.prepared(" ".join(c for c in letters if c.isalnum()))

    assert terms_indexed(text) == analysis.exact.analyze(text)


def terms_indexed(text: str) -> list[str]:
    """Return the terms of a text that can be asked for."""
    found = analysis._analyzer(stem=False, asked=False).analyze(text)
    return [term for term in found if len(term.encode()) < analysis.LONGEST_WORD]
