"""Questions answered by a model whose every word is held against the notes."""

import pytest
from answers_harness import (
    GOOD,
    QUESTION,
    SOURCES,
    TOLD,
    WRONG,
    AnswersHarness,
    ScriptedChat,
    source,
    written,
)
from msgspec import structs

from glassmind.errors import CallAbandoned, ModelFailed, RemoteRefused
from glassmind.model.context import (
    News,
    SourcesFound,
    StatementDone,
    TextPiece,
    TextWithdrawn,
)
from glassmind.models.protocols import Cancellation, ChatModel, GenerationEnd


def test_a_statement_whose_quote_stands_in_its_source_is_cited_to_the_letter() -> None:
    harness = AnswersHarness(ScriptedChat(written(GOOD)))

    answer = harness.ask()

    (said,) = answer.statements
    assert answer.in_notes
    assert answer.model_used == "parrot"
    assert (said.text, said.support, said.problem) == (GOOD[2], "quoted", "")
    (cited,) = said.citations
    assert cited.quote.startswith("The station runs on a **40 W** panel and a [[")
    assert cited.quote.endswith("of 12 Ah.")
    assert cited.receipt.startswith("Projects/Heron.md#Power:4@")
    assert answer.sources == SOURCES


def test_what_is_found_is_told_first_and_then_each_statement() -> None:
    harness = AnswersHarness(ScriptedChat(written(GOOD), piece=1))

    answer = harness.ask()

    first, text, last = harness.news
    assert first == SourcesFound(SOURCES, 0.8)
    assert text == TextPiece(GOOD[2], "quoted")
    assert last == StatementDone(**structs.asdict(answer.statements[0]), number=1)
    assert harness.spoken == [GOOD[2]]


def test_a_quote_that_stands_in_no_source_marks_its_statement() -> None:
    harness = AnswersHarness(ScriptedChat(written(WRONG, GOOD)))

    answer = harness.ask()

    first, second = answer.statements
    assert first.support == "unsupported"
    assert first.problem == "the quote is not in source 1"
    assert first.citations == ()
    assert second.is_supported
    assert answer.in_notes
    assert harness.spoken == [WRONG[2], GOOD[2]]
    told = [new.support for new in harness.news if isinstance(new, TextPiece)]
    assert list(dict.fromkeys(told)) == ["unsupported", "quoted"]


def test_of_what_is_dropped_no_letter_is_told() -> None:
    chat = ScriptedChat(written(WRONG, GOOD), piece=1)
    harness = AnswersHarness(chat, ask__unsupported="drop")

    answer = harness.ask()

    assert [statement.text for statement in answer.statements] == [GOOD[2]]
    assert answer.dropped == 1
    assert harness.spoken == [GOOD[2]]
    assert "wind" not in repr(harness.news)


@pytest.mark.parametrize("way", ["drop", "flag"])
def test_where_nothing_is_borne_out_the_notes_speak_for_themselves(way: str) -> None:
    harness = AnswersHarness(ScriptedChat(written(WRONG)), ask__unsupported=way)

    answer = harness.ask()

    assert answer.in_notes
    assert answer.statements == TOLD
    assert harness.spoken == [TOLD[0].text]
    assert (answer.model_used, answer.dropped) == ("", 1)
    assert answer.degraded == (
        "llm: nothing that parrot said is supported by the notes",
    )


@pytest.mark.parametrize("opens", ["<think>", ""])
@pytest.mark.parametrize("way", ["drop", "flag"])
def test_what_a_model_thinks_aloud_is_not_its_answer(way: str, opens: str) -> None:
    other = (2, "stands at the old weir", "It stands at the weir.")
    text = f"{opens}{written(WRONG, GOOD)} or so?</think>{written(other)}"
    harness = AnswersHarness(ScriptedChat(text), ask__unsupported=way)

    answer = harness.ask()

    assert [statement.text for statement in answer.statements] == [other[2]]
    assert answer.dropped == 0
    assert harness.spoken == [other[2]]


