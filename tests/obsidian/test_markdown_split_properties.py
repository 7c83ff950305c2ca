"""What holds for the passages of any note whatsoever."""

from collections.abc import Iterable

from hypothesis import example, given, settings
from hypothesis import strategies as st

from glassmind.model import NotePath
from glassmind.model.index import SplitRules
from glassmind.model.notes import Chunk, Note, Region
from glassmind.obsidian.notes import parse_note
from glassmind.obsidian.split import TIMES_WHOLE, UNCUT, split
from glassmind.obsidian.text import estimate_tokens, reach, weight

WORDS = st.text("abc XYZ.!?äß緑茶。", min_size=1, max_size=60)
LINES = st.lists(WORDS.map(lambda words: words.strip() or "tea"), max_size=12)


def _block(prefix: str, suffix: str = "", mark: str = "") -> st.SearchStrategy[str]:
    return LINES.map(
        lambda lines: prefix + "".join(f"{mark}{line}\n" for line in lines) + suffix
    )


BLOCKS = st.one_of(
    st.tuples(st.integers(1, 6), WORDS).map(lambda h: f"{'#' * h[0]} {h[1]}\n"),
    WORDS.map(lambda words: f"{words}\n===\n"),
    _block(""),
    _block("```py\n", "```\n"),
    _block("~~~\n", "~~~\n"),
    _block("$$\n", "$$\n"),
    _block("> [!tip] Head\n", mark="> "),
    _block("", mark="> "),
    _block("", mark="- [ ] "),
    _block("- item\n\n  ```\n", "  ```\n", "  "),
    _block("| a |\n|---|\n", mark="| "),
    st.just("---\n"),
    st.just("***\n"),
    st.just("%%\nhidden\n%%\n"),
    st.just("<div>\nhtml\n</div>\n"),
)
FRONTS = st.sampled_from(["", "", "---\ntags: [tea]\n---\n", "---\n---\n\n", "\n"])
MARKDOWN = st.builds(
    lambda front, blocks, gap, end: (front + gap.join(blocks)).replace("\n", end),
    FRONTS,
    st.lists(BLOCKS, max_size=14),
    st.sampled_from(["\n", "\n", "", "\n\n\n"]),
    st.sampled_from(["\n", "\n", "\r\n", "\r"]),
)
RULES = st.builds(
    SplitRules,
    target_tokens=st.sampled_from([1, 7, 40, 500]),
    overlap_tokens=st.sampled_from([0, 5, 80]),
    min_chars=st.sampled_from([0, 20, 200]),
    max_chunks=st.sampled_from([1, 2, 5, 1000]),
)


def _split(text: str, rules: SplitRules) -> tuple[Note, tuple[Chunk, ...]]:
    note = parse_note(NotePath("Tea.md"), text)
    return note, split(note, rules).chunks


def _check(text: str, rules: SplitRules) -> None:
    note, chunks = _split(text, rules)
    lines = note.text.split("\n")

    assert "".join(chunk.text[chunk.overlap :] for chunk in chunks) == note.text
    assert 1 <= len(chunks) <= rules.max_chunks
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    for number, chunk in enumerate(chunks):
        shown = "\n".join(lines[chunk.span.start - 1 : chunk.span.end]) + "\n"
        assert chunk.text in shown
        assert 1 <= chunk.span.start <= chunk.span.end <= len(lines)
        before = chunks[number - 1].text if number else ""
        assert before.endswith(chunk.text[: chunk.overlap])
        assert chunk.overlap < len(chunk.text) or not note.text


@given(st.text(max_size=400), RULES)
def test_any_text_is_covered_and_stands_on_its_lines(
    text: str, rules: SplitRules
) -> None:
    _check(text, rules)


@settings(deadline=None)
@given(MARKDOWN, RULES)
def test_any_markdown_is_covered_and_stands_on_its_lines(
    text: str, rules: SplitRules
) -> None:
    _check(text, rules)


LONE_RETURNS = (
    "---\rtags: [tea]\r---\r" + "?\r===\r" * 4 + "??????。。。\r===\r"
    "```py\r?\r?\r?\r?\r?\r?????。\r????????????。。\r```\r"
    "$$\r?\r?\r?\r?\r?\r?\r。\r。\r?。\r??。\r????????。\r????????。\r$$\r"
    "```py\r?\r```\r---\r"
)


