"""Changes are held back until a file is quiet, and never for too long."""

from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from glassmind.files.watch import STORM, Debouncer

QUIET_S, LONGEST_S = 1.0, 5.0

paths = st.sampled_from(["a.md", "b.md", "c/d.md", "e.png"])
steps = st.lists(
    st.tuples(st.floats(0, 2.5), st.none() | st.tuples(paths, st.booleans())),
    max_size=60,
)
"""After so long, something is heard, or the caller looks what is due."""


def quiet() -> Debouncer:
    return Debouncer(quiet_s=QUIET_S, longest_s=LONGEST_S)


def test_a_file_is_due_once_it_was_quiet_and_only_once() -> None:
    held = quiet()
    held.hear("a.md", 0.0)
    held.hear("a.md", 0.9)

    assert held.due(1.8) == []
    assert held.next_s() == 1.9
    assert held.due(1.9) == ["a.md"]
    assert held.due(9.9) == []
    assert held.next_s() is None


def test_files_are_quiet_each_by_itself() -> None:
    held = quiet()
    held.hear("busy.md", 0.0)
    held.hear("calm.md", 0.0)
    held.hear("busy.md", 0.8)

    assert held.due(1.0) == ["calm.md"]
    assert held.due(1.8) == ["busy.md"]


def test_a_file_that_is_never_quiet_is_due_after_the_longest_wait() -> None:
    held, given_out = quiet(), []
    for tenth in range(200):
        held.hear("log.md", tenth / 10)
        given_out += [(tenth / 10, path) for path in held.due(tenth / 10)]

    moments = [moment for moment, _ in given_out]
    assert len(moments) == 3
    assert all(b - a <= LONGEST_S + 0.2 for a, b in pairwise(moments))


def test_what_is_gone_waits_for_what_it_may_have_become() -> None:
    held = quiet()
    held.hear("old.md", 0.0, gone=True)
    held.hear("new.md", 0.0)
    held.hear("new.md", 0.8)

    assert held.due(1.2) == []
    assert held.due(1.8) == ["new.md", "old.md"]


def test_what_came_back_is_not_gone_any_more() -> None:
    held = quiet()
    held.hear("a.md", 0.0, gone=True)
    held.hear("a.md", 0.1)
    held.hear("b.md", 0.9)

    assert held.due(1.1) == ["a.md"]


def test_in_a_storm_everything_waits_for_its_end() -> None:
    held = quiet()
    for number in range(STORM + 1):
        held.hear(f"{number}.md", number / STORM * 3)

    assert held.due(3.5) == []
    assert len(held.due(4.1)) == STORM + 1


def test_a_storm_without_an_end_is_not_waited_for() -> None:
    held = quiet()
    for number in range(STORM + 10):
        held.hear(f"{number}.md", 0.0)
    held.hear("last.md", 4.9)

    assert len(held.due(LONGEST_S)) == STORM + 10


def test_a_longest_wait_below_the_quiet_one_changes_nothing() -> None:
    held = Debouncer(quiet_s=1.0, longest_s=0.0)
    held.hear("a.md", 0.0)

    assert held.due(0.9) == []
    assert held.due(1.0) == ["a.md"]


@dataclass
class Model:
    """When each path that is owed was first and last heard of."""

    owed: dict[str, tuple[float, float]]


@given(steps)
def test_nothing_is_lost_early_or_late(
    taken: list[tuple[float, tuple[str, bool] | None]],
) -> None:
    held, model, now = quiet(), Model({}), 0.0
    for wait_s, heard in taken:
        now += wait_s
        if heard is not None:
            path, gone = heard
            held.hear(path, now, gone=gone)
            model.owed[path] = (model.owed.get(path, (now, now))[0], now)
            continue
        next_s = held.next_s()
        due = held.due(now)
        assert due == sorted(due)
        assert bool(due) == (next_s is not None and next_s <= now)
        for path in due:
            first, last = model.owed.pop(path)
            assert now >= last + QUIET_S or now >= first + LONGEST_S
        for first, _ in model.owed.values():
            assert now < first + LONGEST_S

    assert len(held) == len(model.owed)
    assert held.due(now + LONGEST_S) == sorted(model.owed)
    assert len(held) == 0