def test_a_draft_is_no_answer_where_the_model_then_finds_nothing() -> None:
    draft = f'<think>{written(GOOD)}</think>{{"statements": []}}'

    answer = AnswersHarness(ScriptedChat(draft)).ask()

    assert answer.statements == ()
    assert answer.model_used == "parrot"


@pytest.mark.parametrize("text", ["It is 40 W.", "It has 40 W in all."])
def test_a_figure_that_is_quoted_alone_has_to_be_said_with_more(text: str) -> None:
    bare = (1, "40 W", text)
    other = (1, "12 Ah", "It runs on a panel.")

    harness = AnswersHarness(ScriptedChat(written(bare, other, GOOD)))

    first, second, *_ = harness.ask("How is that so?").statements

    too_short = "the quote is too short to support it"
    assert [first.problem, second.problem] == [too_short, too_short]


def test_a_quote_of_another_source_than_the_one_named_is_cited_with_that() -> None:
    said = (1, "camera takes 1,200 pictures a day", "It takes 1200 pictures.")

    answer = AnswersHarness(ScriptedChat(written(said))).ask()

    (statement,) = answer.statements
    assert statement.support == "quoted"
    assert [citation.source for citation in statement.citations] == [2]
    assert statement.citations[0].receipt.startswith("Otter.md")


@pytest.mark.parametrize("number", [0, 7, -1, 999_999_999])
def test_a_source_that_there_is_not_does_no_harm(number: int) -> None:
    right = (number, "stands at the old weir", "It stands at the weir.")
    wrong = (number, "stands at the new bridge", "It stands at the bridge.")

    answer = AnswersHarness(ScriptedChat(written(right, wrong))).ask()

    assert [statement.support for statement in answer.statements] == [
        "quoted",
        "unsupported",
    ]
    assert answer.statements[1].problem == "the quote is in no source"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("It runs on a 60 W panel.", "60 is not in what it cites"),
        ("It runs from 21:00 on.", "21:00 is not in what it cites"),
        ("It has run since 2025-03-01.", "2025-03-01 is not in what it cites"),
        ("It has run since 1 April 2026.", "1 April 2026 is not in what it cites"),
        ("It runs on a 40 W panel and 12 Ah.", ""),
        (
            "It runs from 10 pm.",
            "10 pm is not in what it cites",
        ),
        ("It takes 1,200.", "1,200 is not in what it cites"),  # but in another
    ],
)
def test_a_figure_that_is_not_in_the_source_belies_a_true_quote(
    text: str, problem: str
) -> None:
    safe = (2, "stands at the old weir", "It stands at the weir.")
    harness = AnswersHarness(ScriptedChat(written((GOOD[0], GOOD[1], text), safe)))

    said, _ = harness.ask().statements

    assert said.problem == problem
    assert said.support == ("unsupported" if problem else "quoted")
    assert [citation.source for citation in said.citations] == [1]
    assert harness.spoken == [text, safe[2]]


def test_a_figure_of_the_question_may_be_said_again() -> None:
    chat = ScriptedChat(written((1, GOOD[1], "In 2031 it runs on a 40 W panel.")))

    said = AnswersHarness(chat).ask("What will it run on in 2031?")
    belied = AnswersHarness(chat).ask()

    assert [statement.support for statement in said.statements] == ["quoted"]
    assert (belied.statements, belied.dropped) == (TOLD, 1)


def instead(harness: AnswersHarness, reason: str) -> list[News]:
    """Return what was told once the notes spoke instead of a model, for a reason."""
    answer = harness.ask()
    assert answer.statements == TOLD
    assert answer.sources == SOURCES
    assert answer.in_notes
    assert answer.model_used == ""
    assert answer.degraded == (f"llm: {reason}",)
    assert harness.spoken == [TOLD[0].text]
    return harness.news


