"""`glassmind ask`: what it prints, what it streams, and how it ends."""

import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from unittest import mock

import pytest
from ask_harness import DOUBTED, QUOTED, WHOLE, Ask, Scripted, news_of
from cli_harness import Inside, with_note
from msgspec.structs import replace

from glassmind.engine import Engine
from glassmind.model.context import Answer, News, SourcesFound, TextPiece, TextWithdrawn
from glassmind.models.protocols import Cancellation
from glassmind.serve.cli.program import run_program

Told = Callable[[News], None]

QUESTION = ("ask", "Which", "cells?")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Inside:
    program = Inside(with_note(tmp_path_factory.mktemp("ask")))
    assert program.run("index").returncode == 0
    return program


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    """What answers by a script, whole unless a test has another."""
    made = Scripted()
    monkeypatch.setattr(Engine, "answers", made)
    yield made
    assert all(halt.is_set() for halt in made.halts)


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal, and remembers each flush."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), "utf-8")
        self.frames: list[str] = []

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        super().flush()
        shown = self.shown()
        if shown and shown not in self.frames[-1:]:
            self.frames.append(shown)

    def shown(self) -> str:
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode("utf-8")


def on_terminal(program: Inside, *args: str) -> tuple[int, Terminal, Terminal]:
    out, err = Terminal(), Terminal()
    chosen = mock.patch.dict(os.environ, {**program.env, "NO_COLOR": "1"}, clear=True)
    argv = ["--vault", str(program.vault), *args]
    with (
        chosen,
        mock.patch.object(sys, "stdout", out),
        mock.patch.object(sys, "stderr", err),
    ):
        code = run_program(argv)
    return code, out, err


