"""The sections of a bundle: decisions, questions, tasks, what to read next."""

from unicodedata import normalize

import pytest
from section_harness import SectionHarness, texts
from vault_harness import VaultHarness

from glassmind.model.context import Item
from glassmind.obsidian.receipts import digest_of_lines, parse_receipt


@pytest.fixture
def harness(vault: VaultHarness) -> SectionHarness:
    return SectionHarness(vault)


@pytest.mark.parametrize(
    ("note", "said", "rule"),
    [
        ("---\ntype: decision\n---\nWe buy oak.\n\nMore.", "We buy oak.", "type"),
        (
            "---\ntype: [Note, DECISION]\n---\n# Oak\n\nWe buy oak.",
            "We buy oak.",
            "type",
        ),
        ("---\ntype: '[[Decision]]'\n---\nWe buy oak.", "We buy oak.", "type"),
        ("---\nTyPe: decision\n---\nWe buy oak.", "We buy oak.", "type"),
        ("---\nTYP: Entscheidung\n---\nWe buy oak.", "We buy oak.", "type"),
        ("---\ntags: [decision]\n---\nWe buy oak.", "We buy oak.", "#decision"),
        ("#decision #boat\n\nWe buy oak.", "We buy oak.", "#decision"),
        ("Talk.\n\n- We buy oak. #decision\n- Talk.", "We buy oak. #decision", "#"),
        ("Talk.\n\nWe buy\noak. #decision/wood", "We buy\noak. #decision/wood", "#"),
        ("## We buy #decision\n\nOak, all of it.", "Oak, all of it.", "#decision"),
        (
            "# Plan\n\n## Decision\n\nWe buy oak.\n\n## Why\n\nRot.",
            "We buy oak.",
            "head",
        ),
        ("## 2. Decision log:\n\n- We buy oak.\n", "We buy oak.", "heading"),
        ("## Entscheidungen\n\n1. Wir kaufen Eiche.", "Wir kaufen Eiche.", "heading"),
        ("## Decided\n\n| day | what |\n|---|---|\n| 3 | oak |", "| 3 | oak |", "head"),
        ("> [!decision] Oak\n> We buy it.", "Oak\nWe buy it.", "callout"),
        ("> [!Decided]- Oak", "Oak", "callout"),
    ],
)
def test_what_counts_as_a_decision(
    vault: VaultHarness, harness: SectionHarness, note: str, said: str, rule: str
) -> None:
    vault.indexed({"Boat.md": note})

    [found] = harness.decisions()

    assert (found.kind, found.text) == ("decision", said)
    assert found.rule.startswith(rule)


@pytest.mark.parametrize(
    "note",
    [
        "A decision was talked about.",
        "```\n#decision\n```\n\n`[!decision]`",
        "## Indecision\n\nWe wait.",
        "## Decision\n\n- ~~We buy pine.~~",
        "## Decision\n\n## Why\n\nNothing was decided.",
    ],
)
def test_what_does_not_count_as_a_decision(
    vault: VaultHarness, harness: SectionHarness, note: str
) -> None:
    vault.indexed({"Boat.md": note})

    assert harness.decisions() == []


