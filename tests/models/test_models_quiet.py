"""Nothing is noted for others, and nothing leaves the machine, when a model runs."""

import ast
import os
import subprocess
import sys
from pathlib import Path

from model_harness import real_models

from glassmind.models.cards import MINILM

ROOT = Path(__file__).parents[2]
SOURCES = [*(ROOT / "src").rglob("*.py"), *(ROOT / "benchmarks").glob("*.py")]

EMBED = """
import sys
from pathlib import Path
from glassmind.models.cards import MINILM
from glassmind.models.embedders import embedder_of
print(len(embedder_of(MINILM, Path(sys.argv[1])).query("who knows")))
"""

SUPPRESS = ("CI", "TF_BUILD", "GITHUB_ACTIONS", "ORT_RUNNING_UNIT_TESTS")
"""Variables that keep ONNX Runtime quiet by themselves: a user has none of them."""


def test_running_a_model_leaves_nothing_in_the_home_folder(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if name not in SUPPRESS}
    kept = {n: v for n, v in kept.items() if not n.startswith(("XDG_", "ORT_"))}

    done = subprocess.run(
        [sys.executable, "-c", EMBED, str(real_models(MINILM))],
        env={**kept, "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert (done.returncode, done.stdout.strip()) == (0, "384"), done.stderr
    assert [found.name for found in home.rglob("*")] == []


def test_the_library_is_imported_in_the_one_place_that_keeps_it_quiet() -> None:
    found = {
        file.name
        for file in SOURCES
        if "onnxruntime" in (text := file.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if (
            isinstance(node, ast.Import)
            and any(a.name.partition(".")[0] == "onnxruntime" for a in node.names)
        )
        or (
            isinstance(node, ast.ImportFrom)
            and (node.module or "").partition(".")[0] == "onnxruntime"
        )
    }

    assert found == {"runtime.py"}
