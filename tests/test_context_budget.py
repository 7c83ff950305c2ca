"""A budget is a ceiling that nothing exceeds, whoever counts."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from model_desk import real_models
from vault_desk import VaultDesk

from glassmind.context.budget import Estimate
from glassmind.context.choose import parted, question_words, run
from glassmind.errors.context import BudgetTooSmall
from glassmind.models.cards import MINILM, WORDLLAMA
from glassmind.models.counting import TokenCounter
from glassmind.models.windows import WindowedTokenizer
from glassmind.render.bundles_markdown import bundle_as_markdown

ROOT = Path(__file__).parents[1]
LANGUAGES = ROOT / "tests" / "gold" / "languages.jsonl"

SCRIPTS = {
    "ru": "Сегодня мы обсуждали план работ и решили перенести встречу. ",
    "el": "Σήμερα συζητήσαμε το σχέδιο εργασιών για το τρίμηνο. ",  # noqa: RUF001 - Greek
    "ar": "ناقشنا اليوم خطة العمل للربع القادم وقررنا تأجيل الاجتماع. ",
    "he": "היום דנו בתוכנית העבודה לרבעון הבא והחלטנו לדחות. ",
    "hi": "आज हमने अगली तिमाही की कार्य योजना पर चर्चा की। ",
    "th": "วันนี้เราหารือเกี่ยวกับแผนงานสำหรับไตรมาสหน้า ",
    "vi": "Hôm nay chúng tôi đã thảo luận về kế hoạch làm việc. ",
    "digests": "3d9f398f06d56557 1c10a17e7d652240 a353c16d53f2bb6c ",
    "image": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk ",
    "code": "def f(x):\n    return {'a': x[0], 'b': x[1:]}  # why\n",
    "emoji": "✅ done 🔥 hot 🚀 launch 📅 2026-04-30 ",
}  # fmt: skip


def real_texts() -> list[str]:
    """Return text of many kinds, each long enough to be counted."""
    notes = sorted((ROOT / "sample-vault").rglob("*.md"))
    texts = [file.read_text("utf-8")[:4_000] for file in notes]
    rows = [json.loads(line) for line in LANGUAGES.read_text("utf-8").splitlines()]
    for language in ("en", "zh", "ja", "ko", "mix"):
        said = [row["text"] for row in rows if row["lang"] == language]
        texts.append("\n".join(said)[:6_000])
    return [text for text in texts if len(text) > 400] + [
        text * 20 for text in SCRIPTS.values()
    ]


def tokenizer(card: object) -> WindowedTokenizer:
    home = real_models(card)  # type: ignore[arg-type]
    return WindowedTokenizer(home / card.id / "tokenizer.json")  # type: ignore[attr-defined]


@pytest.mark.parametrize("card", [MINILM, WORDLLAMA], ids=lambda card: card.id)
def test_words_add_up_to_what_the_tokenizer_counts(card: object) -> None:
    real = tokenizer(card)
    counter = TokenCounter(real, "real")

    for text in real_texts():
        assert counter.count(text) == len(real.ids(text))


@pytest.mark.parametrize("card", [MINILM, WORDLLAMA], ids=lambda card: card.id)
def test_the_estimate_is_never_below_a_real_tokenizer_on_real_text(
    card: object,
) -> None:
    real, estimate = tokenizer(card), Estimate()

    short = [
        (text[:40], estimate.count(text) / len(real.ids(text)))
        for text in real_texts()
        if estimate.count(text) < len(real.ids(text))
    ]

    assert short == []


def test_a_word_too_long_to_be_read_counts_by_its_pieces() -> None:
    counter = TokenCounter(tokenizer(MINILM), "real")

    assert counter.count("x" * 1_000) >= 10


def test_a_counter_forgets_what_it_cannot_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("glassmind.models.counting.MOST_WORDS", 10)
    real = tokenizer(MINILM)
    counter = TokenCounter(real, "real")

    for text in real_texts():
        assert counter.count(text[:500]) == len(real.ids(text[:500]))


letters = st.text(
    st.one_of(
        st.sampled_from("kiln glaze fire. \n#`-[]|>:äß中文字🔥\u200b\x1b\r"),
        st.characters(codec="utf-8", exclude_categories=["Cs"]),
    ),
    max_size=1_500,
)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    notes=st.lists(letters, min_size=1, max_size=6),
    budget=st.integers(200, 4_000),
    title=st.text("abc XYZ-1", min_size=1, max_size=60),
)
def test_no_bundle_of_any_vault_exceeds_its_budget(
    notes: list[str], budget: int, title: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        desk = VaultDesk(Path(folder))
        name = title.strip() or "a"
        desk.indexed({f"{name} {n}.md": f"kiln {t}" for n, t in enumerate(notes)})
        try:
            made = desk.engine.bundles.pack("kiln glaze", budget_tokens=budget)
        except BudgetTooSmall:
            return
        finally:
            desk.close()

    markdown = bundle_as_markdown(made)
    assert made.tokens == Estimate().count(markdown) <= budget
    for note in made.notes:
        assert all(excerpt.text for excerpt in note.excerpts)


@pytest.mark.parametrize("budget", [200, 400, 1_000, 3_000, 6_000, 50_000])
def test_a_real_tokenizer_agrees_that_a_bundle_is_within_its_budget(
    real: VaultDesk, budget: int
) -> None:
    made = real.engine.bundles.pack("why lithium batteries", budget_tokens=budget)

    counted = len(tokenizer(MINILM).ids(bundle_as_markdown(made)))
    assert made.tokenizer == MINILM.id
    assert made.tokens == counted <= budget
    assert made.notes


def test_most_of_a_budget_is_used(real: VaultDesk) -> None:
    for budget in (1_000, 3_000, 6_000):
        made = real.engine.bundles.pack(
            "how are the stations kept", budget_tokens=budget
        )

        assert made.tokens > 0.75 * budget


@given(letters)
def test_the_parts_of_a_text_are_its_lines_and_sentences(text: str) -> None:
    parts = parted(text, 0, len(text))

    assert parts == sorted(parts)
    assert "".join("".join(text[a:b].split()) for a, b in parts) == "".join(
        text.split()
    )
    assert all("\n" not in text[start:end] for start, end in parts)


@given(
    st.lists(
        st.tuples(st.integers(1, 50), st.sampled_from([0.0, 0.0, 1.0, 2.5]))
    ).filter(bool),
    st.integers(1, 200),
)
def test_a_run_fits_its_room_and_no_other_scores_more(
    units: list[tuple[int, float]], room: int
) -> None:
    weights, scores = [unit[0] for unit in units], [unit[1] for unit in units]

    first, last = run(weights, scores, 0, room)

    assert 0 <= first <= last < len(units)
    assert first == last or sum(weights[first : last + 1]) <= room
    best = max(
        sum(scores[a : b + 1])
        for a in range(len(units))
        for b in range(a, len(units))
        if a == b or sum(weights[a : b + 1]) <= room
    )
    assert sum(scores[first : last + 1]) == pytest.approx(best)


def test_filters_and_little_words_are_no_words_of_a_question() -> None:
    asked = 'what is the kiln -path:"Old Kilns.md" tag:pottery [status:open] -glaze'

    assert question_words(asked, []) == {"kiln"}
    assert question_words("what is this", []) == {"what", "is", "this"}
