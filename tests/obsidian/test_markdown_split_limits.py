"""Notes of every size are split into passages that are bounded in number and size."""

import pytest

from glassmind.model import NotePath
from glassmind.model.index import SplitRules
from glassmind.model.notes import Chunk, Note
from glassmind.obsidian.notes import parse_note
from glassmind.obsidian.split import Split, split

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


def test_a_line_of_a_megabyte_is_cut_into_bounded_passages() -> None:
    chunks = chunks_of("x" * 1_000_000)

    assert max(chunk.tokens for chunk in chunks) <= 550
    assert len(chunks) <= 1000


def test_chinese_text_is_measured_by_character() -> None:
    chunks = chunks_of("水温八十度泡三分钟。" * 300)

    assert max(chunk.tokens for chunk in chunks) <= 550
    assert all(own(chunk).endswith("。") for chunk in chunks)


def test_windows_line_ends_are_never_parted() -> None:
    text = "# Tea\r\n\r\n" + ("x" * 61 + "\r\n") * 200

    chunks = chunks_of(text, SMALL)

    assert all(not own(chunk).endswith("\r") for chunk in chunks)


def test_a_note_of_too_many_passages_has_them_joined_with_a_warning() -> None:
    text = "---\na: b\n---\n" + "".join(f"# H{n}\n\n{FILLER * 4}\n" for n in range(500))

    result = split_text(text, SplitRules(max_chunks=40))

    assert 20 <= len(result.chunks) <= 40
    assert "".join(own(chunk) for chunk in result.chunks) == text
    assert result.warnings == (
        f"The note is long: 501 passages joined into {len(result.chunks)}.",
    )
    assert [chunk.kind for chunk in result.chunks[:2]] == [
        "frontmatter",
        "heading_section",
    ]
    longest = max(len(chunk.text) for chunk in result.chunks[1:])
    assert longest < 3 * len(text) / len(result.chunks)


@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_even_one_passage_can_hold_a_note(most: int) -> None:
    text = "---\na: b\n---\n" + "# H\n\n---\n\nx\n\n" * 50

    result = split_text(text, SplitRules(max_chunks=most))

    assert len(result.chunks) <= max(most, 1)
    assert "".join(own(chunk) for chunk in result.chunks) == text


def test_thirty_thousand_headings_stay_bounded() -> None:
    text = "".join(f"{'#' * (n % 6 + 1)} H{n}\nbody\n\n" for n in range(30_000))

    chunks = chunks_of(text)

    assert len(chunks) <= 1000
    assert "# H29999" in chunks[-1].text


def test_a_long_heading_is_not_repeated_whole_by_every_passage() -> None:
    text = f"# {'x' * 100_000}\n\n" + "\n\n".join([FILLER] * 2000)

    paths = {chunk.heading_path for chunk in chunks_of(text)}

    assert max(len(part) for path in paths for part in path) == 500


def test_a_note_without_known_blocks_is_split_by_lines() -> None:
    text = "views:\n" + "  - type: table\n" * 400
    note = Note(NotePath("Tea.base"), "base", "Tea", text)

    chunks = split(note, SplitRules()).chunks

    assert len(chunks) > 1
    assert all(own(chunk).endswith("\n") for chunk in chunks)
    assert "".join(own(chunk) for chunk in chunks) == text


@pytest.mark.parametrize(
    "text",
    [
        "```\n" + "x\n" * 30_000,
        "> " * 2_000 + "deep\n",
        "- a\n" * 50_000,
        "\n" * 300_000,
        " " * 300_000 + "x",
        "[[" * 100_000,
        "---\n" * 50_000,
        "$$" * 50_000,
        "`" * 100_000,
        "%%\n" * 50_000,
        "a. " * 100_000,
        "\x00" * 100_000,
        "\ud800" * 1000,
        "line\rline\r" * 20_000,
        "| a |\n|---|\n" * 10_000,
        "\u0301" * 50_000,
    ],
    ids=range(16),
)
def test_hostile_text_is_split_whole_and_bounded(text: str) -> None:
    note = parse_note(NotePath("Tea.md"), text)

    chunks = split(note, SplitRules()).chunks

    assert len(chunks) <= 1000
    assert "".join(own(chunk) for chunk in chunks) == note.text
