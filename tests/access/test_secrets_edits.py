"""Edits by agents around credentials that they are not shown."""

from typing import Any

import pytest
from http_harness import Web, serving
from secrets_harness import ISSUED, Drawing, pem
from vault_harness import VaultHarness

from glassmind import Engine
from glassmind.edit.vault import EditRequest
from glassmind.errors import EditRefused, HiddenWords, NoMatch
from glassmind.model.access import EVERY_AGENT
from glassmind.model.edits import Append, AtLine, ChangeProperty, Replace, TextEdit
from glassmind.obsidian.secrets import hidden_ranges

DRAW = Drawing(5)
TOKEN, KEY = ISSUED["GitHub classic"](DRAW), pem(DRAW)
NOTE = (
    f"---\ntoken: {TOKEN}\nstatus: old\n---\n# Gate\n\n"
    f"It opens with {TOKEN} at night.\n\n{KEY}\n\nThe end.\n"
)
ID, SECRET = ISSUED["AWS key"](DRAW), DRAW.coded(40)
BEARER, PASSWORD, OTHER = DRAW.alnum(30), DRAW.alnum(14), DRAW.coded(60)
ONE_TIME, HOOK = (
    DRAW.of("ABCDEFGHIJKL234567", 24),
    f"T0{DRAW.alnum(8)}/B0{DRAW.alnum(30)}",
)
TOLD = {
    "Authorization: Bearer": f"Authorization: Bearer {BEARER}",
    "postgres://ada:": f"At postgres://ada:{PASSWORD}@there/x",
    "@dbhost": f"And postgres://eve:{PASSWORD}x@dbhost/x",
    "otpauth://": f"otpauth://totp/a?secret={ONE_TIME}",
    "AccountKey=": f"AccountKey={OTHER}",
    "https://hooks.slack.com/services/": f"https://hooks.slack.com/services/{HOOK}",
    "tok ": f"tok {TOKEN}",
    "Aws secret ": f"{ID}\nAws secret {SECRET}",
}
"""Credentials that are told by words before or behind them."""

SHOWN = "It opens with (hidden: GitHub token) at night."
AGENT = EditRequest("agent")


@pytest.fixture
def gate(vault: VaultHarness) -> VaultHarness:
    vault.open(writes__mode="allow", writes__user_notes="allow")
    vault.indexed({"Gate.md": NOTE, "Other.md": "# Other\n"})
    return vault


@pytest.fixture
def agent(gate: VaultHarness) -> Engine:
    return gate.engine.seen_by(EVERY_AGENT)


def test_what_was_read_redacted_is_not_replaced_and_the_error_says_why(
    gate: VaultHarness, agent: Engine
) -> None:
    assert SHOWN in agent.read("Gate.md").text

    with pytest.raises(HiddenWords, match="stands in the place of a credential"):
        agent.editing.edit("Gate.md", [Replace(SHOWN, "It is open.")], AGENT)

    assert gate.text("Gate.md") == NOTE


@pytest.mark.parametrize(
    "edit",
    [
        AtLine(7, SHOWN.replace("night", "noon"), "replace"),
        Append(SHOWN),
        Replace("The end.", "(hidden: private key)"),
        ChangeProperty("token", "set", "(hidden: GitHub token)"),
    ],
)
def test_what_stands_for_a_credential_is_never_written_into_a_note(
    gate: VaultHarness, agent: Engine, edit: Any
) -> None:
    with pytest.raises(HiddenWords, match="do not write it"):
        agent.editing.edit("Gate.md", [edit], AGENT)

    assert gate.text("Gate.md") == NOTE


def test_words_beside_a_credential_are_edited_and_it_stays(
    gate: VaultHarness, agent: Engine
) -> None:
    edits: list[TextEdit] = [
        Replace("at night", "at noon"),
        ChangeProperty("status", "set", "new"),
        Append("More."),
    ]

    done = agent.editing.edit("Gate.md", edits, AGENT)

    text = gate.text("Gate.md")
    assert f"It opens with {TOKEN} at noon." in text
    assert f"token: {TOKEN}\nstatus: new\n" in text
    assert KEY in text
    shown = "".join(file.diff for file in done.files)
    assert "-It opens with (hidden: GitHub token) at night." in shown
    assert TOKEN not in shown


def test_nobody_finds_out_a_credential_by_trying_its_letters(
    agent: Engine,
) -> None:
    asking = AGENT._replace(dry_run=True)

    for right, wrong in (
        (TOKEN[:12], TOKEN[:11] + "#"),
        (KEY.split("\n")[2], "#" * 64),
    ):
        said = []
        for guess in (right, wrong):
            with pytest.raises(NoMatch) as refused:
                agent.editing.edit("Gate.md", [Replace(guess, "x")], asking)
            said.append(type(refused.value))
            assert TOKEN[5:15] not in str(refused.value).replace(guess, "")
        assert said[0] is said[1]


