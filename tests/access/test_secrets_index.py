"""What is kept of notes has no credentials in it: rows, words and vectors."""

import json

import pytest
from secrets_harness import ISSUED, Drawing, pem
from semantic_harness import LONG, MeaningHarness, Rows
from test_secrets_shapes import pieces
from vault_harness import VaultHarness

from glassmind.index import pipeline

DRAW = Drawing(9)
TOKEN, AWS = ISSUED["GitHub classic"](DRAW), ISSUED["AWS key"](DRAW)
AWS_SECRET = DRAW.coded(40)
KEY = pem(DRAW)


def held(vault: VaultHarness) -> bytes:
    """Return every byte of the index."""
    vault.close()
    files = sorted(file for file in vault.folder.rglob("*") if file.is_file())
    return b"".join(file.read_bytes() for file in files)


def test_no_byte_of_the_index_is_of_a_credential(vault: VaultHarness) -> None:
    made = {name: make(DRAW) for name, make in ISSUED.items()}
    notes = {
        f"{name}.md": LONG.format(f"# About {name}\n\nit is {one}\n\n- [ ] x {one}\n\n")
        for name, one in made.items()
    }
    vault.indexed(notes)

    found = held(vault)

    for name, make in ISSUED.items():
        drawn = pieces(made[name]) - pieces(make(Drawing(1_234)))
        assert not [one for one in drawn if one.encode() in found], name
    assert vault.open().status().secrets == len(made)


def test_what_a_note_says_of_itself_is_kept_where_a_token_stands_in_it(
    vault: VaultHarness,
) -> None:
    note = (
        f"---\ntoken: {TOKEN}\nkeys: [{AWS}, plain]\n{TOKEN}: name\n"
        f"private: true\naliases: [Cellar, '{TOKEN}']\ntags: [house]\n"
        f'key: "{KEY}"\nup: "[[Garden]]"\n---\n'
        f"# Cellar {TOKEN} key\n\n{AWS}\n\nits half {AWS_SECRET}\n\n"
        f"- [ ] change {TOKEN} #soon\nkey:: {TOKEN}\n\n"
        f"see {TOKEN} in [[Garden]] é ^end\n"
    )

    vault.indexed({"A.md": note, "Garden.md": "# Garden\n"})

    said = dict(vault.rows("select name, value from properties"))
    assert json.loads(said["private"]) is True
    assert json.loads(said["token"]) == "(hidden: GitHub token)"
    assert json.loads(said["keys"]) == ["(hidden: AWS key)", "plain"]
    assert "PRIVATE" not in said["key"]
    assert vault.value("select error from notes where kind = 'markdown'") is None
    assert vault.rows("select name from tags") == [("house",), ("soon",)]
    assert vault.edges() == {("A.md", "Garden"): "Garden.md"}
    assert vault.rows("select text, line from headings where note_id = 1") == [
        ("Cellar (hidden: GitHub token) key", 18)
    ]
    links = "select l.start_byte, l.end_byte from links l where l.kind = 'wikilink'"
    ((start, end),) = vault.rows(links)
    chunks = vault.rows(
        "select text, overlap from chunks where note_id = 1 order by id"
    )
    whole = "".join(text[overlap:] for text, overlap in chunks).encode()
    assert whole[start:end] == b"[[Garden]]"
    assert AWS_SECRET.encode() not in held(vault)


def test_a_canvas_with_a_key_is_read_all_the_same(vault: VaultHarness) -> None:
    cards = [
        {"id": "1", "type": "text", "text": f"key\n\n{KEY}\n\nthe end", "x": 0, "y": 0},
        {"id": "2", "type": "text", "text": "The gate [[Garden]]", "x": 0, "y": 90},
    ]
    board = json.dumps({"nodes": cards, "edges": []})

    vault.indexed({"Board.canvas": board, "Garden.md": "# Garden\n"})

    assert vault.found("gate") == ["Board.canvas"]
    assert vault.edges() == {("Board.canvas", "Garden"): "Garden.md"}
    assert KEY.split("\n")[3].encode() not in held(vault)


