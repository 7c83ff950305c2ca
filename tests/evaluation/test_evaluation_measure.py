"""Queries are asked in several ways, and each way is scored beside the default."""

from collections.abc import Sequence

import pytest

from glassmind.evaluation.gold import GoldQuery
from glassmind.evaluation.measure import (
    DEFAULT,
    Configuration,
    QueryAnswer,
    ablations,
    ask_all,
    measure,
)
from glassmind.evaluation.report import METRICS

LEXICAL = Configuration("lexical alone", {"channels": ("lexical",)})


def query(name: str, *relevant: str, **more: object) -> GoldQuery:
    grades = dict.fromkeys(relevant or (f"{name}.md",), 1.0)
    return GoldQuery(name, name, grades, **more)  # type: ignore[arg-type]


class Shelf:
    """Finds a note first, or third when it is asked by words alone."""

    def __init__(self) -> None:
        self.limits: list[int] = []
        self.asked: list[str] = []

    def __call__(
        self, query: GoldQuery, configuration: Configuration, limit: int, /
    ) -> QueryAnswer:
        self.limits.append(limit)
        self.asked.append(f"{configuration.name}: {query.text}")
        right = f"{query.text}.md"
        worse = configuration.options.get("channels") == ("lexical",)
        found = ["x.md", "y.md", right] if worse else [right, "x.md"]
        return QueryAnswer(found[:limit], ("no model",) if worse else ())


def test_every_query_is_asked_in_every_way_and_compared() -> None:
    queries = [query("a", kind="anchor"), query("b", kind="context")]

    default, (lexical,) = measure(Shelf(), queries, [LEXICAL])

    assert default.queries == 2
    assert default.means == dict.fromkeys(METRICS, 1.0)
    assert lexical.means["ndcg@10"] == pytest.approx(0.5)
    assert lexical.means["mrr"] == pytest.approx(1 / 3)
    assert lexical.versus is not None
    assert lexical.versus.mean == pytest.approx(-0.5)
    assert default.versus is None
    assert (default.degraded, lexical.degraded) == ((), ("no model",))


def test_figures_are_told_for_each_kind_and_intent() -> None:
    queries = [
        query("a", kind="anchor", intent="conceptual"),
        query("b", "z.md", kind="context"),
    ]

    default, _ = measure(Shelf(), queries)

    assert {kind: part.means["hit@1"] for kind, part in default.kinds.items()} == {
        "anchor": 1.0,
        "context": 0.0,
    }
    assert list(default.intents) == ["conceptual"]


def test_notes_left_out_are_made_up_for() -> None:
    shelf = Shelf()
    left = query("a", "x.md", left_out=frozenset(["a.md", "b.md"]))

    found = ask_all(shelf, [left], DEFAULT)

    assert shelf.limits == [12]
    assert found.rankings == [["x.md"]]
    assert found.values[0]["hit@1"] == 1


def test_the_first_ten_are_those_of_a_search_for_ten() -> None:
    def asker(_query: GoldQuery, _way: Configuration, limit: int, /) -> QueryAnswer:
        found = [f"{n}.md" for n in range(limit)]
        return QueryAnswer(found if limit == 10 else found[::-1])

    found = ask_all(asker, [query("a", "3.md", "42.md")], DEFAULT)

    assert found.rankings[0][:11] == [*(f"{n}.md" for n in range(10)), "99.md"]
    assert len(found.rankings[0]) == 100
    assert found.values[0]["recall@10"] == 0.5
    assert found.values[0]["recall@100"] == 1.0


def test_the_first_question_is_asked_once_more_so_that_loading_is_not_timed() -> None:
    shelf = Shelf()

    measure(shelf, [query("a"), query("b")])

    assert shelf.asked == ["default: a", "default: a", "default: b"]


def test_progress_counts_the_queries_of_all_ways() -> None:
    seen: list[tuple[int, int]] = []

    def show(done: int, total: int) -> None:
        seen.append((done, total))

    measure(Shelf(), [query("a"), query("b")], [LEXICAL], show=show)

    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_each_channel_fusion_rerank_and_mode_is_compared() -> None:
    names = names_of([query("a")])

    assert {"lexical alone", "semantic alone", "without graph"} <= names
    assert {"fusion rrf", "fusion minmax", "rerank on", "rerank off"} <= names
    assert {"mode semantic", "mode fulltext"} <= names
    assert not names & {"graph alone", "intent auto"}


def test_the_graph_and_intents_are_compared_where_queries_have_them() -> None:
    rooted = query("a", root_note="Home.md", intent="context_load")

    assert {"graph alone", "intent auto", "intent none"} <= names_of([rooted])


def names_of(queries: Sequence[GoldQuery]) -> set[str]:
    return {ablation.name for ablation in ablations(queries)}
