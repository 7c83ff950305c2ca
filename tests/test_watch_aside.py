"""Long work steps back, and nothing else does."""

import os
import sys
import threading

import pytest

from glassmind.indexing.aside import STEP_BACK, aside


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no say here")
def test_only_the_work_itself_lets_others_go_first() -> None:
    before = niceness()

    during = aside(niceness, lambda: None)

    assert during == min(before + STEP_BACK, 19)
    assert niceness() == before


def test_what_the_work_raises_is_raised_when_its_thread_has_let_go() -> None:
    here, rested = threading.get_ident(), list[int]()

    def fail() -> None:
        raise LookupError("nothing there")

    with pytest.raises(LookupError):
        aside(fail, lambda: rested.append(threading.get_ident()))

    assert rested
    assert here not in rested
