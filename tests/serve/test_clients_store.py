"""The file of clients: no token in it, its owner's alone, one writer at a time."""

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from glassmind.access.clients import Clients, digest_of
from glassmind.access.scopes import read_scope
from glassmind.errors import (
    AccessFault,
    ClientsUnreadable,
    ClientUnknown,
)
from glassmind.model.access import EVERY_AGENT

WORK = read_scope(["folder:Work", "-#diary", "toolset:core"])

ROW = (
    b'{"format": 1, "clients": [{"name": "a", "scope": [%s], "created": "",'
    b' "sha256": "%s"}]}'
)


@pytest.fixture
def clients(tmp_path: Path) -> Clients:
    return Clients(tmp_path / "Notes" / "clients.json")


def test_a_token_is_told_once_and_only_its_digest_is_kept(clients: Clients) -> None:
    made, token = clients.add("editor", WORK)

    kept = clients.file.read_text("utf-8")
    assert token not in kept
    assert digest_of(token.encode()) in kept
    assert len(token) == 46  # gm_, and 256 bits
    assert made.scope == WORK._replace(client="editor")
    assert stat.S_IMODE(clients.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(clients.file.parent.stat().st_mode) == 0o700
    beside = sorted(file.name for file in clients.file.parent.iterdir())
    assert beside == ["clients.json", "clients.lock"]


def test_a_token_is_its_holders_until_it_is_revoked(clients: Clients) -> None:
    running = Clients(clients.file)
    _, first = clients.add("editor", WORK)
    _, second = clients.add("reader", EVERY_AGENT)

    held = running.holder(first.encode())
    assert held is not None
    assert (held.name, held.scope.rules) == ("editor", WORK.rules)
    assert running.holder(b"gm_wrong") is None
    assert running.holder(b"") is None

    clients.revoke("Editor")

    assert running.holder(first.encode()) is None
    assert running.holder(second.encode()) is not None


def test_every_digest_is_compared_whichever_fits(
    clients: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = [clients.add(name, EVERY_AGENT)[1] for name in ("a", "b", "c")]
    compared: list[str] = []

    def compare(kept: str, shown: str) -> bool:
        compared.append(kept)
        return kept == shown

    monkeypatch.setattr("glassmind.access.clients.hmac.compare_digest", compare)
    for token in (*tokens, "gm_unknown"):
        clients.holder(token.encode())

    assert len(compared) == 12


def test_a_scope_can_be_changed_and_the_token_stays(clients: Clients) -> None:
    running, (_, token) = Clients(clients.file), clients.add("editor", WORK)

    clients.change("editor", read_scope(["#public"]))

    held = running.holder(token.encode())
    assert held is not None
    assert held.scope == read_scope(["#public"])._replace(client="editor")


def test_a_name_is_one_clients_and_can_be_told_from_others(clients: Clients) -> None:
    clients.add("Claude Code", EVERY_AGENT)

    with pytest.raises(AccessFault):
        clients.add("claude code", EVERY_AGENT)
    with pytest.raises(ClientUnknown, match="did you mean Claude Code"):
        clients.named("claud code")
    with pytest.raises(ClientUnknown, match="clients list"):
        clients.revoke("zebra")
    for name in ("", " ", "two\nlines", "wide\u200b", "x" * 61, "--name"):
        with pytest.raises(AccessFault):
            clients.add(name, EVERY_AGENT)
    assert [one.name for one in clients.all()] == ["Claude Code"]


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"[]",
        b'{"format": 2, "clients": []}',
        b'{"format": 1, "clients": [{}]}',
        ROW % (b'"odd:x"', b"0" * 64),
        ROW % (b"", b""),
    ],
)
def test_a_file_that_cannot_be_read_lets_nobody_in_and_is_not_written_over(
    clients: Clients, broken: bytes
) -> None:
    clients.add("editor", WORK)
    clients.file.write_bytes(broken)

    with pytest.raises(ClientsUnreadable, match="every client is refused"):
        clients.holder(b"")
    with pytest.raises(ClientsUnreadable):
        clients.add("reader", EVERY_AGENT)

    assert clients.file.read_bytes() == broken


def test_a_file_that_others_may_write_or_a_link_to_one_is_not_believed(
    clients: Clients, tmp_path: Path
) -> None:
    clients.add("editor", WORK)
    clients.file.chmod(0o620)
    with pytest.raises(ClientsUnreadable, match="chmod 600"):
        clients.all()

    clients.file.chmod(0o600)
    clients.file.rename(tmp_path / "elsewhere")
    clients.file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ClientsUnreadable):
        clients.all()


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(AccessFault, match="nothing was changed"):
        Clients(tmp_path / "file" / "clients.json").add("editor", WORK)


def test_the_day_of_last_use_is_kept_apart_and_written_once_a_day(
    tmp_path: Path,
) -> None:
    clock = [0.0]
    clients = Clients(tmp_path / "clients.json", now=lambda: clock[0])
    made, _ = clients.add("editor", WORK)
    before = clients.file.stat()

    clients.note_use(made)
    first = (tmp_path / "clients-used.json").stat()
    clients.note_use(made)
    assert (tmp_path / "clients-used.json").stat() == first
    clock[0] = 86_400.0
    clients.note_use(made)

    assert [one.used for one in clients.used()] == ["1970-01-02"]
    assert clients.file.stat() == before
    assert stat.S_IMODE(first.st_mode) == 0o600
    clients.revoke("editor")
    clients.add("editor", WORK)
    assert [one.used for one in clients.used()] == [""]


def test_many_processes_add_clients_and_none_is_lost(clients: Clients) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from glassmind.access.clients import Clients\n"
        "from glassmind.model.access import EVERY_AGENT\n"
        "for number in range(5):\n"
        "    Clients(Path(sys.argv[1])).add(f'{sys.argv[2]}-{number}', EVERY_AGENT)\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program, str(clients.file), name])
        for name in ("a", "b", "c")
    ]

    assert [one.wait(60) for one in started] == [0, 0, 0]

    names = [load["name"] for load in json.loads(clients.file.read_bytes())["clients"]]
    assert names == sorted(f"{name}-{n}" for name in "abc" for n in range(5))


def test_a_name_may_have_60_characters_and_no_more(clients: Clients) -> None:
    made, _ = clients.add("x" * 60, WORK)

    assert made.name == "x" * 60
    with pytest.raises(AccessFault):
        clients.add("x" * 61, WORK)


def test_a_file_of_clients_below_a_file_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "Notes").write_text("a file where a folder should be", "utf-8")

    with pytest.raises(ClientsUnreadable):
        Clients(tmp_path / "Notes" / "clients.json").holder(b"gm_token")
