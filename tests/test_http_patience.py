"""Routes that may rewrite links in thousands of notes get more time than a search."""

import pytest
from config_desk import ConfigDesk
from route_table import ROUTES as ALL_ROUTES

from glassmind.serve.http.operations import ANSWER_S, WRITE_S, limit_s

ROUTES = {(route.method, route.path): route for route in ALL_ROUTES}


def seconds(path: str, tmp_path: Path) -> float:
    route = ROUTES["POST", path]
    return limit_s(route.declared, route.operation, config_for(tmp_path))


@pytest.mark.parametrize("path", ["/move", "/merge", "/changes/{id}/undo"])
def test_routes_that_rewrite_links_have_time(path: str, tmp_path: Path) -> None:
    assert seconds(path, tmp_path) == WRITE_S


@pytest.mark.parametrize("path", ["/search", "/context"])
def test_other_routes_have_the_usual_limit(path: str, tmp_path: Path) -> None:
    assert seconds(path, tmp_path) == ANSWER_S
