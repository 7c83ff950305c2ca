"""`index --verify` finds what is damaged and mends it; a rebuild names what it lost."""

import os
from pathlib import Path

import pytest
from vault_harness import VaultHarness

NOTES = {f"{n}.md": f"oolong number{n} steeped in the morning" for n in range(20)}


def flip(file: Path, old: bytes, new: bytes) -> None:
    """Change bytes of a file where they stand."""
    content = file.read_bytes()
    assert old in content
    file.write_bytes(content.replace(old, new, 1))


def failed(vault: VaultHarness) -> list[str]:
    return [check.name for check in vault.engine.doctor() if check.state != "ok"]


@pytest.mark.parametrize("is_open", [False, True])
def test_a_passage_changed_on_disk_is_mended(
    vault: VaultHarness, *, is_open: bool
) -> None:
    vault.indexed(NOTES)
    vault.close()
    vault.open()
    if is_open:
        vault.index()
    flip(vault.folder / "index.db", b"number7 steeped", b"number7 steepex")

    report = vault.index(verify=True)

    assert any("index.db was damaged" in warning for warning in report.warnings)
    assert failed(vault) == []
    assert vault.found("number7 steeped")[0] == "7.md"
    assert vault.index(verify=True).warnings == ()


def test_a_bit_flipped_in_the_word_index_is_mended(vault: VaultHarness) -> None:
    vault.indexed(NOTES)
    vault.close()
    postings = max((vault.folder / "lexical").glob("*.idx"), key=os.path.getsize)
    content = bytearray(postings.read_bytes())
    content[5] ^= 1
    postings.write_bytes(content)

    report = vault.index(verify=True)

    assert any("the word index was damaged" in told for told in report.warnings)
    assert failed(vault) == []
    assert len(vault.found("oolong", limit=50)) == 20


def test_a_sound_index_is_left_as_it_is(vault: VaultHarness) -> None:
    vault.indexed(NOTES)
    before = vault.value("select value from settings where key = 'epoch'")

    report = vault.index(verify=True)

    assert (report.unchanged, report.warnings) == (20, ())
    assert vault.value("select value from settings where key = 'epoch'") == before


def test_a_first_run_may_verify(vault: VaultHarness) -> None:
    vault.write(NOTES)

    assert vault.index(verify=True).warnings == ()
