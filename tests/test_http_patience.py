"""Routes that may rewrite links in thousands of notes get more time than a search."""

import pytest

from glassmind.serve.http.limits import ANSWER_S, TIME_LIMITS, WRITE_S
from glassmind.serve.http.table import all_routes

ROUTES = {(route.method, route.path): route for route in all_routes()}


@pytest.mark.parametrize("path", ["/move", "/merge", "/changes/{id}/undo"])
def test_routes_that_rewrite_links_have_time(path: str) -> None:
    assert ROUTES["POST", path].limit_s == WRITE_S


@pytest.mark.parametrize("path", ["/search", "/context"])
def test_other_routes_have_the_usual_limit(path: str) -> None:
    assert ROUTES["POST", path].limit_s == ANSWER_S


def test_every_limit_is_of_a_route() -> None:
    assert TIME_LIMITS.keys() - {"/mcp"} <= {route.path for route in all_routes()}
