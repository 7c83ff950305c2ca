"""Routes that may rewrite links in thousands of notes get more time than a search."""

import pytest
from route_table import ROUTES as ALL_ROUTES
from vault_harness import VaultHarness

from glassmind.serve.http.app import ANSWER_S, WRITE_S, limit_s

ROUTES = {(route.method, route.path): route for route in ALL_ROUTES}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/move", WRITE_S),
        ("/merge", WRITE_S),
        ("/changes/{id}/undo", WRITE_S),
        ("/search", ANSWER_S),
        ("/context", ANSWER_S),
    ],
)
def test_routes_that_rewrite_links_have_time(
    path: str, expected: float, vault: VaultHarness
) -> None:
    route = ROUTES["POST", path]

    assert limit_s(route.declared, route.operation, vault.engine.config) == expected
