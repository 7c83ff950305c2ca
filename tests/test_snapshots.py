"""Snapshots of everything that users see: shapes and texts of every surface.

`python tests/test_snapshots.py --update` rewrites the files; see docs/testing.md.
"""

import difflib
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from snapshots import read_shapes
from snapshots.masks import as_json, texts_in, without_texts
from snapshots.play import (
    Played,
    Player,
    Stage,
    ask,
    instructions,
    is_good,
    openapi,
    read_table,
    result_shapes,
    target_of,
)

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="places and units of other systems differ"
)

FOLDER = Path(__file__).parent / "snapshots"
UPDATE = "python tests/test_snapshots.py --update"

WITHOUT_GOOD_CALLS = {"$ mcp", "$ watch", "$ tune", "$ models fetch", "$ models check"}
"""Commands whose good calls do not end, take minutes, or need a model."""

LEAST_CALLS = 2
"""Good calls, and bad calls, that every operation has in the table."""

SURFACES = ("$", ">", "GET", "POST")
"""How lines begin that call something."""

Files = dict[str, str]
"""Snapshot files: content by path below `FOLDER`."""


# What the snapshots contain


def pretty(value: Any) -> str:
    """Return JSON as it is written to snapshot files."""
    return as_json(value) + "\n"


def cli_files(stage: Stage) -> Files:
    """Return arguments and help of every command."""
    commands = read_shapes.cli_commands()
    parts = []
    for name in commands:
        words = [] if name == "glassmind" else name.split(" ")
        done = read_shapes.run_cli([*words, "--help"], env=stage.env, folder=stage.home)
        assert done.code == 0
        parts.append(f"== {' '.join(['glassmind', *words])} --help\n{done.stdout}")
    text = stage.mask("\n".join(parts))
    return {"shapes/cli.json": pretty(commands), "texts/cli_help.txt": text}


def mcp_files(stage: Stage) -> Files:
    """Return schemas and descriptions of every tool, resource template and prompt."""
    shapes: dict[str, Any] = {}
    texts: list[str] = []
    with read_shapes.engine_of(stage.vault, stage.env, "mcp") as engine:
        for toolset in read_shapes.toolsets():
            server = read_shapes.mcp_server(engine, toolset)
            listed = {
                kind: dumped(ask(server, f"{kind}/list", {}))
                for kind in ("tools", "prompts", "resources/templates")
            }
            shapes[toolset] = {
                "tools": by_name(listed["tools"].get("tools", [])),
                "prompts": by_name(listed["prompts"].get("prompts", [])),
                "templates": listed["resources/templates"].get("resourceTemplates"),
            }
            texts += [f"== {toolset}", instructions(server)]
            texts += [f"{at}\n{said}\n" for at, said in texts_in(shapes[toolset])]
    shapes = {name: without_texts(shape) for name, shape in shapes.items()}
    return {
        "shapes/mcp.json": pretty(shapes),
        "texts/mcp.txt": "\n".join(texts) + "\n",
    }


def dumped(result: Any) -> dict[str, Any]:
    """Return a result of the protocol as JSON; empty where the server has no such."""
    if isinstance(result, Exception):
        return {}
    return dict(result.model_dump(mode="json", by_alias=True, exclude_none=True))


