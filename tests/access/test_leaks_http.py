"""What is private is told by no route, to nobody who has but a token."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from http_harness import Web, answer_of, serving
from leak_harness import (
    FINDINGS,
    UNTOLD_FINDINGS,
    calls_of_route,
    leaks,
    samples_in,
    text_of,
    told_vault,
)
from route_table import ROUTES, Route
from vault_harness import VaultHarness


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultHarness]:
    harness = told_vault(VaultHarness(Path(tmp_path_factory.mktemp("leaks"))))
    yield harness
    harness.close()


@pytest.fixture(scope="module")
def web(told: VaultHarness) -> Iterator[Web]:
    with serving(told.engine) as web:
        yield web


@pytest.mark.parametrize(
    "route", ROUTES, ids=[f"{one.method} {one.path}" for one in ROUTES]
)
def test_no_route_tells_of_a_private_note(
    told: VaultHarness, web: Web, route: Route
) -> None:
    samples = samples_in(told, route.path)
    found, answered = {}, 0
    for given in calls_of_route(route, samples):
        answer = answer_of(web, route, given)
        answered += answer.status < 400
        said = leaks(text_of(answer), given)
        if said:
            found[json.dumps(given)] = said
    assert not found
    assert answered


def test_no_finding_of_a_private_note_is_one_that_can_be_dismissed(
    told: VaultHarness, web: Web
) -> None:
    asked = "/graph/finding/dismiss"
    known = told.engine.knowledge
    states = [known.check_finding(key).state for key in UNTOLD_FINDINGS]
    assert set(states) == {"there"}  # for the owner

    refused = [web.post(asked, {"key": key}) for key in UNTOLD_FINDINGS]
    absent = web.post(asked, {"key": "ghosts:absent"})

    assert [(one.status, one.code) for one in refused] == [
        (absent.status, absent.code) for _ in UNTOLD_FINDINGS
    ]
    assert absent.status == 404
    (key,) = FINDINGS
    assert web.post(asked, {"key": key, "restore": True}).status == 200
