"""Examining an index: each finding with what to do about it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from glassmind.errors import GlassmindError, IndexAbsent
from glassmind.indexing.run import Workshop
from glassmind.types import NotePath
from glassmind.types.catalogue import Check
from glassmind.vault.scan import scan

REBUILD = "run: glassmind index --rebuild"
UPDATE = "run: glassmind index"


@dataclass(frozen=True, slots=True)
class Bench:
    """What an examination looks through; each returns a finding or raises.

    `rows` returns what is wrong with the database, `words` what is wrong with the word
    index, `behind` how many changes it has yet to apply (None for all). `faults` names
    what goes wrong in any of them.
    """

    folder: Path
    writable: bool
    sqlite_version: str
    network: str
    rows: Callable[[], str | None]
    words: Callable[[], str | None]
    behind: Callable[[], int | None]
    stamps: Callable[[], dict[NotePath, int]]
    holder: Callable[[], str | None]
    faults: Callable[[], AbstractContextManager[None]]
    warnings: tuple[str, ...] = ()


def examine(shop: Workshop, bench: Bench) -> list[Check]:
    """Look at everything, in the order in which one thing rests on another."""
    found: list[Check] = []
    for look in (_config, _vault, _folder, _sqlite, _rows, _words, _drift, _writer):
        try:
            with bench.faults():
                found.extend(look(shop, bench))
        except IndexAbsent:
            found.append(Check("index", "warn", "there is no index yet", UPDATE))
            break
        except GlassmindError as error:
            found.append(Check(look.__name__.strip("_"), "fail", str(error), REBUILD))
    return found


def _config(_shop: Workshop, bench: Bench) -> Iterator[Check]:
    for warning in bench.warnings:
        yield Check("config", "warn", warning, "see: glassmind config show --origin")
    if not bench.warnings:
        yield Check("config", "ok", "every setting is understood")


def _vault(shop: Workshop, _bench: Bench) -> Iterator[Check]:
    rules = shop.ignore_rules()
    seen = scan(shop.root, rules, {}).seen
    yield Check("vault", "ok", f"{shop.root}: {seen:,} files can be read")
    for warning in rules.warnings:
        yield Check("vault", "warn", warning, "mend the rule it names")


def _folder(_shop: Workshop, bench: Bench) -> Iterator[Check]:
    if bench.writable:
        yield Check("index folder", "ok", f"{bench.folder} can be written")
    else:
        yield Check(
            "index folder",
            "warn",
            f"{bench.folder} cannot be written: the index stays as it is",
            "set index.location to a folder you can write",
        )
    if bench.network:
        yield Check(
            "index disk",
            "warn",
            f"{bench.folder} is on a network disk ({bench.network}): slower and safer "
            "journalling is used",
            "set index.location to a folder on this machine's own disk",
        )


def _sqlite(_shop: Workshop, bench: Bench) -> Iterator[Check]:
    parts = tuple(int(part) for part in bench.sqlite_version.split(".")[:3])
    version = f"SQLite {bench.sqlite_version}"
    if parts >= SAFE_SQLITE:
        yield Check("sqlite", "ok", version)
    else:
        yield Check("sqlite", "fail", version, "upgrade it: pip install -U apsw")


SAFE_SQLITE = (3, 51, 3)
"""The first release without the bug that damages a database two processes write."""


def _rows(_shop: Workshop, bench: Bench) -> Iterator[Check]:
    wrong = bench.rows()
    if wrong is None:
        yield Check("index.db", "ok", "every page and passage reads well")
    else:
        yield Check("index.db", "fail", wrong, REBUILD)


def _words(_shop: Workshop, bench: Bench) -> Iterator[Check]:
    wrong = bench.words()
    if wrong is not None:
        yield Check("word index", "fail", wrong, REBUILD)
        return
    behind = bench.behind()
    if behind == 0:
        yield Check("word index", "ok", "every file reads well and is up to date")
    else:
        much = "everything" if behind is None else f"{behind:,} changes"
        yield Check("word index", "warn", f"{much} still to take in", UPDATE)


def _drift(shop: Workshop, bench: Bench) -> Iterator[Check]:
    rules = shop.ignore_rules()
    stamps = bench.stamps()
    found = scan(shop.root, rules, stamps)
    # a stamp of 0 is that of a file indexed just after it was written: not a change
    changed = [file for file in found.changed if stamps.get(file.path) != 0]
    moved = len(changed) + len(found.missing)
    if moved:
        yield Check("freshness", "warn", f"{moved:,} files changed since", UPDATE)
    else:
        yield Check("freshness", "ok", f"{found.seen:,} files are as they were indexed")
    for path in found.unknown[:5]:
        yield Check(
            "freshness", "warn", f"{path} cannot be seen now", "make it readable"
        )


def _writer(_shop: Workshop, bench: Bench) -> Iterator[Check]:
    holder = bench.holder()
    if holder is not None:
        yield Check(
            "writer", "warn", f"{holder} is writing the index now", "wait for it"
        )
    else:
        yield Check("writer", "ok", "nobody is writing the index")
