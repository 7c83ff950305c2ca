"""The server keeps to its own description, whatever is sent."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from http_desk import serving
from vault_desk import VaultDesk

from glassmind.surfaces.http.table import ROUTES

SAMPLE = Path(__file__).parents[1] / "sample-vault"
LIMIT_S = 600

DESCRIBED = sum(route.schema != "OpenApi" for route in ROUTES)

REFUSING = (
    "POST /index",
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
)
"""A path that leads out of the vault is refused, a text that holds no name, a key that
is of no finding, a budget that nothing fits into, a text that is no day, no receipt or
nothing to remember, an edit that lacks what its kind takes, a name that no file may
have, a deletion that nobody confirmed; no schema can tell which do."""

SETTINGS = "".join(
    f"""
[[operations]]
include-name = "{name}"
checks.positive_data_acceptance.expected-statuses = ["2xx", 403, 404, 409, 422, "5xx"]
"""
    for name in REFUSING
)


def examined(vault: VaultDesk, place: Path, *wishes: str) -> str:
    """Return what schemathesis says of a server of the sample vault; 0 failures."""
    program = shutil.which("schemathesis", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("schemathesis is not installed")
    shutil.copytree(SAMPLE, vault.root, dirs_exist_ok=True)
    vault.index()
    settings = place / "schemathesis.toml"
    settings.write_text(SETTINGS, "utf-8")
    with serving(vault.engine) as web:
        command = [
            program,
            "--config-file",
            str(settings),
            "run",
            f"http://{web.host}/openapi.json",
            "--header",
            f"Authorization: Bearer {web.token}",
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
    assert done.returncode == 0, done.stdout[-5_000:] + done.stderr
    return done.stdout


def test_a_few_requests_of_every_kind_are_answered_as_described(
    vault: VaultDesk, tmp_path: Path
) -> None:
    said = examined(
        vault, tmp_path, "--phases", "fuzzing", "--max-examples", "2", "--seed", "7"
    )

    assert re.search(rf"Tested: {DESCRIBED}", said)


@pytest.mark.slow
def test_every_request_is_answered_as_described(
    vault: VaultDesk, tmp_path: Path
) -> None:
    said = examined(vault, tmp_path, "--max-examples", "100")

    assert re.search(rf"Tested: {DESCRIBED}", said)
