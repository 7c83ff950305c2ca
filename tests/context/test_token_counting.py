"""Tokens are counted so that no reader finds more, whatever the script."""

import json
import re
import string
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_harness import real_models, tokenizer
from vault_harness import VaultHarness

from glassmind.context.budget import Estimate
from glassmind.context.markdown import bundle_as_markdown
from glassmind.models.cards import MINILM, WORDLLAMA, ModelCard
from glassmind.models.tokens import TokenCounter, WindowedTokenizer

ROOT = Path(__file__).parents[2]
LANGUAGES = ROOT / "tests" / "gold" / "languages.jsonl"

HIDDEN = "\u200b\u200c\u200d\u2060"
"""Letters without width."""

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
    "families": "👩‍👩‍👧‍👦🏳️‍🌈🧑🏽‍🚀 ",
    "am": "የወንዙ ውሃ በዝናብ ወቅት በጣም ከፍ ይላል ",
    "lo": "ນ້ຳໃນແມ່ນ້ຳສູງຂຶ້ນຫຼາຍໃນລະດູຝົນ ",
    "gu": "વરસાદની ઋતુમાં નદીનું પાણી ખૂબ વધે છે ",
    "te": "వర్షాకాలంలో నది నీరు చాలా పెరుగుతుంది ",
    "kn": "ಮಳೆಗಾಲದಲ್ಲಿ ನದಿಯ ನೀರು ಬಹಳ ಏರುತ್ತದೆ ",
    "pa": "ਮੀਂਹ ਦੇ ਮੌਸਮ ਵਿੱਚ ਦਰਿਆ ਦਾ ਪਾਣੀ ਬਹੁਤ ਵਧਦਾ ਹੈ ",
    "or": "ବର୍ଷା ଋତୁରେ ନଦୀର ପାଣି ବହୁତ ବଢ଼େ ",
    "si": "වැසි සමයේ ගංගාවේ ජලය ඉතා ඉහළ යයි ",
    "km": "ទឹកទន្លេឡើងខ្ពស់ខ្លាំងណាស់ក្នុងរដូវវស្សា ",
    "mn": "ᠭᠣᠣᠯ ᠤᠨ ᠤᠰᠤ ",
    "zh": "今天我们讨论了下个季度的工作计划并决定推迟会议。",
    "ko": "오늘 우리는 다음 분기 작업 계획을 논의하고 회의를 미루기로 했다. ",
    "hidden": f"seen{HIDDEN * 8} ",
    "blanks": f"wide\u3000\u2003\xa0blank{chr(10) * 9}",
    "numbers": "12,345.67 2026-11-16 987654321 | ",
    "address": "https://example.org/a/b-c_d?x=12&y=34567#part ",
}  # fmt: skip


FIGURES = ("digests", "image", "numbers", "emoji")
"""Those with digits, of which one vocabulary makes a token of two or three each."""


@cache
def known_counter() -> tuple[TokenCounter, WindowedTokenizer]:
    """Return a counter that has learnt from other texts, and its tokenizer."""
    real = tokenizer(MINILM)
    return TokenCounter(real, "known"), real


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


@pytest.mark.parametrize("card", [MINILM, WORDLLAMA], ids=lambda card: card.id)
def test_words_add_up_to_what_the_tokenizer_counts(card: ModelCard) -> None:
    real = tokenizer(card)
    counter = TokenCounter(real, "real")

    for text in real_texts():
        if text.isascii() and "\n\n\n" not in text:
            assert counter.count(text) == len(real.ids(text))
        else:
            assert counter.count(text) >= len(real.ids(text))


@pytest.mark.parametrize("card", [MINILM, WORDLLAMA], ids=lambda card: card.id)
def test_the_estimate_is_never_below_a_real_tokenizer_on_real_text(
    card: ModelCard,
) -> None:
    real, estimate = tokenizer(card), Estimate()

    short = [
        (text[:40], estimate.count(text) / len(real.ids(text)))
        for text in real_texts()
        if estimate.count(text) < len(real.ids(text))
    ]

    assert short == []


