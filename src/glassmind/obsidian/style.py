"""How text is dressed: bold on a terminal, Markdown's stars in a pipe.

Text from notes cannot command a terminal, nor turn around the order in which a line is
read: what could is shown as an escape, also in a pipe, which may end at a terminal.
"""

BOLD, FAINT, RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"
STATES = {"ok": "\x1b[32m", "warn": "\x1b[33m", "fail": "\x1b[31m"}

_CONTROLS = {
    code: f"\\x{code:02x}"
    for code in (*range(0x20), *range(0x7F, 0xA0))
    if chr(code) not in "\n\t"
}
"""What could command a terminal; a note is no program."""

_CONTROLS |= {
    code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
}
"""What turns around the order of letters, so that a line says something else."""

ECHO_CHARS = 80
"""How much of what was typed is said back: a line of a terminal."""

SENTENCE_CHARS = 240
"""Characters of a sentence in a list."""


def counted(count: int, noun: str) -> str:
    """Return `1 note` or `1,247 notes`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def bytes_in_words(size: int) -> str:
    """Return a size such as `546.1 KiB`."""
    value = float(size)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":  # noqa: PLR2004 - bytes in a KiB
            break
        value /= 1024
    return f"{size:,} B" if unit == "B" else f"{value:,.1f} {unit}"


def is_text(text: str) -> bool:
    """Whether it can be written: a terminal or JSON may hand on half a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def on_one_line(text: str) -> str:
    """Return a text on one line: a name may be what somebody else chose."""
    return text.replace("\n", "\\n")


def shortened(text: str, most: int = ECHO_CHARS) -> str:
    """Return what was typed, cut where it would fill the screen."""
    return text if len(text) <= most else f"{text[:most]}..."


class Style:
    """Dresses text, and keeps the text itself from commanding the terminal."""

    def __init__(self, *, colour: bool = False) -> None:
        self._colour = colour

    @staticmethod
    def clean(text: str) -> str:
        """Return text with control characters made visible."""
        return text if text.isprintable() else text.translate(_CONTROLS)

    def quote(self, sentence: str) -> str:
        """Return a sentence of a note on one line, cut if it is too long."""
        return self.clean(shortened(" ".join(sentence.split()), SENTENCE_CHARS))

    def strong(self, text: str) -> str:
        """Return text that stands out."""
        return self._dressed(BOLD, text)

    def faint(self, text: str) -> str:
        """Return text that steps back."""
        return self._dressed(FAINT, text)

    def mark(self, text: str) -> str:
        """Return a matched word, told from the rest even without colours."""
        return self._dressed(BOLD, text) if self._colour else f"**{self.clean(text)}**"

    def state(self, state: str, text: str = "") -> str:
        """Return one of `ok`, `warn` and `fail`, or a text in its colour."""
        return self._dressed(STATES[state], text or state)

    def _dressed(self, code: str, text: str) -> str:
        shown = self.clean(text)
        return f"{code}{shown}{RESET}" if self._colour and shown else shown
