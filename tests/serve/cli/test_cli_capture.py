"""What is worth remembering is captured from the command line, as it was said."""

from pathlib import Path

import pytest
from cli_harness import Inside, with_index, with_note
from path_table import NAMES, lay

from glassmind.model.memory import CAPTURED
from glassmind.serve.cli.program import all_commands

SAID = "The ford gets no radio of its own; Millbrook relays for it."
PLACES = {
    "memory": "memories",
    "decision": "decisions",
    "task": "tasks",
    "question": "tasks",
}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Inside:
    return Inside(with_index(tmp_path_factory.mktemp("capture")))


@pytest.fixture
def program(tmp_path: Path) -> Inside:
    made = Inside(with_note(tmp_path))
    made.run("index")
    return made


def captures(program: Inside) -> list[Path]:
    return sorted((program.vault / ".agent").rglob("*.md"))


@pytest.mark.parametrize("kind", CAPTURED)
def test_a_capture_of_each_kind_is_a_note_in_its_place(
    program: Inside, kind: str
) -> None:
    done = program.run("capture", kind, "Oolong", "rests", "--project", "Tea")

    (file,) = captures(program)
    assert done.returncode == 0, done.stderr
    assert file.parent == program.vault / ".agent" / PLACES[kind]
    assert str(file.relative_to(program.vault)) in done.stdout
    assert f"kind: {kind}\nproject: Tea\n" in file.read_text("utf-8")
    assert "Oolong rests" in file.read_text("utf-8")


@pytest.mark.parametrize("kind", ["memory", "decision", "task"])
def test_a_command_with_the_kind_in_its_name_captures_the_same(
    program: Inside, kind: str
) -> None:
    done = program.json(f"capture-{kind}", "--project", "Tea", "--text", SAID)

    assert f"capture-{kind}" in all_commands()
    assert done["memory"]["kind"] == kind
    assert done["memory"]["text"] == SAID
    assert done["memory"]["project"] == "Tea"


def test_a_capture_is_found_by_the_next_search(sample: Inside) -> None:
    done = sample.json("capture", "decision", SAID, "--tags", "#radio, power")
    found = sample.json("search", "ford relays Millbrook", "-n", "1")

    assert done["indexed"]
    assert done["memory"]["tags"] == ["radio", "power"]
    assert found["hits"][0]["path"] == done["memory"]["path"]


def test_a_capture_names_what_it_stands_on(sample: Inside) -> None:
    note = "Projects/Heron node v3.md"
    whole = sample.json("capture", "memory", "It hums.", "--source", note)
    (receipt,) = whole["memory"]["sources"]

    again = sample.json(
        "capture", "memory", "It hums on.", "--source", receipt, "--source", note
    )

    assert sample.run("verify", receipt).returncode == 0
    assert again["memory"]["sources"][0] == receipt


@pytest.mark.parametrize("words", [["-"], ["--text", "-"]], ids=" ".join)
def test_what_is_piped_in_is_kept_to_the_letter(
    program: Inside, words: list[str]
) -> None:
    text = "Tee & Kuchen — 茶\n\n---\nkind: forged\n---\n\n> [!note] `code`"

    done = program.piped(text, "capture", "memory", *words)

    assert done.returncode == 0, done.stderr
    (file,) = captures(program)
    assert file.read_text("utf-8").endswith(f"---\n\n{text}\n")
    assert program.json("recall", "--kind", "memory")["memories"][0]["text"] == text


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([], "KIND is missing"),
        (["memory"], "TEXT is missing"),
        (["memory", " "], "TEXT is missing"),
        (["memory", "--text", ""], "TEXT is missing"),
        (["memory", "tea", "--text", "tea"], "TEXT is given twice"),
        (["diary", "tea"], "KIND must be one of memory, decision, task, question"),
        (["summary", "tea"], "KIND must be one of memory, decision, task, question"),
        (["memory", "tea", "--tags", "a,,b"], "--tags has an empty item"),
        (["memory", "tea", "--source", "nothing"], "name a receipt as context"),
        (["memory", "tea", "--kind", "task"], "there is no option --kind"),
        (["memory", "half \udcff"], "must be valid Unicode text"),
        (["memory", "tea", "--source", "\udcff"], "must be valid Unicode text"),
        (["memory", "tea", "--tags", "a,\udcff"], "must be valid Unicode text"),
    ],
    ids=str,
)
def test_what_cannot_be_kept_is_refused_and_nothing_written(
    program: Inside, asked: list[str], said: str
) -> None:
    done = program.run("capture", *asked)

    assert done.returncode == 2
    assert said in done.stderr
    assert captures(program) == []


@pytest.mark.parametrize("raw", [b"\xff\xfe", b"", b" \n"])
def test_a_pipe_without_text_captures_nothing(program: Inside, raw: bytes) -> None:
    done = program.piped(raw, "capture", "memory", "-")

    assert done.returncode == 2
    assert "standard input" in done.stderr or "piped in" in done.stderr
    assert captures(program) == []


def test_where_nothing_may_be_written_nothing_is_captured(program: Inside) -> None:
    done = program.run("capture", "memory", "tea", GLASSMIND_WRITES_MODE="off")

    assert done.returncode == 3
    assert "writes.mode" in done.stderr
    assert not (program.vault / ".agent").exists()


def test_without_an_index_a_capture_is_kept_and_makes_one(tmp_path: Path) -> None:
    program = Inside(with_note(tmp_path))

    done = program.run("capture", "memory", "Oolong rests")

    assert done.returncode == 0, done.stderr
    assert len(captures(program)) == 1


def test_what_is_captured_cannot_command_the_terminal(program: Inside) -> None:
    program.run("capture", "memory", "Tea \x1b]0;owned\x07 \u202ego")

    for asked in (["recall"], ["recall", "tea"], ["log"], ["capture", "task", "\x1b["]):
        shown = program.run(*asked)
        assert not {"\x1b", "\x07", "\u202e"} & set(shown.stdout + shown.stderr), asked


def test_no_text_and_no_project_leads_a_capture_out_of_its_folder(
    tmp_path: Path,
) -> None:
    program = Inside(with_note(tmp_path))
    fence = lay(program.vault)
    before = {file for file in tmp_path.rglob("*") if program.home not in file.parents}

    for name in NAMES.values():
        program.run("capture", "memory", name)
        program.run("capture", "decision", "All is well.", "--project", name)

    made = {file for file in tmp_path.rglob("*") if program.home not in file.parents}
    agent = program.vault / ".agent"
    assert len(captures(program)) > len(NAMES)
    assert all(agent in (file, *file.parents) for file in made - before)
    fence.assert_untouched()


def test_a_text_that_begins_with_a_dash_is_taken_or_its_way_told(
    program: Inside,
) -> None:
    refused = program.run("capture", "memory", "--text", "-dash")
    kept = program.json("capture", "memory", "--text=-dash")

    assert refused.returncode == 2
    assert "--text needs a value" in refused.stderr
    assert "--text=-" in refused.stderr
    assert kept["memory"]["text"] == "-dash"


@pytest.mark.parametrize("command", [("capture", "memory"), ("capture-task",)])
def test_of_two_texts_none_is_dropped(
    program: Inside, command: tuple[str, ...]
) -> None:
    done = program.run(*command, "--text", "Oolong rests", "--text", "Sencha does not")

    assert done.returncode == 2
    assert "--text is given twice" in done.stderr
    assert captures(program) == []
