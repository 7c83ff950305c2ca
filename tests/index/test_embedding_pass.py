"""Vectors follow text: newest first, never twice, whatever happens meanwhile."""

import numpy as np
import pytest
from semantic_harness import (
    COVERED,
    LONG,
    MeaningHarness,
    WordModel,
    fails_on,
    vector_of,
)

from glassmind.errors import ModelAbsent
from glassmind.model.index import Progress
from glassmind.model.vectors import Embeddable
from glassmind.store.vectors.files import marker_in, places_in
from glassmind.vault import Vault


def test_every_chunk_gets_a_vector_when_the_text_is_in(meaning: MeaningHarness) -> None:
    report = meaning.indexed(
        {"Tea.md": LONG.format("oolong"), "Oak.md": LONG.format("oak")}
    )

    assert (report.embedded, report.reused, report.left) == (2, 0, 0)
    assert report.warnings == ()
    assert meaning.covered() == ["Oak.md", "Tea.md"]
    meaning.check_level()


def test_the_newest_notes_come_first(meaning: MeaningHarness) -> None:
    meaning.write({f"{n}.md": LONG.format(f"number {n}") for n in range(40)})

    meaning.index()

    titles = [part.context for part in meaning.model.seen]
    assert titles == [str(n) for n in reversed(range(40))]


def test_a_chunk_is_embedded_with_its_title_and_the_headings_above_it(
    meaning: MeaningHarness,
) -> None:
    long = LONG.format("done") * 4
    text = f"# Project Alpha\n{long}\n## Status Updates\n{long}"

    meaning.indexed({"Project Alpha.md": text})

    assert [part.context for part in meaning.model.seen] == [
        "Project Alpha",
        "Project Alpha / Status Updates",
    ]


