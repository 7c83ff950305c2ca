"""What an answer cites can be verified in the vault, as any receipt can."""

from answers_harness import AnswersHarness, ScriptedChat, source, written
from vault_harness import VaultHarness

from glassmind.model.context import Answer, Source

NOTE = (
    "---\ntags: [river]\n---\n# Heron\n\n## Power\n"
    "The station runs on a **40 W** panel\nand a [[LiFePO4|lithium battery]].\n\n"
    "1. Cut the *blue* wire.\n2. Wait for 5 minutes.\n"
)
QUOTES = (
    (1, "runs on a 40 W panel and a lithium battery", "It has a panel."),
    (1, "1. cut the blue wire.", "Cut the wire."),
    (1, "2. Wait for 5 minutes", "You wait."),
)


def answered(vault: VaultHarness, raw: bytes) -> tuple[Answer, Source]:
    """Return what is answered from the sixth line of a note on."""
    vault.indexed({"Projects/Heron.md": raw})
    text = raw.decode("utf-8-sig").split("\n", 5)[5]
    found = source(1, "Projects/Heron.md", text, start=6)
    return AnswersHarness(ScriptedChat(written(*QUOTES)), sources=[found]).ask(), found


def check(vault: VaultHarness, answer: Answer, found: Source) -> None:
    assert [statement.support for statement in answer.statements] == ["quoted"] * 3
    cited = [citation for said in answer.statements for citation in said.citations]
    assert len(cited) == 3
    verified = vault.engine.bundles.verify([one.receipt for one in cited])
    assert [one.state for one in verified] == ["unchanged"] * 3
    assert all(one.quote in found.text for one in cited)


def test_receipts_of_quotes_stand_unchanged_in_the_vault(vault: VaultHarness) -> None:
    check(vault, *answered(vault, NOTE.encode()))


def test_receipts_hold_however_lines_end(vault: VaultHarness) -> None:
    raw = b"\xef\xbb\xbf" + NOTE.replace("\n", "\r\n").encode()

    check(vault, *answered(vault, raw))


def test_a_receipt_tells_that_its_lines_changed(vault: VaultHarness) -> None:
    answer, _ = answered(vault, NOTE.encode())
    vault.write({"Projects/Heron.md": NOTE.replace("40 W", "60 W")})

    receipts = [said.citations[0].receipt for said in answer.statements]

    found = vault.engine.bundles.verify(receipts)
    assert [one.state for one in found] == ["changed", "unchanged", "unchanged"]
