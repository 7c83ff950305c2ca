"""A tag with another name: in texts and in lists, and nothing else changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.edit.page import EditedPage
from glassmind.edit.restructuring import named_anew, retagged, retagged_base, tag_name
from glassmind.errors import BadEdit
from glassmind.model import NotePath


def renamed(text: str, old: str = "tea", new: str = "drink/tea") -> str:
    return retagged(EditedPage.of(NotePath("a.md"), text.encode()), old, new)[
        0
    ].decode()


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("A #tea b\n", "A #drink/tea b\n"),
        ("#Tea/Green\r\n", "#drink/tea/Green\r\n"),
        ("#tea#other _#tea_\n", "#drink/tea#other _#drink/tea_\n"),
        ("> #tea\n%% #tea %%\n", "> #drink/tea\n%% #drink/tea %%\n"),
        ("| #tea |\n| - |\n| #TEA |\n", "| #drink/tea |\n| - |\n| #drink/tea |\n"),
        ("## On #tea ^id\n", "## On #drink/tea ^id\n"),
        ("[Chat #tea](x.md)\n", "[Chat #drink/tea](x.md)\n"),
    ],
)
def test_a_tag_of_the_text_gets_its_new_name(text: str, after: str) -> None:
    assert renamed(text) == after


@pytest.mark.parametrize(
    "text",
    [
        "`#tea`\n\n```\n#tea\n```\n\n~~~~\n~~~\n#tea\n~~~~\n",
        "[[note#tea]] [a](b.md#tea) https://x.example/#tea\n",
        "\\#tea (#tea) x#tea #teapot #my/tea $#tea$\n",
        "---\ntopic: [tea]\ntag: [tea]\ntags: tea\n---\ntea\n",
        "<!-- #tea -->\n",
    ],
)
def test_what_is_no_such_tag_stays(text: str) -> None:
    assert renamed(text) == text


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("tags: [tea, b] # why\n", "tags: [drink/tea, b] # why\n"),
        ("tags:\n  - 'tea' # x\n  - b\n", "tags:\n  - 'drink/tea' # x\n  - b\n"),
        ('tags: ["#tea/green"]\n', 'tags: ["#drink/tea/green"]\n'),
        ('TAGS:\n- "\\x74ea"\n', "TAGS:\n- drink/tea\n"),
    ],
)
def test_an_item_of_the_list_of_tags_is_renamed_in_place(text: str, after: str) -> None:
    assert (
        renamed(f"---\n# c\n{text}x: tea\n---\n") == f"---\n# c\n{after}x: tea\n---\n"
    )


SIGNS = "` ``` ~~~ [[ ]] ( %% $ <b> x \\ _ ** é #tea #tea/x #teapot http://a/#tea"
PIECES = st.lists(
    st.sampled_from([*SIGNS.split(), " ", "\n", "\r\n", "- ", "> ", "| "]), max_size=24
)


@given(PIECES, st.sampled_from(["", "---\ntags: [tea, tea/x]\n---\n"]))
def test_a_tag_renamed_there_and_back_leaves_every_byte(
    pieces: list[str], head: str
) -> None:
    text = head + "".join(pieces)

    there = renamed(text, "tea", "leaf")

    assert there.replace("leaf", "tea") == text
    assert renamed(there, "leaf", "tea") == text


def test_a_name_that_would_be_no_text_is_quoted() -> None:
    text = "---\ntags: [tea]\n---\n#tea\n"

    assert renamed(text, new="true") == '---\ntags: ["true"]\n---\n#true\n'


def test_only_its_case_can_change() -> None:
    text = "---\ntags: [tea, Tea]\n---\n#tEa\n"

    assert renamed(text, new="Tea") == "---\ntags: [Tea, Tea]\n---\n#Tea\n"


def test_a_tag_is_renamed_with_those_below_it() -> None:
    assert named_anew("Tea/Green/x", "tea/green", "leaf") == "leaf/x"
    assert named_anew("teapot", "tea", "leaf") is None
    assert named_anew("my/tea", "tea", "leaf") is None


@pytest.mark.parametrize("name", ["", "#", "1984", "a b", "a/", "/a", "a//b", "a,b"])
def test_what_is_no_tag_is_refused(name: str) -> None:
    with pytest.raises(BadEdit):
        tag_name(name)


def test_a_tag_may_be_given_with_its_sign() -> None:
    assert tag_name("#tea/ÜBER_1-x") == "tea/ÜBER_1-x"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ('- file.hasTag("tea")\n', '- file.hasTag("leaf")\n'),
        ('- \'file.hasTag("#Tea/x", "b")\'\n', '- \'file.hasTag("#leaf/x", "b")\'\n'),
        ('- "file.hasTag(\\"tea\\")"\n', '- "file.hasTag(\\"leaf\\")"\n'),
        ("- 'file.hasTag(''tea'')'\n", "- 'file.hasTag(''leaf'')'\n"),
        ('- file.tags.contains("tea")\n', '- file.tags.contains("leaf")\n'),
        ('- file.name == "tea"\n- teapot.hasTag("teapot")\n', None),
    ],
)
def test_a_base_asks_for_the_tag_by_its_new_name(text: str, after: str | None) -> None:
    raw, count = retagged_base(text.encode(), "tea", "leaf")

    assert raw.decode() == (text if after is None else after)
    assert count == (after is not None)
