"""How a note is split: sections large and small, kinds, paths, and hostile text."""

from itertools import pairwise

import pytest
import xxhash

from glassmind.model import Digest, NotePath, Span
from glassmind.model.index import SplitRules
from glassmind.model.notes import Chunk
from glassmind.obsidian.notes import parse_note
from glassmind.obsidian.split import Split, split
from glassmind.obsidian.text import estimate_tokens

SMALL = SplitRules(target_tokens=50, overlap_tokens=10, min_chars=20)
FILLER = "Water just off the boil, leaves loose in the pot, three minutes at most. "


def split_text(text: str, rules: SplitRules | None = None) -> Split:
    return split(parse_note(NotePath("Tea.md"), text), rules or SplitRules())


def chunks_of(text: str, rules: SplitRules | None = None) -> tuple[Chunk, ...]:
    chunks = split_text(text, rules).chunks
    assert "".join(chunk.text[chunk.overlap :] for chunk in chunks) == text
    return chunks


def own(chunk: Chunk) -> str:
    return chunk.text[chunk.overlap :]


def test_a_section_is_a_passage_with_its_heading_and_path() -> None:
    text = f"# Tea\n\n{FILLER * 4}\n\n## Green\n\n{FILLER * 4}\n"

    tea, green = chunks_of(text)

    assert tea.text.startswith("# Tea\n")
    assert tea.heading_path == ("Tea",)
    assert green.text.startswith("## Green\n")
    assert green.heading_path == ("Tea", "Green")
    assert [tea.kind, green.kind] == ["heading_section"] * 2
    assert [tea.index, green.index] == [0, 1]
    assert [tea.span, green.span] == [Span(1, 4), Span(5, 7)]


def test_a_sibling_heading_leaves_the_path_of_the_one_before() -> None:
    text = "".join(f"{'#' * n} H{n}\n\n{FILLER * 4}\n\n" for n in (1, 3, 2, 1))

    paths = [chunk.heading_path for chunk in chunks_of(text)]

    assert paths == [("H1",), ("H1", "H3"), ("H1", "H2"), ("H1",)]


def test_text_before_any_heading_is_a_paragraph_without_a_path() -> None:
    first, second = chunks_of(f"{FILLER * 4}\n\n# Tea\n\n{FILLER * 4}\n")

    assert (first.kind, first.heading_path) == ("paragraph", ())
    assert second.heading_path == ("Tea",)


def test_the_frontmatter_is_a_passage_of_its_own_with_the_blank_lines_after_it() -> (
    None
):
    front, body = chunks_of("---\ntags: [tea]\n---\n\nOolong.\n")

    assert (front.kind, front.text) == ("frontmatter", "---\ntags: [tea]\n---\n\n")
    assert (body.kind, body.span) == ("paragraph", Span(5, 5))


def test_a_note_of_frontmatter_alone_is_one_passage() -> None:
    (front,) = chunks_of("---\ntags: [tea]\n---\n\n\n")

    assert front.kind == "frontmatter"


def test_frontmatter_longer_than_a_passage_is_cut_between_its_lines() -> None:
    text = "---\n" + "".join(f"key{n}: {FILLER}\n" for n in range(40)) + "---\nBody.\n"

    chunks = chunks_of(text, SMALL)

    assert {chunk.kind for chunk in chunks[:-1]} == {"frontmatter"}
    assert all(own(chunk).endswith("\n") for chunk in chunks)
    assert chunks[-1].text == "Body.\n"


def test_an_empty_note_has_one_empty_passage_for_its_title() -> None:
    assert split_text("").chunks == (
        Chunk(
            index=0,
            kind="heading_section",
            heading_path=(),
            span=Span(1, 1),
            text="",
            overlap=0,
            tokens=0,
            digest=Digest(xxhash.xxh3_128_hexdigest(b"")),
        ),
    )


@pytest.mark.parametrize("text", ["x", "\n", " \n\n", "#", "# ", "---", "\ufeff"])
def test_a_note_of_next_to_nothing_is_one_passage(text: str) -> None:
    note = parse_note(NotePath("Tea.md"), text)

    (chunk,) = split(note, SplitRules()).chunks

    assert chunk.text == note.text


def test_a_passage_carries_the_hash_and_the_estimate_of_its_text() -> None:
    (chunk,) = chunks_of("Grüner Tee, 緑茶.\n")

    assert chunk.digest == xxhash.xxh3_128_hexdigest("Grüner Tee, 緑茶.\n".encode())
    assert chunk.tokens == estimate_tokens(chunk.text)


