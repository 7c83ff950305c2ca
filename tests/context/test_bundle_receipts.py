"""Every receipt that is handed out holds against the files, however they are saved."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from vault_harness import VaultHarness

from glassmind import Engine
from glassmind.context.markdown import bundle_as_markdown, receipts_of
from glassmind.model import Span
from glassmind.obsidian.receipts import receipt_of, receipts_in

SAMPLE = Path(__file__).parents[2] / "sample-vault"
REAL = Path(__file__).parents[3] / "shared" / "data" / "vaults"

QUESTIONS = (
    "flood alarm height",
    "which battery did we choose",
    "bread starter",
    "open questions",
    "Japan trip",
    "radio",
)


def crlf(raw: bytes) -> bytes:
    return raw.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def marked(raw: bytes) -> bytes:
    return b"\xef\xbb\xbf" + raw


def receipts_from(engine: Engine) -> list[str]:
    """Return the receipts of bundles, of a briefing and of a summary."""
    found = [
        receipt
        for question in QUESTIONS
        for receipt in receipts_of(engine.bundles.pack(question))
    ]
    found += receipts_of(engine.bundles.hot())
    found += receipts_of(engine.bundles.brief(since="2020"))
    told = engine.bundles.summarize("Projects/", save=False)
    return [*found, *(sentence.receipt for sentence in told.sentences)]


def states(engine: Engine, receipts: list[str]) -> dict[str, str]:
    found = engine.bundles.verify(receipts)
    return {one.receipt: one.state for one in found if one.state != "unchanged"}


def test_every_receipt_of_the_sample_vault_holds(sample: VaultHarness) -> None:
    receipts = receipts_from(sample.engine)

    assert len(set(receipts)) > 50
    assert states(sample.engine, receipts) == {}


@pytest.mark.slow
@pytest.mark.parametrize("saved", [crlf, marked, lambda raw: marked(crlf(raw))])
def test_every_receipt_holds_however_notes_are_saved(
    vault: VaultHarness, saved: Callable[[bytes], bytes]
) -> None:
    shutil.copytree(SAMPLE, vault.root, dirs_exist_ok=True)
    for file in vault.root.rglob("*.md"):
        file.write_bytes(saved(file.read_bytes()))
    vault.index()

    receipts = receipts_from(vault.engine)

    assert len(set(receipts)) > 50
    assert states(vault.engine, receipts) == {}


def test_the_sources_of_a_bundle_are_verified_from_its_markdown(
    sample: VaultHarness,
) -> None:
    made = sample.engine.bundles.pack("flood alarm height")

    cited = receipts_in(bundle_as_markdown(made))

    assert set(cited) == set(receipts_of(made))
    assert states(sample.engine, cited) == {}


def test_what_was_edited_after_it_was_packed_is_told(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "Tea.md": "# Tea\n\nOolong is brewed twice.\n",
            "Cup.md": "# Cup\n\nOolong cups are small.\n",
            "Pot.md": "# Pot\n\nOolong pots are round.\n",
            "Box.md": "# Box\n\nOolong boxes are tight.\n",
        }
    )
    made = vault.engine.bundles.pack("oolong")
    receipts = receipts_of(made)
    assert {receipt.partition(".")[0] for receipt in receipts} == {
        "Tea",
        "Cup",
        "Pot",
        "Box",
    }
    vault.write({"Tea.md": "# Tea\n\nOolong is brewed thrice.\n"})
    vault.write({"Cup.md": "New.\n\n# Cup\n\nOolong cups are small.\n"})
    vault.move("Pot.md", "Shelf/Round pot.md")

    for moved in ("gone", "moved"):  # before the index knows of it, and after
        found = {
            one.receipt.partition(".")[0]: one.state
            for one in vault.engine.bundles.verify(receipts)
        }
        expected = {
            "Tea": "changed",
            "Cup": "moved",
            "Pot": moved,
            "Box": "unchanged",
        }
        assert found == expected
        vault.index()


@pytest.mark.slow
def test_receipts_of_lines_without_end_hold(vault: VaultHarness) -> None:
    words = " ".join(f"zebra{number} runs." for number in range(10_000))
    vault.indexed(
        {
            "One.md": f"# One\n\n{words}\n\n- [ ] Feed the zebra\n",
            "Two.md": f"# Decisions\n\n- Buy a zebra.\n- {words}\n- Sell it.\n",
            "Odd.md": b"# Odd\r\n\r\nzebra one\r\r\n\x0czebra two\r\n\xe2\x80\xa8zebra",
        }
    )

    receipts = [
        receipt
        for question in ("zebra", "zebra9999", "zebra5000 runs")
        for receipt in receipts_of(vault.engine.bundles.pack(question))
    ]
    receipts += receipts_of(vault.engine.bundles.brief(since="2020"))

    assert len(set(receipts)) >= 4
    assert states(vault.engine, receipts) == {}


def test_a_bundle_of_many_sources_is_kept(vault: VaultHarness) -> None:
    shutil.copytree(SAMPLE, vault.root, dirs_exist_ok=True)
    vault.index()

    made = vault.engine.bundles.pack(
        "flood alarm stations open questions", save=True, budget_tokens=12_000
    )

    cited = set(receipts_of(made))
    assert len(cited) > 32
    assert made.saved is not None
    assert cited <= set(receipts_in((vault.root / made.saved).read_text("utf-8")))


def test_the_lines_of_every_kind_of_note_are_those_of_the_index(
    sample: VaultHarness,
) -> None:
    notes = sample.engine.list_notes(limit=1000).notes
    assert {note.kind for note in notes} > {"markdown", "canvas", "base"}
    receipts = []
    for note in notes:
        _, chunks = sample.engine.chunks(note.path)
        text = "".join(chunk.text[chunk.overlap :] for chunk in chunks)
        span = Span(1, max(1, len(text.rstrip("\n").split("\n"))))
        receipts.append(receipt_of(note.path, "", span, text))

    assert states(sample.engine, receipts) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["kepano", "lyz"])
def test_every_receipt_of_a_real_vault_holds(vault: VaultHarness, name: str) -> None:
    place = REAL / name
    if not place.is_dir():
        pytest.skip(f"{place} is not here")
    shutil.copytree(place, vault.root, dirs_exist_ok=True)
    vault.index()
    titles = [note.title for note in vault.engine.list_notes(limit=40).notes]

    receipts = [
        receipt
        for title in titles
        for receipt in receipts_of(vault.engine.bundles.pack(title, budget_tokens=2000))
    ]
    briefing = vault.engine.bundles.brief(since="2000", budget_tokens=20_000)
    receipts += receipts_of(briefing)

    assert len(set(receipts)) > 100
    assert states(vault.engine, receipts) == {}
