"""Conflicts and staleness: what two notes cannot both be right about."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from section_desk import SectionDesk
from vault_desk import VaultDesk

from glassmind.context.claims import claims_in_line
from glassmind.context.values import Value, differ, property_value, read_value
from glassmind.markdown.receipts import digest_of_lines, parse_receipt
from glassmind.types.context import Conflict

PLANTED = Path(__file__).parent / "planted_conflicts"
LEAST = 0.8
"""Precision and recall that the planted set is held to."""


@pytest.fixture
def desk(vault: VaultDesk) -> SectionDesk:
    return SectionDesk(vault)


def _key(conflict: Conflict) -> tuple[str, str, str]:
    newer, older = conflict.sides
    return (conflict.kind, newer.path, older.path)


def test_planted_conflicts_are_found_and_near_misses_are_not(
    vault: VaultDesk, desk: SectionDesk
) -> None:
    expected = json.loads((PLANTED / "expected.json").read_text())
    shutil.copytree(PLANTED / "vault", vault.root, dirs_exist_ok=True)
    vault.index()
    wanted = {(one["kind"], *one["paths"]) for one in expected["conflicts"]}

    found = desk.conflicts()

    keys = [_key(conflict) for conflict in found]
    right = [key for key in keys if key in wanted]
    precision, recall = len(right) / len(keys), len({*right}) / len(wanted)
    assert len(wanted) >= 20
    assert len(expected["near_misses"]) >= len(wanted)
    assert precision >= LEAST, [key for key in keys if key not in wanted]
    assert recall >= LEAST, wanted - {*keys}
    assert desk.conflicts() == found


def test_both_sides_of_a_conflict_stand_where_their_receipts_say(
    vault: VaultDesk, desk: SectionDesk
) -> None:
    shutil.copytree(PLANTED / "vault", vault.root, dirs_exist_ok=True)
    vault.index()

    for kind, side in (
        (one.kind, side) for one in desk.conflicts() for side in one.sides
    ):
        receipt = parse_receipt(side.receipt)
        assert receipt
        lines = (vault.root / side.path).read_text().split("\n")
        text = "\n".join(lines[receipt.span.start - 1 : receipt.span.end])
        assert digest_of_lines(text) == receipt.digest
        assert kind == "superseded" or side.value in text


PAIRS = json.loads((PLANTED / "pairs.json").read_text())
"""Pairs of notes, written after the rules: those that differ and those that do not."""


@pytest.mark.parametrize("files", PAIRS["different"])
def test_the_same_thing_with_two_values_is_one_conflict(
    vault: VaultDesk, desk: SectionDesk, files: dict[str, str]
) -> None:
    vault.indexed(files)

    [found] = desk.conflicts()

    assert {side.path for side in found.sides} == files.keys()


@pytest.mark.parametrize("files", PAIRS["alike"])
def test_what_can_both_be_right_is_no_conflict(
    vault: VaultDesk, desk: SectionDesk, files: dict[str, str]
) -> None:
    vault.indexed(files)

    assert desk.conflicts() == []


@pytest.mark.parametrize(
    "old",
    [
        "---\nsuperseded-by: '[[New]]'\n---\nUse queues.",
        "---\nSuperseded_by: New\n---\nUse queues.",
        "---\nreplaced-by: ['[[New]]']\n---\nUse queues.",
        "**Superseded by [[New]]**\n\nUse queues.",
        "> [!warning] This note was replaced by [[New]].\n\nUse queues.",
        "Diese Notiz ist ersetzt durch [[New]].",
    ],
)
def test_a_note_with_another_in_its_place_is_stale(
    vault: VaultDesk, desk: SectionDesk, old: str
) -> None:
    vault.indexed({"Old.md": old, "New.md": "Use a log."})

    [found] = desk.conflicts("Old.md")

    assert _key(found) == ("superseded", "New.md", "Old.md")


def test_what_another_note_says_of_a_third_makes_it_not_stale(
    vault: VaultDesk, desk: SectionDesk
) -> None:
    vault.indexed({"A.md": "Old plans are superseded by [[B]].", "B.md": "New."})

    assert desk.conflicts() == []


def test_a_daily_note_counts_when_it_is_newer_than_the_note_it_links_to(
    vault: VaultDesk, desk: SectionDesk
) -> None:
    vault.indexed(
        {
            "Mural.md": "---\nstatus: active\nupdated: 2026-02-01\n---\nA wall.",
            "2026-01-15.md": "[[Mural]] is cancelled.",
            "2026-02-15.md": "[[Mural]] is paused.",
            "2026-03-01.md": "[[Mural]] is on hold, still.",
        }
    )

    [found] = desk.conflicts("Mural.md")

    assert _key(found) == ("newer", "2026-03-01.md", "Mural.md")
    assert [side.value for side in found.sides] == ["on hold", "active"]
    assert found.about == "Mural: status"


def test_conflicts_are_part_of_a_bundle(vault: VaultDesk) -> None:
    vault.indexed(
        {"Hall.md": "The hall rent is 9 EUR.", "B.md": "[[Hall]] rent: 8 EUR"}
    )

    [found] = vault.engine.bundles.pack("hall rent").conflicts

    assert {side.value for side in found.sides} == {"9 EUR", "8 EUR"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12,000 EUR", "€ 12.000"),
        ("12k euros", "12000 EUR"),
        ("about 900 EUR", "890 EUR"),
        ("6-8 weeks", "7 weeks"),
        ("120 cm", "1.2 m"),
        ("90 minutes", "1.5 hours"),
        ("1 June 2026", "2026-06-01"),
        ("June 2026", "on 3 June 2026"),
        ("9 pm", "21:00"),
        ("v2", "v2.1"),
        ("in progress", "active"),
        ("80 kg", "80 cm"),
    ],
)
def test_the_same_value_in_other_words_does_not_differ(one: str, other: str) -> None:
    a, b = read_value(one), read_value(other)

    assert a is not None
    assert b is not None
    assert not differ(a, b)


TEXT = st.text(max_size=60) | st.from_regex(
    r"(about |at |on |~)?[€$]?\d{1,4}([.,]\d{1,3}){0,2} ?(k|EUR|May|pm|%|-\d)?.{0,9}",
    fullmatch=True,
)


@given(TEXT, TEXT)
@example("9" * 400, "1e9")
@example("0.0.0", "1.2.3.4")
@example("99:99", "31 May 0000")
def test_values_differ_both_ways_or_not_at_all(one: str, other: str) -> None:
    a, b = property_value(one), property_value(other)

    assert differ(a, b) == differ(b, a)
    assert not differ(a, a)


@given(
    st.text(max_size=120), st.sampled_from(["is", "costs", "beträgt", ":", "::"]), TEXT
)
def test_no_line_is_too_odd_to_be_read(subject: str, verb: str, value: str) -> None:
    for claim in claims_in_line(f"{subject} {verb} {value}"):
        assert isinstance(claim.value, Value)
        assert claim.subject