@pytest.mark.parametrize(
    "text",
    ["", "The station runs on sun, I think.", "{}", '{"statements"', "[[[", '{"a": 1}'],
)
def test_a_model_that_gives_no_answer_leaves_the_notes_to_speak(text: str) -> None:
    harness = AnswersHarness(ScriptedChat(text))

    news = instead(harness, "parrot gave no answer in the form asked for")

    assert not any(isinstance(new, TextWithdrawn) for new in news)


def test_what_a_model_said_before_it_failed_is_withdrawn() -> None:
    fault = ModelFailed("parrot", "the stream ended early")
    harness = AnswersHarness(ScriptedChat(written(GOOD), fault=fault))

    news = instead(harness, str(fault))

    assert TextWithdrawn(str(fault)) in news


def test_a_model_that_may_not_be_asked_is_told_of_and_not_asked() -> None:
    fault = RemoteRefused("models.example")

    def refused() -> ChatModel | None:
        raise fault

    harness = AnswersHarness(refused)

    instead(harness, str(fault))

    assert harness.wished[0][2] is False


def test_a_model_that_finds_nothing_in_the_sources_is_believed() -> None:
    answer = AnswersHarness(ScriptedChat('{"statements": [ ]}')).ask()

    assert not answer.in_notes
    assert answer.statements == ()
    assert answer.text == "Not in your notes."
    assert answer.model_used == "parrot"
    assert answer.sources == SOURCES


def test_what_was_not_read_and_what_was_cut_is_told() -> None:
    ended = GenerationEnd(
        2_048, was_cut=True, lost="the model read 2,048 of 6,100 tokens"
    )
    chat = ScriptedChat(written(GOOD)[:-2] + ', {"source": 1, "quo', ended=ended)

    answer = AnswersHarness(chat).ask()

    assert [statement.text for statement in answer.statements] == [GOOD[2]]
    assert answer.degraded == (
        "llm: the model read 2,048 of 6,100 tokens",
        "llm: the answer was longer than llm.answer_tokens",
    )


def test_a_model_that_did_not_read_all_is_not_believed_that_there_is_nothing() -> None:
    ended = GenerationEnd(2_048, lost="the model read 2,048 of 6,100 tokens")

    answer = AnswersHarness(ScriptedChat('{"statements": []}', ended=ended)).ask()

    assert answer.statements == TOLD
    assert answer.model_used == ""
    assert answer.degraded == ("llm: the model read 2,048 of 6,100 tokens",)


@pytest.mark.parametrize(
    ("sources", "confidence"), [((), 0.9), ((), None), (SOURCES, 0.1)]
)
def test_no_model_is_asked_where_the_notes_hold_nothing(
    sources: tuple[()], confidence: float | None
) -> None:
    chat = ScriptedChat(written(GOOD))
    harness = AnswersHarness(chat, sources=sources, told=(), confidence=confidence)

    answer = harness.ask()

    assert chat.asked == []
    assert not answer.in_notes
    assert answer.sources == sources
    assert harness.news == [SourcesFound(sources, confidence)]


def test_without_a_model_the_notes_speak_and_nothing_is_lacking() -> None:
    harness = AnswersHarness(None)

    answer = harness.ask(private=True)

    assert answer.statements == TOLD
    assert answer.degraded == ()
    assert harness.spoken == [TOLD[0].text]
    assert [private for _, _, private in harness.wished] == [True]


def test_a_model_is_shown_no_private_note_and_that_is_told() -> None:
    harness = AnswersHarness(ScriptedChat(written(GOOD)), withheld=1)

    answer = harness.ask(private=True)

    assert [private for _, _, private in harness.wished] == [False]
    assert answer.degraded == ("1 private note was left out",)


def test_a_model_that_is_not_wanted_is_not_asked() -> None:
    chat = ScriptedChat(written(GOOD))

    answer = AnswersHarness(chat, withheld=2).ask(use_model=False)

    assert chat.asked == []
    assert answer.statements == TOLD
    assert answer.degraded == ("2 private notes were left out",)


