"""What an agent wrote and nobody approved says so wherever it is found or read."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from cli_harness import Inside, with_note
from http_harness import serving
from mcp_harness import call, structured_server, text_of
from memory_harness import kept, waiting
from vault_harness import VaultHarness

LONG = "The samovar stands in the cellar.\n\n## Where\n\nBehind the brass door."


@pytest.fixture
def paths(vault: VaultHarness) -> dict[str, str]:
    """A memo that waits, one that was kept, and a note, all about one thing."""
    vault.indexed({"Tea.md": "# Tea\n\nThe samovar is brass.\n"})
    return {
        "waits": waiting(vault, LONG, "memory").path,
        "kept": kept(vault, "The samovar is polished on Mondays.", "memory").path,
        "note": "Tea.md",
    }


@pytest.mark.parametrize("mode", ["fulltext", "hybrid"])
def test_a_hit_says_that_nobody_approved_it(
    vault: VaultHarness, paths: dict[str, str], mode: Any
) -> None:
    found = vault.ask("samovar", mode=mode).hits

    marks = {hit.path: hit.generated for hit in found}
    assert marks == {paths["waits"]: True, paths["kept"]: False, "Tea.md": False}


def test_a_note_says_so_by_its_property_wherever_it_stands(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "Tea.md": "---\nGenerated: true\n---\n# Tea\n\nOolong.\n",
            "Cup.md": "---\ngenerated: 'true'\n---\nOolong, generated: true\n",
            "Pot.md": "---\ngenerated: false\n---\nOolong\n",
        }
    )

    found = {hit.path: hit.generated for hit in vault.ask("oolong").hits}

    assert found == {"Tea.md": True, "Cup.md": False, "Pot.md": False}
    assert {path: vault.engine.read(path).generated for path in found} == found


def test_a_note_in_the_inbox_says_so_whatever_its_properties(
    vault: VaultHarness,
) -> None:
    path = ".agent/inbox/By hand.md"
    vault.indexed({path: "Oolong.\n", ".agent/inboxes.md": "Oolong.\n"})

    found = {hit.path: hit.generated for hit in vault.ask("oolong").hits}

    assert found == {path: True, ".agent/inboxes.md": False}
    assert vault.engine.read(path).generated


@pytest.mark.parametrize("part", [{}, {"heading": "Where"}, {"lines": (1, 2)}])
def test_any_part_of_it_says_so_when_it_is_read(
    vault: VaultHarness, paths: dict[str, str], part: dict[str, Any]
) -> None:
    assert vault.engine.read(paths["waits"], **part).generated


def test_what_a_person_accepts_is_marked_no_more(
    vault: VaultHarness, paths: dict[str, str]
) -> None:
    done = vault.engine.memory.accept(paths["waits"])
    vault.index()

    assert not vault.engine.read(done.memory.path).generated
    assert not any(hit.generated for hit in vault.ask("samovar").hits)


def test_tools_mark_it_in_text_and_in_values(
    vault: VaultHarness, paths: dict[str, str]
) -> None:
    server = structured_server(vault.engine)

    for response_format in ("concise", "detailed"):
        found = call(
            server,
            "glassmind_search",
            query="samovar",
            response_format=response_format,
        )
        assert text_of(found).count("; generated, not approved)") == 1
        marks = {
            hit["path"]: hit.get("generated")
            for hit in found.structured_content["hits"]
        }
        assert marks == {paths["waits"]: True, paths["kept"]: None, "Tea.md": None}

    read = call(server, "glassmind_read", name=paths["waits"], heading="Where")
    head = text_of(read).partition("<notes-")[0]
    assert "no person has approved it" in head
    assert read.structured_content["generated"] is True
    other = call(server, "glassmind_read", name="Tea.md")
    assert "approved" not in text_of(other)
    assert "generated" not in other.structured_content


def test_http_says_the_same(vault: VaultHarness, paths: dict[str, str]) -> None:
    with serving(vault.engine) as web:
        read = web.get(f"/notes/{quote(paths['waits'])}?heading=Where").json
        hits = web.post("/search", {"query": "samovar"}).json["hits"]

    assert read["generated"] is True
    assert [hit["path"] for hit in hits if hit.get("generated")] == [paths["waits"]]
    assert sum("generated" in hit for hit in hits) == 1


def test_the_program_says_the_same(tmp_path: Path) -> None:
    program = Inside(with_note(tmp_path))
    memo = program.vault / ".agent/inbox/By an agent.md"
    memo.parent.mkdir(parents=True)
    memo.write_text("---\ngenerated: true\n---\nOolong is blue.\n", "utf-8")
    program.run("index")

    read, plain = program.run("read", "By an agent"), program.run("read", "Tea")
    lines = program.run("search", "oolong").stdout.splitlines()

    assert read.stdout == memo.read_text("utf-8")
    assert "no person has approved it" in read.stderr
    assert "approved" not in plain.stderr
    marked = [line for line in lines if line.endswith("generated, not approved")]
    assert [line.split(". ")[1][:14] for line in marked] == [".agent/inbox/B"]
    assert program.json("read", "By an agent")["generated"] is True
    assert "generated" not in program.json("read", "Tea")
