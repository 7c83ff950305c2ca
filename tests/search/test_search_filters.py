"""Filters pass the notes they name, and alone they list them newest first."""

from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest
from vault_harness import VaultHarness

from glassmind.errors import BadDate

NOTES = {
    "Plain.md": "word",
    "tags/Parent.md": "word #project",
    "tags/Child.md": "word #Project/Alpha",
    "tags/Upside.md": "word #alpha/project",
    "tags/Longer.md": "word #projects",
    "props/Open.md": "---\nstatus: Open\ncount: 5\nratio: 1.5\ndone: true\n---\nword",
    "props/List.md": "---\nstatus: [draft, half done]\ndone: false\n---\nword",
    "props/Empty.md": "---\nstatus:\ncount: []\n---\nword",
    "props/Text.md": "---\nnote: |\n  first line\n  second line\ncount: 50\n---\nword",
    "props/Link.md": '---\nparent: "[[Some Note]]"\nÉtat: Élan\n---\nword',
    "Sub Folder/100%_real.md": "word",
    "days/2024-01-10.md": "word",
    "days/2024-02-20.md": "word",
    "days/Dated.md": "---\ndate: 2023-12-31\n---\nword",
}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultHarness]:
    harness = VaultHarness(tmp_path_factory.mktemp("filters"))
    harness.indexed(NOTES)
    yield harness
    harness.close()


def names(shelf: VaultHarness, text: str) -> set[str]:
    return {path.rpartition("/")[2][:-3] for path in shelf.found(text, limit=100)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tag:project", {"Parent", "Child"}),
        ("tag:#project", {"Parent", "Child"}),
        ("tag:PROJECT", {"Parent", "Child"}),
        ("tag:project/", {"Parent", "Child"}),
        ("tag:project/alpha", {"Child"}),
        ("tag:alpha", {"Upside"}),
        ("tag:nothing", set()),
        ("path:tags", {"Parent", "Child", "Upside", "Longer"}),
        ("path:TAGS/par", {"Parent"}),
        ('path:"sub folder"', {"100%_real"}),
        ("path:.*", set()),
        ("file:dated", {"Dated"}),
        ("file:tags", set()),
        ("file:%_", {"100%_real"}),
        ("[status]", {"Open", "List", "Empty"}),
        ("[STATUS]", {"Open", "List", "Empty"}),
        ("[count]", {"Open", "Empty", "Text"}),
        ("[status:open]", {"Open"}),
        ("[status:draft]", {"List"}),
        ("[status:half]", {"List"}),
        ('[status:"half done"]', {"List"}),
        ("[status:half done]", {"List"}),
        ("[status:hal]", set()),
        ("[status:null]", {"Empty"}),
        ("[count:null]", {"Empty"}),
        ("[count:5]", {"Open"}),
        ("[ratio:1.5]", {"Open"}),
        ("[done:true]", {"Open"}),
        ("[done:FALSE]", {"List"}),
        ("[note:second]", {"Text"}),
        ("[note]", {"Text"}),
        ("[parent:some note]", {"Link"}),
        ("[état:élan]", {"Link"}),
        ("[stat.*]", set()),
        ("[missing]", set()),
        ("tag:project path:child", {"Child"}),
        ("tag:project -tag:project/alpha", {"Parent"}),
        ("path:props -[status]", {"Text", "Link"}),
        ("path:props -[done:true] -path:text -path:link", {"List", "Empty"}),
        ("before:2024-01-10 after:2023", {"Dated"}),
        ("after:2024-01-10 before:2024-03", {"2024-01-10", "2024-02-20"}),
        ("path:days -after:2024-02-01", {"2024-01-10", "Dated"}),
        ("before:1900", set()),
    ],
)
def test_a_filter_passes_these_notes(
    shelf: VaultHarness, text: str, expected: set[str]
) -> None:
    assert names(shelf, text) == expected
    assert names(shelf, f"word {text}") == expected


def test_filters_alone_list_the_newest_first_without_a_score(
    shelf: VaultHarness,
) -> None:
    hits = shelf.ask("path:props").hits

    assert [hit.path for hit in hits] == [
        "props/Link.md", "props/Text.md", "props/Empty.md", "props/List.md",
        "props/Open.md",
    ]  # fmt: skip
    assert {hit.score for hit in hits} == {0.0}
    assert {hit.evidence[0].reason for hit in hits} == {"passes the filters"}


