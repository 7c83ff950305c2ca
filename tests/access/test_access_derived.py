"""Themes and similar notes of a scope are computed from its visible notes only."""

import random
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from semantic_harness import MeaningHarness
from vault_harness import VaultHarness

from glassmind.access.scopes import read_scope
from glassmind.engine import Engine
from glassmind.graph import similar as pairing
from glassmind.graph import themes as theme_module
from glassmind.links.communities import clusters
from glassmind.model.access import EVERY_AGENT, Scope

PRIVATE = "---\nprivate: true\n---\n"


def ring(*names: str, folder: str = "", head: str = "") -> dict[str, str]:
    """Return notes that each link to all others."""
    return {
        f"{folder}{name}.md": head + " ".join(f"[[{one}]]" for one in names)
        for name in names
    }


def themes(engine: Engine, **options: Any) -> list[tuple[int, str, int]]:
    found = engine.knowledge.themes(**options).themes
    return [(one.id, one.label, one.size) for one in found]


class Counted:
    """Counts the calls of a function."""

    def __init__(self, function: Any) -> None:
        self.function, self.calls = function, 0

    def __call__(self, *given: Any, **named: Any) -> Any:
        self.calls += 1
        return self.function(*given, **named)


def counted(module: Any, name: str, patch: pytest.MonkeyPatch) -> Counted:
    made = Counted(getattr(module, name))
    patch.setattr(module, name, made)
    return made


@pytest.fixture
def rings(vault: VaultHarness) -> VaultHarness:
    """Three visible groups of notes, and a hidden one that is larger than each."""
    vault.indexed(
        {
            **ring("A1", "A2", "A3", "A4"),
            **ring("B1", "B2", "B3"),
            **ring("C1", "C2", "C3", folder="Work/"),
            **ring("P1", "P2", "P3", "P4", "P5", "P6", head=PRIVATE),
        }
    )
    return vault


def test_theme_ids_of_an_agent_have_no_gaps(rings: VaultHarness) -> None:
    agent = rings.engine.seen_by(EVERY_AGENT)

    assert [theme[0] for theme in themes(rings.engine)] == [1, 2, 3, 4]
    assert themes(agent) == [(1, "A1", 4), (2, "B1", 3), (3, "C1", 3)]
    assert themes(agent, ghosts=True) == themes(agent)
    assert agent.knowledge.themes(theme="2").themes[0].label == "B1"
    assert (
        agent.knowledge.connections("C1").theme
        == agent.knowledge.connections("C2").theme
    )


def test_theme_ids_stay_dense_when_a_note_turns_private(rings: VaultHarness) -> None:
    agent = rings.engine.seen_by(EVERY_AGENT)
    themes(agent)

    rings.indexed(ring("A1", "A2", "A3", "A4", head=PRIVATE))

    assert themes(agent) == [(1, "B1", 3), (2, "C1", 3)]


def test_links_of_a_private_note_do_not_join_visible_themes(
    rings: VaultHarness,
) -> None:
    agent = rings.engine.seen_by(EVERY_AGENT)
    before = themes(agent), agent.knowledge.rank(metric="influence")

    names = ("A1", "A2", "A3", "B1", "B2", "B3", "C1", "C2", "C3")
    links = " ".join(f"[[{name}]]" for name in names)
    rings.indexed({f"Hub {at}.md": PRIVATE + links for at in range(5)})

    assert (themes(agent), agent.knowledge.rank(metric="influence")) == before