def test_nothing_is_embedded_or_even_opened_where_nothing_has_changed(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    meaning.indexed({"Tea.md": LONG.format("oolong")})
    opened: list[object] = []
    monkeypatch.setattr(Vault, "embedder", opened.append)

    report = meaning.index()

    assert opened == []
    assert (report.embedded, report.reused, report.left) == (0, 0, 0)


def test_an_edited_note_is_embedded_anew_only_where_it_changed(
    meaning: MeaningHarness,
) -> None:
    sections = [f"# Part {n}\n" + LONG.format(f"part {n} ") * 8 for n in range(6)]
    meaning.indexed({"Long.md": "\n".join(sections)})
    before = len(meaning.model.seen)
    sections[2] += "\nAnd one line more."
    meaning.model.seen.clear()

    report = meaning.indexed({"Long.md": "\n".join(sections)})

    assert [part.context for part in meaning.model.seen] == ["Long / Part 2"]
    assert (report.embedded, report.reused) == (1, before - 1)
    meaning.check_level()


def test_a_note_that_moves_keeps_its_vectors(meaning: MeaningHarness) -> None:
    meaning.indexed({"Tea.md": LONG.format("oolong")})
    meaning.move("Tea.md", "drinks/Tea.md")

    report = meaning.index()

    assert (report.moved, report.embedded, report.reused, report.left) == (1, 0, 0, 0)
    assert meaning.covered() == ["drinks/Tea.md"]
    meaning.check_level()


def test_a_note_with_a_new_title_is_embedded_under_it(meaning: MeaningHarness) -> None:
    meaning.indexed({"Tea.md": LONG.format("oolong")})
    meaning.move("Tea.md", "Coffee.md")

    report = meaning.index()

    assert (report.moved, report.embedded) == (1, 1)
    assert meaning.model.seen[-1].context == "Coffee"
    meaning.check_level()


def test_notes_that_say_the_same_share_a_vector(meaning: MeaningHarness) -> None:
    text = LONG.format("the same")

    report = meaning.indexed({"a/Tea.md": text, "b/Tea.md": text})

    assert (report.embedded, report.reused) == (1, 1)
    assert meaning.value("select count(*) from vectors") == 1
    assert len(meaning.covered()) == 2


def test_a_removed_note_takes_its_vectors_with_it(meaning: MeaningHarness) -> None:
    meaning.indexed({"Tea.md": LONG.format("oolong"), "Oak.md": LONG.format("oak")})
    meaning.remove("Tea.md")

    meaning.index()

    assert meaning.covered() == ["Oak.md"]
    assert meaning.value("select count(*) from vectors") == 1
    assert meaning.value("select count(*) from note_vectors") == 1
    meaning.check_level()


def test_a_short_chunk_gets_no_vector_unless_its_note_has_nothing_longer(
    meaning: MeaningHarness,
) -> None:
    meaning.open(index__chunk_min_chars=0)
    long = LONG.format("longer")

    meaning.indexed({
        "Both.md": f"# One\nshort\n# Two\n{long}",
        "Thin.md": "short",
        "Empty.md": "",
        "Headed.md": f"---\nkeywords: {long}\n---\nshort",
    })  # fmt: skip

    assert meaning.rows(COVERED) == [
        ("Both.md", 1), ("Headed.md", 0), ("Headed.md", 1), ("Thin.md", 0)
    ]  # fmt: skip


def test_another_least_length_takes_vectors_away_and_gives_them_back(
    meaning: MeaningHarness,
) -> None:
    meaning.open(index__chunk_min_chars=0)
    meaning.indexed({"Both.md": f"# One\nshort\n# Two\n{LONG.format('longer')}"})

    meaning.open(index__embed_min_chars=5)
    assert meaning.index().embedded == 1
    assert len(meaning.covered()) == 2
    meaning.open(index__embed_min_chars=50)
    meaning.index()

    assert meaning.rows(COVERED) == [("Both.md", 1)]
    meaning.check_level()


def test_the_vector_of_a_note_is_the_mean_of_its_chunks(
    meaning: MeaningHarness,
) -> None:
    sections = [f"# Part {n}\n" + LONG.format(f"part {n} ") * 8 for n in range(3)]

    meaning.indexed({"Long.md": "\n".join(sections)})

    width = meaning.model.width
    stored = np.frombuffer(meaning.value("select vector from note_vectors"), "<f4")
    means = []
    for part in meaning.model.seen:
        words = f"{part.context} {part.text}".split()
        rows = [words[at : at + 60] for at in range(0, len(words), 60)]
        means.append(np.mean([vector_of(" ".join(r), width) for r in rows], axis=0))
    mean = np.mean(means, axis=0)
    assert np.allclose(stored, mean / np.linalg.norm(mean), atol=1e-5)


def test_writing_vectors_leaves_the_word_index_alone(meaning: MeaningHarness) -> None:
    meaning.write({"Tea.md": LONG.format("oolong")})
    meaning.index(embed=False)
    head = meaning.rows("select max(seq) from changes")
    written = (meaning.folder / "lexical/meta.json").stat().st_mtime_ns

    meaning.index()
    meaning.ask("oolong")

    assert meaning.rows("select max(seq) from changes") == head
    assert (meaning.folder / "lexical/meta.json").stat().st_mtime_ns == written


def test_without_a_model_the_text_is_indexed_and_the_report_says_so(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(_: Vault) -> WordModel:
        raise ModelAbsent("words")

    monkeypatch.setattr(Vault, "embedder", absent)

    report = meaning.indexed({"Tea.md": LONG.format("oolong")})

    assert report.added == 1
    assert report.left == 1
    assert report.warnings[0].startswith("words and links only: the model words is not")
    assert meaning.found("oolong") == ["Tea.md"]


def test_nothing_is_said_and_embedded_where_that_was_asked_for(
    meaning: MeaningHarness,
) -> None:
    meaning.write({"Tea.md": LONG.format("oolong")})

    report = meaning.index(embed=False)

    assert meaning.model.seen == []
    assert report.warnings == ()


def test_a_passage_the_model_cannot_take_does_not_keep_the_others_from_theirs(
    meaning: MeaningHarness,
) -> None:
    meaning.model.before = fails_on("poison")
    meaning.write({f"{n}.md": LONG.format(f"number {n}") for n in range(5)})
    meaning.write({"Bad.md": LONG.format("poison")})

    report = meaning.index()

    assert (report.embedded, report.left) == (5, 1)
    assert report.warnings == (
        "1 passage got no vector: the model words gave no answer (cannot read poison)",
    )
    meaning.model.before = lambda _: None
    assert meaning.index().embedded == 1


def test_a_model_that_answers_nothing_is_given_up(meaning: MeaningHarness) -> None:
    tried: list[str] = []

    def fail(part: Embeddable) -> None:
        tried.append(part.text)
        fails_on("")(part)

    meaning.model.before = fail
    meaning.write({f"{n}.md": LONG.format(f"number {n}") for n in range(9)})

    report = meaning.index()

    assert report.left == 9
    assert len(tried) == 4
    assert report.warnings[0].startswith("words and links only: the model words gave")


def test_a_stop_in_the_middle_keeps_what_was_embedded(meaning: MeaningHarness) -> None:
    meaning.write({f"{n}.md": LONG.format(f"number {n}") for n in range(80)})

    def stop(_: Embeddable) -> None:
        if len(meaning.model.seen) == 50:
            raise KeyboardInterrupt

    meaning.model.before = stop
    with pytest.raises(KeyboardInterrupt):
        meaning.index()
    kept = len(meaning.covered())
    meaning.model.before = lambda _: None
    report = meaning.index()

    assert kept == 32
    assert report.embedded == 80 - kept
    assert len(meaning.covered()) == 80
    meaning.check_level()


def test_progress_tells_how_much_is_embedded(meaning: MeaningHarness) -> None:
    told: list[Progress] = []
    meaning.write({f"{n}.md": LONG.format(f"number {n}") for n in range(5)})

    meaning.index(progress=told.append)

    embedding = [now for now in told if now.stage == "embed"]
    assert embedding[0] == Progress("embed", 0, 5)
    assert embedding[-1] == Progress("embed", 5, 5)


def test_a_note_deleted_while_it_is_embedded_leaves_nothing(
    meaning: MeaningHarness,
) -> None:
    meaning.write({"Tea.md": LONG.format("oolong"), "Oak.md": LONG.format("oak")})
    other = meaning.open()

    def delete(_: Embeddable) -> None:
        if (meaning.root / "Oak.md").exists():
            meaning.remove("Oak.md")
            other.index(embed=False, accept_deletions=True)

    meaning.model.before = delete
    meaning.open().index()

    assert meaning.covered() == ["Tea.md"]
    assert meaning.value("select count(*) from vectors") == 1
    meaning.check_level()


def test_an_index_begun_anew_while_it_is_embedded_is_embedded_whole(
    meaning: MeaningHarness,
) -> None:
    meaning.write({f"{n}.md": LONG.format(f"number {n}") for n in range(6)})
    other = meaning.open()
    rebuilt: list[bool] = []

    def rebuild(_: Embeddable) -> None:
        if not rebuilt:
            rebuilt.append(True)
            other.index(rebuild=True, embed=False)

    meaning.model.before = rebuild
    report = meaning.open().index()

    assert report.left == 0
    assert len(meaning.covered()) == 6
    meaning.check_level()


def test_a_rebuild_embeds_everything_again(meaning: MeaningHarness) -> None:
    meaning.indexed({"Tea.md": LONG.format("oolong")})

    report = meaning.index(rebuild=True)

    assert (report.embedded, report.reused) == (1, 0)
    assert len(places_in(meaning.folder)) == 1
    meaning.check_level()


def test_a_sidecar_that_is_gone_is_made_anew_from_the_rows(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed({"Tea.md": LONG.format("oolong")})
    (place,) = places_in(meaning.folder)
    for file in place.iterdir():
        file.unlink()

    meaning.index()

    assert marker_in(place) is not None
    assert len(meaning.model.seen) == 1
    meaning.check_level()
