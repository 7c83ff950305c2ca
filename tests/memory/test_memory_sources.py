"""What a capture stands on, and which project it is of: checked before it is kept."""

import pytest
from memory_harness import agent_files, kept, waiting
from vault_harness import VaultHarness

from glassmind.errors import BadMemory, IndexBusy, ProjectUnknown, WritesOff

TEA = "# Tea\n\nOolong steeps long.\n\n## Water\n\nNear boiling.\nNever hard.\n"


@pytest.fixture
def tea(vault: VaultHarness) -> VaultHarness:
    vault.write({"Notes/Green tea.md": TEA, "Notes/Empty.md": ""})
    vault.index()
    return vault


def state_of(tea: VaultHarness, receipt: str) -> str:
    return tea.engine.bundles.verify([receipt])[0].state


@pytest.mark.parametrize(
    ("place", "part"),
    [
        ("Notes/Green tea.md", ":1-8@"),
        ("Green tea", ":1-8@"),
        ("[[Green tea]]", ":1-8@"),
        ("Notes/Green tea.md:3", ":3@"),
        ("Notes/Green tea.md:7-8", ":7-8@"),
        ("`Notes/Green tea.md:7-8`", ":7-8@"),
        ("- Notes/Green tea.md:7-8", ":7-8@"),
        ("Notes/Green tea.md#Water", "#Water:5-8@"),
        ("Notes/Green tea.md#Water:7-8", ":7-8@"),
    ],
)
def test_a_place_as_answers_print_it_becomes_a_receipt(
    tea: VaultHarness, place: str, part: str
) -> None:
    memo = kept(tea, "Water for tea is hot.", sources=[place])

    (receipt,) = memo.sources
    assert receipt.startswith("Notes/Green%20tea.md")
    assert part in receipt
    assert state_of(tea, receipt) == "unchanged"


@pytest.mark.parametrize("mark", ["[1] {}", "- {}", "1. {}", "- [12] {}", "* `{}`"])
def test_a_receipt_copied_out_of_a_list_is_kept_as_it_is_written(
    tea: VaultHarness, mark: str
) -> None:
    (receipt,) = kept(tea, "Once.", sources=["Green tea"]).sources

    memo = kept(tea, "Twice.", sources=[mark.format(receipt)])

    assert memo.sources == (receipt,)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("Grean tea", "no note is called"),
        ("Notes/Green tea.md:90-99", "8"),
        ("Notes/Green tea.md#Milk", "Milk"),
        ("Notes/Empty.md", "says nothing"),
        ("Gone.md:1-2@0f1e2d3c4b5a6978", "not there"),
        ("../Out.md:1-2@0f1e2d3c4b5a6978", "not there"),
        ("x" * 2_000, "is none"),
    ],
)
def test_a_source_that_is_nowhere_is_refused(
    tea: VaultHarness, source: str, said: str
) -> None:
    with pytest.raises(BadMemory) as told:
        kept(tea, "Water for tea is hot.", sources=[source])

    assert said in str(told.value)
    assert "nothing was written" in str(told.value)
    assert agent_files(tea) == set()


def test_lines_that_moved_are_cited_from_where_they_stand(tea: VaultHarness) -> None:
    (before,) = kept(tea, "Once.", sources=["Green tea.md:7-8"]).sources
    tea.write({"Notes/Green tea.md": f"New.\n\n{TEA}"})

    done = tea.engine.memory.capture("memory", "Twice.", sources=[before])

    (receipt,) = done.memory.sources
    assert ":9-10@" in receipt
    assert state_of(tea, receipt) == "unchanged"
    assert "cited from where it stands now" in done.notices[0]
    assert done.indexed


def test_lines_that_changed_are_cited_as_they_were_and_told(tea: VaultHarness) -> None:
    (before,) = kept(tea, "Once.", sources=["Green tea.md:7-8"]).sources
    tea.write({"Notes/Green tea.md": TEA.replace("boiling", "freezing")})

    done = tea.engine.memory.capture("memory", "Twice.", sources=[before])

    assert done.memory.sources == (before,)
    assert "changed" in done.notices[0]


@pytest.mark.parametrize(
    "project",
    [
        "#atlas",
        "folder:Work/Atlas",
        "Work/Atlas/",
        "tag:atlas",
        "property:project=Atlas",
        "Property: Atlas",
        "../Atlas",
        "Work/../Atlas",
        "..",
    ],
)
def test_what_picks_notes_is_no_name_of_a_project(
    tea: VaultHarness, project: str
) -> None:
    with pytest.raises(BadMemory, match="name"):
        waiting(tea, "Ship it on Friday.", project=project)

    assert agent_files(tea) == set()


def test_a_project_that_is_new_is_told_with_those_it_may_be_a_slip_of(
    tea: VaultHarness,
) -> None:
    tea.write({"Plan.md": "---\nproject: Atlas\n---\nGo.\n"})
    tea.index()
    capture = tea.engine.memory.capture

    known = capture("memory", "One.", project="atlas")
    new = capture("memory", "Two.", project="Atlsa")
    other = capture("memory", "Three.", project="Quokka")

    assert known.notices == ()
    assert new.notices == (
        "the project 'Atlsa' is new to this vault; there is 'Atlas'",
    )
    assert other.notices == ("the project 'Quokka' is new to this vault",)


def test_a_project_that_is_unknown_is_told_with_the_closest(tea: VaultHarness) -> None:
    tea.write({"Work/Atlas/Plan.md": "Go.\n"})
    tea.index()

    with pytest.raises(ProjectUnknown) as told:
        tea.engine.memory.temperatures(project="Atlsa")

    assert str(told.value).endswith("; closest: Atlas")
    for ask in (tea.engine.search, tea.engine.bundles.pack):
        with pytest.raises(ProjectUnknown, match="closest: Atlas"):
            ask("tea", project="Atlsa")


def test_with_writes_off_the_act_is_named_and_no_file(vault: VaultHarness) -> None:
    vault.open(writes__mode="off")
    vault.index()

    with pytest.raises(WritesOff, match="nothing was captured: ") as told:
        kept(vault, "Ship it on Friday.")

    assert ".md" not in str(told.value)


def test_a_capture_while_the_index_is_written_is_not_to_be_tried_again(
    tea: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object, **__: object) -> None:
        raise IndexBusy("process 7", 2)

    monkeypatch.setattr("glassmind.index.keeper.IndexKeeper.index", busy)

    done = tea.engine.memory.capture("memory", "Ship it on Friday.")

    assert not done.indexed
    assert "its next run takes it in" in done.notices[0]
    assert "Try again" not in done.notices[0]
