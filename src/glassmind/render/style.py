"""How text is dressed: bold on a terminal, Markdown's stars in a pipe."""

BOLD, FAINT, RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"
STATES = {"ok": "\x1b[32m", "warn": "\x1b[33m", "fail": "\x1b[31m"}

_CONTROLS = {
    code: f"\\x{code:02x}"
    for code in (*range(0x20), *range(0x7F, 0xA0))
    if chr(code) not in "\n\t"
}
"""What could command a terminal; a note is no program."""


class Style:
    """Dresses text; `guarded` keeps the text itself from commanding the terminal."""

    def __init__(self, *, colour: bool = False, guarded: bool = False) -> None:
        self._colour, self._guarded = colour, guarded

    @staticmethod
    def for_terminal(text: str) -> str:
        """Return text with control characters made visible."""
        return text if text.isprintable() else text.translate(_CONTROLS)

    def clean(self, text: str) -> str:
        """Return text as it may be shown here."""
        return self.for_terminal(text) if self._guarded else text

    def strong(self, text: str) -> str:
        """Return text that stands out."""
        return self._dressed(BOLD, text)

    def faint(self, text: str) -> str:
        """Return text that steps back."""
        return self._dressed(FAINT, text)

    def mark(self, text: str) -> str:
        """Return a matched word, told from the rest even without colours."""
        return self._dressed(BOLD, text) if self._colour else f"**{self.clean(text)}**"

    def state(self, state: str) -> str:
        """Return one of `ok`, `warn` and `fail`."""
        return self._dressed(STATES[state], state)

    def _dressed(self, code: str, text: str) -> str:
        shown = self.clean(text)
        return f"{code}{shown}{RESET}" if self._colour and shown else shown
