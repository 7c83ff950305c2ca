"""Processes that stay with one vault: one of them answers for all."""

import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from daemon_harness import DaemonHarness, harness_in, wait_for
from fault_tools.harness import delete_index
from semantic_harness import LONG, WordModel

from glassmind.serve.daemon import host
from glassmind.serve.daemon.host import VaultHost
from glassmind.serve.daemon.protocol import REPLACED_S, daemon_at
from glassmind.store import lock
from glassmind.store.place import make_folder
from glassmind.vault import Vault

pytestmark = pytest.mark.slow

TAKEN_OVER_S = 15.0
"""In this time, on however busy a machine, another process answers in place of one that
was killed or is stopped: one that is given up for its silence takes twice as long."""

LEFT_S = 10.0
"""In this time a process has left, however busy the machine."""

NOTES = {f"{word}.md": LONG.format(word) for word in ("oolong", "lantern", "harbour")}


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[DaemonHarness]:
    yield from harness_in(tmp_path)


@pytest.fixture
def embedded(harness: DaemonHarness, monkeypatch: pytest.MonkeyPatch) -> DaemonHarness:
    """A vault whose notes have vectors already."""
    model = WordModel()
    monkeypatch.setattr(Vault, "embedder", lambda _: model)
    monkeypatch.setattr(Vault, "embedder_of", lambda *_: model)
    assert harness.indexed(NOTES).embedded == 3
    harness.close()
    return harness


def test_the_daemon_answers_by_meaning_for_a_client(embedded: DaemonHarness) -> None:
    daemon, client = embedded.daemon(), embedded.process()

    found = client.ask("search", text="oolong")

    assert client.role == "client"
    assert found["paths"][0] == "oolong.md"
    assert "semantic" in found["channels"]
    assert client.ask("asked") == 0
    assert daemon.ask("asked") > 0


def test_a_client_finds_by_words_itself(embedded: DaemonHarness) -> None:
    daemon, client = embedded.daemon(), embedded.process()
    daemon.signal(signal.SIGSTOP)

    found = client.ask("search", text="oolong", mode="fulltext")

    daemon.signal(signal.SIGCONT)
    assert found["paths"] == ["oolong.md"]


def test_the_daemon_indexes_for_a_client(harness: DaemonHarness) -> None:
    harness.write(NOTES)
    daemon, client = harness.daemon(), harness.process()

    report = client.ask("index")

    assert (report["added"], report["left"]) == (3, 0)
    assert client.ask("asked") == 0
    assert daemon.ask("asked") >= 3
    assert client.ask("search", text="lantern")["paths"][0] == "lantern.md"


def test_a_client_answers_soon_when_the_daemon_is_killed(
    embedded: DaemonHarness,
) -> None:
    daemon, client = embedded.daemon(), embedded.process()
    client.ask("search", text="oolong")

    daemon.kill()
    began = time.monotonic()
    found = client.ask("search", text="lantern")

    assert time.monotonic() - began < TAKEN_OVER_S
    assert found["paths"][0] == "lantern.md"
    wait_for(lambda: client.role == "daemon", "it has the role")
    assert client.ask("asked") > 0


def test_of_several_clients_one_follows_a_daemon_that_was_killed(
    embedded: DaemonHarness,
) -> None:
    daemon = embedded.daemon()
    clients = [embedded.process() for _ in range(3)]

    daemon.kill()
    began = time.monotonic()
    for client in clients:
        client.say("search", text="lantern")
    answers = [client.hear() for client in clients]

    assert time.monotonic() - began < TAKEN_OVER_S
    assert [a["value"]["paths"][0] for a in answers] == ["lantern.md"] * 3
    assert len(embedded.daemons(clients)) == 1
    assert sorted(client.ask("asked") > 0 for client in clients) == [False, False, True]