def test_four_latin_letters_or_one_ideogram_make_a_token() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("a") == 1
    assert estimate_tokens("word" * 10) == 10
    assert estimate_tokens("緑茶") == 2
    assert estimate_tokens("한국어 ☕") == 4


def test_small_sections_join_what_follows_under_the_same_parent() -> None:
    text = "# Tea\n\n## Green\n\nSencha.\n\n## Black\n\nAssam.\n"

    (chunk,) = chunks_of(text)

    assert chunk.heading_path == ("Tea",)
    assert chunk.kind == "heading_section"


def test_a_group_of_small_siblings_says_their_parents_path() -> None:
    text = f"# Tea\n\n{FILLER * 4}\n\n## Green\n\nSencha.\n\n## Black\n\n{FILLER * 3}\n"

    tea, both = chunks_of(text)

    assert tea.heading_path == ("Tea",)
    assert both.heading_path == ("Tea",)
    assert "## Green" in both.text
    assert "## Black" in both.text


def test_a_small_section_does_not_join_what_stands_outside_of_its_parent() -> None:
    text = f"# Tea\n\n{FILLER * 4}\n\n## Green\n\nSencha.\n\n# Coffee\n\n{FILLER * 4}\n"

    tea, coffee = chunks_of(text)

    assert "## Green" in tea.text
    assert tea.heading_path == ("Tea",)
    assert coffee.heading_path == ("Coffee",)


def test_a_second_heading_of_the_same_name_is_another_parent() -> None:
    log = f"# Log\n\n{FILLER * 4}\n\n## Note\n\nShort.\n\n"

    first, second = chunks_of(log + log)

    assert first.text == second.text == log


def test_a_small_section_stays_alone_rather_than_break_a_full_one() -> None:
    text = f"# Tea\n\n{FILLER * 29}\n\n# End\n\n{FILLER}\n"

    tea, end = chunks_of(text)

    assert tea.tokens > 500
    assert end.text.startswith("# End")


def test_a_thematic_break_ends_a_passage_however_small() -> None:
    first, second = chunks_of("# Tea\n\nOolong.\n\n---\n\nSencha.\n")

    assert first.text == "# Tea\n\nOolong.\n\n---\n\n"
    assert (second.kind, second.heading_path) == ("paragraph", ("Tea",))


def test_a_break_with_nothing_to_end_makes_no_passage() -> None:
    texts = [
        own(chunk) for chunk in chunks_of("***\n\nOolong.\n\n---\n***\n\nAssam.\n")
    ]

    assert texts == ["***\n\nOolong.\n\n---\n***\n\n", "Assam.\n"]


def test_mostly_tasks_make_a_task_block_even_below_a_heading() -> None:
    (chunk,) = chunks_of("# Today\n\n- [ ] boil water\n- [x] buy tea\n\nAnd rest.\n")

    assert chunk.kind == "task_block"


def test_a_task_among_prose_makes_no_task_block() -> None:
    (chunk,) = chunks_of("# Today\n\nOne.\n\nTwo.\n\n- [ ] boil water\n")

    assert chunk.kind == "heading_section"


def test_a_passage_of_code_alone_is_a_code_block() -> None:
    (chunk,) = chunks_of("```python\nsteep(3)\n```\n")

    assert chunk.kind == "code_block"


def test_code_below_a_heading_is_a_section() -> None:
    (chunk,) = chunks_of("# Brew\n\n```python\nsteep(3)\n```\n")

    assert chunk.kind == "heading_section"


def test_a_long_section_is_cut_between_paragraphs_and_overlaps() -> None:
    text = "# Tea\n\n" + "\n\n".join(f"Cup {n}: {FILLER}{FILLER}" for n in range(30))

    chunks = chunks_of(text)

    assert len(chunks) == 3
    assert [chunk.kind for chunk in chunks] == ["heading_section"] + ["paragraph"] * 2
    assert all(chunk.heading_path == ("Tea",) for chunk in chunks)
    for before, after in pairwise(chunks):
        assert own(before).endswith("\n\n")
        assert 0 < after.overlap <= 320
        assert before.text.endswith(after.text[: after.overlap])
        assert after.text.startswith("Cup")


def test_sections_do_not_overlap() -> None:
    chunks = chunks_of("".join(f"# H{n}\n\n{FILLER * 20}\n\n" for n in range(5)))

    assert [chunk.overlap for chunk in chunks] == [0] * 5


