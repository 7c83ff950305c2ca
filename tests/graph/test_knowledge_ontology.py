"""The vocabulary of a vault is told from how its notes use it."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from operation_harness import text_of, values_of
from vault_harness import VaultHarness

from glassmind.errors import BadLimit, IndexAbsent
from glassmind.graph.names import folded, in_singular, slips_between
from glassmind.graph.ontology import categories_of, kind_of
from glassmind.model import NotePath, PropertyValue
from glassmind.model.ontology import Entry, Ontology


def book(number: int, **more: str) -> str:
    told = {"type": "book", "author": '"[[Ada Field]]"', "rating": "7"} | more
    head = "\n".join(f"{key}: {value}" for key, value in told.items())
    return f"---\n{head}\n---\nBook {number}."


def ontology_of(vault: VaultHarness, files: dict[str, str], **wanted: int) -> Ontology:
    vault.indexed(files)
    return vault.engine.knowledge.ontology(**wanted)


def spelled(found: Ontology) -> dict[str, tuple[str, ...]]:
    return {
        one.canonical: tuple(use.name for use in one.variants)
        for one in found.spellings.shown
    }


def test_categories_tags_and_folders_are_labels_with_their_notes(
    vault: VaultHarness,
) -> None:
    found = ontology_of(
        vault,
        {
            "Books/A.md": "---\ncategory: '[[Books]]'\n---\n#read/soon",
            "Books/B.md": "---\ncategory: [Books, Essays]\n---\n#read",
            "C.md": "plain",
        },
    )

    labels = {
        (one.source, one.property or "", one.name): one.notes
        for one in found.labels.shown
    }
    assert labels == {
        ("property", "category", "Books"): 2,
        ("property", "category", "Essays"): 1,
        ("tag", "", "read"): 2,
        ("folder", "", "Books"): 2,
    }
    assert found.labels.shown[0].examples == ("Books/A.md", "Books/B.md")
    assert [use.name for use in found.types.shown] == ["category"]
    assert found.notes == 3


def test_keys_that_occur_together_in_notes_of_one_sort_are_a_schema(
    vault: VaultHarness,
) -> None:
    files = {f"Books/{n}.md": book(n) for n in range(4)}
    files["Books/4.md"] = "---\ntype: book\nauthor: Ada Field\n---\n"

    found = ontology_of(vault, files)

    (schema,) = found.schemas.shown
    assert schema.of == ("Books/", "type: book")
    assert (schema.notes, schema.whole) == (5, 4)
    assert [(key.name, key.coverage, key.kind) for key in schema.keys] == [
        ("author", 1.0, "mixed"),
        ("type", 1.0, "text"),
        ("rating", 0.8, "number"),
    ]


def test_sorts_of_the_same_notes_share_a_schema(
    vault: VaultHarness,
) -> None:
    files = {f"A/{n}.md": "---\nmood: 5\n---\n" for n in range(3)}
    files |= {f"B/{n}.md": "---\nmood: 6\n---\n" for n in range(4)}
    both = "---\nrank: 1\n---\n#x #y"
    files |= {f"{n}.md": both for n in range(2)}
    files |= {f"x{n}.md": "#x" for n in range(2)}
    files |= {f"y{n}.md": "#y" for n in range(2)}

    found = ontology_of(vault, files)

    assert [(one.of, one.notes, one.whole) for one in found.schemas.shown] == [
        (("#x",), 4, 2),
        (("#y",), 4, 2),
        (("B/",), 4, 4),
        (("A/",), 3, 3),
    ]


def test_notes_that_share_only_tags_have_no_schema(vault: VaultHarness) -> None:
    files = {f"Log/{n}.md": "---\ntags: [day]\naliases: [x]\n---\n" for n in range(5)}

    assert ontology_of(vault, files).schemas.total == 0


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("tea", "text"),
        ("2024-05-01", "date"),
        ("2024-05-01T10:00", "datetime"),
        ("2024-05-01 10:00:00", "datetime"),
        ("[[Tea]]", "link"),
        ("see [[Tea]]", "text"),
        ("3 hours", "text"),
        (3.5, "number"),
        (True, "checkbox"),
        (["a"], "list"),
        ({"a": 1}, "object"),
        (None, "empty"),
        ("", "empty"),
        ([], "empty"),
    ],
)
def test_a_value_is_of_one_kind(value: object, kind: str) -> None:
    assert kind_of(value) == kind  # type: ignore[arg-type]


def test_settings_of_obsidian_that_are_no_json_are_told_and_cost_nothing(
    vault: VaultHarness,
) -> None:
    found = ontology_of(vault, {".obsidian/types.json": "{", "A.md": "#a"})

    assert found.labels.total == 1
    assert found.notices == (
        ".obsidian/types.json is no valid JSON: what it says is left out",
    )


def test_ways_of_writing_one_word_are_told_with_the_one_most_used(
    vault: VaultHarness,
) -> None:
    found = ontology_of(
        vault,
        {
            "1.md": "---\ndue-date: 2024-05-01\ntype: Book\n---\n#project/river",
            "2.md": "---\ndue-date: 2024-05-01\ntype: book\n---\n#project/river",
            "3.md": "---\ndue_date: 2024-05-01\ntype: book\n---\n#projects/river",
            "4.md": "---\nDueDate: 2024-05-01\nauthor: A\n---\n",
            "5.md": "---\nauthors: [A]\n---\n",
        },
    )

    assert spelled(found) == {
        "due-date": ("due_date", "DueDate"),
        "author": ("authors",),
        "project/river": ("projects/river",),
        "book": ("Book",),
    }
    reasons = {one.canonical: one.reason for one in found.spellings.shown}
    assert reasons["book"] == "case"
    assert reasons["author"] == "plural"


def test_a_plural_beside_its_singular_in_a_note_is_a_word_of_its_own(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {
            f"{name}.md": f"---\npage: 3\npages: 9\n---\n#good #goods #{tag} #Pot"
            for name, tag in (("A", "kettles"), ("B", "kettle"), ("C", "pot"))
        }
    )

    found = vault.engine.knowledge.ontology()

    spelled = {
        one.canonical: tuple((use.name, use.notes) for use in one.variants)
        for one in found.spellings.shown
    }
    assert spelled == {"Pot": (("pot", 1),), "kettle": (("kettles", 1),)}


def test_what_many_notes_name_in_one_property_is_a_hub(vault: VaultHarness) -> None:
    files = {f"{n}.md": book(n) for n in range(4)}
    files |= {f"i{n}.md": "by:: [[Nobody Yet]]\n" for n in range(3)}
    files |= {"Ada Field.md": ""}

    found = ontology_of(vault, files)

    hubs = [
        (h.property or "", h.name, h.path, h.members.total) for h in found.hubs.shown
    ]
    assert hubs == [
        ("author", "Ada Field", "Ada Field.md", 4),
        ("by", "Nobody Yet", None, 3),
    ]
    assert found.hubs.shown[0].members.shown == ("0.md", "1.md", "2.md", "3.md")


def test_properties_folders_and_tags_make_hierarchies(vault: VaultHarness) -> None:
    found = ontology_of(
        vault,
        {
            "Science.md": "---\nchildren: ['[[Physics]]']\n---\n",
            "Physics.md": "",
            "Optics.md": "up:: [[Physics]]\n",
            "Lenses.md": "---\npart of: '[[Optics]]'\n---\n#a/b/c",
            "Work/Index.md": "",
            "Work/River/River.md": "#a/d",
        },
    )

    by = {hierarchy.nesting: hierarchy for hierarchy in found.hierarchies}
    assert by["property"].name == "children, part of, up"
    assert (by["property"].size, by["property"].depth) == (4, 4)
    (root,) = by["property"].roots.shown
    assert (root.name, root.below, root.children.shown) == ("Science", 3, ("Physics",))
    (work,) = by["folder"].roots.shown
    assert (work.name, work.children.shown) == ("Work", ("River",))
    (tag,) = by["tag"].roots.shown
    assert (tag.name, tag.below, by["tag"].depth) == ("#a", 3, 3)


def test_a_note_above_itself_is_below_no_root(vault: VaultHarness) -> None:
    above = {"A": "B", "B": "C", "C": "A", "D": "D", "E": "A"}
    found = ontology_of(
        vault, {f"{a}.md": f"---\nup: '[[{b}]]'\n---\n" for a, b in above.items()}
    )

    (by,) = found.hierarchies
    assert by.roots.total == 0
    assert by.size == 5


@given(st.text(max_size=12), st.text(max_size=12))
def test_folding_is_idempotent_and_slips_are_symmetric(a: str, b: str) -> None:
    assert folded(folded(a)) == folded(a)
    assert in_singular(folded(a)) == in_singular(in_singular(folded(a))) or a.isascii()
    assert slips_between(a, b, 3) == slips_between(b, a, 3)
    assert slips_between(a, a, 0) == 0


def test_templates_and_what_agents_wrote_are_no_part_of_the_vocabulary(
    vault: VaultHarness,
) -> None:
    found = ontology_of(
        vault,
        {
            ".obsidian/templates.json": '{"folder": "Meta/Forms"}',
            "Meta/Forms/Book.md": "#form",
            "Deep/Templates/Person.md": "#template",
            ".agent/memories/One.md": "#memory",
            "A.md": "#a",
        },
    )

    assert [label.name for label in found.labels.shown] == ["a"]
    assert found.notes == 1


def test_an_overview_follows_the_index_and_two_are_equal(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "#a", "B.md": "#b"})
    first = values_of(vault.engine, "ontology")
    again = values_of(vault.open(), "ontology")
    vault.indexed({"A.md": "#c"})

    assert first == again
    labels = vault.engine.knowledge.ontology().labels.shown
    assert [label.name for label in labels] == ["b", "c"]


def test_an_overview_shows_so_many_of_each_kind_and_counts_all(
    vault: VaultHarness,
) -> None:
    files = {f"F{n}/{n}.md": f"#t{n}" for n in range(5)}

    found = ontology_of(vault, files, limit=2)

    shown = [(label.source, label.name) for label in found.labels.shown]
    assert shown == [("tag", "t0"), ("tag", "t1"), ("folder", "F0"), ("folder", "F1")]
    assert found.labels.total == 10
    with pytest.raises(BadLimit):
        vault.engine.knowledge.ontology(limit=0)


def test_without_an_index_there_is_no_vocabulary(vault: VaultHarness) -> None:
    with pytest.raises(IndexAbsent):
        vault.engine.knowledge.ontology()


def test_many_threads_share_one_vocabulary_while_notes_change(
    vault: VaultHarness,
) -> None:
    vault.indexed({f"{n}.md": f"#t{n} [[Ghost {n}]]" for n in range(30)})
    knowledge = vault.engine.knowledge

    def ask(number: int) -> tuple[int, str]:
        found = knowledge.resolve(f"Ghost {number % 30}")
        return knowledge.ontology().labels.total, found.verdict

    with ThreadPoolExecutor(8) as pool:
        first = list(pool.map(ask, range(40)))
        vault.indexed({"Ghost 7.md": "#new"})
        second = list(pool.map(ask, range(40)))

    assert set(first) == {(30, "new")}
    assert {total for total, _ in second} == {31}
    assert Counter(verdict for _, verdict in second) == {"new": 38, "exists": 2}


def test_odd_properties_are_counted_as_what_they_are(vault: VaultHarness) -> None:
    deep = "[" * 40 + "x" + "]" * 40
    found = ontology_of(
        vault,
        {
            "A.md": f"---\ntype: {deep}\nn: 1e400\n'': x\nup: '[['\n---\n",
            "B.md": "---\ntype: [[Books]]\nup: '[[]]'\n---\nup:: [[B]]",
            "C.md": "---\ntype: {a: [1]}\n? [x]\n: y\n---\n",
        },
    )

    assert "Books" in {label.name for label in found.labels.shown}
    assert text_of(vault.engine, "ontology")
    json.dumps(values_of(vault.engine, "ontology"), allow_nan=False)


def test_the_sample_vault_tells_its_people_decisions_and_stations(
    sample: VaultHarness,
) -> None:
    found = sample.engine.knowledge.ontology(limit=100)

    sorts = {name for schema in found.schemas.shown for name in schema.of}
    assert {"#person", "Decisions/", "type: station"} <= sorts
    hubs = {(hub.property, hub.name) for hub in found.hubs.shown}
    assert ("deciders", "Ines Halloran") in hubs
    text = text_of(sample.engine, "ontology", limit=100)
    assert "#decision, Decisions/" in text
    assert "\x1b" not in text


def test_what_a_note_says_it_is_comes_from_the_surest_property_first() -> None:
    names: list[PropertyValue] = ["[[Sub/Books|b]]", "z"]
    told: dict[str, PropertyValue] = {"kind": "x", "Type": "y", "categories": names}

    said = categories_of(Entry(1, NotePath("a.md"), "a", "markdown", (), told))

    assert said == [
        ("categories", "Books"),
        ("categories", "z"),
        ("Type", "y"),
        ("kind", "x"),
    ]
