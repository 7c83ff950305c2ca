"""How good answers are: questions about the sample vault, whose answers we know.

    python benchmarks/ask.py [--set NAME] [--model] [--questions N] [--url U --name M]

Of the questions that the vault answers: how often the lines that are cited state the
answer, how often the passages that they stand in do, and how often nothing is answered.
Of those it does not answer: how often that is said. Without a model the sentences are
the notes' own. With `--model` the small one of the tests writes them, or the one that a
url and a name tell; then statements are counted by how the notes bear them out, and
every quote is looked up once more, in the file itself.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from glassmind import Engine, open_vault
from glassmind.model.context import Answer, Citation
from glassmind.obsidian.receipts import parse_receipt

ROOT = Path(__file__).resolve().parent.parent
GOLD, SAMPLE = ROOT / "tests" / "gold", ROOT / "sample-vault"

sys.path.append(str(ROOT / "tests" / "support"))
from smollm_harness import writer  # noqa: E402 - the model of the tests is started there

SETS = ("plain-questions", "ask-questions", "sample-questions")
"""From what people plainly ask to questions in none of the notes' words."""

SMALL = {"llm.context_tokens": 1_536, "llm.answer_tokens": 160, "ask.sources": 2}
"""What the small model is shown: on two cores it reads thirty tokens in a second."""


class Asked(NamedTuple):
    """A question, and the places that state its answer; none where there is none."""

    question: str
    holds: Sequence[Mapping[str, str]]


class Row(NamedTuple):
    """What became of a question."""

    asked: Asked
    answer: Answer
    seconds: float


class Figures(NamedTuple):
    """What a set of questions scored; shares of those that have an answer, or not."""

    answered: int
    cited_lines: float
    cited_passages: float
    given: float
    unanswerable: int
    refused: float
    seconds: float


def questions(name: str) -> list[Asked]:
    """Return a set; of the one that has halves, the half that may be quoted."""
    lines = (GOLD / f"{name}.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [
        Asked(row["question"], row.get("holds", ()))
        for row in rows
        if row.get("half", "test") == "test"
    ]


def spread(rows: Sequence[Asked], count: int) -> list[Asked]:
    """Return so many, evenly over all."""
    step = max(1.0, len(rows) / count)
    return [rows[int(at * step)] for at in range(min(count, len(rows)))]


@contextmanager
def sample(settings: Mapping[str, object]) -> Iterator[Engine]:
    """Yield the sample vault with an index of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        place = {"index.location": str(Path(scratch) / "index")}
        with open_vault(SAMPLE, settings={**place, **settings}, env={}) as engine:
            engine.index()
            yield engine


def ask_all(engine: Engine, asked: Sequence[Asked], *, use_model: bool) -> list[Row]:
    """Return what becomes of each question, as somebody asks who owns the vault."""
    rows = []
    for one in asked:
        began = time.perf_counter()
        answer = engine.answers.ask(one.question, use_model=use_model, private=True)
        rows.append(Row(one, answer, time.perf_counter() - began))
    return rows


def lines_cited(citation: Citation) -> tuple[str, str]:
    """Return the note of a citation, and the lines that its receipt is for."""
    receipt = parse_receipt(citation.receipt)
    if receipt is None:
        return "", ""
    lines = (SAMPLE / receipt.path).read_text("utf-8").split("\n")
    return receipt.path, "\n".join(lines[receipt.span.start - 1 : receipt.span.end])


def is_there(citation: Citation) -> bool:
    """Whether the words of a citation stand in its lines, to the letter."""
    return citation.quote in lines_cited(citation)[1]


def in_lines(row: Row) -> bool:
    """Whether a place that states the answer is in the lines that are cited."""
    cited = [lines_cited(citation) for citation in citations(row.answer)]
    return _holds(row.asked, cited)


def in_passages(row: Row) -> bool:
    """Whether such a place is in the passages that the citations are from."""
    numbers = {citation.source for citation in citations(row.answer)}
    sources = [source for source in row.answer.sources if source.number in numbers]
    return _holds(row.asked, [(source.path, source.text) for source in sources])


def citations(answer: Answer) -> list[Citation]:
    """Return all citations of an answer."""
    return [citation for said in answer.statements for citation in said.citations]


def _holds(asked: Asked, shown: Sequence[tuple[str, str]]) -> bool:
    return any(
        place["path"] == path and place["text"] in text
        for place in asked.holds
        for path, text in shown
    )


def figures_of(rows: Sequence[Row]) -> Figures:
    """Return what the questions scored."""
    there = [row for row in rows if row.asked.holds]
    absent = [row for row in rows if not row.asked.holds]
    return Figures(
        len(there),
        _share([in_lines(row) for row in there]),
        _share([in_passages(row) for row in there]),
        _share([row.answer.in_notes for row in there]),
        len(absent),
        _share([not row.answer.in_notes for row in absent]),
        sum(row.seconds for row in rows) / max(1, len(rows)),
    )


def _share(truths: Sequence[bool]) -> float:
    return sum(truths) / len(truths) if truths else 0.0


def flags_of(rows: Sequence[Row]) -> Counter[str]:
    """Return how statements are borne out, and answers that are not the model's."""
    counted = Counter[str]()
    counted.update(said.support for row in rows for said in row.answer.statements)
    counted["dropped"] = sum(row.answer.dropped for row in rows)
    counted["fallback"] = sum(
        bool(row.answer.statements) and not row.answer.model_used for row in rows
    )
    return counted


