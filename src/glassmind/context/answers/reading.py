"""The answer of a model, read while it is written.

A model is to write one JSON object, and many write more or less than that: words or a
fence around it, properties in another order, an end in the middle. So what is looked
for is any object that has a `text`. Its letters are given as they come where the quote
that bears it out is known by then, and else when it is whole. What a model thinks aloud
between `<think>` and `</think>` is no answer.
"""

import re
from collections.abc import Callable, Generator
from typing import NamedTuple, TypeAlias

MOST_TEXT = 1_500
"""Letters of a statement, which is to be a short sentence: small models say one thing
over and over until they are stopped."""

MOST_STRING = 4_000
"""Letters of a quote, and of whatever else is written."""

DEEPEST = 16
"""Objects in objects that are looked into; ours has two."""

_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_UNREADABLE = "\ufffd"
_HIGH, _LOW, _OVER = 0xD800, 0xDC00, 0xE000
"""Where the units of UTF-16 begin that are the first half of a letter, the second, and
those after them."""

_BEYOND = 0x10000
_HEX = frozenset("0123456789abcdefABCDEF")
_BEGUN, _MARK = re.compile(r" ?\[[0-9]{0,2}"), re.compile(r" ?\[[0-9]{1,2}\]")
_NUMBER = re.compile(r"(?<![0-9.-])[0-9]{1,6}(?![0-9])")
_OPENS, _SHUTS = ("<think>", "<thinking>"), ("</think>", "</thinking>")
_TAG_CHARS = max(map(len, _SHUTS))


class Known(NamedTuple):
    """The quote of a statement, before the first of its letters; and its source."""

    source: int | None
    quote: str


class Letters(NamedTuple):
    """Letters of the statement whose quote is known."""

    text: str


class Claim(NamedTuple):
    """A whole statement of a model, its blanks made plain, before anybody checks it."""

    source: int | None
    quote: str
    text: str


class Thought(NamedTuple):
    """All that came before was thought aloud, which only its end tells."""


Event: TypeAlias = Known | Letters | Claim | Thought

_Steps: TypeAlias = Generator[None, str, None]


class _Odd(Exception):
    """What comes is no JSON; it is looked for anew from here."""


class _Endless(_Odd):
    """What comes is longer than anything has to be."""


class _Object:
    """What is known of an object so far."""

    def __init__(self) -> None:
        self.source: int | None = None
        self.quote: str | None = None
        self.text = ""
        self.has_source = self.is_whole = self.is_open = False
        self._held, self._has_skipped = "", False

    def put(self, letter: str) -> str:
        """Return what a letter adds to the text.

        A blank is told by the letter behind it. Numbers of sources are left out, such
        as ` [1]`: they are not what was checked.
        """
        if letter.isspace():
            added = self._flushed() if self._held.strip() else ""
            self._held = " "
            return added
        if self._has_skipped and letter.isalnum():
            self._held = self._held or " "
        self._has_skipped = False
        held = self._held + letter
        last = self.text[-1:]
        touches = held[0] == "[" and (last.isalnum() or last == "[")  # as in a[1]
        if _BEGUN.fullmatch(held) and not touches:
            self._held = held
            return ""
        if _MARK.fullmatch(held):
            self._held, self._has_skipped = "", True
            return ""
        return self._flushed() + self.put(letter) if self._held else self._added(letter)

    def close(self) -> str:
        """Return what is left once the text is whole."""
        self.is_whole = True
        return self._flushed() if self._held.strip() else ""

    def _flushed(self) -> str:
        held, self._held = self._held, ""
        return self._added(held if self.text else held.lstrip())

    def _added(self, letters: str) -> str:
        self.text += letters
        if len(self.text) > MOST_TEXT:
            raise _Endless
        return letters


