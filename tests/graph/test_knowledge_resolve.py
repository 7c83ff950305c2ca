"""A text is matched to what the vault has, and nothing new is called existing."""

import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from vault_harness import VaultHarness

from glassmind.errors import BadLimit, IndexAbsent, NothingAsked
from glassmind.files.names import Names
from glassmind.graph.entities import matches_of, verdict_on
from glassmind.graph.names import NameLists, folded, slips_between
from glassmind.model import NotePath
from glassmind.model.ontology import Entry, Resolution, UnresolvedNameUse
from glassmind.obsidian.text import Style
from glassmind.operations import ask
from glassmind.operations.ask import ResolveArguments, resolution_text
from glassmind.operations.registry import joined

GOLD = Path(__file__).parents[1] / "gold" / "names.jsonl"


def labelled() -> list[dict[str, Any]]:
    return [json.loads(line) for line in GOLD.read_text("utf-8").splitlines()]


def asked(vault: VaultHarness, text: str, **wanted: int) -> Resolution:
    return vault.engine.knowledge.resolve(text, **wanted)


def known_names(
    entries: list[Entry], ghosts: list[UnresolvedNameUse] | None = None
) -> NameLists:
    rows: Any = SimpleNamespace(
        ghost_names=lambda: ghosts or [],
        headings=dict,
        paths=lambda: [entry.path for entry in entries],
        writes_markdown=lambda: False,
    )
    return NameLists(entries, entries, rows)


def names_of(*paths: str, ghosts: tuple[str, ...] = ()) -> NameLists:
    entries = [
        Entry(
            n, NotePath(path), path.rpartition("/")[2].removesuffix(".md"), "markdown"
        )
        for n, path in enumerate(sorted(paths))
    ]
    wanted = [UnresolvedNameUse(ghost, 1, 1) for ghost in ghosts]
    return known_names(entries, wanted)


def test_labelled_names_of_the_sample_vault_are_judged_right(
    sample: VaultHarness,
) -> None:
    told: Counter[tuple[str, str]] = Counter()
    right = 0
    for case in labelled():
        found = asked(sample, case["text"])
        told[case["verdict"], found.verdict] += 1
        path = found.candidates[0].path if found.candidates else None
        right += found.verdict == case["verdict"] and case["path"] in {None, path}

    called_existing = sum(n for (_, got), n in told.items() if got == "exists")
    assert called_existing == told["exists", "exists"]  # nothing else is called so
    assert right / told.total() >= 0.95, told
    assert told.total() >= 100


def test_a_note_that_was_never_written_is_not_called_existing(
    sample: VaultHarness,
) -> None:
    listed = sample.engine.list_notes(limit=1000).notes
    entries = [
        Entry(n, one.path, one.title, one.kind, one.aliases)
        for n, one in enumerate(listed)
    ]

    told: Counter[str] = Counter()
    for entry in entries:
        others = [one for one in entries if one is not entry]
        names = known_names(others)
        if folded(entry.title) not in names.forms:  # both folders have an Index
            told[verdict_on(matches_of(entry.title, names))[0]] += 1

    assert told["exists"] == 0
    assert told["new"] / told.total() >= 0.9, told


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("Deep Work", "[[Deep Work]]"),
        ("deep work", "[[Deep Work]]"),
        ("[[Deep Work]]", "[[Deep Work]]"),
        ("deep-work", "[[Deep Work]]"),
        ("Focus/Deep Work.md", "[[Deep Work]]"),
        ("  \u201cDeep Work\u201d ", "[[Deep Work]]"),
        ("DW", "[[Deep Work|DW]]"),
        ("A book on focus", "[[Deep Work]]"),
    ],
)
def test_a_note_that_is_called_so_exists(
    vault: VaultHarness, text: str, link: str
) -> None:
    vault.indexed(
        {"Focus/Deep Work.md": "---\naliases: [DW]\ntitle: A book on focus\n---\nx"}
    )

    found = asked(vault, text)

    assert (found.verdict, found.link) == ("exists", link)
    assert found.advice.startswith(f"Write {link}: ")
    assert found.candidates[0].path == "Focus/Deep Work.md"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Deep Works", "the same but for a plural"),
        ("work, deep", "the same but for small words, numbers or dates"),
        ("Dep Work", "one slip away"),
        ("Deep Wrok", "one slip away"),
        ("Deepwork", "the same but for a blank"),
        ("The deep work", "the same but for small words, numbers or dates"),
        ("2024 Deep Work", "its name shares words"),
        ("Cal Newport's rules", "its first heading says so, but for marks"),
    ],
)
def test_a_note_that_is_nearly_called_so_is_likely_with_the_reason(
    vault: VaultHarness, text: str, reason: str
) -> None:
    vault.indexed(
        {
            "Deep Work.md": "# Cal Newports rules\n",
            "Else.md": "",
        }
    )

    found = asked(vault, text)

    assert found.candidates[0].reason == reason
    taken = reason != "its name shares words"
    assert found.verdict == ("likely" if taken else "new")
    assert found.advice.startswith("Most likely [[") == taken


