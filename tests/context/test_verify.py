"""What became of cited lines: unchanged, moved, changed or gone, by the files."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vault_harness import VaultHarness

from glassmind.errors import NoReceipts
from glassmind.model import NotePath, Span
from glassmind.model.context import ReceiptCheck
from glassmind.obsidian.receipts import digest_of_lines, receipt_of
from glassmind.search.verify import plain_lines, seek, stands_at

TEA = "# Tea\n\nOolong is half green.\n\n## Brewing\n\nTwice, hot.\nThen again.\n"


def cited(text: str, start: int, end: int, *, at: str, under: str = "") -> str:
    """Return the receipt of lines of a text, as the index has them."""
    there = "\n".join(text.split("\n")[start - 1 : end])
    return receipt_of(at, under, Span(start, end), there)


BREWING = cited(TEA, 7, 8, at="Tea.md", under="Brewing")


def verified(vault: VaultHarness, receipt: str) -> ReceiptCheck:
    (found,) = vault.engine.bundles.verify([receipt])
    return found


def test_lines_that_stand_as_they_did_are_unchanged(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": TEA})

    found = verified(vault, BREWING)

    assert (found.state, found.now) == ("unchanged", BREWING)


def test_lines_further_down_in_their_note_are_moved(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": TEA})
    vault.write({"Tea.md": TEA.replace("## Brewing", "One\n\nTwo\n\n## How")})

    found = verified(vault, BREWING)

    assert found.state == "moved"
    assert found.now is not None
    assert found.now.startswith("Tea.md#How:11-12@")
    assert verified(vault, found.now).state == "unchanged"
    assert "lines 11-12" in found.note


def test_lines_that_say_something_else_are_changed(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": TEA})
    vault.write({"Tea.md": TEA.replace("Twice", "Thrice")})

    found = verified(vault, BREWING)

    assert (found.state, found.now) == ("changed", None)


def test_lines_behind_the_end_of_a_note_are_changed(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": TEA})
    vault.write({"Tea.md": "# Tea\n"})

    found = verified(vault, BREWING)

    assert found.state == "changed"
    assert "1 now" in found.note


def test_lines_of_a_note_that_is_nowhere_are_gone(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": TEA, "Coffee.md": "# Coffee\n\n## Brewing\n\nOnce."})
    vault.remove("Tea.md")

    for _ in range(2):  # the index may be behind, or not
        found = verified(vault, BREWING)
        assert (found.state, found.now) == ("gone", None)
        vault.index(accept_deletions=True)


@pytest.mark.parametrize("place", ["Drinks/Tea.md", "Leaves.md", "Drinks/Leaves.md"])
def test_lines_of_a_note_that_was_moved_are_found_there(
    vault: VaultHarness, place: str
) -> None:
    vault.indexed({"Tea.md": TEA, "Other.md": "Nothing."})
    vault.move("Tea.md", place)
    vault.index()

    found = verified(vault, BREWING)

    assert found.state == "moved"
    assert found.now == BREWING.replace("Tea.md", place)
    assert verified(vault, found.now).state == "unchanged"


def test_lines_of_a_note_that_was_renamed_and_edited_are_found_by_their_heading(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Tea.md": TEA})
    vault.remove("Tea.md")
    vault.indexed({"Leaves.md": f"New.\n\n{TEA}"})

    assert verified(vault, BREWING).now == cited(
        f"New.\n\n{TEA}", 9, 10, at="Leaves.md", under="Brewing"
    )


def test_lines_that_any_note_may_have_tell_no_note(vault: VaultHarness) -> None:
    todo = "# Day\n\n- [ ] call\n"
    vault.indexed({"Monday.md": todo, "Tuesday.md": todo})
    vault.remove("Monday.md")
    vault.index(accept_deletions=True)

    assert verified(vault, cited(todo, 3, 3, at="Monday.md")).state == "gone"
    vault.move("Tuesday.md", "Week/Monday.md")
    vault.index()
    assert verified(vault, cited(todo, 3, 3, at="Monday.md")).state == "moved"


@pytest.mark.parametrize(
    "raw",
    [
        TEA.encode(),
        TEA.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + TEA.encode(),
        b"\xef\xbb\xbf" + TEA.replace("\n", "\r\n").encode(),
        TEA.encode("utf-16"),
        TEA.rstrip("\n").encode(),
    ],
    ids=["plain", "crlf", "bom", "bom-crlf", "utf-16", "no-end"],
)
def test_lines_are_the_same_in_every_encoding(vault: VaultHarness, raw: bytes) -> None:
    vault.write({"Tea.md": raw})

    assert verified(vault, BREWING).state == "unchanged"


def test_lines_of_properties_and_of_a_canvas_are_verified(vault: VaultHarness) -> None:
    canvas = '{"nodes":[{"id":"a","type":"text","text":"One\\n\\nTwo","x":0,"y":0}]}'
    note = f"---\nkind: tea\n---\n{TEA}"
    vault.indexed({"Board.canvas": canvas, "Tea.md": note})

    found = vault.engine.bundles.verify(
        [
            cited(note, 2, 2, at="Tea.md"),
            cited("One\n\nTwo", 3, 3, at="Board.canvas"),
        ]
    )

    assert [one.state for one in found] == ["unchanged", "unchanged"]


def test_a_receipt_is_verified_before_there_is_an_index(vault: VaultHarness) -> None:
    vault.write({"Tea.md": TEA})

    found = vault.engine.bundles.verify([BREWING, BREWING.replace("Tea.md", "No.md")])

    assert [one.state for one in found] == ["unchanged", "gone"]
    assert "no index" in found[1].note


def test_receipts_are_answered_in_their_order(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "One\nTwo", "B.md": "Three"})
    wanted = [
        cited("Three", 1, 1, at="B.md"),
        cited("One\nTwo", 2, 2, at="A.md"),
        cited("Four", 1, 1, at="B.md"),
        cited("One\nTwo", 1, 2, at="A.md"),
    ]

    found = vault.engine.bundles.verify(wanted)

    assert [one.receipt for one in found] == wanted
    states = ["unchanged", "unchanged", "changed", "unchanged"]
    assert [one.state for one in found] == states


def test_the_first_digits_of_a_digest_are_enough(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": TEA})

    assert verified(vault, BREWING[:-8]).state == "unchanged"
    assert verified(vault, f"{BREWING[:-8]}00000000").state == "changed"


def test_what_is_no_receipt_is_told_the_form_and_the_others_are_verified(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Tea.md": TEA})

    odd, good = vault.engine.bundles.verify(["Tea.md", BREWING])

    assert (odd.receipt, odd.state, odd.now) == ("Tea.md", "bad", None)
    assert "path#heading:12-18@digest" in odd.note
    assert good.state == "unchanged"


def test_without_receipts_there_is_nothing_to_verify(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": TEA})

    with pytest.raises(NoReceipts, match="path#heading:12-18@digest"):
        vault.engine.bundles.verify([])


@pytest.mark.parametrize("path", ["../Tea.md", "/etc/hosts", "a/../../b.md", "a//b.md"])
def test_a_receipt_that_leads_out_of_the_vault_is_bad(
    vault: VaultHarness, path: str
) -> None:
    vault.indexed({"Tea.md": TEA})

    odd, good = vault.engine.bundles.verify([f"{path}:1@0f1e2d3c", BREWING])

    assert (odd.state, odd.now) == ("bad", None)
    assert "no path inside the vault" in odd.note
    assert good.state == "unchanged"


def test_what_is_left_out_of_the_index_is_not_told_of(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": TEA, ".obsidian/app.json": '{"a": 1}'})
    vault.write(
        {
            "Private/Key.md": "secret",
            ".glassmindignore": "Private/\n",
            "photo.png": "secret",
        }
    )

    found = vault.engine.bundles.verify(
        [
            cited('{"a": 1}', 1, 1, at=".obsidian/app.json"),
            cited("secret", 1, 1, at="Private/Key.md"),
            cited("secret", 1, 1, at="photo.png"),
            cited("secret", 1, 1, at="Key.md"),
        ]
    )

    assert [one.state for one in found] == ["unread", "unread", "unread", "gone"]
    assert all(one.now is None for one in found)


def test_a_note_that_cannot_be_read_is_told_and_the_others_are_verified(
    vault: VaultHarness, tmp_path: Path
) -> None:
    vault.indexed({"Tea.md": TEA, "Folder.md/x.md": "in a folder"})
    (tmp_path / "outside.md").write_text(TEA)
    (vault.root / "Link.md").symlink_to(tmp_path / "outside.md")
    (vault.root / "Zip.md").write_bytes(b"PK\x03\x04\0\0")
    others = ["Link.md", "Zip.md", "Folder.md"]

    found = vault.engine.bundles.verify(
        [BREWING, *(BREWING.replace("Tea.md", other) for other in others)]
    )

    assert [one.state for one in found] == ["unchanged", "unread", "unread", "unread"]
    assert all(other in one.note for other, one in zip(others, found[1:], strict=True))


def test_lines_beyond_the_end_of_a_note_do_not_stand_there(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": TEA})
    digest = BREWING.rpartition("@")[2]

    found = verified(vault, f"Tea.md#Brewing:7-900@{digest}")

    assert (found.state, found.now) == ("moved", BREWING)


def test_one_long_note_that_changed_hides_nothing_of_the_others(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glassmind.search.verify.MOST_CHARS", 60_000)
    book = "".join(f"line {n} of a book\n" for n in range(5_000))
    vault.indexed({"A book.md": book, "Tea.md": TEA, "Milk.md": TEA})
    lost = [cited(book, 9, 9, at="A book.md"), cited(TEA, 3, 3, at="Milk.md")]
    vault.write({"A book.md": book.replace("line 8 ", "no "), "Tea.md": "\n" + TEA})
    vault.write({"Milk.md": TEA.replace("green", "white")})

    found = vault.engine.bundles.verify([lost[0], BREWING, lost[1]])

    assert [one.state for one in found] == ["changed", "moved", "changed"]
    assert "too long" in found[0].note
    assert "too long" not in found[2].note


def test_a_search_for_lines_ends(vault: VaultHarness) -> None:
    lines = plain_lines("line\n" * 100_000 + "last\n")
    span, digest = Span(1, 1), digest_of_lines("last")

    assert seek(lines, span, digest, 1000)[0] is None
    assert seek(lines, span, digest)[0] == Span(100_001, 100_001)


@given(st.lists(st.sampled_from(["", "a", "b", "c\r"]), min_size=1), st.data())
def test_lines_are_found_wherever_they_stand(
    lines: list[str], drawn: st.DataObject
) -> None:
    text = "\n".join(lines)
    parts = plain_lines(text) or [""]
    start = drawn.draw(st.integers(1, len(parts)))
    end = drawn.draw(st.integers(start, len(parts)))
    digest = digest_of_lines("\n".join(lines[start - 1 : end]))
    before = drawn.draw(st.integers(1, 2 * len(parts)))

    found, _ = seek(parts, Span(before, before + end - start), digest)

    assert found is not None
    assert stands_at(parts, found, digest)
    assert stands_at(parts, Span(start, end), digest)


@given(
    st.lists(st.sampled_from("ab"), min_size=1, max_size=8),
    st.lists(st.sampled_from("abc"), max_size=12),
    st.integers(1, 15),
)
def test_lines_are_found_where_they_stand_and_nowhere_else(
    sought: list[str], lines: list[str], before: int
) -> None:
    count, digest = len(sought), digest_of_lines("\n".join(sought))
    places = [
        start
        for start in range(1, len(lines) + 1)
        if lines[start - 1 : start - 1 + count] == sought
    ]

    found, _ = seek(lines, Span(before, before + count - 1), digest)

    if not places:
        assert found is None
    else:
        assert found is not None
        nearest = min(abs(place - min(before, len(lines))) for place in places)
        assert abs(found.start - min(before, len(lines))) == nearest
        assert found.start in places


def test_verifying_leaves_the_vault_as_it_is(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": TEA})
    before = {file: file.stat().st_mtime_ns for file in vault.root.rglob("*")}

    verified(vault, BREWING)
    verified(vault, BREWING.replace("Tea.md", "No.md"))

    assert {file: file.stat().st_mtime_ns for file in vault.root.rglob("*")} == before


def test_a_note_whose_name_holds_any_sign_is_verified(vault: VaultHarness) -> None:
    names = ["C# & 100%.md", "-x.md", "a:1@0f1e2d3c.md", "é決 (1).md", "%20.md"]
    vault.indexed(dict.fromkeys(names, TEA))

    found = vault.engine.bundles.verify(
        [cited(TEA, 3, 3, at=NotePath(name), under="T #1:2-3@ab") for name in names]
    )

    assert {one.state for one in found} == {"unchanged"}
