"""What a model that writes would add to search: intents named, questions put anew.

    python benchmarks/model_intents.py [--labels N] [--queries N] [--url U --model M]

Intents: the labelled questions, by the rules and by the model, in the words with which
the product asks one. Rewriting: questions that share no word with their answer, as they
are, as the model puts them, and both together. It is the small model of the tests,
unless a url and a name say which; it answers in a JSON schema, at temperature 0.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from quality import Figures, score

from glassmind import open_vault
from glassmind.config.load import config_for
from glassmind.errors import ModelFault
from glassmind.evaluation.gold import GoldQuery, read_queries
from glassmind.models.chat import chat_for
from glassmind.models.intents import ASKED
from glassmind.models.protocols import Cancellation, ChatModel, Prompt, Turn
from glassmind.search.intent import INTENTS, guess_intent

ROOT = Path(__file__).resolve().parent.parent
GOLD, SAMPLE = ROOT / "tests" / "gold", ROOT / "sample-vault"

sys.path.append(str(ROOT / "tests" / "support"))
from smollm_harness import writer  # noqa: E402 - the model of the tests is started there

REWRITE = """You help to search somebody's own notes. Put the question into other words:
those that the note with the answer may use. Answer with the new question alone."""

LABEL_TOKENS, QUERY_TOKENS = 24, 60
"""What an answer may take: a word out of five, or a line."""


@contextmanager
def model_of(url: str, name: str) -> Iterator[ChatModel]:
    """Yield the model of a server, or the one of the tests if none is named."""
    if url:
        named = {"llm.backend": "openai", "llm.url": url, "llm.model": name}
        yield chat_for(config_for(ROOT, {**named, "llm.temperature": 0.0}))
        return
    with writer() as running:
        yield chat_for(config_for(ROOT, running.settings(temperature=0.0)))


def said(
    chat: ChatModel, rules: str, text: str, key: str, shape: Mapping[str, Any]
) -> str:
    """Return one word or line of a model; empty where it gives none."""
    schema = {
        "type": "object",
        "properties": {key: shape},
        "required": [key],
        "additionalProperties": False,
    }
    most = LABEL_TOKENS if "enum" in shape else QUERY_TOKENS
    pieces: list[str] = []
    turns = [Turn("system", rules), Turn("user", text)]
    try:
        chat.answer(Prompt(turns, schema, 0, most), pieces.append, Cancellation())
        return str(json.loads("".join(pieces))[key])
    except (ModelFault, ValueError, KeyError):
        return ""


def spread(rows: Sequence[Any], count: int) -> list[Any]:
    """Return so many, evenly over all."""
    step = max(1.0, len(rows) / count)
    return [rows[int(at * step)] for at in range(min(count, len(rows)))]


def measure_intents(chat: ChatModel, count: int) -> None:
    """Print how many intents the rules and the model tell."""
    lines = (GOLD / "intent-labels.jsonl").read_text("utf-8").splitlines()
    asked = spread([json.loads(line) for line in lines], count)
    began = time.perf_counter()
    by_rules = [guess_intent(row["query"]).intent for row in asked]
    between = time.perf_counter()
    by_model = [
        said(chat, ASKED, row["query"], "intent", {"enum": list(INTENTS)})
        for row in asked
    ]
    ended = time.perf_counter()
    print(f"intents ({len(asked)})        right   seconds each")
    for name, guesses, spent in (
        ("by rules", by_rules, between - began),
        (chat.model, by_model, ended - between),
    ):
        right = sum(g == row["intent"] for g, row in zip(guesses, asked, strict=True))
        print(f"{name:<22}{right / len(asked):>6.3f}{spent / len(asked):>15.4f}")
    for intent in INTENTS:
        print(f"  it says {intent:<16}{by_model.count(intent):>4} times")


def measure_rewriting(chat: ChatModel, count: int) -> None:
    """Print what search finds by questions as they are, and as the model puts them."""
    asked = spread(read_queries(GOLD / "meaning.jsonl").queries, count)
    began = time.perf_counter()
    line = {"type": "string", "minLength": 1, "maxLength": 160}
    anew = [said(chat, REWRITE, query.text, "question", line) for query in asked]
    spent = (time.perf_counter() - began) / len(asked)
    with tempfile.TemporaryDirectory() as scratch:
        place = {"index.location": str(Path(scratch) / "index")}
        with open_vault(SAMPLE, settings=place, env={}) as engine:
            engine.index()
            print(f"rewriting ({len(asked)})      nDCG@10  recall@10")
            for name, texts in (
                ("as asked", [query.text for query in asked]),
                ("put anew", anew),
                ("both", [f"{q.text} {a}" for q, a in zip(asked, anew, strict=True)]),
            ):
                show(name, score(engine, replaced(asked, texts)))
    print(f"{spent:.2f} seconds for each question that is put anew, for example:")
    for query, other in list(zip(asked, anew, strict=True))[:3]:
        print(f"  {query.text} -> {other}")


def replaced(asked: Sequence[GoldQuery], texts: Sequence[str]) -> list[GoldQuery]:
    """Return the questions in other words; as they were, where there are none."""
    pairs = zip(asked, texts, strict=True)
    return [query._replace(text=text.strip() or query.text) for query, text in pairs]


def show(name: str, figures: Figures) -> None:
    """Print a line of the table."""
    print(f"{name:<22}{figures.ndcg:>8.3f}{figures.recall:>10.3f}")


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labels", type=int, default=120)
    parser.add_argument("--queries", type=int, default=20)
    parser.add_argument("--url", default="")
    parser.add_argument("--model", default="")
    wanted = parser.parse_args()
    with model_of(wanted.url, wanted.model) as chat:
        if wanted.labels:
            measure_intents(chat, wanted.labels)
        if wanted.queries:
            measure_rewriting(chat, wanted.queries)


if __name__ == "__main__":
    main()
