"""The rules of the house, executed: sizes, names, words, imports, layers."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import requires
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from glassmind import errors

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "glassmind"
MODULES = sorted(SOURCE.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))

LONGEST_FILE, LONGEST_FUNCTION = 1000, 60

HEAVY = frozenset(
    [
        "mcp",
        "mcp_types",
        "numkong",
        "numpy",
        "onnxruntime",
        "psycopg",
        "rich",
        "starlette",
        "tantivy",
        "tokenizers",
        "uvicorn",
        "watchfiles",
    ]
)
"""Each costs a start more than it may take, unless what it does is asked for."""

HOMES = {
    "mcp": ("surfaces/mcp/", "surfaces/http/"),
    "mcp_types": ("surfaces/mcp/", "surfaces/http/"),
    "tantivy": ("store/lexical/",),
    "numpy": (
        "store/vectors/",
        "store/sqlite/net_rows.py",
        "models/",
        "evaluation/",
        "graph/",
        "knowledge/",
    ),
    "numkong": ("store/vectors/",),
    "onnxruntime": ("models/",),
    "starlette": ("surfaces/http/",),
    "tokenizers": ("models/",),
    "uvicorn": ("surfaces/http/",),
    "watchfiles": ("vault/watch.py",),
}
"""Where a heavy package is imported at the top: those modules are imported late."""

LARGE = {"networkx", "numkong", "pandas", "scipy", "sympy", "torch", "transformers"}
"""Packages that must not be installed by default: see docs/decisions/size.md."""

SQL = re.compile(
    r"\s*(select\s.+\sfrom\s|insert\s+(or\s+\w+\s+)?into\s|update\s+\w+\s+set\s"
    r"|delete\s+from\s|create\s+(table|index)\s|drop\s+(table|index)\s|pragma\s)",
    re.IGNORECASE | re.DOTALL,
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def floor_of(file: Path) -> str:
    """Return where a module stands in the package, such as `store/lexical/`."""
    return file.relative_to(SOURCE).as_posix()


class Outline(NamedTuple):
    """What is asked of any file: whether it says what it is, and its functions."""

    is_silent: bool
    functions: tuple[tuple[str, int, int], ...]
    """Names with their first and last lines."""


class Module(NamedTuple):
    """What is asked of a file of the package; numbers are lines."""

    imports: tuple[tuple[str, int, bool], ...]
    unpromised: tuple[str, ...]
    prints: tuple[int, ...]
    swallows: tuple[int, ...]
    sql: tuple[int, ...]


@cache
def outline_of(file: Path) -> Outline:
    tree = ast.parse(file.read_text("utf-8"))
    found = [(f.name, f.lineno, f.end_lineno or 0) for f in functions_of(tree)]
    return Outline(not ast.get_docstring(tree), tuple(found))


@cache
def module_of(file: Path) -> Module:
    """Read a file once for every rule: its tree is far larger than what is asked."""
    tree = ast.parse(file.read_text("utf-8"))
    nodes = list(ast.walk(tree))
    return Module(
        tuple(imports_of(tree, nodes)),
        tuple(unpromising(tree)),
        tuple(printing(nodes)),
        tuple(swallowing(nodes)),
        tuple(speaking_sql(nodes)),
    )


def functions_of(node: ast.AST) -> Iterator[Function]:
    """Yield the functions; they stand in statements, and those alone are looked at."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        part = getattr(node, name, ())
        for child in part if isinstance(part, list) else ():
            if isinstance(child, Function):
                yield child
            yield from functions_of(child)


def imports_of(
    tree: ast.Module, nodes: Sequence[ast.AST]
) -> Iterator[tuple[str, int, bool]]:
    """Yield the top package of each import, its line, and whether it is inside.

    What only a type checker sees is left out.
    """
    bodies = [range(f.lineno, (f.end_lineno or 0) + 1) for f in functions_of(tree)]
    unseen = {
        id(node)
        for branch in nodes
        if isinstance(branch, ast.If)
        and isinstance(branch.test, ast.Name)
        and branch.test.id == "TYPE_CHECKING"
        for node in ast.walk(branch)
    }
    for node in nodes:
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found = [node.module or ""]
        else:
            continue
        if id(node) in unseen:
            continue
        for name in found:
            inside = any(node.lineno in lines for lines in bodies)
            yield name.partition(".")[0], node.lineno, inside


