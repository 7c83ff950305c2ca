"""The runner of conformance cases bears odd cases and odd files."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

RUNNER = Path(__file__).with_name("run_vectors.py")
RIGHT = {"id": "ok", "area": "tags.inline", "input": "#a", "expected": ["a"]}


def run_on(file: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, RUNNER, file],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def run_cases(folder: Path, *cases: Any) -> subprocess.CompletedProcess[str]:
    file = folder / "cases.json"
    file.write_text(json.dumps({"cases": cases}), encoding="utf-8")
    return run_on(file)


@pytest.mark.parametrize(
    ("odd", "area"),
    [
        ({**RIGHT, "id": "x", "input": None}, "tags.inline"),
        ({"id": "x", "area": "link.parse", "input": "[[a]]"}, "link.parse"),
        ({"id": "x", "area": "link.resolve", "input": "a", "expected": 1}, None),
        ({"id": "x", "area": "weather", "input": "a", "expected": "a"}, "weather"),
        ({"id": "x", "input": "a"}, "odd"),
        ("no case", "odd"),
    ],
)
def test_an_odd_case_fails_alone(tmp_path: Path, odd: Any, area: str | None) -> None:
    done = run_cases(tmp_path, odd, RIGHT)

    assert done.returncode == 1
    assert done.stdout.endswith("total 1/2\n")
    assert area is None or f"{area} " in done.stdout
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("content", [None, b"{", b"\xff", b"[]", b'{"cases": 1}'])
def test_a_bad_file_is_one_line(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "cases.json"
    if content is not None:
        file.write_bytes(content)

    done = run_on(file)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "holds no cases" in done.stderr


def test_of_several_links_any_may_be_the_one_expected(tmp_path: Path) -> None:
    text = "[[a]] and [[b]]"
    parsed = {"area": "link.parse", "input": text, "expected": {"path": "b"}}
    led: dict[str, Any] = {"area": "link.resolve", "input": text, "expected": "b.md"}
    led |= {"source_path": "n.md", "vault": ["b.md"]}
    neither = {**parsed, "expected": {"path": "c"}}

    done = run_cases(tmp_path, parsed, led, neither)

    assert done.stdout.splitlines() == [
        "link.parse 1/2",
        "link.resolve 1/1",
        "total 2/3",
    ]