KINDS = {
    "Decisions/D-002 Battery chemistry.md": "",
    "Log/Own radio.md": "---\ntype: design note\n---\n",
    "Log/Index.md": "",
}


@pytest.mark.parametrize(
    "text", ["battery chemistry test", "battery decision", "D-003 battery", "decision"]
)
def test_a_name_beside_another_word_is_new(vault: VaultHarness, text: str) -> None:
    vault.indexed(KINDS)

    assert asked(vault, text).verdict == "new"


@pytest.mark.parametrize(
    "text",
    [
        "C++",
        "C#",
        "Deep Purple",
        "Deep Rock",
        "D-005",
        "Trip 2027",
        "Résumé 2",
        "茶道",
        "Tobias Field",
    ],
)
def test_another_thing_with_a_name_alike_is_new(vault: VaultHarness, text: str) -> None:
    vault.indexed(
        {
            "C.md": "", "Deep Work.md": "", "D-004.md": "", "Trip 2026.md": "",
            "Resume.md": "", "茶.md": "", "Tobias Wren.md": "", "Ada Field.md": "",
        }
    )  # fmt: skip

    found = asked(vault, text)

    assert (found.verdict, found.link) == ("new", None)


def test_an_accent_that_the_note_lacks_may_make_another_word(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Resume.md": "", "Café.md": ""})

    assert asked(vault, "Résumé").verdict == "likely"
    assert asked(vault, "cafe").verdict == "exists"


def test_two_notes_of_one_name_are_for_a_person_to_choose(vault: VaultHarness) -> None:
    vault.indexed({"A/Index.md": "", "B/Index.md": "", "C/Tea.md": "", "Tea.md": ""})

    found = asked(vault, "index")

    assert (found.verdict, found.link) == ("ambiguous", None)
    assert found.advice == (
        "2 things may be meant, choose one: [[A/Index]], [[B/Index]]."
    )
    assert asked(vault, "B/Index").link == "[[B/Index]]"
    assert asked(vault, "C/Tea").link == "[[C/Tea]]"


def test_the_title_of_one_note_goes_before_the_alias_of_another(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Tea.md": "", "Oolong.md": "---\naliases: [Tea]\n---\n"})

    found = asked(vault, "Tea")

    assert (found.verdict, found.link) == ("exists", "[[Tea]]")
    assert [candidate.path for candidate in found.candidates] == ["Tea.md", "Oolong.md"]


def test_a_ghost_is_new_under_the_name_that_links_already_use(
    vault: VaultHarness,
) -> None:
    vault.indexed({"A.md": "[[Ada Field]] and [[Ada Field|her]]", "B.md": ""})

    found = asked(vault, "ada field")

    assert (found.verdict, found.link) == ("new", "[[Ada Field]]")
    assert found.candidates[0].links == 2
    assert found.advice == (
        "No note yet, but 2 links lead to [[Ada Field]]: a new note of that very name "
        "answers them."
    )
    assert asked(vault, "Ada Fields").verdict == "likely"


def test_a_picture_that_is_missing_is_no_name(vault: VaultHarness) -> None:
    vault.indexed({"A.md": "![[Tea pot.png]] [[Tea pot.PDF]]"})

    assert asked(vault, "Tea pot").candidates == ()


def test_a_template_is_nothing_to_link_to(vault: VaultHarness) -> None:
    vault.indexed({"Templates/Decision.md": "# Choice", "A.md": ""})

    assert asked(vault, "Decision").verdict == "new"
    assert asked(vault, "Choice").verdict == "new"
    assert asked(vault, "Templates/Decision").verdict == "exists"


def test_a_new_note_is_known_and_a_deleted_one_is_not(vault: VaultHarness) -> None:
    vault.indexed({"Tea.md": "", "Milk.md": ""})
    before = asked(vault, "Sencha").verdict

    vault.remove("Tea.md")
    vault.indexed({"Sencha.md": ""})

    assert before == "new"
    assert asked(vault, "Sencha").verdict == "exists"
    assert asked(vault, "Tea").verdict == "new"


def test_names_that_are_kept_are_those_of_a_fresh_look(vault: VaultHarness) -> None:
    steps: list[dict[str, str]] = [
        {"Tea pot.md": "# Kettle\n\n## Old lid\n#brew [[Cup]]", "A/Tea.md": ""},
        {"Cup.md": "---\naliases: [Mug, Tea]\n---\n"},
        {"Tea pot.md": "# Urn\n\n## New lid\n#brews [[Saucer]]"},
        {
            "B/Tea.md": "---\ntitle: Kettle\nup: '[[Cup]]'\n---\n",
            "Templates/Cup.md": "",
        },
        {},
        {"Saucer.md": "", "A/Tea.md": "---\naliases: [Infusion]\n---\n"},
    ]
    texts = [
        "tea", "Kettle", "urn", "mugs", "saucer", "Old lid", "new lid", "brew", "cup",
        "pot tea", "Infusoin", "A/Tea", "pot",
    ]  # fmt: skip
    first = vault.open()
    for number, files in enumerate(steps):
        vault.write(files)
        if number == 4:
            vault.remove("Cup.md")
            vault.move("B/Tea.md", "C/Tea cosy.md")
        vault.index()
        fresh = vault.open()

        kept = [first.knowledge.resolve(text) for text in texts]

        assert kept == [fresh.knowledge.resolve(text) for text in texts]
        assert first.knowledge.ontology() == fresh.knowledge.ontology()
        assert first.knowledge.ingest("Tea pot") == fresh.knowledge.ingest("Tea pot")


def test_a_note_may_be_called_by_marks_alone(vault: VaultHarness) -> None:
    vault.indexed({"🔥.md": "", "Fire.md": ""})

    assert asked(vault, "🔥").link == "[[🔥]]"
    assert asked(vault, "🌊").verdict == "new"


@pytest.mark.parametrize("text", ["", "  ", "#", "@", "[[]]"])
def test_a_text_without_a_name_is_refused(vault: VaultHarness, text: str) -> None:
    vault.indexed({"A.md": ""})

    if text == "[[]]":  # brackets are marks like others
        assert asked(vault, text).verdict == "new"
        return
    with pytest.raises(NothingAsked):
        asked(vault, text)


def test_so_many_candidates_are_given_as_are_asked_for(vault: VaultHarness) -> None:
    vault.indexed({f"Tea {word}.md": "" for word in ("pot", "cup", "leaf")})

    assert len(asked(vault, "tea", limit=2).candidates) == 2
    for limit in (0, 101):
        with pytest.raises(BadLimit):
            asked(vault, "tea", limit=limit)


def test_without_an_index_nothing_is_resolved(vault: VaultHarness) -> None:
    with pytest.raises(IndexAbsent):
        asked(vault, "Tea")


def test_a_resolution_is_the_same_for_programs_and_people(vault: VaultHarness) -> None:
    vault.indexed({"Tea\x1b[31m.md": "", "Tea pot.md": ""})

    told = ask.resolve(vault.engine, ResolveArguments(text="tea pots"))
    name, arguments = vault.root.name, ResolveArguments(text="tea")

    assert told.verdict == "likely"
    uri = f"obsidian://open?vault={name}&file=Tea%20pot"
    assert told.candidates[0].uri == uri
    found = ask.resolve(vault.engine, arguments)
    assert "\x1b" not in joined(resolution_text(found, arguments, Style()))


words = st.sampled_from(
    ["tea", "River", "node", "the", "v3", "Été", "2024", "茶", "C++", "co-op", "плыть"]
)
titles = st.lists(words, min_size=1, max_size=3).map(" ".join)
folders = st.sampled_from(["", "A/", "B/", "A/B/"])
vaults = st.lists(
    st.tuples(folders, titles).map("".join), min_size=1, max_size=6, unique_by=str.lower
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(vaults, st.data())
def test_whatever_notes_are_called_each_is_found_and_its_link_leads_to_it(
    stems: list[str], chance: st.DataObject
) -> None:
    paths = [f"{stem}.md" for stem in stems]
    names, files = names_of(*paths), Names.of(paths)
    path = chance.draw(st.sampled_from(paths))
    source = chance.draw(st.sampled_from(paths))

    by_path = matches_of(path, names)
    by_title = matches_of(path.rpartition("/")[2].removesuffix(".md"), names)

    assert by_path[0].path == path
    target = by_path[0].link[2:-2]
    assert files.resolve(target, NotePath(source)) == path
    assert verdict_on(by_title)[0] in {"exists", "ambiguous", "likely"}
    assert path in {one.path for one in by_title}


@settings(deadline=None)
@given(titles, titles)
def test_slips_are_found_as_if_every_name_were_compared(a: str, b: str) -> None:
    names = names_of(f"{a}.md")
    form, other = folded(a), folded(b)

    found = dict(names.slips(other, 2)).get(form)

    digits = ["".join(filter(str.isdigit, text)) for text in (form, other)]
    expected = slips_between(form, other, 2) or None
    assert found == (expected if digits[0] == digits[1] else None)
