"""Figures are shown to people and to programs."""

from glassmind.evaluation.measure import EvalReport, Measurement, QueryMeans
from glassmind.evaluation.metrics import Difference, Interval
from glassmind.evaluation.report import (
    METRICS,
    evaluation_as_json,
    evaluation_as_text,
    tuning_as_json,
    tuning_as_text,
)
from glassmind.evaluation.tune import TunedSettings, TuneReport
from glassmind.obsidian.text import Style

GAIN = Difference(0.0125, Interval(-0.0031, 0.0274))


def measured(name: str, value: float, versus: Difference | None = None) -> Measurement:
    return Measurement(
        name=name,
        queries=120,
        means=dict.fromkeys(METRICS, value),
        intervals=dict.fromkeys(METRICS, Interval(value - 0.05, value + 0.05)),
        kinds={"anchor": QueryMeans(20, dict.fromkeys(METRICS, 0.75))},
        p50_ms=3.2,
        p95_ms=9.9,
        versus=versus,
    )


REPORT = EvalReport(
    gold="self",
    source="/home/ines/<Notes>\x1b[31m",
    notes=1_234,
    model="english",
    default=measured("default", 0.512345),
    ablations=[measured("fusion rrf", 0.52, GAIN)],
)

TUNED = TuneReport(
    accepted=False,
    reason="the gain may be noise",
    queries=412,
    notes=300,
    folds=5,
    agreeing=3,
    before=0.5,
    after=0.51,
    held_out=GAIN,
    chosen=TunedSettings("fusion rrf", {"search.fusion": "rrf"}, 0.51),
    current=TunedSettings("in force", {}, 0.5),
    tried=(
        TunedSettings("in force", {}, 0.5),
        TunedSettings("fusion rrf", {"search.fusion": "rrf"}, 0.51),
    ),
)


def test_the_table_has_a_row_for_each_way_of_asking() -> None:
    lines = evaluation_as_text(REPORT, Style()).splitlines()

    assert lines[0].startswith("120 questions over 1,234 notes of a copy of /home/ines")
    assert lines[2].split()[:3] == ["nDCG@10", "MRR", "Hit@1"]
    assert lines[3].split()[:2] == ["default", "0.512"]
    assert lines[4].split()[-1] == "(20)"
    assert "+0.013 (-0.003 to +0.027)" in lines[5]


def test_a_name_from_outside_does_not_command_the_terminal() -> None:
    assert "\x1b" not in evaluation_as_text(REPORT, Style())


def test_programs_find_the_default_at_the_top_and_the_rest_below() -> None:
    found = evaluation_as_json(REPORT)

    assert found["ndcg@10"] == 0.5123
    assert found["ci"]["ndcg@10"] == [0.4623, 0.5623]
    assert found["kinds"]["anchor"]["queries"] == 20
    other = found["ablations"]["fusion rrf"]
    assert other["hit@5"] == 0.52
    assert other["difference"] == {"ndcg@10": 0.0125, "ci": [-0.0031, 0.0274]}


def test_tuning_says_why_nothing_was_changed_and_what_was_tried() -> None:
    text = tuning_as_text(TUNED, Style())

    assert text.startswith("Nothing changed: the gain may be noise\n")
    assert "asked 412 questions" in text
    lines = text.splitlines()
    assert lines[-3:-1] == ["   0.510  fusion rrf", " * 0.500  in force"]


def test_tuning_that_was_taken_tells_how_sure_it_is() -> None:
    taken = TUNED._replace(accepted=True)

    text = tuning_as_text(taken, Style())

    assert text.startswith("Better settings found")
    assert '    search.fusion = "rrf"' in text.splitlines()
    assert tuning_as_json(taken)["chosen"]["settings"] == {"search.fusion": "rrf"}
