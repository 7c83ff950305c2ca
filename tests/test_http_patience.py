"""Routes that may rewrite links in thousands of notes get more time than a search."""

import pytest

from glassmind.serve.http.limits import LINKS_S, TIME_LIMITS
from glassmind.serve.http.table import all_routes

QUICK = {"/edit", "/changes", "/changes/{id}"}
CHANGING = {"/notes", "/delete", "/move", "/rename-heading", "/rename-tag", "/merge",
            "/split", "/changes/{id}/undo", "/changes/{id}/apply"}  # fmt: skip


@pytest.mark.parametrize("path", sorted(CHANGING))
def test_routes_that_rewrite_links_have_time(path: str) -> None:
    assert TIME_LIMITS[path] == LINKS_S


@pytest.mark.parametrize("path", ["/search", *sorted(QUICK)])
def test_other_routes_have_the_usual_limit(path: str) -> None:
    assert path not in TIME_LIMITS


def test_every_limit_is_of_a_route() -> None:
    assert TIME_LIMITS.keys() - {"/mcp"} <= {route.path for route in all_routes()}
