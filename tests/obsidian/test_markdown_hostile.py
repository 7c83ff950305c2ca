"""Notes made to hurt: the answer is right, and comes before the time limit."""

import pytest
from markdown_harness import read

MANY = 100_000


def test_many_open_brackets_are_not_a_link() -> None:
    assert read("[[" * 200_000).links == ()


def test_a_hundred_thousand_links_on_one_line_are_all_found() -> None:
    note = read("[[a|b]] " * MANY)

    assert len(note.links) == MANY
    assert note.links[-1].start == 8 * (MANY - 1)


def test_a_hundred_thousand_headings_are_all_found() -> None:
    note = read("# h\n" * MANY)

    assert len(note.headings) == len(note.blocks) == MANY
    assert note.headings[-1].line == MANY


@pytest.mark.parametrize("mark", [">", "> "])
def test_ten_thousand_nested_quotes_are_one_block(mark: str) -> None:
    note = read(mark * 10_000 + "[[a]]")

    assert [block.kind for block in note.blocks] == ["quote"]
    assert [link.target for link in note.links] == ["a"]


def test_ten_thousand_nested_items_are_one_list() -> None:
    note = read("- " * 10_000 + "[[a]]")

    assert [block.kind for block in note.blocks] == ["list"]
    assert [link.target for link in note.links] == ["a"]


def test_deeply_nested_tasks_know_their_parents() -> None:
    depth = 1_000
    note = read("".join(" " * (2 * n) + "- [ ] x\n" for n in range(depth)))

    assert [task.depth for task in note.tasks] == list(range(depth))
    assert [task.parent_line for task in note.tasks[1:]] == list(range(1, depth))


def test_a_fence_that_never_closes_hides_the_rest() -> None:
    note = read("```\n" + "[[a]] #b\n" * MANY)

    assert [block.kind for block in note.blocks] == ["fence"]
    assert (note.links, note.tags) == ((), ())


def test_a_line_of_a_megabyte_is_read_to_its_end() -> None:
    note = read("word " * 200_000 + "#tag")

    assert [tag.name for tag in note.tags] == ["tag"]


@pytest.mark.parametrize(
    "piece",
    ["%%", "%%\n", "a %% b\n\n", "$$", "$$\n", "$", "`", "^[", "^a\n", "a ^b\n",
     "[a:: ", "(a:: ", "::\n", "#", "#a", "_#a", "<b>", "</b>", "<!--", "\\", "\\[[a]]",
     "[a](", "](", "![", "*a_ ", "~~", "|", "\r", "\0", "> ", "&amp;#", "[^1]", "---\n",
     "- \n", "\U0001f4c5", "{{", "[[a [b "],
)  # fmt: skip
def test_no_repeated_piece_makes_the_time_explode(piece: str) -> None:
    note = read(piece * 20_000)

    assert note.text == piece * 20_000


def test_lines_of_blanks_before_what_is_no_field_are_read_once() -> None:
    note = read((" " * 30_000 + "a, b:: c\n") * 100)

    assert note.fields == ()


def test_images_nested_in_images_do_not_fill_the_memory() -> None:
    note = read("![" * 20_000 + "x" + "](a.png)" * 20_000)

    assert all(link.embed for link in note.links)
    assert sum(len(link.display or "") for link in note.links) < 10_000_000


def test_elements_opened_and_closed_many_times_hold_no_tags() -> None:
    note = read("x " + "<b>" * 20_000 + "#a" + "</b>" * 20_000)

    assert note.tags == ()


def test_lone_surrogates_become_the_replacement_character() -> None:
    note = read("a\ud800b [[c\udfff]] #d")

    assert note.text == "a\ufffdb [[c\ufffd]] #d"
    assert [link.target for link in note.links] == ["c\ufffd"]
    assert note.text.encode()[note.tags[0].start :] == b"#d"


def test_nul_bytes_pass() -> None:
    note = read("a\0b [[c]]\0")

    assert note.text == "a\0b [[c]]\0"
    assert [link.target for link in note.links] == ["c"]
