"""The protocol's own conformance suite, against the application that is served.

Many scenarios play with tools, prompts and resources of the suite's own, which a
product does not have: of these only what the server puts on the wire counts. All
others have to pass, each by its name, so that none can disappear.
"""

from collections.abc import Iterator, Mapping

import pytest
from clients_harness import Address, Clients, with_settings, without_token

pytestmark = pytest.mark.slow

Verdict = Mapping[str, Mapping[str, str]]

OLD, NEW = "2025-11-25", "2026-07-28"

PASSED = {
    OLD: {
        "completion-complete",
        "dns-rebinding-protection",
        "ping",
        "prompts-list",
        "resources-list",
        "server-initialize",
        "tools-list",
    },
    NEW: {
        "caching",
        "completion-complete",
        "dns-rebinding-protection",
        "http-header-validation",
        "input-required-result-unsupported-methods",
        "input-required-result-validate-input",
        "prompts-list",
        "resources-list",
        "sep-2164-resource-not-found",
        "server-sse-multiple-streams",
        "tools-list",
    },
}
"""Scenarios in which every check passes."""

STATEFUL = {
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "server-sse-polling",
}
"""Scenarios about sessions; a server that keeps none is excused."""

OWN_TOOLS = {
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "http-custom-header-server-validation",
    "input-required-result-basic-elicitation",
    "input-required-result-basic-list-roots",
    "input-required-result-basic-sampling",
    "input-required-result-capability-check",
    "input-required-result-ignore-extra-params",
    "input-required-result-missing-input-response",
    "input-required-result-multi-round",
    "input-required-result-multiple-input-requests",
    "input-required-result-non-tool-request",
    "input-required-result-request-state",
    "input-required-result-result-type",
    "input-required-result-tampered-state",
    "json-schema-2020-12",
    "tools-call-audio",
    "tools-call-elicitation",
    "tools-call-embedded-resource",
    "tools-call-error",
    "tools-call-image",
    "tools-call-mixed-content",
    "tools-call-sampling",
    "tools-call-simple-text",
    "tools-call-with-logging",
    "tools-call-with-progress",
}
"""Scenarios that call tools of the suite's own, `test_simple_text` and the like."""

OWN_TEXTS = {
    "prompts-get-embedded-resource",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-with-image",
    "resources-read-binary",
    "resources-read-text",
    "resources-templates-read",
}
"""Scenarios that read prompts and resources of the suite's own."""

NOT_OFFERED = {"logging-set-level", "resources-subscribe", "resources-unsubscribe"}
"""Scenarios of what a server may leave out, and this one does."""

STATELESS_TOOLS = {
    "sep-2575-server-rejects-undeclared-capability": "test_missing_capability",
    "sep-2575-missing-capability-http-400": "test_missing_capability",
    "sep-2575-http-server-no-independent-requests-on-stream": (
        "test_streaming_elicitation"
    ),
    "sep-2575-server-no-log-without-loglevel": "test_logging_tool",
}
"""Checks of `server-stateless` that cannot pass, each with the tool of the suite's own
that it would have to call. All others do."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    with without_token(with_settings(tmp_path_factory.mktemp("served"))) as place:
        yield place


@pytest.fixture(scope="module", params=[OLD, NEW])
def revision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def verdict(
    served: Address, revision: str, tmp_path_factory: pytest.TempPathFactory
) -> Verdict:
    home, results = (tmp_path_factory.mktemp(name) for name in ("home", "results"))
    return Clients(home).judge(served.url, revision, results)


def named(verdict: Verdict, scenario: str, *wanted: str) -> set[str]:
    """Return the checks of a scenario that ended so."""
    return {name for name, ended in verdict[scenario].items() if ended in wanted}


def test_what_needs_nothing_of_the_suites_own_passes(
    verdict: Verdict, revision: str
) -> None:
    missed = {
        (scenario, check)
        for scenario in PASSED[revision]
        for check in named(verdict, scenario, "FAILURE", "WARNING")
    }

    assert missed == set()
    assert all(named(verdict, scenario, "SUCCESS") for scenario in PASSED[revision])


def test_every_message_keeps_to_the_schema_of_its_revision(verdict: Verdict) -> None:
    judged = {
        scenario: checks["wire-schema-valid"]
        for scenario, checks in verdict.items()
        if "wire-schema-valid" in checks
    }

    assert len(judged) > 25
    assert set(judged.values()) == {"SUCCESS"}


def test_no_scenario_goes_unnoticed(verdict: Verdict, revision: str) -> None:
    known = PASSED[revision] | OWN_TOOLS | OWN_TEXTS | NOT_OFFERED
    known |= STATEFUL if revision == OLD else {"server-stateless"}

    assert {name for name in verdict if not name.startswith("tasks-")} <= known
    assert PASSED[revision] <= verdict.keys()


@pytest.mark.parametrize("revision", [OLD], indirect=True)
def test_a_server_without_sessions_is_excused_from_them(verdict: Verdict) -> None:
    failed = [check for one in STATEFUL for check in named(verdict, one, "FAILURE")]

    assert failed == []


@pytest.mark.parametrize("revision", [NEW], indirect=True)
def test_each_request_stands_alone_but_for_tools_the_suite_would_bring(
    verdict: Verdict,
) -> None:
    assert named(verdict, "server-stateless", "FAILURE") == STATELESS_TOOLS.keys()
    assert named(verdict, "server-stateless", "WARNING") == set()
    assert len(named(verdict, "server-stateless", "SUCCESS")) >= 19
