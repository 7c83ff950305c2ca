"""Lists and counts: every filter by itself and together, pages and totals."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from vault_harness import VaultHarness

DAY = int(datetime(2022, 6, 15, 12, tzinfo=UTC).timestamp())

NOTES: dict[str, str | bytes] = {
    "Home.md": "#Project [[Ghost]] [[ghost]] [[Tea]] [[Other ghost]]",
    "drinks/Tea.md": "---\nstatus: Open\nn: 5\ndone: true\n---\n- [ ] t #project/alpha",
    "drinks/hot/Cocoa.md": "---\nstatus: [draft, Closed]\ndone: false\n---\n# H",
    "drinks_x/Water.md": "---\nÉtat: Élan\nempty:\nnone: []\nmix: [true, 5]\n---\n#a_b",
    "100%/Sure.md": "---\ndate: 2020-02-02\n---\n#axb",
    "drinks/Board.canvas": '{"nodes": [], "edges": []}',
    "drinks/View.base": "views: []",
    "2021-03-04.md": "diary",
    "pic.png": b"png",
}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultHarness]:
    harness = VaultHarness(tmp_path_factory.mktemp("catalogue"))
    harness.write(NOTES)
    harness.write({"Home.md": NOTES["Home.md"]}, at=DAY)
    harness.index()
    yield harness
    harness.close()


def names(shelf: VaultHarness, **wanted: Any) -> list[str]:
    found = shelf.engine.list_notes(**wanted)
    assert found.total == len(found.notes)
    return [note.path for note in found.notes]


def test_without_a_filter_every_note_is_listed_by_path(shelf: VaultHarness) -> None:
    assert names(shelf) == sorted(path for path in NOTES if path != "pic.png")


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"folder": "drinks/hot"}, ["drinks/hot/Cocoa.md"]),
        ({"folder": "/drinks/hot/"}, ["drinks/hot/Cocoa.md"]),
        ({"folder": "drinks_x"}, ["drinks_x/Water.md"]),
        ({"folder": "drink%"}, []),
        ({"folder": "drinks/h_t"}, []),
        ({"folder": "100%"}, ["100%/Sure.md"]),
        ({"folder": "\\"}, []),
        ({"folder": "drinks", "kind": "markdown"},
         ["drinks/Tea.md", "drinks/hot/Cocoa.md"]),
        ({"kind": "canvas"}, ["drinks/Board.canvas"]),
        ({"kind": "base"}, ["drinks/View.base"]),
        ({"tag": "project"}, ["Home.md", "drinks/Tea.md"]),
        ({"tag": "#PROJECT/"}, ["Home.md", "drinks/Tea.md"]),
        ({"tag": "project/alpha"}, ["drinks/Tea.md"]),
        ({"tag": "a_b"}, ["drinks_x/Water.md"]),
        ({"tag": "proj%"}, []),
        ({"property_name": "STATUS"}, ["drinks/Tea.md", "drinks/hot/Cocoa.md"]),
        ({"property_name": "status", "property_value": "open"}, ["drinks/Tea.md"]),
        ({"property_name": "status", "property_value": "closed"},
         ["drinks/hot/Cocoa.md"]),
        ({"property_name": "n", "property_value": "5"}, ["drinks/Tea.md"]),
        ({"property_name": "done", "property_value": "true"}, ["drinks/Tea.md"]),
        ({"property_name": "done", "property_value": "False"}, ["drinks/hot/Cocoa.md"]),
        ({"property_name": "empty", "property_value": "null"}, ["drinks_x/Water.md"]),
        ({"property_name": "none", "property_value": "null"}, ["drinks_x/Water.md"]),
        ({"property_name": "mix", "property_value": "true"}, ["drinks_x/Water.md"]),
        ({"property_name": "mix", "property_value": "5"}, ["drinks_x/Water.md"]),
        ({"property_name": "mix", "property_value": "1"}, []),
        ({"property_name": "état"}, ["drinks_x/Water.md"]),
        ({"property_name": "ÉTAT", "property_value": "élan"}, ["drinks_x/Water.md"]),
        ({"property_name": "status", "property_value": ""}, []),
        ({"until": "2021-01-01"}, ["100%/Sure.md"]),
        ({"since": "2021-03-04", "until": "2021-03-05"}, ["2021-03-04.md"]),
        ({"since": "2022-06-15", "until": "2022-06-16"}, ["Home.md"]),
        ({"tag": "project", "folder": "drinks"}, ["drinks/Tea.md"]),
    ],
)  # fmt: skip
def test_a_filter_lists_these_notes(
    shelf: VaultHarness, wanted: dict[str, Any], expected: list[str]
) -> None:
    assert names(shelf, **wanted) == expected


def test_the_newest_come_first_when_asked(shelf: VaultHarness) -> None:
    assert names(shelf, newest=True, folder="drinks", kind="markdown") == [
        "drinks/hot/Cocoa.md",
        "drinks/Tea.md",
    ]


def test_pages_follow_each_other_and_know_the_total(shelf: VaultHarness) -> None:
    everything = names(shelf)

    pages = [shelf.engine.list_notes(limit=3, offset=at) for at in (0, 3, 6, 9)]

    assert [note.path for page in pages for note in page.notes] == everything
    assert {page.total for page in pages} == {len(everything)}


def test_a_listed_note_shows_what_is_known_of_it(shelf: VaultHarness) -> None:
    (note,) = shelf.engine.list_notes(tag="project/alpha").notes

    facts = (shelf.root / note.path).stat()
    assert (note.title, note.kind, note.day) == ("Tea", "markdown", None)
    assert (note.size, note.mtime_ns) == (facts.st_size, facts.st_mtime_ns)
    assert note.tags == ("project/alpha",)
    assert note.properties == {"status": "Open", "n": 5, "done": True}


def test_the_counts_are_those_of_the_vault(shelf: VaultHarness) -> None:
    stats = shelf.engine.stats()

    assert (stats.notes, stats.attachments) == (8, 1)
    assert (stats.links, stats.ghosts) == (4, 2)
    assert (stats.tasks, stats.headings, stats.tags) == (1, 1, 4)
    assert stats.chunks >= 5
    assert stats.folder == str(shelf.folder)
    assert stats.index_bytes > 0
