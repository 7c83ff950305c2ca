"""Every bar, each a ratio against a baseline of the same run.

    python benchmarks/bars.py [SECTION ...] [--large] [--notes N] [--before REV]

`text` is what this file measures: indexing text and searching it by words alone. The
other sections have files of their own, which take more options. Figures are medians. A
bar that is missed is marked and makes the exit code 1. `--before` also measures an
earlier commit in the same run and prints ratios to it; `serving` alone can do that.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import hybrid
import pyromark
import tantivy
import vaults
import xxhash

from glassmind import Engine, open_vault

OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_MATH
    | pyromark.Options.ENABLE_GFM
    | pyromark.Options.ENABLE_WIKILINKS
)
HERE = Path(__file__).resolve().parent
LYZ = HERE.parents[1] / "shared" / "data" / "vaults" / "lyz"
SECTIONS = (
    "text",
    "vectors",
    "embedding",
    "hybrid",
    "serving",
    "graph",
    "pairs",
    "bench_bundles",
    "edits",
    "access",
)


@dataclass(frozen=True)
class Bar:
    """One bar: what was measured against what, and how far the ratio may go."""

    name: str
    ours: float
    baseline: float
    most: float
    unit: str = "ms"

    @property
    def ratio(self) -> float:
        """How many times the baseline ours is."""
        return self.ours / self.baseline

    def row(self) -> str:
        """Return a line of the table."""
        state = "ok" if self.ratio <= self.most else "MISSED"
        return (
            f"{self.name:<46}{self.ours:>10.1f}{self.baseline:>10.1f} {self.unit:<3}"
            f"{self.ratio:>7.2f}x  <= {self.most:g}x  {state}"
        )


def timed(work: Callable[[], object]) -> float:
    """Return how long the work took, in milliseconds."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1_000


def walk(root: Path) -> int:
    """Stat every file below a folder: the least a scan can cost."""
    count, folders = 0, [str(root)]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
                    count += 1
    return count


def note_files(root: Path) -> list[Path]:
    """Return the Markdown files of a vault."""
    return sorted(root.rglob("*.md"))


def least_first_index(root: Path, place: Path) -> None:
    """Read, hash, parse and add the text of every note to a bare tantivy index."""
    build = tantivy.SchemaBuilder()
    build.add_text_field("path", stored=True, tokenizer_name="raw")
    build.add_text_field("body", tokenizer_name="en_stem")
    place.mkdir(parents=True, exist_ok=True)
    index = tantivy.Index(build.build(), path=str(place))
    writer = index.writer(heap_size=100_000_000, num_threads=2)
    for file in note_files(root):
        raw = file.read_bytes()
        xxhash.xxh3_128_hexdigest(raw)
        text = raw.decode()
        for _ in pyromark.events_with_range(text, options=OPTIONS):
            pass
        document = tantivy.Document()
        document.add_text("path", str(file))
        document.add_text("body", text)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()


def opened(root: Path, place: Path) -> Engine:
    """Return an engine with its index in `place`, whatever the user has configured."""
    return open_vault(root, settings={"index.location": str(place)}, env={})


def opened_for_words(root: Path, place: Path) -> Engine:
    """Return an engine that searches by words alone, with its index in `place`.

    One that also searches by meaning groups the notes into themes after its first run.
    """
    settings = {"index.location": str(place), "embeddings.backend": "none"}
    return open_vault(root, settings=settings, env={})


def text_alone(engine: Engine) -> Callable[[], object]:
    """Return what brings the text of an index up to date, and leaves vectors out."""
    return partial(engine.index, embed=False)


def no_change(engine: Engine, root: Path) -> Bar:
    """Bar 1: nothing changed."""
    index = text_alone(engine)
    index()
    ours, least = [], []
    for _ in range(25):
        least.append(timed(lambda: walk(root)))
        ours.append(timed(index))
    pair = statistics.median(ours), statistics.median(least)
    return Bar("1 no-change index / bare walk with stat", *pair, 2)


def first_index(root: Path, scratch: Path) -> Bar:
    """Bar 2: the first index of text, in work done by every thread.

    Both write with threads of tantivy's beside their own, so how long they take depends
    on how many cores are idle; the work does not. A machine that others share is fast
    and slow for seconds at a time, so the baseline runs before and after each run of
    ours, and means are compared.
    """
    import_all(scratch)
    ours, least = [], []
    for turn in range(TURNS):
        for side in "ab":
            bare = scratch / f"bare{turn}{side}"
            least.append(cost_of(partial(least_first_index, root, bare)))
            shutil.rmtree(bare)
            if side == "a":
                engine = opened_for_words(root, scratch / f"first{turn}")
                ours.append(cost_of(text_alone(engine)))
                engine.close()
    clock, work = map(statistics.mean, zip(*ours, strict=True))
    bare_clock, bare_work = map(statistics.mean, zip(*least, strict=True))
    print(f"    first index by the clock: {clock / bare_clock:.2f}x")
    name = "2 first index / read+hash+parse+tantivy (work)"
    return Bar(name, work, bare_work, 4)


