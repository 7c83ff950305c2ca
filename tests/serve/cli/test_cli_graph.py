"""What follows from the links, from the command line."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from cli_harness import Inside, with_index, with_note, with_sample

from glassmind.operations.arguments import fields_of
from glassmind.operations.registry import all_operations
from glassmind.serve.cli.program import all_commands

NOTE = "Heron node v3"
ACTIONS = {
    path.removeprefix("graph "): operation
    for operation in all_operations()
    for path in operation.command_paths
    if path.startswith("graph ") and "--" not in path
}
HEAVY = {"numpy", "tantivy", "onnxruntime", "rich", "mcp"}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Inside:
    return Inside(with_index(tmp_path_factory.mktemp("graph")))


def test_connections_show_each_hop_with_the_sentences_of_its_links(
    program: Inside,
) -> None:
    done = program.run("graph", "connections", "Heron", "node", "v3", "--depth", "2")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Projects/Heron node v3.md")
    assert "\n1 hop: " in done.stdout
    assert "\n2 hops: " in done.stdout
    assert "[[Heron node v3]]" in done.stdout


@pytest.mark.parametrize("shape", ["graphml", "dot", "json"])
def test_connections_can_be_had_for_programs(program: Inside, shape: str) -> None:
    done = program.run("graph", "connections", NOTE, "--format", shape)

    assert done.returncode == 0
    if shape == "graphml":
        root = ET.fromstring(done.stdout)  # noqa: S314 - made by ourselves
        assert root.tag.endswith("graphml")
    elif shape == "dot":
        assert done.stdout.startswith("digraph")
        assert done.stdout.rstrip().endswith("}")
    else:
        assert json.loads(done.stdout)["path"] == f"Projects/{NOTE}.md"


def test_two_shapes_at_once_are_refused(program: Inside) -> None:
    error = program.json("graph", "connections", NOTE, "--format", "dot")["error"]

    assert "--json and --format dot cannot be used together" in error["message"]


def test_links_between_neighbours_are_told_when_asked_for(program: Inside) -> None:
    without = program.json("graph", "connections", NOTE)
    with_links = program.json("graph", "connections", NOTE, "--subgraph")

    assert "subgraph" not in without
    assert with_links["subgraph"]["edges"]


def test_a_path_leads_from_one_note_to_the_other(program: Inside) -> None:
    found = program.json("graph", "path", "Home", "Everyday sourdough", "-n", "2")

    lengths = [chain["length"] for chain in found["chains"]]
    assert lengths == sorted(lengths)
    assert len(lengths) == 2
    for chain in found["chains"]:
        assert chain["notes"][0]["path"] == "Home.md"
        assert chain["notes"][-1]["path"] == "Recipes/Everyday sourdough.md"
    assert found["common"]


def test_without_a_path_the_reason_is_told_and_the_exit_code_says_so(
    program: Inside,
) -> None:
    asked = ("graph", "path", "Home", "Inbox/Untitled.md")

    done = program.run(*asked)
    reason = program.json(*asked)["reason"]

    assert done.returncode == 1
    assert reason["kind"] == "not_connected"
    assert reason["text"] in done.stdout


def test_themes_are_told_with_their_key_members_or_one_with_all(
    program: Inside,
) -> None:
    themes = program.json("graph", "themes")["themes"]
    alone = program.json("graph", "themes", "--theme", str(themes[0]["id"]))
    shown = program.run("graph", "themes").stdout

    assert len(themes) > 2
    assert alone["themes"] == [themes[0]]
    assert all(theme["label"] in shown for theme in themes)


def test_a_finer_resolution_gives_no_fewer_themes(program: Inside) -> None:
    fine = program.json("graph", "themes", "--resolution", "4")
    usual = program.json("graph", "themes")

    assert fine["resolution"] == 4
    assert fine["total"] >= usual["total"]


@pytest.mark.parametrize("metric", ["influence", "bridging", "hubs", "authorities"])
def test_notes_are_ranked_by_every_measure(program: Inside, metric: str) -> None:
    found = program.json("graph", "rank", "--metric", metric, "-n", "4")

    scores = [note["score"] for note in found["notes"]]
    assert found["metric"] == metric
    assert [note["rank"] for note in found["notes"]] == [1, 2, 3, 4]
    assert scores == sorted(scores, reverse=True)


def test_a_ranking_keeps_to_what_it_is_about(program: Inside) -> None:
    about = program.json("graph", "rank", "--about", "sourdough", "-n", "3")
    theme = program.json("graph", "rank", "--theme", "1", "-n", "3")
    many = program.json("graph", "rank", "--least-inbound", "10")

    assert about["about"] == "sourdough"
    assert theme["theme"]["id"] == 1
    assert min(note["inbound"] for note in many["notes"]) >= 10


def test_suggestions_come_with_the_edit_and_change_nothing(program: Inside) -> None:
    def content() -> dict[Path, bytes]:
        notes = program.vault.rglob("*.md")
        return {note: note.read_bytes() for note in notes}

    before = content()

    of_all = program.json("graph", "suggest", "-n", "3")
    of_one = program.json("graph", "suggest", "2025", "in", "review")

    assert len(of_all["suggestions"]) == 3
    assert of_all["note"] is None
    assert of_one["note"] == "Journal/2025 in review.md"
    assert any(one["edit"] for one in of_one["suggestions"])
    assert program.json("suggest", "2025", "in", "review") == of_one
    assert content() == before


def test_a_timeline_begins_with_what_was_first(program: Inside) -> None:
    found = program.json("graph", "timeline", "Heron", "network", "-n", "6")
    shown = program.run("graph", "timeline", "Heron", "network").stdout

    days = [event["day"] for event in found["events"]]
    assert len(days) == 6
    assert days == sorted(days)
    assert found["total"] > 6
    assert days[-1] in shown


def test_two_notes_are_dismissed_once_and_brought_back_once(tmp_path: Path) -> None:
    program = Inside(with_sample(tmp_path))
    program.run("index")
    pair = (NOTE, "Everyday sourdough")

    first, second = (program.json("graph", "dismiss", *pair) for _ in range(2))
    listed = (program.vault / first["file"]).read_text("utf-8")
    third, fourth = (program.json("graph", "restore", *pair) for _ in range(2))

    changed = [done["changed"] for done in (first, second, third, fourth)]
    assert changed == [True, False, True, False]
    assert first["line"] in listed
    assert first["line"] not in (program.vault / first["file"]).read_text("utf-8")


def test_where_nothing_may_be_written_nothing_is_dismissed(tmp_path: Path) -> None:
    program = Inside(with_sample(tmp_path))
    program.run("index")

    done = program.run(
        "graph",
        "dismiss",
        NOTE,
        "Everyday sourdough",
        GLASSMIND_WRITES_MODE="off",
    )

    assert done.returncode == 3
    assert "writes.mode" in done.stderr
    assert not (program.vault / ".agent/dismissed.txt").exists()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["connections"], "NAME is missing"),
        (["connections", " "], "NAME is missing"),
        (["path", "Home"], "TARGET is missing"),
        (["path", "Home", "Areas", "Index"], "put quotes around names with spaces"),
        (["themes", "Home"], "unexpected argument 'Home'"),
        (["rank", "--depth", "2"], "there is no option --depth"),
        (["connections", "Home", "--theme", "1"], "there is no option --theme"),
        (["connections", "Home", "--depth", "4"], "--depth must be 3 or less"),
        (["path", "Home", "Flat", "--most-hops", "21"], "must be 20 or less"),
        (
            ["path", "Home", "Flat", "--no-common", "-n", "0"],
            "must be 1 or more (got 0)",
        ),
        (["themes", "--resolution", "0"], "must be 0.01 or more"),
        (["themes", "--resolution", "nan"], "must be a number"),
        (["themes", "--resolution", "1000"], "must be 100 or less"),
        (["themes", "--theme", "zeppelin"], "no theme is called 'zeppelin'"),
        (["rank", "--about", " "], "nothing"),
        (["fly"], '(got "fly")'),
        (["pth"], "there is no action 'pth'; did you mean graph path?"),
        (
            ["connections", "Home", "--depth", "2", "--limit", "9999"],
            "1000 or less",
        ),
        (["-n", "3", "rank"], "ACTION must be one of"),
        (["rank", "--wings"], "there is no option --wings"),
        (["rank", "--depth=2"], "there is no option --depth"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(
    program: Inside, asked: list[str], said: str
) -> None:
    done = program.run("graph", *asked)

    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    "asked",
    [
        ["graph", "connections", "zeppelin hangar"],
        ["graph", "path", "Home", "zeppelin hangar"],
        ["graph", "timeline", "zeppelin hangar"],
        ["graph", "suggest", "zeppelin hangar"],
        ["graph", "dismiss", "Home", "zeppelin hangar"],
        ["ingest", "zeppelin hangar"],
    ],
    ids=" ".join,
)
def test_a_name_that_nobody_has_is_an_error_about_the_vault(
    program: Inside, asked: list[str]
) -> None:
    done = program.run(*asked)
    error = program.json(*asked)["error"]

    assert done.returncode == 3
    assert error["kind"] == "NoteNotFound"
    assert "zeppelin hangar" in done.stderr


@pytest.mark.parametrize(
    "asked",
    [
        ["graph", "connections", "Heron nodde v3"],
        ["graph", "path", "Alder bridge", "Heron nodde v3"],
        ["graph", "suggest", "Heron nodde v3"],
        ["graph", "similar", "Heron nodde v3"],
        ["graph", "timeline", "Heron nodde v3"],
        ["ingest", "Heron nodde v3"],
    ],
    ids=" ".join,
)
def test_a_note_taken_for_a_slip_is_named_aside(
    program: Inside, asked: list[str]
) -> None:
    guessed = program.run(*asked)
    meant = program.run(*[word.replace("nodde", "node") for word in asked])

    assert "glassmind: Closest match: Projects/Heron node v3.md\n" in guessed.stderr
    assert "Closest match" not in meant.stderr
    assert guessed.stdout == meant.stdout


@pytest.mark.parametrize("action", sorted(set(ACTIONS) - set(all_commands())))
def test_an_action_taken_for_a_command_says_where_it_belongs(
    program: Inside, action: str
) -> None:
    done = program.run(action, "Alder bridge")

    assert done.returncode == 2
    assert f"did you mean graph {action}?" in done.stderr


def test_the_name_of_a_ghost_is_no_slip(program: Inside) -> None:
    ghost = program.run("graph", "connections", "Launch day plan", "--ghosts")

    assert ghost.returncode == 0
    assert "Closest match" not in ghost.stderr


def test_nothing_is_dismissed_for_a_slip(tmp_path: Path) -> None:
    program = Inside(with_sample(tmp_path))
    program.run("index")

    done = program.run("graph", "dismiss", "Alder bridge", "Heron nodde v3")

    assert done.returncode == 3
    assert "closest: Projects/Heron node v3.md" in done.stderr
    assert not (program.vault / ".agent" / "dismissed.txt").exists()


@pytest.mark.parametrize(
    "asked",
    [
        ["graph", "connections", "Tea"],
        ["graph", "themes"],
        ["graph", "rank"],
        ["graph", "suggest"],
        ["ontology"],
        ["resolve", "Tea"],
        ["ingest", "Tea"],
        ["health"],
    ],
    ids=" ".join,
)
def test_without_an_index_all_say_so(tmp_path: Path, asked: list[str]) -> None:
    program = Inside(with_note(tmp_path))

    done = program.run(*asked)

    assert done.returncode == 4
    assert "no index" in done.stderr


def test_a_vault_of_one_note_has_nothing_to_tell(tmp_path: Path) -> None:
    program = Inside(with_note(tmp_path))
    program.run("index")

    codes = {
        action: program.run("graph", *asked).returncode
        for action, asked in {
            "connections": ["connections", "Tea"],
            "themes": ["themes"],
            "suggest": ["suggest"],
        }.items()
    }

    assert codes == dict.fromkeys(codes, 1)


def test_what_a_note_holds_cannot_command_the_terminal(tmp_path: Path) -> None:
    text = "# Tea\n\nTo [[Cup]] \x1b]0;owned\x07 \u202ego.\n"
    program = Inside(with_note(tmp_path, text))
    (program.vault / "Cup.md").write_text("Tea and \x1b[31m[[Tea]].\n", "utf-8")
    program.run("index")

    for asked in (
        ["graph", "connections", "Tea"],
        ["graph", "path", "Tea", "Cup"],
        ["graph", "timeline", "Tea"],
        ["graph", "suggest"],
        ["graph", "rank"],
        ["ingest", "Tea"],
        ["resolve", "\x1b]0;owned\x07"],
        ["health"],
        ["ontology"],
    ):
        shown = program.run(*asked)
        assert not {"\x1b", "\x07", "\u202e"} & set(shown.stdout + shown.stderr), asked


def test_colours_are_for_terminals_that_want_them(program: Inside) -> None:
    asked = ("graph", "connections", NOTE)

    assert "\x1b[1m" in program.on_terminal(*asked)
    assert "\x1b[" not in program.on_terminal(*asked, NO_COLOR="1")
    assert "\x1b[" not in program.run(*asked).stdout


GHOSTLY = "# Tea\n\nTo [[Nobody]], and again to [[Nobody]].\n"


@pytest.mark.parametrize(
    "asked", [["connections", "Nobody"], ["path", "Tea", "nobody"]]
)
def test_a_name_that_only_links_know_is_told_with_how_to_see_them(
    tmp_path: Path, asked: list[str]
) -> None:
    program = Inside(with_note(tmp_path, GHOSTLY))
    program.run("index")

    done = program.run("graph", *asked)

    assert done.returncode == 3
    assert "2 links lead to that name; --ghosts shows what links to it" in done.stderr
    assert program.run("graph", *asked, "--ghosts").returncode == 0


def test_a_resolution_that_is_not_the_settings_is_named_with_the_way_back(
    tmp_path: Path,
) -> None:
    program = Inside(with_index(tmp_path))
    themes = ("graph", "themes")

    usual = program.run(*themes).stderr
    once = program.run(*themes, "--resolution", "4").stderr
    kept = program.run(*themes, "--resolution", "4", "--refresh").stderr
    later = program.run(*themes).stderr
    back = program.run(*themes, "--refresh").stderr

    assert "esolution" not in usual + back
    assert "Resolution 4 instead of 1 (the setting).\n" in once
    undo = "4 instead of 1 (the setting). To undo it: glassmind graph themes --refresh"
    assert undo in kept
    assert undo in later


def test_an_empty_answer_says_why_it_is(tmp_path: Path) -> None:
    program = Inside(with_note(tmp_path))
    (program.vault / "Tea.md").unlink()
    (program.vault / "Plain.txt").write_text("nothing", "utf-8")
    program.run("index")

    ranked = program.run("graph", "rank")
    similar = program.run("graph", "similar").stdout

    assert (ranked.returncode, ranked.stdout) == (1, "No notes match.\n")
    assert similar == "No pairs yet: notes are compared when they are embedded.\n"


def test_a_timeline_calls_where_a_date_is_from_as_its_json_does(
    program: Inside,
) -> None:
    asked = ("graph", "timeline", "2024-03-11")
    events = program.json(*asked)["events"]
    lines = program.run(*asked).stdout.splitlines()[1:]

    assert {event["origin"] for event in events} >= {"name"}
    for event, line in zip(events, lines, strict=False):
        assert line.endswith(f"({event['origin']})")


def test_what_an_overview_leaves_out_stands_under_its_own_words(
    program: Inside,
) -> None:
    shown = program.run("ontology", "-n", "2").stdout

    assert re.search(r"^More categories, tags and folders: \d+$", shown, re.MULTILINE)
    assert "without templates and the agent folder" in shown


def test_without_an_action_the_actions_are_listed(program: Inside) -> None:
    done = program.run("graph")

    assert done.returncode == 0
    for name, operation in ACTIONS.items():
        assert name in done.stdout
        assert operation.summary in done.stdout
    listed = program.json("graph")["actions"]
    assert [one["name"] for one in listed] == list(ACTIONS)


@pytest.mark.parametrize("name", ACTIONS)
def test_the_help_of_an_action_has_its_own_options(program: Inside, name: str) -> None:
    shown = program.run("graph", name, "--help").stdout

    own = {field.flag for field in fields_of(ACTIONS[name].arguments, "cli")
           if not field.extra["positional"]}  # fmt: skip
    others = {"--depth", "--metric", "--refresh", "--no-common", "--least"} - own
    assert f"usage: glassmind graph {name}" in shown
    for flag in own:
        assert f" {flag}" in shown
    for flag in others:
        assert f" {flag} " not in shown


@pytest.mark.parametrize(
    "command", ["graph", "health", "ontology", "resolve", "ingest"]
)
def test_help_costs_none_of_what_answers_need(program: Inside, command: str) -> None:
    assert program.imported(command, "--help") & HEAVY == set()


@pytest.mark.parametrize(
    "asked",
    [
        ("graph", "connections", "Heron \udcff"),
        ("graph", "path", NOTE, "\udcff"),
        ("graph", "rank", "--about", "\udcff"),
        ("health", "--dismiss", "orphans:\udcff"),
        ("health", "--restore", "orphans:\udcff"),
        ("resolve", "\udcff"),
        ("ingest", "\udcff"),
    ],
)
def test_bytes_that_are_no_text_name_nothing(
    program: Inside, asked: tuple[str, ...]
) -> None:
    done = program.run(*asked)

    assert done.returncode == 2
    assert "must be valid Unicode text" in done.stderr


def test_a_blank_name_is_not_the_whole_vault(program: Inside) -> None:
    done = program.run("suggest", "  ")

    assert done.returncode == 2
    assert "NAME is missing" in done.stderr