def test_a_long_line_is_cut_at_sentences() -> None:
    chunks = chunks_of(FILLER * 100)

    assert all(own(chunk).endswith(". ") for chunk in chunks)
    assert all(chunk.text.startswith("Water") for chunk in chunks)


def test_a_code_block_that_fits_is_never_cut() -> None:
    fence = "```\n" + "steep the leaves\n" * 20 + "```\n"
    text = f"# Tea\n\n{FILLER * 18}\n\n{fence}\n{FILLER * 18}\n"

    chunks = chunks_of(text)

    assert len(chunks) > 1
    assert sum(fence in chunk.text for chunk in chunks) == 1


@pytest.mark.parametrize(
    "block",
    [
        "```\n" + "x = 1\n" * 25 + "```\n",
        "$$\n" + "x = y\n" * 25 + "$$\n",
        "| a | b |\n|---|---|\n" + "| c | d |\n" * 12,
        "> [!note] Head\n" + "> line\n" * 15,
        "- item\n\n  ```\n" + "  x = 1\n" * 18 + "  ```\n",
    ],
    ids=["fence", "math", "table", "callout", "nested fence"],
)
@pytest.mark.parametrize("before", range(0, 200, 17))
def test_a_block_that_fits_stays_whole_wherever_it_stands(
    block: str, before: int
) -> None:
    text = "# T\n\n" + "word " * (before // 5) + "\n\n" + block + "\n" + "word " * 60

    chunks = chunks_of(text, SMALL)

    assert sum(block.strip() in chunk.text for chunk in chunks) == 1


LONG_BLOCKS = {
    "fence": "```\n" + "steep the leaves\n" * 100 + "```\n",
    "math": "$$\n" + "x = y + z\n" * 150 + "$$\n",
    "table": "| a | b |\n|---|---|\n" + "| cups | dishes |\n" * 100,
    "callout": "> [!note] Head\n" + "> steep the leaves\n" * 100,
    "nested fence": "- item\n\n  ```\n" + "  x = 1\n" * 200 + "  ```\n",
}


@pytest.mark.parametrize("block", LONG_BLOCKS.values(), ids=LONG_BLOCKS)
@pytest.mark.parametrize("before", [0, 4, 30, 60, 150])
def test_a_block_longer_than_a_passage_stays_whole_and_begins_its_own(
    block: str, before: int
) -> None:
    said = "word " * before
    text = f"# T\n\n{said}\n\n{block}\n" + "word " * 200

    chunks = chunks_of(text, SMALL)

    inner = block.partition("\n\n")[2] or block
    (whole,) = [chunk for chunk in chunks if inner.strip() in chunk.text]
    assert len(whole.text) < len(block) + 20 + 20 * (before < 30)
    assert whole.overlap == 0
    assert chunks[-1].tokens <= 100


def test_a_quote_longer_than_a_passage_is_cut_between_lines() -> None:
    chunks = chunks_of("> steep the leaves\n" * 100, SMALL)

    assert len(chunks) > 5
    assert all(own(chunk).endswith("\n") for chunk in chunks)


def test_code_longer_than_sixteen_passages_is_cut_between_lines_as_code() -> None:
    text = "```\n" + "".join(f"line {n} of code\n" for n in range(50_000)) + "```\n"

    chunks = chunks_of(text)

    assert {chunk.kind for chunk in chunks} == {"code_block"}
    assert all(own(chunk).endswith("\n") for chunk in chunks)
    assert len(chunks) <= 1000


def test_a_table_longer_than_sixteen_passages_is_cut_between_rows() -> None:
    rows = "".join(f"| {FILLER} | {n} |\n" for n in range(80))

    chunks = chunks_of(f"# T\n\n| a | b |\n|---|---|\n{rows}", SMALL)

    assert all(own(chunk).endswith("|\n") for chunk in chunks)
    assert "|---|---|\n| Water" in chunks[0].text


def test_the_head_of_a_long_callout_is_not_left_behind() -> None:
    quote = "".join(f"> {n} {FILLER}\n" for n in range(60))
    text = f"{'word ' * 30}\n\n> [!tip] Brewing\n{quote}"

    chunks = chunks_of(text, SMALL)

    assert any("[!tip] Brewing\n> 0 Water" in chunk.text for chunk in chunks)


def test_a_heading_is_not_left_behind_by_its_text() -> None:
    small = "## Small\n\nTiny.\n\n"
    text = f"# Tea\n\n{small}## Long\n\n{FILLER * 60}\n"

    chunks = chunks_of(text)

    assert all(not own(chunk).rstrip().endswith("## Long") for chunk in chunks)
