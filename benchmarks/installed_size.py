"""Disk space that `pip install .` takes: each package, and the total against a bar.

    python benchmarks/installed_size.py [--most MB] [--extra NAME]

It makes a virtual environment in a temporary folder and installs glassmind from this
checkout with its runtime dependencies, so pip needs a package index. pip and setuptools
are not counted. Exit code 1: the total is above the bar.
"""

import argparse
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping
from importlib.metadata import distributions
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
MOST_MB = 330
"""docs/decisions/size.md has figures for each platform, all below 300 MB."""

SHOWN_MB = 0.95
TOOLS = {"pip", "setuptools"}


def install(folder: Path, extra: str) -> Path:
    """Install glassmind in a new virtual environment; return its site-packages."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    target = f"{SOURCE}[{extra}]" if extra else str(SOURCE)
    subprocess.run([python, "-m", "pip", "install", "--quiet", target], check=True)
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    found = subprocess.run(
        [python, "-c", where], check=True, capture_output=True, text=True
    )
    return Path(found.stdout.strip())


def megabytes(file: Path) -> float:
    """Return the disk space of a file, or its length where that is not known."""
    status = file.stat()
    blocks = getattr(status, "st_blocks", None)
    used = status.st_size if blocks is None else 512 * blocks
    return used / 2**20


def sizes(site_packages: Path) -> Mapping[str, float]:
    """Return the megabytes of each installed package, the largest first."""
    found = {
        package.name: sum(
            megabytes(Path(str(file.locate())))
            for file in package.files or ()
            if file.parts[0] != ".."  # scripts, outside site-packages
        )
        for package in distributions(path=[str(site_packages)])
        if package.name not in TOOLS
    }
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def main() -> int:
    """Print the table; return 1 if the total is above the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=float, default=MOST_MB, help="bar, in MB")
    parser.add_argument("--extra", default="", help="install this extra as well")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="glassmind-size-") as folder:
        found = sizes(install(Path(folder), options.extra))
    small = [size for size in found.values() if size < SHOWN_MB]
    for name, size in found.items():
        if size >= SHOWN_MB:
            print(f"{name:<28}{size:>8.1f}")
    print(f"{f'{len(small)} packages below 1 MB':<28}{sum(small):>8.1f}")
    total = sum(found.values())
    state = "ok" if total <= options.most else "MISSED"
    print(f"{'total MB':<28}{total:>8.1f}  <= {options.most:g}  {state}")
    return int(total > options.most)


if __name__ == "__main__":
    sys.exit(main())
