"""How good search is: nDCG@10 and Recall@10 on every set at hand.

Sets: notes of our own making in four languages, the same English notes with a typing
mistake in each query, and, where `../shared/data` stands beside the checkout, two real
vaults with queries made from their links and SciFact.

    python benchmarks/quality.py [SET ...]
"""

import json
import math
import random
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from glassmind import Engine, open_vault

HERE = Path(__file__).resolve().parent
SHARED = HERE.parent.parent / "shared" / "data"
LANGUAGES = HERE.parent / "tests" / "gold" / "languages.jsonl"
DEPTH = 10


@dataclass(frozen=True)
class Asked:
    """One query, the notes that answer it, and those it may not be scored on."""

    text: str
    relevant: frozenset[str]
    left_out: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Figures:
    """What a set of queries scored."""

    queries: int
    ndcg: float
    recall: float


def ndcg(found: Sequence[str], relevant: frozenset[str]) -> float:
    """Return nDCG@10 with relevance 0 or 1."""
    gain = math.fsum(
        1 / math.log2(rank + 1)
        for rank, path in enumerate(found[:DEPTH], 1)
        if path in relevant
    )
    ideal = math.fsum(
        1 / math.log2(rank + 1) for rank in range(1, min(len(relevant), DEPTH) + 1)
    )
    return gain / ideal if ideal else 0.0


def score(engine: Engine, asked: Iterable[Asked]) -> Figures:
    """Return the mean figures of a set."""
    gains, recalls = [], []
    for query in asked:
        reply = engine.search(query.text, limit=DEPTH + len(query.left_out))
        found = [hit.path for hit in reply.hits if hit.path not in query.left_out]
        gains.append(ndcg(found, query.relevant))
        top = query.relevant.intersection(found[:DEPTH])
        recalls.append(len(top) / len(query.relevant))
    count = len(gains) or 1
    return Figures(len(gains), math.fsum(gains) / count, math.fsum(recalls) / count)


def plain(text: str) -> str:
    """Return a question as words alone: what it quotes or names is not an operator."""
    kept = "".join(c if c.isalnum() or c in "' " else " " for c in text)
    return " ".join(kept.split())


def link_queries(folder: Path) -> list[Asked]:
    """Return the queries made from a vault's own links."""
    lines = (folder / "queries.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [
        Asked(
            plain(row["query"]),
            frozenset(row["relevant"]),
            frozenset(row["source"]) | frozenset(row["exclude"]),
        )
        for row in rows
    ]


def language_notes() -> list[dict[str, object]]:
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


def typo_queries(notes: Iterable[dict[str, object]]) -> list[Asked]:
    """Return long English words with one slip each, and the notes that hold them."""
    chance, asked = random.Random(7), []
    english = [note for note in notes if note["lang"] == "en"]
    for note in english:
        words = [w for w in str(note["text"]).split() if w.isalpha() and len(w) > 5]
        for word in sorted(set(words), key=lambda w: (-len(w), w))[:3]:
            wrong = mistyped(word.lower(), chance)
            holders = frozenset(
                f"{n['id']}.md"
                for n in english
                if word.lower() in str(n["text"]).lower()
            )
            asked.append(Asked(wrong, holders))
    return asked


def write_vault(root: Path, notes: Iterable[tuple[str, str]]) -> None:
    """Write notes by path and text."""
    for path, text in notes:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


def scifact(folder: Path) -> tuple[list[tuple[str, str]], list[Asked]]:
    """Return SciFact as notes and queries."""
    notes = []
    for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        notes.append((f"{row['_id']}.md", f"# {row['title']}\n\n{row['text']}\n"))
    lines = (folder / "queries.jsonl").read_text("utf-8").splitlines()
    texts = {row["_id"]: row["text"] for row in map(json.loads, lines)}
    wanted: dict[str, set[str]] = {}
    judged = next((folder / "qrels").glob("test*")).read_text("utf-8").splitlines()
    for line in judged[1:]:
        query, document, relevance = line.split("\t")
        if int(relevance) > 0:
            wanted.setdefault(query, set()).add(f"{document}.md")
    asked = [Asked(plain(texts[q]), frozenset(found)) for q, found in wanted.items()]
    return notes, asked


def sets(scratch: Path) -> Iterator[tuple[str, Path, list[Asked]]]:
    """Yield each set that is at hand: name, vault, queries."""
    if LANGUAGES.is_file():
        notes = language_notes()
        root = scratch / "languages"
        write_vault(
            root, ((f"{n['id']}.md", f"# {n['title']}\n\n{n['text']}\n") for n in notes)
        )
        for language in ("en", "zh", "ja", "ko", "mix"):
            asked = [
                Asked(str(query), frozenset([f"{note['id']}.md"]))
                for note in notes
                if note["lang"] == language
                for query in note["queries"]  # type: ignore[attr-defined]
            ]
            yield f"languages/{language}", root, asked
        yield "typos", root, typo_queries(notes)
    for name in ("lyz", "tasks-docs"):
        folder = SHARED / "vaults" / name
        if folder.is_dir():
            yield name, folder / "vault", link_queries(folder)
    if (SHARED / "ir" / "scifact").is_dir():
        notes_, asked_ = scifact(SHARED / "ir" / "scifact")
        root = scratch / "scifact"
        write_vault(root, notes_)
        yield "scifact", root, asked_


def figures_of(
    names: Sequence[str], show: Callable[[str, Figures], None] = lambda _n, _f: None
) -> dict[str, Figures]:
    """Return the figures of the sets whose names begin so, or of all."""
    found: dict[str, Figures] = {}
    engines: dict[Path, Engine] = {}
    with tempfile.TemporaryDirectory() as scratch:
        settings = {"index.location": str(Path(scratch) / "index")}
        for name, root, asked in sets(Path(scratch)):
            if names and not any(name.startswith(wanted) for wanted in names):
                continue
            if root not in engines:
                engines[root] = open_vault(root, settings=settings, env={})
                engines[root].index()
            found[name] = score(engines[root], asked)
            show(name, found[name])
        for engine in engines.values():
            engine.close()
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
