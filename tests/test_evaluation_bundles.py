"""Bundles hold more of what is relevant than the best chunks of as many tokens."""

import pytest
import quality
from vault_desk import VaultDesk

from glassmind.context.budget import Estimate
from glassmind.evaluation.bundles import bundle_figures, chunks_within
from glassmind.evaluation.gold import GoldQuery
from glassmind.render.evaluation_text import evaluation_as_text
from glassmind.render.style import Style
from glassmind.types.evaluation import EvalReport, Measured

LONG = "The kiln {0} stands here. " + "It is made of bricks of the kind {0}. " * 40


def test_a_bundle_reaches_notes_that_whole_chunks_leave_no_room_for(
    vault: VaultDesk,
) -> None:
    vault.indexed({f"Kiln {n}.md": LONG.format(n) for n in range(8)})
    relevant = {f"Kiln {n}.md": 1.0 for n in range(8)}

    (found,) = bundle_figures(
        vault.engine, [GoldQuery("a", "kiln", relevant)], budgets=[1_500]
    )

    assert found.queries == 1
    assert found.recall > found.plain_recall > 0
    assert found.distinct > found.plain_distinct


def test_notes_that_a_query_is_not_judged_by_are_in_neither(vault: VaultDesk) -> None:
    vault.indexed({"A.md": "The kiln is hot.\n", "B.md": "The kiln is cold.\n"})
    query = GoldQuery("a", "kiln", {"A.md": 1.0}, frozenset(["B.md"]))
    hopeless = GoldQuery("b", "kiln", {"B.md": 1.0}, frozenset(["B.md"]))

    (found,) = bundle_figures(vault.engine, [query, hopeless], budgets=[600])

    assert (found.queries, found.recall, found.plain_recall) == (1, 1.0, 1.0)


def test_chunks_are_taken_in_the_order_of_their_scores(vault: VaultDesk) -> None:
    vault.indexed({f"Kiln {n}.md": LONG.format(n) for n in range(4)})
    reply = vault.ask("kiln", unique="chunks", limit=20)

    some = chunks_within(vault.engine, reply, 1_000, Estimate())
    every = chunks_within(vault.engine, reply, 100_000, Estimate())

    assert reply.hits[0].path in some
    assert some < every == {f"Kiln {n}.md" for n in range(4)}


def test_the_table_has_a_row_for_each_budget(vault: VaultDesk) -> None:
    vault.indexed({"A.md": "The kiln is hot.\n"})
    found = bundle_figures(vault.engine, [GoldQuery("a", "kiln", {"A.md": 1.0})])
    measured = Measured(
        "default",
        1,
        dict.fromkeys(
            ["ndcg@10", "mrr", "hit@1", "hit@5", "hit@10", "recall@10", "recall@100"],
            1.0,
        ),
        {"ndcg@10": (1.0, 1.0)},  # type: ignore[dict-item]
    )
    report = EvalReport("self", "vault", 1, "none", measured, bundles=found)

    text = evaluation_as_text(report, Style())

    assert [line.split()[0] for line in text.splitlines()[-3:]] == [
        "1,000",
        "3,000",
        "6,000",
    ]


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("name", ["lyz", "scifact"])
def test_bundles_beat_the_best_chunks_on_real_collections(name: str) -> None:
    if not quality.SHARED.is_dir():
        pytest.skip("no ../shared/data beside the checkout: bundles not measured")
    (making,) = (bench for known, bench in quality.benches() if known == name)

    with making as bench, bench.open({}) as engine:
        figures = bundle_figures(engine, bench.queries)

    assert [one.budget_tokens for one in figures] == [1_000, 3_000, 6_000]
    for one in figures:
        assert one.recall > one.plain_recall, one
        assert one.distinct > one.plain_distinct, one
