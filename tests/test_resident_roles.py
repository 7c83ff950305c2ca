"""Processes that stay with one vault: one of them answers for all."""

import json
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults.desk import delete_index
from meaning_desk import LONG, WordModel
from resident_desk import ResidentDesk, desk_in, wait_for

from glassmind import residence
from glassmind.residence import Residence, stay
from glassmind.resident.card import Card, read_card
from glassmind.store import hung
from glassmind.store.lock import WriterLock
from glassmind.store.place import make_folder
from glassmind.wiring import LocalAdapters

TAKEN_OVER_S = 15.0
"""In this time, on however busy a machine, another process answers in place of one that
was killed or is stopped: one that is given up for its silence takes twice as long."""

LEFT_S = 10.0
"""In this time a process has left, however busy the machine."""

NOTES = {f"{word}.md": LONG.format(word) for word in ("oolong", "lantern", "harbour")}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[ResidentDesk]:
    yield from desk_in(tmp_path)


@pytest.fixture
def embedded(desk: ResidentDesk, monkeypatch: pytest.MonkeyPatch) -> ResidentDesk:
    """A vault whose notes have vectors already."""
    model = WordModel()
    monkeypatch.setattr(LocalAdapters, "embedder", lambda _: model)
    monkeypatch.setattr(LocalAdapters, "embedder_of", lambda *_: model)
    assert desk.indexed(NOTES).embedded == 3
    desk.close()
    return desk


def test_the_resident_answers_by_meaning_for_a_guest(embedded: ResidentDesk) -> None:
    resident, guest = embedded.resident(), embedded.stay()

    found = guest.ask("search", text="oolong")

    assert guest.role == "guest"
    assert found["paths"][0] == "oolong.md"
    assert "semantic" in found["channels"]
    assert guest.ask("asked") == 0
    assert resident.ask("asked") > 0


def test_a_guest_finds_by_words_itself(embedded: ResidentDesk) -> None:
    resident, guest = embedded.resident(), embedded.stay()
    resident.signal(signal.SIGSTOP)

    found = guest.ask("search", text="oolong", mode="fulltext")

    resident.signal(signal.SIGCONT)
    assert found["paths"] == ["oolong.md"]


def test_the_resident_indexes_for_a_guest(desk: ResidentDesk) -> None:
    desk.write(NOTES)
    resident, guest = desk.resident(), desk.stay()

    report = guest.ask("index")

    assert (report["added"], report["left"]) == (3, 0)
    assert guest.ask("asked") == 0
    assert resident.ask("asked") >= 3
    assert guest.ask("search", text="lantern")["paths"][0] == "lantern.md"


def test_a_guest_answers_soon_when_the_resident_is_killed(
    embedded: ResidentDesk,
) -> None:
    resident, guest = embedded.resident(), embedded.stay()
    guest.ask("search", text="oolong")

    resident.kill()
    began = time.monotonic()
    found = guest.ask("search", text="lantern")

    assert time.monotonic() - began < TAKEN_OVER_S
    assert found["paths"][0] == "lantern.md"
    wait_for(lambda: guest.role == "resident", "it has the role")
    assert guest.ask("asked") > 0


@pytest.mark.slow
def test_of_several_guests_one_follows_a_resident_that_was_killed(
    embedded: ResidentDesk,
) -> None:
    resident = embedded.resident()
    guests = [embedded.stay() for _ in range(3)]

    resident.kill()
    began = time.monotonic()
    for guest in guests:
        guest.say("search", text="lantern")
    answers = [guest.hear() for guest in guests]

    assert time.monotonic() - began < TAKEN_OVER_S
    assert [a["value"]["paths"][0] for a in answers] == ["lantern.md"] * 3
    assert len(embedded.residents(guests)) == 1
    assert sorted(guest.ask("asked") > 0 for guest in guests) == [False, False, True]


@pytest.mark.slow
def test_a_guest_takes_the_place_of_a_resident_that_hangs(
    embedded: ResidentDesk,
) -> None:
    resident, guest = embedded.resident(), embedded.stay()
    assert guest.role == "guest"

    resident.signal(signal.SIGSTOP)
    began = time.monotonic()
    wait_for(lambda: guest.role == "resident", "it has the role")
    took = time.monotonic() - began
    answer = guest.ask("search", text="harbour")

    assert took < TAKEN_OVER_S
    assert answer["paths"][0] == "harbour.md"
    card = json.loads(embedded.card.read_text("utf-8"))
    resident.signal(signal.SIGCONT)
    wait_for(lambda: resident.role == "guest", "the old one knows that it is over")
    assert card["pid"] == guest.pid
    assert json.loads(embedded.card.read_text("utf-8")) == card
    assert resident.ask("search", text="harbour")["paths"][0] == "harbour.md"