def docstrings_of(nodes: Sequence[ast.AST]) -> set[int]:
    """Return which constants are docstrings or stand where one would."""
    return {
        id(node.value)
        for node in nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def test_no_file_is_too_long_to_be_read_at_once() -> None:
    lengths = {
        name_of(file): len(file.read_text("utf-8").splitlines())
        for file in (*MODULES, *TESTS)
    }

    assert {name: n for name, n in lengths.items() if n > LONGEST_FILE} == {}


def test_no_function_is_too_long_to_be_read_at_once() -> None:
    long = [
        f"{name_of(file)}:{first} {name}"
        for file in (*MODULES, *TESTS)
        for name, first, last in outline_of(file).functions
        if last - first + 1 > LONGEST_FUNCTION
    ]

    assert long == []


def test_every_module_says_what_lives_in_it() -> None:
    silent = [name_of(f) for f in (*MODULES, *TESTS) if outline_of(f).is_silent]

    assert silent == []


def public_things(node: ast.AST) -> Iterator[Function | ast.ClassDef]:
    """Yield the public classes and functions, methods too, but nothing local."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, Function | ast.ClassDef):
            continue
        if not child.name.startswith("_"):
            yield child
        if isinstance(child, ast.ClassDef) and not child.name.startswith("_"):
            yield from public_things(child)


def unpromising(tree: ast.Module) -> Iterator[str]:
    """Yield what is public and says nothing, with its line."""
    for thing in public_things(tree):
        if not ast.get_docstring(thing):
            yield f"{thing.lineno} {thing.name}"


def test_everything_public_says_what_it_promises() -> None:
    silent = [
        f"{name_of(file)}:{thing}"
        for file in MODULES
        for thing in module_of(file).unpromised
    ]

    assert silent == []


def printing(nodes: Sequence[ast.AST]) -> Iterator[int]:
    """Yield the lines that print."""
    for node in nodes:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "print"
        ):
            yield node.lineno


def test_nothing_is_printed_outside_the_surfaces() -> None:
    found = [
        f"{name_of(file)}:{line}"
        for file in MODULES
        if not floor_of(file).startswith("surfaces/")
        for line in module_of(file).prints
    ]

    assert found == []


def catches_everything(node: ast.ExceptHandler) -> bool:
    kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    return any(
        kind is None
        or (isinstance(kind, ast.Name) and kind.id in {"Exception", "BaseException"})
        for kind in kinds
    )


def swallowing(nodes: Sequence[ast.AST]) -> Iterator[int]:
    """Yield where every error is caught and none raised again."""
    for node in nodes:
        if (
            isinstance(node, ast.ExceptHandler)
            and catches_everything(node)
            and not isinstance(node.body[-1], ast.Raise)  # one that undoes, then raises
        ):
            yield node.lineno


def test_nothing_swallows_every_error_but_a_surface_and_the_edge_of_a_channel() -> None:
    found = [
        f"{name_of(file)}:{line}"
        for file in MODULES
        if not floor_of(file).startswith(("surfaces/", "retrieval/search.py"))
        for line in module_of(file).swallows
    ]

    assert found == []


def speaking_sql(nodes: Sequence[ast.AST]) -> Iterator[int]:
    """Yield the lines of texts that are SQL, prose aside."""
    prose = docstrings_of(nodes)
    for node in nodes:
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in prose
            and SQL.match(node.value)
        ):
            yield node.lineno


def test_sql_is_spoken_in_the_store_alone() -> None:
    found = [
        f"{name_of(file)}:{line}"
        for file in MODULES
        if not floor_of(file).startswith("store/")
        for line in module_of(file).sql
    ]

    assert found == []


def test_the_store_alone_holds_a_database_driver() -> None:
    drivers = {"apsw", "sqlite3", "psycopg", "tantivy"}

    found = [
        f"{name_of(file)}:{line} {package}"
        for file in MODULES
        if not floor_of(file).startswith("store/")
        for package, line, inside in module_of(file).imports
        if package in drivers and not (inside and floor_of(file).startswith("wiring/"))
    ]

    assert found == []


def test_what_is_slow_to_import_is_imported_late_and_where_it_may_be() -> None:
    found = []
    for file in MODULES:
        floor = floor_of(file)
        for package, line, inside in module_of(file).imports:
            if package not in HEAVY:
                continue
            if floor.startswith(HOMES.get(package, ())):
                continue
            if inside and (floor.startswith(("wiring/", "surfaces/"))):
                continue
            found.append(f"{name_of(file)}:{line} {package}")

    assert found == []


def imported_by(*arguments: str) -> set[str]:
    """Return the packages that running Python so imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(SOURCE.parent)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    times = (line for line in done.stderr.splitlines() if line.count("|") == 2)
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in times}


