"""Tuning asks every candidate, writes the best with its evidence, and undoes it."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest

from glassmind.config import Config, load_config
from glassmind.config.load import config_for
from glassmind.errors import QueryError
from glassmind.evaluation.bench import Bench
from glassmind.evaluation.gold import GoldQuery
from glassmind.evaluation.metrics import Difference, Interval
from glassmind.evaluation.tune import (
    IN_FORCE,
    TunedSettings,
    TuneReport,
    candidates,
    tune,
    write_choice,
)

TODAY = date(2026, 11, 15)
CHOSEN = {"search.fusion": "rrf", "search.rerank": "off"}


class Shelf:
    """An engine that finds the right note first with `rrf`, else now and then."""

    def __init__(self, config: Config, settings: Mapping[str, object]) -> None:
        self.config = config
        self.skilled = settings.get("search.fusion") == "rrf"

    def search(self, text: str, *, limit: int, **_wishes: Any) -> Any:
        right = f"{text}.md"
        lucky = self.skilled or int(text) % 3 == 0
        found = [right, "x.md"] if lucky else ["x.md", "y.md", "z.md", right]
        hits = tuple(SimpleNamespace(path=path) for path in found[:limit])
        return SimpleNamespace(hits=hits, degraded=())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None: ...


def bench_of(root: Path, count: int = 120) -> Bench:
    queries = [GoldQuery(str(n), str(n), {f"{n}.md": 1.0}) for n in range(count)]
    config = config_for(root)

    def opened(settings: Mapping[str, object]) -> Any:
        return Shelf(config, settings)

    return Bench("self", root, queries, count, "none", opened)


def report_of(settings: Mapping[str, object] = CHOSEN) -> TuneReport:
    current, chosen = (
        TunedSettings(IN_FORCE, {}, 0.5),
        TunedSettings("other", settings, 0.55),
    )
    return TuneReport(
        accepted=True,
        reason="better",
        queries=412,
        notes=300,
        folds=5,
        agreeing=5,
        before=0.5,
        after=0.55,
        held_out=Difference(0.05, Interval(0.03, 0.07)),
        chosen=chosen,
        current=current,
        tried=(current, chosen),
    )


class Harness:
    """A vault, a home, and the configuration they give."""

    def __init__(self, root: Path) -> None:
        self.vault, self.home = root / "Notes", root / "home"
        (self.vault / ".obsidian").mkdir(parents=True)
        self.home.mkdir()
        self.file = self.home / ".config/glassmind/glassmind.toml"

    def config(self) -> Config:
        env = {"HOME": str(self.home)}
        return load_config(flags={"vault.path": self.vault}, env=env, cwd=self.home)

    def write(self, text: str) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(text, "utf-8")

    def tuned(self, settings: Mapping[str, object] = CHOSEN) -> str:
        report = report_of(settings)
        write_choice(self.config(), report, self.file, in_vault=False, today=TODAY)
        return self.file.read_text("utf-8")


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    return Harness(tmp_path)


def test_what_is_tried_begins_with_the_settings_in_force(tmp_path: Path) -> None:
    first, *others = candidates(config_for(tmp_path))

    assert (first.name, first.settings) == (IN_FORCE, {})
    assert len({other.name for other in others}) == len(others)
    assert {"search.fusion": "rrf"}.items() <= others_of(others, "rrf").items()
    assert all(other.settings for other in others)


def others_of(others: list[Any], word: str) -> dict[str, object]:
    return next(dict(other.settings) for other in others if word in other.name)


def test_settings_in_force_are_not_tried_as_others(tmp_path: Path) -> None:
    config = config_for(tmp_path, {"search.fusion": "rrf", "search.rerank": "off"})

    named = [dict(candidate.settings) for candidate in candidates(config)]

    assert {"search.rerank": "off"} not in named
    assert all(one.get("search.fusion") != "rrf" for one in named)


def test_a_better_fusion_is_found_and_nothing_is_written(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []

    def show(done: int, total: int) -> None:
        seen.append((done, total))

    found = tune(bench_of(tmp_path), show=show)

    assert found.accepted
    assert found.chosen.settings["search.fusion"] == "rrf"
    assert found.after == pytest.approx(1.0)
    assert found.current.ndcg == pytest.approx(found.before)
    assert seen[-1] == (120 * len(found.tried), 120 * len(found.tried))
    assert found.file == ""


def test_too_few_questions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="49 queries"):
        tune(bench_of(tmp_path, 49))


def test_what_was_chosen_is_in_force_with_its_evidence_above_it(
    harness: Harness,
) -> None:
    harness.write('# mine\n[search]\nlimit = 7  # enough\nfusion = "minmax"\n')

    text = harness.tuned()

    assert harness.config().search.fusion == "rrf"
    assert harness.config().search.rerank == "off"
    assert harness.config().search.limit == 7
    above = text[: text.index('fusion = "rrf"')]
    assert "# Chosen by `glassmind tune` on 2026-11-15 from 412 questions" in above
    assert "# A gain of +0.0500, 95 % interval +0.0300 to +0.0700." in above
    assert '# Before: search.fusion = "minmax"' in above
    assert text.startswith("# mine\n[search]\nlimit = 7  # enough\n")


def test_a_file_that_cannot_be_written_is_left_as_it_is(harness: Harness) -> None:
    harness.write("search = 3\n")

    with pytest.raises(Exception, match="by hand"):
        harness.tuned()

    assert harness.file.read_text("utf-8") == "search = 3\n"


def test_a_comment_goes_above_a_setting_however_lines_end(harness: Harness) -> None:
    harness.file.parent.mkdir(parents=True)
    harness.file.write_bytes(b"[search]\r\nlimit = 7\r\n")

    text = harness.tuned({"search.limit": 9})

    lines = harness.file.read_bytes().split(b"\r\n")
    assert lines[0] == b"[search]"
    assert lines[1].startswith(b"# Chosen by")
    assert lines[-2] == b"limit = 9"
    assert b"\n" not in harness.file.read_bytes().replace(b"\r\n", b"")
    assert text.count("#") == 4
