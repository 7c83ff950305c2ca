"""What a person dismisses: where it is written, and who keeps to it."""

import json
import os
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from semantic_harness import MeaningHarness
from vault_harness import VaultHarness

from glassmind.errors import (
    BadFindingKey,
    BadWish,
    FindingAbsent,
    IndexAbsent,
    NoteNotFound,
    WritesOff,
)
from glassmind.graph.dismissals import (
    MOST_SHOWN,
    Dismissal,
    finding_line,
    pair_line,
    parse_line,
)

TEA = "oolong sencha matcha kettle leaves water steep harvest " * 3
FILE = ".agent/dismissed.txt"


@pytest.fixture
def harness(meaning: MeaningHarness) -> MeaningHarness:
    """Three notes that are alike, and nobody has linked."""
    meaning.indexed({f"{name}.md": f"{TEA} {name}" for name in ("Cup", "Mug", "Pot")})
    return meaning


def pairs_of(harness: VaultHarness) -> set[tuple[str, str]]:
    return {(p.path, p.other_path) for p in harness.engine.knowledge.similar().pairs}


ALL = {("Cup.md", "Mug.md"), ("Cup.md", "Pot.md"), ("Mug.md", "Pot.md")}


def similar_to(harness: VaultHarness, name: str) -> set[str]:
    """Return what stands beside a note as similar."""
    return {one.path for one in harness.engine.knowledge.connections(name).similar}


def found_by_likeness(harness: VaultHarness, text: str) -> set[str]:
    """Return the hits of a search that stand there by likeness alone."""
    hits = harness.ask(text, channels=("implicit",), limit=50).hits
    return {hit.path for hit in hits}


def test_a_dismissed_pair_is_gone_from_lists_connections_and_searches(
    harness: MeaningHarness,
) -> None:
    assert pairs_of(harness) == ALL
    assert similar_to(harness, "Cup") == {"Mug.md", "Pot.md"}
    assert found_by_likeness(harness, "Cup") == {"Mug.md", "Pot.md"}

    done = harness.engine.knowledge.dismiss("Pot", "Cup")

    assert done.changed
    assert pairs_of(harness) == ALL - {("Cup.md", "Pot.md")}
    assert similar_to(harness, "Cup") == {"Mug.md"}
    assert found_by_likeness(harness, "Cup") == {"Mug.md"}
    assert harness.engine.knowledge.similar().dismissed == 1


def test_a_search_does_not_follow_a_dismissed_pair(harness: MeaningHarness) -> None:
    harness.indexed({"Quay.md": f"{TEA} Quay", "Zinc.md": "zinc roof " * 20})
    hit = next(h for h in harness.ask("Quay", channels=("lexical", "implicit")).hits
               if h.path == "Pot.md")  # fmt: skip
    assert hit.evidence[-1].reason.startswith("similar to Quay (0.")
    assert hit.connected_via == ("Quay.md",)

    for name in ("Cup", "Mug", "Pot"):
        harness.engine.knowledge.dismiss("Quay", name)

    assert found_by_likeness(harness, "Quay") == set()


def test_a_dismissal_can_be_taken_back(harness: MeaningHarness) -> None:
    harness.engine.knowledge.dismiss("Cup", "Pot")

    done = harness.engine.knowledge.restore_pair("Pot", "Cup")
    again = harness.engine.knowledge.restore_pair("Pot", "Cup")

    assert (done.changed, again.changed) == (True, False)
    assert pairs_of(harness) == ALL


def test_to_dismiss_twice_changes_nothing(harness: MeaningHarness) -> None:
    harness.engine.knowledge.dismiss("Cup", "Pot")
    before = (harness.root / FILE).read_bytes()

    done = harness.engine.knowledge.dismiss("Pot", "Cup")

    assert not done.changed
    assert (harness.root / FILE).read_bytes() == before


def test_the_file_can_be_read_by_a_person(harness: MeaningHarness) -> None:
    harness.engine.knowledge.dismiss("Pot", "Cup")
    harness.engine.knowledge.dismiss_finding("orphans", "Mug.md")

    lines = (harness.root / FILE).read_text("utf-8").splitlines()

    assert lines[0].startswith("# ")
    assert lines[-2:] == [
        'pair "Cup.md" "Pot.md"',
        'finding orphans "Mug.md"',
    ]


def test_a_line_of_an_older_version_counts(harness: MeaningHarness) -> None:
    line = 'pair "Cup.md" "Pot.md" titles "Cup" "Pot" digests 1f0c62aa80d1 ""'
    harness.write({FILE: f"{line}\n"})

    assert pairs_of(harness) == ALL - {("Cup.md", "Pot.md")}
    assert harness.engine.knowledge.restore_pair("Cup", "Pot").changed
    assert pairs_of(harness) == ALL


