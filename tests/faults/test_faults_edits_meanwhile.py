"""Whoever saves a note while a verb edits loses nothing, whichever way it is saved."""

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from edit_faults_harness import (
    ASK,
    DRY,
    FILES,
    KINDS,
    TEA,
    TEXTS,
    VERBS,
    Stage,
    Stages,
    named,
    patched,
)
from edit_faults_program import ENOUGH
from vault_harness import VaultHarness
from write_program import Counted

from glassmind.errors import GlassmindError, NoteChanged
from glassmind.files.read import digest_of
from glassmind.model import Digest
from glassmind.model.edits import Append, Prepend

pytestmark = pytest.mark.slow

SAVED = FILES[TEA] + b"\nSaved by hand.\n"
LINE = b"Saved by hand.\n"


def replaced(file: Path, raw: bytes) -> None:
    """Save as most editors do: beside it, and in its place in one step."""
    aside = file.with_name(f".{file.name}.tmp")
    aside.write_bytes(raw)
    aside.replace(file)


def kept_before(file: Path, raw: bytes) -> None:
    """Save with what was there before beside it, and another file while editing."""
    swap = file.with_name(f".{file.name}.swp")
    swap.write_bytes(b"open")
    file.replace(file.with_name(f"{file.name}~"))
    file.write_bytes(raw)
    swap.unlink()


def overwritten(file: Path, raw: bytes) -> None:
    """Save in the file itself, which is empty first."""
    file.write_bytes(raw)


def saved_twice(file: Path, raw: bytes) -> None:
    """Save, and save again at once."""
    overwritten(file, raw[:40])
    replaced(file, raw)


Save = Callable[[Path, bytes], None]
SAVES: tuple[Save, ...] = (replaced, kept_before, overwritten, saved_twice)
every_save = pytest.mark.parametrize("save", SAVES)
every_verb = pytest.mark.parametrize("verb", VERBS, ids=named(list(VERBS)))
TEXT_NAMES = [verb.name for verb in TEXTS]


