"""Runs leave a record, compaction comes when it is due, and notes know their day."""

import json
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vault_harness import VaultHarness

from glassmind.index.pipeline import day_of, exceeds
from glassmind.model.index import Progress
from glassmind.store import sidecars as run_module

RUN = "select reason, added, changed, moved, removed, unchanged from index_runs"


def test_each_run_is_recorded_with_what_it_did(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "a", "B.md": "b", "C.md": "c"})
    vault.move("A.md", "D.md")
    vault.remove("B.md")
    vault.indexed({"C.md": "changed", "E.md": "e"})
    vault.index(reason="watch")

    assert vault.rows(RUN) == [
        ("index", 3, 0, 0, 0, 0),
        ("index", 1, 1, 1, 1, 0),
        ("watch", 0, 0, 0, 0, 3),
    ]


def test_a_finished_run_says_how_long_it_took_and_an_unfinished_one_does_not(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.indexed({"A.md": "a"})
    vault.write({"B.md": "b"})

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("glassmind.index.pipeline.RunCounts.report", interrupted)
        with pytest.raises(KeyboardInterrupt):
            vault.index()

    seconds = [row[0] for row in vault.rows("select seconds from index_runs")]
    assert seconds[0] > 0
    assert seconds[1] is None


def test_a_run_records_what_it_could_not_read_and_why(vault: VaultHarness) -> None:
    report = vault.indexed({"Bad.md": b"\x00\x01\xfe\xff" * 50, "Good.md": "x"})

    failures = json.loads(vault.value("select failures from index_runs"))
    assert failures == [[s.path, s.reason] for s in report.skipped]
    assert [path for path, _ in failures] == ["Bad.md"]


def test_a_run_says_what_it_was_asked_for(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "a"})
    vault.index(verify=True)
    vault.index(compact=True, accept_deletions=True)
    vault.index(verify=True, reason="watch")

    reasons = [reason for (reason,) in vault.rows("select reason from index_runs")]
    assert reasons == ["index", "verify", "compact+accept-deletions", "watch+verify"]


def test_only_the_last_runs_are_remembered(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "a"})
    db = vault.database()
    db.execute(
        "with recursive n(i) as (select 2 union all select i + 1 from n where i < 300) "
        "insert into index_runs (id, started_at, reason, seconds) "
        "select i, 't', 'index', 1 from n"
    )
    db.close()

    vault.index()

    assert vault.rows("select min(id), max(id) from index_runs") == [(102, 301)]


def test_the_time_of_the_last_run_is_told(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "a"})

    last = vault.engine.stats().last_run

    assert last == vault.value("select max(started_at) from index_runs")


def counts_deleted(vault: VaultHarness) -> int:
    """Return how many documents of the word index are deleted but still counted."""
    meta = json.loads((vault.folder / "lexical" / "meta.json").read_text("utf-8"))
    deletes = [segment.get("deletes") for segment in meta["segments"]]
    return sum(found["num_deleted_docs"] for found in deletes if found)


def test_the_word_index_is_compacted_when_many_of_its_documents_are_deleted(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "COMPACT_CHUNKS", 10)
    vault.indexed({f"{n}.md": f"old {n}" for n in range(40)})

    report = vault.indexed({f"{n}.md": f"new {n}" for n in range(30)})

    assert report.compacted
    assert counts_deleted(vault) == 0
    assert len(vault.found("new", limit=100)) == 30


def test_the_word_index_is_not_compacted_for_a_few_deletions(
    vault: VaultHarness,
) -> None:
    vault.indexed({f"{n}.md": f"old {n}" for n in range(40)})

    report = vault.indexed({f"{n}.md": f"new {n}" for n in range(30)})

    assert not report.compacted


def test_the_word_index_is_compacted_when_asked(vault: VaultHarness) -> None:
    vault.indexed({f"{n}.md": f"old {n}" for n in range(10)})
    vault.indexed({f"{n}.md": f"new {n}" for n in range(5)})

    report = vault.index(compact=True)

    assert report.compacted
    assert counts_deleted(vault) == 0


