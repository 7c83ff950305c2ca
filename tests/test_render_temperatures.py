"""Temperatures and pins as people and programs read them."""

from glassmind.render.style import Style
from glassmind.render.temperatures import pins_as_json, temperatures_as_json
from glassmind.render.temperatures_text import (
    pinned_as_text,
    pins_as_text,
    temperatures_as_text,
)
from glassmind.types import NotePath
from glassmind.types.memory import ActiveProject, Pins, Temperature, Temperatures

WARM = Temperature(
    NotePath("Tea \x1b[2J.md"), "Tea", 0.734, "hot", ("edited \x07today",), pinned=True
)
FOUND = Temperatures(
    (WARM,), (ActiveProject("At\x1blas", 1, "2026-03-01"),), hot=1, warm=0, cold=1_234
)


def test_a_note_is_told_with_its_heat_and_why() -> None:
    text = temperatures_as_text(FOUND, Style())

    lines = text.splitlines()
    assert lines[0].startswith("hot   0.73  Tea ")
    assert lines[0].endswith("(pinned)")
    assert lines[2].startswith("active projects: At")
    assert lines[2].endswith("(1 note, last 2026-03-01)")
    assert lines[3] == "1 hot, 0 warm, 1,234 cold"


def test_nothing_a_note_is_called_commands_a_terminal() -> None:
    shown = [
        temperatures_as_text(FOUND, Style()),
        pins_as_text(Pins((WARM.path,)), Style()),
        pinned_as_text(Pins((), changed=WARM.path), "x", Style(), back=False),
        pinned_as_text(Pins(()), "\x1b[2J", Style(), back=True),
    ]

    assert not any("\x1b" in text or "\x07" in text for text in shown)


def test_a_vault_where_nothing_is_alive_says_so() -> None:
    text = temperatures_as_text(Temperatures((), cold=3), Style())

    assert text.startswith("nothing is alive")
    assert "0 hot, 0 warm, 3 cold" in text


def test_what_pinning_came_to_is_told() -> None:
    done = Pins((WARM.path,), changed=NotePath("A.md"))

    assert pinned_as_text(done, "A", Style(), back=False) == "pinned A.md\n"
    assert pinned_as_text(done, "A", Style(), back=True) == "unpinned A.md\n"
    assert pinned_as_text(Pins(()), "A", Style(), back=True) == "A was not pinned\n"
    assert pinned_as_text(Pins(()), "A", Style(), back=False) == "A is pinned already\n"
    assert pins_as_text(Pins(()), Style()) == "no note is pinned\n"


def test_programs_read_all_there_is() -> None:
    assert temperatures_as_json(FOUND) == {
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
    assert pins_as_json(Pins((WARM.path,), ("odd",))) == {
        "paths": [WARM.path],
        "changed": None,
        "gone": [],
        "problems": ["odd"],
    }
