"""What it costs not to see every note, against the owner of the same vault.

    python benchmarks/access.py [--notes N] [--turns N] [--vault FOLDER]

With `--vault`, only keyword search is measured, on a copy of that vault. Each query is
the title of a note and is sent once, so that few word statistics are known before.

A twentieth of the notes is private. Each verb is asked by the owner, by an agent, who
sees all others, and by a client, who may read a few folders. They take turns, so that a
busy machine is busy for all. The first search after a change has to take in what
changed: a note is written and indexed before each. Exits with 1 where a bar is missed.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path

import vaults
from embedding import Ratio

from glassmind import Engine, open_vault
from glassmind.access.scopes import read_scope
from glassmind.model.access import EVERY_AGENT

NOTES, TURNS, AT_ONCE = 5_000, 15, 10
EVERY = 20
"""One note of so many is private."""

SCOPE = [f"folder:area {number}" for number in range(8)]
"""What the client may read: 8 of 40 folders."""

MOST, MOST_OF_FEW, MOST_FIRST = 2.0, 3.0, 5.0
"""How many times the owner's time each may take; a search of a client, whose words may
stand in no note of his, so that others like them are looked for; and the first search
after a change, where what changed is judged and the word index told of it."""

MOST_OF_VAULT = (2.5, 5.0)
"""The same for keyword search with `--vault`, agent and client: each query is new, and
most words that the client asks for are in no note it can see."""

Work = Callable[[Engine, int], object]


def written(root: Path, notes: int) -> list[str]:
    """Write a vault of which a part is private; return where the others stand."""
    vaults.write_vault(root, notes)
    return with_private_notes(root)


def with_private_notes(root: Path) -> list[str]:
    """Make a part of a vault private; return the paths of the other notes."""
    open_notes = []
    for number, file in enumerate(sorted(root.rglob("*.md"))):
        if number % EVERY:
            open_notes.append(file.relative_to(root).as_posix())
            continue
        text = file.read_text("utf-8")
        if text.startswith("---\n"):
            file.write_text(f"---\nprivate: true\n{text[4:]}", "utf-8")
        else:
            file.write_text(f"---\nprivate: true\n---\n{text}", "utf-8")
    return open_notes


def verbs(paths: list[str]) -> Mapping[str, Work]:
    """Return what is asked, by its name; the number chooses about what."""
    queries = vaults.queries(100)

    def query(turn: int) -> str:
        return queries[turn % len(queries)]

    def path(turn: int) -> str:
        return paths[(turn * 7) % len(paths)]

    return {
        "search by words": lambda e, n: e.search(query(n), mode="fulltext"),
        "search, hybrid": lambda e, n: e.search(query(n), mode="hybrid"),
        "read": lambda e, n: e.read(path(n)),
        "list": lambda e, n: e.list_notes(newest=True, offset=n),
        "connections": lambda e, n: e.knowledge.connections(path(n)),
        "bundle": lambda e, n: e.bundles.pack(query(n)),
    }


def timed(engine: Engine, work: Work, turn: int) -> float:
    """Return how many milliseconds a call takes, of some in a row."""
    began = time.perf_counter()
    for number in range(AT_ONCE):
        work(engine, turn * AT_ONCE + number)
    return (time.perf_counter() - began) * 1_000 / AT_ONCE


def measured(
    engines: Mapping[str, Engine],
    name: str,
    work: Work,
    turns: int,
    most: tuple[float, float] | None = None,
) -> Iterator[Ratio]:
    """Yield a bar for everybody who does not see all."""
    for engine in engines.values():
        timed(engine, work, 0)
    times = {who: [0.0] * turns for who in engines}
    for turn in range(turns):
        for who, engine in engines.items():
            times[who][turn] = timed(engine, work, turn)
    most = most or (MOST, MOST_OF_FEW if "search" in name else MOST)
    yield from _ratios(name, times, *most)


def after_a_change(
    engines: Mapping[str, Engine], root: Path, path: str, turns: int
) -> Iterator[Ratio]:
    """Yield the bars of the first search after a change, a change for each."""
    lines, times = count(), {who: [0.0] * turns for who in engines}
    owner = engines["owner"]
    for turn in range(turns):
        for who, engine in engines.items():
            with (root / path).open("a", encoding="utf-8") as file:
                file.write(f"\nline {next(lines)}\n")
            owner.index()
            began = time.perf_counter()
            engine.search("line", mode="fulltext")
            times[who][turn] = (time.perf_counter() - began) * 1_000
    yield from _ratios("first search after a change", times, MOST_FIRST, MOST_FIRST)


def _ratios(
    name: str, times: Mapping[str, list[float]], agent: float, client: float
) -> Iterator[Ratio]:
    base = statistics.median(times["owner"])
    for who, most in (("agent", agent), ("client", client)):
        took = statistics.median(times[who])
        yield Ratio(f"{name}, {who}", took, base, most, "ms")


def rows(notes: int = NOTES, turns: int = TURNS) -> Iterator[Ratio]:
    """Yield every bar over a generated vault."""
    scratch = Path(tempfile.mkdtemp())
    try:
        paths = written(scratch / "Notes", notes)
        settings = {
            "index.location": str(scratch / "index"),
            "embeddings.backend": "none",
        }
        home = {"HOME": str(scratch / "home")}
        with open_vault(scratch / "Notes", settings=settings, env=home) as owner:
            owner.index()
            engines = {
                "owner": owner,
                "agent": owner.seen_by(EVERY_AGENT),
                "client": owner.seen_by(read_scope(SCOPE)),
            }
            within = [path for path in paths if _is_in(path)]
            for name, work in verbs(within).items():
                yield from measured(engines, name, work, turns)
            yield from after_a_change(engines, scratch / "Notes", within[0], turns)
    finally:
        shutil.rmtree(scratch)


def keyword_rows(vault: Path, turns: int) -> Iterator[Ratio]:
    """Yield the bars of keyword search over a copy of a vault.

    The client may read every second of the folders that hold no other folder.
    """
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "Notes")
        shutil.copytree(vault, root, copy_function=shutil.copyfile)
        paths = with_private_notes(root)
        parents = {str(Path(path).parent) for path in paths} - {"."}
        leaves = [
            parent
            for parent in parents
            if not any(o.startswith(f"{parent}/") for o in parents)
        ]
        queries = [Path(path).stem.replace("_", " ") for path in paths]
        settings = {
            "index.location": str(Path(folder, "index")),
            "embeddings.backend": "none",
        }
        env = {"HOME": folder}
        with open_vault(root, settings=settings, env=env) as owner:
            owner.index()
            engines = {
                "owner": owner,
                "agent": owner.seen_by(EVERY_AGENT),
                "client": owner.seen_by(
                    read_scope([f"folder:{leave}" for leave in sorted(leaves)[::2]])
                ),
            }

            def search(engine: Engine, turn: int) -> object:
                query = queries[turn * 7 % len(queries)]
                return engine.search(query, mode="fulltext")

            def prefix(engine: Engine, turn: int) -> object:
                query = queries[turn * 7 % len(queries)]
                return engine.search(f"{query[:3]}*", mode="fulltext")

            def misspelt(engine: Engine, turn: int) -> object:
                query = queries[turn * 7 % len(queries)].split()[0]
                return engine.search(query[:2] + query[3:], mode="fulltext")

            works = {"words": search, "prefix": prefix, "misspelt": misspelt}
            turns = min(turns, len(queries) // AT_ONCE)
            for name, work in works.items():
                yield from measured(
                    engines, f"keyword search, {name}", work, turns, MOST_OF_VAULT
                )


def _is_in(path: str) -> bool:
    return any(path.startswith(f"{rule.partition(':')[2]}/") for rule in SCOPE)


def main() -> int:
    """Print the bars; the exit code says whether one was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=NOTES)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--vault", type=Path)
    given = parser.parse_args()
    missed = False
    found = (
        keyword_rows(given.vault, given.turns)
        if given.vault
        else rows(notes=given.notes, turns=given.turns)
    )
    for row in found:
        print(row.row(), flush=True)
        missed |= not row.met
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
