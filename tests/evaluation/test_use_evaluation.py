"""Measuring is no use: nothing that an evaluation asks goes on record."""

import json
from pathlib import Path

from cli_harness import Inside, with_index


def test_what_eval_asks_goes_on_no_record(tmp_path: Path) -> None:
    program = Inside(with_index(tmp_path))
    program.env["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    queries = tmp_path / "queries.jsonl"
    said = {"query": "river gauge", "relevant": ["Home.md"]}
    queries.write_text(json.dumps(said), "utf-8")

    done = program.run("eval", "--queries", queries)

    assert done.returncode == 0, done.stderr
    assert "1 question over 75 notes" in done.stdout
    assert not list(tmp_path.rglob("use*.jsonl"))
