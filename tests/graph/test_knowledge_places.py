"""A related note is listed where others are, and never where nobody sees it."""

import pytest
from edit_harness import FILES, TARGET, made, page_on

from glassmind.files.names import LinkWriter
from glassmind.graph.link_edits import edit_for_relation


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (
            "## Related\n\n* [[A]]\n\n## B\nx\n",
            "## Related\n\n* [[A]]\n* +\n\n## B\nx\n",
        ),
        ("## Links\n\n1. a\n2. b\n", "## Links\n\n1. a\n2. b\n3. +\n"),
        ("## Links\n\n- a\n    - b\n", "## Links\n\n- a\n    - b\n- +\n"),
        (
            "## Links\n\n- a\n\n### Web\n\n- b\n",
            "## Links\n\n- a\n- +\n\n### Web\n\n- b\n",
        ),
        ("## Links\n\n| a |\n|---|\n", "## Links\n\n| a |\n|---|\n\n- +\n"),
        ("## Links\n- a\n\n---\nfoot\n", "## Links\n- a\n- +\n\n---\nfoot\n"),
        ("See also: [[A]], [[B]].\n", "See also: [[A]], [[B]], +.\n"),
        (
            "A\n\n---\n\nB\n\n---\n\nC\n",
            "A\n\n---\n\nB\n\n---\n\nC\n\nSee also: +\n",
        ),
    ],
)
def test_a_link_joins_the_list_that_is_there(text: str, after: str) -> None:
    page = page_on(text)

    edit = edit_for_relation(page, TARGET, LinkWriter(FILES))

    assert edit is not None
    assert made(page, edit).text == after.replace("+", "[[Deep Work]]")


@pytest.mark.parametrize(
    "text",
    [
        "Text\n\n%% a comment without an end\n",
        "Text %% a comment without an end\n\nmore\n",
        "Text\n\n<!-- a comment without an end\n",
        "$$\nx\n",
        "```\nx\n",
        "---\nkanban-plugin: board\n---\n\n- [ ] a\n\n%% kanban:settings %%\n",
        "---\nexcalidraw-plugin: parsed\n---\nText\n",
    ],
)
def test_where_a_reader_would_not_see_it_no_link_is_listed(text: str) -> None:
    assert edit_for_relation(page_on(text), TARGET, LinkWriter(FILES)) is None


def test_marks_in_code_and_comments_that_end_bar_nothing() -> None:
    page = page_on("`$$` and `%%` and %%closed%% and $$x$$ <!-- c -->\n")

    assert edit_for_relation(page, TARGET, LinkWriter(FILES)) is not None
