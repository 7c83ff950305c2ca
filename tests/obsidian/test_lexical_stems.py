"""What a line of text says of a query's words, told the short way and the long."""

import random

import pytest

from glassmind.store.lexical import analysis

TEXTS = (
    "The dying skies: lying, tying and DYING idly; flies' eyes, by-and-by.",
    "Generously, the generator generates generations_of generic things, 3rd of 33",
    "Ein Café für Ångström, naïve 東京タワー and dashes \u2014 here",
    f"short {'x' * 79} {'y' * 80} {'running' * 30}",
    "",
)


@pytest.mark.parametrize("text", TEXTS)
def test_stems_are_found_as_the_analyzer_finds_them(text: str) -> None:
    every = set(analysis.stemmed.analyze(analysis.prepared(text)))
    chance = random.Random(len(text))
    wanted = {stem for stem in sorted(every) if chance.random() < 0.5} | {"absent"}

    assert analysis.StemFinder(every).stems_in(text) == every
    assert analysis.StemFinder(wanted).stems_in(text) == wanted - {"absent"}


def test_no_word_of_plain_letters_changes_its_initial_when_it_is_stemmed() -> None:
    ends = ("", "ing", "ed", "s", "ies", "y", "ly", "ness", "ational", "'s", "eed")
    middles = ("", "a", "y", "i", "ee", "ck", "yi", "ki", "er")
    typed = [
        f"{first}{middle}{end}"
        for first in "abcdefghijklmnopqrstuvwxyz0123456789"
        for middle in middles
        for end in ends
    ]

    for word in typed:
        (whole, *_) = analysis.stemmed.analyze(word)
        assert whole[0] == word[0]
