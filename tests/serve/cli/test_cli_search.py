"""Searching from the command line."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli_harness import Inside, Program, with_index, with_note
from model_harness import real_models

from glassmind.models.cards import MINILM


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return Inside(with_index(tmp_path_factory.mktemp("search")))


def test_a_hit_shows_its_address_its_lines_and_what_matched(program: Program) -> None:
    done = program.run("search", "spiders", "-n", "2")

    first, snippet, blank, second = done.stdout.splitlines()[:4]
    assert re.fullmatch(r"1\. [^#]+\.md(#.+)?:\d+-\d+", first)
    assert re.search(r"\*\*Spiders?\*\*", snippet, re.IGNORECASE)
    assert blank == ""
    assert second.startswith("2. ")
    assert done.stderr == ""
    assert done.returncode == 0


def test_words_are_one_query_wherever_options_stand(program: Program) -> None:
    together = program.json("search", "heron network", "-n", "3")
    apart = program.json("search", "heron", "-n", "3", "network")

    assert together == apart
    assert together["query"] == "heron network"
    assert len(together["hits"]) == 3


def test_a_query_may_begin_with_a_dash(program: Program) -> None:
    behind = program.json("search", "--", "-network", "heron")
    quoted = program.json("search", "heron -network")

    paths = {hit["path"] for hit in quoted["hits"]}
    assert behind["query"] == "-network heron"
    assert {hit["path"] for hit in behind["hits"]} == paths
    assert paths


def test_an_unknown_option_is_refused_with_the_way_out(program: Program) -> None:
    done = program.run("search", "heron", "-draft")

    assert done.returncode == 2
    assert "there is no option -draft" in done.stderr
    assert "put -- before" in done.stderr


def test_shares_as_shown_add_up_to_the_score(program: Program) -> None:
    done = program.run("search", "heron", "node", "--explain", "-n", "5")

    hits = done.stdout.split("\n\n")
    assert len(hits) == 5
    for hit in hits:
        score = re.search(r"^   score (\d+\.\d{3})$", hit, re.MULTILINE)
        fields = re.findall(r"^       \w+ (\d+\.\d{3})$", hit, re.MULTILINE)
        assert score
        assert fields
        total = sum(map(float, fields))
        assert abs(total - float(score[1])) <= 0.0005 * (len(fields) + 1)


def test_json_has_all_that_text_has_and_more(program: Program) -> None:
    reply = program.json("search", "energy", "budget", "-n", "1", "--explain")

    (hit,) = reply["hits"]
    assert reply["degraded"] == []
    assert set(hit) == {
        "path", "title", "heading_path", "heading", "lines", "chunk_index", "score",
        "relevance", "channels", "match_reason", "similarity", "depth",
        "connected_via", "hops", "evidence", "adjustments", "snippet", "more",
        "digest", "modified", "uri",
    }  # fmt: skip
    assert (hit["relevance"], hit["channels"]) == (1.0, ["lexical"])
    assert hit["heading"] == f"{hit['path']}#{hit['heading_path'][-1]}"
    assert hit["uri"].startswith("obsidian://open?vault=Notes&file=Projects%2F")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", hit["modified"])
    (why,) = hit["evidence"]
    assert set(why) == {"channel", "rank", "share", "reason", "fields"}
    assert sum(why["fields"].values()) == pytest.approx(why["share"], abs=1e-4)
    start, end = hit["snippet"]["marks"][0]
    assert hit["snippet"]["text"][start:end].lower() in {"energy", "budget"}


HARBOUR = {
    "Skiff.md": "The skiff leaks at the bow, see [[Pitch]], and is not to be sailed.\n",
    "Pitch.md": "Warm the black glue slowly in an iron kettle with the lid off.\n",
    "Garden.md": "Beans along the wall, onions below it, nothing where it floods.\n",
}


def harbour(root: Path, models: Path) -> Program:
    """Return a program beside three notes, with models from a folder."""
    program = Inside(Program(root))
    (program.vault / ".obsidian").mkdir(parents=True)
    for name, text in HARBOUR.items():
        (program.vault / name).write_text(text, "utf-8")
    program.env["GLASSMIND_EMBEDDINGS_BACKEND"] = "onnx"
    program.env["GLASSMIND_EMBEDDINGS_MODELS_FOLDER"] = str(models)
    done = program.run("index")
    assert done.returncode == 0, done.stderr
    return program


@pytest.fixture(scope="module")
def meant(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Three notes with vectors of the real model."""
    return harbour(tmp_path_factory.mktemp("meant"), real_models(MINILM))


