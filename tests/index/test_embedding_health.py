"""What is wrong with vectors is found, told and mended; what is current is told."""

import shutil
from pathlib import Path

import pytest
from cli_harness import Inside, Program
from semantic_harness import LONG, MeaningHarness, WordModel, fails_on

from glassmind.errors import ModelAbsent
from glassmind.model.index import Check, Status
from glassmind.obsidian.text import Style
from glassmind.operations.maintain import status_result, status_text
from glassmind.operations.registry import joined
from glassmind.store.lock import WriterLock
from glassmind.store.vectors.files import places_in
from glassmind.vault import Vault

NOTES = {f"{word}.md": LONG.format(word) for word in ("tea", "oak", "rain")}


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The program with an index of three notes to be made and no model on the disk."""
    made = Program(tmp_path)
    (made.vault / ".obsidian").mkdir(parents=True)
    for name, text in NOTES.items():
        (made.vault / name).write_text(text, "utf-8")
    return Inside(made)


def checks(meaning: MeaningHarness, name: str) -> list[Check]:
    return [check for check in meaning.engine.doctor() if check.name == name]


def tamper(meaning: MeaningHarness, statement: str) -> None:
    db = meaning.database()
    db.execute(statement)
    db.close()


def absent(_: Vault) -> WordModel:
    raise ModelAbsent("words")


def halfway(meaning: MeaningHarness) -> None:
    """Embed by one model, then all but a note by another."""
    meaning.indexed(NOTES)
    meaning.use(WordModel("words two"))
    meaning.model.before = fails_on("oak")
    meaning.index()


def told(status: Status) -> str:
    """Return the line of vectors, as people read it."""
    lines = joined(status_text(status_result(status, ""), None, Style())).splitlines(
        keepends=True
    )
    return next(line for line in lines if line.startswith("Vectors: "))


def test_a_doctor_finds_all_well(meaning: MeaningHarness) -> None:
    meaning.indexed(NOTES)

    assert checks(meaning, "model") == [Check("model", "ok", "english is at hand")]
    assert checks(meaning, "vectors") == [
        Check("vectors", "ok", "every vector reads well: 3 of 3 passages have one")
    ]


@pytest.mark.parametrize(
    "damage",
    [
        "update vectors set rows = substr(rows, 1, 60) where id = 1",
        "update vectors set rows = x'' where id = 1",
        "update vectors set rows = zeroblob(length(rows)) where id = 1",
    ],
)
def test_a_damaged_vector_is_found_and_embedded_again(
    meaning: MeaningHarness, damage: str
) -> None:
    meaning.indexed(NOTES)
    tamper(meaning, damage)
    meaning.model.seen.clear()

    found = checks(meaning, "vectors")
    report = meaning.index(verify=True)

    assert [(c.state, c.finding) for c in found] == [
        ("fail", "1 vector is not what was written")
    ]
    assert report.warnings == (
        "1 vector was damaged and dropped, to be embedded again",
    )
    assert len(meaning.model.seen) == report.embedded == 1
    assert checks(meaning, "vectors")[0].state == "ok"
    meaning.check_level()


def test_a_damaged_matrix_is_found_and_made_anew(meaning: MeaningHarness) -> None:
    meaning.indexed(NOTES)
    (place,) = places_in(meaning.folder)
    rows = max(place.glob("vectors-*"), key=lambda file: file.stat().st_size)
    raw = bytearray(rows.read_bytes())
    raw[5] ^= 255
    rows.write_bytes(raw)

    found = checks(meaning, "vectors")
    report = meaning.index(verify=True)

    assert found[0].state == "fail"
    assert "their matrix is damaged" in found[0].finding
    assert "the matrix of vectors was damaged" in report.warnings[0]
    assert report.embedded == 0
    assert checks(meaning, "vectors")[0].state == "ok"
    meaning.check_level()


def test_a_doctor_tells_what_is_not_embedded_yet(meaning: MeaningHarness) -> None:
    meaning.write(NOTES)
    meaning.index(embed=False)
    assert [c.finding for c in checks(meaning, "vectors")] == [
        "nothing is embedded yet"
    ]

    meaning.model.before = fails_on("oak")
    meaning.index()

    (found,) = checks(meaning, "vectors")
    assert (found.state, found.finding) == ("warn", "2 of 3 passages have a vector")
    assert found.fix == "run: glassmind index"


def test_a_doctor_names_a_model_that_is_not_here(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    meaning.indexed(NOTES)
    monkeypatch.setattr(Vault, "embedder", absent)

    (found,) = checks(meaning, "model")

    assert found.state == "warn"
    assert "is not on this machine" in found.finding


def test_the_status_tells_how_far_everything_has_come(meaning: MeaningHarness) -> None:
    meaning.model.before = fails_on("oak")
    meaning.indexed(NOTES)

    status = meaning.engine.status()

    assert (status.notes, status.chunks) == (3, 3)
    assert (status.words_behind, status.vectors_behind) == (0, 0)
    assert (status.model, status.space) == ("english", "words one")
    assert (status.coverage.covered, status.coverage.total) == (2, 3)
    assert (status.writing, status.embedding, status.notices) == ("", "", ())
    assert all(size > 0 for size in status.sizes.values())
    stats = meaning.engine.stats()
    assert (stats.embedded, stats.embeddable, stats.space) == (2, 3, "words one")


def test_the_status_names_who_embeds_and_what_is_missing(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    meaning.indexed(NOTES)
    meaning.use(WordModel("words two"))
    meaning.model.before = fails_on("oak")
    meaning.index()
    monkeypatch.setattr(Vault, "embedder", absent)

    with WriterLock(meaning.folder / "embedding.lock") as lock:
        assert lock.try_acquire()
        status = meaning.engine.status()

    assert status.embedding.startswith("process ")
    assert status.space == "words one"
    assert status.notices[0].startswith("words and links only: the model words is not")
    assert status.notices[1].startswith("words two is being embedded, 2 of 3 passages")
    assert status.notices[1].endswith("until it is complete, the one before it answers")


def test_the_status_of_vectors_that_are_made_anew_calls_the_old_ones_former(
    meaning: MeaningHarness,
) -> None:
    halfway(meaning)

    with WriterLock(meaning.folder / "embedding.lock") as lock:
        assert lock.try_acquire()
        status = meaning.engine.status()

    (said,) = status.notices
    assert said.startswith("words two is being embedded, 2 of 3 passages by now; ")
    line = "3 of 3 passages (3 plain, 0 enriched), made by former settings, "
    assert f"{line}and being made again\n" in told(status)


def test_the_status_says_that_another_model_was_begun_and_who_is_to_go_on(
    meaning: MeaningHarness,
) -> None:
    halfway(meaning)

    status = meaning.engine.status()

    assert status.notices == (
        "the vectors of your former settings answer; run: glassmind index",
        "words two was begun and not completed, 2 of 3 passages; run: glassmind index",
    )
    assert "made by former settings: glassmind index\n" in told(status)


def test_the_status_with_a_third_model_says_that_the_second_is_not_wanted_any_more(
    meaning: MeaningHarness,
) -> None:
    halfway(meaning)
    meaning.use(WordModel("words three"))

    status = meaning.engine.status()

    former, begun = status.notices
    assert former == "the vectors of your former settings answer; run: glassmind index"
    assert begun.startswith("words two was begun and not completed, 2 of 3 passages; ")
    assert begun.endswith("run: glassmind index")
    assert "made by former settings: glassmind index\n" in told(status)
    meaning.index()
    assert meaning.engine.status().notices == ()


def test_the_status_after_going_back_to_the_first_model_is_up_to_date(
    meaning: MeaningHarness,
) -> None:
    first = meaning.model
    halfway(meaning)
    meaning.use(first)

    status = meaning.engine.status()

    assert status.notices == ()
    assert "(3 plain, 0 enriched), up to date\n" in told(status)


def test_the_status_with_a_model_that_is_not_here_calls_no_other_up_to_date(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = meaning.model
    halfway(meaning)
    monkeypatch.setattr(Vault, "embedder", absent)

    status = meaning.engine.status()
    meaning.open(embeddings__model="")
    same = meaning.engine.status()

    assert status.space == same.space == first.space
    assert status.notices[0].startswith("words and links only: ")
    assert status.notices[1].startswith("words two was begun and not completed, ")
    assert "made by former settings: glassmind index\n" in told(status)
    assert "up to date\n" in told(same)


def test_a_run_without_a_model_warns_and_ends_well(program: Program) -> None:
    backend = {"GLASSMIND_EMBEDDINGS_BACKEND": "onnx"}

    done = program.run("index", **backend)
    quiet = program.run("index", "--no-embed", **backend)

    assert done.returncode == 0
    assert "words and links only: the model" in done.stderr
    assert "  passages: 0 embedded, 0 reused, 3 left\n" in done.stdout
    assert quiet.stderr == ""


def test_a_run_that_wants_no_vectors_says_nothing_of_them(program: Program) -> None:
    done = program.run("index")

    assert done.stderr == ""
    assert "passages" not in done.stdout
    assert program.json("index")["left"] == 0


def test_the_status_is_told_as_text_and_as_json(program: Program) -> None:
    assert program.run("status").returncode == 4
    program.run("index")

    text = program.run("status").stdout.splitlines()
    told = program.json("status")

    assert text[:5] == [
        f"Vault: {program.vault}",
        "Notes: 3 in 3 passages",
        "Keywords: up to date",
        "Vectors: none",
        "Model: none is chosen",
    ]
    assert told["vectors"] == {
        "model": "", "space": "", "covered": 0, "total": 3, "plain": 0, "enriched": 0,
        "behind": 0,
        "former": False,
    }  # fmt: skip
    assert told["words"] == {"behind": 0}
    assert set(told["bytes"]) == {"index.db", "words", "vectors"}


def test_the_doctor_sends_nobody_to_do_what_is_being_done(
    meaning: MeaningHarness,
) -> None:
    meaning.indexed(NOTES)
    meaning.close()
    for matrix in places_in(meaning.folder):
        shutil.rmtree(matrix)
    assert any(check.fix for check in checks(meaning, "vectors"))

    with WriterLock(meaning.folder / "embedding.lock") as lock:
        assert lock.try_acquire()
        found = checks(meaning, "vectors")

    assert [check.fix for check in found] == [""]