def test_a_search_for_a_credential_does_not_tell_where_it_stands(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": f"# A\n\nit is {TOKEN}\n", "B.md": "# B\n\nnothing\n"})

    assert vault.found(TOKEN) == []
    assert vault.found(f'"{TOKEN}"') == []
    assert vault.found("hidden GitHub token") == ["A.md"]


def test_no_model_is_given_a_credential_to_embed(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    answer = meaning.model.query

    def spy(text: str) -> Rows:
        asked.append(text)
        return answer(text)

    monkeypatch.setattr(meaning.model, "query", spy)
    meaning.indexed(
        {
            "A.md": LONG.format(f"# Keys\n\nit is {TOKEN}"),
            f"{TOKEN}.md": LONG.format("# Another"),
        }
    )
    meaning.ask(f"what is {TOKEN} for", mode="semantic")

    given = "\n".join(f"{one.context}\n{one.text}" for one in meaning.model.seen)
    assert meaning.model.seen
    assert "(hidden: GitHub token)" in given
    assert TOKEN not in given
    assert "what is (hidden: GitHub token) for" in asked
    assert TOKEN not in "\n".join(asked)


def test_other_shapes_embed_only_what_holds_them_anew(
    meaning: MeaningHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr("glassmind.obsidian.notes.redacted", str)
        before.setattr("glassmind.index.embed.redacted", str)
        before.setattr(pipeline, "SHAPES_VERSION", 0)
        meaning.indexed(
            {
                "A.md": LONG.format(f"# Keys\n\nit is {TOKEN}"),
                "B.md": LONG.format("# Other"),
            }
        )
    assert TOKEN.encode() in held(meaning)
    meaning.model.seen.clear()

    meaning.open()
    report = meaning.index()

    assert (report.embedded, report.reused) == (1, 1)
    assert ["hidden" in text for text in meaning.model.texts] == [True]
    assert (
        meaning.value("select count(*) from chunks where text like ?", f"%{TOKEN}%")
        == 0
    )


def test_a_note_that_is_rid_of_its_credential_counts_no_more(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": f"# A\n\n{TOKEN}\n", "B.md": f"# B\n\n{AWS}\n{TOKEN}\n"})
    assert vault.engine.status().secrets == 2

    vault.indexed({"A.md": "# A\n\nin the safe now\n"})
    assert vault.engine.status().secrets == 1

    vault.remove("B.md")
    vault.index()
    assert vault.engine.status().secrets == 0


def test_receipts_of_lines_with_credentials_hold_and_do_not_count_them(
    vault: VaultHarness,
) -> None:
    lines = [
        "# Keys",
        "",
        f"The gate opens with {TOKEN} at night.",
        "",
        *KEY.split("\n"),
    ]
    vault.indexed({"A.md": "\n".join(lines)})
    bundle = vault.engine.bundles.pack("how does the gate open at night")
    receipts = [excerpt.receipt for note in bundle.notes for excerpt in note.excerpts]
    assert receipts

    states = [one.state for one in vault.engine.bundles.verify(receipts)]
    lines[2] = lines[2].replace(TOKEN, ISSUED["GitHub classic"](Drawing(77)))
    vault.write({"A.md": "\n".join(lines)})
    rotated = [one.state for one in vault.engine.bundles.verify(receipts)]
    vault.write({"A.md": "\n".join(lines).replace("night", "noon")})
    other = [one.state for one in vault.engine.bundles.verify(receipts)]

    assert set(states) == set(rotated) == {"unchanged"}
    assert set(other) == {"changed"}


def test_a_memo_is_not_called_by_the_credential_it_tells_of(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "# A\n"})

    done = vault.engine.memory.capture("memory", f"Gate {TOKEN}\n\nThat is it.")

    names = [file.name for file in vault.root.rglob("*.md")]
    assert not pieces(" ".join(names)) & pieces(TOKEN)
    assert "hidden GitHub token" in str(done.memory.path)
    assert TOKEN in vault.text(str(done.memory.path))