def test_meaning_finds_what_no_word_finds(meant: Program) -> None:
    question = ("is the boat watertight", "--paths")

    done = meant.run("search", *question, "-n", "1")
    by_words = meant.run("search", *question, "--mode", "fulltext")

    assert (done.stdout, done.returncode) == ("Skiff.md\n", 0)
    assert by_words.returncode == 1


@pytest.mark.parametrize("flag", ["--explain"])
def test_shares_of_every_channel_as_shown_add_up_to_the_score(
    meant: Program, flag: str
) -> None:
    done = meant.run("search", "why does the skiff leak so badly", flag)

    hits = done.stdout.split("\n\n")
    assert len(hits) == len(HARBOUR)
    for hit in hits:
        score = re.search(r"^   score (\d+\.\d{3})$", hit, re.MULTILINE)
        shares = re.findall(r"^     \w+ ([+-]?\d+\.\d{3})  \S", hit, re.MULTILINE)
        assert score
        total = sum(map(float, shares))
        assert abs(total - float(score[1])) <= 0.0005 * (len(shares) + 1)
    assert re.search(
        r"^     semantic 0\.\d{3}  rank 1, close in", hits[0], re.MULTILINE
    )


def test_json_of_many_channels_has_all_that_a_program_needs(meant: Program) -> None:
    reply = meant.json("search", "why does the skiff leak so badly")

    assert (reply["mode"], reply["degraded"]) == ("hybrid", [])
    assert set(reply["channels"]) == {"lexical", "semantic", "graph"}
    first, second, *_ = reply["hits"]
    assert (first["path"], first["lines"], first["depth"]) == ("Skiff.md", [1, 1], 0)
    assert first["channels"] == [one["channel"] for one in first["evidence"]]
    assert first["match_reason"].startswith("words found: ")
    assert 0 < first["similarity"] <= 1
    assert (second["path"], second["connected_via"]) == ("Pitch.md", ["Skiff.md"])
    for hit in reply["hits"]:
        parts = [*hit["evidence"], *hit["adjustments"]]
        assert sum(part["share"] for part in parts) == pytest.approx(hit["score"])
        assert hit["relevance"] == pytest.approx(hit["score"] / first["score"])
        assert hit["uri"].startswith("obsidian://open?vault=Notes&file=")
        assert hit["digest"]
        assert hit["snippet"]["text"]


def test_options_choose_how_an_answer_is_found(meant: Program) -> None:
    def found(*options: str) -> list[str]:
        return meant.run("search", *options, "--paths").stdout.split()

    assert found("skiff", "--mode", "fulltext") == ["Skiff.md"]
    assert found("skiff", "--threshold", "1") == ["Skiff.md"]
    assert found("skiff", "--min-similarity", "0.99") == []
    linking = ("what leads there", "--intent", "backlink", "--root", "Pitch", "-n", "1")
    assert found(*linking) == ["Skiff.md"]
    rooted = ("the wall", "--root", "Skiff", "--hops", "1", "--fusion", "rrf")
    assert set(found(*rooted)) == {"Skiff.md", "Pitch.md", "Garden.md"}
    assert "Skiff.md" in found("skiff", "--intent", "balanced", "--rerank", "off")


