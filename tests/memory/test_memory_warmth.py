"""What captures do to temperatures: no more than one note of a person would."""

from datetime import UTC, datetime

from memory_harness import kept, waiting
from vault_harness import VaultHarness

from glassmind.model.memory import ActiveNote, ActivityOverview


def told(vault: VaultHarness) -> ActivityOverview:
    return vault.engine.memory.temperatures(limit=100)


def of(found: ActivityOverview, path: str) -> ActiveNote:
    return next(note for note in found.notes if note.path == path)


def test_what_waits_in_the_inbox_is_neither_hot_nor_makes_a_project_active(
    vault: VaultHarness,
) -> None:
    vault.write({"Plan.md": "---\nproject: Atlas\n---\nOld.\n"}, at=1_500_000_000)
    vault.index()
    memo = waiting(vault, "Ship it on Friday.", project="Atlas")
    vault.engine.read(memo.path)

    found = told(vault)

    assert found.notes == ()
    assert found.projects == ()
    assert found.waiting == 1


def test_a_briefing_says_how_much_waits(vault: VaultHarness) -> None:
    vault.index()
    waiting(vault, "Ship it on Friday.")

    made = vault.engine.bundles.brief()

    assert made.hot == ()
    assert made.notices == ("1 capture waits in the inbox, approved by nobody yet",)


def test_what_waits_is_no_note_of_a_project_that_is_active(vault: VaultHarness) -> None:
    now = int(datetime.now().astimezone().timestamp())
    vault.write({"Plan.md": "---\nproject: Atlas\n---\nNew.\n"}, at=now)
    vault.index()
    waiting(vault, "See [[Plan]] and ship it on Friday.", project="Atlas")

    found = told(vault)

    assert [note.path for note in found.notes] == ["Plan.md"]
    assert [(project.name, project.notes) for project in found.projects] == [
        ("Atlas", 1)
    ]


def test_a_pin_makes_warm_whatever_it_is_put_on(vault: VaultHarness) -> None:
    vault.index()
    memo = waiting(vault, "Ship it on Friday.")
    vault.engine.memory.pin(memo.path)

    assert [note.path for note in told(vault).notes] == [memo.path]


def test_an_accepted_capture_is_warm_once(vault: VaultHarness) -> None:
    vault.index()
    memo = waiting(vault, "Ship it on Friday.")
    after = vault.engine.memory.accept(memo.path).memory

    note = of(told(vault), after.path)

    assert note.reasons == ("edited today",)
    assert note.heat < 0.71


def test_what_agents_write_takes_nothing_from_what_a_person_edits(
    vault: VaultHarness,
) -> None:
    now = datetime.now().astimezone()
    moment = int(now.replace(second=0).timestamp())
    many = {f".agent/memories/Memo {n}.md": f"Memo {n}.\n" for n in range(60)}
    vault.write(many, at=moment)
    vault.write({"Mine.md": "I wrote this.\n"}, at=moment)
    vault.index()

    found = told(vault)

    assert found.notes[0].path == "Mine.md"
    assert found.notes[0].reasons == ("edited today",)
    assert [note.path for note in found.notes if note.level == "hot"] == ["Mine.md"]


def test_a_superseded_note_says_by_what(vault: VaultHarness) -> None:
    vault.index()
    old, new = kept(vault, "Ship on Friday."), kept(vault, "Ship on Monday instead.")
    vault.engine.memory.supersede(old.path, new.path)

    found = told(vault)

    assert [note.path for note in found.notes] == [new.path, old.path]
    assert not any("edited" in why for why in of(found, old.path).reasons)
    name = new.path.rpartition("/")[2].removesuffix(".md")
    assert of(found, old.path).reasons[-1] == f"superseded by {name}"
    assert not any("superseded" in why for why in of(found, new.path).reasons)


def test_memos_that_came_with_a_whole_vault_are_no_edits(vault: VaultHarness) -> None:
    fresh = {f"{n}.md": f"Note {n}.\n" for n in range(60)}
    memos = {f".agent/decisions/{n}.md": f"Decision {n}.\n" for n in range(3)}
    vault.write(fresh | memos, at=int(datetime.now(UTC).timestamp()))
    vault.index()

    found = told(vault)

    assert found.notes == ()


def test_what_a_supersession_marks_is_not_told_as_changed(vault: VaultHarness) -> None:
    vault.index()
    old, new = kept(vault, "Ship on Friday."), kept(vault, "Ship on Monday instead.")
    vault.engine.memory.supersede(old.path, new.path)

    made = vault.engine.bundles.brief()

    assert [one.path for one in made.changed] == [new.path]
    assert made.hot[0].path == new.path
