"""Passages for a question: numbered, within a budget, and safe to be shown."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from cli_harness import Inside, Program
from hindsight_harness import HindsightHarness, fact, remembering
from http_harness import serving
from search_harness import harbour
from semantic_harness import MeaningHarness
from vault_harness import VaultHarness

from glassmind.context.evidence import GatherRequest
from glassmind.engine import Engine
from glassmind.errors import BadLimit
from glassmind.model.context import AnswerSources
from glassmind.model.search import DOUBTFUL

QUESTION = "When does the ferry leave the quay?"
FERRY = (
    "---\nowner: Ferrin\n---\n# Ferry\n\n## Times\n\nThe ferry leaves the quay at 9:15 "
    "on Monday.\nIt comes back at night.\n\n## Crew\n\nOsgar steers the ferry.\n"
)
NOTES = {
    "Ferry.md": FERRY,
    "Quay.md": "# Quay\n\nThe quay was built in 1931.\nNo ferry left it in winter.\n",
    "Garden.md": "# Garden\n\nBeans grow along the wall, and onions below them.\n",
    "Tea.md": "# Tea\n\nOolong rests for a day before anybody drinks of it.\n",
}


def gather(
    vault: VaultHarness, question: str = QUESTION, **wishes: object
) -> AnswerSources:
    chosen = {"limit": 5, "budget_tokens": 4_000, **wishes}
    request = GatherRequest(question, **chosen)  # type: ignore[arg-type]
    return vault.engine.bundles.gather(request)


def shown(found: AnswerSources) -> str:
    """Return all that is shown of what was found."""
    quotes = [citation.quote for said in found.told for citation in said.citations]
    texts = [said.text for said in found.told]
    return "\n".join([*texts, *quotes, *(source.excerpt for source in found.sources)])


def check(engine: Engine, found: AnswerSources) -> None:
    """Sources are numbered in a row, all is cited of them, and its lines are there."""
    numbers = [source.number for source in found.sources]
    assert numbers == list(range(1, len(numbers) + 1))
    receipts = [source.receipt for source in found.sources]
    for said in found.told:
        for cited in said.citations:
            assert cited.source in numbers
            receipts.append(cited.receipt)
    kept = [receipt for receipt in receipts if receipt]
    if kept:
        verified = engine.bundles.verify(kept)
        assert {one.state for one in verified} == {"unchanged"}


@pytest.fixture
def ferry(vault: VaultHarness) -> VaultHarness:
    vault.indexed(NOTES)
    return vault


@pytest.mark.parametrize(
    "question",
    [QUESTION, "Who owns the ferry?", "Who steers the ferry?", "Quay built when"],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_is_cited_stands_in_the_notes(
    vault: VaultHarness, question: str, end: str
) -> None:
    vault.indexed({path: text.replace("\n", end) for path, text in NOTES.items()})

    found = gather(vault, question)

    assert found.sources
    check(vault.engine, found)


def test_the_sentence_that_answers_is_told(ferry: VaultHarness) -> None:
    found = gather(ferry)

    assert found.told[0].text == "The ferry leaves the quay at 9:15 on Monday."
    (cited,) = found.told[0].citations
    assert cited.quote == found.told[0].text
    assert found.sources[cited.source - 1].path == "Ferry.md"
    assert found.sources[cited.source - 1].excerpt.startswith(cited.quote)
    assert found.degraded == ()


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_no_more_passages_come_than_were_wished_for(
    vault: VaultHarness, limit: int
) -> None:
    said = "The ferry leaves the quay at {}:15 on Monday of week {}.\n"
    vault.indexed({f"{at}.md": said.format(at, at) for at in range(1, 9)})

    found = gather(vault, limit=limit)

    assert len(found.sources) == limit
    assert found.told
    check(vault.engine, found)


@pytest.mark.parametrize("limit", [0, -1])
def test_no_passage_at_all_cannot_be_wished_for(
    ferry: VaultHarness, limit: int
) -> None:
    with pytest.raises(BadLimit):
        gather(ferry, limit=limit)


@pytest.mark.parametrize(
    "value",
    ["true", "True", "yes", '"true"', "'yes'", "on", "1", '"1"', '" Yes "', "[true]"],
)
def test_a_private_note_is_counted_and_not_shown(
    vault: VaultHarness, value: str
) -> None:
    private = f"---\nprivate: {value}\nberth: C 4\n---\n{FERRY}"
    vault.indexed({**NOTES, "Ferry.md": private})

    found = gather(vault)
    asked = gather(vault, private=True)

    assert found.withheld == 1
    assert all(source.path != "Ferry.md" for source in found.sources)
    assert "9:15" not in shown(found)
    assert "berth" not in shown(found)
    assert asked.withheld == 0
    assert "9:15" in shown(asked)


@pytest.mark.parametrize("value", ["false", "no", "", "0", "'false'", "[]", "[no]"])
def test_a_note_that_says_it_is_not_private_is_shown(
    vault: VaultHarness, value: str
) -> None:
    vault.indexed({"Ferry.md": f"---\nprivate: {value}\n---\n{FERRY}"})

    assert gather(vault).withheld == 0
    assert gather(vault).sources


@pytest.mark.parametrize(
    ("path", "head"),
    [(".agent/inbox/Ferry.md", ""), ("Ferry.md", "---\ngenerated: true\n---\n")],
)
def test_what_nobody_approved_is_a_source_and_told_by_nobody(
    vault: VaultHarness, path: str, head: str
) -> None:
    said = "The ferry leaves the quay at 9:15 on Monday.\n"
    vault.open(index__include_agent_dir=True)
    vault.indexed({path: head + said, "Quay.md": "The quay was built for the ferry.\n"})

    found = gather(vault)

    of_it = [source for source in found.sources if source.path == path]
    assert of_it
    assert all(one.generated for one in of_it)
    assert not any("9:15" in one.text for one in found.told)


SECRETS = (
    "# Ferry\n\n- The ferry leaves the quay at 9:15\n- user of the ferry: "
    "AKIAIOSFODNN7EXAMPLE\n- key of the ferry: "
    "wJalrXUtnFEMIK7MDENGbPxRfiCYzEXAMPLEKE1x\n"
    "- The ferry reports to https://quay:hunter22@ferry.example/log at 9:30\n"
)


@pytest.mark.parametrize(
    "question", [QUESTION, "key of the ferry", "where does the ferry report to at 9:30"]
)
def test_credentials_are_hidden_and_receipts_still_hold(
    vault: VaultHarness, question: str
) -> None:
    vault.indexed({"Ferry.md": SECRETS})

    found = gather(vault, question)

    assert found.sources
    for secret in ("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI", "hunter22"):
        assert secret not in shown(found)
    check(vault.engine, found)


def test_a_credential_is_hidden_whose_sign_stands_lines_away(
    vault: VaultHarness,
) -> None:
    vault.indexed({"Ferry.md": SECRETS})

    found = gather(vault, "What is the key of the ferry?")

    assert "key of the ferry: (hidden: AWS secret key)" in shown(found)


def test_a_note_changed_since_it_was_indexed_is_named(ferry: VaultHarness) -> None:
    ferry.write({"Ferry.md": f"{FERRY}\nMore.\n"})

    (notice,) = gather(ferry).degraded

    assert "1 note changed since it was indexed" in notice
    assert '"Ferry.md"' in notice


@pytest.mark.parametrize("mode", ["fulltext", None])
def test_what_is_far_off_is_refused_without_any_model(
    ferry: VaultHarness, mode: str | None
) -> None:
    near = gather(ferry, mode=mode)
    far = gather(ferry, "What is the capital of the Mongolian steppe?", mode=mode)

    assert near.told
    assert far.told == ()
    assert far.confidence is None or far.confidence < DOUBTFUL or not far.sources


@pytest.mark.parametrize(
    "question",
    [
        "Wann legt die Fähre ab?",
        "渡し船はいつ出ますか",
        "Когда отходит паром?",
        "متى؟",
        "🚢?",
    ],
)
def test_questions_in_any_script_are_answered_or_refused(
    vault: VaultHarness, question: str
) -> None:
    vault.indexed(
        {
            **NOTES,
            "Fähre.md": "Die Fähre legt am Montag um 9:15 ab.\n",
            "渡し船.md": "渡し船は月曜日の九時十五分に出ます。\n",
            "Паром.md": "Паром отходит в 9:15.\n",
        }
    )

    check(vault.engine, gather(vault, question))


def test_an_empty_vault_holds_nothing(vault: VaultHarness) -> None:
    vault.index()

    found = gather(vault)

    assert (found.sources, found.told, found.withheld) == ((), (), 0)


def test_what_is_cited_goes_on_record_once(
    ferry: VaultHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[tuple[str, list[str]]] = []

    def append(verb: str, _: str, paths: Sequence[str]) -> bool:
        events.append((verb, list(paths)))
        return True

    monkeypatch.setattr(ferry.engine._vault.store.usage_log, "append", append)

    found = gather(ferry)

    cited = [said.citations[0].source for said in found.told]
    paths = {found.sources[number - 1].path for number in cited}
    assert [verb for verb, _ in events] == ["ask"]
    assert sorted(events[0][1]) == sorted(paths)


LEAK = fact(1, "The owner said that the skiff leaks 4 times after a dry winter.")
LEAKS = "how often does the skiff leaks"
PATH = "hindsight://default/fact-1"


@pytest.fixture
def memory() -> Iterator[HindsightHarness]:
    with remembering(LEAK) as harness:
        yield harness


def test_what_hindsight_remembers_is_a_source_without_a_receipt(
    meaning: MeaningHarness, memory: HindsightHarness
) -> None:
    harbour(meaning)
    meaning.open(hindsight__url=memory.url)

    found = gather(meaning, LEAKS)

    (source,) = [one for one in found.sources if one.path == PATH]
    assert (source.receipt, source.text) == ("", LEAK["text"])
    assert memory.asked == [LEAKS]
    told = [one for one in found.told if "dry winter" in one.text]
    assert [one.citations[0].source for one in told] == [source.number]
    assert told[0].citations[0].receipt == ""
    check(meaning.engine, found)


def test_a_remembered_fact_is_shown_by_the_program_and_over_http(
    meaning: MeaningHarness, memory: HindsightHarness, tmp_path: Path
) -> None:
    harbour(meaning)
    meaning.open(hindsight__url=memory.url)
    (tmp_path / "program" / "Notes").mkdir(parents=True)
    program = Inside(Program(tmp_path / "program"))
    (program.vault / "Skiff.md").write_text("The skiff leaks at the bow 2 times.\n")
    program.env["GLASSMIND_HINDSIGHT_URL"] = memory.url
    assert program.run("index").returncode == 0

    with serving(meaning.engine) as web:
        told = web.get(f"/api/kb/ask?question={LEAKS.replace(' ', '+')}").json
    printed = program.run("ask", "--mode", "hybrid", LEAKS)

    (source,) = [one for one in told["sources"] if one["path"] == PATH]
    assert (source["receipt"], source["uri"]) == ("", "")
    assert PATH in printed.stdout
    assert "Traceback" not in printed.stderr
