"""Chains of links between two notes, shortest first, or why there are none."""

from typing import Any

import msgspec
import pytest
from operation_harness import text_of, values_of
from vault_harness import VaultHarness

from glassmind.errors import BadLimit, BadWish, IndexAbsent, NoteNotFound
from glassmind.graph import connections
from glassmind.model.graph import Chains

NOTES: dict[str, str | bytes] = {
    "A.md": "see [[B]]\n\nAlso [[C]].\n\n[[Nobody]]",
    "B.md": "---\nup: '[[D]]'\n---\n",
    "C.md": "here [[D]]",
    "D.md": "back to [[C]] and on to [[E]]",
    "E.md": "[[Hub]]",
    "F.md": "[[E]]\n[[Hub]]",
    "Hub.md": "[[A]] [[D]]",
    "X.md": "[[Y]] and [[nobody]]",
    "Y.md": "",
    "Z.md": "",
}


def ways(vault: VaultHarness, source: str, target: str, **wanted: object) -> Chains:
    return vault.engine.knowledge.path(source, target, **wanted)  # type: ignore[arg-type]


def stops(found: Chains) -> list[str]:
    return [
        " ".join(stop.title for stop in chain.notes)
        for chain in found.chains
    ]  # fmt: skip


def test_the_shortest_chains_come_first_and_equal_ones_by_path(
    vault: VaultHarness,
) -> None:
    vault.indexed(NOTES)

    found = ways(vault, "A", "D", limit=10, most_hops=4)

    assert stops(found) == ["A B D", "A C D", "A Hub D", "A Hub E D", "A Hub F E D"]
    assert (found.reason, found.cut) == (None, False)


def test_each_step_tells_its_links_with_direction_and_sentence(
    vault: VaultHarness,
) -> None:
    vault.indexed(NOTES)

    over_b, over_c, over_hub = ways(vault, "A", "D", limit=3).chains

    assert [step.directions for step in over_c.steps] == [
        ("outbound",), ("inbound", "outbound")
    ]  # fmt: skip
    assert over_hub.steps[0].directions == ("inbound",)
    (edge,) = over_b.steps[1].edges
    assert (edge.kind, edge.property, edge.sentence) == ("property", "up", "up: [[D]]")
    said = [edge.sentence for edge in over_c.steps[1].edges]
    assert said == ["here [[D]]", "back to [[C]] and on to [[E]]"]


def test_more_chains_than_wanted_are_cut_and_said_to_be(vault: VaultHarness) -> None:
    vault.indexed(NOTES)

    found = ways(vault, "A", "D", limit=2)

    assert (stops(found), found.cut) == (["A B D", "A C D"], True)


def why_none(found: Chains) -> dict[str, Any]:
    reason: dict[str, Any] = msgspec.to_builtins(found.reason)
    return reason


def test_common_neighbours_are_told_the_rarest_linked_first(
    vault: VaultHarness,
) -> None:
    vault.indexed(NOTES)

    found = ways(vault, "A", "D")

    assert [near.title for near in found.common] == ["B", "C", "Hub"]
    assert found.common_total == 3
    assert found.common[0].from_source == ("outbound",)
    assert found.common[0].from_target == ("inbound",)
    assert ways(vault, "A", "D", common=False).common == ()


def test_a_note_has_no_way_to_itself(vault: VaultHarness) -> None:
    vault.indexed(NOTES)

    found = ways(vault, "A", "a.md")

    assert (found.chains, found.common) == ((), ())
    assert why_none(found) == {
        "kind": "same_note",
        "text": "both names mean the same note",
    }


def test_notes_of_different_parts_are_not_connected(vault: VaultHarness) -> None:
    vault.indexed(NOTES)

    reason = why_none(ways(vault, "A", "Z"))
    assert reason["kind"] == "not_connected"
    assert (reason["source_size"], reason["target_size"]) == (7, 1)


