"""What may write links of thousands of notes is waited for longer than a search."""

import pytest

from glassmind.surfaces.http.editing_table import EDITING
from glassmind.surfaces.http.guard import ANSWER_S, CARRYING_S, LONG_S, longest_s

AT_ONCE = {"/edit", "/changes", "/changes/{id}"}


@pytest.mark.parametrize("path", sorted({one.path for one in EDITING} - AT_ONCE))
def test_routes_that_carry_links_have_time(path: str) -> None:
    assert longest_s(path.replace("{id}", "20261116-abcde"), LONG_S) == CARRYING_S


@pytest.mark.parametrize("path", ["/search", "/changes/20261116-abcde", "/edit"])
def test_others_are_soon_answered_or_late(path: str) -> None:
    assert longest_s(path, LONG_S) == ANSWER_S


def test_a_limit_of_its_own_goes_first() -> None:
    assert longest_s("/move", {"/move": 1.0}) == 1.0
