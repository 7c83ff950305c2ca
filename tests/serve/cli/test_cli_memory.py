"""Living with what was captured, from the command line."""

from pathlib import Path
from typing import Any

import pytest
from cli_harness import Inside, with_index, with_note

WAITS = {"GLASSMIND_MEMORY_INBOX": "all"}
"""Lets also what a person captures wait for one."""


@pytest.fixture
def program(tmp_path: Path) -> Inside:
    made = Inside(with_note(tmp_path))
    made.run("index")
    return made


def kept(program: Inside, kind: str, text: str, *more: str) -> str:
    return str(program.json("capture", kind, text, *more)["memory"]["path"])


def waiting(program: Inside, kind: str, text: str) -> str:
    done = program.run("capture", kind, text, **WAITS)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[0].partition("  ")[0]


def recalled(program: Inside, *asked: str) -> list[str]:
    return [memo["text"] for memo in program.json("recall", *asked)["memories"]]


def text_at(program: Inside, path: str) -> str:
    return (program.vault / path).read_text("utf-8")


def test_what_was_captured_is_recalled_by_what_it_says_or_the_newest_first(
    program: Inside,
) -> None:
    kept(program, "memory", "Oolong rests for a day", "--project", "Tea")
    kept(program, "decision", "Sencha is brewed cooler", "--project", "Tea")
    kept(program, "task", "Buy a kettle")

    assert set(recalled(program)) == {
        "Oolong rests for a day",
        "Sencha is brewed cooler",
        "Buy a kettle",
    }
    assert recalled(program, "kettle") == ["Buy a kettle"]
    assert recalled(program, "--kind", "decision") == ["Sencha is brewed cooler"]
    assert len(recalled(program, "--project", "Tea")) == 2
    assert len(recalled(program, "--limit", "1")) == 1
    assert recalled(program, "--until", "2020") == []
    assert len(recalled(program, "--since", "yesterday")) == 3


def test_recalling_shows_each_with_its_place_and_says_when_there_is_none(
    program: Inside,
) -> None:
    nothing = program.run("recall")
    path = kept(program, "memory", "Oolong rests for a day")
    shown = program.run("recall", "oolong")

    assert (nothing.returncode, nothing.stdout) == (
        1,
        "No memories match.\n",
    )
    assert shown.returncode == 0
    assert shown.stdout.startswith(f"{path}  memory, ")
    assert "\n  Oolong rests for a day\n" in shown.stdout


def test_what_is_forgotten_is_in_the_trash_and_can_be_had_again(
    program: Inside,
) -> None:
    path = kept(program, "memory", "Oolong rests for a day")
    text = text_at(program, path)

    done = program.json("forget", path)
    shown = program.run("forget", path)

    now = done["memory"]["path"]
    assert done["before"] == path
    assert now.startswith(".agent/.trash/")
    assert text_at(program, now) == text
    assert not (program.vault / path).exists()
    assert recalled(program) == []
    assert shown.returncode == 3
    assert "no memory named" in shown.stderr


@pytest.mark.parametrize("act", [["forget"], ["inbox", "accept"], ["inbox", "reject"]])
def test_a_note_of_the_vault_is_no_memo(program: Inside, act: list[str]) -> None:
    done = program.run(*act, "Tea")

    assert done.returncode == 3
    assert "Tea.md" in done.stderr
    assert (program.vault / "Tea.md").is_file()


def test_nothing_is_forgotten_for_a_slip(program: Inside) -> None:
    path = kept(program, "memory", "Oolong rests for a day")

    done = program.run("forget", "Oolong", "restz", "for", "a", "day")

    assert done.returncode == 3
    assert (program.vault / path).is_file()


def test_what_is_superseded_is_linked_and_left_out_unless_asked_for(
    program: Inside,
) -> None:
    old = kept(program, "decision", "Oolong rests for a day")
    new = kept(program, "decision", "Oolong rests for two days")

    done = program.run("supersede", old, new)
    again = program.json("supersede", old, new)

    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{old} is superseded by {new}\n"
    assert again["old"]["status"] == "superseded"
    assert "superseded-by: " in text_at(program, old)
    assert recalled(program) == ["Oolong rests for two days"]
    assert len(recalled(program, "--all")) == 2


