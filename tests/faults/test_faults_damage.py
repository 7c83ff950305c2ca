"""A damaged `index.db`: no crash, no hang, no wrong text, and a way back."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from fault_tools.dump import differences, dump
from fault_tools.harness import Harness, answers, check_texts, delete_index, words_of
from fault_tools.vaults import edit, make_vault, note_text, notes_of, write

from glassmind.engine import Engine
from glassmind.errors import GlassmindError, IndexTooNew

pytestmark = pytest.mark.slow

Damage = Callable[[Path, random.Random], None]


class Sound:
    """A vault with a sound index, put back as often as it is damaged."""

    def __init__(self, root: Path) -> None:
        self.harness = Harness(root)
        make_vault(self.harness.vault, 60, 3)
        self.harness.index()
        self.folder = self.harness.folder
        self._copy = root / "sound"
        shutil.copytree(self.folder, self._copy)
        self.rows, self.answers = self.harness.fresh()

    def restore(self) -> Path:
        delete_index(self.folder)
        shutil.copytree(self._copy, self.folder)
        return self.folder / "index.db"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    return Sound(tmp_path_factory.mktemp("sound"))


def use_everything(engine: Engine, vault: Path) -> None:
    """Ask every verb; each answers rightly or says what is wrong."""
    path = notes_of(vault)[0]
    for ask in (
        lambda: check_texts(engine, vault),
        lambda: engine.read(path),
        lambda: engine.chunks(path),
        lambda: engine.list_notes(tag="oolong"),
        engine.stats,
        engine.doctor,
    ):
        try:
            ask()
        except GlassmindError as error:
            assert "\n" not in str(error)  # noqa: PT017 - other errors must pass through


def check_damage(sound: Sound, damage: Damage, seed: int) -> None:
    file = sound.restore()
    damage(file, random.Random(seed))

    with sound.harness.engine() as engine:
        use_everything(engine, sound.harness.vault)
        engine.index(accept_deletions=True)
        use_everything(engine, sound.harness.vault)
        if all(check.state != "fail" for check in engine.doctor()):
            check_passages(sound, seed)
        engine.index(rebuild=True)
    with sound.harness.engine() as engine:
        assert not [c for c in engine.doctor() if c.state != "ok"], seed
        assert differences(dump(sound.folder), sound.rows) == [], f"seed {seed}"
        assert answers(engine) == sound.answers, f"seed {seed}"


def check_passages(sound: Sound, seed: int) -> None:
    """What the doctor calls well has every passage, where it stands in the vault."""
    with sound.harness.engine() as engine:
        for path in notes_of(sound.harness.vault):
            text = words_of((sound.harness.vault / path).read_text("utf-8"))
            _, chunks = engine.chunks(path)
            assert chunks, f"seed {seed}: {path}"
            for chunk in chunks:
                assert words_of(chunk.text) in text, f"seed {seed}: {path}"


def truncate(file: Path, rng: random.Random) -> None:
    with file.open("r+b") as opened:
        opened.truncate(rng.randrange(file.stat().st_size))


def flip(file: Path, rng: random.Random) -> None:
    content = bytearray(file.read_bytes())
    for _ in range(rng.choice([1, 2, 8, 64])):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    file.write_bytes(content)


def zero_page(file: Path, rng: random.Random) -> None:
    content = bytearray(file.read_bytes())
    page = rng.randrange(len(content) // 4096) * 4096
    content[page : page + 4096] = bytes(4096)
    file.write_bytes(content)


def empty(file: Path, _: random.Random) -> None:
    file.write_bytes(b"")


def no_database(file: Path, rng: random.Random) -> None:
    file.write_bytes(b"Dear diary, " + rng.randbytes(5_000))


def swap_pages(file: Path, rng: random.Random) -> None:
    content = bytearray(file.read_bytes())
    pages = len(content) // 4096
    a, b = (rng.randrange(1, pages) * 4096 for _ in range(2))
    one, two = content[a : a + 4096], content[b : b + 4096]
    content[a : a + 4096], content[b : b + 4096] = two, one
    file.write_bytes(content)


KINDS: tuple[Damage, ...] = (truncate, flip, zero_page, empty, no_database, swap_pages)


@pytest.mark.parametrize("seed", range(2 * len(KINDS)))
def test_a_damaged_database_never_shows_wrong_text(sound: Sound, seed: int) -> None:
    check_damage(sound, KINDS[seed % len(KINDS)], seed)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_five_hundred_damaged_databases_never_show_wrong_text(sound: Sound) -> None:
    for seed in range(500):
        check_damage(sound, KINDS[seed % len(KINDS)], 1_000 + seed)


def test_lost_files_beside_the_database_lose_nothing_that_was_settled(
    sound: Sound,
) -> None:
    for part in ("-wal", "-shm"):
        file = sound.restore()
        Path(f"{file}{part}").unlink(missing_ok=True)

        with sound.harness.engine() as engine:
            check_texts(engine, sound.harness.vault)
            engine.index()

            assert differences(dump(sound.folder), sound.rows) == []


def live_wal(harness: Harness, seed: int) -> bytes:
    """Return the write-ahead log of an index that is open and was just written."""
    with harness.engine() as engine:
        engine.search("oolong")  # a reader keeps the log from being folded in
        edit(harness.vault, random.Random(seed), steps=5)
        engine.index(accept_deletions=True)
        return Path(f"{harness.folder / 'index.db'}-wal").read_bytes()


@pytest.mark.parametrize("size", [60, 300])
def test_the_log_of_another_database_never_shows_another_vaults_text(
    sound: Sound, tmp_path: Path, size: int
) -> None:
    other = Harness(tmp_path)
    make_vault(other.vault, size, 99)
    other.index()
    foreign = live_wal(other, 5)
    assert len(foreign) > 4096
    file = sound.restore()
    Path(f"{file}-shm").unlink(missing_ok=True)
    Path(f"{file}-wal").write_bytes(foreign)

    with sound.harness.engine() as engine:
        use_everything(engine, sound.harness.vault)
        engine.index(accept_deletions=True)
        use_everything(engine, sound.harness.vault)
        engine.index(rebuild=True)
        check_texts(engine, sound.harness.vault)

        assert differences(dump(sound.folder), sound.rows) == []


def test_a_database_found_damaged_is_kept_aside_and_named(sound: Sound) -> None:
    no_database(sound.restore(), random.Random(1))

    with sound.harness.engine() as engine:
        report = engine.index()

    aside = [file.name for file in sound.folder.glob("index.db.broken-*")]
    assert len(aside) == 1
    assert any(aside[0] in warning for warning in report.warnings)


@pytest.mark.parametrize("damage", KINDS)
def test_a_database_damaged_under_an_open_engine_is_made_good(
    sound: Sound, damage: Damage
) -> None:
    file = sound.restore()
    with sound.harness.engine() as engine:
        engine.index()
        engine.search("oolong")
        damage(file, random.Random(8))
        write(sound.harness.vault, "Late.md", "a late oolong")

        use_everything(engine, sound.harness.vault)
        engine.index(accept_deletions=True)
        use_everything(engine, sound.harness.vault)

        (sound.harness.vault / "Late.md").unlink()
        engine.index(rebuild=True)
        assert answers(engine) == sound.answers
    assert differences(dump(sound.folder), sound.rows) == []


def test_pages_gone_bad_under_an_open_engine_are_set_aside_by_its_next_run(
    sound: Sound,
) -> None:
    file = sound.restore()
    with sound.harness.engine() as engine:
        engine.index()
        db = apsw.Connection(str(file))  # makes the engine forget the pages it knows
        db.execute("insert into settings values ('odd', '1')")
        db.close()
        with file.open("r+b") as opened:
            opened.seek(4096)
            opened.write(random.Random(9).randbytes(file.stat().st_size - 4096))

        report = engine.index()

        assert any("made anew" in warning for warning in report.warnings)
        assert answers(engine) == sound.answers
    assert differences(dump(sound.folder), sound.rows) == []


def test_damage_that_shows_in_the_middle_of_a_run_is_made_good(tmp_path: Path) -> None:
    harness = Harness(tmp_path)
    make_vault(harness.vault, 60, 4)
    harness.index()
    rng = random.Random(4)
    file = harness.folder / "index.db"
    content = bytearray(file.read_bytes())
    for at in range(8 * 4096, len(content) - 4096, 3 * 4096):
        content[at : at + 2048] = rng.randbytes(2048)
    file.write_bytes(content)
    for path in notes_of(harness.vault)[:30]:
        write(harness.vault, path, note_text(rng, []))

    with harness.engine() as engine:
        report = engine.index()

    assert any("made anew" in warning for warning in report.warnings)
    harness.check_converges()


def test_a_database_of_a_later_release_is_rebuilt_only_when_asked(sound: Sound) -> None:
    db = apsw.Connection(str(sound.restore()))
    db.execute("pragma user_version = 99")
    db.close()

    with sound.harness.engine() as engine:
        with pytest.raises(IndexTooNew):
            engine.search("oolong")
        with pytest.raises(IndexTooNew):
            engine.index()
        engine.index(rebuild=True)

        assert differences(dump(sound.folder), sound.rows) == []
