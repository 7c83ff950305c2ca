"""Quotes are found however they are written, and only if every word stands there."""

import random
import time

import pytest
from answers_harness import HERON, SOURCES, source
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from glassmind.context.proof import (
    LEFT_OUT,
    ModelStatement,
    SourceText,
    SourceTexts,
    holds,
    words_of,
)
from glassmind.model.context import Statement
from glassmind.obsidian.hidden_text import visible_text
from glassmind.obsidian.receipts import digest_of_lines, parse_receipt

PAGES = SourceTexts([SourceText(one, one.text) for one in SOURCES])


def judged(quote: str, pages: SourceTexts = PAGES) -> Statement:
    """Return what becomes of a statement that says its quote of the first source."""
    return pages.judged(ModelStatement(1, quote, quote or "Something."), "")


WORDS = ("otter", "Weir", "naïve", "don't", "12", "3.5", "e-mail", "Ǆungla", "茶")
STARTS = ("", "", "- ", "> ", "3. ", "- [ ] ", "## ", "| ", "> [!note] ", "  * ")
ENDS = ("", "", ".", " ^id-1", "  ", ",", "\r")
WRAPS = ("{}", "{}", "**{}**", "_{}_", "`{}`", "[[{}]]", "[[x|{}]]", "[{}](http://x)",
         "=={}==", "“{}”", "({})")  # fmt: skip

NOTES = st.lists(
    st.tuples(
        st.sampled_from(STARTS),
        st.lists(
            st.tuples(st.sampled_from(WORDS), st.sampled_from(WRAPS)),
            min_size=1,
            max_size=7,
        ),
        st.sampled_from(ENDS),
    ),
    min_size=1,
    max_size=6,
)


def line_of(start: str, words: list[tuple[str, str]], end: str) -> str:
    return start + " ".join(wrap.format(word) for word, wrap in words) + end


def changed(word: str, dice: random.Random) -> str:
    """Return a word as a model may write it that means the same."""
    word = dice.choice((word, word.upper(), word.lower(), f"**{word}**", f"_{word}_"))
    word = word.replace("'", dice.choice("'’"))  # noqa: RUF001 - as people write it
    return word.replace("-", dice.choice("-‑–") if "-" in word else "-")  # noqa: RUF001


@given(NOTES, st.randoms(use_true_random=False))
def test_any_stretch_is_found_and_cited_with_its_sentence_under_its_lines(
    lines: list[tuple[str, list[tuple[str, str]], str]], dice: random.Random
) -> None:
    text = "\n".join(line_of(*line) for line in lines)
    said = [line for line in lines if line[0] != "## " and len(line[1]) > 2]
    assume(said)
    spoken = [word for word, _ in dice.choice(said)[1]]
    first = dice.randrange(len(spoken) - 2)
    last = dice.randrange(first + 3, len(spoken) + 1)
    blank = dice.choice((" ", "  ", "\u00a0"))
    quote = blank.join(changed(word, dice) for word in spoken[first:last])
    assume(sum(1 if word == "茶" else 4 for word in spoken[first:last]) >= 12)
    page = SourceText(source(1, "a.md", text, start=7), text.rstrip("\n"))

    made = judged(quote, SourceTexts([page]))

    (cited,) = made.citations
    assert made.problem in ("", LEFT_OUT)
    assert not made.problem or "don't" in cited.quote
    assert cited.quote in text
    assert holds(cited.quote, quote)
    receipt = parse_receipt(cited.receipt)
    assert receipt is not None
    start, end = receipt.span
    there = "\n".join(text.split("\n")[start - 7 : end - 6])
    assert cited.quote in there
    assert receipt.digest == digest_of_lines(there)


@given(NOTES)
def test_no_quote_runs_from_one_item_into_the_next(
    lines: list[tuple[str, list[tuple[str, str]], str]],
) -> None:
    text = "\n".join(f"- {line_of('', words, '')}" for _, words, _ in lines)
    spoken = [[word for word, _ in words] for _, words, _ in lines]
    assume(len(spoken) > 1)
    over = " ".join([*spoken[0], *spoken[1]])
    assume(not any(holds(" ".join(words), over) for words in spoken))

    assert found(text, over).citations == ()


@given(NOTES, st.randoms(use_true_random=False))
def test_a_stretch_with_one_word_changed_is_not_found(
    lines: list[tuple[str, list[tuple[str, str]], str]], dice: random.Random
) -> None:
    text = "\n".join(line_of(*line) for line in lines)
    spoken = [word for _, words, _ in lines for word, _ in words]
    assume(len(spoken) > 2)
    spoken[dice.randrange(len(spoken))] = dice.choice(("heron", "13", "not", "水"))
    page = SourceText(source(1, "a.md", text), text)

    made = judged(" ".join(spoken), SourceTexts([page]))

    assert made.citations == ()
    assert made.problem == "the quote is not in source 1"


