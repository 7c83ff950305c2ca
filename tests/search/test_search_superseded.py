"""A note that another has taken the place of ranks below it, and says so."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from semantic_harness import MeaningHarness
from vault_harness import VaultHarness

from glassmind.model.search import Hit, Successor
from glassmind.search.ranking import losses
from glassmind.search.semantic import SemanticSearch

OLD = "The pump runs on propane. The pump of the pump house. Pump, pump, pump.\n"
NEW = "The pump runs on butane since spring, and everything else stays as it was.\n"


def put(old: str) -> dict[str, str]:
    return {
        "Old.md": f"---\n{old}\n---\n# Pump\n{OLD}",
        "New.md": f"# Pump\n{NEW}",
        "Tea.md": "Oolong, and how a pump is no part of it at all.\n",
    }


def the(hits: tuple[Hit, ...], path: str) -> Hit:
    return next(hit for hit in hits if hit.path == path)


@pytest.mark.parametrize("mode", ["fulltext", "hybrid"])
@pytest.mark.parametrize(
    "said", ['superseded-by: "[[New]]"', 'superseded_by:\n  - "[[New|the new one]]"']
)
def test_the_old_comes_below_the_new_however_well_it_matches(
    meaning: MeaningHarness, mode: str, said: str
) -> None:
    meaning.indexed(put("kind: note"))
    before = meaning.found("pump", mode=mode)
    meaning.indexed(put(said))

    found = meaning.ask("pump", mode=mode)

    assert before[0] == "Old.md"
    paths = [str(hit.path) for hit in found.hits]
    assert paths.index("New.md") < paths.index("Old.md")
    assert found.hits[0].relevance == pytest.approx(1.0)


@pytest.mark.parametrize("mode", ["fulltext", "hybrid"])
def test_what_it_lost_is_one_of_its_shares(meaning: MeaningHarness, mode: str) -> None:
    meaning.indexed(put('superseded-by: "[[New]]"'))

    old = the(meaning.ask("pump", mode=mode).hits, "Old.md")

    lost = next(
        adjustment for adjustment in old.adjustments if adjustment.name == "superseded"
    )
    assert lost.share < 0
    assert lost.reason == "superseded by New"
    votes = sum(one.share for one in old.evidence)
    assert votes + sum(a.share for a in old.adjustments) == pytest.approx(old.score)


@pytest.mark.parametrize("unique", ["notes", "chunks"])
@pytest.mark.parametrize("fusion", ["minmax", "rrf", "weighted_rrf", "weighted_sum"])
def test_that_holds_for_every_fusion_and_for_passages(
    meaning: MeaningHarness, fusion: str, unique: str
) -> None:
    meaning.indexed(put('superseded-by: "[[New]]"'))

    found = meaning.found("pump", mode="hybrid", fusion=fusion, unique=unique)

    assert found.index("New.md") < found.index("Old.md")


def test_one_whose_successor_is_no_note_loses_a_little(vault: VaultHarness) -> None:
    vault.indexed(put("superseded-by: a letter that was lost"))

    old = the(vault.ask("pump").hits, "Old.md")

    assert old.adjustments[0].reason == "superseded by a letter that was lost"
    assert old.score > 0


@pytest.mark.parametrize("mode", ["fulltext", "hybrid"])
@pytest.mark.parametrize("link", ["[[New]]", "[the new one](New.md)"])
def test_what_no_longer_exists_takes_the_place_of_nothing(
    meaning: MeaningHarness, mode: str, link: str
) -> None:
    meaning.indexed(put(f'superseded-by: "{link}"'))
    meaning.remove("New.md")
    meaning.index()

    old = the(meaning.ask("pump", mode=mode).hits, "Old.md")

    assert not any(adjustment.name == "superseded" for adjustment in old.adjustments)


def test_a_successor_with_another_name_is_found_by_what_it_supersedes(
    vault: VaultHarness,
) -> None:
    new = {"New.md": f'---\nsupersedes: ["[[Old]]"]\n---\n# Pump\n{NEW}'}
    vault.indexed(put('superseded-by: "[[New]]"') | new)
    vault.move("New.md", "Later/Newer.md")
    vault.index()

    found = vault.ask("pump")

    assert the(found.hits, "Old.md").adjustments[0].reason == "superseded by Newer"
    paths = [str(hit.path) for hit in found.hits]
    assert paths.index("Later/Newer.md") < paths.index("Old.md")


@pytest.mark.parametrize("said", ["superseded-by:", "superseded-by: ''", "tags: []"])
def test_a_property_that_names_nothing_takes_nothing(
    vault: VaultHarness, said: str
) -> None:
    vault.indexed(put(said))

    assert the(vault.ask("pump").hits, "Old.md").adjustments == ()


def test_notes_without_successors_keep_their_scores(vault: VaultHarness) -> None:
    vault.indexed(put('superseded-by: "[[New]]"'))
    hits = vault.ask("pump").hits
    vault.indexed(put("kind: note"))

    now = vault.ask("pump").hits

    assert the(hits, "Tea.md").adjustments == ()
    assert the(now, "Old.md").score > the(hits, "Old.md").score


scores = st.dictionaries(st.integers(1, 8), st.floats(0, 1), max_size=8)
after = st.dictionaries(
    st.integers(1, 8),
    st.builds(Successor, st.integers(0, 8), st.sampled_from(["A", "B"])),
    max_size=8,
)


@given(scores, after, st.floats(0.001, 1))
def test_losses_put_every_chain_in_order(
    scores: Mapping[int, float], after: Mapping[int, Successor], loss: float
) -> None:
    lost = losses(scores, after, loss)

    now = {
        n: score + (lost[n].share if n in lost else 0) for n, score in scores.items()
    }
    assert set(lost) == set(scores) & set(after)
    for note, one in lost.items():
        assert one.share < 0
        chain, at = [note], note
        while at in after and after[at].note_id in scores:
            at = after[at].note_id
            if at in chain:
                break
            chain.append(at)
        else:  # no circle
            assert all(now[a] < now[b] for a, b in pairwise(chain))


class OldFriend:
    """A reader of passages that likes what is old."""

    def scores(self, _: str, passages: Sequence[str], /) -> Iterator[float]:
        """Yield how well each passage answers."""
        yield from (0.99 if "propane" in passage else 0.01 for passage in passages)


def test_no_reader_of_passages_puts_the_old_above_the_new_again(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SemanticSearch, "reranker", lambda _: OldFriend())
    meaning.indexed(put('superseded-by: "[[New]]"'))

    reply = meaning.ask("pump", mode="hybrid", rerank="on")

    paths = [str(hit.path) for hit in reply.hits]
    assert reply.reranked > 0
    assert paths.index("New.md") < paths.index("Old.md")