TURNS = 4


def import_all(scratch: Path) -> None:
    """Index a note: what both sides import is imported before either is timed."""
    (scratch / "one").mkdir()
    (scratch / "one" / "Note.md").write_text("A note.", "utf-8")
    engine = opened_for_words(scratch / "one", scratch / "one.index")
    engine.index(embed=False)
    engine.close()


class Cost(NamedTuple):
    """What a piece of work cost in milliseconds, by the clock and of all threads."""

    clock: float
    work: float


def cost_of(run: Callable[[], object]) -> Cost:
    """Return what one run costs."""
    before = time.process_time()
    clock = timed(run)
    return Cost(clock, (time.process_time() - before) * 1_000)


def warm_search(engine: Engine, place: Path, asked: Sequence[str]) -> Iterator[Bar]:
    """Bar 3: the top 50 with snippets, against tantivy doing the same by itself.

    Raw tantivy searches the same fields by its own parser and cuts its own snippets
    from the same texts.
    """
    from glassmind.store.lexical import files as words  # noqa: PLC0415

    index = words.open_index(next(place.iterdir()) / words.FOLDER)
    searcher, rows = index.searcher(), engine._vault.rows()

    def raw(text: str) -> tuple[tantivy.Query, list[tantivy.DocAddress]]:
        query = index.parse_query(text, default_field_names=every)
        hits = searcher.search(query, limit=50, count=False).hits
        return query, [address for _, address in hits]

    def raw_with_snippets(text: str) -> None:
        query, places = raw(text)
        chunks = searcher.fast_field_values("chunk", places)
        cut = tantivy.SnippetGenerator.create(searcher, query, index.schema, "body")
        for row in rows.hit_rows([int(c) for c in chunks if c is not None]).values():
            document = tantivy.Document()
            document.add_text("body", row.text)
            snippet = cut.snippet_from_doc(document)
            snippet.fragment()
            snippet.highlighted()

    every = [*words.STEMMED_FIELDS, "body"]
    ways: dict[str, Callable[[str], object]] = {
        "ours": partial(engine.search, mode="fulltext", limit=50, unique="chunks"),
        "explained": partial(
            engine.search, mode="fulltext", limit=50, unique="chunks", explain=True
        ),
        "raw": raw_with_snippets,
        "found": raw,
    }
    costs: dict[str, list[float]] = {name: [] for name in ways}
    for text in asked:
        for way in ways.values():
            way(text)
        for name, way in ways.items():
            costs[name].append(timed(partial(way, text)))
    middle = {name: statistics.median(cost) for name, cost in costs.items()}
    yield Bar("3 top 50 with snippets / raw tantivy", middle["ours"], middle["raw"], 4)
    print(
        f"    with each score taken apart: {middle['explained'] / middle['raw']:.2f}x; "
        f"against raw tantivy without snippets: "
        f"{middle['ours'] / middle['found']:.2f}x of {middle['found']:.2f} ms"
    )


def one_note(engine: Engine, root: Path, scratch: Path) -> Bar:
    """Bar 4: one note changed; the allowance is 150 ms or two tantivy commits."""
    file, ours = note_files(root)[17], []
    path = file.relative_to(root).as_posix()
    text = file.read_text("utf-8")
    for turn in range(7):
        file.write_text(f"{text}\nturn {turn}\n", "utf-8")
        ours.append(timed(partial(engine.index, paths=[path], embed=False)))
    file.write_text(text, "utf-8")
    whole = timed(text_alone(engine))
    print(f"    one changed note found by looking at the whole vault: {whole:.0f} ms")
    commit = statistics.median(tantivy_commits(scratch))
    allowed = max(150.0, 2 * commit)
    return Bar("4 one changed note / larger of 150 ms, 2 commits",
               statistics.median(ours), allowed, 1)  # fmt: skip


def tantivy_commits(scratch: Path) -> list[float]:
    """Return what single commits of one document cost in a bare index."""
    build = tantivy.SchemaBuilder()
    build.add_text_field("body")
    place = scratch / "commits"
    place.mkdir(exist_ok=True)
    writer = tantivy.Index(build.build(), path=str(place)).writer(15_000_000, 1)
    costs = []
    for turn in range(7):
        document = tantivy.Document()
        document.add_text("body", f"turn {turn}")
        writer.add_document(document)
        costs.append(timed(writer.commit))
    return costs


