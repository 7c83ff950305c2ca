"""What is wrong with a note reaches whoever indexes, counts or examines."""

import json

import pytest
from vault_harness import VaultHarness

from glassmind.index import pipeline
from glassmind.model.index import Check
from glassmind.obsidian.text import iso_time

TROUBLED: dict[str, str | bytes] = {
    "Invalid.md": "---\ntags: [a\n---\nText",
    "Large.md": "---\n" + "".join(f"k{n}: value\n" for n in range(7_000)) + "---\nText",
    "Twice.md": "---\na: 1\na: 2\n---\nText",
    "Latin.md": "Caf\xe9 au lait, s'il vous pla\xeet".encode("latin-1"),
    "Broken.canvas": "{",
}


def check_of(vault: VaultHarness, name: str) -> Check:
    """Return the last check of that name."""
    return [check for check in vault.engine.doctor() if check.name == name][-1]


def test_a_run_tells_what_is_wrong_with_each_note_it_read(vault: VaultHarness) -> None:
    report = vault.indexed({**TROUBLED, "Good.md": "Text"})

    assert {warning.split(": ")[0] for warning in report.warnings} == set(TROUBLED)
    assert (
        "Twice.md: The property a is given twice; the first value counts."
        in report.warnings
    )
    assert vault.index().warnings == ()


def test_a_note_with_too_many_passages_is_told_of(vault: VaultHarness) -> None:
    vault.open(index__max_chunks_per_note=2)

    report = vault.indexed({"Long.md": "A sentence of some words.\n\n" * 2_000})

    (warning,) = report.warnings
    assert warning.startswith("Long.md: The note is long: ")


def test_a_report_tells_so_much_of_notes_and_counts_the_rest(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "MOST_TROUBLES", 3)

    report = vault.indexed({f"{n}.md": "---\na: 1\na: 2\n---\n" for n in range(5)})

    assert len(report.warnings) == 4
    assert report.warnings[-1].startswith("2 more things to mend")


def test_a_warning_is_stored_once(vault: VaultHarness) -> None:
    vault.indexed({"Twice.md": TROUBLED["Twice.md"]})

    stored = json.loads(vault.value("select warnings from notes"))

    assert stored == ["The property a is given twice; the first value counts."]


def test_notes_with_something_to_mend_are_counted(vault: VaultHarness) -> None:
    vault.indexed({**TROUBLED, "Good.md": "Text"})

    assert vault.engine.stats().troubled == len(TROUBLED)


def test_the_doctor_names_notes_with_something_to_mend(vault: VaultHarness) -> None:
    vault.indexed({f"{n}.md": "---\na: 1\na: 2\n---\n" for n in range(7)})

    found = check_of(vault, "notes")

    assert found.state == "warn"
    assert found.finding.startswith("7 notes have something to mend: 0.md: The prop")
    assert found.finding.endswith("4.md: The property a is given twice; the first "
                                  "value counts, ...")  # fmt: skip
    assert found.fix


def test_the_doctor_is_content_with_sound_notes(vault: VaultHarness) -> None:
    vault.indexed({"Good.md": "Text"})

    assert check_of(vault, "notes").state == "ok"


def test_the_doctor_tells_of_damage_once_and_by_the_name_of_the_check(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "a"})
    vault.close()
    (vault.folder / "index.db").write_bytes(b"no database at all" * 1_000)

    failed = [check for check in vault.engine.doctor() if check.state == "fail"]

    assert [check.name for check in failed] == ["index.db"]


def test_the_doctor_counts_the_files_of_the_vault(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "a", "B.png": b"b"})

    assert check_of(vault, "vault").finding.endswith(": 2 files found")


def test_a_file_from_after_all_calendars_is_read_as_any_other(
    vault: VaultHarness,
) -> None:
    vault.write({"Future.md": "rare words of [[Tea]]"}, at=2**34 - 2**31 - 1)
    if (vault.root / "Future.md").stat().st_mtime_ns < 2**63:
        pytest.skip("this disk knows no such time")
    report = vault.indexed({"Tea.md": "hot"})

    (hit,) = vault.engine.search("rare words", limit=1).hits
    events = vault.engine.knowledge.timeline("Tea").events

    assert (report.added, hit.path) == (2, "Future.md")
    assert iso_time(hit.mtime_ns).startswith("2262-")
    assert events[-1].day.startswith("2262-")
    assert vault.index().unchanged == 2
