"""What should be linked, asked as every surface asks it."""

from math import fsum

import pytest
from operation_harness import text_of, values_of
from semantic_harness import LONG, MeaningHarness
from vault_harness import VaultHarness

from glassmind.errors import BadLimit, IndexAbsent, NoteNotFound
from glassmind.files.read import digest_of
from glassmind.model.suggestions import ProposedEdit, Suggestion

TALKS = {
    "Deep Work.md": "A book.\n",
    "Journal.md": "Monday was for deep work, at last.\n",
}


def suggested(
    vault: VaultHarness, name: str | None = None, **wanted: int
) -> list[Suggestion]:
    return list(vault.engine.knowledge.suggest(name, **wanted).suggestions)


def only(vault: VaultHarness, name: str | None = None) -> Suggestion:
    (found,) = suggested(vault, name)
    return found


def make(vault: VaultHarness, edit: ProposedEdit | None) -> None:
    """Make a proposed edit, as whoever accepts it would."""
    assert edit is not None
    file = vault.root / edit.path
    raw = file.read_bytes()
    assert digest_of(raw) == edit.digest
    assert raw[edit.bytes[0] : edit.bytes[1]] == edit.before.encode()
    vault.write(
        {edit.path: raw[: edit.bytes[0]] + edit.after.encode() + raw[edit.bytes[1] :]}
    )
    vault.index()


@pytest.mark.parametrize("name", ["Journal", "Deep Work", None])
def test_a_name_without_a_link_is_suggested_from_either_note(
    vault: VaultHarness, name: str | None
) -> None:
    vault.indexed(TALKS)

    found = only(vault, name)

    assert (found.kind, found.source, found.target) == (
        "mention", "Journal.md", "Deep Work.md",
    )  # fmt: skip
    assert found.mention is not None
    assert (found.mention.line, found.mention.text) == (1, "deep work")
    assert found.mention.sentence == "Monday was for deep work, at last."
    assert found.reason == "it says 'deep work' on line 1 without a link"
    assert found.edit is not None
    assert (found.edit.line, found.edit.before) == (1, "deep work")
    assert found.edit.after == "[[Deep Work|deep work]]"


def test_an_edit_that_was_made_is_a_link_and_not_suggested_again(
    vault: VaultHarness,
) -> None:
    vault.indexed(TALKS)

    make(vault, only(vault, "Journal").edit)

    assert vault.edges()["Journal.md", "Deep Work"] == "Deep Work.md"
    assert suggested(vault) == []


def test_nothing_is_written_by_asking(vault: VaultHarness) -> None:
    vault.indexed(TALKS)
    before = {f: f.read_bytes() for f in vault.root.rglob("*") if f.is_file()}

    suggested(vault)

    assert before == {f: f.read_bytes() for f in vault.root.rglob("*") if f.is_file()}


def test_the_shares_of_the_signs_add_up_to_the_score(vault: VaultHarness) -> None:
    vault.indexed(TALKS)

    found = only(vault)

    assert 0 < found.score <= 1
    assert fsum(sign.share for sign in found.signs) == pytest.approx(found.score)


def test_notes_that_are_linked_either_way_are_not_suggested(
    vault: VaultHarness,
) -> None:
    vault.indexed({**TALKS, "Deep Work.md": "See [[Journal]].\n"})

    assert suggested(vault) == []


def test_a_dismissed_pair_is_not_suggested_until_it_is_restored(
    vault: VaultHarness,
) -> None:
    vault.indexed(TALKS)
    knowledge = vault.engine.knowledge

    knowledge.dismiss("Deep Work", "Journal")
    assert suggested(vault) == suggested(vault, "Journal") == []

    knowledge.restore_pair("Deep Work", "Journal")
    assert len(suggested(vault)) == 1


def test_the_agents_folder_and_templates_are_left_out(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "Deep Work.md": "A book.\n",
            ".agent/memory/One.md": "deep work\n",
            "Templates/Day.md": "deep work\n",
            "forms/Day.md": "deep work\n",
            ".obsidian/templates.json": '{"folder": "forms"}',
        }
    )

    assert suggested(vault) == suggested(vault, "Deep Work") == []


def test_a_name_that_links_mostly_pass_by_gives_way_to_one_they_use(
    vault: VaultHarness,
) -> None:
    said = {f"n{i}.md": "Click the button; Grafana shows it.\n" for i in range(20)}
    used = {f"u{i}.md": "See [[Grafana]].\n" for i in range(10)}
    vault.indexed({"Click.md": "A tool.\n", "Grafana.md": "Graphs.\n", **said, **used})

    found = {str(one.target): one.score for one in suggested(vault, "n3")}

    assert "Grafana.md" in found
    assert found["Grafana.md"] > 1.5 * found.get("Click.md", 0.0)


