"""Edits by agents around credentials that they are not shown."""

from typing import Any

import pytest
from http_desk import Web, serving
from secrets_desk import ISSUED, Drawing, pem
from vault_desk import VaultDesk

from glassmind import Engine
from glassmind.editing.asking import Asking
from glassmind.errors.editing import HiddenWords, NoMatch
from glassmind.types.access import EVERY_AGENT
from glassmind.types.editing import (
    Append,
    AtLine,
    ChangeProperty,
    Replace,
    TextEdit,
)

DRAW = Drawing(5)
TOKEN, KEY = ISSUED["GitHub classic"](DRAW), pem(DRAW)
NOTE = (
    f"---\ntoken: {TOKEN}\nstatus: old\n---\n# Gate\n\n"
    f"It opens with {TOKEN} at night.\n\n{KEY}\n\nThe end.\n"
)
SHOWN = "It opens with (hidden: GitHub token) at night."
AGENT = Asking("agent")


@pytest.fixture
def gate(vault: VaultDesk) -> VaultDesk:
    vault.open(writes__mode="allow", writes__user_notes="allow")
    vault.indexed({"Gate.md": NOTE, "Other.md": "# Other\n"})
    return vault


@pytest.fixture
def agent(gate: VaultDesk) -> Engine:
    return gate.engine.seen_by(EVERY_AGENT)


def test_what_was_read_redacted_is_not_replaced_and_the_error_says_why(
    gate: VaultDesk, agent: Engine
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
    gate: VaultDesk, agent: Engine, edit: Any
) -> None:
    with pytest.raises(HiddenWords, match="do not write it"):
        agent.editing.edit("Gate.md", [edit], AGENT)

    assert gate.text("Gate.md") == NOTE


def test_words_beside_a_credential_are_edited_and_it_stays(
    gate: VaultDesk, agent: Engine
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


def test_over_http_the_refusal_is_a_sentence(gate: VaultDesk) -> None:
    edits = [{"op": "replace", "find": SHOWN, "text": "open"}]

    with serving(gate.engine) as web:
        answer = _edit(web, edits)

    assert answer.status == 422
    assert "credential that is not shown" in answer.json["error"]["message"]
    assert gate.text("Gate.md") == NOTE


def _edit(web: Web, edits: list[dict[str, Any]]) -> Any:
    return web.post("/edit", {"note": "Gate.md", "edits": edits})


def test_the_owner_edits_what_he_sees(gate: VaultDesk) -> None:
    gate.engine.editing.edit("Gate.md", [Replace(TOKEN + " at", "X at")], Asking("cli"))

    assert "It opens with X at night." in gate.text("Gate.md")
