"""The examples of docs/python.md run, one after the other, on the sample vault."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "python.md"


def test_every_example_runs_and_prints_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = PAGE.read_text("utf-8")
    examples = list(
        re.finditer(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    )
    shutil.copytree(ROOT / "sample-vault", tmp_path / "Documents" / "Notes")
    (tmp_path / "none.toml").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("GLASSMIND_CONFIG", str(tmp_path / "none.toml"))
    monkeypatch.setenv("GLASSMIND_INDEX_LOCATION", str(tmp_path / "index"))
    monkeypatch.setenv("GLASSMIND_EMBEDDINGS_BACKEND", "none")
    names: dict[str, Any] = {}
    silent = []

    try:
        for example in examples:
            line = page.count("\n", 0, example.start(1))
            code = compile("\n" * line + example[1], str(PAGE), "exec")
            exec(code, names)  # noqa: S102 - the examples of our own page
            if example is examples[0]:
                names["engine"].index()
            if "print(" in example[1] and not capsys.readouterr().out.strip():
                silent.append(line + 1)
    finally:
        if "engine" in names:
            names["engine"].close()

    assert len(examples) * 2 == page.count("```")  # all are Python
    assert silent == []