RUNS = (
    "The station runs on a **40 W** panel and a [[LiFePO4|lithium battery]] of 12 Ah."
)


@pytest.mark.parametrize(
    ("quote", "cited"),
    [
        ("a 40 W panel and a lithium battery", RUNS),
        ("a [[LiFePO4|lithium battery]] of 12 Ah", RUNS),
        ("a lithium battery of 12 Ah.", RUNS),
        ("IT SLEEPS BETWEEN 22:00", "It sleeps between 22:00 and 05:30."),
        ("It sleeps\n between  22:00 and 05:30", "It sleeps between 22:00 and 05:30."),
        ("“It sleeps between 22:00”", "It sleeps between 22:00 and 05:30."),
        ("- Mara changed the fuse", "Mara changed the fuse on 2026-03-01."),
    ],
)
def test_marks_and_blanks_do_not_count_and_the_whole_sentence_is_cited(
    quote: str, cited: str
) -> None:
    (one,) = judged(quote).citations

    assert one.quote in HERON
    assert one.quote == cited


@pytest.mark.parametrize(
    "quote",
    [
        "a 40 W panel and a LiFePO4",  # which is not shown
        "sleeps between 22:00 and 05:31",
        "sleeps 22:00 and 05:30",  # a word left out
        "changed the fuse on 2026-03",
        "the station runs on a 40 W pan",
        "Mara changed the fuses",
        "the fuse Mara changed",
    ],
)
def test_every_word_has_to_stand_there_in_its_order(quote: str) -> None:
    assert judged(quote).citations == ()


@pytest.mark.parametrize(
    ("quote", "is_supported"),
    [
        ("40 W", False),
        ("40 W panel", True),
        ("2026-03-01", False),
        ("the station", False),
        ("The station runs on ... lithium battery of 12 Ah", False),
        ("LiFePO4", False),
        ("", False),
        ("...", False),
    ],
)
def test_a_quote_of_a_word_or_two_proves_nothing_by_itself(
    quote: str, is_supported: bool
) -> None:
    made = judged(quote)

    assert made.is_supported is is_supported
    assert bool(made.problem) is not is_supported


def found(text: str, quote: str) -> Statement:
    return judged(quote, SourceTexts([SourceText(source(1, "a.md", text), text)]))


@pytest.mark.parametrize(
    ("text", "quote", "bears"),
    [
        ("水獺相機每天在舊堰下拍攝一千張照片。", "相機每天在舊堰下拍攝一千張", True),
        ("水獺相機每天在舊堰下拍攝一千張照片。", "相機每天在新堰下拍攝一千張", False),
        ("It was led by Ida Brandt then.", "Ida Brandt", True),
        ("It was led by Ida then.", "Ida", True),
        ("**Lead**: Ida", "Ida", True),
        ("| Lead | Ida |", "Ida", True),
        ("負責人是王小明。", "王小明", True),
        ("naïve caf\u00e9 owners", "nai\u0308ve cafe\u0301 owners", True),
        ("the ﬁrst \uff12\uff10 of them", "the first 20 of", True),
        ("so\u00adlar and so\u200blar power", "solar and solar power", True),
        ("1. Cut it here.\n2. Glue it.", "1. Cut it here", True),
        ("1. Cut it here.\n2. Glue it.", "1. Cut it. 2. Glue it.", False),
        ("1. Cut it here.\n2. Glue it now.", "2. Glue it now.\n1. Cut it here.", False),
        ("1. Buy milk and tea", "1", False),
        ("| a b | c d |\n|---|---|\n| e f | g h |", "e f g h", True),
        ("| a b | c d |\n|---|---|\n| e f | g h |", "a b c d e f", False),
        ("| a b | c d |\n|---|---|\n| e f | g h |", "a b c d", False),
        ("| A | 5 mg |\n| B | 9 mg |", "A 5 mg B", False),
        ("A | 5 mg\n--|--\nB | 9 mg\nC | 7 mg", "9 mg C", False),
        ("A | 5 mg\n--|--\nB | 9 mg\nC | 7 mg", "B | 9 mg", True),
        ("## Sell the old boat\nWe may.", "Sell the old boat", False),
        ("Sell the old boat\n===\nWe may.", "Sell the old boat", False),
        ("Sell the old boat\n---\nWe may.", "Sell the old boat", False),
        ("## We may\nsell the boat", "We may sell the boat", False),
        ("- We may\n- sell the boat", "We may sell the boat", False),
        ("- We may\n  sell the boat", "We may sell the boat", True),
        ("> We may\n> sell the boat", "We may sell the boat", True),
        ("We may not.\n> Sell the boat", "may not sell the", False),
        ("We may. Or\nnot so soon.", "We may. Or not", True),
        ("We may.\n\nSell the boat.", "We may. Sell the boat.", False),
        ("---\nowner: Ida B\nlead: Jon\n---\n", "owner: Ida B", True),
        ("---\nowner: Ida B\nlead: Jon\n---\n", "Ida B lead: Jon", False),
        ("```\nmake all the\nthings\n```", "make all the things", True),
        ("It may reach -5 °C there", "may reach -5 °C", True),
        ("It may reach -5 °C there", "may reach 5 °C", False),
        ("It may reach 5 °C there", "may reach −5 °C", False),  # noqa: RUF001 - a minus
        ("It costs about 5 € now", "costs about 5 $", False),
        ("It was 3.5 of them", "was 3,5 of them", False),
        ("It was 3.5 of them", "was 35 of them", False),
        ("We write it in C++ here", "write it in C#", False),
        ("seen <!-- never --> and said", "seen and said", True),
        ("seen <!-- never said --> and said", "never said and said", False),
        ("seen %%never said%% and said", "seen never said and", False),
        ("see [the old\nweir](http://x.io/7) now", "the old weir now", True),
        ("see [the old weir](http://x.io/7)", "old weir](http://x.io/7) of it", False),
        ("see [the old weir](http://x.io/7)", "see the old weir](http://x.io/7)", True),
        ("<b>Bold</b> and *more* words[^1] here", "bold and more words here", True),
    ],
)
def test_what_reads_alike_is_alike(text: str, quote: str, bears: bool) -> None:
    assert bool(found(text, quote).citations) is bears


