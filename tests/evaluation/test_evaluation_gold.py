"""Queries and judgments of others are read as they are, and refused by line."""

import json
from pathlib import Path

import pytest
from beir import note_path, read_collection, write_notes
from hypothesis import given
from hypothesis import strategies as st

from glassmind.evaluation.gold import BadGold, read_queries
from glassmind.search.query import plain


def queries(folder: Path, *rows: object) -> Path:
    file = folder / "queries.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    file.write_text("\n".join(lines), "utf-8")
    return file


def collection(folder: Path, **files: str) -> Path:
    parts = {
        "corpus": '{"_id": "d1", "title": "Tea", "text": "Oolong rests."}\n'
        '{"_id": "d2", "title": "", "text": "---\\nSencha"}\n',
        "queries": '{"_id": "q1", "text": "what rests"}\n'
        '{"_id": "q2", "text": "what is green"}\n',
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t0\n",
        **{name.replace("__", "/"): text for name, text in files.items()},
    }
    for name, text in parts.items():
        file = folder / (name if name.endswith(".tsv") else f"{name}.jsonl")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return folder


def test_every_part_of_a_query_is_read(tmp_path: Path) -> None:
    row = {
        "id": "one",
        "kind": "anchor",
        "query": "green tea",
        "relevant": ["Tea.md"],
        "source": ["Home.md"],
        "exclude": ["Index.md"],
        "intent": "factual_lookup",
        "root_note": "Home.md",
        "title_overlap": 0.5,
    }

    (found,) = read_queries(queries(tmp_path, row)).queries

    assert found.text == "green tea"
    assert found.grades == {"Tea.md": 1.0}
    assert found.left_out == {"Home.md", "Index.md"}
    assert (found.kind, found.intent) == ("anchor", "factual_lookup")
    assert found.root_note == "Home.md"


def test_grades_may_be_given_and_an_id_left_out(tmp_path: Path) -> None:
    rows = [{"query": "tea", "relevant": {"a.md": 2, "b.md": 0}}, ""]

    (found,) = read_queries(queries(tmp_path, *rows)).queries

    assert found.id == "line-1"
    assert found.grades == {"a.md": 2.0}


def test_a_query_whose_answer_is_left_out_is_kept_and_told_of(tmp_path: Path) -> None:
    row = {"query": "tea", "relevant": ["a.md"], "source": ["a.md"]}

    found = read_queries(queries(tmp_path, row))

    assert len(found.queries) == 1
    assert "score 0" in found.notices[0]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("{", "malformed|truncated"),
        ("[]", "Expected `object`"),
        ({"relevant": ["a.md"]}, "missing required field `query`"),
        ({"query": 'x"', "relevant": []}, "'relevant' names no note"),
        ({"query": '"*"', "relevant": ["a.md"]}, "holds no word"),
        ({"query": "x", "relevant": [1]}, "Expected `str`.*relevant"),
        ({"query": "x", "relevant": {"a.md": "high"}}, "Expected `float`"),
        ({"query": "x", "relevant": ["a.md"], "source": 3}, "source"),
        ({"query": "x", "relevant": ["a.md"], "intent": 3}, "intent"),
        ({"id": "1", "query": "x", "relevant": ["a.md"]}, "there twice"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(
    row: object, problem: str, tmp_path: Path
) -> None:
    good = {"id": "1", "query": "tea", "relevant": ["a.md"]}
    file = queries(tmp_path, good, row)

    with pytest.raises(BadGold, match=problem) as refused:
        read_queries(file)

    assert refused.value.line == 2
    assert f"{file}:2" in str(refused.value)


def test_of_a_file_that_is_not_there_it_is_told_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BadGold, match="check the path, or ask"):
        read_queries(tmp_path / "none.jsonl")


def test_a_file_that_is_not_there_or_empty_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadGold, match="No such file"):
        read_queries(tmp_path / "none.jsonl")
    with pytest.raises(BadGold, match="no query"):
        read_queries(queries(tmp_path, ""))
    (tmp_path / "queries.jsonl").write_bytes(b'{"query": "\xff"}')
    with pytest.raises(BadGold, match="not UTF-8"):
        read_queries(tmp_path / "queries.jsonl")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ('the "green" tea', "the green tea"),
        ("tag:tea before:lunch", "tag tea before lunch"),
        ("-not oolong --really", "not oolong really"),
        ("a well-known tea?", "a well-known tea?"),
        ("see [[Tea]] or [kind:green]", "see Tea or kind:green"),
        ("riv*", "riv"),
    ],
)
def test_what_a_question_quotes_or_names_is_no_operator(typed: str, meant: str) -> None:
    assert plain(typed) == meant


