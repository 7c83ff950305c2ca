"""The graph as somebody sees it who may not read every note."""

from vault_desk import VaultDesk

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
