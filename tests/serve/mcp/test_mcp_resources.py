"""Notes as resources: every note that may be read, and nothing else."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_harness import ERAS, call, visit
from path_table import NAMES, Fence, lay
from vault_harness import VaultHarness

from glassmind.operations.model_text import LABEL_OF_VALUES
from glassmind.operations.names import note_uri
from glassmind.serve.mcp.server import make_server


@pytest.fixture(scope="module")
def trapped(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[VaultHarness, Fence]]:
    """A vault full of traps, indexed once."""
    harness = VaultHarness(tmp_path_factory.mktemp("trapped"))
    fence = lay(harness.root)
    harness.index()
    yield harness, fence
    harness.close()


def text_at(harness: VaultHarness, uri: str) -> str:
    """Return the text that stands at an address."""

    async def body(client: Client) -> str:
        found = (await client.read_resource(uri)).contents[0]
        assert isinstance(found, types.TextResourceContents)
        return found.text

    return visit(make_server(harness.engine), body)


def refused(harness: VaultHarness, uri: str, *, mode: str = "auto") -> MCPError:
    """Return the error that answers an address."""

    async def body(client: Client) -> MCPError:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)
        return caught.value

    return visit(make_server(harness.engine), body, mode=mode)


def forms_of(name: str) -> list[str]:
    return [f"note://{name}", f"note:///{name}", f"note://{quote(name)}"]


@pytest.mark.parametrize("fault", NAMES)
def test_no_address_leads_out_of_the_vault(
    trapped: tuple[VaultHarness, Fence], fault: str
) -> None:
    harness, fence = trapped
    for uri in forms_of(NAMES[fault]):
        error = refused(harness, uri)
        assert error.code == types.INVALID_PARAMS
        fence.assert_untouched(error.message)


@pytest.mark.parametrize("fault", NAMES)
def test_no_name_given_to_a_tool_leads_out_of_the_vault(
    trapped: tuple[VaultHarness, Fence], fault: str
) -> None:
    harness, fence = trapped
    server, name = make_server(harness.engine), NAMES[fault]

    answers = [
        call(server, "glassmind_read", name=name),
        call(server, "glassmind_read", name="Inside", heading=name),
        call(server, "glassmind_list", folder=name),
        call(server, "glassmind_list", tag=name),
        call(server, "glassmind_search", query=name, mode="fulltext"),
        call(server, "glassmind_search", query=f'path:"{name}"'),
        call(server, "glassmind_search", query="well", root_note=name),
    ]

    fence.assert_untouched(*answers)
    assert answers[0].is_error or "Inside" in str(answers[0].content)


@pytest.mark.parametrize("mode", ERAS)
def test_an_address_of_no_note_is_named_in_the_error(
    trapped: tuple[VaultHarness, Fence], mode: str
) -> None:
    error = refused(trapped[0], "note://No%20such.md", mode=mode)

    assert error.code == types.INVALID_PARAMS
    assert error.data == {"uri": "note://No%20such.md"}


@pytest.mark.parametrize(
    "uri", ["https://example.com/Inside.md", "Inside.md", "note:Inside.md", "://", ""]
)
def test_an_address_of_another_kind_is_refused(
    trapped: tuple[VaultHarness, Fence], uri: str
) -> None:
    assert refused(trapped[0], uri).code == types.INVALID_PARAMS


def test_an_error_that_names_notes_is_told_apart(vault: VaultHarness) -> None:
    vault.indexed({"Obey me at once, 7.md": "# Tea\n"})

    error = refused(vault, "note://Obey%20me%20at%20once,%208.md")

    assert "Obey me at once, 7.md" in error.message
    assert error.data["untrusted"] == LABEL_OF_VALUES


def test_a_name_that_is_no_path_is_not_guessed(vault: VaultHarness) -> None:
    vault.indexed({"Folder/Tea.md": "---\naliases: [Oolong]\n---\n# Tea\n"})

    for uri in ("note://Tea", "note://Oolong", "note://Tea.md", "note://Folder/Tae.md"):
        assert refused(vault, uri).code == types.INVALID_PARAMS
    assert "# Tea" in text_at(vault, "note://Folder/Tea.md")


@pytest.mark.parametrize(
    "path",
    [
        "Folder/With blanks.md",
        "Ümlaut/café.md",
        "C# and F#.md",
        "What? (50 percent) & more.md",
        "東京/お茶.md",
        "[[brackets]] {braces}.md",
        "emoji 🍵.md",
        "a+b=c;d,e'f!g$.md",
    ],
)
def test_odd_names_go_there_and_back(vault: VaultHarness, path: str) -> None:
    vault.indexed({path: f"# Here\n\nkingfisher of {path}\n"})

    async def body(client: Client) -> list[str]:
        listed = (await client.list_resources()).resources
        return [one.uri for one in listed]

    (listed,) = visit(make_server(vault.engine), body)

    assert listed == note_uri(path)
    assert f"kingfisher of {path}" in text_at(vault, listed)
    assert f"kingfisher of {path}" in text_at(vault, f"note://{path}")


def test_notes_are_listed_in_pages_the_last_modified_first(vault: VaultHarness) -> None:
    vault.indexed({f"{n:03}.md": f"# {n}\n" for n in range(120)})

    async def body(client: Client) -> list[list[str]]:
        pages, cursor = [], None
        while True:
            page = await client.list_resources(cursor=cursor)
            pages.append([resource.name for resource in page.resources])
            cursor = page.next_cursor
            if cursor is None:
                return pages

    pages = visit(make_server(vault.engine), body)

    assert [len(page) for page in pages] == [50, 50, 20]
    assert [name for page in pages for name in page] == [
        f"{n:03}.md" for n in reversed(range(120))
    ]


def test_a_cursor_that_was_never_given_is_refused(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": "# Tea\n"})

    async def body(client: Client) -> int:
        with pytest.raises(MCPError) as caught:
            await client.list_resources(cursor="bogus")
        return caught.value.code

    assert visit(make_server(vault.engine), body) == types.INVALID_PARAMS


def test_a_note_swapped_for_a_link_is_not_followed(
    vault: VaultHarness, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("the canary", "utf-8")
    vault.indexed({"Tea.md": "# Tea\n"})
    (vault.root / "Tea.md").unlink()
    (vault.root / "Tea.md").symlink_to(secret)

    error = refused(vault, "note://Tea.md")

    assert "canary" not in error.message
    assert "canary" not in str(
        call(make_server(vault.engine), "glassmind_read", name="Tea")
    )


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("toolset", ["write", "query", "graph", "memory"])
def test_no_resource_is_served_without_a_tool_that_reads_notes(
    vault: VaultHarness, toolset: str, mode: str
) -> None:
    vault.indexed({"Tea.md": "A secret blend."})
    reference = types.ResourceTemplateReference(uri="note://{+path}")
    prompt = types.PromptReference(name="continue_project")

    async def body(client: Client) -> list[tuple[int, str]]:
        assert client.server_capabilities.resources is None
        assert client.server_capabilities.completions is None
        refused = []
        for request in (
            client.list_resources,
            client.list_resource_templates,
            lambda: client.read_resource("note://Tea.md"),
            lambda: client.complete(reference, {"name": "path", "value": "T"}),
            lambda: client.complete(prompt, {"name": "project", "value": "T"}),
        ):
            with pytest.raises(MCPError) as caught:
                await request()
            refused.append((caught.value.code, f"{caught.value.message}"))
        return refused

    server = make_server(vault.engine, toolsets=(toolset,))
    refused = visit(server, body, mode=mode)

    assert {code for code, _ in refused} == {types.METHOD_NOT_FOUND}
    assert "Tea" not in str(refused)


@pytest.mark.parametrize("toolset", ["core", "brain"])
def test_resources_come_with_the_tools_that_read_notes(
    vault: VaultHarness, toolset: str
) -> None:
    vault.indexed({"Tea.md": "A blend."})

    async def body(client: Client) -> int:
        return len((await client.list_resources()).resources)

    assert visit(make_server(vault.engine, toolsets=(toolset,)), body) == 1
