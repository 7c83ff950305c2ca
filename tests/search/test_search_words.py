"""Words find passages: wanted, exact, excluded, begun, misspelt, inflected."""

import pytest
from vault_harness import VaultHarness

from glassmind.errors import NothingAsked

FILLER = {f"filler/{n}.md": f"filler text number {n}" for n in range(10)}


def test_every_word_is_optional_and_more_of_them_are_better(
    vault: VaultHarness,
) -> None:
    vault.indexed({
        "One.md": "oolong leaves", "Both.md": "oolong porcelain", "None.md": "nothing",
    })  # fmt: skip

    assert vault.found("oolong porcelain") == ["Both.md", "One.md"]


def test_a_rarer_word_weighs_more(vault: VaultHarness) -> None:
    common = {f"{n}.md": "kettle" for n in range(8)}
    vault.indexed({**common, "Rare.md": "samovar"})

    assert vault.found("kettle samovar")[0] == "Rare.md"


def test_case_does_not_matter(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "OoLong"})

    assert vault.found("oolong") == vault.found("OOLONG") == ["A.md"]


def test_a_word_nobody_wrote_finds_nothing(vault: VaultHarness) -> None:
    vault.indexed(FILLER)

    assert vault.found("zyzzyva") == []


@pytest.mark.parametrize("text", ["", "   ", "\t\n"])
def test_a_query_that_says_nothing_is_refused(vault: VaultHarness, text: str) -> None:
    vault.indexed(FILLER)

    with pytest.raises(NothingAsked, match="words or a filter"):
        vault.ask(text)


@pytest.mark.parametrize("text", ["!!! ??? ...", "*", "-", "#", '""'])
def test_a_query_of_marks_alone_finds_nothing(vault: VaultHarness, text: str) -> None:
    vault.indexed(FILLER)

    reply = vault.ask(text)

    assert (reply.query, reply.hits) == (text, ())


def test_words_that_say_nothing_are_sought_when_there_are_no_others(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "to be or not to be", "B.md": "question"})

    assert vault.found("to be or not to be") == ["A.md"]


def test_words_that_say_nothing_do_not_find_passages_beside_those_that_do(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "what is this", "B.md": "entropy"})

    assert vault.found("what is entropy") == ["B.md"]


def test_a_phrase_must_stand_to_the_letter(vault: VaultHarness) -> None:
    vault.indexed({
        "Yes.md": "the green tea house", "No.md": "tea of green leaves",
        "Far.md": "green and black tea", "Near.md": "green teas",
    })  # fmt: skip

    assert vault.found('"green tea"') == ["Yes.md"]


def test_punctuation_and_line_ends_do_not_break_a_phrase(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "a green,\ntea house", "B.md": "green-tea"})

    assert sorted(vault.found('"green tea"')) == ["A.md", "B.md"]


def test_a_phrase_is_required_and_words_beside_it_are_not(vault: VaultHarness) -> None:
    vault.indexed({
        "Phrase.md": "green tea", "Both.md": "green tea porcelain",
        "Word.md": "porcelain",
    })  # fmt: skip

    assert vault.found('"green tea" porcelain') == ["Both.md", "Phrase.md"]


def test_a_phrase_may_stand_in_a_title_or_heading(vault: VaultHarness) -> None:
    vault.indexed({"Green Tea.md": "x", "B.md": "# Of green tea\n\nbody"})

    assert sorted(vault.found('"green tea"')) == ["B.md", "Green Tea.md"]


def test_a_phrase_of_one_word_is_that_word_and_no_other_form(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "he runs", "B.md": "while running"})

    assert vault.found('"runs"') == ["A.md"]


def test_an_excluded_word_takes_passages_away(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "green tea", "B.md": "green bag", "C.md": "green"})

    assert sorted(vault.found("green -bag")) == ["A.md", "C.md"]


def test_an_excluded_phrase_takes_only_passages_with_all_of_it_away(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {"A.md": "green tea bag", "B.md": "green bag of tea", "C.md": "green"}
    )

    assert sorted(vault.found('green -"tea bag"')) == ["B.md", "C.md"]


def test_a_query_of_exclusions_alone_lists_the_rest_newest_first(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Old.md": "tea", "Mid.md": "cup", "New.md": "pot"})

    assert vault.found("-cup") == ["New.md", "Old.md"]


def test_a_prefix_finds_every_word_that_begins_so(vault: VaultHarness) -> None:
    vault.indexed(
        {"A.md": "darjeeling", "B.md": "dart", "C.md": "radar", "Darn.md": "x"}
    )

    assert sorted(vault.found("dar*")) == ["A.md", "B.md", "Darn.md"]


def test_a_prefix_ending_in_the_middle_of_two_words_takes_the_last(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "well-knownish", "B.md": "wellness"})

    assert vault.found("well-known*") == ["A.md"]


