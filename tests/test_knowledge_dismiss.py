"""What a person dismisses: where it is written, and who keeps to it."""

import json
import os
from collections.abc import Collection
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from meaning_desk import MeaningDesk
from vault_desk import VaultDesk

from glassmind.errors import (
    BadFindingKey,
    BadWish,
    FindingAbsent,
    IndexAbsent,
    NoteNotFound,
    WritesOff,
)
from glassmind.files.read import digest_of
from glassmind.graph.dismissals import (
    MOST_SHOWN,
    SHAPES,
    SHORT,
    Dismissal,
    finding_line,
    lines_in,
    pair_line,
    parse,
    parse_line,
    paths_in,
    renamed,
)
from glassmind.model import NotePath
from glassmind.store.sqlite.pairs import PairRows

TEA = "oolong sencha matcha kettle leaves water steep harvest " * 3
FILE = ".agent/dismissed.txt"


PATHS = st.text("abäß0", min_size=1, max_size=6).map(
    lambda name: f"{name[0]}/{name} {name[-1]}.md"
)


@pytest.fixture
def desk(meaning: MeaningDesk) -> MeaningDesk:
    """Three notes that are alike, and nobody has linked."""
    meaning.indexed({f"{name}.md": f"{TEA} {name}" for name in ("Cup", "Mug", "Pot")})
    return meaning


def pairs_of(desk: VaultDesk) -> set[tuple[str, str]]:
    return {(p.path, p.other_path) for p in desk.engine.knowledge.similar().pairs}


ALL = {("Cup.md", "Mug.md"), ("Cup.md", "Pot.md"), ("Mug.md", "Pot.md")}


def similar_to(desk: VaultDesk, name: str) -> set[str]:
    """Return what stands beside a note as similar."""
    return {one.path for one in desk.engine.knowledge.connections(name).similar}


def found_by_likeness(desk: VaultDesk, text: str) -> set[str]:
    """Return the hits of a search that stand there by likeness alone."""
    hits = desk.ask(text, channels=("implicit",), limit=50).hits
    return {hit.path for hit in hits}


def test_a_dismissed_pair_is_gone_from_lists_connections_and_searches(
    desk: MeaningDesk,
) -> None:
    assert pairs_of(desk) == ALL
    assert similar_to(desk, "Cup") == {"Mug.md", "Pot.md"}
    assert found_by_likeness(desk, "Cup") == {"Mug.md", "Pot.md"}

    done = desk.engine.knowledge.dismiss("Pot", "Cup")

    assert done.changed
    assert pairs_of(desk) == ALL - {("Cup.md", "Pot.md")}
    assert similar_to(desk, "Cup") == {"Mug.md"}
    assert found_by_likeness(desk, "Cup") == {"Mug.md"}
    assert desk.engine.knowledge.similar().dismissed == 1


def test_a_search_does_not_follow_a_dismissed_pair(desk: MeaningDesk) -> None:
    desk.indexed({"Quay.md": f"{TEA} Quay", "Zinc.md": "zinc roof " * 20})
    hit = next(h for h in desk.ask("Quay", channels=("lexical", "implicit")).hits
               if h.path == "Pot.md")  # fmt: skip
    assert hit.evidence[-1].reason.startswith("similar to Quay (0.")
    assert hit.connected_via == ("Quay.md",)

    for name in ("Cup", "Mug", "Pot"):
        desk.engine.knowledge.dismiss("Quay", name)

    assert found_by_likeness(desk, "Quay") == set()


def test_a_dismissal_can_be_taken_back(desk: MeaningDesk) -> None:
    desk.engine.knowledge.dismiss("Cup", "Pot")

    done = desk.engine.knowledge.restore_pair("Pot", "Cup")
    again = desk.engine.knowledge.restore_pair("Pot", "Cup")

    assert (done.changed, again.changed) == (True, False)
    assert pairs_of(desk) == ALL


def test_to_dismiss_twice_changes_nothing(desk: MeaningDesk) -> None:
    desk.engine.knowledge.dismiss("Cup", "Pot")
    before = (desk.root / FILE).read_bytes()

    done = desk.engine.knowledge.dismiss("Pot", "Cup")

    assert not done.changed
    assert (desk.root / FILE).read_bytes() == before


