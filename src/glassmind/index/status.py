"""What is current of an index: how far rows, words and vectors have come."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from glassmind.errors import ModelFault
from glassmind.index.checkup import Bench
from glassmind.index.checkup_vectors import VectorBench
from glassmind.model.catalogue import Status
from glassmind.model.vectors import Space

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
    models = _compared(vectors, space)
    notices = [*bench.notices, *models.notices]
    notices += vectors.dismissals().problems
    access_log = bench.access_log()
    notices += [access_log.finding] if access_log and access_log.state != "ok" else []
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
        sizes={name: _size(bench.folders, heads) for name, heads in PARTS.items()},
        folder=str(bench.folders[0]),
        notices=tuple(notices),
        watch=bench.watch(),
        daemon=bench.daemon() or "",
        pairs=vectors.pairs(),
        llm=bench.writes,
        hindsight=bench.recalls,
        secrets=bench.secrets(),
        former=models.former,
        lacks_model=models.lacking,
    )


class _Models(NamedTuple):
    """Whether other settings made what answers, or no model can be used."""

    notices: Sequence[str] = ()
    former: bool = False
    lacking: bool = False


def _compared(bench: VectorBench, space: Space | None) -> _Models:
    if not bench.chosen:
        return _Models()
    try:
        model = bench.model()
        foreign = bench.foreign(space) if space else None
    except ModelFault as error:
        begun = _begun(bench, space, "") if space else []
        former = space is not None and bench.former(space)
        notices = [f"words and links only: {error}", *begun]
        return _Models(notices, former, lacking=True)
    if space is None:
        return _Models()
    knows = foreign is not None or model.space == space.name
    begun = _begun(bench, space, model.space if knows else "")
    # who embeds makes what is asked for, and nobody need run anything
    advice = [foreign] if foreign and not (begun and bench.holder()) else []
    return _Models([*advice, *begun], foreign is not None)


def _begun(bench: VectorBench, space: Space, wanted: str) -> list[str]:
    """Return what to say of spaces beside the one that answers.

    `wanted` names the one that the settings ask for; it is empty where none is known.
    """
    others = [one for one in bench.known().spaces() if one.id != space.id]
    if bench.holder() is None:
        return [said for one in others if (said := _left(bench, one, wanted))]
    if wanted == space.name:  # what is left of others goes at the end of the pass
        return []
    chosen = [one for one in others if one.name == wanted] or others[-1:]
    return [
        f"{one.name} is being embedded, {_much(bench, one)} by now; until it is "
        "complete, the one before it answers"
        for one in chosen
    ]


def _left(bench: VectorBench, space: Space, wanted: str) -> str:
    """Return what to say of a space that nobody embeds; empty where it has nothing."""
    said = f"{space.name} was begun and not completed, {_much(bench, space)}"
    if wanted in {"", space.name}:
        return f"{said}; run: glassmind index"
    if not bench.known().has_vectors(space):
        return ""
    return f"{said}; it is not asked for any more, and glassmind index takes it away"


def _much(bench: VectorBench, space: Space) -> str:
    coverage = bench.known().coverage(space, bench.least_chars)
    return f"{coverage.covered:,} of {coverage.total:,} passages"


def _size(folders: Sequence[Path], heads: tuple[str, ...]) -> int:
    return sum(size for folder in folders for size in _sizes(folder, heads))


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