def test_an_answer_is_printed_with_its_marks_and_sources(
    program: Inside, asked: Scripted
) -> None:
    done = program.run(*QUESTION)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{QUOTED.text} [1]\n{DOUBTED.text} (not supported")
    assert "\n[1] Projects/Heron.md:12-18  Heron > Power\n" in done.stdout
    assert "\x1b" not in done.stdout
    assert done.stderr == ""
    assert asked.asked[0][0] == "Which cells?"


def test_an_answer_as_json_is_one_object(program: Inside, asked: Scripted) -> None:
    done = program.run("--json", *QUESTION)

    found = json.loads(done.stdout)
    assert found["answer"] == QUOTED.text
    assert found["modelUsed"] == "llama3.2"
    assert done.stdout.count("\n") == 1
    assert asked.asked


def test_every_wish_is_heard(program: Inside, asked: Scripted) -> None:
    wishes = ["--no-model", "-n", "3", "--project", "Tea", "--mode", "fulltext"]

    program.run(*QUESTION, *wishes, "--intent", "balanced")
    program.run(*QUESTION)

    expected = {
        "use_model": False,
        "limit": 3,
        "project": "Tea",
        "mode": "fulltext",
        "intent": None,
        "private": True,
    }
    usual = {**dict.fromkeys(expected), "use_model": True, "intent": "auto"}
    assert [wishes for _, wishes in asked.asked] == [
        expected,
        {**usual, "private": True},
    ]


def test_what_is_not_in_the_notes_is_exit_code_1(
    program: Inside, asked: Scripted
) -> None:
    asked.script = _ending(replace(WHOLE, in_notes=False, statements=()))

    done = program.run(*QUESTION)

    assert done.returncode == 1
    assert done.stdout.startswith("Not in your notes.\n\nClosest:\n[1] ")


def test_what_was_missing_and_left_out_is_told_aside(
    program: Inside, asked: Scripted
) -> None:
    asked.script = _ending(replace(WHOLE, degraded=("llm: it is down",), dropped=2))

    done = program.run(*QUESTION)
    quiet = program.run(*QUESTION, "--quiet")

    assert "glassmind: llm: it is down\n" in done.stderr
    assert "Left out 2 statements not supported by your notes.\n" in done.stderr
    assert quiet.stderr == ""


@pytest.mark.parametrize("words", [["ask"], ["ask", " "], ["ask", "--json"]])
def test_nothing_asked_is_wrong_usage(program: Inside, words: list[str]) -> None:
    assert program.run(*words).returncode == 2


def test_half_a_character_is_no_question(program: Inside) -> None:
    assert program.run("ask", "what\udce4").returncode == 2


def test_a_terminal_sees_the_answer_while_it_is_made(
    program: Inside, asked: Scripted
) -> None:
    code, out, err = on_terminal(program, *QUESTION)

    assert code == 0
    assert len(out.frames) > len(QUOTED.text) // 7
    for before, after in zip(out.frames, out.frames[1:], strict=False):
        assert after.startswith(before)
    plain = program.run(*QUESTION).stdout
    assert out.shown() == plain
    assert "Found 2 passages in 2 notes." in err.shown()


def test_without_streaming_a_terminal_sees_it_once_it_is_whole(
    program: Inside, asked: Scripted
) -> None:
    _, out, _ = on_terminal(program, *QUESTION, "--no-stream")

    assert len(out.frames) == 1
    assert out.shown() == program.run(*QUESTION).stdout
    assert asked.asked


def test_what_is_withdrawn_is_said_to_be_and_said_anew(
    program: Inside, asked: Scripted
) -> None:
    last = replace(WHOLE, statements=(QUOTED,))

    def script(told: Told, _: Cancellation) -> Answer:
        told(SourcesFound(WHOLE.sources, None))
        told(TextPiece("The moon is", "quoted"))
        told(TextWithdrawn("the model broke off"))
        for news in list(news_of(last))[1:]:
            told(news)
        return last

    asked.script = script

    _, out, err = on_terminal(program, *QUESTION)

    lines = out.shown().splitlines()
    assert lines[:3] == ["The moon is", f"{QUOTED.text} [1]", ""]
    assert out.shown().count(QUOTED.text) == 1
    assert "The text so far was withdrawn.\n" in err.shown()


def test_an_answer_other_than_what_was_heard_is_printed_whole(
    program: Inside, asked: Scripted
) -> None:
    def script(told: Told, _: Cancellation) -> Answer:
        told(TextPiece("The moon is", "quoted"))
        return WHOLE

    asked.script = script

    _, out, err = on_terminal(program, *QUESTION)

    assert out.shown().startswith(f"The moon is\n{QUOTED.text} [1]\n")
    assert "The text so far was withdrawn." in err.shown()


def test_ctrl_c_ends_the_line_and_the_command(program: Inside, asked: Scripted) -> None:
    def script(told: Told, _: Cancellation) -> Answer:
        told(TextPiece("The moon is", "quoted"))
        raise KeyboardInterrupt

    asked.script = script

    code, out, err = on_terminal(program, *QUESTION)

    assert code == 130
    assert out.shown() == "The moon is\n"
    assert err.shown() == "glassmind: interrupted\n"


def test_ctrl_c_is_one_object_where_json_is_wanted(
    program: Inside, asked: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def script(_: Told, __: Cancellation) -> Answer:
        raise KeyboardInterrupt

    left = [KeyboardInterrupt()]

    def late(*_: object) -> None:
        if left:
            raise left.pop()

    whole = asked.script
    asked.script = script
    early = program.run("--json", *QUESTION)
    asked.script = whole
    monkeypatch.setattr("glassmind.serve.cli.program.Output.flush", late)
    after = program.run("--json", *QUESTION)

    said = {"kind": "Interrupted", "message": "interrupted"}
    assert json.loads(early.stdout) == {"error": said}
    assert early.returncode == after.returncode == 130
    assert json.loads(after.stdout)["question"] == WHOLE.question


def test_a_question_may_be_piped_in(program: Inside) -> None:
    piped = program.piped("oolong rests\n", "ask", "-", "--json")

    assert json.loads(piped.stdout)["question"] == "oolong rests"
    assert program.piped(" \n", "ask", "-").returncode == 2


def _ending(answer: Answer) -> Ask:
    def script(_: object, __: Cancellation) -> Answer:
        return answer

    return script