@every_save
@pytest.mark.parametrize("verb", TEXT_NAMES, ids=named(TEXT_NAMES))
def test_an_edit_of_what_was_read_before_a_save_is_refused_with_the_hash_of_now(
    stages: Stages, verb: str, save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = stages.of(verb)
    with stage.opened() as harness:
        editing = harness.engine.editing
        read = digest_of((stage.root / TEA).read_bytes())
        save(stage.root / TEA, SAVED)
        before = stage.files()
        edit = editing.edit
        monkeypatch.setattr(
            editing, "edit", lambda *given: edit(*given, expected=Digest(read))
        )

        with pytest.raises(NoteChanged) as told:
            stage.act(harness)

        assert told.value.found == digest_of(SAVED)
        assert stage.files() == before
        done = edit(TEA, [Append("More.")], ASK, expected=Digest(told.value.found))
        assert done.applied


@every_save
@every_verb
def test_a_verb_after_a_save_takes_the_saved_text_or_says_that_it_changed(
    stages: Stages, verb: str, save: Save
) -> None:
    stage = stages.of(verb)
    with stage.opened() as harness:
        file = stage.root / TEA
        if not file.exists():  # it was moved, to be moved back
            file = stage.root / "Black/Tea.md"
        save(file, file.read_bytes() + b"\n" + LINE)
        before = stage.files()
        try:
            done: str = stage.act(harness).changeset.state
        except NoteChanged:
            done = "refused"

        assert held(stage)
        if done != "applied":  # as what was kept before is about another text
            assert verb in {"undo an edit", "undo a move", "approve", "apply"}
            assert done in {"refused", "proposed"}
            assert stage.files() == before


def held(stage: Stage) -> bool:
    """Whether what was saved stands in a note that is one."""
    return any(LINE.strip() in raw for raw in stage.files().values())


PLACES = (TEA, "Black/Tea.md", "Colours/Green/Tea.md")
"""Where a note may be while it is moved."""


class Somebody:
    """Saves the note wherever it is, once, at a call of whoever edits it."""

    def __init__(self, stage: Stage, save: Save, meant: int) -> None:
        self._stage, self._save, self._meant = stage, save, meant
        self.counted = Counted(meant, self._at_work)
        self.saved = False

    @property
    def came(self) -> bool:
        return self.counted.calls >= self._meant

    def _at_work(self) -> None:
        thread = threading.Thread(target=self._write)
        thread.start()  # whose calls are counted too, but it saves no second time
        thread.join(60)

    def _write(self) -> None:
        there = (self._stage.root / path for path in PLACES)
        for file in (file for file in there if file.exists()):
            self._save(file, file.read_bytes() + LINE)
            self.saved = True


def acted(
    stage: Stage, harness: VaultHarness, counted: Counted
) -> GlassmindError | None:
    """Do what a verb does, and return what it says where it does not."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name, call in patched(counted):
            patch.setattr(module, name, call)
        try:
            stage.act(harness)
        except GlassmindError as error:
            return error
    return None


def check_saves(stage: Stage, save: Save, first: int, step: int) -> None:
    """Save the note at some calls of a verb; what was saved is there afterwards."""
    verb = stage.verb.name
    for meant in range(first, ENOUGH, step):
        stage.begin()
        somebody = Somebody(stage, save, meant)
        with stage.opened() as harness:
            told = acted(stage, harness, somebody.counted)
            assert told is None or isinstance(told, NoteChanged), (verb, meant)
            if not somebody.came:
                assert meant > first, "no call came to save at"
                return
            assert held(stage) == somebody.saved, (verb, meant)
        after = stage.restarted()
        assert held(stage) == somebody.saved, (verb, meant)
        assert not [path for path in after if "glassmind" in path.lower()]
    raise AssertionError("a verb takes fewer calls")


@pytest.mark.parametrize("save", [replaced, overwritten])
@pytest.mark.parametrize("verb", KINDS, ids=named(KINDS))
def test_what_is_saved_while_a_verb_edits_is_not_lost(
    stages: Stages, verb: str, save: Save
) -> None:
    at = list(VERBS).index(verb) + (save is replaced) * 5

    check_saves(stages.of(verb), save, 4 + at % 11, 19)


@pytest.mark.slow
@every_save
@pytest.mark.parametrize("verb", KINDS, ids=named(KINDS))
def test_what_is_saved_at_each_call_while_a_verb_edits_is_not_lost(
    stages: Stages, verb: str, save: Save
) -> None:
    check_saves(stages.of(verb), save, 1, 1)


def check_race(stage: Stage, rounds: int) -> None:
    """Save and edit at the same time, again and again; no save is lost."""
    file = stage.root / TEA
    edited = 0
    with stage.opened() as harness:
        editing = harness.engine.editing
        for turn in range(rounds):
            start = threading.Barrier(2)
            raw = FILES[TEA] + b"Saved %d.\n" % turn

            def save(start: threading.Barrier = start, raw: bytes = raw) -> None:
                start.wait(60)
                replaced(file, raw)

            thread = threading.Thread(target=save)
            thread.start()
            start.wait(60)
            with suppress(NoteChanged):
                assert editing.edit(TEA, [Append(f"Edit {turn}.")], ASK).applied
            thread.join(60)
            found = file.read_bytes()
            assert found in (raw, raw + b"Edit %d.\n" % turn), turn
            edited += found != raw
    assert edited


def test_no_save_is_lost_in_a_race_with_edits(stages: Stages) -> None:
    check_race(stages.of("append"), 60)


@pytest.mark.slow
def test_no_save_is_lost_in_a_thousand_races_with_edits(stages: Stages) -> None:
    check_race(stages.of("append"), 1_000)


def test_of_many_who_read_the_same_text_one_edits_and_the_others_are_told(
    stages: Stages,
) -> None:
    stage = stages.of("append")
    with stage.opened() as harness:
        editing = harness.engine.editing
        told: list[str] = []

        def edit(who: int, read: Digest, start: threading.Barrier) -> None:
            start.wait(60)
            try:
                editing.edit(TEA, [Prepend(f"By {who}.")], ASK, expected=read)
                told.append("")
            except NoteChanged as error:
                told.append(error.found)

        for _ in range(5):
            told.clear()
            read = Digest(digest_of((stage.root / TEA).read_bytes()))
            start = threading.Barrier(4)
            threads = [
                threading.Thread(target=edit, args=(who, read, start))
                for who in range(4)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(60)
            now = digest_of((stage.root / TEA).read_bytes())
            assert sorted(told) == ["", now, now, now]


def test_what_was_shown_before_a_save_is_not_applied_after_it(stages: Stages) -> None:
    stage = stages.of("append")
    with stage.opened() as harness:
        editing = harness.engine.editing
        shown = editing.edit(TEA, [Append("More.")], DRY).changeset.id
        replaced(stage.root / TEA, SAVED)

        with pytest.raises(NoteChanged):
            editing.apply(shown, ASK)

    assert (stage.root / TEA).read_bytes() == SAVED


ATTRIBUTE = "user.tea"


def variant(raw: bytes, kind: str) -> bytes:
    """Return a text as another editor writes it."""
    if kind == "crlf":
        return raw.replace(b"\n", b"\r\n")
    if kind == "bom":
        return b"\xef\xbb\xbf" + raw
    return raw.removesuffix(b"\n")


GROWING = {"append", "several edits", "merge"}
"""Verbs that end a last line that has no end, before they write below it."""


@pytest.mark.parametrize("kind", ["crlf", "bom", "no final newline"])
@every_verb
def test_what_a_verb_leaves_is_written_as_it_was(
    stages: Stages, tmp_path: Path, verb: str, kind: str
) -> None:
    files = {
        path: variant(raw, kind) if path.endswith(".md") else raw
        for path, raw in FILES.items()
    }
    old, plain = stages.of(verb).ends()
    _, found = Stage(tmp_path, verb, files).ends()

    assert found.keys() == plain.keys()
    for path, raw in plain.items():
        if not path.endswith(".md"):
            assert found[path] == raw
        elif path not in old and path.rpartition("/")[2] in {"Whisk.md", "Brewing.md"}:
            assert found[path].replace(b"\r\n", b"\n").rstrip() == raw.rstrip()
        elif verb in GROWING and kind == "no final newline":
            assert found[path].rstrip() == raw.rstrip()
        else:
            assert found[path] == variant(raw, kind), path


@pytest.mark.skipif(os.name == "nt", reason="POSIX alone has it")
@every_verb
def test_a_verb_keeps_the_mode_and_the_attributes_of_a_file(
    stages: Stages, verb: str
) -> None:
    stage = stages.of(verb)
    marked = [file for file in stage.root.rglob("*.md") if ".agent" not in file.parts]
    has_attributes = True
    for file in marked:
        file.chmod(0o640)
        try:
            os.setxattr(file, ATTRIBUTE, file.name.encode())
        except (OSError, AttributeError):
            has_attributes = False
    names = {file.name for file in marked}

    with stage.opened() as harness:
        assert stage.act(harness).applied

    for file in stage.root.rglob("*.md"):
        if file.name in names:
            assert file.stat().st_mode & 0o777 == 0o640, file
            if has_attributes:
                assert os.getxattr(file, ATTRIBUTE) == file.name.encode()