def test_a_call_that_nobody_waits_for_asks_no_model() -> None:
    chat, halt = ScriptedChat(written(GOOD)), Cancellation()
    halt.set()

    with pytest.raises(CallAbandoned):
        AnswersHarness(chat).ask(halt=halt)

    assert chat.asked == []


def test_a_call_that_is_given_up_ends_the_answer() -> None:
    halt = Cancellation()
    harness = AnswersHarness(ScriptedChat(written(GOOD, GOOD)))

    def told(news: News) -> None:
        if isinstance(news, StatementDone):
            halt.set()

    with pytest.raises(CallAbandoned):
        harness.answers.ask(QUESTION, told=told, halt=halt)


def test_a_model_that_repeats_itself_is_heard_once() -> None:
    harness = AnswersHarness(ScriptedChat(written(GOOD, GOOD, GOOD)))

    answer = harness.ask()

    assert [statement.text for statement in answer.statements] == [GOOD[2]]
    assert harness.spoken == [GOOD[2]]


def test_a_model_that_never_ends_is_heard_eight_times_and_stopped() -> None:
    many = [(1, GOOD[1], f"It runs on a 40 W panel{'!' * at}") for at in range(30)]
    chat = ScriptedChat(written(*many))

    answer = AnswersHarness(chat).ask()

    assert len(answer.statements) == 8
    assert answer.degraded == ()
    assert chat.letters_said < len(chat.text) / 2


def test_a_model_that_says_one_thing_over_and_over_is_stopped() -> None:
    chat = ScriptedChat(written(GOOD, (1, GOOD[1], "It runs and " * 9_000)))
    harness = AnswersHarness(chat)

    answer = harness.ask()

    assert [statement.text for statement in answer.statements] == [GOOD[2]]
    assert answer.degraded == ("llm: parrot does not come to an end",)
    assert chat.letters_said < 5_000
    assert harness.spoken == [GOOD[2]]


@pytest.mark.parametrize("rest", ["", 'x", "y" {', 'x" oops {"source": 1, "quote": "'])
def test_a_statement_that_is_not_finished_is_not_shown(rest: str) -> None:
    begun = '{"source": 1, "quote": "It sleeps between 22:00", "text": "It ru'
    chat = ScriptedChat(f"{written(GOOD)[:-2]}, {begun}{rest}")
    harness = AnswersHarness(chat)

    answer = harness.ask()

    texts = [statement.text for statement in answer.statements]
    assert texts == [GOOD[2]]
    assert harness.spoken == texts
    assert not any(isinstance(new, TextWithdrawn) for new in harness.news)
    assert isinstance(harness.news[-1], StatementDone)


def test_the_room_for_sources_is_what_the_model_leaves() -> None:
    chat = ScriptedChat(written(GOOD))
    harness = AnswersHarness(chat, llm__answer_tokens=800)

    harness.ask()

    (_, room, _) = harness.wished[0]
    (prompt,) = chat.asked
    assert 4_500 < room < 0.75 * (chat.context_tokens - 800)
    assert prompt.most_tokens == 800


def test_a_model_that_reads_too_little_is_not_asked() -> None:
    chat = ScriptedChat(written(GOOD))
    chat.context_tokens = 600

    answer = AnswersHarness(chat).ask()

    assert chat.asked == []
    assert answer.statements == TOLD
    assert "llm.context_tokens" in answer.degraded[0]


def test_a_quote_of_what_an_agent_wrote_is_cited_as_any_other() -> None:
    text = "The agent thinks that the panel is dirty."
    chat = ScriptedChat(written((1, "thinks that the panel", "It is dirty.")))

    answer = AnswersHarness(
        chat, sources=[source(1, "a.md", text, generated=True)]
    ).ask()

    assert answer.in_notes
