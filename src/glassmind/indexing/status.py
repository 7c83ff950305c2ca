"""What is current of an index: how far rows, words and vectors have come."""

import os
from collections.abc import Iterator
from pathlib import Path

from glassmind.errors import ModelFault
from glassmind.indexing.checkup import Bench
from glassmind.types.catalogue import Status

PARTS = {"index.db": ("index.db",), "words": ("lexical",), "vectors": ("vectors",)}
"""What the size of each part is made of, by the beginning of names in its folder."""


def status_of(bench: Bench) -> Status:
    """Return what is current, without reading the vault.

    Raises:
        IndexAbsent: nothing is indexed yet.
    """
    vectors = bench.vectors
    known = vectors.known()
    space = known.answering()
    notices = [*bench.notices]
    others = [one.name for one in known.spaces() if space and one.id != space.id]
    if vectors.chosen:
        try:
            vectors.model()
            foreign = vectors.foreign(space) if space and not others else None
            notices += [foreign] if foreign else []
        except ModelFault as error:
            notices.append(f"words and links only: {error}")
    notices += [f"{name} is being embedded; until it is complete, the one before "
                "it answers" for name in others]  # fmt: skip
    notices += vectors.dismissals().problems
    ledger = bench.ledger()
    notices += [ledger.finding] if ledger and ledger.state != "ok" else []
    notes, chunks = bench.counts()
    return Status(
        notes=notes,
        chunks=chunks,
        words_behind=bench.behind(),
        model=vectors.chosen,
        space=space.name if space else "",
        coverage=known.coverage(space, vectors.least_chars),
        vectors_behind=vectors.behind() if space else 0,
        writing=bench.holder() or "",
        embedding=vectors.holder() or "",
        sizes={name: _size(bench.folder, heads) for name, heads in PARTS.items()},
        folder=str(bench.folder),
        notices=tuple(notices),
        watch=bench.watch(),
        resident=bench.resident() or "",
        pairs=vectors.pairs(),
        llm=bench.writes,
        hindsight=bench.recalls,
        secrets=bench.secrets(),
    )


def _size(folder: Path, heads: tuple[str, ...]) -> int:
    return sum(_sizes(folder, heads))


def _sizes(folder: Path, heads: tuple[str, ...]) -> Iterator[int]:
    """Yield the sizes of files; a writer may take some away meanwhile."""
    for top in sorted(folder.iterdir()):
        if not top.name.startswith(heads) or ".broken-" in top.name:
            continue
        files = [Path(place, n) for place, _, names in os.walk(top) for n in names]
        for file in files if top.is_dir() else [top]:
            try:
                yield file.stat().st_size
            except FileNotFoundError:
                continue
