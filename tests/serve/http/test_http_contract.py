"""The server keeps to its own description, whatever is sent."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from http_harness import Web, serving
from route_table import ROUTES, Route
from vault_harness import VaultHarness

from glassmind.access.clients import clients_of
from glassmind.access.scopes import read_scope
from glassmind.model.access import Scope

SAMPLE = Path(__file__).parents[3] / "sample-vault"
LIMIT_S = 1_200
NOBODYS = "gm_of_nobody"

DESCRIBED = len(ROUTES)

REFUSING = (
    "POST /index",
    "GET /notes/{name}",
    "GET /graph/resolve",
    "POST /graph/finding/dismiss",
    "POST /context",
    "GET /hot-context",
    "GET /brief",
    "POST /verify",
    "POST /capture",
    "GET /recall",
    "GET /log",
    "POST /edit",
    "POST /notes",
    "POST /delete",
    "POST /move",
    "POST /rename-heading",
    "POST /rename-tag",
    "POST /merge",
    "POST /split",
    "POST /changes/{id}/apply",
)
"""Routes that refuse what no schema can describe: a path that leads out of the vault,
lines that run backwards, a text without a name, an unknown key, a budget too small for
anything, a text that is not a date or a receipt, an edit that lacks what its kind
needs, a name that no file may have, a deletion without `confirm`."""

REFUSED_WITH = ["2xx", 401, 403, 404, 409, 422, "5xx"]

SETTINGS = """
[checks.negative_data_rejection]
expected-statuses = ["4xx", "5xx"]
""" + "".join(
    f"""
[[operations]]
include-name = "{name}"
checks.positive_data_acceptance.expected-statuses = {json.dumps(REFUSED_WITH)}
"""
    for name in REFUSING
)


def examined(
    vault: VaultHarness,
    place: Path,
    *wishes: str,
    scope: Scope | None = None,
    token: str = "",
) -> str:
    """Return what schemathesis says of a server of the sample vault; 0 failures.

    It asks with the vault's own token, as a client with a `scope`, or with a `token`.
    """
    program = shutil.which("schemathesis", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("schemathesis is not installed")
    shutil.copytree(SAMPLE, vault.root, dirs_exist_ok=True)
    vault.index()
    settings = place / "schemathesis.toml"
    settings.write_text(SETTINGS, "utf-8")
    clients = clients_of(vault.engine.config)
    if scope is not None:
        token = clients.add("examiner", scope)[1]
    described = place / "openapi.json"
    with serving(vault.engine, clients=clients) as web:
        described.write_bytes(web.get("/openapi.json").body)
        command = [
            program,
            "--config-file",
            str(settings),
            "run",
            str(described),
            "--url",
            f"http://{web.host}",
            "--header",
            f"Authorization: Bearer {token or web.token}",
            "--checks",
            "all",
            "--generation-database",
            "none",
            "--no-color",
            *wishes,
        ]
        done = subprocess.run(
            command,
            cwd=place,
            env={**os.environ, "HOME": str(place)},
            capture_output=True,
            encoding="utf-8",
            timeout=LIMIT_S,
            check=False,
        )
    lines = [line[:500] for line in done.stdout.splitlines()]
    assert done.returncode == 0, "\n".join(lines[-200:]) + done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_few_requests_of_every_kind_are_answered_as_described(
    vault: VaultHarness, tmp_path: Path
) -> None:
    said = examined(
        vault, tmp_path, "--phases", "fuzzing", "--max-examples", "2", "--seed", "7"
    )

    assert re.search(rf"Tested: {DESCRIBED}", said)


def test_who_is_refused_by_token_or_scope_is_told_so_as_described(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "Tea."})
    clients = clients_of(vault.engine.config)
    bounded = clients.add("bounded", read_scope(["folder:Tea"], ["query"]))[1]
    with serving(vault.engine, clients=clients) as web:
        paths = web.get("/openapi.json").json["paths"]
        for route in ROUTES:
            described = paths[route.path][route.method.lower()]["responses"]
            statuses = [
                _status(Web(web.port, token), route) for token in (NOBODYS, bounded)
            ]
            open_to_all = route.path == "/health"
            assert statuses == [
                200 if open_to_all else 401,
                200 if "any" in route.sets else 403,
            ]
            assert {"401", "403"} <= set(described)


def _status(web: Web, route: Route) -> int:
    path = re.sub(r"\{\w+\}", "x", route.path)
    answer = web.get(path) if route.method == "GET" else web.post(path, {})
    assert answer.status == 200 or set(answer.json) == {"error"}
    return answer.status


@pytest.mark.slow
@pytest.mark.timeout(1_500)
def test_every_request_is_answered_as_described(
    vault: VaultHarness, tmp_path: Path
) -> None:
    said = examined(vault, tmp_path, "--max-examples", "100")

    assert re.search(rf"Tested: {DESCRIBED}", said)


@pytest.mark.slow
@pytest.mark.timeout(1_500)
def test_a_client_with_a_scope_is_answered_as_described(
    vault: VaultHarness, tmp_path: Path
) -> None:
    scope = read_scope(["folder:Projects"], ["core", "write"])

    said = examined(vault, tmp_path, "--max-examples", "30", scope=scope)

    assert re.search(rf"Tested: {DESCRIBED}", said)


@pytest.mark.slow
@pytest.mark.timeout(1_500)
def test_a_wrong_token_is_refused_as_described_on_every_route(
    vault: VaultHarness, tmp_path: Path
) -> None:
    wishes = ("--phases", "examples,fuzzing", "--max-examples", "10")

    said = examined(vault, tmp_path, *wishes, token=NOBODYS)

    assert re.search(rf"Tested: {DESCRIBED}", said)
