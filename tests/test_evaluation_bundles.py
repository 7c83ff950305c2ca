"""Bundles hold more of what is relevant than the best chunks of as many tokens."""

from dataclasses import replace

import pytest
import quality
from msgspec import structs
from vault_desk import VaultDesk

from glassmind.context.budget import Estimate
from glassmind.evaluation.as_json import evaluation_as_json
from glassmind.evaluation.as_text import evaluation_as_text
from glassmind.evaluation.bundles import (
    SHOWN_TOKENS,
    bundle_figures,
    chunks_within,
    notes_shown,
)
from glassmind.evaluation.gold import GoldQuery
from glassmind.model.context import Bundle
from glassmind.model.evaluation import BundleFigures, EvalReport, Interval, Measured
from glassmind.obsidian.text import Style

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


class Words:
    """Counts words, so that a text has as many tokens as a test gives it."""

    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())


def shows(bundle: Bundle, *texts: str, trimmed: bool) -> Bundle:
    """Return the bundle, its one note with passages of these texts."""
    (note,) = bundle.notes
    first = replace(note.excerpts[0], trimmed=trimmed)
    parts = tuple(replace(first, text=text) for text in texts)
    return structs.replace(bundle, notes=(structs.replace(note, excerpts=parts),))


def test_a_note_counts_where_a_sentence_of_it_is_shown_or_a_passage_is_whole(
    vault: VaultDesk,
) -> None:
    vault.indexed({"A.md": "The kiln is hot.\n"})
    made = vault.engine.bundles.pack("kiln")
    sentence, half = "brick " * SHOWN_TOKENS, "brick " * (SHOWN_TOKENS // 2)

    def counts(*texts: str, trimmed: bool) -> bool:
        return bool(notes_shown(shows(made, *texts, trimmed=trimmed), Words()))

    assert counts(sentence, trimmed=True)
    assert counts(half, half, trimmed=True)
    assert counts("Hot.", trimmed=False)
    assert not counts("-", trimmed=True)
    assert not counts(half, "brick", trimmed=True)


def test_a_bundle_that_shows_scraps_holds_nothing(
    vault: VaultDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed({"A.md": "The kiln is hot.\n"})
    made = vault.engine.bundles.pack("kiln")
    scraps = shows(made, "-", trimmed=True)
    monkeypatch.setattr(type(vault.engine.bundles), "pack", lambda *_, **__: scraps)
    query = GoldQuery("a", "kiln", {"A.md": 1.0})

    (found,) = bundle_figures(vault.engine, [query], budgets=[600])

    assert (found.recall, found.distinct, found.plain_recall) == (0.0, 0.0, 1.0)


def test_a_chunk_that_is_cut_counts_from_as_many_tokens_as_a_passage_of_a_bundle(
    vault: VaultDesk,
) -> None:
    def least_for(words: int) -> int:
        vault.indexed({"A.md": f"kiln{' brick' * (words - 1)}"})
        reply = vault.ask("kiln", unique="chunks")
        budgets = range(10, 400)
        return next(
            b for b in budgets if chunks_within(vault.engine, reply, b, Words())
        )

    sentence = least_for(SHOWN_TOKENS)

    assert least_for(SHOWN_TOKENS * 5) == sentence
    assert least_for(SHOWN_TOKENS - 4) == sentence - 4


def test_answers_are_told_by_how_many_there_are_and_how_often_they_are_right(
    vault: VaultDesk,
) -> None:
    vault.indexed(
        {
            "Kiln.md": "The kiln fires stoneware at 1,240 degrees.\n",
            "Roof.md": "The roof leaks where the chimney stands.\n",
        }
    )
    right = GoldQuery("a", "the kiln fires stoneware", {"Kiln.md": 1.0})
    wrong = GoldQuery("b", "the roof leaks", {"Kiln.md": 1.0})
    vain = GoldQuery("c", "kiln insurance premium deductible", {"Kiln.md": 1.0})

    def figures(*queries: GoldQuery) -> BundleFigures:
        (found,) = bundle_figures(vault.engine, queries, budgets=[1_000])
        return found

    every = figures(right, wrong, vain)
    none = figures(vain)
    assert every.answered == pytest.approx(2 / 3)
    assert every.rightly == 0.5
    assert (none.answered, none.rightly) == (0.0, None)


def reported(*figures: BundleFigures) -> EvalReport:
    names = ["ndcg@10", "mrr", "hit@1", "hit@5", "hit@10", "recall@10", "recall@100"]
    sure = {"ndcg@10": Interval(1.0, 1.0)}
    measured = Measured("default", 1, dict.fromkeys(names, 1.0), sure)
    return EvalReport("self", "vault", 1, "none", measured, bundles=figures)


def test_the_table_has_a_row_for_each_budget(vault: VaultDesk) -> None:
    vault.indexed({"A.md": "The kiln is hot.\n"})
    query = GoldQuery("a", "kiln", {"A.md": 1.0})
    report = reported(*bundle_figures(vault.engine, [query]))

    text = evaluation_as_text(report, Style())

    assert [line.split()[0] for line in text.splitlines()[-3:]] == [
        "1,000",
        "3,000",
        "6,000",
    ]


def test_the_report_has_every_figure_in_both_forms() -> None:
    some = BundleFigures(1_000, 3, 0.75, 0.5, 1.5, 1.0, 2 / 3, 0.5)
    none = some._replace(budget_tokens=3_000, answered=0.0, rightly=None)

    text = evaluation_as_text(reported(some, none), Style())
    values = evaluation_as_json(reported(some, none))["bundles"]

    heads, *rows = [line.split() for line in text.splitlines()[-3:]]
    assert heads == [
        "tokens", "recall", "chunks", "per", "1,000", "chunks", "answered", "rightly",
    ]  # fmt: skip
    assert rows == [
        ["1,000", "0.750", "0.500", "1.500", "1.000", "0.667", "0.500"],
        ["3,000", "0.750", "0.500", "1.500", "1.000", "0.000", "-"],
    ]
    assert values[0] == {
        "budget_tokens": 1_000,
        "queries": 3,
        "recall": 0.75,
        "plain_recall": 0.5,
        "distinct": 1.5,
        "plain_distinct": 1.0,
        "answered": 0.6667,
        "rightly": 0.5,
    }
    assert values[1]["rightly"] is None


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
