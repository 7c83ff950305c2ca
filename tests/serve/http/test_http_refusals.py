"""Every refusal that a client may be told of stands in the page about HTTP."""

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import glassmind.errors
import glassmind.serve.http as surface
from glassmind.errors import GlassmindError
from glassmind.serve.http.replies import Refusal, code_of
from glassmind.store import changesets

PAGE = Path(__file__).parents[3] / "docs" / "http.md"

NEVER_RAISED = frozenset(
    ("model_fault", "vault_error", "index_fault", "query_error", "write_refused")
)
"""Kinds of errors that only their own kinds are raised of."""

COMMANDS_ALONE = frozenset(
    (
        "wrong_usage",
        "backup_exists",
        "backup_unwritable",
        "backup_missing",
        "backup_damaged",
        "not_memory",
        "misplaced_memory",
        "memory_not_found",
        "not_waiting",
        "still_waiting",
        "not_merged",
        "not_superseded",
        "no_history",
        "bad_value",
    )
)
"""What is said of acts that no route does, or told in another way on the way."""

BY_CAUSE = {"write_failed": {409, 503}}
"""What has several statuses, by what the disk says."""


def kinds(
    above: type[GlassmindError] = GlassmindError,
) -> Iterator[type[GlassmindError]]:
    for one in above.__subclasses__():
        yield one
        yield from kinds(one)


def of_errors() -> set[tuple[int, str]]:
    """Return the statuses and codes that errors have."""
    found = set()
    ours = (glassmind.errors.__name__, changesets.__name__)
    for kind in kinds():
        if not kind.__module__.startswith(ours):  # of what no route asks for
            continue
        code = code_of(kind)
        if kind.hint and code not in NEVER_RAISED | COMMANDS_ALONE:
            found |= {(status, code) for status in BY_CAUSE.get(code, {kind.status})}
    return found


def of_the_server() -> set[tuple[int, str]]:
    """Return the statuses and codes of what the server itself refuses."""
    found = set()
    for module in pkgutil.iter_modules(surface.__path__):
        held = vars(import_module(f"glassmind.serve.http.{module.name}")).values()
        found |= {(one.status, one.code) for one in held if isinstance(one, Refusal)}
    return found


def told() -> set[tuple[int, str]]:
    """Return the statuses and codes of the page."""
    row = re.compile(r"^\| (\d{3}) \| ([^|]+) \| [^|]+ \|$", re.MULTILINE)
    return {
        (int(status), code)
        for status, codes in row.findall(PAGE.read_text("utf-8"))
        for code in re.findall(r"`([a-z_]+)`", codes)
    }


@pytest.mark.parametrize("wanted", [of_errors, of_the_server])
def test_every_code_stands_in_the_page_by_its_status(wanted: object) -> None:
    assert callable(wanted)

    assert sorted(wanted() - told()) == []


def test_the_page_names_no_code_that_there_is_not() -> None:
    raised_in_place = {(404, "offset_out_of_range")}

    assert sorted(told() - of_errors() - of_the_server() - raised_in_place) == []