def test_lines_of_a_key_in_a_diff_are_hidden_also_without_its_ends(
    agent: Engine,
) -> None:
    line = NOTE.split("\n").index(KEY.split("\n")[3]) + 1

    asking = AGENT._replace(dry_run=True)
    done = agent.editing.edit("Gate.md", [AtLine(line, "gone", "replace")], asking)

    assert "-(hidden: private key)" in done.files[0].diff
    assert not [one for one in KEY.split("\n")[1:-1] if one in done.files[0].diff]


@pytest.mark.parametrize("mode", ["propose", "allow"])
def test_words_that_tell_a_credential_are_not_taken_from_it(
    vault: VaultHarness, mode: str
) -> None:
    vault.open(writes__mode="allow", writes__user_notes=mode)
    text = "# Told\n\n" + "\n\n".join(TOLD.values()) + "\n"
    vault.indexed({"Told.md": text})
    agent = vault.engine.seen_by(EVERY_AGENT)

    for words in TOLD:
        new = f"{words[:-1]}x" if words.endswith(" ") else "foo"
        for dry_run in (True, False):
            asking = EditRequest("agent", dry_run=dry_run)
            with pytest.raises(HiddenWords) as refused:
                agent.editing.edit("Told.md", [Replace(words, new)], asking)
            assert not _values_in(str(refused.value))

    assert vault.text("Told.md") == text
    assert not agent.editing.changesets().changesets


def _values_in(said: str) -> list[str]:
    values = [BEARER, PASSWORD, OTHER, ONE_TIME, HOOK, TOKEN, SECRET, ID]
    return [value for value in (*values, *KEY.split("\n")[1:-1]) if value[4:16] in said]


def test_a_key_does_not_lose_its_ends_and_goes_only_as_a_whole(
    gate: VaultHarness, agent: Engine
) -> None:
    first = NOTE.split("\n").index(KEY.split("\n")[0]) + 1
    last = first + KEY.count("\n")
    ends: list[TextEdit] = [AtLine(first, "a", "replace"), AtLine(last, "b", "replace")]

    with pytest.raises(HiddenWords):
        agent.editing.edit("Gate.md", ends, AGENT)
    assert gate.text("Gate.md") == NOTE

    gone = [AtLine(line, "-", "replace") for line in range(first + 1, last)]
    agent.editing.edit("Gate.md", [*gone, *ends], AGENT)
    agent.editing.edit("Gate.md", [AtLine(7, "It is open.", "replace")], AGENT)

    assert "It is open." in gate.text("Gate.md")
    assert not _values_in(gate.text("Gate.md").replace(f"token: {TOKEN}", ""))


def test_the_id_beside_a_secret_stays_where_it_is_or_both_go(
    vault: VaultHarness,
) -> None:
    vault.open(writes__mode="allow", writes__user_notes="allow")
    text = f"# Aws\n\n{ID}\n\n{SECRET}\n\nThe end.\n"
    vault.indexed({"Aws.md": text})
    agent = vault.engine.seen_by(EVERY_AGENT)

    far = AtLine(4, "\n\n\n\n", "before")
    for edits in ([AtLine(3, "no", "replace")], [far]):
        with pytest.raises(HiddenWords):
            agent.editing.edit("Aws.md", edits, AGENT)
    assert vault.text("Aws.md") == text

    both: list[TextEdit] = [AtLine(3, "a", "replace"), AtLine(5, "b", "replace")]
    agent.editing.edit("Aws.md", both, AGENT)

    assert vault.text("Aws.md") == "# Aws\n\na\n\nb\n\nThe end.\n"


def test_parting_merging_and_undoing_show_no_credential_either(
    vault: VaultHarness,
) -> None:
    vault.open(writes__mode="allow", writes__user_notes="allow")
    notes = {
        "Parts.md": f"# Parts\n\n{ID}\n## Second\n\n{SECRET}\n",
        "From.md": f"---\nid: {ID}\nsecret: {SECRET}\n---\n# From\n",
        "Into.md": "---\nid: mine\n---\n# Into\n",
        "Undone.md": f"# Undone\n\nThe word {BEARER}\n",
    }
    vault.indexed(notes)
    vault.engine.editing.edit(
        "Undone.md", [Replace("The word", "Authorization: Bearer")], EditRequest("cli")
    )
    editing = vault.engine.seen_by(EVERY_AGENT).editing
    (known,) = editing.changesets().changesets
    before = {name: vault.text(name) for name in notes}

    for dry_run in (True, False):
        asking = EditRequest("agent", dry_run=dry_run)
        with pytest.raises(HiddenWords):
            editing.split("Parts.md", asking, heading="Second")
        with pytest.raises(HiddenWords):
            editing.merge("From.md", "Into.md", asking, confirm=True)
        with pytest.raises(HiddenWords):
            editing.undo(known.id, asking)

    assert {name: vault.text(name) for name in notes} == before
    shown = "".join(file.diff for file in editing.show(known.id).files)
    assert "-The word (hidden)" in shown
    assert not _values_in(shown)