def test_a_name_that_two_notes_have_is_said_to_be_one(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "Planets/Mercury.md": "hot\n",
            "Metals/Mercury.md": "liquid\n",
            "Log.md": "We saw Mercury.\n",
        }
    )

    found = [one for one in suggested(vault, "Log") if one.mention]

    (one,) = found  # for one place
    assert one.mention is not None
    both = {one.target, *one.mention.namesakes}
    assert both == {"Metals/Mercury.md", "Planets/Mercury.md"}
    assert one.mention.namesakes[0] in one.reason
    assert one.edit is not None
    assert one.edit.after in {
        "[[Mercury]]", "[[Metals/Mercury|Mercury]]", "[[Planets/Mercury|Mercury]]",
    }  # fmt: skip


def test_of_many_notes_of_one_name_a_few_are_told(vault: VaultHarness) -> None:
    many = {f"{n}/Mercury.md": "x\n" for n in range(9)}
    vault.indexed({**many, "Log.md": "We saw Mercury.\n"})

    (found,) = [one for one in suggested(vault, "Log") if one.mention]

    assert found.mention is not None
    assert len(found.mention.namesakes) == 5
    assert found.reason.endswith("and others have too")


def test_a_common_word_is_a_name_where_links_write_it_so(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "Heron network.md": "---\naliases: [Heron]\n---\nStations.\n",
            "Log.md": "One was hit by a heron.\n",
        }
    )
    assert [one for one in suggested(vault, "Log") if one.mention] == []

    vault.indexed({"Diary.md": "Out to a [[Heron network|heron]] again.\n"})

    (found,) = [one for one in suggested(vault, "Log") if one.mention]
    assert found.edit is not None
    assert found.edit.after == "[[Heron network|heron]]"


def test_an_alias_is_a_name_too(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "People/Ada.md": "---\naliases: [Countess of Lovelace]\n---\n",
            "Log.md": "Met the Countess of Lovelace.\n",
        }
    )

    found = only(vault, "Log")

    assert found.edit is not None
    assert found.edit.after == "[[Ada|Countess of Lovelace]]"


def test_a_vault_that_writes_markdown_links_is_offered_those(
    vault: VaultHarness,
) -> None:
    vault.indexed(
        {
            "a.md": "[b](b.md)\n",
            "b.md": "x\n",
            "deep work.md": "A book.\n",
            "Log.md": "Some Deep Work.\n",
        }
    )

    edit = only(vault, "Log").edit

    assert edit is not None
    assert edit.after == "[Deep Work](deep%20work.md)"
    make(vault, edit)
    assert vault.edges()["Log.md", "deep work.md"] == "deep work.md"


def test_a_property_that_is_not_answered_is_suggested_with_its_line(
    vault: VaultHarness,
) -> None:
    children = {f"c{i}.md": '---\nparent: "[[Top]]"\n---\n' for i in range(4)}
    listed = "".join(f'  - "[[c{i}]]"\n' for i in range(3))
    vault.indexed({"Top.md": f"---\nchildren:\n{listed}---\nText\n", **children})

    found = only(vault, "c3")

    assert (found.kind, found.source, found.target) == ("reciprocal", "Top.md", "c3.md")
    assert found.property == "children"
    assert found.edit is not None
    assert found.edit.after == '\n  - "[[c3]]"'
    make(vault, found.edit)
    assert suggested(vault) == []
    children_now = vault.value("select value from properties where name = 'children'")
    assert children_now == '["[[c0]]","[[c1]]","[[c2]]","[[c3]]"]'


def test_similar_notes_are_suggested_on_a_line_of_their_own(
    meaning: MeaningHarness,
) -> None:
    notes = {f"{word}.md": LONG.format(f"{word} " * 9) for word in ("oak", "elm")}
    meaning.indexed(
        {
            "River.md": "streams carry silt and stones down to wide open plains",
            "Delta.md": "streams carry silt and stones down to wide open plains",
            **notes,
        }
    )

    found = next(one for one in suggested(meaning, "River") if one.target == "Delta.md")

    assert found.kind == "similar"
    assert found.similarity is not None
    assert found.similarity > 0.9
    assert found.edit is not None
    assert found.edit.after == "\n\nSee also: [[Delta]]"
    make(meaning, found.edit)
    assert "Delta.md" not in {one.target for one in suggested(meaning, "River")}


def test_without_vectors_that_is_said(vault: VaultHarness) -> None:
    vault.indexed(TALKS)

    reply = vault.engine.knowledge.suggest()

    assert len(reply.notices) == 1
    assert "nothing is embedded" in reply.notices[0]
    assert "compared by their words alone" in reply.notices[0]


