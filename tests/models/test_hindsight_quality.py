"""With the real model: facts about other things push no note from its place.

What was measured beyond these floors stands in docs/hindsight.md.
"""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hindsight_harness import HindsightHarness, fact, remembering
from vault_harness import VaultHarness

from glassmind import Engine, open_vault

GOLD = Path(__file__).parents[1] / "gold"
TODAY = date(2026, 4, 1)

ELSEWHERE = (
    "The team's Kubernetes cluster was upgraded to version 1.29 in February.",
    "User prefers dark mode in the code editor and tabs over spaces.",
    "The quarterly invoice for the design agency was approved by finance.",
    "Marta's daughter starts violin lessons on Thursdays after school.",
    "The Lisbon flight was rebooked to the morning because of a strike.",
)


def gold(name: str) -> list[dict[str, Any]]:
    lines = (GOLD / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def memory() -> Iterator[HindsightHarness]:
    with remembering() as harness:
        yield harness


@pytest.fixture(scope="module")
def engine(real: VaultHarness, memory: HindsightHarness) -> Iterator[Engine]:
    """The sample vault with that server beside it."""
    chosen = {"hindsight.url": memory.url, "hindsight.timeout_s": 30}
    settings = {"index.location": str(real.place), **real.settings, **chosen}
    home = str(real.place.parent / "home")
    with open_vault(real.root, settings=settings, env={"HOME": home}) as engine:
        yield engine


@pytest.mark.parametrize(
    "fusion", ["minmax", pytest.param("weighted_rrf", marks=pytest.mark.slow)]
)
def test_facts_about_other_things_leave_the_best_note_first(
    engine: Engine, memory: HindsightHarness, fusion: Any
) -> None:
    memory.facts = [fact(n, text) for n, text in enumerate(ELSEWHERE)]

    for item in gold("sample-questions"):
        asked = {"fusion": fusion, "today": TODAY}
        known = engine.search(item["question"], facts=False, **asked)
        found = engine.search(item["question"], **asked)
        assert found.hits[0].path == known.hits[0].path, item["question"]
        assert found.confidence == pytest.approx(known.confidence, abs=1e-6)


@pytest.mark.slow
def test_a_fact_that_answers_is_mostly_shown(
    engine: Engine, memory: HindsightHarness
) -> None:
    items = gold("meaning")
    shown = 0
    for item in items:
        memory.facts = [fact(n, text) for n, text in enumerate(ELSEWHERE[:4])]
        memory.facts.append(fact(9, item["passage"]))
        hits = engine.search(item["query"], today=TODAY).hits
        shown += any(hit.path.endswith("/fact-9") for hit in hits)

    assert shown >= 0.7 * len(items)  # 32 of 40 when it was measured
