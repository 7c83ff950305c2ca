"""A damaged word index: made anew or named, never silently wrong."""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from fault_tools.dump import differences, dump
from fault_tools.harness import QUERIES, Harness, answers, check_texts, delete_index
from fault_tools.vaults import age, edit, make_vault

from glassmind.errors import IndexFault

pytestmark = pytest.mark.slow

Damage = Callable[[Path], None]


class Words:
    """A vault whose word index has several segments and deleted documents."""

    def __init__(self, root: Path) -> None:
        self.harness = Harness(root)
        make_vault(self.harness.vault, 60, 5)
        self.harness.index()
        edit(self.harness.vault, random.Random(5), steps=12)
        age(self.harness.vault)
        self.harness.index()
        self.folder = self.harness.folder
        self._copy = root / "sound"
        shutil.copytree(self.folder, self._copy)
        with self.harness.engine() as engine:
            self.answers = answers(engine)
        self.rows, self.fresh_answers = self.harness.fresh()

    def restore(self) -> Path:
        delete_index(self.folder)
        shutil.copytree(self._copy, self.folder)
        return self.folder / "lexical"

    def live_files(self) -> list[str]:
        """Return the files of segments in use; others may hold anything."""
        place = self._copy / "lexical"
        meta = json.loads((place / "meta.json").read_text("utf-8"))
        live = [s["segment_id"].replace("-", "") for s in meta["segments"]]
        return sorted(f.name for f in place.iterdir() if f.stem.split(".")[0] in live)


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Words:
    return Words(tmp_path_factory.mktemp("words"))


def check_search(words: Words, what: str) -> None:
    """Answers are right, or an error names the fault; the next run mends it."""
    with words.harness.engine() as engine:
        healthy = all(check.state == "ok" for check in engine.doctor())
        for query, right, fresh in zip(
            QUERIES, words.answers, words.fresh_answers, strict=True
        ):
            try:
                found = answers(engine, [query])[0]
            except IndexFault as error:
                assert "\n" not in str(error), what  # noqa: PT017 - others pass through
                assert not healthy, what
                continue
            if healthy:
                assert found in (right, fresh), f"{what}: {query}"
        check_texts(engine, words.harness.vault)


def check_mended(words: Words, what: str, *, rebuild: bool = False) -> None:
    with words.harness.engine() as engine:
        engine.index(rebuild=rebuild)
        assert not [c for c in engine.doctor() if c.state != "ok"], what
        assert differences(dump(words.folder), words.rows) == [], what
        engine.index(compact=True)
        assert answers(engine) == words.fresh_answers, what


def truncate(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def delete(file: Path) -> None:
    file.unlink()


@pytest.mark.parametrize(
    "damage",
    [truncate, *(pytest.param(d, marks=pytest.mark.slow) for d in (empty, delete))],
)
def test_a_file_of_the_word_index_cut_short_or_lost_is_made_anew(
    words: Words, damage: Damage
) -> None:
    kinds = {name.rpartition(".")[2]: name for name in words.live_files()}
    for name in [*kinds.values(), "meta.json", ".managed.json"]:
        damage(words.restore() / name)

        check_search(words, f"{damage.__name__} {name}")
        check_mended(words, f"{damage.__name__} {name}")


def test_a_word_index_that_is_gone_is_made_anew_by_a_search(words: Words) -> None:
    delete_index(words.restore())

    with words.harness.engine() as engine:
        assert answers(engine) == words.fresh_answers


def flip(file: Path, rng: random.Random) -> None:
    content = bytearray(file.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    file.write_bytes(content)


def check_flips(words: Words, seeds: range) -> None:
    names = words.live_files()
    for seed in seeds:
        rng = random.Random(seed)
        name = names[seed % len(names)]
        flip(words.restore() / name, rng)

        with words.harness.engine() as engine:
            found = {check.name: check for check in engine.doctor()}["word index"]
        assert found.state != "ok", f"seed {seed}: a bit of {name}"
        assert found.fix.startswith("run: glassmind index"), found
        check_search(words, f"seed {seed}: a bit of {name}")


def test_a_flipped_bit_of_the_word_index_is_found_by_the_doctor(words: Words) -> None:
    check_flips(words, range(24))
    check_mended(words, "after the last flip", rebuild=True)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_thousand_flipped_bits_are_found_by_the_doctor(words: Words) -> None:
    check_flips(words, range(1_000, 2_000))


@pytest.mark.parametrize("name", ["meta.json", ".managed.json"])
def test_a_flipped_bit_of_the_list_of_segments_never_changes_an_answer_silently(
    words: Words, name: str
) -> None:
    for seed in range(4):
        flip(words.restore() / name, random.Random(seed))

        check_search(words, f"seed {seed}: a bit of {name}")
        check_mended(words, f"seed {seed}: a bit of {name}")


def test_leftovers_of_a_killed_writer_do_no_harm(words: Words) -> None:
    place = words.restore()
    for name in ("0" * 32 + ".store", "1" * 32 + ".7.del", ".tmpAbCdEf"):
        (place / name).write_bytes(b"")

    check_search(words, "leftovers")
    check_mended(words, "leftovers")
