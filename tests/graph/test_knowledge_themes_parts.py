"""Parting graphs and knowing the parts again, for graphs of every kind."""

import numpy as np
from graph_harness import net_of
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from glassmind.graph.themes import KNOWN_SHARE, LEAST, known_again, parted
from glassmind.links.graph import LinkGraph


def labelled(sets: list[int]) -> NDArray[np.int32]:
    """Return labels without gaps, -1 for what is in no set."""
    names = sorted({set_ for set_ in sets if set_ >= 0})
    return np.array([names.index(set_) if set_ >= 0 else -1 for set_ in sets], np.int32)


PARTS = st.lists(st.integers(-1, 5), min_size=1, max_size=40)


@given(before=PARTS)
def test_what_stays_as_it_is_keeps_its_ids(before: list[int]) -> None:
    labels = labelled(before)
    ids = np.where(labels >= 0, labels + 11, 0).astype(np.int32)

    found = known_again(ids, labels, last_id=99)

    assert found == [11 + label for label in range(labels.max() + 1)]


@given(pairs=st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 5)), min_size=1))
def test_every_theme_gets_one_id_and_no_id_is_given_twice(
    pairs: list[tuple[int, int]],
) -> None:
    before = np.array([old for old, _ in pairs], np.int32)
    labels = labelled([new for _, new in pairs])

    found = known_again(before, labels, last_id=5)

    assert len(found) == labels.max() + 1
    assert len(set(found)) == len(found)
    for label, given_id in enumerate(found):
        inside = before[labels == label]
        if given_id > 5:
            continue
        overlap = int((inside == given_id).sum())
        smaller = min(len(inside), int((before == given_id).sum()))
        assert overlap >= KNOWN_SHARE * smaller
    fresh = [one for one in found if one > 5]
    assert fresh == list(range(6, 6 + len(fresh)))


@given(first=st.integers(2, 20), second=st.integers(2, 20))
def test_the_larger_part_of_a_split_keeps_the_id(first: int, second: int) -> None:
    before = np.full(first + second, 3, np.int32)
    labels = np.array([0] * first + [1] * second, np.int32)

    found = known_again(before, labels, last_id=8)

    assert found == ([3, 9] if first >= second else [9, 3])


def test_a_few_notes_that_joined_others_do_not_take_the_id_along() -> None:
    before = np.array([1] * 10 + [0] * 20, np.int32)
    labels = np.array([0] * 4 + [1] * 3 + [2] * 3 + [0] * 10 + [1] * 10, np.int32)

    found = known_again(before, labels, last_id=2)

    assert found == [3, 4, 1]  # all of the last one was there before


@given(
    edges=st.lists(
        st.tuples(st.integers(0, 11), st.integers(0, 11)).filter(lambda e: e[0] != e[1])
    )
)
def test_a_theme_has_three_notes_or_more_that_links_connect(
    edges: list[tuple[int, int]],
) -> None:
    net = net_of(edges, count=12)

    found = parted(net, 1.0)

    groups = groups_of(net)
    for label in set(found.labels.tolist()) - {-1}:
        members = set(np.flatnonzero(found.labels == label).tolist())
        assert len(members) >= LEAST
        assert any(members <= group for group in groups)


def groups_of(net: LinkGraph) -> list[set[int]]:
    """Return the nodes that hang together, in sets."""
    left, groups = set(range(len(net))), list[set[int]]()
    while left:
        group = set[int]()
        new = {left.pop()}
        while new:
            group |= new
            new = {near for node in new for near in net.around(node).tolist()} - group
        left -= group
        groups.append(group)
    return groups


def test_nothing_is_known_again_of_nothing() -> None:
    none = np.zeros(0, np.int32)

    assert known_again(none, none, last_id=4) == []
    assert known_again(np.ones(3, np.int32), np.full(3, -1, np.int32), last_id=4) == []
