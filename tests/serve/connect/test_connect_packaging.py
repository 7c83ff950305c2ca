"""What registries and hosts are told of this project agrees with the project."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from cli_harness import LIMIT_S, with_note
from clients_harness import Clients

from glassmind.serve.mcp.toolsets import tools_of
from glassmind.version import __version__

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SERVER = json.loads((ROOT / "server.json").read_bytes())
MANIFEST = json.loads((ROOT / "packaging/mcpb/manifest.json").read_bytes())

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

INPUT = {"description", "isRequired", "format", "value", "default", "placeholder"}
"""Fields of an argument that we use, of those that the schema has."""


REACH = ("UV_", "SSL_", "HTTPS_PROXY")
"""Variables by which uv may reach what it fetches."""


def packed(folder: Path) -> Path:
    """Pack the bundle as `./run bundle` does."""
    command = [sys.executable, str(ROOT / "packaging/bundle.py"), str(folder)]
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", timeout=LIMIT_S, check=True
    )
    return Path(done.stdout.strip())


def test_the_registry_is_told_of_this_release_by_the_name_in_the_readme() -> None:
    (package,) = SERVER["packages"]
    readme = (ROOT / "README.md").read_text("utf-8")

    assert SERVER["version"] == package["version"] == __version__
    assert package["identifier"] == PROJECT["name"]
    assert f"mcp-name: {SERVER['name']}" in readme
    assert SERVER["name"].partition("/")[2] == PROJECT["name"]


def test_what_the_registry_is_told_is_as_its_schema_wants_it() -> None:
    (package,) = SERVER["packages"]

    assert SERVER["$schema"] == SCHEMA
    assert SERVER.keys() == {
        "$schema", "name", "title", "description", "version", "packages",
    }  # fmt: skip
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", SERVER["name"])
    assert 3 <= len(SERVER["name"]) <= 200
    assert 1 <= len(SERVER["title"]) <= 100
    assert 1 <= len(SERVER["description"]) <= 100
    assert re.fullmatch(r"\d+\.\d+\.\d+", SERVER["version"])
    assert package.keys() == {
        "registryType", "identifier", "version", "runtimeHint", "transport",
        "packageArguments",
    }  # fmt: skip
    assert (package["registryType"], package["runtimeHint"]) == ("pypi", "uvx")
    assert package["transport"] == {"type": "stdio"}
    for argument in package["packageArguments"]:
        known = INPUT | {"type"}
        if argument["type"] == "named":
            assert argument["name"].startswith("--")
            known |= {"name"}
        else:
            assert argument["type"] == "positional"
            assert "value" in argument
        assert argument.keys() <= known
        assert argument.get("format", "string") in {"string", "filepath"}


def test_the_manifest_of_the_bundle_names_this_release_and_its_tools() -> None:
    tools = {one["name"] for one in MANIFEST["tools"]}

    assert (MANIFEST["name"], MANIFEST["version"]) == ("glassmind", __version__)
    assert tools == {tool.name for tool in tools_of(["core"])}
    runtimes = MANIFEST["compatibility"]["runtimes"]
    assert runtimes == {"python": PROJECT["requires-python"]}
    asked = " ".join(MANIFEST["server"]["mcp_config"]["args"])
    named = set(re.findall(r"\$\{user_config\.(\w+)\}", asked))
    assert named == MANIFEST["user_config"].keys()


def test_the_bundle_holds_the_source_and_what_it_needs(tmp_path: Path) -> None:
    made = packed(tmp_path)

    assert made.name == f"glassmind-{__version__}.mcpb"
    with zipfile.ZipFile(made) as bundle:
        names = set(bundle.namelist())
        project = tomllib.loads(bundle.read("pyproject.toml").decode())["project"]
    assert {"manifest.json", "server.py", "src/glassmind/__main__.py"} <= names
    assert "src/glassmind/search/strangers.txt" in names
    assert not [name for name in names if "__pycache__" in name]
    assert project["dependencies"] == PROJECT["dependencies"]
    assert project["version"] == __version__


@pytest.mark.slow
def test_the_official_judge_passes_the_bundle_which_is_the_same_each_time(
    tmp_path: Path,
) -> None:
    clients = Clients(tmp_path)
    manifest = ROOT / "packaging/mcpb/manifest.json"
    made, again = packed(tmp_path / "a"), packed(tmp_path / "b")

    judged = clients.run("mcpb", "validate", str(manifest))
    unpacked = clients.run("mcpb", "unpack", str(made), "here")
    repacked = clients.run("mcpb", "pack", "here", "again.mcpb")

    assert made.read_bytes() == again.read_bytes()
    assert judged.returncode == 0, judged.stdout + judged.stderr
    assert "passes" in judged.stdout
    assert unpacked.returncode == 0, unpacked.stderr
    assert repacked.returncode == 0, repacked.stdout + repacked.stderr
    assert (tmp_path / "again.mcpb").is_file()


@pytest.mark.slow
def test_an_unpacked_bundle_serves_its_tools_by_uv(tmp_path: Path) -> None:
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("NOT TESTED: uv is missing; run: pip install uv")
    program = with_note(tmp_path)
    place = tmp_path / "bundle"
    with zipfile.ZipFile(packed(tmp_path)) as bundle:
        bundle.extractall(place)
    reach = {key: os.environ[key] for key in os.environ if key.startswith(REACH)}
    env = {**program.env, **reach}
    fetched = subprocess.run(
        [uv, "sync", "-q", "--directory", place], env=env, check=False
    )
    if fetched.returncode:
        pytest.skip("NOT TESTED: uv could not fetch what the bundle needs")
    known = {"__dirname": str(place), "user_config.vault": str(program.vault)}
    words = [filled(word, known) for word in MANIFEST["server"]["mcp_config"]["args"]]

    with subprocess.Popen(
        [uv, *words],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    ) as started:
        tools = tools_listed(started)

    assert tools == {tool.name for tool in tools_of(["core"])}


def filled(word: str, known: dict[str, str]) -> str:
    """Return a word of a manifest with what a host puts into it."""
    usual = {f"user_config.{k}": v.get("default") for k, v in CHOICES.items()}
    for name, value in {**usual, **known}.items():
        word = word.replace(f"${{{name}}}", str(value))
    return word


CHOICES: dict[str, dict[str, Any]] = MANIFEST["user_config"]


def tools_listed(started: "subprocess.Popen[str]") -> set[str]:
    """Ask a server for the names of its tools, and let it go."""
    who = {"name": "tests", "version": "1"}
    said = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": who}
    asked: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": said},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    ]
    assert started.stdin is not None
    assert started.stdout is not None
    for message in asked:
        started.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    started.stdin.flush()
    listed = next(
        load for load in map(json.loads, started.stdout) if load.get("id") == 2
    )
    started.stdin.close()
    started.wait(LIMIT_S)
    return {tool["name"] for tool in listed["result"]["tools"]}