@pytest.mark.parametrize("typo", ["porcelan", "porcelainn", "procelain", "porselain"])
def test_a_misspelt_word_finds_what_was_meant(vault: VaultHarness, typo: str) -> None:
    vault.indexed({**FILLER, "Cup.md": "porcelain"})

    (hit,) = vault.ask(typo).hits

    assert hit.path == "Cup.md"
    assert hit.snippet.marks == ((0, 9),)


def test_a_misspelt_title_is_found_too(vault: VaultHarness) -> None:
    vault.indexed({**FILLER, "Porcelain.md": "x"})

    assert vault.found("porcelan") == ["Porcelain.md"]


def test_a_known_word_is_never_corrected(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "casual", "B.md": "causal"})

    assert vault.found("causal") == ["B.md"]


def test_another_form_of_a_word_finds_it_and_the_exact_form_is_preferred(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "she runs far away", "B.md": "running so far away"})

    assert vault.found("running") == ["B.md", "A.md"]
    assert vault.found("runs") == ["A.md", "B.md"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("samovar", "title"),
        ("teapot", "aliases"),
        ("ceremony", "headings"),
        ("brewing", "tags"),
        ("kyoto", "properties"),
        ("drinks", "path"),
        ("whisk", "body"),
    ],
)
def test_a_word_is_found_in_every_part_of_a_note_and_the_hit_says_where(
    vault: VaultHarness, query: str, field: str
) -> None:
    note = (
        "---\naliases: [Teapot]\nplace: Kyoto\ntags: [brewing]\n---\n"
        "# The ceremony\n\nA whisk.\n"
    )
    vault.indexed({**FILLER, "drinks/Samovar.md": note})

    (hit,) = vault.ask(query, explain=True).hits

    (why,) = hit.evidence
    assert hit.path == "drinks/Samovar.md"
    assert field in why.fields
    assert why.reason.startswith("words found")
    assert why.channel == "lexical"


def test_a_word_in_title_and_text_beats_the_same_word_in_the_text_alone(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {**FILLER, "Samovar.md": "a samovar here", "Note.md": "a samovar here"}
    )

    assert vault.found("samovar") == ["Samovar.md", "Note.md"]


def test_two_words_next_to_each_other_beat_the_same_words_apart(
    vault: VaultHarness,
) -> None:
    vault.indexed({
        "Apart.md": "green is the colour of some kinds of tea",
        "Near.md": "colour of the green tea is some kinds of",
    })  # fmt: skip

    assert vault.found("green tea") == ["Near.md", "Apart.md"]


def test_a_word_longer_than_any_index_takes_finds_nothing_and_breaks_nothing(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "x" * 5000 + " tea"})

    assert vault.found("x" * 5000) == []
    assert vault.found(f'"{"x" * 5000}"') == []
    assert vault.found("tea") == ["A.md"]


def test_every_heading_of_a_chunk_is_searched_even_those_inside_it(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "# One\n\na\n\n## Twoish\n\nb\n", "B.md": "x"})

    (hit,) = vault.ask("twoish", explain=True).hits

    assert "headings" in hit.evidence[0].fields


def test_the_note_that_is_called_what_was_typed_comes_first(
    vault: VaultHarness,
) -> None:
    vault.indexed({
        "Note.md": "a samovar here, the samovar there, a samovar everywhere",
        "Samovar.md": "a brass urn",
        "Other.md": "---\naliases: [Tula urn]\n---\nwater for many",
        "More.md": "an urn from Tula and another Tula urn",
    })  # fmt: skip

    assert vault.found("samovar")[0] == "Samovar.md"
    assert vault.found("tula urn")[0] == "Other.md"


def test_a_guessed_word_is_named_with_the_one_that_was_typed(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "the heron stands", "B.md": "word7 and word29"})

    (hit,) = vault.ask("hernn").hits

    assert hit.evidence[0].reason == "words found: heron (for hernn)"
    assert vault.found("word9") == []


def test_throwing_the_word_index_away_leaves_files_that_are_not_of_it(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "the heron stands"})
    kept = vault.folder / "lexical" / "precious.txt"
    kept.write_text("mine", "utf-8")

    vault.index(rebuild=True)

    assert kept.read_text("utf-8") == "mine"
    assert vault.found("heron") == ["A.md"]