def test_a_client_takes_the_place_of_a_daemon_that_hangs(
    embedded: DaemonHarness,
) -> None:
    daemon, client = embedded.daemon(), embedded.process()
    assert client.role == "client"

    daemon.signal(signal.SIGSTOP)
    began = time.monotonic()
    wait_for(lambda: client.role == "daemon", "it has the role")
    took = time.monotonic() - began
    answer = client.ask("search", text="harbour")

    assert took < TAKEN_OVER_S
    assert answer["paths"][0] == "harbour.md"
    place = daemon_at(embedded.folder)
    daemon.signal(signal.SIGCONT)
    wait_for(lambda: daemon.role == "client", "the old one knows that it is over")
    assert place is not None
    assert daemon_at(embedded.folder) == place
    assert daemon.ask("search", text="harbour")["paths"][0] == "harbour.md"


def test_who_asks_a_daemon_that_hangs_is_answered_all_the_same(
    embedded: DaemonHarness,
) -> None:
    daemon, client = embedded.daemon(), embedded.process()
    daemon.signal(signal.SIGSTOP)

    found = client.ask("search", text="harbour")

    daemon.signal(signal.SIGCONT)
    assert found["paths"][0] == "harbour.md"


def test_a_daemon_that_leaves_takes_its_socket_along(embedded: DaemonHarness) -> None:
    daemon = embedded.daemon()
    assert embedded.socket.is_socket()

    took = daemon.leave()

    assert took < LEFT_S
    assert not embedded.socket.exists()
    assert not (embedded.folder / "index.db-wal").exists()
    assert "unexpected" not in daemon.log
    assert "Traceback" not in daemon.log


def test_a_daemon_leaves_soon_though_it_is_at_work(harness: DaemonHarness) -> None:
    harness.write({f"{n}.md": LONG.format(f"number{n}") for n in range(100)})
    daemon = harness.daemon(watch=True)
    daemon.ask("slow", embed_s=0.15)  # longer for a batch than closing waits
    wait_for(lambda: daemon.ask("asked") > 2, "it embeds")

    took = daemon.leave()

    assert took < LEFT_S
    assert "Traceback" not in daemon.log
    again = harness.daemon()
    assert again.ask("index")["left"] == 0


def test_the_pauses_of_a_takeover_fit_into_five_seconds() -> None:
    looks = lock.LOOK_S * lock.STOPPED_LOOKS

    assert looks + host.TRY_S <= REPLACED_S < 5
    assert host.CLOSE_S <= 2


def test_a_client_follows_a_daemon_that_leaves(embedded: DaemonHarness) -> None:
    daemon, client = embedded.daemon(), embedded.process()
    assert client.role == "client"

    daemon.leave()

    wait_for(lambda: client.role == "daemon", "it has the role")
    assert client.ask("search", text="harbour")["paths"][0] == "harbour.md"


def test_who_has_other_settings_works_by_itself(embedded: DaemonHarness) -> None:
    embedded.daemon()
    other = embedded.process(search__balance=0.9)

    found = other.ask("search", text="oolong")

    assert found["paths"][0] == "oolong.md"
    assert other.role == "client"
    assert other.ask("asked") > 0


def test_several_that_begin_at_once_share_one_model(embedded: DaemonHarness) -> None:
    crowd = [embedded.begin() for _ in range(4)]
    for one in crowd:
        one.say("search", text="oolong")
    answers = [one.up().hear() for one in crowd]

    assert [a["value"]["paths"][0] for a in answers] == ["oolong.md"] * 4
    assert len(embedded.daemons(crowd)) == 1
    assert sum(one.ask("asked") > 0 for one in crowd) == 1
    assert all("Traceback" not in one.log for one in crowd)


def test_several_that_begin_at_once_make_the_first_index_together(
    harness: DaemonHarness,
) -> None:
    harness.write(NOTES)
    crowd = [harness.begin() for _ in range(4)]
    for one in crowd:
        one.say("index")
        one.say("search", text="oolong")
    answers = [(one.up().hear(), one.hear()) for one in crowd]

    assert sum(report["value"]["added"] for report, _ in answers) == 3
    assert [a["value"]["paths"][0] for _, a in answers] == ["oolong.md"] * 4
    assert sum(one.ask("asked") > 0 for one in crowd) == 1
    assert all("Traceback" not in one.log for one in crowd)


