"""Search finds what it should, as well in one script as in another."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import quality

from glassmind import open_vault
from glassmind.evaluation.gold import GoldQuery

WITHIN = 0.03
"""How far Recall@10 in another script may lie below English."""


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, quality.Figures]:
    scratch = tmp_path_factory.mktemp("quality")
    found = {}
    sets = _own_sets(scratch)
    root = scratch / "languages"
    settings = {
        "index.location": str(scratch / "index"),
        "embeddings.backend": "none",
    }
    name, _, asked = next(sets)
    with open_vault(root, settings=settings, env={}) as engine:
        engine.index()
        found[name] = quality.score(engine, asked)
        for name, _, asked in sets:
            found[name] = quality.score(engine, asked)
    return found


def _own_sets(scratch: Path) -> Iterator[tuple[str, Path, list[GoldQuery]]]:
    for name, root, asked in quality.sets(scratch):
        if root != scratch / "languages":
            return
        yield name, root, asked


@pytest.mark.parametrize("language", ["zh", "ja", "ko", "mix"])
def test_notes_in_other_scripts_are_found_as_well_as_english_ones(
    figures: dict[str, quality.Figures], language: str
) -> None:
    english = figures["languages/en"].recall

    found = figures[f"languages/{language}"]

    assert found.queries >= 60
    assert found.recall >= english - WITHIN


def test_english_notes_are_found_in_the_first_ten(
    figures: dict[str, quality.Figures],
) -> None:
    assert figures["languages/en"].recall >= 0.95


def test_nine_of_ten_words_with_one_slip_find_their_note_in_the_first_ten(
    figures: dict[str, quality.Figures],
) -> None:
    found = figures["typos"]

    assert found.queries >= 100
    assert found.recall >= 0.9


@pytest.mark.slow
@pytest.mark.timeout(1800)  # some 9,000 passages are embedded where none were before
def test_real_collections_score_no_lower_than_plain_bm25() -> None:
    if not quality.SHARED.is_dir():
        pytest.skip(
            "no ../shared/data beside the checkout: real collections not scored"
        )
    floors = {"lyz": 0.437, "scifact": 0.667}  # plain BM25, re-implemented apart

    figures = quality.figures_of(["lyz", "scifact"])

    assert figures.keys() == floors.keys()
    for name, floor in floors.items():
        assert figures[name].ndcg >= floor, name