def test_an_agent_that_sees_every_note_uses_the_stored_themes(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed({**ring("A1", "A2", "A3"), **ring("B1", "B2", "B3", "B4")})
    themes(vault.engine)  # stored when first asked for
    vault.indexed(ring("A1", "A2", "A3", "A4", "A5"))
    themes(vault.engine)
    divided = counted(theme_module, "clusters", monkeypatch)

    found = themes(vault.engine.seen_by(EVERY_AGENT))

    assert found == themes(vault.engine)
    assert [one[:2] for one in found] == [(2, "A1"), (1, "B1")]
    assert divided.calls == 0


def test_scopes_with_the_same_visible_notes_share_one_computation(
    rings: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    divided = counted(theme_module, "clusters", monkeypatch)
    clients = [Scope(client=name) for name in ("one", "other")]
    one, other = (rings.engine.seen_by(scope) for scope in clients)

    assert themes(one) == themes(other) == themes(one)
    assert divided.calls == 1
    assert themes(rings.engine.seen_by(read_scope(["folder:Work"]))) == [(1, "C1", 3)]
    assert divided.calls == 2


def test_a_scope_does_not_wait_for_the_computation_of_another(
    rings: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, released = Event(), Event()
    waits: list[bool] = []

    def slow_at_first(*given: Any, **named: Any) -> Any:
        if not started.is_set():
            started.set()
            waits.append(released.wait(timeout=10))
        return clusters(*given, **named)

    monkeypatch.setattr(theme_module, "clusters", slow_at_first)
    agent = rings.engine.seen_by(EVERY_AGENT)
    worker = rings.engine.seen_by(read_scope(["folder:Work"]))
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(themes, agent)
        assert started.wait(timeout=10)
        found = themes(worker)
        released.set()

        assert found == [(1, "C1", 3)]
        assert len(slow.result(timeout=10)) == 3
    assert waits == [True]  # released, not timed out


TEA = "oolong sencha matcha leaves steeped gently in warm water for guests"


def similar(engine: Engine) -> list[tuple[str, str, float]]:
    found = engine.knowledge.similar(limit=1_000).pairs
    return [(one.path, one.other_path, one.similarity) for one in found]


@pytest.fixture
def teas(meaning: MeaningHarness) -> MeaningHarness:
    meaning.indexed({f"Tea {at}.md": f"{TEA} {'cup ' * at}" for at in range(6)})
    return meaning


def test_private_copies_do_not_push_visible_notes_off_a_list(
    teas: MeaningHarness,
) -> None:
    agent = teas.engine.seen_by(EVERY_AGENT)
    before, status = similar(agent), agent.knowledge.similar().status

    teas.indexed({f"Copy {at}.md": f"{PRIVATE}{TEA} cup cup" for at in range(30)})

    assert len(before) == 14
    assert similar(agent) == before
    after = agent.knowledge.similar().status
    assert status.threshold is not None
    assert after == status


@pytest.mark.parametrize("few", [0, 1_000_000], ids=["from stored", "whole pass"])
def test_similar_notes_of_a_scope_are_those_of_a_vault_without_hidden_notes(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    chosen, words = (
        random.Random(7),
        [*TEA.split(), *["cup", "pot", "jug", "mug", "urn"]],
    )
    notes = {
        f"{at}.md": " ".join([TEA, *chosen.choices(words, k=8)]) for at in range(60)
    }
    meaning.open(graph__similarity=0.2)  # so low that lists are full
    hidden = {f"{at}.md": PRIVATE + notes[f"{at}.md"] for at in range(0, 60, 4)}
    meaning.indexed({path: notes[path] for path in notes if path not in hidden})
    alone = similar(meaning.engine)
    monkeypatch.setattr(pairing, "FEW", few)

    meaning.indexed(hidden)

    assert similar(meaning.engine.seen_by(EVERY_AGENT)) == alone
    assert len(similar(meaning.engine)) > len(alone) > 300


def test_similar_notes_of_a_scope_are_compared_once_until_notes_change(
    teas: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = counted(pairing, "pairs_among", monkeypatch)
    agent, twin = (teas.engine.seen_by(Scope(client=name)) for name in ("a", "b"))

    similar(agent)
    seeing_all = compared.calls
    teas.indexed({"Own.md": f"{PRIVATE}{TEA}"})
    for engine in (agent, twin, agent):
        similar(engine)
    hidden = compared.calls
    teas.indexed({"Tea 9.md": f"{TEA} pot"})
    similar(agent)

    assert (seeing_all, hidden, compared.calls) == (0, 1, 2)


def test_a_linked_pair_of_a_scope_is_left_out_before_notes_are_compared_again(
    teas: MeaningHarness,
) -> None:
    teas.indexed({"Own.md": f"{PRIVATE}{TEA}"})
    agent = teas.engine.seen_by(EVERY_AGENT)
    assert "Tea 1.md" in {partner.other_path for partner in partners(agent)}

    teas.write({"Tea 0.md": f"{TEA} [[Tea 1]]"})
    teas.index(embed=False)

    assert "Tea 1.md" not in {partner.other_path for partner in partners(agent)}


def partners(engine: Engine) -> Any:
    return engine.knowledge.similar("Tea 0.md").pairs


def test_a_run_for_an_agent_counts_the_passages_of_visible_notes_only(
    teas: MeaningHarness,
) -> None:
    teas.write({"New.md": f"{TEA} in May", "Tea 1.md": f"{TEA} in June"})
    teas.write({f"P{at}.md": f"{PRIVATE}{TEA} {'pot ' * at}" for at in range(4)})

    report = teas.engine.seen_by(EVERY_AGENT).index()

    assert (report.added, report.changed, report.embedded) == (1, 1, 2)
    assert report.notes == 7
