"""The table of settings, the page that shows it, and what loading it costs."""

import subprocess
import sys
from pathlib import Path

import pytest

from glassmind.config.describe import reference_tables
from glassmind.config.keys import Key
from glassmind.config.sections import KEYS
from glassmind.config.write import write_config

PAGE = Path(__file__).parents[1] / "docs/configuration.md"

PROBE = """
import sys
from pathlib import Path
from glassmind.config import load_config
load_config(flags={}, env={"HOME": sys.argv[1]}, cwd=Path(sys.argv[1]))
print(*sorted(sys.modules))
"""

EXPENSIVE = ("tomllib", "platformdirs", "difflib", "hashlib", "json", "tempfile")


def test_the_page_shows_every_setting_as_it_is() -> None:
    assert reference_tables() in PAGE.read_text("utf-8"), (
        "docs/configuration.md is not up to date: replace its tables by "
        "glassmind.config.describe.reference_tables()"
    )


@pytest.mark.parametrize("key", KEYS.values(), ids=list(KEYS))
def test_a_setting_explains_itself_in_one_line(key: Key) -> None:
    assert key.doc.endswith(".")
    assert "\n" not in key.doc
    assert "|" not in key.doc


@pytest.mark.parametrize("key", KEYS.values(), ids=list(KEYS))
def test_a_number_has_bounds(key: Key) -> None:
    """A vault may set some of them, and dates and sizes are computed with them."""
    if key.kind in {"count", "number"}:
        assert key.least is not None
        assert key.most is not None


def test_no_variable_means_two_settings() -> None:
    names = [
        name.removeprefix("!")
        for key in KEYS.values()
        for name in (key.variable, *key.aliases)
    ]

    assert len(names) == len(set(names))


@pytest.mark.parametrize("configured", [False, True])
def test_a_plain_start_loads_nothing_expensive(
    tmp_path: Path, configured: bool
) -> None:
    (tmp_path / ".obsidian").mkdir()
    if configured:
        write_config(tmp_path, {"HOME": str(tmp_path)})

    done = subprocess.run(
        [sys.executable, "-c", PROBE, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert not set(EXPENSIVE) & set(done.stdout.split())