def answers(vault: VaultHarness, text: str) -> list[tuple[Any, ...]]:
    return [(h.path, h.score, h.snippet, h.lines) for h in vault.ask(text).hits]


def test_an_index_deleted_and_made_again_gives_equal_answers(
    vault: VaultHarness,
) -> None:
    words = ("tea", "cup", "pot", "leaf", "water")
    vault.indexed({f"{n}.md": " ".join(words[: n % 5 + 1]) for n in range(25)})
    vault.indexed({f"{n}.md": f"{words[n % 5]} changed" for n in range(0, 25, 3)})
    vault.remove("1.md", "2.md")
    vault.move("4.md", "x/4.md")
    vault.index()
    vault.index(compact=True)
    before = [answers(vault, text) for text in (*words, "tea cup", "changed -pot")]

    vault.index(rebuild=True)

    after = [answers(vault, text) for text in (*words, "tea cup", "changed -pot")]
    assert after == before


def test_the_log_is_pruned_once_the_word_index_has_followed(
    vault: VaultHarness,
) -> None:
    vault.indexed({f"{n}.md": "x" for n in range(10)})
    vault.indexed({"3.md": "y"})

    assert vault.rows("select count(*), max(seq) from changes") == [(1, 11)]


@pytest.mark.parametrize(
    ("properties", "name", "day"),
    [
        ({}, "2024-03-01", "2024-03-01"),
        ({}, "Meeting 2024-03-01 with Ann", "2024-03-01"),
        ({"date": "2023-01-02"}, "2024-03-01", "2023-01-02"),
        ({"Created": "2023-01-02T10:00:00Z"}, "Tea", "2023-01-02"),
        ({"created": "2023-01-02", "date": "2022-02-03"}, "Tea", "2022-02-03"),
        ({"date": "soon", "created": "2023-01-02"}, "Tea", "2023-01-02"),
        ({"date": None}, "Tea", None),
        ({"date": 20240301}, "Tea", None),
        ({"date": ["2024-03-01"]}, "Tea", None),
        ({}, "2024-13-01", None),
        ({}, "2024-02-30 then 2024-02-29", "2024-02-29"),
        ({}, "12024-03-01", None),
        ({}, "2024-03-011", None),
        ({}, "Tea", None),
    ],
)
def test_a_note_is_about_the_day_it_says(
    properties: dict[str, Any], name: str, day: str | None
) -> None:
    assert day_of(properties, name) == day


@given(st.dates(), st.text(max_size=20))
def test_a_day_in_a_name_is_always_a_real_one(day: date, text: str) -> None:
    found = day_of({}, f"{text} {day.isoformat()}")

    assert found is not None
    assert date.fromisoformat(found) - date(1, 1, 1) >= timedelta(0)


def test_a_note_is_taken_for_moved_only_from_a_file_of_its_kind(
    vault: VaultHarness,
) -> None:
    old = ("old/A.canvas", "old/A.md", "old/B.md")
    vault.indexed(dict.fromkeys(old, "{}"))
    for path in old:
        (vault.root / path).unlink()
    vault.write(dict.fromkeys(("new/B.md", "new/A.excalidraw.md"), "{}"))

    report = vault.index()

    assert report.renamed == (("old/B.md", "new/B.md"),)
    assert (report.added, report.moved, report.removed) == (1, 1, 2)


def test_an_index_that_was_never_finished_says_so_with_every_answer(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.write({f"Tea {number}.md": "oolong" for number in range(3)})

    def cut_short(progress: Progress) -> None:
        if progress.stage == "words":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vault.index(progress=cut_short)
    before = vault.ask("oolong", limit=9)
    vault.index()
    after = vault.ask("oolong", limit=9)

    assert "not been indexed to its end" in before.degraded[0]
    assert (len(after.hits), after.degraded) == (3, ())


@pytest.mark.parametrize(
    ("gone", "known", "too_many"),
    [(20, 21, False), (21, 62, True), (21, 63, False), (0, 0, False), (100, 100, True)],
)
def test_more_than_a_third_of_many_notes_gone_at_once_is_too_many(
    gone: int, known: int, too_many: bool
) -> None:
    assert exceeds(gone, known) is too_many
