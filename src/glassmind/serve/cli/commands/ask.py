"""`glassmind ask`: a question answered from the notes, with what bears it out."""

import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from typing import assert_never

from glassmind.errors import WrongUsage
from glassmind.ports.chat import Halt
from glassmind.render.answers_text import (
    answer_as_text,
    marks,
    sources_as_text,
    spoken,
)
from glassmind.render.style import counted
from glassmind.serve.cli import exits
from glassmind.serve.cli.asking import (
    STDIN,
    add_limit,
    add_mode_and_intent,
    add_project,
    intent_of,
    notice_all,
    piped_text,
)
from glassmind.serve.cli.opening import engine_of
from glassmind.serve.cli.output import Output
from glassmind.serve.cli.parser import CommandParser
from glassmind.types.answers import (
    Answer,
    Found,
    News,
    Spoken,
    Stated,
    Statement,
    Withdrawn,
)
from glassmind.types.questions import MOST_SOURCES, says_something

TAKEN_BACK = "what was said so far does not count"


def add_arguments(parser: CommandParser) -> None:
    """Tell the parser what the command takes."""
    parser.take_words(
        "question", "QUESTION", "what you want to know; - takes what is piped in"
    )
    parser.add_argument(
        "--no-model", action="store_true", help="answer in the notes' own sentences"
    )
    most = f"most passages that an answer may rest on, up to {MOST_SOURCES}"
    add_limit(parser, f"{most} (ask.sources)")
    add_project(parser)
    add_mode_and_intent(parser)
    parser.add_argument(
        "--no-stream", action="store_true", help="print the answer once it is whole"
    )


def run(args: Namespace, output: Output) -> int:
    """Print the answer, and say by the exit code whether the notes hold one."""
    piped = args.question == [STDIN]
    question = piped_text("ask") if piped else " ".join(args.question)
    if not says_something(question):
        offered = sys.stdin is not None and not sys.stdin.isatty()
        waits = offered and not args.question
        hint = "; - takes what is piped in, as in: glassmind ask -" if waits else ""
        raise WrongUsage(f"nothing is asked{hint}", "ask")
    streams = output.on_terminal and not (args.no_stream or output.as_json)
    shown = Speaking(output)
    with engine_of(args, output) as engine, _ended(shown) as halt:
        answer = engine.answers.ask(
            question.strip(),
            use_model=not args.no_model,
            limit=args.limit,
            project=args.project,
            mode=args.mode,
            intent=intent_of(args),
            private=True,
            told=shown if streams else None,
            halt=halt,
        )
        vault = engine.config.vault.name
    _show(answer, vault, shown, output)
    return exits.OK if answer.in_notes else exits.NOTHING


@contextmanager
def _ended(shown: "Speaking") -> Iterator[Halt]:
    """Leave nothing at work behind, whatever ends the command."""
    halt = Halt()
    try:
        yield halt
    except BaseException:
        shown.end_line()
        raise
    finally:
        halt.set()


class Speaking:
    """Shows an answer on a terminal while it is made."""

    def __init__(self, output: Output) -> None:
        self._output, self._style = output, output.style
        self._spoken = ""
        self.stated: list[Statement] = []
        self.was_heard = False

    def __call__(self, news: News) -> None:
        """Show one piece of news at once."""
        match news:
            case Found():
                self._tell(news)
            case Spoken():
                self._say(news.text, is_supported=news.support != "unsupported")
            case Stated():
                self._state(news.statement)
            case Withdrawn():
                self._withdraw()
            case _:
                assert_never(news)
        self._output.flush()

    def _tell(self, found: Found) -> None:
        if self._output.shows_progress:
            notes = len({one.path for one in found.sources})
            passages = counted(len(found.sources), "passage")
            self._output.remark(f"found {passages} in {counted(notes, 'note')}")

    def _say(self, text: str, *, is_supported: bool) -> None:
        self._spoken += text
        self.was_heard = True
        self._output.text(spoken(text, self._style, is_supported=is_supported))

    def _state(self, statement: Statement) -> None:
        if not statement.text.startswith(self._spoken):
            self.end_line()  # those letters were of one that is not stated
        rest = statement.text.removeprefix(self._spoken)
        self._say(rest, is_supported=statement.is_supported)
        self._output.text(marks(statement, self._style))
        self.stated.append(statement)
        self.end_line()

    def _withdraw(self) -> None:
        self.end_line()
        self._output.remark(TAKEN_BACK)  # why, the notices of the answer say
        self.stated.clear()
        self.was_heard = False

    def end_line(self) -> None:
        """End a line that was begun."""
        if self._spoken:
            self._spoken = ""
            self._output.line()


def _hinted(said: str) -> str:
    """Return a notice, with what helps on the command line."""
    if " private " in said and said.endswith("left out"):
        return f"{said}; --no-model reads private notes to you"
    return said


def _show(answer: Answer, vault: str, shown: Speaking, output: Output) -> None:
    """Print what was not shown yet, in the shape that was asked for."""
    shown.end_line()
    notice_all(output, map(_hinted, answer.degraded))
    if output.as_json:
        from glassmind.render.answers import answer_as_json  # noqa: PLC0415 - 1 ms

        output.json(answer_as_json(answer, vault=vault))
        return
    if answer.dropped:
        left_out = counted(answer.dropped, "statement")
        output.notice(f"left out, since your notes do not bear it out: {left_out}")
    if shown.stated == list(answer.statements) and shown.stated:
        output.text(sources_as_text(answer, output.style, heard=True))
        return
    if shown.was_heard:
        output.notice(TAKEN_BACK)
    output.text(answer_as_text(answer, output.style))