def by_name(listed: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what is listed by its name."""
    return {each["name"]: each for each in listed}


def rest_files(stage: Stage) -> Files:
    """Return the OpenAPI document: its shapes, and its texts."""
    document = openapi(stage)
    document["info"].pop("version")
    texts = [f"{place}\n{said}\n" for place, said in texts_in(document)]
    shape = without_texts(document)
    for methods in shape["paths"].values():
        for operation in methods.values():
            answers = operation["responses"].items()
            operation["responses"] = {s: r for s, r in answers if s.startswith("2")}
            operation["errors"] = " ".join(s for s, _ in answers if s[0] != "2")
    return {
        "shapes/rest.json": pretty(shape),
        "texts/rest.txt": stage.mask("\n".join(texts)),
    }


def settings_files(_: Stage) -> Files:
    """Return every setting."""
    return {"shapes/settings.json": pretty(read_shapes.settings())}


def python_files(stage: Stage) -> Files:
    """Return every public Python name."""
    with read_shapes.engine_of(stage.vault, stage.env, "python") as engine:
        names = read_shapes.python_names(engine)
    return {"shapes/python.json": pretty(names)}


def call_files(stage: Stage, group: str) -> Files:
    """Return results, outcomes and texts of the calls of a group of the table."""
    player, name = Player(stage), group.replace(" ", "_")
    played = [player.play(lines) for lines in read_table()[group]]
    results = result_shapes([run for runs in played for run in runs], routes(stage))
    outcomes = "\n".join(outcome_text(runs) for runs in played)
    texts = "\n".join(
        f"{step.line}\n{step.text.rstrip()}\n"
        for runs in played
        for step in runs[0].steps
    )
    return {
        f"shapes/results/{name}.json": pretty(results),
        f"shapes/calls/{name}.txt": outcomes,
        f"texts/calls/{name}.txt": texts,
    }


def outcome_text(runs: list[Played]) -> str:
    """Return how the calls of a sequence ended, and what changed in the vault."""
    lines = []
    for steps in zip(*(run.steps for run in runs), strict=True):
        first, last = steps[0].outcome, steps[-1].outcome
        if not first:
            lines.append(steps[0].line)
            continue
        unlike = "" if last.startswith(first) else f" (without --json: {first})"
        lines += [steps[0].line, f"    {last}{unlike}"]
    changes = list(dict.fromkeys(run.changes for run in runs if run.changes))
    return "\n".join([*lines, *(f"vault:\n{change}" for change in changes), ""])


@cache
def routes(stage: Stage) -> tuple[str, ...]:
    """Return method and path of every REST route."""
    paths = openapi(stage)["paths"].items()
    return tuple(f"{method.upper()} {path}" for path, ways in paths for method in ways)


DECLARED: dict[str, Callable[[Stage], Files]] = {
    "cli": cli_files,
    "mcp": mcp_files,
    "rest": rest_files,
    "settings": settings_files,
    "python": python_files,
}


# Comparing and updating


def compare(files: Files) -> None:
    """Fail with a readable difference where a file is not as it was."""
    differences: list[str] = []
    for path, content in files.items():
        file = FOLDER / path
        before = file.read_text("utf-8") if file.exists() else ""
        differences += difflib.unified_diff(
            before.splitlines(),
            content.splitlines(),
            f"before/{path}",
            f"now/{path}",
            lineterm="",
        )
    if differences:
        shown = "\n".join(differences)
        pytest.fail(f"{shown}\n\nIf you meant to change this: {UPDATE}", pytrace=False)


def update() -> None:
    """Write every snapshot file."""
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(Path(folder))
        files: Files = {}
        for make in DECLARED.values():
            files |= make(stage)
        for group in read_table():
            files |= call_files(stage, group)
    for file in (*FOLDER.glob("shapes/**/*.*"), *FOLDER.glob("texts/**/*.*")):
        if file.relative_to(FOLDER).as_posix() not in files:
            file.unlink()
    for path, content in files.items():
        (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / path).write_text(content, "utf-8", newline="\n")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """The sample vault, indexed once for this module."""
    return Stage(tmp_path_factory.mktemp("snapshots"))


@pytest.mark.parametrize("surface", DECLARED)
def test_what_is_declared_is_unchanged(stage: Stage, surface: str) -> None:
    compare(DECLARED[surface](stage))


@pytest.mark.parametrize("group", read_table())
def test_calls_give_the_same_results(stage: Stage, group: str) -> None:
    compare(call_files(stage, group))


def test_every_operation_has_good_and_bad_calls(stage: Stage) -> None:
    """Counts outcomes in the snapshot files, which the other tests keep true."""
    counts: dict[str, Counter[str]] = {"good": Counter(), "bad": Counter()}
    for group in read_table():
        file = FOLDER / "shapes/calls" / f"{group.replace(' ', '_')}.txt"
        lines = file.read_text("utf-8").splitlines()
        for line, outcome in pairwise(lines):
            if line.split(" ")[0] in SURFACES and outcome.startswith("    "):
                kind = "good" if is_good(outcome.strip()) else "bad"
                counts[kind][target_of(line, routes(stage))] += 1
    operations = {
        *(f"$ {name}" for name in read_shapes.cli_commands() if name != "glassmind"),
        *(f"> {name}" for name in read_shapes.toolset_of()),
        *routes(stage),
    }
    few = {
        f"{target}: {counts[kind][target]} {kind} calls"
        for kind in counts
        for target in operations
        if counts[kind][target] < LEAST_CALLS
        and not (kind == "good" and target in WITHOUT_GOOD_CALLS)
    }
    assert not few, "\n".join(sorted(few))


def test_every_snapshot_file_belongs_to_a_test() -> None:
    groups = [group.replace(" ", "_") for group in read_table()]
    known = {f"shapes/{name}.json" for name in DECLARED} | {
        "texts/cli_help.txt",
        "texts/mcp.txt",
        "texts/rest.txt",
        *(f"shapes/results/{group}.json" for group in groups),
        *(f"shapes/calls/{group}.txt" for group in groups),
        *(f"texts/calls/{group}.txt" for group in groups),
    }
    found = {
        file.relative_to(FOLDER).as_posix()
        for kind in ("shapes", "texts")
        for file in (FOLDER / kind).rglob("*.*")
    }
    assert found == known


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit(f"usage: {UPDATE}")
    update()
