"""Two changes of one text, brought together line by line."""

from hypothesis import given
from hypothesis import strategies as st

from glassmind.editing.three_way import hunks_between, lines_in, merge
from glassmind.types import Span

LINES = st.sampled_from([b"a", b"b", b"c", b"d", b"e", b"", b"a\r"])
TEXTS = st.builds(
    lambda lines, last: b"".join(line + b"\n" for line in lines) + last,
    st.lists(LINES, max_size=12),
    st.sampled_from([b"", b"end", b"\r"]),
)


@given(TEXTS | st.binary(max_size=60))
def test_lines_joined_are_the_text(raw: bytes) -> None:
    assert b"".join(lines_in(raw)) == raw


@given(TEXTS, TEXTS)
def test_a_change_beside_none_is_that_change(base: bytes, changed: bytes) -> None:
    assert merge(base, changed, base) == (changed, ())
    assert merge(base, base, changed) == (changed, ())
    assert merge(base, changed, changed) == (changed, ())


@given(TEXTS, TEXTS)
def test_where_texts_differ_makes_one_of_the_other(one: bytes, other: bytes) -> None:
    mine, theirs = lines_in(one), lines_in(other)

    made, at = [], 0
    for hunk in hunks_between(mine, theirs):
        made += mine[at : hunk.start] + theirs[hunk.other_start : hunk.other_end]
        at = hunk.end

    assert b"".join(made + mine[at:]) == other


@given(TEXTS, TEXTS, TEXTS)
def test_both_sides_merge_the_same_unless_they_conflict(
    base: bytes, ours: bytes, theirs: bytes
) -> None:
    one, other = merge(base, ours, theirs), merge(base, theirs, ours)

    assert one.is_clean == other.is_clean
    if one.is_clean:
        assert one.raw == other.raw


CHANGES = st.lists(st.sampled_from(["keep", "ours", "theirs"]), max_size=9)


@given(CHANGES, st.sampled_from([b"\n", b"\r\n"]), st.booleans())
def test_changes_with_a_line_between_them_are_both_kept(
    who: list[str], newline: bytes, ended: bool
) -> None:
    base, ours, theirs, both = [], [], [], []
    for at, side in enumerate(who):
        quiet, line = b"between %d" % at, b"line %d" % at
        new = b"new %d" % at + newline + b"and more"
        base += [quiet, line]
        ours += [quiet, new if side == "ours" else line]
        theirs += [quiet, new if side == "theirs" else line]
        both += [quiet, line if side == "keep" else new]
    end = newline if ended else b""
    texts = [newline.join(lines) + end for lines in (base, ours, theirs, both)]

    assert merge(*texts[:3]) == (texts[3], ())


def test_lines_that_both_changed_stay_ours_and_are_named() -> None:
    base = b"one\ntwo\nthree\nfour\nfive\n"
    ours = b"zero\none\nTWO\nthree\nfour\nfive\n"
    theirs = b"one\n2\nthree\nfour\nFIVE\n"

    merged = merge(base, ours, theirs)

    assert merged.raw == b"zero\none\nTWO\nthree\nfour\nFIVE\n"
    assert merged.conflicts == (Span(3, 3),)


def test_changes_that_touch_conflict() -> None:
    merged = merge(b"a\nb\n", b"A\nb\n", b"a\nB\n")

    assert merged == (b"A\nb\n", (Span(1, 2),))


def test_two_texts_added_at_one_place_conflict() -> None:
    merged = merge(b"a\n", b"a\nx\n", b"a\ny\n")

    assert merged == (b"a\nx\n", (Span(2, 2),))


def test_carriage_returns_stay_where_they_are() -> None:
    base = b"a\r\nb\nc\r\nd\r\ne"

    merged = merge(base, b"A\r\nb\nc\r\nd\r\ne", b"a\r\nb\nc\r\nd\r\nE")

    assert merged == (b"A\r\nb\nc\r\nd\r\nE", ())


def test_a_file_that_is_no_text_is_not_mixed() -> None:
    merged = merge(b"\0a\n\n\nb", b"\0A\n\n\nb", b"\0a\n\n\nB")

    assert merged.raw == b"\0A\n\n\nb"
    assert not merged.is_clean


def test_many_lines_that_are_all_alike_take_no_long_time() -> None:
    many = b"same\n" * 20_000
    base = many + b"middle\n" + many

    merged = merge(base, b"top\n" + many + base, base + many + b"end\n")

    assert merged.raw.count(b"same\n") >= 60_000


def test_long_texts_are_merged_by_the_lines_that_stand_once() -> None:
    lines = [b"%d\n" % (at // 2 if at % 2 else -1) for at in range(40_000)]
    ours, theirs = list(lines), list(lines)
    for at in range(101, 40_000, 1000):
        ours[at] = b"ours\n"
        theirs[at + 500] = b"theirs\n"

    merged = merge(*map(b"".join, (lines, ours, theirs)))

    assert merged.is_clean
    assert merged.raw.count(b"ours\n") == merged.raw.count(b"theirs\n") == 40