def test_a_least_similarity_that_nothing_is_measured_by_is_a_notice(
    program: Program,
) -> None:
    wish = ("search", "heron", "--mode", "fulltext")

    plain = program.run(*wish, "--paths")
    done = program.run(*wish, "--paths", "--min-similarity", "0.3")

    assert done.stdout == plain.stdout != ""
    assert "min_similarity was not looked at: nothing was searched" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--hops", "9"), "--hops must be 5 or less (got 9)"),
        (("--threshold", "7"), "--threshold must be 1 or less (got 7)"),
        (("--root", "Submarine"), "Submarine"),
        (("--fusion", "mean"), "mean"),
    ],
)
def test_a_wish_that_cannot_be_met_is_refused_in_a_sentence(
    meant: Program, options: tuple[str, ...], said: str
) -> None:
    done = meant.run("search", "skiff", *options)

    assert done.returncode not in {0, 1}
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_model_words_and_links_answer_and_it_is_said_aloud(
    tmp_path: Path,
) -> None:
    program = harbour(tmp_path, tmp_path / "no models")

    done = program.run("search", "skiff leaks", "--paths")

    assert done.stdout.split() == ["Skiff.md", "Pitch.md"]
    assert done.returncode == 0
    assert "is not on this machine; run: glassmind models fetch" in done.stderr


def test_every_passage_of_a_note_can_be_shown(program: Program) -> None:
    notes = program.run("search", "heron", "-n", "20", "--json")
    chunks = program.json("search", "heron", "-n", "20", "--unique", "chunks")

    paths = [hit["path"] for hit in chunks["hits"]]
    assert len(set(paths)) < len(paths)
    assert '"chunk_index"' in notes.stdout


def test_paths_come_alone_and_once(program: Program) -> None:
    done = program.run("search", "heron", "--unique", "chunks", "--paths")

    lines = done.stdout.splitlines()
    assert len(lines) == len(set(lines))
    assert all((program.vault / line).is_file() for line in lines)


def test_nothing_found_is_said_aside_and_by_the_exit_code(program: Program) -> None:
    plain = program.run("search", "qqqqzzzz")
    quiet = program.run("search", "qqqqzzzz", "-q")

    assert (plain.returncode, plain.stdout) == (1, "")
    assert plain.stderr == "glassmind: No results for 'qqqqzzzz'.\n"
    assert (quiet.returncode, quiet.stderr) == (1, "")


def test_a_long_query_is_not_said_back_whole(program: Program) -> None:
    done = program.run("search", "q" * 500)

    assert done.stderr == f"glassmind: No results for '{'q' * 80}...'.\n"


def test_a_search_without_words_is_refused(program: Program) -> None:
    done = program.run("search", "  ")

    assert done.returncode == 2
    assert "QUERY is missing" in done.stderr


def test_a_day_that_is_none_is_refused(program: Program) -> None:
    done = program.run("search", "before:soon")

    assert done.returncode == 2
    assert "is not a date" in done.stderr


def test_a_search_imports_nothing_it_does_not_need(program: Program) -> None:
    found = program.imported("search", "heron")

    heavy = {"numpy", "onnxruntime", "tokenizers", "mcp", "starlette", "uvicorn"}
    assert not found & {*heavy, "pydantic", "rich", "pyromark", "yaml", "asyncio"}


def test_matches_are_bold_on_a_terminal_unless_colours_are_unwanted(
    program: Program,
) -> None:
    bold = program.on_terminal("search", "heron", "-n", "1")
    plain = program.on_terminal("search", "heron", "-n", "1", NO_COLOR="1")
    asked = program.on_terminal("search", "heron", "-n", "1", "--no-color")

    assert "\x1b[1mHeron\x1b[0m" in bold
    assert "\x1b" not in plain + asked
    assert "**Heron**" in plain


def test_a_note_cannot_command_the_terminal(tmp_path: Path) -> None:
    program = with_note(tmp_path, "# Tea\n\nOolong \x1b]0;owned\x07 rests.\n")
    program.run("index")

    shown = program.on_terminal("search", "oolong", NO_COLOR="1")
    read = program.on_terminal("read", "Tea")

    assert "\x1b" not in shown + read
    assert "\\x1b]0;owned\\x07" in shown


def test_results_survive_an_encoding_that_lacks_their_letters(program: Program) -> None:
    asked = ("--vault", program.vault, "search", "日記", "--paths")
    plain = Program.bare(program, *asked, PYTHONIOENCODING="ascii")
    found = subprocess.run(
        [sys.executable, "-m", "glassmind", "search", "日記", "--json"],
        cwd=program.vault,
        env={**program.env, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        timeout=60,
        check=True,
    )

    assert "Languages/\\u65e5\\u672c" in plain.stdout
    assert "日本語の日記" in found.stdout.decode("utf-8")
