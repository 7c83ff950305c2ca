"""Reports, counts and findings in words."""

from glassmind.model import NotePath
from glassmind.model.index import Check, IndexReport, Skipped
from glassmind.obsidian.text import Style, bytes_in_words
from glassmind.operations.maintain import (
    DoctorResult,
    StatsResult,
    doctor_text,
    index_result,
    index_text,
    stats_text,
)
from glassmind.operations.registry import joined


def test_skipped_files_are_grouped_and_the_first_few_named() -> None:
    skipped = [Skipped(NotePath(f"{n}.md"), "too large") for n in range(5)]
    report = IndexReport(added=1_200, notes=1_247, seconds=2.5, skipped=skipped)

    assert joined(index_text(index_result("/Notes", report), None, Style())) == (
        "Indexed 1,247 notes of /Notes in 2.50 s\n"
        "  1,200 added, 0 changed, 0 moved, 0 removed, 0 unchanged\n"
        "Skipped 5:\n"
        "  5 too large: 0.md, 1.md, 2.md, ...\n"
    )


def test_counts_are_written_with_separators() -> None:
    stats = StatsResult(
        vault="/Notes",
        notes=1_247,
        chunks=4_912,
        tags=340,
        links=2_103,
        ghosts=7,
        attachments=0,
        tasks=12,
        headings=9,
        skipped=1,
        skipped_by_reason={"too large": 1},
        index_bytes=559_207,
        folder="/index",
        last_run=None,
    )

    text = joined(stats_text(stats, None, Style()))

    assert text.startswith(
        "Notes indexed: 1,247\nChunks indexed: 4,912\n"
        "Tags indexed: 340\nLinks indexed: 2,103\n"
    )
    assert "Skipped: 1\n  1 too large\n" in text
    assert "Targets not found: 7\n" in text
    assert text.endswith(
        "Vault: /Notes\nIndex size: 546.1 KiB in /index\nLast indexed: never\n"
    )


def test_a_finding_stands_above_its_fix() -> None:
    checks = [
        Check("vault", "ok", "all there"),
        Check("freshness", "warn", "3 files changed", "run: glassmind index"),
        Check(
            "index.db", "fail", "a page is damaged", "run: glassmind index --rebuild"
        ),
    ]

    assert joined(
        doctor_text(DoctorResult(ok=False, checks=checks), None, Style())
    ) == (
        "ok   vault: all there\n"
        "warn freshness: 3 files changed\n"
        "     run: glassmind index\n"
        "fail index.db: a page is damaged\n"
        "     run: glassmind index --rebuild\n"
    )


def test_sizes_have_the_unit_that_fits() -> None:
    assert [bytes_in_words(n) for n in (0, 1023, 1024, 3 << 20, 5 << 40)] == [
        "0 B", "1,023 B", "1.0 KiB", "3.0 MiB", "5,120.0 GiB",
    ]  # fmt: skip