def test_what_is_in_no_note_is_cited_without_a_receipt() -> None:
    fact = source(1, "hindsight://bank/7", "Ida prefers tea in the morning.")
    fact = replace(fact, receipt="")

    pages = SourceTexts([SourceText(fact, fact.text)])

    made = judged("prefers tea in the morning", pages)

    assert [citation.receipt for citation in made.citations] == [""]


def test_a_receipt_is_for_the_lines_of_the_quote_alone() -> None:
    (cited,) = judged("It sleeps between 22:00 and 05:30").citations

    receipt = parse_receipt(cited.receipt)
    assert receipt is not None
    assert receipt.span == (6, 6)
    assert receipt.digest == digest_of_lines("- It sleeps between 22:00 and 05:30.")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a <!-- b\nc --> d", "a \n d"),
        ("a\n%%\nhidden\n%%\nb", "a\n\n\n\nb"),
        ("a %%b%% c", "a   c"),
        ("50%% of a\n\n50%% of b", "50%% of a\n\n50%% of b"),
        ("a\n%% never closed\nb", "a\n\n"),
        ("a <!-- never closed\nb", "a \n"),
        ("s\u200bo", "so"),
    ],
)
def test_what_nobody_sees_is_left_out_and_the_lines_stay(text: str, shown: str) -> None:
    assert visible_text(text) == shown


PARTS = st.sampled_from(
    ("tea ", "tea\n", "\n", "<!--secret-->", "<!--\nsecret\n-->", "%%secret%%", "50% ")
)


@given(st.lists(PARTS))
def test_a_model_sees_what_people_see(parts: list[str]) -> None:
    text = "".join(parts)

    shown = visible_text(text)

    assert "secret" not in shown
    assert "secret" not in {word.key for word in words_of(text)}
    assert shown.count("tea") == text.count("tea")
    assert shown.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "piece",
    ["a\n", "- a\n", "|a\n", "a|b\n-|-\n", "---\n", "```\n", "(a. ",
     "<!--", "%%", "%% a\n\n", "[[", "[[a|", "[a](", "[a](b(", "<a ", "[^", "**", "1,",
     "- [", " ", "[ ", "\n", "\u200b", "^a ", ". . ", "...", "a" * 50 + "<!-- %%"],
)  # fmt: skip
def test_a_hostile_text_is_read_at_once(piece: str) -> None:
    text = piece * (40_000 // len(piece))
    began = time.process_time()

    page = SourceText(source(1, "a.md", text), text)
    list(page.find(text[:4_000]))

    assert time.process_time() - began < 2  # CPU seconds; about 0.1 is normal
