"""What is pinned stands as text in the agent folder, and is known again by it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vault_harness import VaultHarness

from glassmind.errors import NoteNotFound, WritesOff
from glassmind.memory.pins import PinLine, line_of, parse_line
from glassmind.model import NotePath

FILES = {
    "Tea/Oolong.md": "Oolong is brewed hot.\n",
    "Kettle.md": "A kettle.\n",
    "Pump.md": "The pump.\n",
}


def text(vault: VaultHarness) -> str:
    return (vault.root / ".agent/pinned.txt").read_text("utf-8")


def put(vault: VaultHarness, content: str) -> None:
    vault.write({".agent/pinned.txt": content})


def test_a_pinned_note_is_as_warm_as_can_be(vault: VaultHarness) -> None:
    vault.indexed(FILES)

    done = vault.engine.memory.pin("Oolong")

    (first, *_) = vault.engine.memory.temperatures().notes
    assert done.changed == first.path == "Tea/Oolong.md"
    assert (first.heat, first.level, first.pinned) == (1.0, "hot", True)
    assert first.reasons[0] == "pinned"


def test_pinning_twice_writes_once(vault: VaultHarness) -> None:
    vault.indexed(FILES)
    vault.engine.memory.pin("Oolong")
    before = text(vault)

    again = vault.engine.memory.pin("Tea/Oolong.md")

    assert again.changed is None
    assert again.paths == ("Tea/Oolong.md",)
    assert text(vault) == before


def test_unpinning_takes_the_line_and_leaves_all_others(vault: VaultHarness) -> None:
    vault.indexed(FILES)
    put(vault, "# mine\r\nKettle.md\r\n\r\nwhatever this is\r\n")
    vault.engine.memory.pin("Oolong")

    done = vault.engine.memory.unpin("Oolong")

    assert done.changed == "Tea/Oolong.md"
    assert done.paths == ("Kettle.md",)
    raw = (vault.root / ".agent/pinned.txt").read_bytes()
    assert raw == b"# mine\r\nKettle.md\r\n\r\nwhatever this is\r\n"


def test_unpinning_what_is_not_pinned_changes_nothing(vault: VaultHarness) -> None:
    vault.indexed(FILES)

    assert vault.engine.memory.unpin("Kettle").changed is None
    assert not (vault.root / ".agent/pinned.txt").exists()


def test_a_renamed_note_keeps_its_pin(vault: VaultHarness) -> None:
    vault.indexed(FILES)
    vault.engine.memory.pin("Oolong")
    vault.move("Tea/Oolong.md", "Drinks/Wulong.md")
    vault.index()

    pins = vault.engine.memory.pins()
    done = vault.engine.memory.unpin("Wulong")

    assert (pins.paths, pins.problems) == (("Drinks/Wulong.md",), ())
    assert done.changed == "Drinks/Wulong.md"
    assert done.paths == ()


def test_a_note_moved_and_changed_is_known_by_its_title(vault: VaultHarness) -> None:
    vault.indexed(FILES)
    vault.engine.memory.pin("Oolong")
    vault.remove("Tea/Oolong.md")
    vault.indexed({"Drinks/Oolong.md": "Quite another text of it.\n"})

    assert vault.engine.memory.pins().paths == ("Drinks/Oolong.md",)


def test_a_note_that_is_gone_is_told_and_can_be_unpinned(vault: VaultHarness) -> None:
    vault.indexed(FILES)
    vault.engine.memory.pin("Oolong")
    vault.remove("Tea/Oolong.md")
    vault.index(accept_deletions=True)

    pins = vault.engine.memory.pins()
    told = vault.engine.memory.temperatures().notices
    done = vault.engine.memory.unpin("Tea/Oolong.md")

    assert (pins.paths, told) == ((), pins.problems)
    assert "Tea/Oolong.md is gone" in pins.problems[0]
    assert (done.paths, done.problems) == ((), ())


def test_a_person_may_write_a_path_or_a_title_without_quotes(
    vault: VaultHarness,
) -> None:
    vault.indexed(FILES)
    put(vault, "./Tea/Oolong.md\nKettle\n")

    assert vault.engine.memory.pins().paths == ("Tea/Oolong.md", "Kettle.md")


def test_lines_that_say_nothing_are_told_by_number(vault: VaultHarness) -> None:
    vault.indexed(FILES)
    put(vault, '# fine\n"Kettle.md\nNo such note\n')

    problems = vault.engine.memory.pins().problems

    assert problems[0].startswith(".agent/pinned.txt line 2 is not followed")
    assert problems[1].startswith(".agent/pinned.txt line 3: No such note is gone")


def test_nothing_is_pinned_on_a_guess(vault: VaultHarness) -> None:
    vault.indexed(FILES)

    with pytest.raises(NoteNotFound) as raised:
        vault.engine.memory.pin("Oolnog")

    assert "Tea/Oolong.md" in str(raised.value)
    assert not (vault.root / ".agent").exists()


def test_nothing_is_pinned_where_nothing_may_be_written(vault: VaultHarness) -> None:
    vault.open(writes__mode="off")
    vault.indexed(FILES)

    with pytest.raises(WritesOff, match=r"^nothing was pinned: the settings"):
        vault.engine.memory.pin("Oolong")
    with pytest.raises(WritesOff, match=r"^nothing was unpinned: the settings"):
        vault.engine.memory.unpin("Oolong")

    assert not (vault.root / ".agent").exists()


def test_a_pin_is_on_record_with_who_made_it(vault: VaultHarness) -> None:
    vault.indexed(FILES)

    vault.engine.memory.pin("Oolong", client="harness")

    log = (vault.root / ".agent/logs/writes.jsonl").read_text("utf-8")
    said = json.loads(log.splitlines()[0])
    assert (said["why"], said["client"]) == ("pinned", "harness")


def test_the_file_of_pins_is_neither_note_nor_attachment(vault: VaultHarness) -> None:
    vault.indexed(FILES)
    vault.engine.memory.pin("Oolong")
    vault.index()

    assert vault.value("select count(*) from files where path like '%pinned%'") == 0


words = st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30
).filter(lambda text: text.strip("./ ") == text and text.isprintable())


@given(words, st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_a_line_says_what_it_was_written_for(path: str, title: str) -> None:
    one = PinLine(NotePath(path), title, "1f0c9a3e77b2")

    said = parse_line(line_of(one))

    assert isinstance(said, PinLine)
    assert (said.title, said.digest) == (title, one.digest)


@given(st.text(max_size=60))
def test_any_line_pins_is_a_comment_or_is_told(line: str) -> None:
    assert parse_line(line) is None or parse_line(line)


def test_a_pin_whose_note_is_gone_is_listed_and_let_go_by_its_path(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Base/Home.md": "---\ntitle: Front\n---\n# Home\n", **FILES})
    vault.engine.memory.pin("Home")
    vault.engine.memory.pin("Kettle")
    vault.remove("Base/Home.md")
    vault.index(accept_deletions=True)

    pins = vault.engine.memory.pins()
    done = vault.engine.memory.unpin("Base/Home.md")

    assert (pins.paths, pins.gone) == (("Kettle.md",), ("Base/Home.md",))
    assert done.changed == "Base/Home.md"
    assert (done.paths, done.gone) == (("Kettle.md",), ())
