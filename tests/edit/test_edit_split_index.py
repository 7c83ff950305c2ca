"""Renames, merges and splits over a real index, one after the other."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from editing_harness import MakeHarness, harnesses_in

from glassmind.edit.restructuring import (
    plan_merge,
    plan_rename_heading,
    plan_rename_tag,
    plan_split,
)
from glassmind.model import NotePath

TEA, CUP = NotePath("Tea.md"), NotePath("x/Cup.md")


@pytest.fixture
def editing(tmp_path: Path) -> Iterator[MakeHarness]:
    yield from harnesses_in(tmp_path)


def test_a_section_renamed_cut_out_tagged_and_merged_keeps_its_links(
    editing: MakeHarness,
) -> None:
    vault = editing(
        {
            TEA: "# Tea\n\n[[#Pot]]\n\n## Pot\n\n#brew ^id\n",
            CUP: "---\ntags: [brew]\n---\n[[Tea#Pot]] ![[Tea#^id]]\n",
            "B.canvas": '{"nodes":[{"id":"1","type":"file","x":0,"y":0,"width":1,'
            '"height":1,"file":"Tea.md","subpath":"#Pot"}]}',
        }
    )

    vault.apply(plan_rename_heading(vault.harness, TEA, "Pot", "Can"))
    assert vault.text(CUP) == "---\ntags: [brew]\n---\n[[Tea#Can]] ![[Tea#^id]]\n"

    vault.apply(plan_split(vault.harness, TEA, "Can", folder="y"))
    assert vault.text(TEA) == "# Tea\n\n[[Can#Can]]\n\n[[Can]]\n"
    assert vault.text(CUP).endswith("[[Can#Can]] ![[Can#^id]]\n")

    vault.apply(plan_rename_tag(vault.harness, "Brew", "drink/brew"))
    assert vault.text("y/Can.md") == "## Can\n\n#drink/brew ^id\n"
    assert vault.text(CUP).startswith("---\ntags: [drink/brew]\n---\n")

    vault.apply(plan_merge(vault.harness, NotePath("y/Can.md"), CUP))
    assert vault.text(TEA) == "# Tea\n\n[[Cup#Can]]\n\n[[Cup]]\n"
    assert '"file":"x/Cup.md","subpath":"#Can"' in vault.text("B.canvas")
    assert vault.text(CUP) == (
        "---\ntags: [drink/brew]\naliases:\n  - Can\n---\n"
        "[[Cup#Can]] ![[Cup#^id]]\n\n## Can\n\n#drink/brew ^id\n"
    )
    assert vault.text(".trash/y/Can.md") == "## Can\n\n#drink/brew ^id\n"
