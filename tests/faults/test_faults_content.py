"""Notes and queries of every kind of letters, through the whole engine."""

import dataclasses
import json
import string
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unicodedata import normalize

import msgspec
import pytest
from fault_tools.harness import Harness
from fault_tools.vaults import age, write

from glassmind.engine import Engine
from glassmind.errors import GlassmindError


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    return Harness(tmp_path)


def paths(engine: Engine, query: str) -> list[str]:
    return [hit.path for hit in engine.search(query, limit=50).hits]


def plain(value: Any) -> Any:
    """Return what any surface would turn into JSON."""
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, msgspec.Struct):
        value = msgspec.to_builtins(value)
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return value


def check_json(*values: object) -> None:
    """Whatever was in the notes, what we say of it is JSON in UTF-8."""
    for value in values:
        text = json.dumps(plain(value), allow_nan=False, ensure_ascii=False)
        assert json.loads(text.encode("utf-8").decode("utf-8")) is not None


ENCODED: dict[str, bytes] = {
    "utf-8 with a mark": b"\xef\xbb\xbfoolong \xc3\xbc",
    "utf-16 little": "\ufeffoolong ü".encode("utf-16-le"),
    "utf-16 big": "\ufeffoolong ü".encode("utf-16-be"),
    "latin-1": b"oolong \xfc\xe9 caf\xe9",
    "broken utf-8": b"oolong \xc3\x28 \xa0\xa1 end",
    "cut utf-8": b"oolong \xe6\x9d",
    "encoded surrogate": b"oolong \xed\xa0\x80 end",
    "nul inside": b"oolong\x00 end",
    "old mac lines": b"oolong\rline\rline",
    "mixed lines": b"oolong\r\nline\nline\r",
    "control letters": b"oolong \x01\x02\x1b[31m\x7f",
    "byte order in the middle": "oolong \ufeff end".encode(),
    "separators": "oolong \u2028 \u2029 \x85 \x0c end".encode(),
    "noncharacters": "oolong \ufffe \uffff \U0010ffff".encode(),
    "empty": b"",
    "one letter": b"x",
    "blanks": b" \n\t\n",
    "only properties": b"---\nkind: oolong\n---\n",
    "unclosed properties": b"---\nkind: oolong\n",
    "picture": bytes(range(256)) * 40,
}
SEEN = {"empty", "one letter", "blanks", "picture"}


def test_every_encoding_is_indexed_or_named_and_all_output_is_json(
    harness: Harness,
) -> None:
    for name, content in ENCODED.items():
        write(harness.vault, f"{name}.md", content)
    before = {name: (harness.vault / f"{name}.md").read_bytes() for name in ENCODED}

    with harness.engine() as engine:
        report = engine.index()
        reply = engine.search("oolong", limit=50)
        known = {note.path for note in engine.list_notes(limit=100).notes}
        told = known | {skipped.path for skipped in report.skipped}

        assert {f"{name}.md" for name in ENCODED} == told
        for name in ENCODED.keys() - SEEN:
            assert f"{name}.md" in {hit.path for hit in reply.hits} or (
                f"{name}.md" not in known
            ), name
        check_json(report, reply, engine.stats(), engine.list_notes(), engine.doctor())
        for path in sorted(known):
            check_json(engine.read(path), engine.chunks(path))
    assert {n: (harness.vault / f"{n}.md").read_bytes() for n in ENCODED} == before
    harness.check_converges(queries=["oolong", "end", "line"])


BOMB = "\n".join(
    ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
)
YAML = {
    "bomb": BOMB,
    "deep": "a: " + "[" * 1_000 + "]" * 1_000,
    "deeper": "a: " + "{b: " * 3_000 + "1" + "}" * 3_000,
    "huge": "\n".join(f"key{n}: value {n}" for n in range(20_000)),
    "object": "a: !!python/object/apply:os.system ['false']",
    "twice": "a: 1\na: 2\na: [3]",
    "tabs": "a:\n\t- b\n\tc: d",
    "traps": "on: yes\ntime: 12:30:45\nday: 2024-02-30\nnumber: 0o17\nnan: .nan\n"
    "far: .inf\nbig: 1e999\nlong: 123456789012345678901234567890\nnull: null",
    "merge": "a: &a {b: 1}\nc:\n  <<: *a",
    "letters": 'ключ: значение\n\'\': empty\n"\\u0000": nul\n"\\ud800": half',
    "list": "- just\n- a list",
    "text": "just text",
    "self": "a: &a [*a]",
}


@pytest.mark.parametrize("name", YAML)
def test_properties_of_any_shape_cost_little_and_show_as_json(
    harness: Harness, name: str
) -> None:
    write(harness.vault, f"{name}.md", f"---\n{YAML[name]}\n---\nA cup of oolong.\n")
    write(harness.vault, "Plain.md", "A pot of oolong.")

    with harness.engine() as engine:
        report = engine.index()
        reply = engine.search("oolong")

        assert report.seconds < 30
        assert {hit.path for hit in reply.hits} == {f"{name}.md", "Plain.md"}
        check_json(report, reply, engine.list_notes(), engine.read(name))
        for query in ("[a]", "[a:1]", "[on:yes]", "[nan:nan]", "[day:2024-02-30]"):
            check_json(engine.search(query))


