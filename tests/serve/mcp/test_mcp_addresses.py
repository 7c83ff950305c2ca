"""A note can be read by every address that an answer gives of it, and by no other."""

from typing import Any

import pytest
from mcp import Client
from mcp_harness import call, structured_server, text_of, visit
from path_table import NAMES, lay
from vault_harness import VaultHarness

from glassmind.operations.names import note_uri

FILLER = "The river is slow here. " * 100
NOTE = (
    f"# Birds\n\n{FILLER}\n\n## Kingfisher: diet [2]\n\nIt eats fish.\n\n{FILLER}\n\n"
    f"## Heron > grey\n\nIt stands.\n"
)


def read(harness: VaultHarness, name: str, **more: str) -> Any:
    return call(structured_server(harness.engine), "glassmind_read", name=name, **more)


@pytest.mark.parametrize(
    "path",
    ["Birds.md", "Water & wood/C# birds 50%.md", "a+b/Birds:12.md", " Birds .md"],
)
def test_a_hit_can_be_read_by_every_address_it_has(
    vault: VaultHarness, path: str
) -> None:
    vault.indexed({path: NOTE})
    server = structured_server(vault.engine)
    found = call(server, "glassmind_search", query="fish", response_format="detailed")
    (hit,) = found.structured_content["hits"]
    first, last = hit["lines"]
    under = " > ".join(hit["heading_path"])
    link = note_uri(path)

    parts = [
        hit["uri"],
        hit["heading"],
        f"{path}#{under}",
        f"{path}:{first}-{last}",
        f"{path}:{first}",
    ]
    for name in (*parts, link, path):
        answer = read(vault, name)
        assert not answer.is_error, text_of(answer)
        content = answer.structured_content
        assert content["path"] == path
        assert content["lines"][0] == (first if name in parts else 1)
        assert not content["notices"]
    assert read(vault, path, heading=under).structured_content["lines"][0] == first


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("obsidian://open?vault=Other&file=Birds", "in the vault 'Other'"),
        ("obsidian://open?vault=Notes", "obsidian://open?vault="),
        ("obsidian://new?vault=Notes&file=Birds", "obsidian://open?vault="),
        ("obsidian://", "obsidian://open?vault="),
        ("obsidian://open?vault=Notes&file=Bird", "no note is called 'Bird'"),
        ("note://Bird.md", "no note is called 'Bird.md'"),
        ("note://", "no path inside the vault"),
    ],
)
def test_an_address_that_leads_to_no_note_here_says_so(
    vault: VaultHarness, name: str, said: str
) -> None:
    vault.indexed({"Birds.md": NOTE})

    answer = read(vault, name)

    assert answer.is_error
    assert said in text_of(answer)


FORMS = (
    "note://{}",
    "note:///{}",
    "obsidian://open?vault=Notes&file={}",
    "obsidian://open?file={}%23Outside",
    "{}:1-3",
    "{}#Outside",
)


@pytest.mark.parametrize("form", FORMS)
def test_no_address_leads_out_of_the_vault(vault: VaultHarness, form: str) -> None:
    fence = lay(vault.root)
    vault.index()
    names = [form.format(name)[:4096] for name in NAMES.values()]

    async def body(client: Client) -> list[Any]:
        return [
            await client.call_tool("glassmind_read", {"name": name}) for name in names
        ]

    answers = visit(structured_server(vault.engine), body)

    fence.assert_untouched(*(answer.model_dump_json() for answer in answers))
    assert not [one for one in answers if "unexpected" in text_of(one)]