def test_a_diff_hides_on_both_sides_what_one_of_them_tells(gate: VaultHarness) -> None:
    edits = [Replace("opens with ", "opens withx")]

    done = gate.engine.editing.edit("Gate.md", edits, EditRequest("cli"))

    assert f"withx{TOKEN}" in gate.text("Gate.md")
    assert "+It opens withx(hidden) at night." in done.files[0].diff
    assert not _values_in(done.files[0].diff)


def test_headings_are_looked_for_as_they_were_shown(vault: VaultHarness) -> None:
    vault.open(writes__mode="allow", writes__user_notes="allow")
    text = f"# Doors\n\n## Key of the northern harbour {TOKEN}\n\nIn.\n\n## Out\n"
    vault.indexed({"Doors.md": text})
    editing = vault.engine.seen_by(EVERY_AGENT).editing
    heading = f"Key of the northern harbour {TOKEN}"

    for guess in (heading, f"{heading[:-1]}x", heading[:-30]):
        with pytest.raises(NoMatch) as one:
            editing.rename_heading("Doors.md", guess, "Far", AGENT, index=None)
        with pytest.raises(NoMatch) as other:
            editing.split("Doors.md", AGENT, heading=guess)
        for refused in (one, other):
            _, _, nearest = str(refused.value).partition("nearest are")
            assert "harbour (hidden)" in nearest
            assert not _values_in(nearest)
    with pytest.raises(HiddenWords):
        editing.split("Doors.md", AGENT, level=2)

    editing.rename_heading("Doors.md", "Out", "Far", AGENT, index=None)
    assert vault.text("Doors.md") == text.replace("Out", "Far")


def test_no_edit_is_made_on_what_was_not_shown(vault: VaultHarness) -> None:
    vault.open(writes__mode="allow", writes__user_notes="allow")
    long = ISSUED["GitHub fine-grained"](DRAW)
    vault.indexed({"Keys.md": f"---\n{TOKEN}: 1\n{long}: 2\n---\n# Keys\n\n{long}\n"})
    agent = vault.engine.seen_by(EVERY_AGENT)
    right, wrong = long[:16], f"{long[:15]}#"

    for note, first in (
        ("Keys.md", ChangeProperty("status", "set", "new")),
        ("Keys.md", Append("More.")),
    ):
        tried = [
            [first, *more, Replace(guess, "x")]
            for guess in (right, wrong)
            for more in ([], [Append(guess)])
        ]
        said = [_outcome(agent, note, edits) for edits in tried]
        assert said[:2] == said[2:] == [NoMatch, None]


def _outcome(agent: Engine, note: str, edits: list[Any]) -> type | None:
    try:
        agent.editing.edit(note, edits, AGENT._replace(dry_run=True))
    except EditRefused as error:
        refused = error
    else:
        return None
    assert "hidden-" not in str(refused)
    return type(refused)


def test_where_letters_are_hidden_is_told_to_the_letter() -> None:
    text = f"a {TOKEN}.{TOKEN} b\n(hidden: AWS key)\n{TOKEN}\n  {KEY}\n"

    found = [text[start:end] for start, end in hidden_ranges(text)]

    assert found[:3] == [TOKEN, TOKEN, TOKEN]
    assert found[3:] == KEY.split("\n")


def test_over_http_the_refusal_is_a_sentence(gate: VaultHarness) -> None:
    edits = [
        {"op": "replace", "find": SHOWN, "text": "open"},
        {"op": "replace", "find": "opens with ", "text": "opens withx"},
    ]

    with serving(gate.engine) as web:
        answers = [_edit(web, [edit]) for edit in edits]

    for answer in answers:
        assert answer.status == 422
        assert answer.json["error"]["code"] == "hidden_words"
        assert "credential that is not shown" in answer.json["error"]["message"]
        assert not _values_in(str(answer.json))
    assert gate.text("Gate.md") == NOTE


def _edit(web: Web, edits: list[dict[str, Any]]) -> Any:
    return web.post("/edit", {"name": "Gate.md", "edits": edits})


def test_the_owner_edits_what_he_sees(gate: VaultHarness) -> None:
    gate.engine.editing.edit(
        "Gate.md", [Replace(TOKEN + " at", "X at")], EditRequest("cli")
    )

    assert "It opens with X at night." in gate.text("Gate.md")
