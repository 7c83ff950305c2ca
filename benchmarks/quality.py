"""How good search is: nDCG@10 and Recall@10 on every set at hand.

Sets: notes of our own making in four languages, the same English notes with a typing
mistake in each query, and, where `../shared/data` stands beside the checkout, two real
vaults with queries made from their links and SciFact.

    python benchmarks/quality.py [SET ...]

`glassmind eval` says more about each of the real ones; the indexes are the same.
"""

import json
import random
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

from beir import collection_bench, write_notes

from glassmind import Engine, open_vault
from glassmind.evaluation.bench import Bench, BenchOptions, queries_bench
from glassmind.evaluation.gold import GoldQuery, read_queries
from glassmind.evaluation.measure import DEFAULT, ask_all, engine_asker
from glassmind.evaluation.metrics import mean

HERE = Path(__file__).resolve().parent
SHARED = HERE.parent.parent / "shared" / "data"
LANGUAGES = HERE.parent / "tests" / "gold" / "languages.jsonl"


class Figures(NamedTuple):
    """What a set of queries scored."""

    queries: int
    ndcg: float
    recall: float


def score(engine: Engine, asked: Sequence[GoldQuery]) -> Figures:
    """Return the mean figures of a set."""
    found = ask_all(engine_asker(engine), asked, DEFAULT)
    ndcg, recall = found.column("ndcg@10"), found.column("recall@10")
    return Figures(len(asked), mean(ndcg), mean(recall))


def link_queries(folder: Path) -> list[GoldQuery]:
    """Return the queries made from a vault's own links, as letters and blanks alone."""
    return [
        query._replace(text=" ".join(_bare(query.text).split()))
        for query in read_queries(folder / "queries.jsonl").queries
    ]


def _bare(text: str) -> str:
    return "".join(c if c.isalnum() or c == "'" else " " for c in text)


def language_notes() -> list[dict[str, Any]]:
    """Return our own notes in four languages."""
    lines = LANGUAGES.read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def mistyped(word: str, chance: random.Random) -> str:
    """Return the word with one letter lost, doubled, changed or swapped."""
    at = chance.randrange(1, len(word) - 1)
    match chance.randrange(4):
        case 0:
            return word[:at] + word[at + 1 :]
        case 1:
            return word[:at] + word[at] + word[at:]
        case 2:
            other = chance.choice("abcdefghijklmnopqrstuvwxyz".replace(word[at], ""))
            return word[:at] + other + word[at + 1 :]
        case _:
            swapped = word[at + 1] + word[at] if at + 1 < len(word) else word[at]
            return word[:at] + swapped + word[at + 2 :]


def typo_queries(notes: Iterable[dict[str, Any]]) -> list[GoldQuery]:
    """Return long English words with one slip each, and the notes that hold them."""
    chance, asked = random.Random(7), []
    english = [note for note in notes if note["lang"] == "en"]
    for note in english:
        words = [w for w in str(note["text"]).split() if w.isalpha() and len(w) > 5]
        for word in sorted(set(words), key=lambda w: (-len(w), w))[:3]:
            wrong = mistyped(word.lower(), chance)
            holders = {
                f"{n['id']}.md": 1.0
                for n in english
                if word.lower() in str(n["text"]).lower()
            }
            asked.append(GoldQuery(f"{note['id']}-{word}", wrong, holders))
    return asked


def sets(scratch: Path) -> Iterator[tuple[str, Path, list[GoldQuery]]]:
    """Yield each set of our own making: name, vault, queries."""
    if not LANGUAGES.is_file():
        return
    notes = language_notes()
    root = scratch / "languages"
    texts = {f"{n['id']}.md": f"# {n['title']}\n\n{n['text']}\n" for n in notes}
    write_notes(texts, root)
    for language in ("en", "zh", "ja", "ko", "mix"):
        asked = [
            GoldQuery(f"{note['id']}-{n}", str(query), {f"{note['id']}.md": 1.0})
            for note in notes
            if note["lang"] == language
            for n, query in enumerate(note["queries"])
        ]
        yield f"languages/{language}", root, asked
    yield "typos", root, typo_queries(notes)


def benches(
    wanted: BenchOptions = BenchOptions(),  # noqa: B008 - a value that does not change
) -> Iterator[tuple[str, AbstractContextManager[Bench]]]:
    """Yield the real sets at hand: name, and what makes each ready."""
    for name in ("lyz", "tasks-docs"):
        folder = SHARED / "vaults" / name
        if folder.is_dir():
            file = folder / "queries.jsonl"
            yield name, queries_bench(opener(folder / "vault"), file, wanted)
    folder = SHARED / "ir" / "scifact"
    if folder.is_dir():
        yield "scifact", collection_bench(opener(folder), folder, wanted)


def opener(
    vault: Path,
) -> Callable[[Path | None, Mapping[str, object]], Engine]:
    """Return what opens a vault, whatever files and variables say of others."""
    return lambda root, settings: open_vault(root or vault, settings=settings, env={})


def figures_of(
    names: Sequence[str], show: Callable[[str, Figures], None] = lambda _n, _f: None
) -> dict[str, Figures]:
    """Return the figures of the sets whose names begin so, or of all."""
    found: dict[str, Figures] = {}

    def wanted(name: str) -> bool:
        return not names or any(name.startswith(begins) for begins in names)

    with tempfile.TemporaryDirectory() as scratch:
        settings = {"index.location": str(Path(scratch) / "index")}
        for name, root, asked in sets(Path(scratch)):
            if wanted(name):
                with open_vault(root, settings=settings, env={}) as engine:
                    engine.index()
                    found[name] = score(engine, asked)
                show(name, found[name])
    for name, making in benches():
        if wanted(name):
            with making as bench, bench.open({}) as engine:
                found[name] = score(engine, bench.queries)
            show(name, found[name])
    return found


def main(names: Sequence[str]) -> int:
    """Print a row for each set."""

    def show(name: str, found: Figures) -> None:
        row = f"{name:<16}{found.queries:>8}{found.ndcg:>10.4f}{found.recall:>11.4f}"
        print(row, flush=True)

    print(f"{'set':<16}{'queries':>8}{'nDCG@10':>10}{'Recall@10':>11}")
    figures_of(names, show)
    if not SHARED.is_dir():
        print(
            "skipped: lyz, tasks-docs, scifact (no ../shared/data beside the checkout)"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
