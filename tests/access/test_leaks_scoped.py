"""What a client's rules keep from it is told by no route, tool, resource or prompt.

No note is private here: each is kept from this client alone, and its owner has used,
moved and changed it.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest
from http_harness import Answer, Web, answer_of, serving
from leak_harness import (
    ASKED,
    CHANGE_ID,
    NAMES,
    PRIVATE,
    WHOLE,
    calls_of_route,
    calls_of_tool,
    leaks,
    samples_in,
    text_of,
    told_by,
    told_vault,
    world_of,
)
from route_table import ROUTES, Route
from vault_harness import VaultHarness

from glassmind.access.clients import clients_of
from glassmind.access.scopes import SETS
from glassmind.serve.http.server import EVENTS
from glassmind.serve.mcp.toolsets import tools_of

OTHER_KINDS = ("tag", "property", "excluded")
SERVED = [name for name in SETS if name != "query"]
NEVER_ANSWERED = frozenset(("/index", "/metrics", "reindex"))
"""Verbs that are for the owner alone."""
ADDRESSES = [f"note:///{quote(path)}" for path in PRIVATE]


class Visitors(NamedTuple):
    """A server, and one client for each set of tools; `plain` has all routes."""

    plain: Web
    by_set: dict[str, Web]
    harness: VaultHarness


@pytest.fixture(scope="module", params=["folder"])
def visitors(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Visitors]:
    yield from _visitors(VaultHarness(tmp_path_factory.mktemp("scoped")), request.param)


@pytest.fixture(scope="module", params=OTHER_KINDS)
def more_visitors(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Visitors]:
    yield from _visitors(VaultHarness(tmp_path_factory.mktemp("scoped")), request.param)


def _visitors(harness: VaultHarness, kind: str) -> Iterator[Visitors]:
    world = world_of(kind)
    told_vault(harness, world)
    clients = clients_of(harness.engine.config)
    plain = clients.add("reader", world.scope)[1]
    tokens = {
        name: clients.add(f"of {name}", world.scope._replace(toolsets=(name,)))[1]
        for name in SERVED
    }
    with serving(harness.engine, clients=clients) as web:
        by_set = {name: Web(web.port, token) for name, token in tokens.items()}
        yield Visitors(Web(web.port, plain), by_set, harness)
    harness.close()


def called(web: Web, name: str, given: Mapping[str, Any]) -> Answer:
    """Return what a tool answers over HTTP."""
    return web.message("tools/call", {"name": name, "arguments": given})


def leaks_of_route(visitors: Visitors, route: Route) -> dict[str, list[str]]:
    samples = samples_in(visitors.harness, route.path)
    found, answered = {}, 0
    for given in calls_of_route(route, samples):
        answer = answer_of(visitors.plain, route, given)
        answered += answer.status < 400
        if said := leaks(text_of(answer), given):
            found[json.dumps(given)] = said
    refused = not answered
    assert refused == (route.path in NEVER_ANSWERED), route.path
    return found


def leaks_of_set(visitors: Visitors, name: str) -> dict[str, list[str]]:
    web = visitors.by_set[name]
    found, unheard = {}, set()
    for tool in tools_of((name,)):
        answered = 0
        calls = list(calls_of_tool(tool, samples_in(visitors.harness, tool.name)))
        if tool.name == "apply_edit_preview":
            shown = called(web, "edit_note", WHOLE["edit_note"][0]).body.decode()
            calls.append({"previewId": CHANGE_ID.findall(shown)[0]})
        for given in calls:
            reply = called(web, tool.name, given)
            assert reply.status == 200, reply.body
            answered += not reply.json.get("result", {"isError": True}).get("isError")
            if said := leaks(reply.body.decode(), given):
                found[f"{tool.name} {json.dumps(given)}"] = said
        if not answered:
            unheard.add(tool.name)
    assert unheard == NEVER_ANSWERED.intersection(one.name for one in tools_of((name,)))
    return found


@pytest.mark.parametrize(
    "route", ROUTES, ids=[f"{one.method} {one.path}" for one in ROUTES]
)
def test_no_route_tells_a_client_of_what_its_rules_keep(
    visitors: Visitors, route: Route
) -> None:
    assert not leaks_of_route(visitors, route)


@pytest.mark.parametrize("name", SERVED)
def test_no_tool_over_http_tells_a_client_of_what_its_rules_keep(
    visitors: Visitors, name: str
) -> None:
    assert not leaks_of_set(visitors, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", SERVED)
def test_no_other_kind_of_rule_lets_a_tool_tell(
    more_visitors: Visitors, name: str
) -> None:
    assert not leaks_of_set(more_visitors, name)


@pytest.mark.slow
def test_no_other_kind_of_rule_lets_a_route_tell(more_visitors: Visitors) -> None:
    found = {
        f"{route.method} {route.path}": leaks_of_route(more_visitors, route)
        for route in ROUTES
    }
    assert not {name: said for name, said in found.items() if said}


def test_what_a_client_may_read_is_told_it(visitors: Visitors) -> None:
    hits = visitors.plain.post("/search", {"query": "oolong tea"}).json["hits"]
    listed = visitors.plain.message("resources/list", {}).json["result"]["resources"]
    names = {"Harness/Cup.md", "Harness/Kettle.md", "Harness/Pot.md", "Harness/Tea.md"}

    assert {"Harness/Tea.md", "Harness/Pot.md"} <= {hit["path"] for hit in hits}
    assert {one["name"] for one in listed} >= names


@pytest.mark.parametrize("uri", ADDRESSES)
def test_no_resource_is_read_that_the_rules_keep(visitors: Visitors, uri: str) -> None:
    reply = visitors.plain.message("resources/read", {"uri": uri})
    nowhere = {"uri": "note:///Deep/Absent.md"}
    absent = visitors.plain.message("resources/read", nowhere)

    assert reply.json["error"]["code"] == absent.json["error"]["code"]
    assert not leaks(reply.body.decode(), uri)


@pytest.mark.parametrize("typed", ["", "z", "deep", "lab", ".agent", "md"])
def test_no_completion_offers_what_the_rules_keep(
    visitors: Visitors, typed: str
) -> None:
    for prompt, argument in (("continue_project", "project"), ("note", "path")):
        ref = (
            {"type": "ref/prompt", "name": prompt}
            if argument == "project"
            else {"type": "ref/resource", "uri": "note://{+path}"}
        )
        given = {"ref": ref, "argument": {"name": argument, "value": typed}}
        reply = visitors.plain.message("completion/complete", given)
        assert "values" in reply.json["result"]["completion"]
        assert not leaks(reply.body.decode(), "")


@pytest.mark.parametrize("name", NAMES)
def test_no_prompt_tells_of_what_the_rules_keep(visitors: Visitors, name: str) -> None:
    for prompt, argument in (
        ("continue_project", "project"),
        ("answer_from_vault", "question"),
    ):
        given = {"name": prompt, "arguments": {argument: name}}
        reply = visitors.plain.message("prompts/get", given)
        assert "result" in reply.json
        assert not leaks(reply.body.decode(), name)


@pytest.mark.parametrize("question", ASKED)
def test_no_event_of_an_answer_tells_of_what_the_rules_keep(
    visitors: Visitors, question: str
) -> None:
    route = next(one for one in ROUTES if EVENTS in one.other_types)

    told = told_by(visitors.plain, route, {"question": question}, Accept=EVENTS)

    assert f"content-type: {EVENTS}" in told
    assert not leaks(told, question)
