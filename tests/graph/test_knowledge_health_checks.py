"""The checks of vault health one by one: what they tell, what they leave alone."""

from collections.abc import Mapping, Sequence

import pytest
from health_harness import text
from hypothesis import given, settings
from hypothesis import strategies as st
from vault_harness import VaultHarness

from glassmind.graph.health import leads
from glassmind.graph.names import is_date
from glassmind.obsidian.links import Outline
from glassmind.obsidian.text import linked_heading

SAME = text("same", 30)
BOARD = "[[One]] [[Two]]"


def found(harness: VaultHarness, check: str) -> dict[str, str]:
    """Return what one check finds: what is said of each subject."""
    knowledge = harness.engine.knowledge
    report = knowledge.health(checks=[check], limit=None)
    return {example.subject: example.what for example in report.checks[0].examples}


@pytest.mark.parametrize(
    "copy",
    [
        "Note.sync-conflict-20240301-101112-ABCDEFG.md",
        "Note (Conflicted copy phone 202403011011).md",
        "Note (Anna's conflicted copy 2024-03-01).md",
        "shot (Anna's conflicted copy 2024-03-01).png",
    ],
)
def test_a_copy_that_is_left_out_of_the_index_is_found_by_its_name(
    vault: VaultHarness, copy: str
) -> None:
    vault.indexed({"In/Note.md": SAME, f"In/{copy}": "other"})

    (said,) = found(vault, "conflict_copies").items()

    assert said[0] == f"In/{copy}"
    assert "copy" in said[1]


def test_empty_notes_are_copies_of_nothing(vault: VaultHarness) -> None:
    vault.indexed({"Untitled.md": "", "Untitled 2.md": "", "Untitled 3.md": "\n"})

    assert found(vault, "near_duplicates") == {}


TARGET = """# Tea: *green* & black

## Brewing `sencha` [[Pot|pots]] ^brew

Steep it. ^Steep-1

### Times

## Storing

### Times of year #spring
"""


LEADING = """
[[Target#Storing]]
[[Target#storing]]
[[target.md#STORING]]
[[Target#Tea green & black]]
[[Target#Tea green black]]
[[Target#Brewing sencha pots]]
[[Target#Tea green black#Times]]
[[Target#Times of year spring]]
[[Target#^Steep-1]]
[[Target#^steep-1]]
![[Target#Storing]]
[[Target#Storing|shown]]
[there](Target.md#Storing)
[there](Target.md#storing)
[there](Target.md#times-of-year-spring)
[there](Target.md#tea-green--black)
[[Target#]]
[[#Here]]
[[Paper.pdf#page=3]]
[[Nobody#Nothing]]
"""


def test_links_that_find_their_part_are_left_alone(vault: VaultHarness) -> None:
    note = f"# Here\n{LEADING}"
    vault.indexed({"Target.md": TARGET, "Source.md": note, "Paper.pdf": b"%PDF"})

    assert found(vault, "broken_links") == {}


ASTRAY = {
    "[[Target#Pouring]]": "Target.md#Pouring",
    "[[Target#Storing#Steeping]]": "Target.md#Storing#Steeping",
    "[[Target#Times#Storing]]": "Target.md#Times#Storing",
    "[[Target#^steep-2]]": "Target.md#^steep-2",
    "[[Target#times-of-year-spring]]": "Target.md#times-of-year-spring",
    "[there](Target.md#pouring)": "Target.md#pouring",
    "[[#There]]": "Source.md#There",
    "[[#^there]]": "Source.md#^there",
}


def test_links_whose_part_is_not_there_are_found_each_once(vault: VaultHarness) -> None:
    links = "\n".join(ASTRAY)
    vault.indexed({"Target.md": TARGET, "Source.md": f"# Here\n\n{links}\n\n{links}"})

    said = list(found(vault, "broken_links"))

    assert said == [f"Source.md -> {subject}" for subject in ASTRAY.values()]