def test_an_error_of_the_daemon_reaches_the_client_as_it_was(
    embedded: DaemonHarness,
) -> None:
    embedded.daemon()
    client = embedded.process()

    client.say("search", text="oolong", root_note="nowhere at all")
    found = client.hear()

    assert found["error"] == "NoteNotFound"
    assert found["said"].startswith("no note is called 'nowhere at all'")


def test_an_index_that_was_deleted_is_made_anew_by_who_follows_the_vault(
    harness: DaemonHarness,
) -> None:
    harness.write(NOTES)
    daemon, client = harness.daemon(watch=True), harness.process(watch=True)
    wait_for(lambda: client.finds("oolong"), "the first index")

    gone = harness.folder.rename(
        harness.place / "gone"
    )  # at once, whoever writes there
    shutil.rmtree(gone, ignore_errors=True)
    harness.write({"new.md": LONG.format("zanzibar")})

    wait_for(lambda: client.finds("zanzibar"), "another index")
    wait_for(lambda: client.finds("oolong"), "all of it")
    both = [daemon, client]
    wait_for(lambda: len(harness.daemons(both)) == 1, "one of them has the role")
    said = daemon.log + client.log  # whoever rebuilds it first need not say so
    assert "free the disk" not in said
    assert "another process" not in said
    assert "without a daemon" not in said


def test_who_follows_the_vault_takes_the_place_of_a_daemon_that_does_not(
    embedded: DaemonHarness,
) -> None:
    quiet = embedded.daemon(watch=False)
    watching = embedded.process(watch=True)

    wait_for(lambda: watching.role == "daemon", "the watching one is the daemon")
    embedded.write({"late.md": LONG.format("saffron")}, at=int(time.time()))
    wait_for(lambda: watching.finds("saffron"), "a new note is found")

    assert quiet.role == "client"
    assert quiet.ask("search", text="oolong")["paths"][0] == "oolong.md"
    assert "yields the role" in quiet.log


def test_who_stands_by_says_so_and_says_when_it_takes_over(
    embedded: DaemonHarness,
) -> None:
    daemon, other = embedded.daemon(watch=True), embedded.process(watch=True)
    waits = f"process {daemon.pid} already watches this vault; standing by"
    wait_for(lambda: waits in other.log, "it says that it stands by")

    daemon.leave()

    wait_for(lambda: "taking over" in other.log, "it says that it takes over")
    assert other.log.count("standing by") == 1
    assert "standing by" not in daemon.log
    assert "taking over" not in daemon.log


def test_what_clients_find_the_daemon_by_is_made_again_when_it_is_gone(
    embedded: DaemonHarness,
) -> None:
    daemon, client = embedded.daemon(), embedded.process()
    assert client.ask("search", text="oolong")["paths"][0] == "oolong.md"

    embedded.socket.unlink()

    wait_for(embedded.socket.exists, "it is there again")
    found = client.ask("search", text="lantern lit")
    assert found["paths"][0] == "lantern.md"
    assert "semantic" in found["channels"]
    assert {daemon.role, client.role} == {"daemon", "client"}


def test_an_index_deleted_just_before_the_role_is_tried_for_is_tried_for_again(
    embedded: DaemonHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded.open()
    gone, said = [embedded.folder], list[str]()
    made = make_folder

    def made_and_gone(folder: Path) -> str | None:
        if gone:
            delete_index(gone.pop())
            return None
        return made(folder)

    monkeypatch.setattr(host, "make_folder", made_and_gone)
    with VaultHost(embedded.engine.config, watch=False, log=said.append) as home:
        wait_for(home._is_daemon.is_set, "it has the role")

    assert said[0] == "the index was deleted"
    assert not [line for line in said if "without a daemon" in line]
