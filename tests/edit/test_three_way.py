"""Two changes of one text, brought together line by line."""

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from glassmind.edit.diffs import hunks_between, lines_in, merge

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
    assert merge(base, changed, base) == changed
    assert merge(base, base, changed) == changed
    assert merge(base, changed, changed) == changed


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

    assert (one is None) == (other is None)
    if one is not None and other is not None:  # each has its own first
        assert sorted(ended(one)) == sorted(ended(other))


def ended(raw: bytes) -> list[bytes]:
    """Return the lines of a text without what ends them."""
    return [line.rstrip(b"\r\n") for line in lines_in(raw)]


@st.composite
def sides(draw: st.DrawFn) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """Return a text, and two changes of it, in which no line stands twice."""
    base = [b"base %d" % at for at in range(draw(st.integers(0, 6)))]
    made = [base]
    for who in (b"ours", b"theirs"):
        changed: list[bytes] = []
        for at in range(len(base) + 1):
            new = draw(st.sampled_from([0, 0, 0, 1, 2]))
            changed += [b"%s %d %d" % (who, at, one) for one in range(new)]
            if at < len(base) and not draw(st.sampled_from([False, False, True])):
                changed.append(base[at])
        made.append(changed)
    return made[0], made[1], made[2]


ENDS = st.tuples(*[st.booleans()] * 3)


@given(sides(), st.sampled_from([b"\n", b"\r\n"]), ENDS)
def test_what_is_merged_holds_all_that_was_added_and_nothing_that_was_removed(
    texts: tuple[list[bytes], ...], newline: bytes, ends: tuple[bool, ...]
) -> None:
    base, ours, theirs = texts
    raws = [
        newline.join(lines) + (newline if end and lines else b"")
        for lines, end in zip(texts, ends, strict=True)
    ]

    merged = merge(*raws)

    if merged is not None:
        found = ended(merged)
        kept = [line for line in base if line in ours and line in theirs]
        new = [line for line in ours + theirs if line not in base]
        assert sorted(found) == sorted(kept + new)
        for side, other in ((ours, theirs), (theirs, ours)):
            stay = [line for line in side if line in other or line not in base]
            assert [line for line in found if line in stay] == stay
        if newline in b"".join(raws):
            assert merged.count(b"\n") == merged.count(newline)


@given(sides(), st.sampled_from([b"\n", b"\r\n"]), st.booleans(), st.booleans())
@example(([], [b"ours 0 0"], [b"theirs 0 0"]), b"\n", True, False)
def test_added_lines_never_conflict(
    texts: tuple[list[bytes], ...], newline: bytes, end: bool, one_side: bool
) -> None:
    base, ours, theirs = texts
    ours = sorted({*base, *ours}, key=_place)
    if one_side:
        theirs = [line for line in theirs if line in base]
    else:
        theirs = sorted({*base, *theirs}, key=_place)

    def text(lines: list[bytes]) -> bytes:
        # An empty text has no line to end: b"\n" would be one blank line.
        return newline.join(lines) + (newline if end and lines else b"")

    merged = merge(*map(text, (base, ours, theirs)))

    inside = any(
        line not in theirs and after not in theirs
        for line, after in itertools.pairwise(base)
    )
    assert merged is not None or (one_side and inside)


def _place(line: bytes) -> tuple[int, bool, bytes]:
    who, at, *_ = line.split()
    return int(at), who == b"base", line


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

    assert merge(*texts[:3]) == texts[3]


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [
        (b"one\ntwo\nthree\n", b"one\nTWO\nthree\n", b"one\n2\nthree\n"),
        (b"\n", b"ours\n", b"theirs\n"),
        (b"a\nb\n", b"A\nb\n", b"a\nB\n"),  # they touch
        (b"a\nb\nc\nd\n", b"a\nb\nx\nc\nd\n", b"a\nd\n"),  # within what is removed
        (b"\0a\n\n\nb", b"\0A\n\n\nb", b"\0a\n\n\nB"),  # not a text
    ],
)
def test_changes_of_the_same_lines_conflict(
    base: bytes, ours: bytes, theirs: bytes
) -> None:
    assert merge(base, ours, theirs) is None


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "both"),
    [
        (b"a\n", b"a\nx\n", b"a\ny\n", b"a\nx\ny\n"),
        (b"a\n", b"a\n\nx\n", b"a\n\ny\n", b"a\n\nx\n\ny\n"),
        (b"a", b"a\nx", b"a\ny", b"a\nx\ny"),
        (b"a", b"a\nx\n", b"a\ny\n", b"a\nx\ny\n"),
        (b"a", b"a\nx", b"a\ny\n", b"a\nx\ny\n"),
        (b"a\r\nb", b"a\r\nb\r\nx", b"a\r\nb\r\ny", b"a\r\nb\r\nx\r\ny"),
        (b"a", b"a\r\nx", b"a\r\ny", b"a\r\nx\r\ny"),
        (b"", b"x", b"y", b"x\ny"),
        (b"", b"x\n", b"y\n", b"x\ny\n"),
        (b"a\nb\n", b"x\na\nb\n", b"y\na\nb\n", b"x\ny\na\nb\n"),
    ],
)
def test_of_two_texts_added_at_one_place_ours_comes_first(
    base: bytes, ours: bytes, theirs: bytes, both: bytes
) -> None:
    assert merge(base, ours, theirs) == both


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "both"),
    [
        (b"a\nx\n", b"a\nx\ny\n", b"a\n", b"a\ny\n"),
        (b"a\nx", b"a\nx\ny", b"a", b"a\ny"),
        (b"a\nx\nb\n", b"a\nb\n", b"a\ny\nx\nb\n", b"a\ny\nb\n"),
        (b"a\nb\n", b"A\nb\n", b"0\na\n1\nb\n", b"0\nA\n1\nb\n"),
    ],
)
def test_what_is_added_beside_what_is_removed_is_added_and_that_removed(
    base: bytes, ours: bytes, theirs: bytes, both: bytes
) -> None:
    assert merge(base, ours, theirs) == both


def test_the_same_text_added_by_both_is_there_once() -> None:
    base, ours, theirs = b"a\nb\n", b"a\nx\nb\nz\n", b"0\na\nx\nb\n"

    assert merge(base, ours, theirs) == b"0\na\nx\nb\nz\n"


def test_carriage_returns_stay_where_they_are() -> None:
    base = b"a\r\nb\nc\r\nd\r\ne"

    merged = merge(base, b"A\r\nb\nc\r\nd\r\ne", b"a\r\nb\nc\r\nd\r\nE")

    assert merged == b"A\r\nb\nc\r\nd\r\nE"


def test_many_lines_that_are_all_alike_take_no_long_time() -> None:
    many = b"same\n" * 20_000
    base = many + b"middle\n" + many

    merged = merge(base, b"top\n" + many + base, base + many + b"end\n")

    assert merged is not None
    assert merged.count(b"same\n") >= 60_000


def test_long_texts_are_merged_by_the_lines_that_stand_once() -> None:
    lines = [b"%d\n" % (at // 2 if at % 2 else -1) for at in range(40_000)]
    ours, theirs = list(lines), list(lines)
    for at in range(101, 40_000, 1000):
        ours[at] = b"ours\n"
        theirs[at + 500] = b"theirs\n"

    merged = merge(*map(b"".join, (lines, ours, theirs)))

    assert merged is not None
    assert merged.count(b"ours\n") == merged.count(b"theirs\n") == 40
