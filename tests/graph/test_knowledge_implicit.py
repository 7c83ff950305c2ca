"""Notes that are alike without a link: who is paired with whom, and when."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from semantic_harness import LONG, MeaningHarness, WordModel
from vault_harness import VaultHarness

from glassmind.errors import BadLimit, BadWish, NoteNotFound
from glassmind.model.suggestions import MOST_PARTNERS
from glassmind.model.vectors import Embeddable
from glassmind.obsidian.text import Style
from glassmind.operations.maintain import status_result, status_text
from glassmind.operations.registry import joined

TEA = "oolong sencha matcha kettle leaves water steep harvest " * 3
RAIL = "harbour engine whistle platform signal timetable bridge tunnel " * 3

ROWS = """
select f.path, g.path, p.similarity from pairs p join files f on f.id = p.note_id
join files g on g.id = p.other_id order by 1, 2
"""


def pairs_of(harness: VaultHarness, name: str | None = None) -> list[tuple[str, str]]:
    """Return the pairs that the engine shows."""
    found = harness.engine.knowledge.similar(name)
    return [(pair.path, pair.other_path) for pair in found.pairs]


def test_notes_that_say_the_same_are_paired_and_others_are_not(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed(
        {
            "Cup.md": f"{TEA} and a cup of it",
            "Pot.md": f"{TEA} and a pot of it",
            "Train.md": RAIL,
        }
    )

    found = meaning.engine.knowledge.similar()

    assert pairs_of(meaning) == [("Cup.md", "Pot.md")]
    assert found.pairs[0].similarity >= 0.7
    assert (found.total, found.dismissed) == (1, 0)
    assert (found.status.count, found.status.waiting) == (1, 0)


def test_the_status_counts_what_the_list_shows(meaning: MeaningHarness) -> None:
    names = ("Cup", "Mug", "Pot")
    meaning.indexed({f"{name}.md": f"{TEA} {name}" for name in names})
    assert meaning.engine.status().pairs.count == 3

    meaning.engine.knowledge.dismiss("Cup", "Mug")
    meaning.indexed({"Mug.md": f"{TEA} Mug [[Pot]]"})

    found = meaning.engine.knowledge.similar()
    assert (found.total, found.status.count) == (1, 1)
    assert meaning.engine.status().pairs.count == 1


def test_a_note_is_the_first_of_its_own_pairs(meaning: MeaningHarness) -> None:
    meaning.indexed({"Cup.md": f"{TEA} cup", "Pot.md": f"{TEA} pot", "Rail.md": RAIL})

    assert pairs_of(meaning, "Pot") == [("Pot.md", "Cup.md")]
    assert pairs_of(meaning, "Rail") == []


@pytest.mark.parametrize(
    "link", ["[[Pot]]", "![[Pot]]", "[pot](Pot.md)", "[[pot|the other]]"]
)
def test_a_link_of_any_kind_ends_a_pair_whichever_note_has_it(
    meaning: MeaningHarness, link: str
) -> None:
    meaning.indexed({"Cup.md": f"{TEA} cup", "Pot.md": f"{TEA} pot"})
    assert pairs_of(meaning) == [("Cup.md", "Pot.md")]

    meaning.write({"Cup.md": f"{TEA} cup {link}"})
    meaning.index(embed=False)

    assert pairs_of(meaning) == []


def test_a_link_in_a_property_ends_a_pair_too(meaning: MeaningHarness) -> None:
    text = f'---\nrelated: "[[Cup]]"\n---\n{TEA} pot'
    meaning.indexed({"Cup.md": f"{TEA} cup", "Pot.md": text})

    assert pairs_of(meaning) == []


def test_a_link_that_is_taken_away_brings_the_pair_back(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed({"Cup.md": f"{TEA} cup [[Pot]]", "Pot.md": f"{TEA} pot"})
    assert pairs_of(meaning) == []

    meaning.indexed({"Cup.md": f"{TEA} cup"})

    assert pairs_of(meaning) == [("Cup.md", "Pot.md")]


def test_a_deleted_note_is_in_no_pair_at_once(meaning: MeaningHarness) -> None:
    meaning.indexed({"Cup.md": f"{TEA} cup", "Pot.md": f"{TEA} pot"})

    meaning.remove("Pot.md")
    meaning.index(embed=False, accept_deletions=True)

    assert pairs_of(meaning) == []


def test_a_note_that_says_something_else_leaves_its_pairs(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed({"Cup.md": f"{TEA} cup", "Pot.md": f"{TEA} pot"})

    meaning.indexed({"Pot.md": RAIL})

    assert pairs_of(meaning) == []


def test_without_vectors_there_are_no_pairs_and_nothing_fails(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Cup.md": f"{TEA} cup", "Pot.md": f"{TEA} pot"})

    found = vault.engine.knowledge.similar()

    assert found.pairs == ()
    assert (found.status.count, found.status.threshold) == (0, None)


def test_another_model_pairs_by_its_own_vectors(meaning: MeaningHarness) -> None:
    meaning.indexed({"Cup.md": f"{TEA} cup", "Pot.md": f"{TEA} pot"})
    first = meaning.engine.status().space

    meaning.use(WordModel("words two", width=64))
    meaning.index()

    second = meaning.engine.status().space
    assert (first, second) == ("words one", "words two")
    assert pairs_of(meaning) == [("Cup.md", "Pot.md")]


def test_a_higher_level_in_the_settings_pairs_fewer_notes(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed({"Cup.md": f"{TEA} cup", "Pot.md": f"{TEA} pot with a good lid"})
    assert pairs_of(meaning) == [("Cup.md", "Pot.md")]

    meaning.open(graph__similarity=0.99)
    meaning.index()

    assert pairs_of(meaning) == []


def test_pairs_below_a_cosine_are_left_out_on_request(meaning: MeaningHarness) -> None:
    meaning.indexed({"Cup.md": f"{TEA} cup", "Pot.md": f"{TEA} pot"})

    assert meaning.engine.knowledge.similar(least=1.0).pairs == ()


@pytest.mark.parametrize("limit", [0, 1_001])
def test_so_many_pairs_cannot_be_given(meaning: MeaningHarness, limit: int) -> None:
    meaning.indexed({"Cup.md": TEA})

    with pytest.raises(BadLimit):
        meaning.engine.knowledge.similar(limit=limit)


def test_what_cannot_be_asked_is_refused(meaning: MeaningHarness) -> None:
    meaning.indexed({"Cup.md": TEA})

    with pytest.raises(BadWish):
        meaning.engine.knowledge.similar(least=1.5)
    with pytest.raises(NoteNotFound):
        meaning.engine.knowledge.similar("Nobody")


def test_a_run_that_changes_nothing_leaves_pairs_alone(meaning: MeaningHarness) -> None:
    meaning.indexed({"Cup.md": f"{TEA} cup", "Pot.md": f"{TEA} pot"})
    before = meaning.value("select value from settings where key = 'pairs'")

    meaning.index()

    assert meaning.value("select value from settings where key = 'pairs'") == before
    assert meaning.value("select count(*) from pair_changes") == 0


def test_an_index_that_was_never_paired_says_so(meaning: MeaningHarness) -> None:
    meaning.indexed({"Cup.md": f"{TEA} cup", "Pot.md": f"{TEA} pot"})
    forget_pairs(meaning)

    knowledge = meaning.engine.knowledge
    (said,) = knowledge.similar().notices
    assert said.startswith("no notes were compared yet")
    assert said in knowledge.connections("Cup").notices
    assert said in knowledge.suggest().notices


@pytest.mark.parametrize("state", ['["space", 0.7, 0.7, 20, 2, 1]', "{", "7"])
def test_pairs_that_nobody_knows_the_making_of_are_made_anew(
    meaning: MeaningHarness, state: str
) -> None:
    meaning.indexed({"Cup.md": f"{TEA} cup", "Pot.md": f"{TEA} pot"})
    meaning.close()
    db = meaning.database()
    db.execute("update settings set value = ? where key = 'pairs'", (state,))
    db.close()
    meaning.open()

    (said,) = meaning.engine.knowledge.similar().notices
    assert said.startswith("no notes were compared yet")
    meaning.index()
    assert pairs_of(meaning) == [("Cup.md", "Pot.md")]
    assert meaning.engine.knowledge.similar().notices == ()


def test_what_a_note_was_like_is_not_told_of_what_it_says_now(
    meaning: MeaningHarness,
) -> None:
    names = ("Cup", "Mug", "Pot")
    meaning.indexed({f"{name}.md": f"{TEA} {name}" for name in names})
    meaning.write({"Mug.md": RAIL})
    meaning.index(embed=False)

    knowledge = meaning.engine.knowledge
    assert pairs_of(meaning) == [("Cup.md", "Pot.md")]
    assert [note.path for note in knowledge.connections("Cup").similar] == ["Pot.md"]
    assert knowledge.similar("Mug").pairs == ()
    assert meaning.engine.status().pairs.count == 1
    weak = knowledge.health(checks=["weakly_tied"], limit=None)
    assert "Mug" not in str([check.examples for check in weak.checks])
    said = "1 note is not compared yet, and left out of what is alike; "
    for notices in (
        knowledge.similar().notices,
        knowledge.connections("Cup").notices,
        knowledge.suggest().notices,
        weak.notices,
    ):
        assert [notice for notice in notices if notice.startswith(said)], notices


WORDS = ("oolong", "sencha", "kettle", "harbour", "engine", "signal")
NOTES = tuple(f"{name}.md" for name in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")

Step = tuple[str, str, tuple[str, ...]]
STEPS: st.SearchStrategy[list[list[Step]]] = st.lists(
    st.lists(
        st.tuples(
            st.sampled_from(["write", "write", "link", "link", "remove", "move"]),
            st.sampled_from(NOTES),
            st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(tuple),
        ),
        min_size=1,
        max_size=4,
    ),
    min_size=1,
    max_size=4,
)


def take(harness: MeaningHarness, step: Step) -> None:
    """Change the vault by one step, if it can be taken."""
    kind, path, words = step
    there = (harness.root / path).exists()
    if kind == "link":
        ends = " ".join(f"[[{NOTES[len(w) * 3][:-3]}]]" for w in words)
        harness.write({path: f"{words[0]} in all these notes of mine {ends}"})
    elif kind == "write":
        harness.write({path: f"{' '.join(words * 3)} in all these notes of mine"})
    elif there and kind == "remove":
        harness.remove(path)
    elif there and not (harness.root / "Moved" / path).exists():
        harness.move(path, f"Moved/{path}")


@pytest.mark.slow
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=STEPS)
def test_after_any_changes_the_pairs_are_those_of_a_pass_from_nothing(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch, steps: list[list[Step]]
) -> None:
    monkeypatch.setattr("glassmind.graph.similar.MOST_PARTNERS", 4)
    monkeypatch.setattr("glassmind.graph.pairing.MOST_PARTNERS", 4)
    monkeypatch.setattr("glassmind.graph.similar.FEW", 1)
    meaning.write(
        {path: f"{WORDS[i % 6]} {WORDS[i % 5]} {LONG}" for i, path in enumerate(NOTES)}
    )
    meaning.index(accept_deletions=True)

    for changes in steps:
        for step in changes:
            take(meaning, step)
        meaning.index(accept_deletions=True)

    grown = meaning.rows(ROWS)
    state = meaning.value("select value from settings where key = 'pairs'")
    forget_pairs(meaning)
    meaning.index()
    anew = meaning.value("select value from settings where key = 'pairs'")
    assert grown == meaning.rows(ROWS)
    assert state.split(",")[:5] == anew.split(",")[:5]


def forget_pairs(harness: MeaningHarness) -> None:
    """Take the pairs away, as if notes had never been paired."""
    db = harness.database()
    db.execute("delete from pairs; delete from settings where key = 'pairs'")
    db.close()


def test_one_changed_note_is_compared_and_no_other(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    meaning.indexed({f"{n:02}.md": f"{f'word{n // 4} ' * 40}" for n in range(40)})
    assert pairs_of(meaning, "06") == [("06.md", f"{n:02}.md") for n in (4, 5, 7)]

    def refuse(*_: object) -> None:
        raise AssertionError("everything was compared")

    monkeypatch.setattr("glassmind.graph.similar._whole", refuse)
    meaning.indexed({"07.md": RAIL})

    assert pairs_of(meaning, "07") == []
    assert pairs_of(meaning, "06") == [("06.md", "04.md"), ("06.md", "05.md")]


def test_no_note_has_more_than_so_many(meaning: MeaningHarness) -> None:
    names = [f"{n:02}.md" for n in range(MOST_PARTNERS + 10)]
    meaning.indexed(dict.fromkeys(names, f"{TEA} {LONG}"))

    sizes = meaning.rows("select count(*) from pairs group by note_id")

    assert {size for (size,) in sizes} == {MOST_PARTNERS}


def test_linked_notes_take_no_place_from_those_without_a_link(
    meaning: MeaningHarness,
) -> None:
    linked = {f"{n:02}.md": f"{TEA} cup [[X]]" for n in range(MOST_PARTNERS + 2)}
    meaning.indexed({**linked, "X.md": f"{TEA} cup", "Z.md": f"{TEA} {RAIL[:9]}"})

    assert pairs_of(meaning, "X") == [("X.md", "Z.md")]


def test_a_link_that_is_taken_away_leaves_a_pair(meaning: MeaningHarness) -> None:
    meaning.indexed({"Cup.md": f"{TEA} cup [[Pot]]", "Pot.md": f"{TEA} pot"})
    assert pairs_of(meaning, "Pot") == []
    assert meaning.value("select count(*) from pairs") == 0

    meaning.indexed({"Cup.md": f"{TEA} cup"})

    assert pairs_of(meaning, "Pot") == [("Pot.md", "Cup.md")]


def test_two_indexes_of_one_vault_hold_equal_pairs(meaning: MeaningHarness) -> None:
    files = {f"{n}.md": f"{TEA} {WORDS[n % 6]} {LONG}" for n in range(12)}
    meaning.indexed(files)
    first = meaning.rows(ROWS)

    meaning.index(rebuild=True)

    assert meaning.rows(ROWS) == first
    assert len(first) > len(list(combinations(range(4), 2)))
    assert np.isfinite([similarity for _, _, similarity in first]).all()


def test_the_status_says_how_many_are_alike_and_whether_that_is_current(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed({"Cup.md": f"{TEA} cup", "Pot.md": f"{TEA} pot"})
    shown = status_result(meaning.engine.status(), "Notes").to_json()["pairs"]
    assert shown == {"count": 1, "waiting": 0, "threshold": 0.72, "most": 20}

    meaning.write({"Mug.md": f"{TEA} mug", "Pot.md": RAIL})
    meaning.index(embed=False)

    status = meaning.engine.status()
    text = joined(status_text(status_result(status, "Notes"), None, Style()))
    much = "0 pairs from 0.72, at most 20 a note"
    assert f"Similar notes: {much}, 1 note not compared yet\n" in text


FEW = {f"{n}.md": f"{TEA} {n} {LONG}" for n in range(6)}
MANY = {f"{n:02}.md": f"{f'word{n // 4} ' * 40}" for n in range(40)}


def halted(meaning: MeaningHarness) -> None:
    """Embed by another model and be halted on the way, the first batch being kept."""

    def halt(_: Embeddable) -> None:
        if len(meaning.model.seen) == len(MANY) - 2:
            raise KeyboardInterrupt

    meaning.use(WordModel("words two", width=64))
    meaning.model.before = halt
    with pytest.raises(KeyboardInterrupt):
        meaning.index()
    assert meaning.value("select count(distinct space_id) from note_vectors") == 2


def test_pairs_stay_where_another_model_was_halted_on_its_way(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed(MANY)
    before = meaning.engine.knowledge.similar()
    assert before.total == 10 * 6

    halted(meaning)

    assert meaning.engine.knowledge.similar() == before
    assert before.notices == ()


def test_a_note_that_changes_while_another_model_embeds_leaves_its_pairs(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed(MANY)
    halted(meaning)

    meaning.write({"07.md": RAIL})
    meaning.index(embed=False)

    assert pairs_of(meaning, "06") == [("06.md", "04.md"), ("06.md", "05.md")]
    assert pairs_of(meaning, "07") == []
    assert meaning.engine.knowledge.similar().status.waiting == 1


def test_a_model_that_comes_to_answer_again_compares_what_came_meanwhile(
    meaning: MeaningHarness,
) -> None:
    first = meaning.model
    meaning.indexed(FEW)
    meaning.use(WordModel("words two", width=64))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("glassmind.graph.pairing.pair_notes", lambda *_: None)
        meaning.indexed({"6.md": f"{TEA} 6 {LONG}"})
    (said,) = meaning.engine.knowledge.similar().notices
    assert said.startswith("notes were compared by a former model")
    assert pairs_of(meaning) == []

    meaning.use(first)
    meaning.index()

    assert meaning.engine.knowledge.similar().total == 7 * 6 // 2
    assert meaning.engine.knowledge.similar().notices == ()
