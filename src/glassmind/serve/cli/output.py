"""What the program writes: results to stdout, everything else to stderr."""

import os
import sys
from argparse import Namespace
from pathlib import Path

from glassmind.errors import GlassmindError
from glassmind.markdown.style import Style

ESCAPED = {
    code: f"\\u{code:04x}"
    for code in (*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}
"""What JSON leaves as it is and a terminal may obey; read as JSON, it is the same."""


class Output:
    """Owns the two streams, and knows how they want to be written to."""

    def __init__(self, *, as_json: bool = False, verbose: bool = False) -> None:
        self.as_json, self.quiet, self.verbose = as_json, False, verbose
        for name in ("stdout", "stderr"):
            _prepare(name)
        self.on_terminal, self._has_told = sys.stdout.isatty(), False
        self._wants_colour = _wants_colour()

    def adopt(self, args: Namespace) -> None:
        """Follow the options of every command."""
        self.as_json = getattr(args, "json", False)
        self.quiet = getattr(args, "quiet", False)
        self.verbose = getattr(args, "verbose", False)
        if getattr(args, "no_color", False):
            self._wants_colour = False

    @property
    def style(self) -> Style:
        """How text is dressed for stdout."""
        colour = self._wants_colour and self.on_terminal
        return Style(colour=colour)

    @property
    def colourful(self) -> bool:
        """Whether colours are wanted and can be seen on stderr."""
        return self._wants_colour and sys.stderr.isatty()

    @property
    def shows_progress(self) -> bool:
        """Whether somebody is there to watch."""
        return sys.stderr.isatty() and not self.quiet

    def line(self, text: str = "") -> None:
        """Write a line of the result."""
        sys.stdout.write(f"{text}\n")

    def text(self, text: str) -> None:
        """Write a part of the result as it is."""
        sys.stdout.write(text)

    def verbatim(self, text: str) -> None:
        """Write text to the letter in a pipe, and as may be shown on a terminal."""
        sys.stdout.write(Style.clean(text) if self.on_terminal else text)

    def json(self, value: object, *, on_one_line: bool = False) -> None:
        """Write the result, or one of many lines of it, as JSON, always in UTF-8."""
        import json  # noqa: PLC0415 - plain results do not need it

        indent = 2 if self.on_terminal and not on_one_line else None
        made = json.dumps(value, ensure_ascii=False, indent=indent) + "\n"
        if self.on_terminal:
            made = made.translate(ESCAPED)
        self._has_told = True
        sys.stdout.flush()
        # A lone surrogate becomes an escape, which JSON reads as what it was.
        sys.stdout.buffer.write(made.encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()

    def notice(self, sentence: str) -> None:
        """Tell a person something beside the result, unless they want quiet."""
        if not self.quiet:
            self.fault(sentence)

    def fault(self, sentence: str) -> None:
        """Tell a person what went wrong."""
        sys.stderr.write(f"glassmind: {Style.clean(sentence)}\n")

    def failed(self, error: BaseException, sentence: str) -> None:
        """Tell of an error, with its traceback when asked to say more."""
        if self.verbose:
            import traceback  # noqa: PLC0415 - only now

            traceback.print_exception(error)
        self.fault(sentence)
        if self.as_json:
            from glassmind.operations.failures import digest_now  # noqa: PLC0415

            kind = type(error).__name__ if _is_ours(error) else "Unexpected"
            told = {"kind": kind, "message": sentence}
            if digest := digest_now(error):
                told["digest"] = digest
            self.json({"error": told})

    def interrupted(self, message: str = "") -> None:
        """Report Ctrl-C, as JSON too unless JSON was printed before."""
        message = message or "interrupted"
        self.fault(message)
        if self.as_json and not self._has_told:
            self.json({"error": {"kind": "Interrupted", "message": message}})

    def flush(self) -> None:
        """Write what is still held back.

        Raises:
            BrokenPipeError: nobody reads any more.
        """
        sys.stdout.flush()
        sys.stderr.flush()

    def abandon(self) -> None:
        """Forget what is still held back: nobody reads any more."""
        _lead_nowhere(sys.stdout.fileno())

    def remark(self, sentence: str) -> None:
        """Tell something as `notice` does, at once, and go on where nobody reads it."""
        try:
            self.notice(sentence)
            sys.stderr.flush()
        except OSError:
            _lead_nowhere(sys.stderr.fileno())


def _lead_nowhere(number: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)


def _is_ours(error: BaseException) -> bool:
    return isinstance(error, GlassmindError)


def _prepare(name: str) -> None:
    """Let a stream escape what its encoding lacks, and take the place of a closed one.

    Python has None for a stream that the shell closed.
    """
    if getattr(sys, name) is None:
        nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - kept
        setattr(sys, name, nowhere)
    reconfigure = getattr(getattr(sys, name), "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _wants_colour() -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    # An old Windows console shows escapes as they are; newer ones say who they are.
    return os.name != "nt" or bool({"WT_SESSION", "TERM"} & set(os.environ))
