"""Vectors of two models are never mixed: the old answer until the new are complete."""

import apsw
import pytest
from semantic_harness import LONG, MeaningHarness, WordModel, fails_on

from glassmind.errors import IndexTooNew
from glassmind.model.vectors import Embeddable
from glassmind.obsidian.text import Style
from glassmind.operations.maintain import status_result, status_text
from glassmind.operations.registry import joined
from glassmind.store.sqlite import schema
from glassmind.store.vectors.files import places_in

NOTES = {f"{word}.md": LONG.format(word) for word in ("tea", "oak", "rain")}

SPACES = "select name from spaces order by id"
ANSWERING = "select value from settings where key = 'space'"


def interrupt_after(model: WordModel, count: int) -> None:
    def stop(_: Embeddable) -> None:
        if len(model.seen) == count:
            raise KeyboardInterrupt

    model.before = stop


def test_another_model_embeds_everything_again_and_then_answers_alone(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed(NOTES)
    meaning.use(WordModel("words two", 16))

    report = meaning.index()

    assert (report.embedded, report.reused, report.left) == (3, 0, 0)
    assert meaning.rows(SPACES) == [("words two",)]
    assert meaning.value("select count(*) from vectors") == 3
    assert meaning.value("select count(*) from note_vectors") == 3
    assert len(places_in(meaning.folder)) == 1
    assert meaning.nearest("oak")[0] == "oak.md"


def test_the_old_vectors_answer_until_the_new_ones_are_complete(
    meaning: MeaningHarness,
) -> None:
    notes = {f"{n}.md": LONG.format(f"word{n}") for n in range(70)}
    meaning.indexed(notes)
    old = meaning.model.space
    meaning.use(WordModel("words two", 16))
    interrupt_after(meaning.model, 40)
    with pytest.raises(KeyboardInterrupt):
        meaning.index()

    assert meaning.value(ANSWERING) == old
    assert len(meaning.nearest("word7")) == 70
    meaning.model.before = lambda _: None
    report = meaning.index()

    assert report.embedded == 70 - 32  # the first batch was kept
    assert meaning.value(ANSWERING) == "words two"
    assert meaning.rows(SPACES) == [("words two",)]
    meaning.check_level()


def test_a_note_that_changes_meanwhile_leaves_the_old_answers(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed(NOTES)
    meaning.use(WordModel("words two", 16))
    meaning.model.before = fails_on("oak")
    meaning.index()
    meaning.remove("tea.md")

    meaning.index()

    assert meaning.value(ANSWERING) == "words one"
    assert sorted(meaning.nearest("rain")) == ["oak.md", "rain.md"]


def test_new_vectors_answer_at_once_where_the_old_model_is_gone(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed(NOTES)
    meaning.models.clear()
    meaning.use(WordModel("words two", 16))
    meaning.model.before = fails_on("oak")

    meaning.index()

    assert meaning.value(ANSWERING) == "words two"
    assert sorted(meaning.nearest("tea")) == ["rain.md", "tea.md"]


def test_a_release_that_makes_vectors_otherwise_embeds_everything_again(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    meaning.indexed(NOTES)
    meaning.models.clear()
    meaning.model = WordModel("words one, otherwise", 32)
    meaning.models[meaning.model.space] = meaning.model
    monkeypatch.setattr("glassmind.models.embedders.recipe_for", lambda _: "otherwise")
    meaning.open()

    before, told = meaning.ask("tea"), meaning.engine.status()
    report = meaning.index()

    assert [one for one in before.degraded if "run: glassmind index" in one]
    assert [notice for notice in told.notices if "run: glassmind index" in notice]
    text = joined(status_text(status_result(told, ""), None, Style()))
    assert "former settings: glassmind index" in text
    assert not meaning.engine.status().notices
    assert (report.embedded, report.left) == (3, 0)
    assert meaning.rows(SPACES) == [("words one, otherwise",)]
    assert meaning.index().embedded == 0
    assert not meaning.ask("tea").degraded


def test_a_model_of_another_width_under_the_same_name_embeds_nothing_and_says_so(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed(NOTES)
    meaning.use(WordModel("words one", 16))
    meaning.write({"snow.md": LONG.format("snow")})

    report = meaning.index()

    assert report.left == 1
    (said,) = [
        warning for warning in report.warnings if "16 numbers in place of 32" in warning
    ]
    assert f"semantic: {said.partition('only: ')[2]}" in meaning.ask("tea").degraded
    assert "run: glassmind index --rebuild" in said
    assert meaning.nearest("tea")[0] == "tea.md"
    assert meaning.index(rebuild=True).embedded == 4


def test_going_back_to_the_first_model_before_the_second_is_done_embeds_nothing(
    meaning: MeaningHarness,
) -> None:
    first = meaning.model
    meaning.indexed(NOTES)
    meaning.use(WordModel("words two", 16))
    meaning.model.before = fails_on("oak")
    meaning.index()
    first.seen.clear()

    meaning.use(first)
    meaning.index()

    assert first.seen == []
    assert meaning.rows(SPACES) == [("words one",)]


def test_every_chunk_is_embedded_once_more_with_what_surrounds_it(
    meaning: MeaningHarness,
) -> None:
    meaning.open(embeddings__enrich=True)
    parts = [f"# Part {n}\n" + LONG.format(f"part{n}") * 4 for n in range(3)]

    report = meaning.indexed({"Long.md": "\n".join(parts)})

    plain, enriched = meaning.model.seen[:3], meaning.model.seen[3:]
    assert report.embedded == 6
    assert [part.context for part in plain] == [f"Long / Part {n}" for n in range(3)]
    assert "part0" in enriched[1].context
    assert "part2" in enriched[1].context
    assert "part1" not in enriched[1].context
    assert meaning.value("select sum(enriched) from chunk_vectors") == 3
    assert meaning.value("select count(*) from vectors") == 3
    meaning.check_level()


def test_an_edited_note_keeps_its_enriched_vectors_where_nothing_around_changed(
    meaning: MeaningHarness,
) -> None:
    meaning.open(embeddings__enrich=True)
    parts = [f"# Part {n}\n" + LONG.format(f"part{n}") * 4 for n in range(5)]
    meaning.indexed({"Long.md": "\n".join(parts)})
    meaning.model.seen.clear()
    parts[4] += " changed"

    meaning.indexed({"Long.md": "\n".join(parts)})

    assert [part.context.split("\n")[0] for part in meaning.model.seen] == [
        "Long / Part 4",
        "Long / Part 4",
    ]


def test_without_enriching_the_chunks_become_plain_again(
    meaning: MeaningHarness,
) -> None:
    meaning.open(embeddings__enrich=True)
    parts = [f"# Part {n}\n" + LONG.format(f"part{n}") * 4 for n in range(3)]
    meaning.indexed({"Long.md": "\n".join(parts)})

    meaning.open(embeddings__enrich=False)
    report = meaning.index()

    assert report.embedded == 3
    assert meaning.value("select sum(enriched) from chunk_vectors") == 0
    meaning.check_level()


def test_a_later_version_is_refused_and_left_alone(meaning: MeaningHarness) -> None:
    meaning.indexed(NOTES)
    meaning.close()
    db = apsw.Connection(str(meaning.folder / "index.db"))
    db.execute(f"pragma user_version = {schema.CURRENT + 1}")
    db.close()

    with pytest.raises(IndexTooNew):
        meaning.open().index()

    assert len(meaning.model.seen) == 3


def test_a_backup_carries_the_vectors(meaning: MeaningHarness) -> None:
    meaning.indexed(NOTES)
    copy = meaning.root.parent / "copy.db"
    meaning.engine.backup(copy)
    meaning.index(rebuild=True, embed=False)
    meaning.model.seen.clear()

    meaning.engine.restore(copy)

    assert meaning.nearest("rain")[0] == "rain.md"
    assert meaning.index().embedded == 0
    assert meaning.model.seen == []
