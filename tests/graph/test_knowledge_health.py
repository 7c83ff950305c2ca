"""Vault health: one planted thing for each check, its repair, and its dismissal."""

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import msgspec
import pytest
from health_harness import FOUND, MENDED, PLANTED, text
from hypothesis import given, settings
from hypothesis import strategies as st
from semantic_harness import MeaningHarness, WordModel
from vault_harness import VaultHarness

from glassmind.errors import BadFindingKey, BadLimit, IndexAbsent, UnknownCheck
from glassmind.graph.health import CHECKS
from glassmind.model import NotePath
from glassmind.model.health import (
    CheckReport,
    Finding,
    HealthReport,
    ScorePart,
    finding,
)
from glassmind.obsidian.text import Style
from glassmind.operations.health import (
    REPORT_CHARS,
    HealthArguments,
    health_markdown,
    health_result,
    health_text,
)
from glassmind.operations.registry import joined
from glassmind.vault import Vault


@pytest.fixture
def planted(meaning: MeaningHarness) -> MeaningHarness:
    """The vault in which each check finds one thing, to be changed."""
    return with_plants(meaning)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MeaningHarness]:
    """The same for all that only look at it."""
    harness = MeaningHarness(tmp_path_factory.mktemp("planted"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Vault, "embedder", lambda _: harness.model)
        patch.setattr(Vault, "embedder_of", lambda _, __: harness.model)
        yield with_plants(harness)
        harness.close()


def with_plants(harness: MeaningHarness) -> MeaningHarness:
    """Return a harness with the planted vault, indexed with vectors."""
    harness.model = WordModel(width=1024)
    harness.models = {harness.model.space: harness.model}
    harness.copy_from(_indexed_plants())
    return harness


@cache
def _indexed_plants() -> MeaningHarness:
    """Index the planted vault once per process; tests work on copies."""
    harness = MeaningHarness(Path(mkdtemp()))
    harness.write(PLANTED)
    harness.index()
    harness.close()
    return harness


def health(harness: VaultHarness, **wanted: object) -> HealthReport:
    """Return the state of a vault on the day the planted one was made for."""
    return harness.engine.knowledge.health(**{"limit": None} | wanted)  # type: ignore[arg-type]


def markdown(report: HealthReport, *, whole: bool = False) -> str:
    return health_markdown(health_result(report), HealthArguments(all=whole), Style())


def in_words(report: HealthReport) -> str:
    lines = health_text(health_result(report), HealthArguments(), Style())
    return joined(lines)


def findings(report: HealthReport) -> Iterator[Finding]:
    for check in report.checks:
        yield from check.examples


def subjects(report: HealthReport) -> dict[str, list[str]]:
    """Return what each check found, those that found nothing left out."""
    return {
        check.name: [finding.subject for finding in check.examples]
        for check in report.checks
        if check.examples
    }


def contents(harness: VaultHarness) -> dict[str, str]:
    return {
        str(file.relative_to(harness.root)): hashlib.sha256(
            file.read_bytes()
        ).hexdigest()
        for file in sorted(harness.root.rglob("*"))
        if file.is_file()
    }


def test_each_check_finds_the_one_thing_that_is_planted_for_it(
    seen: MeaningHarness,
) -> None:
    before = contents(seen)

    report = health(seen)

    assert subjects(report) == {check: [subject] for check, subject in FOUND.items()}
    assert set(FOUND) == {entry.name for entry in CHECKS}
    assert report.findings == len(CHECKS)
    assert [check.unchecked for check in report.checks] == [None] * len(CHECKS)
    assert contents(seen) == before


def test_a_repair_ends_the_finding_it_is_for_and_no_other(
    planted: MeaningHarness,
) -> None:
    left = dict(FOUND)
    report = health(planted)
    knowledge = planted.engine.knowledge

    for check, files in MENDED.items():
        key = f"{check}:{left.pop(check)}"
        assert knowledge.check_finding(key).state == "there"
        planted.write({p: body for p, body in files.items() if body is not None})
        planted.remove(*(path for path, body in files.items() if body is None))
        planted.index()

        assert knowledge.check_finding(key).state == "gone", check
        score, report = report.score, health(planted)
        assert subjects(report) == {c: [s] for c, s in left.items()}, check
        assert report.score >= score, check

    assert report.score == 100


def test_the_gravest_checks_stand_first_and_the_parts_make_the_score(
    seen: MeaningHarness,
) -> None:
    report = health(seen)

    ranks = [["high", "medium", "low"].index(check.severity) for check in report.checks]
    assert ranks == sorted(ranks)
    lost = sum(part.lost for part in report.parts)
    assert report.score == int(100 - lost)
    assert 0 < lost < 100
    assert all(0 < part.lost < part.points for part in report.parts)


def test_two_looks_give_the_same_bytes(seen: MeaningHarness) -> None:
    first = msgspec.json.encode(health_result(health(seen)))
    seen.open()

    assert msgspec.json.encode(health_result(health(seen))) == first


def test_an_index_made_anew_gives_the_same_report(planted: MeaningHarness) -> None:
    for path in ("Broken.md", "Alike.md", "Leaf two.md", "Log/Entry 07.md"):
        planted.indexed({path: PLANTED[path] + "\n"})  # type: ignore[operator]
    first = health(planted)

    planted.index(rebuild=True)

    assert health(planted) == first


def test_a_dismissed_finding_counts_for_nothing_until_it_is_restored(
    planted: MeaningHarness,
) -> None:
    whole = health(planted)
    knowledge = planted.engine.knowledge

    knowledge.dismiss_finding("orphans", "Alone.md")
    report = health(planted)

    orphans = next(check for check in report.checks if check.name == "orphans")
    assert (orphans.count, orphans.dismissed, orphans.examples) == (0, 1, ())
    assert (report.findings, report.dismissed) == (whole.findings - 1, 1)
    assert sum(p.lost for p in report.parts) < sum(p.lost for p in whole.parts)
    now = knowledge.check_finding("orphans:Alone.md")
    assert (now.state, now.dismissed) == ("there", True)

    planted.index(rebuild=True)
    assert health(planted).dismissed == 1

    knowledge.restore_finding("orphans", "Alone.md")
    assert subjects(health(planted)) == subjects(whole)


def test_a_dismissed_pair_is_no_finding_either(planted: MeaningHarness) -> None:
    planted.engine.knowledge.dismiss("Alike", "Kindred")

    assert "weakly_tied" not in subjects(health(planted))


def test_only_the_checks_that_are_asked_for_are_made(seen: MeaningHarness) -> None:
    report = health(seen, checks=["orphans", "missing-backlinks"])

    assert [check.name for check in report.checks] == ["missing_reciprocal", "orphans"]
    assert [part.check for part in report.parts] == ["missing_reciprocal", "orphans"]


def test_so_many_examples_are_shown_as_are_asked_for(vault: VaultHarness) -> None:
    vault.indexed({f"{name}.md": text(name, 9) for name in ("one", "two", "three")})

    report = health(vault, limit=2)

    orphans = next(check for check in report.checks if check.name == "orphans")
    assert (orphans.count, len(orphans.examples)) == (3, 2)
    with pytest.raises(BadLimit):
        health(vault, limit=-1)


@pytest.mark.parametrize("name", ["nothing", "", "orphans:"])
def test_a_check_that_there_is_not_is_named_with_those_there_are(
    vault: VaultHarness, name: str
) -> None:
    vault.indexed({"Tea.md": "tea"})

    with pytest.raises(UnknownCheck, match="orphans"):
        health(vault, checks=[name])
    with pytest.raises(UnknownCheck):
        vault.engine.knowledge.dismiss_finding("nothing", "Tea.md")


@pytest.mark.parametrize("key", ["orphans", "orphans:", ":Tea.md", "", "Tea.md"])
def test_what_names_no_finding_is_said_to(vault: VaultHarness, key: str) -> None:
    vault.indexed({"Tea.md": "tea"})

    with pytest.raises((BadFindingKey, UnknownCheck)):
        vault.engine.knowledge.check_finding(key)


def test_a_check_without_its_ground_says_so_rather_than_that_all_is_well(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Tea.md": "tea"})

    report = health(vault)

    unchecked = {check.name: check.unchecked for check in report.checks}
    assert "embedded" in (unchecked["weakly_tied"] or "")
    assert "themes" in (unchecked["one_source"] or "")
    assert unchecked["orphans"] is None
    assert "weakly_tied" not in {part.check for part in report.parts}
    assert "Not checked: weakly_tied" in in_words(report)
    now = vault.engine.knowledge.check_finding("weakly_tied:A.md <> B.md")
    assert (now.state, bool(now.reason)) == ("unchecked", True)


def test_nothing_indexed_is_said_to_be_so(vault: VaultHarness) -> None:
    with pytest.raises(IndexAbsent):
        health(vault)


def test_the_health_of_nothing_is_said_to_be_that(vault: VaultHarness) -> None:
    vault.index()

    report = health(vault)

    assert (report.score, report.findings, report.notes) == (100, 0, 0)
    assert "no notes" in report.notices[0]


def test_the_only_note_of_a_vault_is_no_orphan(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": "tea"})
    assert "orphans" not in subjects(health(vault))

    vault.indexed({"Pot.md": "pot"})

    assert subjects(health(vault))["orphans"] == ["Pot.md", "Tea.md"]


def test_a_vault_of_orphans_is_not_well_and_gets_better_with_each_link(
    vault: VaultHarness,
) -> None:
    head = "---\nsource: https://gazette.example/page\n---\n"
    notes = [f"N{at}" for at in range(12)]
    vault.write({f"{n}.md": head + text(n.lower(), 9) for n in notes})
    vault.index()
    scores = [health(vault).score]

    for many in range(2, len(notes) + 1):
        links = " ".join(f"[[{name}]]" for name in notes[:many])
        tied = {f"{n}.md": f"{head}{text(n.lower(), 9)} {links}" for n in notes[:many]}
        vault.write(tied)
        vault.index()
        scores.append(health(vault).score)

    assert scores[0] <= 33
    assert scores == sorted(scores)
    assert subjects(health(vault)).keys() == {"one_source"}


def test_the_markdown_report_is_short_unless_it_is_wanted_whole(
    planted: MeaningHarness,
) -> None:
    planted.indexed({f"Stray {at}.md": text(f"stray{at}", 9) for at in range(50)})
    report = health(planted)

    short, whole = markdown(report), markdown(report, whole=True)

    assert len(short) < REPORT_CHARS
    assert all(check.title in short for check in report.checks if check.count)
    assert whole.count("  - Stray") == 50
    assert all(check.fix in whole for check in report.checks if check.count)


@settings(deadline=None)  # a busy machine is no fault of the report
@given(
    st.sampled_from("a[_\u202e日"),
    st.integers(0, 300),
    st.integers(0, 4),
    st.integers(1, 10**9),
    st.sampled_from(["", "there are no links that make themes"]),
)
def test_no_report_is_longer_than_it_may_be(
    letter: str, length: int, examples: int, count: int, unchecked: str
) -> None:
    shown = finding("ghosts", "x", NotePath(letter * length), count, letter * length)
    checks = tuple(
        CheckReport(
            name=entry.name,
            title=entry.title,
            severity=entry.severity,
            count=0 if unchecked else count,
            dismissed=count,
            examples=(shown,) * examples,
            fix=entry.fix,
            unchecked=unchecked or None,
        )
        for entry in CHECKS
    )

    text = markdown(report_of(*checks))

    assert len(text) < REPORT_CHARS


def test_a_report_cannot_command_a_terminal() -> None:
    odd = finding("ghosts", "a\x1b[31m", "No\x1b[2Jte.md", 3, "[[\x1b]0;x\x07]]")  # type: ignore[arg-type]
    check = CheckReport(
        name="ghosts",
        title="names",
        severity="low",
        count=1,
        dismissed=0,
        examples=(odd,),
        fix="Mend it.",
    )
    report = report_of(check)

    shown = in_words(report) + markdown(report, whole=True)

    assert "\x1b" not in shown
    assert "\x07" not in shown


def report_of(*checks: CheckReport) -> HealthReport:
    return HealthReport(
        score=50,
        parts=(ScorePart("ghosts", 100, 50),),
        checks=checks,
        notes=1,
        sound=1,
        findings=sum(check.count for check in checks),
        dismissed=sum(check.dismissed for check in checks),
    )
