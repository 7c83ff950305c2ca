"""The table of settings, the page that shows it, and what loading it costs."""

import subprocess
import sys
from pathlib import Path

import pytest
from settings_tables import reference_tables

from glassmind.config.settings import SETTINGS
from glassmind.config.values import INTEGER, NUMBER, Setting
from glassmind.config.write import write_config

PAGE = Path(__file__).parents[2] / "docs/configuration.md"

PROBE = """
import sys
from pathlib import Path
from glassmind.config import load_config
load_config(flags={}, env={"HOME": sys.argv[1]}, cwd=Path(sys.argv[1]))
print(*sorted(sys.modules))
"""

EXPENSIVE = ("tomlkit", "platformdirs", "difflib", "hashlib", "tempfile")


def test_the_page_shows_every_setting_as_it_is() -> None:
    assert reference_tables() in PAGE.read_text("utf-8"), (
        "docs/configuration.md is not up to date: replace its tables by "
        "settings_tables.reference_tables()"
    )


@pytest.mark.parametrize("key", SETTINGS.values(), ids=list(SETTINGS))
def test_a_setting_explains_itself_in_one_line(key: Setting) -> None:
    assert key.description.endswith(".")
    assert "\n" not in key.description
    assert "|" not in key.description


@pytest.mark.parametrize("key", SETTINGS.values(), ids=list(SETTINGS))
def test_a_number_has_bounds(key: Setting) -> None:
    """A vault may set some of them, and dates and sizes are computed with them."""
    if key.kind in {INTEGER, NUMBER}:
        assert key.bounds is not None


def test_no_variable_means_two_settings() -> None:
    names = [
        name.removeprefix("!")
        for key in SETTINGS.values()
        for name in (key.variable, *key.aliases)
    ]

    assert len(names) == len(set(names))


@pytest.mark.parametrize("configured", [False, True])
def test_a_plain_start_loads_nothing_expensive(
    tmp_path: Path, configured: bool
) -> None:
    (tmp_path / ".obsidian").mkdir()
    if configured:
        file = tmp_path / ".config/glassmind/glassmind.toml"
        write_config(file, tmp_path)

    done = subprocess.run(
        [sys.executable, "-c", PROBE, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    loaded = set(done.stdout.split())
    assert not set(EXPENSIVE) & loaded
    assert ("tomllib" in loaded) == configured