@pytest.mark.parametrize(
    ("asked", "code", "said"),
    [
        (["forget"], 2, "NAME is missing"),
        (["forget", " "], 2, "NAME is missing"),
        (["supersede"], 2, "OLD is missing"),
        (["supersede", "one"], 2, "NEW is missing"),
        (["supersede", "one", " "], 2, "NEW is missing"),
        (["supersede", "one", "two", "three"], 2, "put quotes around names"),
        (["supersede", "one", "two"], 3, "no memory named 'one'"),
        (["inbox", "accept"], 2, "NAME is missing"),
        (["inbox", "merge", "one"], 2, "INTO is missing"),
        (["inbox", "edit", "one", "--text", "tea"], 3, "no memory named 'one'"),
        (
            ["inbox", "accept", "one", "--text", "tea"],
            2,
            "there is no option --text",
        ),
        (["inbox", "--text", "tea", "edit"], 2, "there is no option --text"),
        (["inbox", "fly"], 2, '(got "fly")'),
        (["inbox", "acept"], 2, "did you mean inbox accept?"),
        (["inbox", "list", "tea"], 2, "unexpected argument 'tea'"),
        (["accept", "tea"], 2, "did you mean inbox accept?"),
        (["decision", "tea"], 2, "did you mean capture decision?"),
        (["recall", "--kind", "diary"], 2, '(got "diary")'),
        (["recall", "--since", "never"], 2, "is not a date"),
        (["recall", "\udcff"], 2, "must be valid Unicode text"),
        (["recall", "--project", "\udcff"], 2, "must be valid Unicode text"),
        (["log", "--since", "never"], 2, "is not a date"),
        (["log", "--limit", "0"], 2, "--limit must be 1 or more (got 0)"),
        (["pin"], 2, "NAME is missing"),
        (["pin", "--list", "Tea"], 2, "unexpected argument 'Tea'"),
        (["pin", "zeppelins"], 3, "zeppelins"),
        (["unpin", "\udcff"], 2, "must be valid Unicode text"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_refused_in_a_sentence(
    program: Inside, asked: list[str], code: int, said: str
) -> None:
    done = program.run(*asked)

    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert done.stdout == ""


def test_an_empty_inbox_says_so(program: Inside) -> None:
    done = program.run("inbox")

    assert (done.returncode, done.stdout) == (1, "The inbox is empty.\n")
    assert program.json("inbox", "list")["waiting"] == []


def test_what_waits_is_listed_and_accepted_to_its_place(program: Inside) -> None:
    path = waiting(program, "decision", "Oolong rests")

    listed = program.run("inbox")
    done = program.json("inbox", "accept", "Oolong", "rests")

    assert path.startswith(".agent/inbox/")
    assert f"{path}  decision, " in listed.stdout
    assert done["memory"]["path"].startswith(".agent/decisions/")
    assert done["memory"]["generated"] is False
    assert program.json("inbox")["waiting"] == []


def test_a_ticked_box_accepts_as_well(program: Inside) -> None:
    path = waiting(program, "memory", "Oolong rests")
    file = program.vault / path
    ticked = file.read_text("utf-8").replace("- [ ] Keep this", "- [x] Keep this")
    file.write_text(ticked, "utf-8")

    done = program.run("inbox")

    assert done.returncode == 0
    assert f"Accepted by its box: {path} -> .agent/memories/" in done.stdout
    assert not file.exists()


def test_a_ticked_box_that_may_not_be_followed_says_why(program: Inside) -> None:
    path = waiting(program, "memory", "Oolong rests")
    file = program.vault / path
    ticked = file.read_text("utf-8").replace("- [ ] Keep this", "- [x] Keep this")
    file.write_text(ticked, "utf-8")

    done = program.run("inbox", GLASSMIND_WRITES_MODE="off")

    assert done.returncode == 0
    assert "its box is ticked; glassmind inbox accepts it if writes.mode" in done.stdout
    assert file.exists()


def test_of_two_new_texts_none_is_dropped(program: Inside) -> None:
    path = waiting(program, "memory", "Oolong rests")

    done = program.run("inbox", "edit", path, "--text", "one", "--text", "two")

    assert done.returncode == 2
    assert "--text is given twice" in done.stderr
    assert (program.vault / path).exists()


@pytest.mark.parametrize("given", [["--text", "Oolong sleeps"], ["--text", "-"]])
def test_what_waits_is_accepted_with_another_text(
    program: Inside, given: list[str]
) -> None:
    path = waiting(program, "memory", "Oolong rests")

    done = program.piped("Oolong sleeps", "inbox", "edit", path, *given)

    assert done.returncode == 0, done.stderr
    assert recalled(program) == ["Oolong sleeps"]


def test_what_waits_is_merged_or_rejected_and_nothing_is_lost(
    program: Inside,
) -> None:
    target = kept(program, "memory", "Oolong rests")
    first = waiting(program, "memory", "It rests for a day")
    second = waiting(program, "memory", "It rests for a year")

    merged = program.run("inbox", "merge", first, target)
    rejected = program.json("inbox", "reject", second)

    assert merged.returncode == 0, merged.stderr
    text = text_at(program, target)
    assert "Oolong rests" in text
    assert "It rests for a day" in text
    assert rejected["memory"]["path"].startswith(".agent/.trash/")
    assert "for a year" in text_at(program, rejected["memory"]["path"])
    assert program.run("inbox").returncode == 1


def test_every_write_is_on_record_with_who_and_why(program: Inside) -> None:
    empty = program.run("log")
    path = kept(program, "memory", "Oolong rests")
    program.run("forget", path)

    found = program.json("log")
    shown = program.run("log", "-n", "1")
    of_path: Any = program.json("log", "--path", path)

    assert (empty.returncode, empty.stdout) == (1, "No writes yet.\n")
    assert found["total"] == 2
    assert {one["client"] for one in found["records"]} == {"cli"}
    assert found["records"][-1]["before"] is None
    assert "and 1 more\n" in shown.stdout
    assert of_path["records"]
    assert program.json("log", "--since", "yesterday")["total"] == 2


def test_a_pinned_note_is_kept_warm_until_it_is_unpinned(program: Inside) -> None:
    none = program.run("pin", "--list")
    first, second = (program.json("pin", "Tea") for _ in range(2))
    listed = program.json("pin", "--list")
    warm = program.json("hot")["notes"][0]
    back = program.run("unpin", "Tea.md")

    assert none.returncode == 1
    assert first["paths"] == second["paths"] == listed["paths"] == ["Tea.md"]
    assert (first["changed"], second["changed"]) == ("Tea.md", None)
    assert (warm["path"], warm["pinned"], warm["level"]) == ("Tea.md", True, "hot")
    assert back.returncode == 0
    assert "Tea.md" in back.stdout
    assert program.json("pin", "--list")["paths"] == []


def test_nothing_is_pinned_for_a_slip(tmp_path: Path) -> None:
    program = Inside(with_index(tmp_path))

    done = program.run("pin", "Heron", "nodde", "v3")

    assert done.returncode == 3
    assert "Projects/Heron node v3.md" in done.stderr
    assert not (program.vault / ".agent" / "pinned.txt").exists()


def test_what_is_alive_is_told_with_what_makes_it_so(program: Inside) -> None:
    program.run("pin", "Tea")

    shown = program.run("hot")
    packed = program.run("hot", "--context", "--budget", "600")

    assert shown.returncode == 0
    assert "Tea.md" in shown.stdout
    assert "pinned" in shown.stdout
    assert packed.stdout.startswith("# Recently active notes\n")
    assert "Oolong rests." in packed.stdout


def test_where_nothing_may_be_written_no_act_writes(program: Inside) -> None:
    path = kept(program, "memory", "Oolong rests")
    other = kept(program, "memory", "Oolong sleeps")
    box = waiting(program, "memory", "Oolong wakes")
    before = {
        file: file.read_bytes() for file in program.vault.rglob("*") if file.is_file()
    }

    for asked in (
        ["forget", path],
        ["supersede", path, other],
        ["inbox", "accept", box],
        ["inbox", "edit", box, "--text", "tea"],
        ["inbox", "merge", box, path],
        ["inbox", "reject", box],
        ["pin", "Tea"],
        ["capture", "memory", "tea"],
    ):
        done = program.run(*asked, GLASSMIND_WRITES_MODE="off")
        assert done.returncode == 3, (asked, done.stderr)
        assert "writes.mode" in done.stderr, asked

    listed = program.run("inbox", GLASSMIND_WRITES_MODE="off")
    after = {
        file: file.read_bytes() for file in program.vault.rglob("*") if file.is_file()
    }
    assert box in listed.stdout
    assert after == before


@pytest.mark.parametrize("name", ["list", "accept", "edit", "merge", "reject"])
def test_the_help_of_an_action_says_what_it_takes(program: Inside, name: str) -> None:
    shown = program.run("inbox", name, "--help").stdout

    assert f"usage: glassmind inbox {name}" in shown
    assert ("--text TEXT" in shown) == (name == "edit")


@pytest.mark.slow
def test_asking_memory_costs_none_of_what_meaning_needs(program: Inside) -> None:
    waiting(program, "memory", "Oolong rests")

    for asked in ("recall", "inbox", "hot"):
        found = program.imported("--vault", program.vault, asked)
        assert found & {"numpy", "onnxruntime", "tokenizers", "mcp"} == set(), asked
