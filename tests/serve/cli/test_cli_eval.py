"""`glassmind eval` and `glassmind tune`, run as a user runs them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli_harness import Inside, Program, with_note, with_sample

from glassmind.evaluation.report import METRICS

OWN, HERON = "Decisions/D-004 Own radio network.md", "Projects/Heron network.md"


@pytest.fixture
def sample(tmp_path: Path) -> Program:
    return Inside(with_sample(tmp_path))


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(f): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


def queries(program: Program, *rows: dict[str, Any]) -> Path:
    file = program.home / "queries.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return file


def test_queries_about_a_vault_are_scored_and_the_vault_is_left_alone(
    sample: Program,
) -> None:
    file = queries(
        sample,
        {"query": "own radio network", "relevant": [OWN], "kind": "name"},
        {"query": "heron network", "relevant": [HERON], "source": [OWN]},
    )
    before = bytes_of(sample.vault)

    found = sample.json("eval", "--queries", file)

    assert found["queries"] == 2
    assert found["gold"] == "queries"
    assert found["hit@5"] == 1.0
    assert all(0 <= found[name] <= 1 for name in METRICS)
    assert found["ci"].keys() == set(METRICS)
    assert found["kinds"]["name"]["queries"] == 1
    assert found["milliseconds"]["p50"] > 0
    assert {"lexical alone", "fusion rrf", "rerank on"} <= found["ablations"].keys()
    assert found["ablations"]["mode fulltext"]["difference"]["ndcg@10"] == 0
    assert bytes_of(sample.vault) == before


@pytest.mark.slow
def test_a_vault_is_asked_about_itself_and_the_copy_is_gone(sample: Program) -> None:
    before = bytes_of(sample.vault)
    wishes = ("--self", "--no-ablations", "--limit-queries", "40")

    done = sample.run("eval", *wishes)
    again = sample.json("eval", *wishes)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("40 questions over 75 notes of a copy of")
    (shown,) = re.findall(r"^default +(\d\.\d{3}) ", done.stdout, re.MULTILINE)
    assert float(shown) == pytest.approx(again["ndcg@10"], abs=0.001)
    assert set(again["kinds"]) == {"anchor", "alias", "heading", "context"}
    assert bytes_of(sample.vault) == before
    places = list((sample.home / ".cache/glassmind/evaluation").iterdir())
    assert [(place / "index").is_dir() for place in places] == [True]
    assert not (places[0] / "vault").exists()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_figures(sample: Program) -> None:
    wishes = ("eval", "--self", "--no-ablations", "--limit-queries", "30")

    first, again, other = (
        sample.json(*wishes, "--seed", seed) for seed in ("1", "1", "2")
    )

    for name in ("milliseconds", "seconds"):
        del first[name], again[name]
    assert first == again
    assert first["ci"] != other["ci"]


def test_what_cannot_be_measured_is_said_in_one_sentence(sample: Program) -> None:
    wrong = queries(sample, {"query": "x", "relevant": ["a.md"]}, {"query": "y"})
    elsewhere = sample.home / "other.jsonl"
    elsewhere.write_text('{"query": "x", "relevant": ["Nowhere.md"]}\n', "utf-8")

    for arguments, sentence in [
        (("--queries", wrong), "queries.jsonl:2 cannot be used"),
        (("--queries", elsewhere), "none of the notes it names is in"),
        ((), "give --queries or --self"),
        (("--self", "--queries", wrong), "cannot be used together"),
        (("--self", "--preset", "a", "--model", "b"), "cannot be used together"),
        (("--self", "--seed", "-5"), "--seed must be 0 or more (got -5)"),
    ]:
        done = sample.run("eval", *arguments)

        assert done.returncode == 2, done.stderr
        assert sentence in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("backend", "sentence"),
    [("onnx", "no model is called 'bogus'"), ("none", "embeddings.backend is none")],
)
def test_no_figures_are_told_for_a_model_that_was_not_asked(
    sample: Program, backend: str, sentence: str
) -> None:
    sample.run("index")

    done = sample.run(
        "eval", "--self", "--model", "bogus", GLASSMIND_EMBEDDINGS_BACKEND=backend
    )

    assert done.returncode == 5
    assert f"nothing was measured: {sentence}" in done.stderr
    assert done.stdout == ""


def test_notes_that_are_not_there_are_told_and_count_as_missed(sample: Program) -> None:
    (sample.vault / ".glassmindignore").write_text(f"{HERON}\n", "utf-8")
    wishes = ("eval", "--no-ablations", "--queries")
    gone = ["Nowhere.md", "Never/Was.md"]
    there = {"query": "own radio network", "relevant": [OWN]}

    whole = sample.json(*wishes, queries(sample, there))
    one = sample.json(*wishes, queries(sample, {**there, "relevant": [OWN, HERON]}))
    more = sample.json(
        *wishes,
        queries(
            sample, {**there, "relevant": [OWN, *gone]}, {**there, "exclude": gone}
        ),
    )

    assert (whole["notices"], whole["recall@100"]) == ([], 1.0)
    assert one["notices"] == [
        f"1 relevant note is not in the index and counts as missed: {HERON}"
    ]
    assert one["recall@100"] == 0.5
    assert more["notices"] == [
        "2 relevant notes are not in the index and count as missed: Never/Was.md, ..."
    ]


def test_a_vault_with_nothing_to_ask_says_so(tmp_path: Path) -> None:
    program = Inside(with_note(tmp_path, "Oolong.\n"))

    done = program.run("eval", "--self")

    assert done.returncode == 2
    assert "no links, aliases or headings" in done.stderr


@pytest.mark.slow
def test_tuning_by_words_alone_changes_nothing_and_says_why(sample: Program) -> None:
    found = sample.json("tune", "--limit-queries", "60", "--quiet")

    assert found["accepted"] is False
    assert found["reason"]
    assert found["queries"] == 60
    assert found["current"]["name"] == "in force"
    assert len(found["tried"]) > 2
    assert found["file"] == ""
    assert not sample.settings.exists()


def test_tuning_refuses_a_vault_that_says_too_little(tmp_path: Path) -> None:
    program = Inside(with_note(tmp_path, "# Tea\n\n## How it is grown\n\nSlowly.\n"))

    done = program.run("tune")

    assert done.returncode == 2
    assert "give 1 queries; 50 are needed" in done.stderr


def test_tuning_refuses_a_limit_that_leaves_too_little(sample: Program) -> None:
    done = sample.run("tune", "--limit-queries", "40")

    assert done.returncode == 2
    assert "--limit-queries 40 is too low; 50 are needed" in done.stderr
    assert "the vault's own links" not in done.stderr
    assert not (sample.home / ".cache/glassmind/evaluation").exists()
