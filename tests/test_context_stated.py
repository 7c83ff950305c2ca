"""What a note states is found, although most of its lines are never read."""

from hypothesis import given
from hypothesis import strategies as st

from glassmind.context.conflicts.claim_words import SPELLED, STATUS_OF, VERBS
from glassmind.context.conflicts.claims import claims_in_line, claims_of

THINGS = ("The kiln", "Rent", "[[Acme]]", "[[Trip 2]]", "Our `mill`", "Müller's roof")
NUMBERS = ("80 kg", "900 EUR", "2026-03-01", "6:00", "v1.2", "Debian 12", "5")
LEADS = ("", "- ", "1. ", "  * ", "> [!note] ", "- [ ] ", "\t- ")
FILLING = ("", "A line that says nothing.", "See [[Acme]] and [[Trip 2]].")

things = st.sampled_from(THINGS)
verbs = st.sampled_from(sorted(VERBS))
spaces = st.sampled_from((" ", "\t", "\u00a0"))


@st.composite
def sentences(draw: st.DrawFn) -> str:
    """Return a thing, a verb and a number, with any blanks and marks around them."""
    verb, space = draw(verbs), draw(spaces)
    words = [draw(things), verb.title() if draw(st.booleans()) else verb]
    struck = draw(st.sampled_from(("", "~~4 kg~~ ", "%%so%%")))
    return space.join([*words, struck + draw(st.sampled_from(NUMBERS))])


@given(sentences(), st.sampled_from(LEADS), st.lists(st.sampled_from(FILLING)))
def test_a_number_behind_a_verb_is_read_wherever_it_stands(
    sentence: str, lead: str, before: list[str]
) -> None:
    text = "\n".join([*before, lead + sentence])
    bare = sentence.replace("~~4 kg~~ ", "").replace("%%so%%", "")

    found = claims_of(text, text.split("\n"), 1)

    line = len(before) + 1
    assert found == tuple(claims_in_line(bare, line))


@given(things, st.sampled_from(("is", "are", "was", "ist")), st.data())
def test_how_far_a_thing_is_needs_no_number(
    thing: str, verb: str, drawn: st.DataObject
) -> None:
    told = drawn.draw(
        st.sampled_from(sorted({*STATUS_OF, *(f"{n} m" for n in SPELLED)}))
    )
    text = f"Before it.\n{thing} {verb} {told}\nBehind it."

    found = claims_of(text, text.split("\n"), 1)

    assert found == tuple(claims_in_line(f"{thing} {verb} {told}", 2))


@given(things, st.sampled_from(("Owner", "**Status**", "Led by", "Rent")), verbs)
def test_an_entry_needs_no_verb(thing: str, key: str, verb: str) -> None:
    text = f"{thing} {verb}\n{key}: 5 kg\n{verb}"

    found = [one for one in claims_of(text, text.split("\n"), 1) if one.line == 2]

    assert found == list(claims_in_line(f"{key}: 5 kg", 2))


def test_somebody_who_put_a_linked_thing_on_hold_needs_neither() -> None:
    lines = ["We have put the [[Mill]] on hold.", "Paused [[Roof]] today", "[[Mill]]"]

    found = claims_of("put", lines, 1)

    assert [(one.line, one.subject) for one in found] == [
        (1, "[[Mill]]"),
        (2, "[[Roof]]"),
    ]


def test_what_is_quoted_fenced_or_in_a_table_states_nothing() -> None:
    lines = ["> The kiln weighs 80 kg.", "```", "Rent: 5 EUR", "```", "| Rent: 5 EUR |"]
    lines += ["# Rent: 5 EUR", "    Rent: 5 EUR", "> [!note]", "> Rent: 7 EUR"]

    found = claims_of("quoted", lines, 1)

    assert [one.line for one in found] == [9]