def test_the_file_can_be_read_by_a_person(desk: MeaningDesk) -> None:
    desk.engine.knowledge.dismiss("Pot", "Cup")
    desk.engine.knowledge.dismiss_finding("orphans", "Mug.md")

    lines = (desk.root / FILE).read_text("utf-8").splitlines()

    assert lines[0].startswith("# ")
    assert [line.partition(" digests ")[0] for line in lines[-2:]] == [
        'pair "Cup.md" "Pot.md" titles "Cup" "Pot"',
        'finding orphans "Mug.md" titles "Mug"',
    ]
    digest = digest_of((desk.root / "Mug.md").read_bytes())
    assert lines[-1].endswith(f" digests {digest[:SHORT]}")


def test_the_file_is_no_note_and_no_link(desk: MeaningDesk) -> None:
    desk.engine.knowledge.dismiss("Pot", "Cup")

    desk.index()

    assert desk.engine.stats().attachments == 0
    assert desk.value("select count(*) from files where path like '.agent%'") == 0


def test_a_line_written_by_hand_counts_at_once(desk: MeaningDesk) -> None:
    desk.write({FILE: "pair Pot.md Cup.md\n"})

    assert pairs_of(desk) == ALL - {("Cup.md", "Pot.md")}


def test_a_dismissal_of_another_process_counts_at_once(desk: MeaningDesk) -> None:
    assert pairs_of(desk) == ALL
    first = desk.engine

    desk.open().knowledge.dismiss("Cup", "Mug")

    found = {(p.path, p.other_path) for p in first.knowledge.similar().pairs}
    assert found == ALL - {("Cup.md", "Mug.md")}


def test_a_dismissal_outlives_the_index(desk: MeaningDesk) -> None:
    desk.engine.knowledge.dismiss("Cup", "Pot")

    desk.index(rebuild=True)

    assert pairs_of(desk) == ALL - {("Cup.md", "Pot.md")}


def test_a_note_that_was_moved_is_still_dismissed(desk: MeaningDesk) -> None:
    desk.engine.knowledge.dismiss("Cup", "Pot")

    desk.move("Pot.md", "Kitchen/Pot.md")
    desk.index()

    assert pairs_of(desk) == {("Cup.md", "Mug.md"), ("Kitchen/Pot.md", "Mug.md")}
    assert desk.engine.knowledge.restore_pair("Pot", "Cup").changed
    assert ("Cup.md", "Kitchen/Pot.md") in pairs_of(desk)


def test_a_note_that_was_moved_and_called_otherwise_is_still_dismissed(
    desk: MeaningDesk,
) -> None:
    desk.engine.knowledge.dismiss("Cup", "Pot")

    desk.move("Pot.md", "Kitchen/Vessel.md")
    desk.index()

    assert ("Cup.md", "Kitchen/Vessel.md") not in pairs_of(desk)
    assert desk.engine.knowledge.dismissals().lost == ()
    assert desk.engine.knowledge.restore_pair("Vessel", "Cup").changed


def test_another_note_in_the_place_of_one_is_not_dismissed_with_it(
    desk: MeaningDesk,
) -> None:
    desk.engine.knowledge.dismiss("Cup", "Pot")

    desk.move("Pot.md", "Kitchen/Pot.md")
    desk.indexed({"Pot.md": f"{TEA} pot lid"})

    assert ("Cup.md", "Pot.md") in pairs_of(desk)
    assert ("Cup.md", "Kitchen/Pot.md") not in pairs_of(desk)


def test_a_dismissed_note_that_is_gone_is_named_where_one_looks_for_faults(
    desk: MeaningDesk,
) -> None:
    desk.engine.knowledge.dismiss("Cup", "Pot")

    desk.remove("Pot.md")
    desk.index()

    (said,) = desk.engine.knowledge.dismissals().lost
    assert said.endswith("line 3: Pot.md is gone, or was both moved and changed")
    assert desk.engine.knowledge.dismissals().problems == ()


