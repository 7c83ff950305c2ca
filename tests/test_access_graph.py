"""The graph as somebody sees it who may not read every note."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from vault_desk import VaultDesk

from glassmind.knowledge.themes.themed import Themed
from glassmind.store.sqlite.net_rows import NetRows
from glassmind.store.sqlite.ontology_rows import OntologyRows
from glassmind.types.access import EVERY_AGENT

FILES = {
    "Lab.md": "---\nprivate: true\n---\nzqtext [[Tea]]\n",
    "Tea.md": "---\nup: '[[Lab]]'\nby: '[[Cup]]'\n---\nThe [[Lab]] first. Then [[Cup]] "
    "is next. Then [[Lab]] again. At last [[Nowhere]].\n",
    "Cup.md": "A [[Lab]] and a [[Pot]].\n",
    "Pot.md": "A pot.\n",
}

OPEN = "zqtext [[Tea]]\n"


def ties(vault: VaultDesk) -> set[tuple[str, str]]:
    """Return what an agent is told of the links around a note."""
    seen = vault.engine.seen_by(EVERY_AGENT).knowledge
    rings = seen.connections("Tea.md", depth=2, ghosts=True).rings
    edges = [edge for ring in rings for near in ring.neighbours for edge in near.edges]
    return {(edge.target, edge.property or edge.sentence) for edge in edges}


def test_links_beside_one_to_a_private_note_lead_where_they_are_written(
    vault: VaultDesk,
) -> None:
    vault.indexed(FILES)

    assert ties(vault) == {
        ("Cup.md", "by"),
        ("Cup.md", "Then [[Cup]] is next."),
        ("Nowhere", "At last [[Nowhere]]."),
        ("Pot.md", "A [[Lab]] and a [[Pot]]."),
    }


def test_a_note_leaves_the_graph_when_it_turns_private_and_comes_back(
    vault: VaultDesk,
) -> None:
    vault.indexed(FILES)
    without = ties(vault)

    vault.indexed({"Lab.md": OPEN})
    told = ties(vault)
    vault.indexed({"Lab.md": FILES["Lab.md"]})

    assert told > without
    assert ("Tea.md", OPEN.strip()) in told
    assert ("Lab.md", "up") in told
    assert ties(vault) == without


@pytest.mark.parametrize("verb", ["connections", "ontology", "suggest"])
def test_what_turns_private_while_somebody_waits_for_his_turn_is_not_kept_for_him(
    vault: VaultDesk, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    vault.indexed({**FILES, "Zqlab.md": "#zqtag zqtext [[Tea]]\n"})
    seen, still = vault.engine.seen_by(EVERY_AGENT).knowledge, NetRows.still
    news = [
        {"Zqlab.md": "---\nprivate: true\n---\n#zqtag zqtext [[Tea]] [[Zqghost]]\n"}
    ]

    def later(rows: NetRows) -> AbstractContextManager[None]:
        if news:
            vault.indexed({**news.pop(), "New.md": "A [[Ghost]] of [[Tea]].\n"})
        return still(rows)

    monkeypatch.setattr(NetRows, "still", later)
    monkeypatch.setattr(OntologyRows, "still", later)
    asked: dict[str, Callable[[], object]] = {
        "connections": lambda: seen.connections("Tea.md", depth=2, ghosts=True),
        "ontology": seen.ontology,
        "suggest": seen.suggest,
    }
    told = [repr(asked[verb]()) for _ in range(2)]

    assert not news
    assert "zq" not in told[1].lower()
    assert verb != "connections" or "New.md" in told[1]


def test_what_is_shown_in_a_transaction_that_fails_is_shown_anew(
    vault: VaultDesk,
) -> None:
    vault.indexed({**FILES, "Lab.md": OPEN})
    seen = vault.engine.seen_by(EVERY_AGENT)
    adapters: Any = seen._adapters

    def fail() -> None:
        with adapters.reader.connection():
            vault.indexed({"Lab.md": FILES["Lab.md"]})
            assert len(seen.list_notes().notes) == len(FILES) - 1
            raise LookupError

    with pytest.raises(LookupError):
        fail()

    assert {note.path for note in seen.list_notes().notes} == set(FILES) - {"Lab.md"}


def test_themes_that_a_client_cannot_keep_are_tried_to_be_kept_once(
    vault: VaultDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed(FILES)
    seen, tried = vault.engine.seen_by(EVERY_AGENT).knowledge, list[int]()
    keep = Themed._keep

    def counted(themed: Themed, *given: Any, **wishes: Any) -> None:
        tried.append(1)
        keep(themed, *given, **wishes)

    monkeypatch.setattr(Themed, "_keep", counted)
    for _ in range(3):
        assert seen.connections("Tea.md").theme is not None

    assert len(tried) == 1