def test_the_file_is_no_note_and_no_link(harness: MeaningHarness) -> None:
    harness.engine.knowledge.dismiss("Pot", "Cup")

    harness.index()

    assert harness.engine.stats().attachments == 0
    assert harness.value("select count(*) from files where path like '.agent%'") == 0


def test_a_line_written_by_hand_counts_at_once(harness: MeaningHarness) -> None:
    harness.write({FILE: "pair Pot.md Cup.md\n"})

    assert pairs_of(harness) == ALL - {("Cup.md", "Pot.md")}


def test_a_dismissal_of_another_process_counts_at_once(harness: MeaningHarness) -> None:
    assert pairs_of(harness) == ALL
    first = harness.engine

    harness.open().knowledge.dismiss("Cup", "Mug")

    found = {(p.path, p.other_path) for p in first.knowledge.similar().pairs}
    assert found == ALL - {("Cup.md", "Mug.md")}


def test_a_dismissal_outlives_the_index(harness: MeaningHarness) -> None:
    harness.engine.knowledge.dismiss("Cup", "Pot")

    harness.index(rebuild=True)

    assert pairs_of(harness) == ALL - {("Cup.md", "Pot.md")}


def test_lines_that_are_not_followed_are_named_wherever_pairs_are_shown(
    harness: MeaningHarness,
) -> None:
    harness.write({FILE: "pair Cup.md\n"})

    how = 'finding CHECK "A.md", or pair "A.md" "B.md"'
    said = f"{FILE} line 1 is not followed: write: {how}"
    knowledge = harness.engine.knowledge
    for notices in (
        knowledge.similar().notices,
        knowledge.suggest().notices,
        knowledge.suggest("Cup").notices,
        knowledge.connections("Cup").notices,
        knowledge.health().notices,
        harness.engine.status().notices,
        [check.finding for check in harness.engine.doctor()],
    ):
        assert said in notices


def test_of_many_broken_lines_a_few_are_named(harness: MeaningHarness) -> None:
    harness.write({FILE: "broken\n" * 500})

    problems = harness.engine.knowledge.dismissals().problems

    assert len(problems) == MOST_SHOWN + 1
    assert problems[-1] == "490 more lines are not followed"


def test_lines_that_nobody_understands_stay_and_are_named(
    harness: MeaningHarness,
) -> None:
    text = '# mine\r\npair "Cup.md\r\nmaybe later\r\n\r\n'
    harness.write({FILE: text})

    problems = harness.engine.knowledge.dismissals().problems
    harness.engine.knowledge.dismiss("Cup", "Pot")
    harness.engine.knowledge.restore_pair("Cup", "Pot")

    assert [problem.split(": ")[0] for problem in problems] == [
        f"{FILE} line 2 is not followed",
        f"{FILE} line 3 is not followed",
    ]
    assert (harness.root / FILE).read_bytes() == text.encode()


def test_line_ends_of_windows_stay(harness: MeaningHarness) -> None:
    harness.write({FILE: b"\xef\xbb\xbf# mine\r\n"})

    harness.engine.knowledge.dismiss("Cup", "Pot")

    raw = (harness.root / FILE).read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf# mine\r\npair ")
    assert raw.count(b"\r\n") == raw.count(b"\n") == 2
    assert ("Cup.md", "Pot.md") not in pairs_of(harness)


def test_every_dismissal_is_on_record(harness: MeaningHarness) -> None:
    harness.engine.knowledge.dismiss("Cup", "Pot")
    harness.engine.knowledge.restore_pair("Cup", "Pot")

    log = (harness.root / ".agent/logs/writes.jsonl").read_text("utf-8").splitlines()

    said = [(json.loads(line)["path"], json.loads(line)["why"]) for line in log]
    assert said == [(FILE, "dismissed"), (FILE, "dismissal taken back")]


def test_where_writes_are_off_nothing_is_dismissed(harness: MeaningHarness) -> None:
    harness.open(writes__mode="off")

    knowledge = harness.engine.knowledge
    done = r"^nothing was dismissed: the settings"
    with pytest.raises(WritesOff, match=done):
        knowledge.dismiss("Cup", "Pot")
    with pytest.raises(WritesOff, match=done):
        knowledge.dismiss_finding("orphans", "Mug.md")
    back = r"^no dismissal was taken back: the settings"
    with pytest.raises(WritesOff, match=back):
        knowledge.restore_pair("Cup", "Pot")
    with pytest.raises(WritesOff, match=back):
        knowledge.restore_finding("orphans", "Mug.md")

    assert not (harness.root / ".agent").exists()
    assert pairs_of(harness) == ALL


def test_a_dismissal_that_is_there_counts_where_writes_are_off(
    harness: MeaningHarness,
) -> None:
    harness.write({FILE: "pair Pot.md Cup.md\n"})
    harness.open(writes__mode="off")

    assert pairs_of(harness) == ALL - {("Cup.md", "Pot.md")}