class Reader:
    """Reads an answer in pieces of any size."""

    def __init__(self) -> None:
        self.says_nothing = False
        """Whether the list of statements came, and was empty."""
        self.is_endless = False
        """Whether something was longer than it has to be."""
        self._events: list[Event] = []
        self._letter = ""
        self._steps = self._anywhere()
        next(self._steps)

    def feed(self, piece: str) -> list[Event]:
        """Return what is known since the piece before."""
        for letter in piece:
            self._steps.send(letter)
        return self._taken()

    def end(self) -> list[Event]:
        """Return what is whole although the answer ends; nothing is read after it."""
        self._steps.close()
        return self._taken()

    def _taken(self) -> list[Event]:
        taken, self._events = self._events, []
        return taken

    def _anywhere(self) -> _Steps:
        """Look for objects, whatever stands around them."""
        last = ""
        self._letter = yield
        while True:
            if self._letter != "{":
                last = (last + self._letter.lower())[-_TAG_CHARS:]
                if last.endswith(_OPENS):
                    yield from self._thought()
                    last = ""
                elif last.endswith(_SHUTS):
                    self.says_nothing = self.is_endless = False
                    self._say(Thought())
                self._letter = yield
                continue
            try:
                yield from self._object(0)
            except _Odd as odd:  # it goes on from the letter that was
                self.is_endless |= isinstance(odd, _Endless)

    def _thought(self) -> _Steps:
        """Pass over what is thought aloud, whatever stands there."""
        last = ""
        while not last.endswith(_SHUTS):
            self._letter = yield
            last = (last + self._letter.lower())[-_TAG_CHARS:]

    def _object(self, depth: int) -> _Steps:
        found = _Object()
        try:
            self._letter = yield
            yield from self._blanks()
            while self._letter != "}":
                yield from self._member(found, depth)
                yield from self._blanks()
                if self._letter == ",":
                    self._letter = yield
                    yield from self._blanks()
                elif self._letter != "}":
                    raise _Odd
            self._letter = ""
        finally:  # also where it is cut or goes on oddly: a whole text is whole
            if found.is_whole and found.text:
                self._say(Claim(found.source, found.quote or "", found.text))
        self._letter = yield

    def _member(self, found: _Object, depth: int) -> _Steps:
        name: list[str] = []
        yield from self._string(name.append)
        yield from self._blanks()
        if self._letter != ":":
            raise _Odd
        self._letter = yield
        yield from self._blanks()
        key = "".join(name)
        if self._letter == '"' and key == "text" and not found.is_open:
            yield from self._text(found)
            return
        value: list[str] = []
        yield from self._value(value.append, depth, key)
        if key == "source" and not found.has_source:
            number = _NUMBER.search("".join(value))
            found.has_source, found.source = True, number and int(number[0])
        elif key == "quote" and found.quote is None:
            found.quote = "".join(value)

    def _text(self, found: _Object) -> _Steps:
        found.is_open = True
        speaks = found.has_source and found.quote is not None
        if speaks:
            self._say(Known(found.source, found.quote or ""))

        def say(added: str) -> None:
            if speaks and added:
                self._say(Letters(added))

        yield from self._string(
            lambda letter: say(found.put(letter)), lambda: say(found.close())
        )

    def _value(self, put: Callable[[str], None], depth: int, key: str = "") -> _Steps:
        match self._letter:
            case '"':
                yield from self._string(put)
            case "{" if depth < DEEPEST:
                yield from self._object(depth + 1)
            case "[" if depth < DEEPEST:
                yield from self._array(depth + 1, key)
            case _:
                yield from self._literal(put)

    def _array(self, depth: int, key: str) -> _Steps:
        self._letter = yield
        yield from self._blanks()
        if self._letter == "]" and key == "statements":
            self.says_nothing = True
        while self._letter != "]":
            yield from self._value(_unheard, depth)
            yield from self._blanks()
            if self._letter == ",":
                self._letter = yield
                yield from self._blanks()
            elif self._letter != "]":
                raise _Odd
        self._letter = yield

    def _literal(self, put: Callable[[str], None]) -> _Steps:
        if not (self._letter.isalnum() or self._letter in "+-."):
            raise _Odd
        while self._letter.isalnum() or self._letter in "+-.":
            put(self._letter)
            self._letter = yield

    def _blanks(self) -> _Steps:
        while self._letter.isspace():
            self._letter = yield

    def _string(
        self, put: Callable[[str], None], close: Callable[[], None] | None = None
    ) -> _Steps:
        """Read a string; halves of a pair wait for each other."""
        if self._letter != '"':
            raise _Odd
        units = _Units(put)
        self._letter = yield
        while self._letter != '"':
            if self._letter != "\\":
                units.put(self._letter)
            else:
                self._letter = yield
                if self._letter == "u":
                    yield from self._code(units)
                    continue
                units.put(_ESCAPES.get(self._letter, self._letter))
            self._letter = yield
        units.end()
        if close is not None:
            close()
        self._letter = yield

    def _code(self, units: "_Units") -> _Steps:
        digits = ""
        self._letter = yield
        while self._letter in _HEX:
            digits += self._letter
            if len(digits) == 4:  # noqa: PLR2004 - of a unit of UTF-16
                units.put(chr(int(digits, 16)))
                self._letter = yield
                return
            self._letter = yield
        units.put(_UNREADABLE)

    def _say(self, event: Event) -> None:
        last = self._events[-1] if self._events else None
        if isinstance(event, Letters) and isinstance(last, Letters):
            self._events[-1] = Letters(last.text + event.text)
        else:
            self._events.append(event)


class _Units:
    """Units of UTF-16 on their way to being letters."""

    def __init__(self, put: Callable[[str], None]) -> None:
        self._put, self._high, self._count = put, 0, 0

    def put(self, unit: str) -> None:
        """Take a letter, or half of one."""
        self._count += 1
        if self._count > MOST_STRING:
            raise _Endless
        code = ord(unit)
        high, self._high = self._high, 0
        if high and _LOW <= code < _OVER:
            self._put(chr(_BEYOND + ((high - _HIGH) << 10) + code - _LOW))
            return
        if high:
            self._put(_UNREADABLE)
        if _HIGH <= code < _LOW:
            self._high = code
        else:
            self._put(_UNREADABLE if _LOW <= code < _OVER else unit)

    def end(self) -> None:
        """Take it that nothing follows."""
        if self._high:
            self._put(_UNREADABLE)
            self._high = 0


def _unheard(_: str) -> None:
    """Take what nobody asks for."""