@pytest.mark.parametrize(
    "line", ["pair cup pot", "pair sub/CUP.MD ./Pot.md", "pair Cup /Pot.md"]
)
def test_a_line_by_hand_may_say_a_name_as_a_person_does(
    meaning: MeaningDesk, line: str
) -> None:
    meaning.indexed({"Sub/Cup.md": TEA, "Pot.md": f"{TEA} pot"})
    assert pairs_of(meaning) == {("Pot.md", "Sub/Cup.md")}

    meaning.write({FILE: f"# mine\r{line}\r"})

    assert meaning.engine.knowledge.dismissals().problems == ()
    assert pairs_of(meaning) == set()
    assert meaning.engine.knowledge.restore_pair("Cup", "Pot").changed
    assert (meaning.root / FILE).read_bytes() == b"# mine\r"


def test_lines_that_are_not_followed_are_named_wherever_pairs_are_shown(
    desk: MeaningDesk,
) -> None:
    desk.write({FILE: "pair Cup.md Kettle.md\n"})

    said = f'{FILE} line 1 is not followed: no one note is called "Kettle.md"'
    knowledge = desk.engine.knowledge
    for notices in (
        knowledge.similar().notices,
        knowledge.suggest().notices,
        knowledge.suggest("Cup").notices,
        knowledge.connections("Cup").notices,
        knowledge.health().notices,
        desk.engine.status().notices,
        [check.finding for check in desk.engine.doctor()],
    ):
        assert said in notices


def test_of_many_broken_lines_a_few_are_named(desk: MeaningDesk) -> None:
    desk.write({FILE: "broken\n" * 500})

    problems = desk.engine.knowledge.dismissals().problems

    assert len(problems) == MOST_SHOWN + 1
    assert problems[-1] == "490 more lines are not followed"