@settings(deadline=None)
@given(
    st.lists(
        st.text("aB 1-_.,:;!?#^|[]()*`'\"&é日", max_size=12), min_size=1, max_size=4
    )
)
def test_a_heading_is_found_by_the_link_that_obsidian_makes_for_it(
    texts: Sequence[str],
) -> None:
    outline = Outline.of([(1, text) for text in texts], ())

    for heading in texts:
        subpath = f"#{linked_heading(heading)}"
        assert leads(subpath, outline)


def test_names_are_wanted_by_notes_and_the_most_wanted_come_first(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {
            "A.md": "[[Sencha]] [[Sencha]] [[Oolong]]",
            "B.md": "[[oolong]]",
            "C.md": "[[Green kettles]] [[Chai]] [[shot.png]]",
            "Green kettle.md": "green",
            "Masala.md": "---\naliases: [chai]\n---\nspiced",
        }
    )

    said = found(vault, "ghosts")

    assert list(said) == ["oolong", "chai", "green kettles", "sencha", "shot.png"]
    assert said["oolong"].startswith("2 notes want [[Oolong]]")
    assert said["sencha"].startswith("1 note wants [[Sencha]]")
    assert said["chai"].endswith("Masala.md may be meant")
    assert said["green kettles"].endswith("Green kettle.md may be meant")


def test_a_path_is_wanted_from_where_its_link_stands(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "a/A.md": "[x](./gone.md) [[../shared/Plan]] [y](../../out.md)",
            "b/B.md": "[x](./gone.md) [y](../a/gone.md) [[shared/plan]]",
        }
    )

    said = found(vault, "ghosts")

    assert list(said) == ["a/gone", "shared/plan", "../out", "b/gone"]
    assert said["a/gone"] == "2 notes want a/gone.md, and no such file is there"
    assert said["../out"].endswith("outside of the vault")
    vault.indexed({"a/gone.md": "here", "shared/Plan.md": "here"})
    assert list(found(vault, "ghosts")) == ["../out", "b/gone"]


@pytest.mark.parametrize("settings", ["{", "[]", '{"folder": 3}', '{"folder": "/"}'])
def test_settings_that_cannot_be_read_say_nothing(
    vault: VaultHarness, settings: str
) -> None:
    for name in ("templates", "daily-notes"):
        (vault.root / f".obsidian/{name}.json").write_text(settings)
    vault.indexed({"A.md": "[[Unwritten]]"})

    assert list(found(vault, "ghosts")) == ["unwritten"]


def test_an_answer_is_missed_only_where_most_are_given(vault: VaultHarness) -> None:
    def author(name: str) -> str:
        return f'---\nauthor: "[[{name}]]"\n---\n{text(name.lower(), 8)}'

    def person(*books: str) -> str:
        return "---\nbooks:\n" + "".join(f'  - "[[{b}]]"\n' for b in books) + "---\n"

    books = {f"Book {at}.md": author("Ann") for at in range(4)}
    vault.indexed({"Ann.md": "ann", **books})
    assert found(vault, "missing_reciprocal") == {}

    vault.indexed({"Ann.md": person("Book 0", "Book 1", "Book 2")})

    assert list(found(vault, "missing_reciprocal")) == ["Ann.md books: Book 3.md"]


def test_days_and_what_templates_leave_open_are_no_ghosts(vault: VaultHarness) -> None:
    (vault.root / ".obsidian/templates.json").write_text('{"folder": "Forms"}')
    vault.indexed(
        {
            "A.md": "[[2024-05-02]] [[2024-W18]] [[2024-05]] [[{{title}}]] [[<% x %>]]",
            "Forms/Meeting.md": "[[Attendee]]",
            "Sub/Templates/Day.md": "[[Yesterday]]",
        }
    )

    assert found(vault, "ghosts") == {}


def test_a_file_that_is_left_out_of_the_index_is_no_ghost(vault: VaultHarness) -> None:
    vault.indexed(
        {
            ".glassmindignore": "Archive/\nDraft.md\n",
            "Archive/2019/Old plan.md": "old",
            "Archive/shot.png": b"1",
            "Draft.md": "draft",
            "A.md": "[[Old plan]] [[archive/2019/old plan.md]] [[shot.png]] [[Draft]]",
        }
    )

    assert found(vault, "ghosts") == {}