def test_a_chain_that_is_too_long_is_told_by_its_length(vault: VaultHarness) -> None:
    vault.indexed({f"{n}.md": f"[[{n + 1}]]" for n in range(12)})

    reason = why_none(ways(vault, "0", "9"))
    assert reason["kind"] == "too_far"
    assert (reason["most_hops"], reason["shortest"]) == (6, 9)
    assert len(ways(vault, "9", "0", most_hops=9).chains[0].steps) == 9


def test_a_way_over_ghosts_is_taken_when_asked_for(vault: VaultHarness) -> None:
    vault.indexed(NOTES)

    assert why_none(ways(vault, "A", "Y"))["kind"] == "not_connected"
    assert stops(ways(vault, "A", "Y", ghosts=True)) == ["A Nobody X Y"]
    assert stops(ways(vault, "nobody", "Y", ghosts=True)) == ["Nobody X Y"]


def test_a_hub_has_the_same_answer_every_time(vault: VaultHarness) -> None:
    leaves = {
        f"n{n}.md": f"Leaf of [[Hub]] and [[n{n * 7 % 400}]]." for n in range(400)
    }
    vault.indexed({**leaves, "Hub.md": "\n".join(f"- [[{p[:-3]}]]" for p in leaves)})

    found = ways(vault, "n5", "n6", limit=50)

    assert (len(found.chains), found.cut, found.notices) == (37, False, ())
    assert found == ways(vault, "n5", "n6", limit=50)


def test_a_dense_vault_is_answered_within_bounds(vault: VaultHarness) -> None:
    every = " ".join(f"[[{n}]]" for n in range(60))
    vault.indexed({f"{n}.md": every for n in range(60)})

    found = ways(vault, "3", "55", limit=50, most_hops=20)

    assert (len(found.chains), found.cut) == (50, True)
    assert stops(found)[:3] == ["3 55", "3 0 55", "3 1 55"]
    assert (len(found.common), found.common_total) == (connections.COMMON_SHOWN, 58)


@pytest.mark.parametrize(
    ("wanted", "fault"),
    [
        ({"limit": 0}, BadLimit),
        ({"limit": 51}, BadLimit),
        ({"most_hops": 0}, BadWish),
        ({"most_hops": 21}, BadWish),
    ],
)
def test_bounds_that_cannot_be_met_are_errors(
    vault: VaultHarness, wanted: dict[str, object], fault: type[Exception]
) -> None:
    vault.indexed(NOTES)

    with pytest.raises(fault):
        ways(vault, "A", "D", **wanted)


def test_a_name_nobody_has_is_an_error(vault: VaultHarness) -> None:
    with pytest.raises(IndexAbsent):
        ways(vault, "A", "D")
    vault.indexed(NOTES)

    with pytest.raises(NoteNotFound):
        ways(vault, "A", "Zanzibar")


def test_people_read_a_chain_from_top_to_bottom(vault: VaultHarness) -> None:
    vault.indexed(NOTES)

    shown = text_of(vault.engine, "path", source="A", target="D", limit=1)

    assert shown == (
        "2 links:\n"
        "   A.md\n"
        "      see [[B]]  A.md:1\n"
        "   -> B.md\n"
        "      up: [[D]]  B.md:2\n"
        "   -> D.md\n"
        "\n"
        "Linked with both: 3 notes\n"
        "  B.md\n"
        "  C.md\n"
        "  Hub.md\n"
        "There may be more chains.\n"
    )


@pytest.mark.parametrize(
    ("target", "kind", "said"),
    [
        ("A", "same_note", "both names mean the same note"),
        (
            "Z",
            "not_connected",
            "the first is connected with 6 notes, the second with 0",
        ),
        ("F", "too_far", "the shortest chain has 2 links, more than the 1 allowed"),
    ],
)
def test_programs_and_people_are_told_why_there_is_none(
    vault: VaultHarness, target: str, kind: str, said: str
) -> None:
    vault.indexed(NOTES)
    wish: dict[str, Any] = {"source": "A", "target": target}
    wish |= {"most_hops": 1} if kind == "too_far" else {}

    reason = values_of(vault.engine, "path", **wish)["reason"]

    assert reason["kind"] == kind
    assert said in reason["text"]
    assert said in text_of(vault.engine, "path", **wish)
