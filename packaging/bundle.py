"""Pack this project as a bundle that Claude Desktop and others install by a click.

    python packaging/bundle.py [FOLDER]

writes glassmind-VERSION.mcpb into a folder (`dist` unless said) and prints where. It
holds the source and what it needs by name; uv fetches that when it is first started.
Equal sources give equal bytes.
"""

# ruff: noqa: INP001 - a script, no package

import json
import re
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
OURS = ROOT / "packaging" / "mcpb"

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first moment that a zip can tell: when something was packed is of no use."""

PROJECT = """\
[build-system]
requires = {requires}
build-backend = "hatchling.build"

[project]
name = "glassmind"
version = {version}
requires-python = {python}
dependencies = {dependencies}

[project.scripts]
glassmind = "glassmind.__main__:main"

[tool.hatch.build.targets.wheel]
packages = ["src/glassmind"]
"""
"""What uv has to know; the whole file would have it weigh what only developers need."""


def version() -> str:
    """Return the release, as the source names it."""
    text = (ROOT / "src/glassmind/version.py").read_text("utf-8")
    found = re.search(r'__version__ = "(.+)"', text)
    return found[1] if found else ""


def pack(folder: Path) -> Path:
    """Write the bundle into a folder and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    bundle = folder / f"glassmind-{version()}.mcpb"
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, content in sorted(contents()):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            packed.writestr(entry, content)
    return bundle


def contents() -> Iterator[tuple[str, bytes]]:
    """Yield what is packed, by the names that it has in the bundle."""
    for name in ("manifest.json", "server.py"):
        yield name, (OURS / name).read_bytes()
    yield "LICENSE", (ROOT / "LICENSE").read_bytes()
    yield "pyproject.toml", project().encode()
    for file in (ROOT / "src/glassmind").rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts:
            yield file.relative_to(ROOT).as_posix(), file.read_bytes()


def project() -> str:
    """Return the description of this project that uv is given."""
    known = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return PROJECT.format(
        requires=json.dumps(known["build-system"]["requires"]),
        version=json.dumps(version()),
        python=json.dumps(known["project"]["requires-python"]),
        dependencies=json.dumps(known["project"]["dependencies"], indent=2),
    )


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist"
    sys.stdout.write(f"{pack(place)}\n")