def test_notes_of_days_templates_and_agents_need_no_link(vault: VaultHarness) -> None:
    (vault.root / ".obsidian/daily-notes.json").write_text('{"folder": "Journal"}')
    vault.indexed(
        {
            "2024-05-02.md": "day",
            "Journal/A long walk.md": "day",
            "Templates/Form.md": "form",
            ".agent/memories/One.md": "memory",
            "README.md": "read me",
            "Stray.md": "stray",
            "Views/List.base": "views: []",
        }
    )

    assert found(vault, "orphans") == {
        "Stray.md": "no link leads to it or from it; isolated"
    }


def test_an_orphan_is_told_with_what_stands_beside_it_or_names_it(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {
            "Tea/Sencha.md": "sencha",
            "Tea/Pot.md": "[[Cup]]",
            "Cup.md": "Warm it in the good kettle of ours.",
            "Good kettle.md": "kettle",
            "Bare.md": "bare",
        }
    )

    said = found(vault, "orphans")

    assert said == {
        "Good kettle.md": "no link leads to it or from it; named in Cup.md",
        "Tea/Sencha.md": "no link leads to it or from it; isolated",
        "Bare.md": "no link leads to it or from it; isolated",
    }
    assert next(iter(said)) == "Good kettle.md"


def test_long_copies_are_near_duplicates_and_short_ones_alike_by_chance(
    vault: VaultHarness,
) -> None:
    changed = SAME.split()
    changed[3] = "changed"
    vault.indexed(
        {
            "A.md": SAME,
            "B.md": SAME,
            "C.md": f"---\nrating: 5\n---\n{SAME}",
            "D.md": text("other", 30),
            "E.md": " ".join(changed),
            "F.md": "short and sweet",
            "G.md": "short and sweet",
        }
    )

    assert found(vault, "near_duplicates") == {
        "A.md <> B.md": "the same as A.md",
        "A.md <> C.md": "100% the same as A.md",
    }


def test_what_many_notes_repeat_makes_none_of_them_a_duplicate(
    vault: VaultHarness,
) -> None:
    form = text("form", 60)
    vault.indexed({f"{n}.md": f"{form}\n\n{text(n, 12)}" for n in _names(12)})

    assert found(vault, "near_duplicates") == {}


def _names(count: int) -> list[str]:
    return [f"note{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"[:count]]


@pytest.mark.parametrize(
    ("name", "dated"),
    [
        ("2024-05-02", True),
        ("20240502", True),
        ("2024-05-02 Thursday", True),
        ("2024-W18", True),
        ("2024-Q2", True),
        ("2024.05", True),
        ("2024", True),
        ("2024-05-02 Steering group meeting", False),
        ("D-003 One file", False),
        ("1984 by Orwell", False),
        ("Tea", False),
    ],
)
def test_a_date_is_told_from_a_name_with_a_date_in_it(name: str, dated: bool) -> None:
    assert is_date(name) is dated


CATEGORIES: Mapping[str, str] = {
    "one": "category: tea",
    "linked": 'categories: ["[[Tea]]"]',
    "other": "category: coffee",
}


def _circle(folder: str, said: list[str]) -> dict[str, str]:
    links = " ".join(f"[[{folder}{at}]]" for at in range(len(said)))
    return {
        f"{folder}/{folder}{at}.md": f"---\n{CATEGORIES[one]}\n---\n{links}"
        for at, one in enumerate(said)
    }


def test_a_category_is_odd_only_where_categories_follow_themes(
    vault: VaultHarness,
) -> None:
    teas = ["one", "linked", "one", "one", "linked", "other"]
    vault.indexed(_circle("Tea", teas))
    assert found(vault, "category_mismatch") == {}  # coffee has no theme of its own

    vault.indexed(_circle("Coffee", ["other"] * 5))

    assert list(found(vault, "category_mismatch")) == ["Tea/Tea5.md"]
