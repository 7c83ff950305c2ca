"""What is private is told by no route, to nobody who has but a token."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from http_desk import Web, serving
from leak_desk import calls_of, leaks, told_vault
from vault_desk import VaultDesk

from glassmind.surfaces.http.asked import Route
from glassmind.surfaces.http.table import ROUTES

SELDOM = {"/index", "/index/{job}", "/metrics", "/openapi.json"}
"""Routes that are asked once: what they are given does not change what they tell."""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultDesk]:
    desk = told_vault(VaultDesk(Path(tmp_path_factory.mktemp("leaks"))))
    yield desk
    desk.close()


@pytest.fixture(scope="module")
def web(told: VaultDesk) -> Iterator[Web]:
    with serving(told.engine) as web:
        yield web


@pytest.mark.parametrize(
    "route", ROUTES, ids=[f"{one.method} {one.path}" for one in ROUTES]
)
def test_no_route_tells_of_a_private_note(web: Web, route: Route) -> None:
    found = {}
    asked = list(
        calls_of(route.arguments, writes=route.method == "POST" and _keeps(route))
    )
    for given in asked[:1] if route.path in SELDOM else asked:
        said = leaks(_asked(web, route, dict(given)), given)
        if said:
            found[json.dumps(given)] = said
    assert not found


def _keeps(route: Route) -> bool:
    """Whether what a route is given stays, and is told to others."""
    return route.path in {"/capture", "/graph/dismiss", "/graph/finding/dismiss"}


def _asked(web: Web, route: Route, given: dict[str, object]) -> str:
    path = route.path
    for name in list(given):
        if f"{{{name}}}" in path:
            path = path.replace(f"{{{name}}}", quote(str(given.pop(name))))
    if route.method == "POST":
        answer = web.post(path, given)
    else:
        said = {
            name: json.dumps(value) if isinstance(value, bool) else value
            for name, value in given.items()
        }
        query = urlencode(said, doseq=True)
        answer = web.get(f"{path}?{query}" if query else path)
    heads = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
    return f"{heads}\n{answer.body.decode()}"
