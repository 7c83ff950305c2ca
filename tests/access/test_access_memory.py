"""What is remembered, for somebody who may not read every note."""

from vault_harness import VaultHarness

from glassmind.access.scopes import read_scope
from glassmind.memory.memory import Memory
from glassmind.model.access import EVERY_AGENT

COPY = "{}.sync-conflict-20260102-030405-ABCDEFG.md"
MEMO = "---\nkind: memory\nclient: cli\n{}---\nA leg.\n"


def told(memory: Memory) -> str:
    return repr([memory.recall("leg"), memory.inbox(promote=False)])


def test_no_copy_of_a_memo_is_named_to_who_may_not_read_it(vault: VaultHarness) -> None:
    own = MEMO.format("private: true\n")
    vault.write(
        {
            "Work/Tea.md": "Tea.",
            f".agent/inbox/{COPY.format('Waiting')}": MEMO.format(""),
            f".agent/inbox/{COPY.format('Mine')}": own,
        }
    )
    engine = vault.open()
    engine.index()

    whole = told(engine.memory)
    agents = told(engine.seen_by(EVERY_AGENT).memory)
    scoped = told(engine.seen_by(read_scope(["folder:Work"])).memory)

    named = ["Waiting", "Mine"]
    assert [one for one in named if one in whole] == named
    assert [one for one in named if one in agents] == ["Waiting"]
    assert [one for one in named if one in scoped] == []