def test_a_note_that_changed_since_it_was_indexed_is_read_as_it_is_now(
    vault: VaultHarness,
) -> None:
    vault.indexed(TALKS)
    vault.write({"Journal.md": "Lines.\n\nMonday was for deep work, at last.\n"})

    found = only(vault, "Journal")

    assert found.edit is not None
    assert found.edit.line == 3
    make(vault, found.edit)
    assert suggested(vault) == []


def test_a_note_that_is_gone_costs_its_suggestions_alone(vault: VaultHarness) -> None:
    vault.indexed({**TALKS, "Diary.md": "deep work again\n"})
    vault.remove("Journal.md")

    found = [one for one in suggested(vault) if one.edit is not None]

    assert [one.source for one in found] == ["Diary.md"]


def test_two_calls_give_equal_answers(vault: VaultHarness) -> None:
    notes = {f"n{i}.md": f"deep work and note{i + 1} here\n" for i in range(12)}
    vault.indexed({**TALKS, **notes})

    first = values_of(vault.engine, "suggest")

    assert values_of(vault.open(), "suggest") == first


MANY = {f"n{i}.md": f"deep work and note{i + 1} here\n" for i in range(12)}


def test_what_was_asked_before_makes_no_difference(vault: VaultHarness) -> None:
    vault.indexed({**TALKS, **MANY})
    fresh = suggested(vault, limit=12)

    vault.open()
    pages = [suggested(vault, limit=limit) for limit in (1, 5, 12, 12)]

    assert pages[-1] == pages[-2] == fresh
    assert all(fresh[: len(page)] == page for page in pages)


def test_a_vault_that_changes_is_told_as_if_it_were_opened_anew(
    vault: VaultHarness,
) -> None:
    steps: list[dict[str, str]] = [
        {**TALKS, **MANY},
        {"n1.md": "nothing of that\n"},
        {"Note of its own.md": "n3 and deep work\n", "n2.md": "a Note of its own\n"},
        {"Deep Work.md": "---\naliases: [Nothing of that]\n---\nA book.\n"},
    ]
    engine = vault.engine
    for step in steps:
        vault.indexed(step)
        kept = engine.knowledge.suggest(limit=100)
        assert kept == vault.open().knowledge.suggest(limit=100)
        assert kept.suggestions


def test_a_vault_asked_again_tells_what_changed_on_disk(vault: VaultHarness) -> None:
    vault.indexed(TALKS)
    before = only(vault)
    vault.write({"Journal.md": "Lines.\n\nMonday was for deep work, at last.\n"})

    after = only(vault)

    assert before.edit is not None
    assert after.edit is not None
    assert (before.edit.line, after.edit.line) == (1, 3)
    assert before.edit.digest != after.edit.digest


def test_vectors_that_came_since_are_taken_up(meaning: MeaningHarness) -> None:
    silt = "streams carry silt and stones down to wide open plains of the Delta"
    notes = {f"{word}.md": LONG.format(f"{word} " * 9) for word in ("oak", "elm")}
    meaning.write({"River.md": silt, "Delta.md": silt, **notes})
    meaning.index(embed=False)
    before = suggested(meaning)

    meaning.index()

    after = suggested(meaning)
    assert [one.similarity for one in before] == [None]
    assert [one.similarity is not None for one in after] == [True]
    meaning.open()
    assert suggested(meaning) == after


def test_what_cannot_be_asked_is_refused(vault: VaultHarness) -> None:
    with pytest.raises(IndexAbsent):
        vault.engine.knowledge.suggest()
    vault.indexed(TALKS)
    for limit in (0, 1_001):
        with pytest.raises(BadLimit):
            vault.engine.knowledge.suggest(limit=limit)
    with pytest.raises(NoteNotFound):
        vault.engine.knowledge.suggest("Nowhere at all")


def test_suggestions_read_well_and_command_no_terminal(vault: VaultHarness) -> None:
    vault.indexed({**TALKS, "Journal.md": "Now \x1b[31m deep work.\n"})

    reply = vault.engine.knowledge.suggest()

    assert text_of(vault.engine, "suggest") == (
        f"Journal.md -> Deep Work.md  mention {reply.suggestions[0].score:.2f}\n"
        "   it says 'deep work' on line 1 without a link\n"
        "   Now \\x1b[31m deep work.\n"
        "   Journal.md:1\n"
        "   - deep work\n"
        "   + [[Deep Work|deep work]]\n"
    )


def test_a_canvas_is_neither_edited_nor_linked_to(vault: VaultHarness) -> None:
    card = '{"nodes":[{"id":"1","type":"text","text":"deep work","x":0,"y":0,'
    vault.indexed(
        {
            "Deep Work.md": "A book.\n",
            "Board.canvas": card + '"width":1,"height":1}],"edges":[]}',
            "Log.md": "See the board.\n",
        }
    )

    assert suggested(vault) == suggested(vault, "Board.canvas") == []