HEAD = (
    f"{'set':<30}{'answers':>8}{'lines':>8}{'passage':>9}{'given':>8}"
    f"{'none':>6}{'refused':>9}{'seconds':>9}"
)


def show(*lines: str) -> None:
    """Print lines at once."""
    print("\n".join(lines), flush=True)


def line_of(name: str, found: Figures) -> str:
    """Return a line of the table."""
    return (
        f"{name:<30}{found.answered:>8}{found.cited_lines:>8.3f}"
        f"{found.cited_passages:>9.3f}{found.given:>8.3f}{found.unanswerable:>6}"
        f"{found.refused:>9.3f}{found.seconds:>9.3f}"
    )


@contextmanager
def settings_of(url: str, name: str) -> Iterator[dict[str, object]]:
    """Yield the settings of a model: the one that is named, or that of the tests."""
    if url:
        yield {"llm.backend": "openai", "llm.url": url, "llm.model": name}
        return
    with writer() as running:
        yield {**running.settings(temperature=0.0, timeout_s=600.0), **SMALL}


def told_flags(rows: Sequence[Row]) -> str:
    """Return how statements are borne out, in a line."""
    counted = flags_of(rows)
    names = ("verbatim", "quoted", "unsupported", "dropped", "fallback")
    told = ", ".join(f"{counted[name]} {name}" for name in names)
    cited = [citation for row in rows for citation in citations(row.answer)]
    return f"  {told}; {sum(map(is_there, cited))} of {len(cited)} quotes looked up"


def main(args: Any = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--set", action="append", choices=SETS, help="all without it")
    parser.add_argument("--questions", type=int, default=1_000, help="of each set")
    parser.add_argument("--url", default="")
    parser.add_argument("--name", default="")
    wanted = parser.parse_args(args)
    names = wanted.set or SETS
    asked = {name: spread(questions(name), wanted.questions) for name in names}
    show(HEAD)
    with sample({}) as engine:
        for name, rows in asked.items():
            told = ask_all(engine, rows, use_model=False)
            show(line_of(f"{name}, no model", figures_of(told)))
    if not (wanted.model or wanted.url):
        return
    with settings_of(wanted.url, wanted.name) as settings, sample(settings) as engine:
        for name, rows in asked.items():
            told = ask_all(engine, rows, use_model=True)
            model = f"{name}, {settings['llm.model']}"[:30]
            show(line_of(model, figures_of(told)), told_flags(told))


if __name__ == "__main__":
    main()