def test_many_lines_are_looked_up_together(
    desk: MeaningDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (f'pair "a{n}.md" "b{n}.md" titles "a{n}" "b{n}"\n' for n in range(500))
    desk.write({FILE: "".join(lines) + "pair Cup.md Pot.md\n"})
    asked: list[int] = []
    there = PairRows.there

    def counted(rows: PairRows, paths: Collection[NotePath]) -> set[NotePath]:
        asked.append(len(paths))
        return there(rows, paths)

    monkeypatch.setattr(PairRows, "there", counted)

    assert desk.engine.knowledge.restore_pair("Cup", "Pot").changed
    assert len(asked) <= 2


def test_lines_that_nobody_understands_stay_and_are_named(desk: MeaningDesk) -> None:
    text = '# mine\r\npair "Cup.md\r\nmaybe later\r\n\r\n'
    desk.write({FILE: text})

    problems = desk.engine.knowledge.dismissals().problems
    desk.engine.knowledge.dismiss("Cup", "Pot")
    desk.engine.knowledge.restore_pair("Cup", "Pot")

    assert [problem.split(": ")[0] for problem in problems] == [
        f"{FILE} line 2 is not followed",
        f"{FILE} line 3 is not followed",
    ]
    assert (desk.root / FILE).read_bytes() == text.encode()


def test_line_ends_of_windows_stay(desk: MeaningDesk) -> None:
    desk.write({FILE: b"\xef\xbb\xbf# mine\r\n"})

    desk.engine.knowledge.dismiss("Cup", "Pot")

    raw = (desk.root / FILE).read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf# mine\r\npair ")
    assert raw.count(b"\r\n") == raw.count(b"\n") == 2
    assert ("Cup.md", "Pot.md") not in pairs_of(desk)


def test_every_dismissal_is_on_record(desk: MeaningDesk) -> None:
    desk.engine.knowledge.dismiss("Cup", "Pot")
    desk.engine.knowledge.restore_pair("Cup", "Pot")

    log = (desk.root / ".agent/logs/writes.jsonl").read_text("utf-8").splitlines()

    said = [(json.loads(line)["path"], json.loads(line)["why"]) for line in log]
    assert said == [(FILE, "dismissed"), (FILE, "dismissal taken back")]


def test_where_writes_are_off_nothing_is_dismissed(desk: MeaningDesk) -> None:
    desk.open(writes__mode="off")

    knowledge = desk.engine.knowledge
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

    assert not (desk.root / ".agent").exists()
    assert pairs_of(desk) == ALL


def test_a_dismissal_that_is_there_counts_where_writes_are_off(
    desk: MeaningDesk,
) -> None:
    desk.write({FILE: "pair Pot.md Cup.md\n"})
    desk.open(writes__mode="off")

    assert pairs_of(desk) == ALL - {("Cup.md", "Pot.md")}


def test_the_file_stands_in_the_agent_folder_of_the_settings(
    desk: MeaningDesk,
) -> None:
    desk.open(writes__agent_dir="Robot")

    done = desk.engine.knowledge.dismiss("Cup", "Pot")

    assert done.file == "Robot/dismissed.txt"
    assert (desk.root / "Robot/dismissed.txt").is_file()
    assert not (desk.root / ".agent").exists()


def test_an_agent_folder_may_be_spelled_in_parts(desk: MeaningDesk) -> None:
    desk.open(writes__agent_dir=normalize("NFD", "Gehülfe"))

    done = desk.engine.knowledge.dismiss("Cup", "Pot")

    assert (done.file, done.changed) == (
        normalize("NFC", "Gehülfe/dismissed.txt"),
        True,
    )
    assert ("Cup.md", "Pot.md") not in pairs_of(desk)


def test_what_is_no_pair_is_refused(desk: MeaningDesk) -> None:
    with pytest.raises(BadWish):
        desk.engine.knowledge.dismiss("Cup", "Cup")
    with pytest.raises(NoteNotFound):
        desk.engine.knowledge.dismiss("Cup", "Nobody")
    with pytest.raises(BadFindingKey):
        desk.engine.knowledge.dismiss_finding("orphans", " ")

    assert not (desk.root / ".agent").exists()


def test_a_finding_is_dismissed_and_taken_back(desk: MeaningDesk) -> None:
    knowledge = desk.engine.knowledge

    knowledge.dismiss_finding("orphans", "Mug.md")
    assert knowledge.dismissals().has_finding("orphans", "Mug.md")
    assert not knowledge.dismissals().has_finding("ghosts", "Mug.md")

    assert knowledge.restore_finding("orphans", "Mug.md").changed
    assert not knowledge.dismissals().has_finding("orphans", "Mug.md")


def test_what_is_no_finding_cannot_be_dismissed(desk: MeaningDesk) -> None:
    desk.indexed({"Cup.md": f"{TEA} [[Mug]]"})

    for check, subject in [
        ("orphans", "Nobody.md"),
        ("orphans", "Cup.md"),
        ("ghosts", "nobody"),
        ("inconsistent_tags", "tag zeppelin"),
    ]:
        with pytest.raises(FindingAbsent, match="is no finding now; health shows"):
            desk.engine.knowledge.dismiss_finding(check, subject)

    assert not (desk.root / ".agent").exists()


def test_what_cannot_be_checked_cannot_be_dismissed(vault: VaultDesk) -> None:
    vault.indexed({"Cup.md": TEA, "Mug.md": TEA})

    with pytest.raises(FindingAbsent, match="nothing is embedded yet"):
        vault.engine.knowledge.dismiss_finding("weakly_tied", "Cup.md <> Mug.md")


def test_nothing_is_dismissed_before_there_is_an_index(vault: VaultDesk) -> None:
    vault.write({"Cup.md": TEA})

    with pytest.raises(IndexAbsent):
        vault.engine.knowledge.dismiss_finding("orphans", "Cup.md")

    assert not (vault.root / ".agent").exists()


def test_a_dismissal_stays_and_can_be_taken_back_once_the_finding_is_none(
    vault: VaultDesk,
) -> None:
    knowledge = vault.open().knowledge
    vault.indexed({"Cup.md": TEA, "Mug.md": TEA})
    knowledge.dismiss_finding("orphans", "Cup.md")
    vault.remove("Cup.md")
    vault.index()

    assert not knowledge.dismiss_finding("orphans", "Cup.md").changed
    assert knowledge.restore_finding("Orphans", "Cup.md").changed
    assert not knowledge.restore_finding("orphans", "Cup.md").changed


def test_a_finding_about_a_note_that_was_moved_is_still_dismissed(
    vault: VaultDesk,
) -> None:
    long = " ".join(f"word{at}" for at in range(60))
    vault.indexed({"Cup.md": TEA, "A/Twin.md": long, "B/Copy.md": f"{long} more"})
    knowledge = vault.engine.knowledge
    knowledge.dismiss_finding("orphans", "Cup.md")
    knowledge.dismiss_finding("near-duplicates", "A/Twin.md <> B/Copy.md")

    vault.move("Cup.md", "Kitchen/Cup.md")
    vault.move("A/Twin.md", "C/Twin.md")
    vault.index()

    report = knowledge.health(checks=["orphans", "near_duplicates"], limit=None)
    shown = {one.key for check in report.checks for one in check.examples}
    assert shown == {"orphans:B/Copy.md", "orphans:C/Twin.md"}
    assert report.dismissed == 2
    assert knowledge.check_finding("orphans:Kitchen/Cup.md").dismissed
    assert knowledge.restore_finding("orphans", "Kitchen/Cup.md").changed
    assert not knowledge.check_finding("orphans:Kitchen/Cup.md").dismissed


def test_a_finding_about_another_note_in_the_place_of_one_is_not_dismissed_with_it(
    vault: VaultDesk,
) -> None:
    vault.indexed({"Cup.md": TEA, "Mug.md": TEA})
    vault.engine.knowledge.dismiss_finding("orphans", "Cup.md")

    vault.remove("Cup.md")
    vault.indexed({"A/Cup.md": TEA, "B/Cup.md": TEA})

    found = vault.engine.knowledge.health(checks=["orphans"], limit=None)
    assert (found.findings, found.dismissed) == (3, 0)


@given(
    paths=st.tuples(PATHS, PATHS),
    now=st.tuples(PATHS, PATHS),
    check=st.sampled_from(sorted(SHAPES)),
)
def test_the_notes_of_a_subject_are_found_in_it_and_renamed(
    paths: tuple[str, str], now: tuple[str, str], check: str
) -> None:
    made = {
        "missing_reciprocal": "{} up: {}",
        "broken_links": "{} -> {}#Part",
        "near_duplicates": "{} <> {}",
        "weakly_tied": "{} <> {}",
        "one_source": "{} <- gazette.example",
    }.get(check, "{}")
    count = made.count("{}")
    names = dict(zip(map(NotePath, paths), map(NotePath, now), strict=True))

    subject = made.format(*paths)

    assert paths_in(check, subject) == paths[:count]
    called = [names[NotePath(path)] for path in paths]
    assert made.format(*called) in renamed(check, subject, names)


@pytest.mark.skipif(os.name == "nt", reason="POSIX alone has it")
def test_a_link_in_the_place_of_the_file_dismisses_nothing(
    desk: MeaningDesk, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("pair Pot.md Cup.md\n")
    (desk.root / ".agent").mkdir()
    (desk.root / FILE).symlink_to(outside)

    assert pairs_of(desk) == ALL
    (problem,) = desk.engine.knowledge.dismissals().problems
    assert problem.endswith("nothing in it is followed")


NAMES = st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12
).filter(lambda text: bool(text.strip()))
LINES: st.SearchStrategy[Dismissal] = st.one_of(
    st.builds(
        lambda a, b, t, u: parse_line(pair_line((a, b), (t, u), (t[:0], "9f")).line),
        NAMES,
        NAMES,
        NAMES,
        NAMES,
    ).filter(lambda one: isinstance(one, Dismissal)),
    st.builds(finding_line, NAMES, NAMES),
    st.builds(finding_line, NAMES, NAMES, st.tuples(NAMES, NAMES)),
    st.builds(finding_line, NAMES, NAMES, st.tuples(NAMES), st.just(("0a1b",))),
)


@given(one=LINES)
def test_what_is_written_is_read_again(one: Dismissal) -> None:
    line = one.line

    assert "\n" not in line
    assert parse_line(line) == one


@given(text=st.text(max_size=200))
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    lines = lines_in(text)
    found, problems = parse(lines, FILE)

    assert "".join(lines) == text
    assert len(found) + len(problems) <= len(lines)
