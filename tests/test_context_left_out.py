"""What a bundle leaves out is told, and nothing that matters most is among it."""


import pytest
from vault_desk import VaultDesk

from glassmind.types.context import Bundle


def pack(vault: VaultDesk, query: str, **wanted: object) -> Bundle:
    return vault.engine.bundles.pack(query, **wanted)  # type: ignore[arg-type]


def memo(kind: str, project: str, text: str, day: int) -> str:
    return (
        f"---\nkind: {kind}\nproject: {project}\ncreated: 2026-11-{day:02}T00:00:00\n"
        f"status: open\n---\n\n{text}\n"
    )


@pytest.mark.parametrize("kind", ["task", "memory"])
def test_what_is_open_does_not_vanish_behind_later_captures(
    vault: VaultDesk, kind: str
) -> None:
    later = {
        f".agent/other/{n}.md": memo(kind, "Other", f"Unrelated {n}.", 2)
        for n in range(310)
    }
    vault.indexed(
        {
            "Atlas.md": "---\nproject: Atlas\n---\n# Atlas\n\nThe atlas project.\n",
            ".agent/tasks/Renew.md": memo("task", "Atlas", "Renew the contract.", 1),
            **later,
        }
    )

    found = pack(vault, "atlas")

    assert [one.text for one in found.tasks] == ["Renew the contract."]
    brief = vault.engine.bundles.brief(project="Atlas")
    assert [one.text for one in brief.tasks] == ["Renew the contract."]


def test_what_is_overdue_comes_first_of_a_note_with_many_tasks(
    vault: VaultDesk,
) -> None:
    chores = "".join(f"- [ ] atlas chore {n}\n" for n in range(400))
    vault.indexed({"Todo.md": f"# Todo\n\n{chores}- [ ] atlas bill 📅 2025-01-01\n"})

    found = pack(vault, "atlas")

    assert found.tasks[0].text == "atlas bill 📅 2025-01-01"
    assert found.tasks[0].rule == "overdue"
