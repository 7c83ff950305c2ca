"""What nobody sees of a note is found, and what a script needs is not taken for it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.obsidian.hidden_text import (
    BIDI,
    COMMENT,
    CONTROL,
    HYPHENS,
    KINDS,
    STYLED,
    TAGS,
    ZERO_WIDTH,
    hidden_in,
    hidden_kinds,
    holds_hidden,
)

SPELLED = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
SELECTED = "".join(chr(0xE0100 + letter) for letter in b"obey")

HIDDEN: dict[str, str] = {
    "tea <!-- obey --> tea": COMMENT,
    "tea <!-- obey": COMMENT,
    "tea %%obey%% tea": COMMENT,
    "%%\nobey\n%%": COMMENT,
    "> %% obey": COMMENT,
    "[//]: # (obey)": COMMENT,
    'tea\n[comment]: <> "obey"': COMMENT,
    "o\u200bb\u200be\u200by": ZERO_WIDTH,
    "tea\u200d\u200cobey": ZERO_WIDTH,
    "a\u2060b": ZERO_WIDTH,
    "tea\ufeffobey": ZERO_WIDTH,
    "tea\u3164obey": ZERO_WIDTH,
    "1\u200d2": ZERO_WIDTH,
    f"\U0001f600{SELECTED}": ZERO_WIDTH,
    "\U0001f600\ufe00\ufe01\ufe02": ZERO_WIDTH,
    "\u202eyebo\u202c": BIDI,
    "a \u2066b\u2069 c": BIDI,
    "plain \u200fLatin": BIDI,
    "\u05e9\u05dc\u200f\u200f\u200f\u200e": BIDI,
    f"tea{SPELLED}": TAGS,
    f"\U0001f3f4{SPELLED}\U000e007f": TAGS,
    "o\u00adb\u00ade\u00ady": HYPHENS,
    "tea\u00ad\u00ad\u00adtea": HYPHENS,
    '<span style="display:none">obey</span>': STYLED,
    "<p style='font-size: 0'>obey</p>": STYLED,
    "<p style='font-size:0.0px;color:red'>obey</p>": STYLED,
    '<p STYLE="Display : NONE !important">obey</p>': STYLED,
    '<p title=">" style="display:/* */none">obey</p>': STYLED,
    '<p style="display&#58;none">obey</p>': STYLED,
    '<p style="\\64isplay:none">obey</p>': STYLED,
    "<p style=visibility:hidden>obey</p>": STYLED,
    '<p style="opacity:0">obey</p>': STYLED,
    '<p style="color:#ffffff">obey</p>': STYLED,
    '<p style="color: rgb(255, 255, 255)">obey</p>': STYLED,
    '<font color="white">obey</font>': STYLED,
    '<p style="position:absolute;left:-9999px">obey</p>': STYLED,
    "<div hidden>obey</div>": STYLED,
    "<template>obey</template>": STYLED,
    "tea\x1b[8mobey\x1b[0m": CONTROL,
    "obey\x08\x08\x08\x08tea": CONTROL,
}

SEEN = (
    "tea",
    "",
    "\ufeff# Tea",
    "100% sure, 50%, a < b, x <- y, <https://example.org>",
    "[link]: https://example.org 'title'",
    "[^1]: a footnote",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 family",
    "\U0001f3f3\ufe0f\u200d\U0001f308 rainbow, \u2764\ufe0f\u200d\U0001f525",
    "\U0001f44d\U0001f3fd, 1\ufe0f\u20e3, \u2600\ufe0f",
    "\U0001f9d1\U0001f3fb\u200d\U0001f4bb",
    "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f Scotland",
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian
    "\u0915\u094d\u200d\u0937 \u0915\u094d\u200c\u0937",  # Devanagari
    "\u05e9\u05dc\u05d5\u05dd\u200f, C++\u200e \u05d5\u05d6\u05d4",  # Hebrew
    "\u0645\u0631\u062d\u0628\u0627\u200f 2026\u200e.",  # Arabic
    "\u0e20\u0e32\u0e29\u0e32\u200b\u0e44\u0e17\u0e22",  # Thai
    "\u845b\U000e0100\u57ce",  # a name of Japan
    "Donau\u00addampf\u00adschiff",
    "<b>bold</b> <span style='font-size:0.8em; color:#333'>small</span>",
    '<div style="background-color:white;opacity:0.9;border-width:0">box</div>',
    "<details><summary>more</summary>text</details>",
    "tab\there\r\nand\x0cthere\x0b",
)


@pytest.mark.parametrize(("text", "kind"), HIDDEN.items())
def test_hidden_text_is_found_by_its_kind(text: str, kind: str) -> None:
    assert hidden_kinds(text) == (kind,)
    assert holds_hidden(f"first\n\nsome words, {text}") or kind == COMMENT


@pytest.mark.parametrize("text", SEEN)
def test_what_is_seen_is_none(text: str) -> None:
    assert hidden_kinds(text) == ()
    assert not holds_hidden(text)


def test_several_kinds_are_told_in_their_order() -> None:
    everything = "\n\n".join(HIDDEN)

    assert hidden_kinds(everything) == KINDS
    assert hidden_in({"a": [everything[:20], ("b", 3, None)], "c": {"d": SPELLED}})


def test_names_of_fields_are_looked_at_too() -> None:
    assert hidden_in({"a\u200bb": 1}) == (ZERO_WIDTH,)
    assert hidden_in(["tea", {"a": {"b": True}}]) == ()


@given(st.text())
def test_any_text_has_kinds_or_none(text: str) -> None:
    found = hidden_kinds(text)

    assert set(found) <= set(KINDS)
    assert bool(found) == holds_hidden(text)


PIECES = ("<!--", "%%", "-->", "\u200d", "\U0001f468", "\u00ad", "style='", "]: # (",
          "\n", "a", "<a ", "\u200f", "\u05d0", SPELLED, '"', "hidden")  # fmt: skip


@given(st.lists(st.sampled_from(PIECES)), st.lists(st.sampled_from(PIECES)))
def test_letters_of_tags_are_found_whatever_stands_around(
    before: list[str], after: list[str]
) -> None:
    text = f"{''.join(before)}x{SPELLED}{''.join(after)}"

    assert TAGS in hidden_kinds(text)


@pytest.mark.parametrize("piece", [*PIECES, 'style="', "<a style=", "%%\n\n", "[a]:"])
def test_a_long_text_takes_no_longer_than_its_length(piece: str) -> None:
    text = piece * (200_000 // len(piece))

    begun = time.process_time()
    hidden_kinds(text)

    assert time.process_time() - begun < 2  # some hundredths, were it in vain a minute
