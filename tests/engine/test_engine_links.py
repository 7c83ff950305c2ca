"""The links of a note, both ways, each with the paragraph it stands in."""

import pytest
from vault_harness import VaultHarness

from glassmind.errors import AmbiguousName, IndexAbsent, NoteNotFound

NOTES: dict[str, str | bytes] = {
    "Kettle.md": (
        '---\nup: "[[Kitchen]]"\ntags: [iron]\n---\n# Kettle\n\nIt sings before\n'
        "[[Tea]] is made, says [[Aunt]].\n\n"
        "See ![[pic.png]], [[#Kettle]] and [[Kettle]]."
    ),
    "Kitchen.md": "Here stands\nthe [[Kettle|old one]].\n\nMore of the [[Kettle]].\n",
    "drinks/Tea.md": "Nothing but leaves.",
    "pic.png": b"png",
}


def test_links_that_leave_a_note_come_in_order_with_their_paragraphs(
    vault: VaultHarness,
) -> None:
    vault.indexed(NOTES)

    found = vault.engine.links("kettle")

    sung = "It sings before\n[[Tea]] is made, says [[Aunt]]."
    assert [(e.path, e.title, e.property, e.context) for e in found.outgoing] == [
        ("Kitchen.md", "Kitchen", "up", "up: [[Kitchen]]"),
        ("drinks/Tea.md", "Tea", "", sung),
        (None, "Aunt", "", sung),
    ]
    assert [end.line for end in found.outgoing] == [2, 8, 8]
    assert (found.note.path, found.note.tags) == ("Kettle.md", ("iron",))


def test_links_that_lead_to_a_note_come_with_where_they_stand(
    vault: VaultHarness,
) -> None:
    vault.indexed(NOTES)

    found = vault.engine.links("Kettle")

    assert [(e.path, e.line, e.context) for e in found.incoming] == [
        ("Kitchen.md", 2, "Here stands\nthe [[Kettle|old one]]."),
        ("Kitchen.md", 4, "More of the [[Kettle]]."),
    ]


def test_of_many_links_the_first_are_given_and_all_are_counted(
    vault: VaultHarness,
) -> None:
    vault.indexed({f"n{i}.md": "to [[Hub]]" for i in range(9)} | {"Hub.md": "hub"})

    found = vault.engine.links("Hub", limit=4)

    assert [end.path for end in found.incoming] == ["n0.md", "n1.md", "n2.md", "n3.md"]
    assert (found.incoming_total, found.outgoing_total) == (9, 0)


def test_of_a_long_paragraph_the_line_of_the_link_is_shown(vault: VaultHarness) -> None:
    rows = "\n".join(f"- item number {i} of a long list" for i in range(100))
    vault.indexed({"List.md": f"{rows}\n- the [[Tea]] here\n{rows}\n"})

    assert vault.engine.links("List").outgoing[0].context == "- the [[Tea]] here"


def test_the_links_of_no_one_note_are_an_error(vault: VaultHarness) -> None:
    with pytest.raises(IndexAbsent):
        vault.engine.links("Tea")
    vault.indexed({"a/Index.md": "one", "b/Index.md": "two"})

    with pytest.raises(AmbiguousName):
        vault.engine.links("Index")
    with pytest.raises(NoteNotFound):
        vault.engine.links("Zebra")


def test_names_that_links_lead_to_in_vain_are_listed_once(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "[[Zebra]] and [[aunt]] [[#A]]", "B.md": "[[Aunt]] [[A]]"})

    found = vault.engine.ghosts()

    assert [(ghost.target.lower(), ghost.links) for ghost in found] == [
        ("aunt", 2),
        ("zebra", 1),
    ]
    assert len(vault.engine.ghosts(limit=1)) == 1


def test_a_file_that_is_left_out_of_the_index_is_no_ghost_to_anybody(
    vault: VaultHarness,
) -> None:
    vault.write({".glassmindignore": "Drafts/\nSecret.md\n"})
    vault.indexed(
        {
            "A.md": "[[Letter]] [[Drafts/Letter.md]] [[secret]] [[Zebra]]",
            "node_modules/Zebra.md": "which nobody means",
            "Drafts/Letter.md": "not for the index",
            "Secret.md": "nor this",
        }
    )

    assert [ghost.target for ghost in vault.engine.ghosts()] == ["Zebra"]
    assert vault.engine.ghosts(named="Letter") == []
    assert vault.engine.stats().ghosts == 1
    (check,) = vault.engine.knowledge.health(checks=["ghosts"]).checks
    assert [example.subject for example in check.examples] == ["zebra"]
    around = vault.engine.knowledge.connections("A", ghosts=True).hops[0].neighbours
    assert [one.path for one in around] == ["Zebra"]


def test_a_name_that_no_file_has_tells_who_links_to_it(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "Ask [[Ähre]].\n", "B.md": "[[ähre.md]]\n", "C.md": "C"})

    (ghost,) = vault.engine.ghosts(named="[[ÄHRE]]")

    assert (ghost.target, ghost.links) == ("Ähre", 2)
    assert [(end.path, end.context) for end in ghost.incoming] == [
        ("A.md", "Ask [[Ähre]]."),
        ("B.md", "[[ähre.md]]"),
    ]
    assert len(vault.engine.ghosts(named="Ähre", limit=1)[0].incoming) == 1
    assert vault.engine.ghosts(named="C") == []
