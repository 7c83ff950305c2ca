"""Active and pinned notes as people and programs read them."""

import json

from glassmind.model import NotePath
from glassmind.model.memory import ActiveNote, ActiveProject
from glassmind.obsidian.text import Style
from glassmind.operations.find import NoteArguments
from glassmind.operations.memory import (
    HotResult,
    PinsResult,
    hot_for_people,
    pins_for_people,
)
from glassmind.operations.registry import OPERATIONS, NoArguments, joined

pinned, unpinned = (OPERATIONS[name].for_people for name in ("pin", "unpin"))

WARM = ActiveNote(
    NotePath("Tea \x1b[2J.md"), "Tea", 0.734, "hot", ("edited \x07today",), pinned=True
)
EMPTY = HotResult(notes=(), projects=(), hot=0, warm=0, cold=3, waiting=0, notices=())
FOUND = HotResult(
    notes=(WARM,),
    projects=(ActiveProject("At\x1blas", 1, "2026-03-01"),),
    hot=1,
    warm=0,
    cold=1_234,
    waiting=0,
    notices=(),
)
NAMED = NoteArguments(name="A \x1b[2J")


def pins(*paths: NotePath, changed: NotePath | None = None) -> PinsResult:
    return PinsResult(paths=paths, gone=(), changed=changed, problems=())


def hot(result: HotResult) -> str:
    return joined(hot_for_people(result, NoArguments(), Style()))


def test_a_note_has_its_heat_and_why() -> None:
    lines = hot(FOUND).splitlines()

    assert lines[0].startswith("hot   0.73  Tea ")
    assert lines[0].endswith("(pinned)")
    assert lines[2].startswith("Active projects: At")
    assert lines[2].endswith("(1 note, last 2026-03-01)")
    assert lines[3] == "1 hot, 0 warm, 1,234 cold"


def test_nothing_a_note_is_called_commands_a_terminal() -> None:
    texts = [
        hot(FOUND),
        joined(pins_for_people(pins(WARM.path), NoArguments(), Style())),
        joined(pinned(pins(changed=WARM.path), NAMED, Style())),
        joined(unpinned(pins(), NAMED, Style())),
    ]

    assert not any("\x1b" in text or "\x07" in text for text in texts)


def test_a_vault_without_active_notes_says_so() -> None:
    text = hot(EMPTY)

    assert text.startswith("No recently active notes")
    assert "0 hot, 0 warm, 3 cold" in text


def test_pinning_says_what_was_done() -> None:
    named, style = NoteArguments(name="A"), Style()
    done = pins(WARM.path, changed=NotePath("A.md"))

    assert joined(pinned(done, named, style)) == "Pinned A.md\n"
    assert joined(unpinned(done, named, style)) == "Unpinned A.md\n"
    assert joined(unpinned(pins(), named, style)) == "A was not pinned\n"
    assert joined(pinned(pins(), named, style)) == "A is already pinned\n"
    assert (
        joined(pins_for_people(pins(), NoArguments(), style))
        == "No notes are pinned.\n"
    )


def test_programs_read_all_there_is() -> None:
    assert json.loads(json.dumps(FOUND.to_json())) == {
        "notes": [
            {
                "path": WARM.path,
                "title": "Tea",
                "heat": 0.734,
                "level": "hot",
                "reasons": ["edited \x07today"],
                "pinned": True,
            }
        ],
        "projects": [{"name": "At\x1blas", "notes": 1, "last": "2026-03-01"}],
        "hot": 1,
        "warm": 0,
        "cold": 1_234,
        "waiting": 0,
        "notices": [],
    }
