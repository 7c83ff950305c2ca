"""Index one vault in this process and print what it took, as a line of JSON."""

import hashlib
import json
import resource
import sys
import time
from pathlib import Path

from glassmind import open_vault


def read_and_hash(root: Path) -> float:
    """Return the seconds to read and hash every note: a baseline of this machine."""
    began = time.perf_counter()
    for file in root.rglob("*.md"):
        hashlib.sha256(file.read_bytes()).digest()
    return time.perf_counter() - began


def main(vault: Path, place: Path) -> None:
    settings = {"embeddings.backend": "none", "index.location": str(place)}
    # Sparse files of the size test are too large to read.
    read_s = 0.0 if (vault / "Sparse.md").exists() else read_and_hash(vault)
    env = {"HOME": str(place.parent / "home")}
    with open_vault(vault, settings=settings, env=env) as engine:
        began = time.perf_counter()
        report = engine.index()
        index_s = time.perf_counter() - began
        began = time.perf_counter()
        again = engine.index()
        unchanged_s = time.perf_counter() - began
        found = [hit.path for hit in engine.search("oolong").hits]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken = {
        "notes": report.notes,
        "skipped": {skipped.path: skipped.reason for skipped in report.skipped},
        "changed_again": again.added + again.changed + again.moved + again.removed,
        "found": found,
        "read_s": read_s,
        "index_s": index_s,
        "unchanged_s": unchanged_s,
        "peak_mb": peak / (1024 if sys.platform != "darwin" else 1024 * 1024),
    }
    print(json.dumps(taken))  # noqa: T201 - read by the test


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