def test_importing_the_package_costs_nothing() -> None:
    found = imported_by("-c", "import glassmind")

    assert found & {*HEAVY, "apsw", "yaml", "pathspec", "asyncio"} == set()


def test_telling_the_version_imports_nothing_heavy() -> None:
    found = imported_by("-m", "glassmind", "--version")

    assert found & {*HEAVY, "apsw", "yaml", "pathspec", "asyncio"} == set()


def test_asking_for_the_engine_imports_no_model_and_no_protocol() -> None:
    found = imported_by("-c", "from glassmind import open_vault")

    assert found & (HEAVY - {"tantivy"}) == set()


def test_every_import_leads_one_way_down() -> None:
    program = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("import-linter is not installed")

    done = subprocess.run(
        [program, "--no-cache"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(SOURCE.parent), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_every_module_at_the_top_has_its_layer() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contract, *_ = pyproject["tool"]["importlinter"]["contracts"]

    named = {
        part.strip(" ()") for layer in contract["layers"] for part in layer.split("|")
    }
    named |= set(contract["exhaustive_ignores"])

    there = {
        path.stem
        for path in SOURCE.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert contract["exhaustive"] is True
    assert there - named - {"__init__"} == set()


def runtime_packages() -> set[str]:
    """Return the names of all packages that a plain installation brings along."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    todo = [Requirement(line) for line in pyproject["project"]["dependencies"]]
    visited = set[tuple[str, str]]()
    while todo:
        needed = todo.pop()
        for extra in ("", *sorted(needed.extras)):
            key = canonicalize_name(needed.name), extra
            if key in visited:
                continue
            visited.add(key)
            for line in requires(needed.name) or ():
                found = Requirement(line)
                if found.marker is None or found.marker.evaluate({"extra": extra}):
                    todo.append(found)
    return {name for name, _ in visited}


def test_no_large_package_comes_with_a_dependency() -> None:
    packages = runtime_packages()

    assert {"onnxruntime", "numpy", "cryptography"} <= packages
    assert not packages & LARGE


def test_no_tracked_file_names_the_machine_it_was_written_on() -> None:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    listed = subprocess.run(
        [git, "ls-files", "-z"], cwd=ROOT, capture_output=True, timeout=60, check=True
    )
    here = {os.fsencode(ROOT)}
    if len(Path.home().parts) > 2:
        here.add(os.fsencode(Path.home()))

    found = [
        name
        for name in listed.stdout.decode().split("\0")
        if name and (ROOT / name).is_file()
        for content in [(ROOT / name).read_bytes()]
        if any(place in content for place in here)
    ]

    assert found == []


def test_every_error_stands_in_the_tree_of_its_module() -> None:
    named = set(re.findall(r"\w+", errors.__doc__ or ""))
    found = {
        name
        for name in {*vars(errors), *errors.__all__}
        for value in [getattr(errors, name)]
        if isinstance(value, type) and issubclass(value, errors.GlassmindError)
    }

    assert {*errors.__all__} < found <= named