@pytest.mark.slow
def test_who_asks_a_resident_that_hangs_is_answered_all_the_same(
    embedded: ResidentDesk,
) -> None:
    resident, guest = embedded.resident(), embedded.stay()
    resident.signal(signal.SIGSTOP)

    found = guest.ask("search", text="harbour")

    resident.signal(signal.SIGCONT)
    assert found["paths"][0] == "harbour.md"


def test_a_resident_that_leaves_takes_its_card_and_its_door_along(
    embedded: ResidentDesk,
) -> None:
    resident = embedded.resident()
    door = Path(json.loads(embedded.card.read_text("utf-8"))["address"])
    assert door.is_socket()

    took = resident.leave()

    assert took < LEFT_S
    assert not embedded.card.exists()
    assert not door.exists()
    assert not (embedded.folder / "index.db-wal").exists()
    assert "unexpected" not in resident.log
    assert "Traceback" not in resident.log


@pytest.mark.slow
def test_a_resident_leaves_soon_though_it_is_at_work(desk: ResidentDesk) -> None:
    desk.write({f"{n}.md": LONG.format(f"number{n}") for n in range(100)})
    resident = desk.resident(watch=True)
    resident.ask("slow", embed_s=0.15)  # longer for a batch than closing waits
    wait_for(lambda: resident.ask("asked") > 2, "it embeds")

    took = resident.leave()

    assert took < LEFT_S
    assert "Traceback" not in resident.log
    again = desk.resident()
    assert again.ask("index")["left"] == 0


def test_the_pauses_of_a_takeover_fit_into_five_seconds() -> None:
    looks = hung.LOOK_S * hung.STOPPED_LOOKS

    assert looks + residence.TRY_S <= residence.SUCCEEDED_S < 5
    assert TAKEN_OVER_S < hung.LOOK_S * hung.SILENT_LOOKS
    assert stay.CLOSE_S <= 2


def test_a_guest_follows_a_resident_that_leaves(embedded: ResidentDesk) -> None:
    resident, guest = embedded.resident(), embedded.stay()
    assert guest.role == "guest"

    resident.leave()

    wait_for(lambda: guest.role == "resident", "it has the role")
    assert guest.ask("search", text="harbour")["paths"][0] == "harbour.md"


def test_who_has_other_settings_works_by_itself(embedded: ResidentDesk) -> None:
    embedded.resident()
    other = embedded.stay(search__balance=0.9)

    found = other.ask("search", text="oolong")

    assert found["paths"][0] == "oolong.md"
    assert other.role == "guest"
    assert other.ask("asked") > 0


def test_several_that_begin_at_once_share_one_model(embedded: ResidentDesk) -> None:
    crowd = [embedded.begin() for _ in range(4)]
    for one in crowd:
        one.say("search", text="oolong")
    answers = [one.up().hear() for one in crowd]

    assert [a["value"]["paths"][0] for a in answers] == ["oolong.md"] * 4
    assert len(embedded.residents(crowd)) == 1
    assert sum(one.ask("asked") > 0 for one in crowd) == 1
    assert all("Traceback" not in one.log for one in crowd)


@pytest.mark.slow
def test_several_that_begin_at_once_make_the_first_index_together(
    desk: ResidentDesk,
) -> None:
    desk.write(NOTES)
    crowd = [desk.begin() for _ in range(4)]
    for one in crowd:
        one.say("index")
        one.say("search", text="oolong")
    answers = [(one.up().hear(), one.hear()) for one in crowd]

    assert sum(report["value"]["added"] for report, _ in answers) == 3
    assert [a["value"]["paths"][0] for _, a in answers] == ["oolong.md"] * 4
    assert sum(one.ask("asked") > 0 for one in crowd) == 1
    assert all("Traceback" not in one.log for one in crowd)


@pytest.mark.slow
def test_an_error_of_the_resident_reaches_the_guest_as_it_was(
    embedded: ResidentDesk,
) -> None:
    embedded.resident()
    guest = embedded.stay()

    guest.say("search", text="oolong", root_note="nowhere at all")
    found = guest.hear()

    assert found["error"] == "NoteNotFound"
    assert found["said"].startswith("no note is called 'nowhere at all'")


