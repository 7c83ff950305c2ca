"""Routes that may rewrite links in thousands of notes get more time than a search."""

import pytest
from route_table import ROUTES as ALL_ROUTES

from glassmind.serve.http.limits import ANSWER_S, TIME_LIMITS, WRITE_S
from glassmind.serve.http.operations import limit_s

ROUTES = {(route.method, route.path): route for route in ALL_ROUTES}


@pytest.mark.parametrize("path", ["/move", "/merge", "/changes/{id}/undo"])
def test_routes_that_rewrite_links_have_time(path: str) -> None:
    assert limit_s(ROUTES["POST", path].declared) == WRITE_S


@pytest.mark.parametrize("path", ["/search", "/context"])
def test_other_routes_have_the_usual_limit(path: str) -> None:
    assert limit_s(ROUTES["POST", path].declared) == ANSWER_S


def test_every_limit_is_of_a_route() -> None:
    assert TIME_LIMITS.keys() - {"/mcp"} <= {route.path for route in ALL_ROUTES}
