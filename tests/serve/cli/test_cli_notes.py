"""Reading, listing and counting notes from the command line."""

from pathlib import Path

import pytest
from cli_harness import Inside, Program, with_index, with_note

NOTE = "Projects/Heron node v3.md"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return Inside(with_index(tmp_path_factory.mktemp("notes")))


def test_a_note_is_printed_as_it_stands_on_disk(program: Program) -> None:
    done = program.run("read", "Heron", "node", "v3")

    assert done.stdout == (program.vault / NOTE).read_text("utf-8")
    assert done.stderr == ""


@pytest.mark.parametrize(
    "asked", [["Heron node v3", "--heading", "Known faults"], [f"{NOTE}#Known faults"]]
)
def test_one_section_can_be_printed(program: Program, asked: list[str]) -> None:
    note = program.json("read", *asked)

    assert note["text"].startswith("## Known faults\n")
    assert note["heading"] == f"{NOTE}#Known faults"
    assert note["heading_path"] == ["Heron node v3", "Known faults"]
    assert note["uri"].endswith("Heron%20node%20v3%23Known%20faults")


def test_some_lines_can_be_printed(program: Program) -> None:
    done = program.run("read", NOTE, "--lines", "2-3")
    one = program.json("read", NOTE, "--lines", "2")
    rest = program.run("read", NOTE, "--lines", "2-")

    lines = (program.vault / NOTE).read_text("utf-8").splitlines(keepends=True)
    assert done.stdout == "".join(lines[1:3])
    assert rest.stdout == "".join(lines[1:])
    assert (one["text"], one["lines"]) == (lines[1], [2, 2])


def test_what_is_no_range_of_lines_is_refused(program: Program) -> None:
    done = program.run("read", NOTE, "--lines", "two")

    assert done.returncode == 2
    assert "lines must be a range such as 12-34" in done.stderr


def test_lines_from_back_to_front_are_refused(program: Program) -> None:
    done = program.run("read", NOTE, "--lines", "5-3")

    assert done.returncode == 2
    assert "--lines must not run backwards (got 5-3)" in done.stderr


def test_a_note_taken_for_a_typo_is_named_aside(program: Program) -> None:
    guessed = program.run("read", "Heron nodde v3")
    quiet = program.run("read", "Heron nodde v3", "-q")

    assert guessed.stderr == f"glassmind: Closest match: {NOTE}\n"
    assert guessed.stdout == quiet.stdout == (program.vault / NOTE).read_text("utf-8")
    assert quiet.stderr == ""


def test_a_name_like_no_other_is_answered_with_the_way_on(program: Program) -> None:
    done = program.run("read", "qqqqzzzz")

    assert done.stderr == (
        "glassmind: no note is called 'qqqqzzzz'; see: glassmind list\n"
    )


def test_a_canvas_is_printed_as_indexed_or_as_its_file(program: Program) -> None:
    path = program.json("list", "--kind", "canvas", "-n", "1")["notes"][0]["path"]

    shown = program.run("read", path).stdout
    raw = program.run("read", path, "--raw").stdout

    assert raw == (program.vault / path).read_text("utf-8")
    assert not shown.startswith("{")


def test_a_pipe_gets_a_note_to_the_letter(tmp_path: Path) -> None:
    text = "# Tea\n\nOolong \x1b]0;owned\x07 \u202erests\u202c.\n"
    program = Inside(with_note(tmp_path, text))
    program.run("index")

    read = program.run("read", "Tea")
    found = program.run("search", "oolong")

    assert read.stdout == text
    assert "\\x1b]0;owned\\x07 \\u202erests\\u202c" in found.stdout
    assert not {"\x1b", "\u202e"} & set(found.stdout)


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        (["Heron no such note"], "NoteNotFound"),
        ([NOTE, "--heading", "Nowhere"], "HeadingNotFound"),
        ([NOTE, "--lines", "9000-9001"], "LinesOutOfRange"),
    ],
)
def test_what_is_not_there_is_an_error_about_the_vault(
    program: Program, asked: list[str], kind: str
) -> None:
    plain = program.run("read", *asked)
    error = program.json("read", *asked)["error"]

    assert plain.returncode == 3
    assert plain.stdout == ""
    assert error["kind"] == kind
    assert plain.stderr == f"glassmind: {error['message']}\n"


def test_a_heading_that_stands_twice_can_be_told_by_its_lines(tmp_path: Path) -> None:
    program = Inside(with_note(tmp_path, "# Tea\n\n## Day\n\n## Day\n"))
    program.run("index")

    done = program.run("read", "Tea", "--heading", "Day")

    assert done.returncode == 3
    assert "(lines 3, 5)" in done.stderr
    assert "or use --lines" in done.stderr


@pytest.mark.parametrize("command", ["read", "read-chunks"])
def test_a_note_has_to_be_named(program: Program, command: str) -> None:
    assert program.run(command).returncode == 2


