"""Plain frontmatter, read the short way: the same as the YAML parser reads it."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from glassmind.obsidian.yaml_text import load, load_plain

SHARED = Path(__file__).parents[3] / "shared" / "data"
BLOCK = re.compile(r"---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)

PIECES = [
    "a", "b c", "key", "tags", ":", ": ", "- ", "  - ", "[", "]", ", ", ",", "\n", "#",
    " #", " ", "'", '"', "''", "~", "null", "true", "12", "-1", "1.5", "0x1f", "1e9",
    "é", "日本", "²", "\xa0", "\u2028", "\x85", "\ufeff", "\x01", "\\", "!", "&", "*",
    "%", "@", "`", "?", "{", "}", "|", ">", "-", "...", "---", "/", "(", ")", "+", "=",
    ".", "\t", "\r\n", "[[x]]", "https://x.org", "12:30", "2026-01-02",
]  # fmt: skip

words = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
texts = st.one_of(words, st.text(max_size=12))
quoted = st.builds("{0}{1}{0}".format, st.sampled_from("'\""), texts)
scalars = st.one_of(texts, quoted)
flows = st.lists(scalars, max_size=4).map(lambda items: f"[{', '.join(items)}]")
items = st.lists(scalars, min_size=1, max_size=4)
lists = st.builds(
    lambda indent, found: "".join(f"\n{indent}- {item}" for item in found),
    st.sampled_from(["", "  ", "    "]),
    items,
)
entries = st.builds(
    lambda key, value: f"{key}: {value}\n",
    st.one_of(st.sampled_from(["a", "b", "tags", "due date", "x/y.z", "1"]), texts),
    st.one_of(scalars, flows, lists),
)
blocks = st.one_of(
    st.lists(entries, max_size=5).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=20).map("".join),
)


@given(blocks)
@example("a: b\n  - c\n")
@example("a:\n- b\n - c\n")
@example("a: b\n\n  c\n")
@example("a:\n\n- b\n")
@example("a: [b , 'c' ,  \"d\" ]  \n\n\n")
@example("a: b#c d:e:f \n")
def test_what_is_read_the_short_way_is_what_the_yaml_parser_reads(block: str) -> None:
    found = load_plain(block)

    if found is not None:
        assert repr(found) == repr(load(block))


@pytest.mark.parametrize(
    "block",
    [
        "tags: [a, b/c, d-e]\ncreated: 2026-01-02\nstatus: open\n",
        "tags:\n  - a\n  - 'b'\naliases:\n- x y\n",
        "title: \"It's here\"\nup: '[[Note|shown]]'\n",
        'related: ["[[A]]", "[[B]]"]\n',
        "url: https://x.org/a?b=c#d\ntime: 12:30\n",
        "empty:\ndone: true\nrating: 7.5\n\n日付: お茶\n",
        "none: []\n",
    ],
)
def test_common_properties_need_no_yaml_parser(block: str) -> None:
    assert repr(load_plain(block)) == repr(load(block))


@pytest.mark.parametrize(
    "block",
    [
        "", "\n", "a\n", "a: 1", "a: 1\na: 2\n", "a: {b: 1}\n", "a: |\n  b\n",
        "a: b # c\n", "a: b: c\n", "a: &x b\n", "a: *x\n", "a: !!str 1\n", "a:\tb\n",
        "a: 'b''c'\n", 'a: "b\\n"\n', "a: [b\n", "a: [[b]]\n", "a: b\r\n", "a:b\n",
        "a:\n  b: 1\n", "a: b\n  c\n", "a:\n  - b: 1\n", "a:\n  -\n", "# c\na: 1\n",
    ],
)  # fmt: skip
def test_anything_else_is_left_to_the_yaml_parser(block: str) -> None:
    assert load_plain(block) is None


def test_the_frontmatter_of_real_vaults_is_read_alike() -> None:
    files = sorted(SHARED.rglob("*.md"))
    if not files:
        pytest.skip("no vaults of other people are here")

    texts = (file.read_bytes().decode("utf-8", "replace") for file in files)
    blocks = [head[1] for text in texts if (head := BLOCK.match(text))]
    plain = [(block, found) for block in blocks if (found := load_plain(block))]

    assert len(plain) > len(blocks) / 2
    for block, found in plain:
        assert repr(found) == repr(load(block))