def test_a_template_decides_nothing(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    vault.indexed({"Templates/Decision.md": "---\ntype: decision\n---\nWhat?"})

    assert harness.decisions() == []


def test_decisions_come_newest_first_by_the_day_they_carry(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    log = "## Decisions\n\n- 2026-01-05: paint\n- [date:: 2026-02-01] varnish"
    vault.indexed(
        {
            "Log.md": f"---\ndate: 2025-12-01\n---\n{log}\n- wax",
            "2026-01-20.md": "> [!decision] oil",
            "Dated.md": "## Decisions\n\n### 2026-03-02\n\n- tar",
        }
    )

    found = [(item.date, item.text.split()[-1]) for item in harness.decisions()]

    assert found == [
        ("2026-03-02", "tar"),
        ("2026-02-01", "varnish"),
        ("2026-01-20", "oil"),
        ("2026-01-05", "paint"),
        ("2025-12-01", "wax"),
    ]


def test_a_day_that_is_decided_on_is_not_the_day_of_the_decision(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    vault.indexed({"2026-01-20.md": "> [!decision] We launch on 2026-05-01."})

    assert [item.date for item in harness.decisions()] == ["2026-01-20"]


def test_a_decision_is_found_in_notes_that_the_selected_link_to(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    vault.indexed(
        {
            "Boat.md": "See [[Minutes]].",
            "Minutes.md": "> [!decision] oak",
            "Oak.md": "---\ntype: decision\n---\nOak it is, for the [[Boat]].",
            "Gossip.md": "The [[Boat]]!\n\n> [!decision] of someone else",
            "Far.md": "> [!decision] elsewhere",
        }
    )

    assert sorted(texts(harness.decisions("Boat.md"))) == [
        "Oak it is, for the [[Boat]].",
        "oak",
    ]


def test_a_superseded_decision_gives_way_to_the_one_in_its_place(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    old = "---\ntype: decision\nsuperseded-by: '[[Oak]]'\n---\nPine."
    gone = "---\ntype: decision\nstatus: rejected\ndate: 2026-03-01\n---\nSteel."
    oak = "---\ntype: decision\ndate: 2026-01-01\n---\nOak."
    vault.indexed({"Pine.md": old, "Oak.md": oak, "Steel.md": gone})

    assert texts(harness.decisions()) == ["Oak.", "Steel."]


@pytest.mark.parametrize(
    ("note", "said"),
    [
        ("> [!question] Oak or pine?\n> Ask Tobias.", ["Oak or pine?\nAsk Tobias."]),
        ("> [!frage] Oak or pine?", ["Oak or pine?"]),
        ("> [!QUESTION]\n> Oak or pine?", ["Oak or pine?"]),
        ("- Oak or pine? #question", ["Oak or pine? #question"]),
        ("## Open questions\n\nWhat is left:\n\n- Oak?\n- Pine?", ["Oak?", "Pine?"]),
        ("## Offene Fragen\n\nEiche oder Kiefer?", ["Eiche oder Kiefer?"]),
        ("## Unanswered\n\n- Whether oak floats", ["Whether oak floats"]),
        ("## Questions\n\n- [ ] Oak?\n- [x] Pine?\n- [-] Teak?", ["Oak?"]),
        ("## Questions\n\n- Oak?\n  - Answer: yes\n- Pine?\n  - dear?", ["Pine?"]),
        ("## Questions\n\n- ~~Oak?~~ Yes.\n- Pine? #answered\n- Teak?", ["Teak?"]),
        ("> [!question] Oak?\n> Answer: yes", []),
        ("---\ntype: question\nstatus: answered\n---\nOak?", []),
        ("---\ntags: [question]\n---\nIs oak heavy?", ["Is oak heavy?"]),
        ("---\ntags: [question]\nsuperseded-by: '[[B]]'\n---\nIs oak heavy?", []),
        ("## Answers\n\n- Oak?", []),
    ],
)
def test_what_counts_as_an_open_question(
    vault: VaultHarness, harness: SectionHarness, note: str, said: list[str]
) -> None:
    vault.indexed({"Boat.md": note})

    assert texts(harness.questions()) == said


def test_a_note_called_open_questions_asks_with_each_item(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    vault.indexed({"Open questions.md": "What I do not know.\n\n- Oak?\n- Pine?"})

    assert texts(harness.questions()) == ["Oak?", "Pine?"]


def test_open_tasks_come_by_the_day_they_are_due(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    tasks = [
        "- [ ] wax",
        "- [/] sand 📅 2026-04-01",
        "- [ ] saw [due:: 2026-03-01]",
        "- [ ] oil ⏳ 2026-03-25",
        "- [x] buy 📅 2026-01-01",
        "- [X] ask",
        "- [-] paint",
        "- [>] tar",
    ]
    vault.indexed({"Boat.md": "\n".join(tasks)})

    found = [(item.rule, item.date, item.text.split()[0]) for item in harness.tasks()]

    assert found == [
        ("overdue", "2026-03-01", "saw"),
        ("due", "2026-03-25", "oil"),
        ("due", "2026-04-01", "sand"),
        ("task", "", "wax"),
    ]


def test_tasks_of_the_project_come_after_those_of_the_selected_notes(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    vault.indexed({"A.md": "- [ ] a", "B.md": "- [ ] b", "C.md": "- [ ] c"})

    assert texts(harness.tasks("C.md", project=["A.md"])) == ["c", "a"]


def test_captures_of_the_project_count_and_the_box_of_the_inbox_does_not(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    head = "project: Boat\ncreated: 2026-03-01T10:00:00+00:00"
    asked = f"---\nkind: question\n{head}\nstatus:"
    waiting = "> [!agent] Captured by x; not approved yet\n\n- [ ] Keep this\n\n"
    vault.indexed(
        {
            "Boat.md": "A boat.",
            ".agent/decisions/a.md": f"---\nkind: decision\n{head}\n---\nOak.",
            ".agent/inbox/b.md": f"---\nkind: task\n{head}\ngenerated: true\n---\n"
            f"{waiting}- [ ] Saw it.",
            ".agent/tasks/c.md": f"{asked} open\n---\nWhy?",
            ".agent/tasks/d.md": f"{asked} done\n---\nWho?",
            ".agent/tasks/f.md": f"---\nkind: task\n{head}\n---\n- [x] Bought.",
            ".agent/tasks/e.md": "---\nkind: task\nproject: Car\n---\n- [ ] Drive.",
        }
    )

    assert [
        (decision.text, decision.rule) for decision in harness.decisions("Boat.md")
    ] == [("Oak.", "capture")]
    assert [(task.text, task.rule) for task in harness.tasks("Boat.md")] == [
        ("Saw it.", "unapproved capture")
    ]
    assert texts(harness.questions("Boat.md")) == ["Why?"]


def test_captures_of_a_project_count_however_its_name_is_written(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    apart = normalize("NFD", "Türme")
    vault.indexed(
        {
            "A.md": "---\nproject: 2026\n---\nA year.",
            "B.md": f"---\nproject: {apart}\n---\nTowers.",
            ".agent/decisions/a.md": '---\nkind: decision\nproject: "2026"\n---\nOak.',
            ".agent/decisions/b.md": "---\nkind: decision\nproject: Türme\n---\nElm.",
        }
    )

    assert texts(harness.decisions("A.md")) == ["Oak."]
    assert texts(harness.decisions("B.md")) == ["Elm."]


def _stands(vault: VaultHarness, item: Item) -> bool:
    receipt = parse_receipt(item.receipt)
    assert receipt
    lines = (vault.root / item.path).read_text().split("\n")
    text = "\n".join(lines[receipt.span.start - 1 : receipt.span.end])
    return digest_of_lines(text) == receipt.digest


def test_every_item_of_the_sample_vault_stands_where_its_receipt_says(
    sample: VaultHarness,
) -> None:
    harness = SectionHarness(sample)

    found = [*harness.decisions(), *harness.questions(), *harness.tasks()]

    assert len(found) > 40
    assert all(_stands(sample, item) for item in found)


def test_an_item_knows_its_heading_path_and_lines(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    vault.indexed({"Boat.md": "# Boat\r\n\r\n## Decisions\r\n\r\n- Oak,\r\n  old.\r\n"})

    [found] = harness.decisions()

    assert found.heading_path == ("Boat", "Decisions")
    assert (found.lines, found.text) == ((5, 6), "Oak,\nold.")
    assert found.receipt.startswith("Boat.md#Decisions:5-6@")


def test_what_to_read_next_touches_most_of_the_selected_and_says_why(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    vault.indexed(
        {
            "Boat.md": "[[Oak]] and [[Index]].",
            "Mast.md": "[[Oak]]",
            "Oak.md": "Wood.",
            "Sail.md": "For the [[Boat]].",
            "2026-03-01.md": "Saw the [[Boat]].",
            "Index.md": "".join(f"[[N{n}]] " for n in range(30)),
            **{f"N{n}.md": "[[Index]]" for n in range(30)},
        }
    )

    found = harness.next_reads("Boat.md", "Mast.md")

    assert [(one.path, one.why) for one in found] == [
        ("Oak.md", "linked from Boat and Mast"),
        ("Sail.md", "links to Boat"),
    ]
    found = harness.next_reads("Boat.md")
    assert [one.path for one in found] == ["Sail.md", "Oak.md", "2026-03-01.md"]


def test_no_more_is_suggested_than_wanted_and_nothing_where_nothing_is_near(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    vault.indexed({"A.md": "[[B]] [[C]]", "B.md": "", "C.md": "", "D.md": ""})

    assert len(harness.next_reads("A.md", limit=1)) == 1
    assert harness.next_reads("A.md", limit=0) == harness.next_reads("D.md") == []


def test_a_bundle_has_its_sections(vault: VaultHarness) -> None:
    vault.indexed(
        {
            "Boat.md": "# Boat\n\nThe boat is old.\n\n## Decisions\n\n- Oak.\n\n"
            "## Open questions\n\n- Who saws?\n\n- [ ] saw 📅 2026-03-01\n\n[[Oak]]",
            "Oak.md": "Heavy wood.",
        }
    )

    bundle = vault.engine.bundles.pack("boat")

    assert texts(bundle.decisions) == ["Oak."]
    assert texts(bundle.questions)[0] == "Who saws?"
    assert texts(bundle.tasks) == ["saw 📅 2026-03-01"]


def test_a_note_that_is_like_a_selected_one_is_suggested(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    vault.indexed({"Boat.md": "A boat.", "Ship.md": "A ship.", "Tea.md": "Tea."})
    database = vault.database()
    database.execute(
        "insert into pairs select a.id, b.id, 0.9 from files a, files b "
        "where a.path = 'Boat.md' and b.path = 'Ship.md'"
    )
    database.close()

    assert [(read.path, read.why) for read in harness.next_reads("Boat.md")] == [
        ("Ship.md", "similar to Boat")
    ]


def test_canvases_and_empty_notes_have_sections_too(
    vault: VaultHarness, harness: SectionHarness
) -> None:
    card = '{"id": "a", "type": "text", "text": "- [ ] saw #decision"}'
    vault.indexed(
        {
            "Plan.canvas": f'{{"nodes": [{card}], "edges": []}}',
            "Empty.md": "",
            "Old.md": "---\nsuperseded-by: '[[Empty]]'\n---\n",
        }
    )

    assert {item.path for item in harness.tasks()} <= {"Plan.canvas"}
    assert [conflict.kind for conflict in harness.conflicts()] == ["superseded"]