def test_an_index_that_was_deleted_is_made_anew_by_who_follows_the_vault(
    desk: ResidentDesk,
) -> None:
    desk.write(NOTES)
    resident, guest = desk.resident(watch=True), desk.stay(watch=True)
    wait_for(lambda: guest.finds("oolong"), "the first index")

    gone = desk.folder.rename(desk.place / "gone")  # at once, whoever writes there
    shutil.rmtree(gone, ignore_errors=True)
    desk.write({"new.md": LONG.format("zanzibar")})

    wait_for(lambda: guest.finds("zanzibar"), "another index")
    wait_for(lambda: guest.finds("oolong"), "all of it")
    both = [resident, guest]
    wait_for(lambda: len(desk.residents(both)) == 1, "one of them has the role")
    said = resident.log + guest.log
    assert "the index was deleted" in said
    assert "free the disk" not in said
    assert "another process" not in said
    assert "by itself" not in said


@pytest.mark.slow
def test_who_follows_the_vault_takes_the_place_of_a_resident_that_does_not(
    embedded: ResidentDesk,
) -> None:
    quiet = embedded.resident(watch=False)
    watching = embedded.stay(watch=True)

    wait_for(lambda: watching.role == "resident", "the watching one is the resident")
    embedded.write({"late.md": LONG.format("saffron")}, at=int(time.time()))
    wait_for(lambda: watching.finds("saffron"), "a new note is found")

    assert quiet.role == "guest"
    assert quiet.ask("search", text="oolong")["paths"][0] == "oolong.md"
    assert "makes way" in quiet.log


@pytest.mark.slow
def test_who_stands_by_says_so_and_says_when_it_takes_over(
    embedded: ResidentDesk,
) -> None:
    resident, other = embedded.resident(watch=True), embedded.stay(watch=True)
    waits = f"process {resident.pid} looks after this vault already; standing by"
    wait_for(lambda: waits in other.log, "it says that it stands by")

    resident.leave()

    wait_for(lambda: "taking over" in other.log, "it says that it takes over")
    assert other.log.count("standing by") == 1
    assert "standing by" not in resident.log
    assert "taking over" not in resident.log


@pytest.mark.parametrize("what", ["card", "door"])
def test_what_guests_find_the_resident_by_is_made_again_when_it_is_gone(
    embedded: ResidentDesk, what: str
) -> None:
    resident, guest = embedded.resident(), embedded.stay()
    assert guest.ask("search", text="oolong")["paths"][0] == "oolong.md"
    card = read_card(embedded.folder)
    assert card is not None

    lost = embedded.folder / "resident.json"
    (lost if what == "card" else Path(str(card.address))).unlink()

    def is_found() -> bool:
        now = read_card(embedded.folder)
        return now is not None and Path(str(now.address)).exists()

    wait_for(is_found, "it is there again")
    asked = resident.ask("asked")
    found = guest.ask("search", text="lantern lit")
    assert found["paths"][0] == "lantern.md"
    assert resident.ask("asked") > asked
    assert guest.ask("asked") == 0


def test_a_guest_that_finds_nobody_does_not_wait_again_at_once(
    embedded: ResidentDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("glassmind.residence.SUCCEEDED_S", 0.5)
    monkeypatch.setattr("glassmind.residence.ALONE_S", 60.0)
    embedded.open()
    held = WriterLock(embedded.folder / "resident.lock")
    assert held.try_acquire()  # by one who leaves no card
    looks: list[None] = []

    def looked(folder: Path) -> Card | None:
        looks.append(None)
        return read_card(folder)

    with held, Residence(embedded.engine.config, watch=False, log=print) as home:
        monkeypatch.setattr(residence, "read_card", looked)
        assert home._host() is None
        assert len(looks) > 3
        looks.clear()
        assert home._host() is None

    assert len(looks) <= 3  # one look, and those of the thread that tries for the role


def test_an_index_deleted_just_before_the_role_is_tried_for_is_tried_for_again(
    embedded: ResidentDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded.open()
    gone, said = [embedded.folder], list[str]()
    made = make_folder

    def made_and_gone(folder: Path) -> str | None:
        if gone:
            delete_index(gone.pop())
            return None
        return made(folder)

    monkeypatch.setattr(residence, "make_folder", made_and_gone)
    with Residence(embedded.engine.config, watch=False, log=said.append) as home:
        wait_for(home._residing.is_set, "it has the role")

    assert said[0] == "the index was deleted"
    assert not [line for line in said if "by itself" in line]