def _texts(blocks: Iterable[Region], kinds: set[str], note: Note) -> list[str]:
    """Return the source of the blocks of some kinds."""
    source = note.text.encode()
    return [source[b.start : b.end].decode() for b in blocks if b.kind in kinds]


@settings(deadline=None)
@example(LONE_RETURNS, 40, 200)
@given(MARKDOWN, st.sampled_from([40, 120, 500]), st.sampled_from([0, 20, 200]))
def test_what_fits_in_a_passage_is_cut_nowhere(
    text: str, target: int, min_chars: int
) -> None:
    rules = SplitRules(target, target // 6, min_chars, max_chunks=100_000)
    note, chunks = _split(text, rules)
    kinds = {"fence", "math_block", "table", "quote"}

    for block in _texts((*note.blocks, *note.regions), kinds, note):
        if estimate_tokens(block) <= target - 2:
            assert any(block in chunk.text for chunk in chunks)


@settings(deadline=None)
@given(MARKDOWN, st.sampled_from([20, 40, 120]), st.sampled_from([0, 20, 200]))
def test_code_math_and_tables_are_cut_nowhere_below_sixteen_passages(
    text: str, target: int, min_chars: int
) -> None:
    rules = SplitRules(target, target // 6, min_chars, max_chunks=100_000)
    note, chunks = _split(text, rules)

    for block in _texts(note.blocks, {"fence", "math_block", "table"}, note):
        if estimate_tokens(block) <= 16 * target - 2:
            assert any(block in chunk.text for chunk in chunks)


@settings(deadline=None)
@given(MARKDOWN, st.sampled_from([40, 120, 500]))
def test_a_row_or_line_of_code_that_fits_is_cut_nowhere(text: str, target: int) -> None:
    rules = SplitRules(target, target // 6, 20, max_chunks=100_000)
    note, chunks = _split(text, rules)
    rows = [
        row
        for block in note.blocks
        if block.kind in {"fence", "table"}
        for row in note.text.encode()[block.start : block.end].decode().split("\n")
    ]

    for row in rows:
        if estimate_tokens(row) <= target - 2:
            assert any(row in chunk.text for chunk in chunks)


@settings(deadline=None)
@given(MARKDOWN, RULES)
def test_passages_are_bounded(text: str, rules: SplitRules) -> None:
    rules = SplitRules(
        rules.target_tokens, rules.overlap_tokens, rules.min_chars, max_chunks=100_000
    )
    note, chunks = _split(text, rules)

    uncut = any(found.kind in UNCUT for found in (*note.blocks, *note.regions))
    times = TIMES_WHOLE + 1 if uncut or note.callouts else 2
    assert max(chunk.tokens for chunk in chunks) <= times * rules.target_tokens + 1


@settings(deadline=None)
@given(MARKDOWN)
def test_a_thematic_break_is_crossed_by_no_passage(text: str) -> None:
    note, chunks = _split(text, SplitRules())
    encoded = note.text.encode()
    breaks = [block for block in note.blocks if block.kind == "rule"]
    at = 0
    for chunk in chunks:
        own = chunk.text[chunk.overlap :].encode()
        for block in breaks:
            inside = at < block.start and block.end < at + len(own)
            before = encoded[at : block.start].strip(b"-* \r\n")
            after = encoded[block.end : at + len(own)].strip(b"-* \r\n")
            assert not (inside and before and after)
        at += len(own)


@settings(deadline=None)
@given(MARKDOWN, RULES)
def test_splitting_twice_gives_the_same_passages(text: str, rules: SplitRules) -> None:
    assert _split(text, rules) == _split(text, rules)


@given(st.text("ab緑☕ ", max_size=50), st.integers(0, 60))
def test_a_reach_is_as_far_as_the_room_allows(text: str, room: int) -> None:
    end = reach(text, 0, len(text), room)

    assert weight(text[:end]) <= room or end <= 1
    assert end == len(text) or weight(text[: end + 1]) > room or end == 1