def cold_start(root: Path, place: Path, asked: Sequence[str]) -> Iterator[Bar]:
    """Bar 5: whole processes; each search asks another question."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env |= {"GLASSMIND_INDEX_LOCATION": str(place), "GLASSMIND_VAULT_PATH": str(root)}
    program = str(Path(sys.executable).with_name("glassmind"))
    commands = {
        "pass": [sys.executable, "-c", "pass"],
        "search": [program, "search", "--mode", "fulltext"],
        "version": [program, "--version"],
    }
    costs: dict[str, list[float]] = {name: [] for name in commands}
    for question in asked[:25]:
        for name, command in commands.items():
            whole = [*command, question] if name == "search" else command
            costs[name].append(timed(partial(_silent, whole, env)))
    least = statistics.median(costs["pass"])
    yield Bar(
        "5 cold fulltext search / python -c pass",
        statistics.median(costs["search"]),
        least,
        12,
    )
    yield Bar(
        "5 --version / python -c pass", statistics.median(costs["version"]), least, 3
    )


def _silent(command: Sequence[str], env: dict[str, str]) -> None:
    done = subprocess.run(command, env=env, check=False, capture_output=True)
    if done.returncode not in {0, 1}:  # 1: nothing was found
        raise RuntimeError(done.stderr.decode())


def peak_memory(root: Path, scratch: Path, notes: int) -> Bar:
    """Bar 6: the most memory a process of its own needs to index the vault."""
    place = scratch / "memory"
    command = [sys.executable, "-c", INDEX_AND_WEIGH, str(root), str(place)]
    peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    shutil.rmtree(place)
    name = f"6 peak memory indexing {notes:,} notes / 500 MB"
    return Bar(name, int(peak) / 1_024, 500, 1, "MB")


INDEX_AND_WEIGH = """
import re, resource, sys
from pathlib import Path
from glassmind import open_vault

engine = open_vault(sys.argv[1], settings={"index.location": sys.argv[2]}, env={})
engine.index(embed=False)
status = Path("/proc/self/status")  # where there is none, a parent's peak counts too
if status.exists():
    print(re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1])
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def measure(root: Path, scratch: Path, asked: Sequence[str], notes: int) -> list[Bar]:
    """Return every bar for one vault, printing each as it comes."""
    bars: list[Bar] = []

    def keep(bar: Bar) -> None:
        bars.append(bar)
        print(bar.row(), flush=True)

    keep(first_index(root, scratch))
    place = scratch / "first0"
    engine = opened(root, place)
    text_alone(engine)()
    keep(no_change(engine, root))
    for bar in warm_search(engine, place, asked):
        keep(bar)
    if os.access(note_files(root)[0], os.W_OK):
        keep(one_note(engine, root, scratch))
    for bar in cold_start(root, place, asked):
        keep(bar)
    engine.close()
    keep(peak_memory(root, scratch, notes))
    return bars


def text_bars(notes: int) -> int:
    """Print the bars of text, of a generated vault and, where at hand, a real one.

    Return how many were missed.
    """
    cache = Path(tempfile.gettempdir()) / "glassmind-benchmarks"
    root = cache / f"vault-{notes}"
    vaults.write_vault(root, notes)
    missed = 0
    with tempfile.TemporaryDirectory() as scratch:
        print(f"generated vault, {notes:,} notes")
        bars = measure(root, Path(scratch), vaults.queries(200), notes)
        missed += sum(bar.ratio > bar.most for bar in bars)
    if LYZ.is_dir():
        import quality  # noqa: PLC0415

        texts = [query.text.replace("'", " ") for query in quality.link_queries(LYZ)]
        asked = texts[:200]
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch) / "lyz"
            shutil.copytree(LYZ / "vault", copy)
            subprocess.run(["chmod", "-R", "u+w", str(copy)], check=True)
            print("real vault lyz, 636 notes")
            bars = measure(copy, Path(scratch), asked, 636)
            missed += sum(bar.ratio > bar.most for bar in bars)
    else:
        print("skipped: the real vault (no ../shared/data beside the checkout)")
    return missed


def main() -> int:
    """Print the bars of the sections that are named, or of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=str(SECTIONS))
    parser.add_argument("--large", action="store_true", help="50,000 notes of text")
    parser.add_argument("--notes", type=int, default=0)
    parser.add_argument("--before", metavar="REV", help="serving: compare with it too")
    given = parser.parse_args()
    if given.before and given.sections != ["serving"]:
        parser.error("--before works with one section only: serving")
    unknown = set(given.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    missed = 0
    for name in given.sections or SECTIONS:
        print(f"== {name}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        if name == "text":
            missed += text_bars(given.notes or (50_000 if given.large else 10_000))
        elif name == "embedding" and hybrid.real_model() is None:
            print("skipped: no model is here; run: glassmind models fetch")
        else:  # a process of its own: one section's memory is not another's
            sys.stdout.flush()
            command = [sys.executable, str(HERE / f"{name}.py")]
            if given.before:
                command += ["--before", given.before]
            missed += subprocess.run(command, check=False).returncode
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