def test_names_are_one_in_every_form_of_unicode(harness: Harness) -> None:
    name = "Café Ünïcode"
    write(harness.vault, f"{normalize('NFD', name)}.md", "oolong is served")
    write(
        harness.vault,
        "Links.md",
        f"[[{normalize('NFC', name)}]] [[{normalize('NFD', name)}]]",
    )

    with harness.engine() as engine:
        engine.index()

        assert engine.stats().ghosts == 0
        assert paths(engine, "served") == [normalize("NFC", f"{name}.md")]
        for form in ("NFC", "NFD"):
            assert engine.read(normalize(form, name)).text == "oolong is served"
            assert paths(engine, f'file:"{normalize(form, name)}"')
    harness.check_converges(queries=["cafe", "café", "served"])


SCRIPTS = {
    "العربية": "مرحبا بالعالم الشاي",
    "עברית": "שלום עולם תה",
    "日本": "東京都は日本の首都です",
    "한국어": "서울은 대한민국의 수도",
    "ไทย": "สวัสดีชาวโลก",
    "हिन्दी": "नमस्ते दुनिया चाय",
    "русский": "чай из самовара",
    "ελληνικά": "τσάι με λεμόνι",
}


def test_notes_in_every_script_are_found_by_their_words(harness: Harness) -> None:
    for title, text in SCRIPTS.items():
        write(harness.vault, f"{title}.md", text)
    write(harness.vault, "Emoji.md", "tea 🍵 family 👨‍👩‍👧‍👦 flag 🇯🇵 heart ❤️ oolong")

    with harness.engine() as engine:
        engine.index()

        for title, text in SCRIPTS.items():
            assert f"{title}.md" in paths(engine, text.split()[-1]), title
            assert f"{title}.md" in paths(engine, title), title
        for query in (
            "🍵",
            "👨‍👩‍👧‍👦 oolong",
            "❤️",
            "\u200f\u202eoolong",
            "\u200b",
            "\uff4f\uff4f\uff4c\uff4f\uff4e\uff47",
        ):
            check_json(engine.search(query))
        assert paths(engine, "tea 🍵") == ["Emoji.md"]


def test_the_letters_i_of_turkish_lose_no_note(harness: Harness) -> None:
    for name in ("ISPARTA", "İzmir", "\u0131s\u0131", "istanbul"):
        write(harness.vault, f"{name}.md", f"{name} kahve")

    with harness.engine() as engine:
        engine.index()

        for name in ("ISPARTA", "İzmir", "\u0131s\u0131", "istanbul"):
            assert f"{name}.md" in paths(engine, name), name
            assert engine.read(name).title == name


def test_no_punctuation_in_a_query_is_an_error(harness: Harness) -> None:
    write(harness.vault, "Tea.md", "---\na: b\n---\n# Heading\noolong sencha #tag (x)")
    age(harness.vault)
    marks = [
        *string.punctuation,
        "\u2013",
        "…",
        "«",
        "\\\\",
        "::",
        "\x00",
        "\ud800",
        "a\t",
    ]
    operators = ["tag:", "path:", "file:", "[", "[a:", "[a:]", "-", '"', "after:"]

    with harness.engine() as engine:
        engine.index()

        for mark in [*marks, *operators]:
            for query in (
                mark, mark * 2, mark * 50, f"{mark}oolong", f"oolong{mark}",
                f"{mark}oolong{mark}", f"oolong {mark} sencha", f"oolong{mark}sencha",
                f'"{mark}oolong"', f"-{mark}", f"tag:{mark}", f"path:{mark}",
                f"file:{mark}oolong", f"[a:{mark}]", f"[{mark}:b]", f"[{mark}]",
            ):  # fmt: skip
                check_query(engine, query)
        assert paths(engine, "oolong") == ["Tea.md"]


def check_query(engine: Engine, query: str) -> None:
    try:
        reply = engine.search(query)
    except GlassmindError as error:
        if not query.startswith(("after:", "before:")):
            error.add_note(f"query {query!r}")
            raise
        return
    except BaseException as error:
        error.add_note(f"query {query!r}")
        raise
    if "\ud800" not in query:
        check_json(reply)


def test_queries_without_end_and_words_without_end_are_answered(
    harness: Harness,
) -> None:
    write(harness.vault, "Tea.md", f"oolong {'x' * 100_000} sencha")

    with harness.engine() as engine:
        engine.index()

        for query in (
            "oolong " * 5_000, "x" * 100_000, '"' + "oolong " * 500 + '"',
            "-oolong " * 500, "tag:" + "x/" * 5_000, "path:" + "é" * 5_000,
            "oolong* " * 300, "(" * 5_000, "[a:" * 3_000, "東" * 3_000,
        ):  # fmt: skip
            check_json(engine.search(query))
        assert paths(engine, "sencha") == ["Tea.md"]
