"""docs/reference.md says what the registry says."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_reference_is_up_to_date() -> None:
    script = ROOT / "packaging" / "reference.py"

    done = subprocess.run(
        [sys.executable, str(script), "--check"], timeout=120, check=False
    )

    assert done.returncode == 0, "run: python packaging/reference.py"