def test_documents_become_notes_and_judgments_grades(tmp_path: Path) -> None:
    found = read_collection(collection(tmp_path))

    assert found.notes["d1.md"] == "# Tea\n\nOolong rests.\n"
    assert found.notes["d2.md"] == "\n---\nSencha\n"
    (query,) = found.gold.queries
    assert (query.id, query.grades) == ("q1", {"d1.md": 1.0})


def test_judgments_may_be_graded_headless_or_of_trec(tmp_path: Path) -> None:
    lines = {"qrels/test.tsv": "q1 0 d1 2\nq1 0 d2 1\n"}

    found = read_collection(collection(tmp_path, **lines))

    assert found.gold.queries[0].grades == {"d1.md": 2.0, "d2.md": 1.0}


def test_a_document_that_is_the_query_itself_is_left_out(tmp_path: Path) -> None:
    texts = {
        "queries": '{"_id": "d2", "text": "green tea"}\n',
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\nd2\td1\t1\n",
    }

    (query,) = read_collection(collection(tmp_path, **texts)).gold.queries

    assert query.left_out == {"d2.md"}


def test_doubles_and_strangers_are_told_of(tmp_path: Path) -> None:
    texts = {
        "corpus": '{"_id": "d1", "text": "first"}\n{"_id": "d1", "text": "second"}\n',
        "qrels/test.tsv": "q1\td1\t1\nq1\td9\t1\nq8\td1\t1\n",
    }

    found = read_collection(collection(tmp_path, **texts))

    assert found.notes == {"d1.md": "\nfirst\n"}
    assert len(found.gold.queries[0].grades) == 2
    assert [notice[:5] for notice in found.gold.notices] == ["1 doc", "1 jud", "1 jud"]


@pytest.mark.parametrize(
    ("part", "text", "where"),
    [
        ("corpus", '{"_id": "d1"}\nnonsense\n', "corpus.jsonl:2"),
        ("corpus", "", "corpus.jsonl"),
        ("queries", '{"text": "no id"}\n', "queries.jsonl:1"),
        ("qrels/test.tsv", "q\td\tscore\nq1\td1\tmany\n", "test.tsv:2"),
        ("qrels/test.tsv", "q1\td1\t0\n", "no query has a relevant document"),
    ],
)
def test_a_broken_collection_is_refused_by_file_and_line(
    part: str, text: str, where: str, tmp_path: Path
) -> None:
    with pytest.raises(BadGold) as refused:
        read_collection(collection(tmp_path, **{part: text}))

    assert where in str(refused.value)


def test_a_collection_without_judgments_says_where_they_should_be(
    tmp_path: Path,
) -> None:
    collection(tmp_path)
    (tmp_path / "qrels/test.tsv").unlink()

    with pytest.raises(BadGold, match=r"qrels/test\.tsv"):
        read_collection(tmp_path)


@given(st.lists(st.text(min_size=1, max_size=300), unique=True, max_size=6))
def test_every_id_is_a_file_name_of_its_own(ids: list[str]) -> None:
    sound = [id_ for id_ in ids if id_.encode("utf-8", "replace").decode() == id_]
    taken: set[str] = set()

    for id_ in sound:
        path = note_path(id_, taken)

        assert path.lower() not in taken
        assert 3 < len(path) <= 210
        assert path[0] not in ". "
        assert "/" not in path
        taken.add(path.lower())


def test_notes_are_written_once_and_strangers_removed(tmp_path: Path) -> None:
    write_notes({"a.md": "one", "b.md": "two"}, tmp_path)
    before = (tmp_path / "a.md").stat().st_mtime_ns

    write_notes({"a.md": "one", "c/d.md": "three"}, tmp_path)

    assert (tmp_path / "a.md").stat().st_mtime_ns == before
    assert not (tmp_path / "b.md").exists()
    assert (tmp_path / "c/d.md").read_text("utf-8") == "three"
