"""Where measuring keeps its indexes: in the user's cache, apart from their own index.

Each set and model has a folder of its own, so a second run embeds nothing anew.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import platformdirs

from glassmind.config.places import APP
from glassmind.errors import IndexUnwritable
from glassmind.evaluation.copies import remove
from glassmind.store.lock import WriterLock
from glassmind.store.place import index_name

WAIT_S = 5.0
"""How long another measurement of the same set is waited for: it takes minutes."""


def cache_home() -> Path:
    """Return the folder below which every measured set has its place."""
    return Path(platformdirs.user_cache_dir(APP, appauthor=False), "evaluation")


@contextmanager
def place_for(source: Path, gold: str, model: str, *, fresh: bool) -> Iterator[Path]:
    """Yield the folder of a set and hold it for this process; `fresh` empties it.

    Raises:
        IndexBusy: another process measures the same set.
        IndexUnwritable: the cache cannot be written.
    """
    key = sha256(f"{gold}\n{model}".encode()).hexdigest()[:8]
    folder = cache_home() / f"{index_name(source)}-{key}"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise IndexUnwritable(str(folder), error.strerror or str(error)) from error
    with WriterLock(folder / "lock") as lock:
        lock.acquire(timeout_s=WAIT_S)
        if fresh:
            for part in folder.iterdir():
                remove(part)
        yield folder