def test_chunks_are_shown_with_address_and_size(program: Program) -> None:
    text = program.run("read-chunks", "Home").stdout
    found = program.json("read-chunks", "Home")

    first = found["chunks"][0]
    assert found["path"] == "Home.md"
    assert [chunk["chunk_index"] for chunk in found["chunks"]] == list(
        range(len(found["chunks"]))
    )
    start, end = first["lines"]
    assert text.startswith(
        f"[0] Home.md:{start}-{end}  {first['kind']}, {first['tokens']} tokens\n---\n"
    )


def test_a_pipe_gets_paths_alone(program: Program) -> None:
    done = program.run("list", "--folder", "Meetings")

    lines = done.stdout.splitlines()
    assert lines == sorted(lines)
    assert lines
    assert all(line.startswith("Meetings/") for line in lines)
    assert done.stderr == ""


def test_a_terminal_gets_days_sizes_and_tags(program: Program) -> None:
    shown = program.on_terminal("list", "--folder", "Meetings", NO_COLOR="1")

    assert "2026-01-22" in shown
    assert "Meetings/2026-01-22 Steering group.md  #meeting #steering" in shown


def test_filters_all_have_to_pass(program: Program) -> None:
    tagged = program.json("list", "--tag", "#meeting")
    recent = program.json("list", "--tag", "meeting", "--since", "2026-01")
    older = program.json("list", "--tag", "meeting", "--until", "2026-01")
    canvases = program.json("list", "--kind", "canvas")

    assert recent["total"] + older["total"] == tagged["total"]
    assert recent["notes"][0]["path"] == "Meetings/2026-01-22 Steering group.md"
    assert {note["kind"] for note in canvases["notes"]} == {"canvas"}


def test_a_property_is_found_by_name_or_value(program: Program) -> None:
    named = program.json("list", "--property", "online")
    valued = program.json("list", "--property", "online=true")

    assert 0 < valued["total"] <= named["total"]
    assert all("online" in note["properties"] for note in named["notes"])


def test_a_page_says_that_there_is_more(program: Program) -> None:
    done = program.run("list", "-n", "2", "--offset", "1")
    all_paths = program.run("list").stdout.splitlines()

    assert done.stdout.splitlines() == all_paths[1:3]
    assert done.stderr == f"glassmind: Notes 2 to 3 of {len(all_paths)}.\n"


def test_a_page_past_the_end_says_so(program: Program) -> None:
    done = program.run("list", "--offset", "9000")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "glassmind: No more notes match.\n"


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--tag", "", "--tag needs a value"),
        ("--tag", "#", "--tag must be a name"),
        ("--property", "", "--property needs a value"),
        ("--property", "=x", "--property must be name"),
    ],
)
def test_a_filter_that_names_nothing_is_refused(
    program: Program, option: str, value: str, said: str
) -> None:
    done = program.run("list", option, value)

    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.endswith("; see: glassmind list --help\n")


def test_a_folder_may_be_written_as_a_shell_writes_it(program: Program) -> None:
    plain = program.run("list", "--folder", "Meetings")

    assert program.run("list", "--folder", "./Meetings/").stdout == plain.stdout
    assert program.run("list", "--folder", ".").stdout == program.run("list").stdout


def test_a_path_that_turns_letters_around_is_shown_escaped(tmp_path: Path) -> None:
    program = Inside(with_note(tmp_path))
    (program.vault / "Odd\u202edm.md").write_text("Espresso.", "utf-8")
    program.run("index")

    assert program.run("list").stdout == "Odd\\u202edm.md\nTea.md\n"
    assert program.run("search", "espresso", "--paths").stdout == "Odd\\u202edm.md\n"
    assert program.json("list")["notes"][0]["path"] == "Odd\u202edm.md"


def test_programs_are_told_which_vault_answers(program: Program) -> None:
    for asked in (["search", "heron"], ["list"], ["stats"]):
        assert program.json(*asked)["vault"] == str(program.vault)
    assert f"\nVault: {program.vault}\n" in program.run("stats").stdout


def test_newest_notes_come_first_when_asked_for(program: Program) -> None:
    notes = program.json("list", "--newest")["notes"]

    times = [note["modified"] for note in notes]
    assert times == sorted(times, reverse=True)


def test_no_note_is_told_by_the_exit_code(program: Program) -> None:
    done = program.run("list", "--tag", "nosuchtag")

    assert (done.returncode, done.stdout) == (1, "")
    assert "No notes match." in done.stderr
    assert "no note has the tag 'nosuchtag'" in done.stderr


def test_a_day_that_is_none_is_refused(program: Program) -> None:
    done = program.run("list", "--since", "soon")

    assert done.returncode == 2
    assert "is not a date" in done.stderr


def test_stats_count_what_is_indexed(program: Program) -> None:
    text = program.run("stats").stdout.splitlines()
    stats = program.json("stats")

    assert text[:4] == [
        f"Notes indexed: {stats['notes']}",
        f"Chunks indexed: {stats['chunks']}",
        f"Tags indexed: {stats['tags']}",
        f"Links indexed: {stats['links']}",
    ]
    assert stats["notes"] == len(program.run("list").stdout.splitlines())
    assert stats["skipped"] == sum(stats["skipped_by_reason"].values())
    assert Path(stats["folder"]).is_relative_to(program.home)