def test_the_file_stands_in_the_agent_folder_of_the_settings(
    harness: MeaningHarness,
) -> None:
    harness.open(writes__agent_dir="Robot")

    done = harness.engine.knowledge.dismiss("Cup", "Pot")

    assert done.file == "Robot/dismissed.txt"
    assert (harness.root / "Robot/dismissed.txt").is_file()
    assert not (harness.root / ".agent").exists()


def test_an_agent_folder_may_be_spelled_in_parts(harness: MeaningHarness) -> None:
    harness.open(writes__agent_dir=normalize("NFD", "Gehülfe"))

    done = harness.engine.knowledge.dismiss("Cup", "Pot")

    assert (done.file, done.changed) == (
        normalize("NFC", "Gehülfe/dismissed.txt"),
        True,
    )
    assert ("Cup.md", "Pot.md") not in pairs_of(harness)


def test_what_is_no_pair_is_refused(harness: MeaningHarness) -> None:
    with pytest.raises(BadWish):
        harness.engine.knowledge.dismiss("Cup", "Cup")
    with pytest.raises(NoteNotFound):
        harness.engine.knowledge.dismiss("Cup", "Nobody")
    with pytest.raises(BadFindingKey):
        harness.engine.knowledge.dismiss_finding("orphans", " ")

    assert not (harness.root / ".agent").exists()


def test_a_finding_is_dismissed_and_taken_back(harness: MeaningHarness) -> None:
    knowledge = harness.engine.knowledge

    knowledge.dismiss_finding("orphans", "Mug.md")
    assert ("orphans", "Mug.md") in knowledge.dismissals().findings
    assert ("ghosts", "Mug.md") not in knowledge.dismissals().findings

    assert knowledge.restore_finding("orphans", "Mug.md").changed
    assert ("orphans", "Mug.md") not in knowledge.dismissals().findings


def test_what_is_no_finding_cannot_be_dismissed(harness: MeaningHarness) -> None:
    harness.indexed({"Cup.md": f"{TEA} [[Mug]]"})

    for check, subject in [
        ("orphans", "Nobody.md"),
        ("orphans", "Cup.md"),
        ("ghosts", "nobody"),
        ("inconsistent_tags", "tag zeppelin"),
    ]:
        with pytest.raises(FindingAbsent, match="is no finding now; health shows"):
            harness.engine.knowledge.dismiss_finding(check, subject)

    assert not (harness.root / ".agent").exists()


def test_what_cannot_be_checked_cannot_be_dismissed(vault: VaultHarness) -> None:
    vault.indexed({"Cup.md": TEA, "Mug.md": TEA})

    with pytest.raises(FindingAbsent, match="nothing is embedded yet"):
        vault.engine.knowledge.dismiss_finding("weakly_tied", "Cup.md <> Mug.md")


def test_nothing_is_dismissed_before_there_is_an_index(vault: VaultHarness) -> None:
    vault.write({"Cup.md": TEA})

    with pytest.raises(IndexAbsent):
        vault.engine.knowledge.dismiss_finding("orphans", "Cup.md")

    assert not (vault.root / ".agent").exists()


def test_a_dismissal_stays_and_can_be_taken_back_once_the_finding_is_none(
    vault: VaultHarness,
) -> None:
    knowledge = vault.open().knowledge
    vault.indexed({"Cup.md": TEA, "Mug.md": TEA})
    knowledge.dismiss_finding("orphans", "Cup.md")
    vault.remove("Cup.md")
    vault.index()

    assert not knowledge.dismiss_finding("orphans", "Cup.md").changed
    assert knowledge.restore_finding("Orphans", "Cup.md").changed
    assert not knowledge.restore_finding("orphans", "Cup.md").changed


@pytest.mark.skipif(os.name == "nt", reason="POSIX alone has it")
def test_a_link_in_the_place_of_the_file_dismisses_nothing(
    harness: MeaningHarness, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("pair Pot.md Cup.md\n")
    (harness.root / ".agent").mkdir()
    (harness.root / FILE).symlink_to(outside)

    assert pairs_of(harness) == ALL
    (problem,) = harness.engine.knowledge.dismissals().problems
    assert problem.endswith("nothing in it is followed")


NAMES = st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12
).filter(lambda text: bool(text.strip()))


@given(
    one=st.one_of(
        st.builds(finding_line, NAMES, NAMES),
        st.lists(NAMES, min_size=2, max_size=2, unique=True).map(
            lambda names: pair_line(*names)
        ),
    )
)
def test_what_is_written_is_read_again(one: Dismissal) -> None:
    line = one.line

    assert len(line.splitlines()) == 1
    assert parse_line(line) == one


@given(text=st.text(max_size=200))
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    for line in text.splitlines():
        assert parse_line(line) is None or isinstance(
            parse_line(line), (str, Dismissal)
        )