@given(
    st.lists(
        st.text(
            string.ascii_letters + string.digits + "'-%/#.", min_size=1, max_size=90
        )
        | st.sampled_from(["garden", "Garden,", "[[Garden]]", "GARDENS/garden.md#12"]),
        max_size=12,
    ),
    st.sampled_from([" ", "\n", "  ", "\t", "\r\n"]),
)
def test_words_and_signs_count_alike_in_every_case_and_order(
    words: list[str], blank: str
) -> None:
    known, real = known_counter()
    text = blank.join(words)

    for counter in (TokenCounter(real, "new"), known):
        assert counter.count(text) == len(real.ids(text))
        assert counter.count(text.upper()) == len(real.ids(text))


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_text_counts_as_much_as_its_lines(name: str) -> None:
    counter = TokenCounter(tokenizer(MINILM), "real")
    lines = [SCRIPTS[name].strip() * n for n in range(1, 20)]

    assert counter.count("\n".join(lines)) == sum(map(counter.count, lines))


def test_threads_share_a_counter_that_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("glassmind.models.tokens.MOST_WORDS", 10)
    counter = TokenCounter(tokenizer(MINILM), "real")
    texts = [text[:400] for text in real_texts()]
    alone = list(map(counter.count, texts))

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: list(map(counter.count, texts)), range(8)))

    assert found == [alone] * 8


def test_a_word_too_long_to_be_read_counts_by_its_pieces() -> None:
    counter = TokenCounter(tokenizer(MINILM), "real")

    assert counter.count("x" * 1_000) >= 10


def test_a_counter_forgets_what_it_cannot_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("glassmind.models.tokens.MOST_WORDS", 10)
    real = tokenizer(MINILM)
    counter = TokenCounter(real, "real")

    for text in real_texts():
        assert counter.count(text[:500]) >= len(real.ids(text[:500]))


@pytest.mark.parametrize("name", SCRIPTS)
def test_where_one_vocabulary_ends_another_counts_no_more(name: str) -> None:
    counter, other = TokenCounter(tokenizer(MINILM), "real"), tokenizer(WORDLLAMA)
    text = SCRIPTS[name] * 20

    told = counter.count(text)

    apart = 2.0 if name in FIGURES else 1.25 if text.isascii() else 1.0
    assert len(other.ids(text)) <= apart * told


@given(st.lists(st.sampled_from(["a" * 15, "B7" * 8, "9" * 17, "é", " ", "_", "\n"])))
def test_long_runs_of_letters_and_digits_count_half_a_token_more(
    parts: list[str],
) -> None:
    text = "".join(parts)
    runs = re.findall("[A-Za-z0-9]{16,}", text)
    broken = re.sub("[A-Za-z0-9]{15}(?=[A-Za-z0-9])", "\\g<0>_", text)

    signs = len(broken) - len(text)
    more = Estimate().count(text) - (Estimate().count(broken) - signs)

    assert abs(more - sum(map(len, runs)) / 2) < 1


def test_what_has_no_width_counts_all_the_same() -> None:
    counter = TokenCounter(tokenizer(MINILM), "real")

    assert counter.count(HIDDEN * 100) >= 400
    assert counter.count("a" + "\x07" * 90) >= 90
    assert counter.count("a" + "\n" * 3_000 + "b") >= 3_000
    assert counter.count("a" + "\u2003" * 3_000 + "b") >= 3_000


@pytest.mark.parametrize("backend", ["none", "onnx"])
def test_every_tokenizer_at_hand_finds_a_bundle_within_its_budget(
    vault: VaultHarness, backend: str
) -> None:
    readers = [tokenizer(MINILM), tokenizer(WORDLLAMA)]
    models = str(real_models(MINILM, WORDLLAMA))
    odd = [name for name, text in SCRIPTS.items() if not text.isascii()]
    vault.indexed(
        {
            f"{name}/Note {n}.md": f"# {name}alarm {n}\n\n{n} " + SCRIPTS[name] * 30
            for name in [*odd, "code", "address"]
            for n in range(8)
        }
    )
    engine = vault.open(embeddings__backend=backend, embeddings__models_folder=models)

    for name in [*odd, "code", "address"]:
        for budget in (600, 2_000):
            made = engine.bundles.pack(
                f"{name}alarm", mode="fulltext", budget_tokens=budget
            )
            counts = [len(reader.ids(bundle_as_markdown(made))) for reader in readers]
            assert made.notes, name
            assert made.tokens <= budget, name
            assert counts[0] <= budget, name
            # titles and receipts are ASCII, of which the other makes a sixth more
            room = budget if made.tokenizer == "estimate" else budget * 7 / 6
            assert counts[1] <= room, name
