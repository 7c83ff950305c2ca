"""The parser and the resolver against what Obsidian was seen or documented to do."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from glassmind.files.names import Names
from glassmind.model import NotePath
from glassmind.model.notes import Link
from glassmind.obsidian.notes import parse_note

TESTS = Path(__file__).parents[1]
SHARED_CASES = TESTS.parent.parent / "shared" / "spec" / "vectors" / "ofm-cases.json"
FACTS: dict[str, list[Any]] = json.loads(
    (TESTS / "vectors" / "ofm.json").read_text(encoding="utf-8")
)
NOTE = NotePath("Note.md")


def parts_of(link: Link) -> dict[str, Any]:
    return {
        "path": link.target,
        "subpath": link.subpath,
        "display": link.display,
        "embed": link.embed,
    }


@pytest.mark.parametrize(("text", "expected"), FACTS["link.parse"])
def test_a_link_has_the_parts_obsidian_gives_it(
    text: str, expected: dict[str, Any] | None
) -> None:
    links = parse_note(NOTE, text).links

    if expected is None:
        assert links == ()
    else:
        [link] = links
        assert parts_of(link) | expected == parts_of(link)


@pytest.mark.parametrize(
    ("files", "source", "text", "expected"),
    [
        (case["files"], *link)
        for case in FACTS["link.resolve"]
        for link in case["links"]
    ],
)
def test_a_link_leads_where_obsidian_takes_it(
    files: list[str], source: str, text: str, expected: str | None
) -> None:
    [link] = parse_note(NotePath(source), text).links

    found = Names.of(files).resolve(
        link.target, NotePath(source), markdown=link.kind == "markdown"
    )

    assert found == expected


@pytest.mark.parametrize(("text", "expected"), FACTS["tags.inline"])
def test_text_has_the_tags_obsidian_sees_in_it(text: str, expected: list[str]) -> None:
    assert [tag.name for tag in parse_note(NOTE, text).tags] == expected


@pytest.mark.parametrize(("text", "expected"), FACTS["frontmatter"])
def test_frontmatter_says_what_obsidian_reads(
    text: str, expected: dict[str, Any] | bool
) -> None:
    note = parse_note(NOTE, text)

    if isinstance(expected, bool):
        assert (note.frontmatter.end > 0) is expected
    else:
        found = dict(note.frontmatter.properties)
        found["tags"] = [tag.name for tag in note.tags]
        found["aliases"] = list(note.aliases)
        assert found | expected == found


def test_the_shared_cases_all_pass() -> None:
    if not SHARED_CASES.exists():
        pytest.skip(f"the shared cases are not here: {SHARED_CASES.name}")

    run = subprocess.run(
        [sys.executable, TESTS / "conformance" / "run_vectors.py", SHARED_CASES],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    passed, _, total = run.stdout.splitlines()[-1].removeprefix("total ").partition("/")
    assert passed == total


def test_a_case_that_fails_is_named_and_fails_the_run(tmp_path: Path) -> None:
    file = tmp_path / "cases.json"
    wrong = {"id": "x/1", "area": "tags.inline", "input": "#a", "expected": ["b"]}
    right = {
        "id": "x/2",
        "area": "link.parse",
        "input": "[[a]]",
        "expected": {"path": "a"},
    }
    file.write_text(json.dumps({"meta": {}, "cases": [wrong, right]}), encoding="utf-8")

    run = subprocess.run(
        [sys.executable, TESTS / "conformance" / "run_vectors.py", file],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert run.returncode == 1
    assert run.stdout.splitlines() == ["tags.inline 0/1", "link.parse 1/1", "total 1/2"]
    assert "x/1" in run.stderr
