"""The terminal and the streams: results to stdout, everything else to stderr."""

import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from glassmind.errors import error_json
from glassmind.model.index import Progress
from glassmind.model.models import Download
from glassmind.obsidian.text import Style, bytes_in_words

ESCAPED = {
    code: f"\\u{code:04x}"
    for code in (*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}
"""What JSON leaves as it is and a terminal may obey; read as JSON, it is the same."""

STAGES = {
    "wait": "Waiting for another process",
    "scan": "Looking through the vault",
    "read": "Reading notes",
    "resolve": "Following links",
    "words": "Indexing words",
    "embed": "Embedding passages",
    "vectors": "Arranging vectors",
    "pairs": "Comparing notes",
    "confidence": "Learning what an answer looks like",
    "measure": "Asking questions",
}


class Output:
    def __init__(self, *, as_json: bool = False, verbose: bool = False) -> None:
        self.as_json, self.quiet, self.verbose = as_json, False, verbose
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is None:  # the shell closed it
                nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
                setattr(sys, name, nowhere)
            getattr(sys, name).reconfigure(errors="backslashreplace")
        self.on_terminal, self._json_written = sys.stdout.isatty(), False
        no_colour = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        # an old Windows console shows escapes as they are; newer ones set a variable
        shows_escapes = os.name != "nt" or {"WT_SESSION", "TERM"} & set(os.environ)
        self._wants_colour = bool(shows_escapes) and not no_colour

    def adopt(self, args: Namespace) -> None:
        self.as_json = getattr(args, "json", False)
        self.quiet = getattr(args, "quiet", False)
        self.verbose = getattr(args, "verbose", False)
        if getattr(args, "no_color", False):
            self._wants_colour = False

    @property
    def style(self) -> Style:
        return Style(colour=self._wants_colour and self.on_terminal)

    @property
    def shows_progress(self) -> bool:
        return sys.stderr.isatty() and not self.quiet

    @property
    def can_ask(self) -> bool:
        there = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
        return there and not self.as_json

    def ask(self, question: str) -> str:
        self.flush()
        sys.stderr.write(f"{self.style.clean(question)} ")
        sys.stderr.flush()
        return sys.stdin.readline()

    def says_yes(self, question: str) -> bool:
        return self.ask(f"{question} [y/N]").strip().lower() in {"y", "yes"}

    def result(self, value: object, text: str) -> None:
        if self.as_json:
            self.json(value)
        else:
            self.text(text)

    def line(self, text: str = "") -> None:
        sys.stdout.write(f"{text}\n")

    def text(self, text: str) -> None:
        sys.stdout.write(text)

    def verbatim(self, text: str) -> None:
        sys.stdout.write(Style.clean(text) if self.on_terminal else text)

    def json(self, value: object, *, on_one_line: bool = False) -> None:
        indent = 2 if self.on_terminal and not on_one_line else None
        made = json.dumps(value, ensure_ascii=False, indent=indent) + "\n"
        if self.on_terminal:
            made = made.translate(ESCAPED)
        self._json_written = True
        sys.stdout.flush()
        # A lone surrogate becomes an escape, which JSON reads as what it was.
        sys.stdout.buffer.write(made.encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()

    def notice(self, sentence: str) -> None:
        if not self.quiet:
            self.fault(sentence)

    def notices(self, sentences: Iterable[str]) -> None:
        for sentence in sentences:
            self.notice(sentence)

    def fault(self, sentence: str) -> None:
        sys.stderr.write(f"glassmind: {Style.clean(sentence)}\n")

    def failed(self, error: BaseException, sentence: str) -> None:
        if self.verbose:
            import traceback  # noqa: PLC0415 - rarely needed

            traceback.print_exception(error)
        self.fault(sentence)
        if self.as_json:
            self.json(error_json(error, sentence))

    def interrupted(self, message: str = "") -> None:
        message = message or "interrupted"
        self.fault(message)
        if self.as_json and not self._json_written:
            self.json(error_json(KeyboardInterrupt(), message))

    def flush(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()

    def abandon(self) -> None:
        _discard(sys.stdout.fileno())

    def remark(self, sentence: str) -> None:
        try:
            self.notice(sentence)
            sys.stderr.flush()
        except OSError:
            _discard(sys.stderr.fileno())

    @contextmanager
    def progress(self) -> Iterator[Callable[[Progress | Download], None] | None]:
        if not self.shows_progress:
            yield None
            return
        from rich import console, progress  # noqa: PLC0415 - 70 ms

        with progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.TextColumn("{task.fields[amount]}"),
            progress.TimeRemainingColumn(),
            console=console.Console(
                file=sys.stderr, no_color=not self._wants_colour or None
            ),
            transient=True,
        ) as bars:
            tasks: dict[str, progress.TaskID] = {}

            def show(now: Progress | Download) -> None:
                total = now.total or None  # None lets the bar pulse
                if isinstance(now, Download):
                    stage, as_text = f"Fetching {now.model}", bytes_in_words
                else:
                    stage, as_text = STAGES[now.stage], "{:,}".format
                amount = f"{as_text(now.done)}/{as_text(total) if total else '?'}"
                if stage != STAGES["wait"] and STAGES["wait"] in tasks:
                    bars.remove_task(tasks.pop(STAGES["wait"]))
                if stage not in tasks:
                    tasks[stage] = bars.add_task(stage, total=total, amount=amount)
                bars.update(
                    tasks[stage], completed=now.done, total=total, amount=amount
                )

            yield show


def _discard(number: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)