def test_filters_alone_list_by_the_day_of_a_note_and_then_by_its_last_change(
    vault: VaultHarness,
) -> None:
    noon = int(datetime(2024, 3, 9, 12, tzinfo=UTC).timestamp())
    vault.write({"2024-03-05.md": "word"}, at=noon + 300)
    vault.write({"Said.md": "---\ndate: 2024-03-07\n---\nword"}, at=noon + 200)
    vault.write({"2024-03-07.md": "word", "b/2024-03-07.md": "word"}, at=noon + 400)
    vault.write({"Changed.md": "word"}, at=noon)
    vault.write({"Long ago.md": "---\ndate: 1912-04-15\n---\nword"}, at=noon + 500)
    vault.index()

    found = vault.found("before:2025")

    assert found == [
        "Changed.md", "2024-03-07.md", "b/2024-03-07.md", "Said.md", "2024-03-05.md",
        "Long ago.md",
    ]  # fmt: skip
    assert vault.found("before:2025", limit=2) == found[:2]


def test_of_more_passages_of_a_day_than_are_looked_at_the_last_changed_are_listed(
    vault: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glassmind.search.keyword.MOST_CHUNKS", 4)
    for minute in range(6):
        vault.write({f"{minute}/2024-03-07.md": "word"}, at=1_600_000_000 + 60 * minute)
    vault.index()

    assert vault.found("path:md", limit=1) == ["5/2024-03-07.md"]


def test_a_filter_adds_nothing_to_a_score(shelf: VaultHarness) -> None:
    plain = {hit.path: hit.score for hit in shelf.ask("word", limit=100).hits}
    filtered = {hit.path: hit.score for hit in shelf.ask("word path:props").hits}

    assert filtered == {path: plain[path] for path in filtered}
    assert filtered


def test_days_ago_count_from_today(shelf: VaultHarness) -> None:
    found = shelf.found("path:days after:7d before:today", today=date(2024, 1, 15))

    assert found == ["days/2024-01-10.md"]


def test_a_note_that_says_no_day_is_about_the_day_it_was_changed(
    vault: VaultHarness,
) -> None:
    noon = int(datetime(2022, 6, 15, 12, tzinfo=UTC).timestamp())
    vault.write({"A.md": "word"}, at=noon)
    vault.index()

    assert vault.found("after:2022-06-15 before:2022-06-16") == ["A.md"]
    assert vault.found("before:2022-06-15") == []


def test_a_note_from_before_1970_can_be_found_by_its_day(vault: VaultHarness) -> None:
    vault.indexed({"1815-06-18.md": "battle", "2024-01-01.md": "peace"})

    assert vault.found("before:1900") == ["1815-06-18.md"]


def test_a_filter_that_names_no_day_is_an_error(shelf: VaultHarness) -> None:
    with pytest.raises(BadDate, match="'someday' is not a date"):
        shelf.ask("after:someday")


def test_a_filter_holds_for_every_passage_of_a_note(vault: VaultHarness) -> None:
    long = "\n\n".join(f"# H{n}\n\n" + f"word{n} " * 200 for n in range(6))
    vault.indexed({"Long.md": f"---\nstatus: open\n---\n#deep/tag\n\n{long}"})

    passages = vault.ask("word5 tag:deep [status:open]", unique="chunks").hits

    assert [hit.path for hit in passages] == ["Long.md"]
    assert passages[0].chunk_index > 0


def test_a_property_longer_than_any_term_is_found_by_its_beginning(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": f"---\nlong: start {'x' * 50_000}\n---\nword"})

    assert vault.found("[long]") == ["A.md"]
    assert vault.found("[long:start]") == ["A.md"]


@pytest.mark.parametrize("value", [".inf", "-.inf", ".nan", "1e400", "9" * 400])
def test_a_property_that_is_an_odd_number_is_indexed(
    vault: VaultHarness, value: str
) -> None:
    report = vault.indexed({"A.md": f"---\nodd: {value}\n---\nword"})

    assert report.notes == 1
    assert vault.found("[odd]") == ["A.md"]
    assert [note.path for note in vault.engine.list_notes().notes] == ["A.md"]


@pytest.mark.parametrize("letter", ["a", "東", "🍵"])
@pytest.mark.parametrize("length", [1, 33, 80, 100, 101, 400])
@pytest.mark.parametrize("kind", ["path", "file"])
def test_a_filter_of_any_length_in_any_script_is_answered(
    vault: VaultHarness, kind: str, length: int, letter: str
) -> None:
    vault.indexed({"Tea.md": "oolong"})

    assert vault.found(f"{kind}:{letter * length}") == (
        ["Tea.md"] if letter * length == "a" else []
    )
