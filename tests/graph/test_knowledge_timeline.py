"""How a note's neighbourhood grew, from what dates there are."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from git_harness import GitHarness
from hypothesis import given
from hypothesis import strategies as st
from operation_harness import text_of, values_of
from vault_harness import VaultHarness

from glassmind.errors import BadLimit, IndexAbsent, NoteNotFound
from glassmind.files import git
from glassmind.files.git import Commit, FileChange
from glassmind.graph import timeline
from glassmind.graph.timeline import histories_of
from glassmind.model.graph import Timeline

NO_GIT = "dates come from properties, names and files alone"


def told(found: Timeline) -> list[tuple[str, str, str, str]]:
    return [(e.day, e.kind, e.path, e.origin) for e in found.events]


def second(day: str) -> int:
    return int(
        datetime.fromisoformat(f"{day}T09:00:00").replace(tzinfo=UTC).timestamp()
    )


def test_without_a_history_properties_names_and_files_date_everything(
    vault: VaultHarness,
) -> None:
    vault.write(
        {
            "Tea.md": "---\ncreated: 2020-05-01\n---\nfrom [[Camellia]]",
            "2023-02-03.md": "drank [[Tea]] today",
            "Camellia.md": "---\ndate created: 2019-01-01 10:00\n---\n",
        },
        at=second("2024-04-01"),
    )
    vault.write({"Kettle.md": "boils for [[Tea]]"}, at=second("2022-06-07"))
    vault.index()

    found = vault.engine.knowledge.timeline("Tea")

    assert told(found) == [
        ("2019-01-01", "neighbour_made", "Camellia.md", "property"),
        ("2020-05-01", "made", "Tea.md", "property"),
        ("2020-05-01", "links_to", "Camellia.md", "property"),
        ("2022-06-07", "neighbour_made", "Kettle.md", "modified"),
        ("2022-06-07", "linked_from", "Kettle.md", "modified"),
        ("2023-02-03", "neighbour_made", "2023-02-03.md", "name"),
        ("2023-02-03", "linked_from", "2023-02-03.md", "name"),
        ("2024-04-01", "changed", "Tea.md", "modified"),
    ]
    assert found.events[6].sentence == "drank [[Tea]] today"
    (notice,) = found.notices
    assert notice.endswith(NO_GIT)


def test_a_link_in_a_dated_note_is_as_old_as_that_note(vault: VaultHarness) -> None:
    vault.write(
        {"Ada.md": "lives in [[York]]", "2021-03-04.md": "met [[Ada]]",
         "York.md": "---\ncreated: 2024-06-01\n---\n"},
        at=second("2022-01-01"),
    )  # fmt: skip
    vault.index()

    found = vault.engine.knowledge.timeline("Ada")

    links = [(e.day, e.path) for e in found.events if e.sentence]
    assert links == [("2021-03-04", "2021-03-04.md"), ("2024-06-01", "York.md")]
    assert found.events[2].detail == "Ada was made at the latest"


@pytest.fixture
def grown(vault: VaultHarness) -> tuple[VaultHarness, GitHarness]:
    """A vault whose links came one after another; its files are all of one day."""
    git = GitHarness(vault.root)
    late = second("2024-12-31")
    vault.write({"Cha.md": "hot\n"}, at=late)
    git.commit("2021-01-01")
    vault.write({"Kettle.md": "made of iron\n", "Pot.md": ""}, at=late)
    git.commit("2021-02-02")
    vault.write({"Kettle.md": "made of iron\nfor [[Cha|it]]\n"}, at=late)
    git.commit("2021-03-03")
    git.git("mv", "Cha.md", "Tea.md")
    vault.write({"Kettle.md": "made of iron\nfor [[Tea|it]]\n"}, at=late)
    git.commit("2021-04-04")
    vault.write({"Tea.md": "hot\n\nin a [pot](Pot.md)\n"}, at=late)
    git.commit("2021-05-05")
    vault.write({"Tea.md": "hot\n\nin a [pot](Pot.md)!\n"}, at=late)
    git.commit("2021-06-06")
    vault.index()
    return vault, git


def test_a_history_tells_when_each_note_and_each_link_came(
    grown: tuple[VaultHarness, GitHarness],
) -> None:
    vault, repository = grown

    found = vault.engine.knowledge.timeline("Tea")

    assert told(found) == [
        ("2021-01-01", "made", "Tea.md", "git"),
        ("2021-02-02", "neighbour_made", "Kettle.md", "git"),
        ("2021-02-02", "neighbour_made", "Pot.md", "git"),
        ("2021-02-02", "links_to", "Pot.md", "git"),
        ("2021-02-02", "linked_from", "Kettle.md", "git"),
        ("2021-04-04", "renamed", "Tea.md", "git"),
        ("2021-06-06", "changed", "Tea.md", "git"),
    ]
    assert found.notices == ()
    assert found.events[0].time == "12:00:00+02:00"
    assert found.events[5].detail == "Tea was called Cha.md before"
    assert found.events[-1].commit == repository.git("rev-parse", "HEAD")
    assert vault.open().knowledge.timeline("Tea") == found


def test_a_vault_may_be_a_folder_of_a_repository(tmp_path: Path) -> None:
    git = GitHarness(tmp_path)
    harness = VaultHarness(tmp_path / "sub folder")
    harness.write({'x/Été "1".md': "", "B.md": '[[Été "1"]]'}, at=second("2024-12-31"))
    git.commit("2021-01-01")
    harness.index()

    found = harness.engine.knowledge.timeline("B")
    harness.close()

    assert told(found) == [
        ("2021-01-01", "neighbour_made", 'x/Été "1".md', "git"),
        ("2021-01-01", "made", "B.md", "git"),
        ("2021-01-01", "links_to", 'x/Été "1".md', "git"),
    ]  # fmt: skip


def test_a_file_older_than_its_first_commit_is_as_old_as_it_is(
    vault: VaultHarness,
) -> None:
    git = GitHarness(vault.root)
    vault.write({"A.md": ""}, at=second("2015-01-01"))
    git.commit("2021-01-01")
    vault.index()

    first, last = vault.engine.knowledge.timeline("A").events

    assert (first.day, first.kind, first.origin) == ("2015-01-01", "made", "modified")
    assert (last.day, last.kind, last.origin) == ("2021-01-01", "changed", "git")


def test_a_note_that_was_never_committed_is_dated_without_git(
    vault: VaultHarness,
) -> None:
    GitHarness(vault.root)
    vault.write({"A.md": "[[B]]", "B.md": ""}, at=second("2022-02-02"))
    vault.index()

    found = vault.engine.knowledge.timeline("A")

    assert {event.origin for event in found.events} == {"modified"}
    assert found.notices == ("the history does not know A.md",)


def test_a_shallow_history_says_that_it_is(
    grown: tuple[VaultHarness, GitHarness], tmp_path: Path
) -> None:
    harness = VaultHarness(tmp_path / "copy")
    copy = GitHarness(harness.root)
    copy.git("fetch", "-q", "--depth=1", f"file://{grown[1].root}", "HEAD")
    copy.git("checkout", "-q", "FETCH_HEAD")
    harness.index()

    notices = harness.engine.knowledge.timeline("Tea").notices
    harness.close()

    assert any("the history is shallow" in notice for notice in notices)


def test_without_git_the_answer_says_so(
    grown: tuple[VaultHarness, GitHarness], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glassmind.files.git.shutil.which", lambda _: None)

    (notice,) = grown[0].engine.knowledge.timeline("Tea").notices

    assert notice == f"git is not installed; {NO_GIT}"


def test_a_repository_that_git_refuses_is_a_notice(
    grown: tuple[VaultHarness, GitHarness], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(git._ENVIRONMENT, "GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")

    (notice,) = grown[0].engine.knowledge.timeline("Tea").notices

    assert "safe.directory" in notice
    assert notice.endswith(NO_GIT)


def test_no_time_for_the_history_is_a_notice(
    grown: tuple[VaultHarness, GitHarness], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline, "MOST_SECONDS", 0.0)

    found = grown[0].engine.knowledge.timeline("Tea")

    assert found.notices == (f"git could not be asked (TimeoutExpired); {NO_GIT}",)
    assert {event.origin for event in found.events} == {"modified"}


def test_a_history_too_long_is_cut_and_says_so(
    grown: tuple[VaultHarness, GitHarness], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "MOST_COMMITS", 1)

    found = grown[0].engine.knowledge.timeline("Tea")

    assert any("too long" in notice for notice in found.notices)


def test_neighbours_are_followed_through_their_former_names(
    vault: VaultHarness,
) -> None:
    git = GitHarness(vault.root)
    late = second("2024-12-31")
    vault.write({"Old.md": "of [[Tea]]\n" * 9, "Tea.md": "hot\n"}, at=late)
    git.commit("2020-01-01")
    vault.write({"Tea.md": "hot\nsee [[Old]]\n"}, at=late)
    git.commit("2021-01-01")
    (vault.root / "sub").mkdir()
    git.git("mv", "Old.md", "sub/Newer.md")
    vault.write({"Tea.md": "hot\nsee [[Newer]]\n"}, at=late)
    git.commit("2022-01-01")
    vault.write({"Old.md": "another of that name, for [[Tea]]\n"}, at=late)
    git.commit("2023-01-01")
    vault.index()

    found = vault.engine.knowledge.timeline("Tea")

    assert told(found) == [
        ("2020-01-01", "neighbour_made", "sub/Newer.md", "git"),
        ("2020-01-01", "made", "Tea.md", "git"),
        ("2020-01-01", "links_to", "sub/Newer.md", "git"),
        ("2020-01-01", "linked_from", "sub/Newer.md", "git"),
        ("2022-01-01", "changed", "Tea.md", "git"),
        ("2023-01-01", "neighbour_made", "Old.md", "git"),
        ("2023-01-01", "linked_from", "Old.md", "git"),
    ]


def test_a_vault_that_was_moved_in_its_repository_is_as_old_as_before(
    tmp_path: Path,
) -> None:
    git = GitHarness(tmp_path)
    for name, text in {"A.md": "to [[B]]\n", "B.md": "text\n"}.items():
        (tmp_path / name).write_text(text)
    git.commit("2020-01-01")
    harness = VaultHarness(tmp_path / "notes")
    git.git("mv", "A.md", "B.md", "notes/Notes")
    git.commit("2022-01-01")
    harness.index()

    found = harness.engine.knowledge.timeline("A")
    harness.close()

    assert told(found)[:3] == [
        ("2020-01-01", "neighbour_made", "B.md", "git"),
        ("2020-01-01", "made", "A.md", "git"),
        ("2020-01-01", "links_to", "B.md", "git"),
    ]


def test_a_file_time_and_a_commit_are_compared_as_moments(vault: VaultHarness) -> None:
    git = GitHarness(vault.root)
    vault.write({"A.md": "text"}, at=second("2024-06-01"))  # 09:00
    git.commit("2024-06-01T12:30:00+05:00")  # 07:30
    vault.index()

    (made,) = vault.engine.knowledge.timeline("A").events

    assert (made.origin, made.time) == ("git", "12:30:00+05:00")
    assert made.detail == "A was made"


def test_a_history_cut_short_of_the_beginning_says_at_the_latest(
    grown: tuple[VaultHarness, GitHarness], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "MOST_COMMITS", 1)

    found = grown[0].engine.knowledge.timeline("Tea")

    made = next(event for event in found.events if event.kind == "made")
    assert (made.origin, made.detail) == ("git", "Tea was made at the latest")


@given(st.lists(st.tuples(st.sampled_from("arm"), *[st.sampled_from("ABCD")] * 2)))
def test_whose_a_change_was_is_known_through_any_renames(
    wished: list[tuple[str, str, str]],
) -> None:
    there: dict[str, int] = {}
    births: dict[int, str] = {}
    changes: list[FileChange] = []
    for number, (kind, path, other) in enumerate(wished):
        commit = Commit(str(number), "2021-01-01", "00:00:00+00:00")
        if kind == "a" and path not in there:
            there[path] = number
            births[number] = commit.id
            changes.append(FileChange(commit, "added", path, ""))
        elif kind == "r" and path in there and other not in there:
            there[other] = there.pop(path)
            changes.append(FileChange(commit, "renamed", other, path))
        elif kind == "m" and path in there:
            changes.append(FileChange(commit, "changed", path, ""))

    histories = histories_of(reversed(changes), sorted(there))

    assert {path: found.first.id for path, found in histories.items()} == {
        path: births[number] for path, number in there.items()
    }
    assert all(found.begun for found in histories.values())


def test_of_many_events_the_latest_are_shown(
    grown: tuple[VaultHarness, GitHarness],
) -> None:
    knowledge = grown[0].engine.knowledge

    found = knowledge.timeline("Tea", limit=2)

    assert [event.kind for event in found.events] == ["renamed", "changed"]
    assert found.total == 7
    with pytest.raises(BadLimit):
        knowledge.timeline("Tea", limit=0)
    with pytest.raises(NoteNotFound):
        knowledge.timeline("Zanzibar")


def test_without_an_index_there_is_no_timeline(vault: VaultHarness) -> None:
    with pytest.raises(IndexAbsent):
        vault.engine.knowledge.timeline("Tea")


def test_programs_and_people_read_the_same_events(
    grown: tuple[VaultHarness, GitHarness],
) -> None:
    engine = grown[0].engine

    shown = values_of(engine, "timeline", name="Tea", limit=2)
    lines = text_of(engine, "timeline", name="Tea", limit=2).splitlines()

    assert [event["detail"] for event in shown["events"]] == [
        "Tea was called Cha.md before", "Tea was last changed"
    ]  # fmt: skip
    assert lines[0] == "Tea.md"
    assert lines[1] == "5 earlier events left out"
    assert lines[2].startswith("2021-04-04  Tea was called Cha.md before  (git ")
