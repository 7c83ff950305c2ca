"""Links lead where Obsidian would lead them, however the vault came to be."""

from itertools import product
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.files.names import Names, name_key
from glassmind.index.pipeline import LinkTargets
from glassmind.model import NotePath
from glassmind.model.index import UndecidedLink
from glassmind.obsidian.text import fold

SOURCE = NotePath("S.md")


def lead(target: str, *paths: str, source: str = "S.md") -> NotePath | None:
    return Names.of([*paths, source]).resolve(target, NotePath(source))


def test_an_empty_target_is_the_note_itself() -> None:
    assert lead("", "a.md", source="x/S.md") == "x/S.md"


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("Note", "Note.md"),
        ("note", "Note.md"),
        ("NOTE.MD", "Note.md"),
        ("Note", "Note.MD"),
        ("Note.1", "Note.1.md"),
        ("Note.1.md", "Note.1.md"),
        ("v1.2/Note", "v1.2/Note.md"),
        ("y/N", "x/y/N.md"),
        ("Y/n", "x/y/N.md"),
        ("/x/y/N", "x/y/N.md"),
        ("//x/y/N", "x/y/N.md"),
        ("img.png", "assets/img.PNG"),
        ("Board.canvas", "Board.canvas"),
        ("Table.base", "Table.base"),
        ("caf\u00e9", "cafe\u0301.md"),
        ("cafe\u0301", "caf\u00e9.md"),
        ("\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c2.md"),
        ("İstanbul", "İstanbul.md"),
        ("two\u00a0words", "two words.md"),
        ("日本/語", "x/日本/語.md"),
    ],
)
def test_a_target_leads_to_the_file_it_names(target: str, path: str) -> None:
    assert lead(target, path, "other/Else.md") == path


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("N", "N.png"),
        ("Board", "Board.canvas"),
        ("Table", "Table.base"),
        ("README", "README"),
        ("/N", "x/N.md"),
        ("y/N", "xy/N.md"),
        ("./N", "x/N.md"),
        ("../N", "N.md"),
        ("../../etc/N", "etc/N.md"),
        ("/../N", "N.md"),
        ("a/../N", "N.md"),
        ("x\\N", "x/N.md"),
        ("x/", "x/N.md"),
        ("strasse", "Straße.md"),
        ("istanbul", "İstanbul.md"),
        ("izmir", "\u0131zmir.md"),
        (".", "N.md"),
        ("..", "N.md"),
        ("/", "N.md"),
        ("./", "N.md"),
    ],
)
def test_a_target_that_names_no_file_leads_nowhere(target: str, path: str) -> None:
    assert lead(target, path) is None


def test_a_file_with_that_very_extension_comes_before_a_note() -> None:
    assert lead("Note.1", "Note.1.md", "z/Note.1") == "z/Note.1"


def test_a_file_of_the_sources_folder_comes_before_a_shorter_path() -> None:
    assert lead("N", "N.md", "x/N.md", source="x/S.md") == "x/N.md"


def test_a_file_below_the_sources_folder_comes_before_the_rest() -> None:
    assert lead("N", "N.md", "x/deep/er/N.md", source="x/S.md") == "x/deep/er/N.md"


def test_a_folder_that_only_begins_alike_is_not_the_sources_folder() -> None:
    assert lead("N", "a/N.md", "xy/N.md", "x0/N.md", source="x/S.md") == "a/N.md"


def test_the_shortest_path_comes_before_the_first_in_the_alphabet() -> None:
    assert lead("N", "a/long/N.md", "z/N.md") == "z/N.md"
    assert lead("N", "b/N.md", "a/N.md") == "a/N.md"


def test_the_case_as_written_decides_between_names_that_differ_in_case() -> None:
    assert lead("note", "Note.md", "note.md") == "note.md"
    assert lead("Note", "Note.md", "note.md") == "Note.md"
    assert lead("NOTE", "Note.md", "note.md") == "Note.md"
    assert lead("/note", "Note.md", "note.md") == "note.md"
    assert lead("./N", "A/N.md", "a/N.md", source="a/S.md") == "a/N.md"


def test_a_relative_target_means_that_very_file() -> None:
    paths = ["a/N.md", "a/b/N.md", "N.md"]

    assert lead("./N", *paths, source="a/b/S.md") == "a/b/N.md"
    assert lead("../n", *paths, source="a/b/S.md") == "a/N.md"
    assert lead("../../N.md", *paths, source="a/b/S.md") == "N.md"
    assert lead("../../../N", *paths, source="a/b/S.md") is None
    assert lead("./b/../N", *paths, source="a/S.md") == "a/N.md"


def test_a_markdown_target_with_a_url_scheme_leads_out_of_the_vault() -> None:
    names = Names.of(["https:x.md", "x.md"])

    assert names.resolve("https:x.md", SOURCE, markdown=True) is None
    assert names.resolve("https:x.md", SOURCE) == "https:x.md"
    assert names.resolve("x.md", SOURCE, markdown=True) == "x.md"


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("Note.1", "a/Note.1.md"),
        ("x/Note", "Note.md"),
        ("Note.md", "Note.MD"),
        ("a.md", "a.md.md"),
        ("img.png", "b/IMG.png"),
        ("ΟΔΟΣ", "οδος.md"),
    ],
)
def test_a_link_and_the_file_it_may_mean_share_a_key(target: str, path: str) -> None:
    assert name_key(target) == name_key(path)


def test_the_key_of_an_attachment_keeps_its_extension() -> None:
    assert name_key("x/Img.PNG") == "img.png"
    assert name_key("Note.1.md") == "note.1"


SEGMENT = st.sampled_from(
    ["a", "A", "b", "n", "N", "é", "E\u0301", "Σ", "ΑΣ", "ας", "n.1", "i", "İ"]
)
SUFFIX = st.sampled_from(["", ".md", ".MD", ".md.md", ".png", ".1"])
FILES = st.builds(
    lambda folders, name, suffix: normalize("NFC", "/".join([*folders, name + suffix])),
    st.lists(SEGMENT, max_size=3),
    SEGMENT,
    SUFFIX,
)
TARGETS = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "", "", "./", "../", "../../", "/", "a/../"]),
    st.lists(SEGMENT, min_size=1, max_size=3).map("/".join),
    SUFFIX,
)


@given(st.text())
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(normalize("NFD", text)) == fold(text)


@given(
    before=st.sets(FILES, max_size=8),
    after=st.sets(FILES, max_size=8),
    links=st.lists(st.tuples(TARGETS, FILES), max_size=12),
)
def test_resolving_only_the_links_of_touched_keys_equals_starting_over(
    before: set[str], after: set[str], links: list[tuple[str, str]]
) -> None:
    names = Names.of(before)
    ends = {link: names.resolve(link[0], NotePath(link[1])) for link in links}

    for path in before - after:
        names.remove(path)
    for path in after - before:
        names.add(path)
    touched = {name_key(path) for path in before ^ after}
    for target, source in ends:
        if name_key(target) in touched:
            ends[target, source] = names.resolve(target, NotePath(source))

    fresh = Names.of(sorted(after))
    assert ends == {link: fresh.resolve(link[0], NotePath(link[1])) for link in links}


def plainly(target: str, source: str, files: set[str]) -> str | None:
    """The table of rules, read out without an index."""
    folder = source.rpartition("/")[0]
    for text in [target] * ("." in target.rpartition("/")[2]) + [target + ".md"]:
        fits = [p for p in files if f"/{fold(p)}".endswith(f"/{fold(text)}")]
        if fits:
            return min(
                fits,
                key=lambda p: (
                    bool(folder) and not p.startswith(f"{folder}/"),
                    len(p),
                    not f"/{p}".endswith(f"/{text}"),
                    p,
                ),
            )
    return None


@given(
    files=st.sets(FILES, max_size=12),
    target=st.lists(SEGMENT, min_size=1, max_size=3)
    .map("/".join)
    .map(lambda text: normalize("NFC", text)),
    suffix=SUFFIX,
    source=FILES,
)
def test_the_index_answers_as_the_rules_read(
    files: set[str], target: str, suffix: str, source: str
) -> None:
    names = Names.of(files)

    found = names.resolve(target + suffix, NotePath(source))

    assert found == plainly(target + suffix, source, files)


def test_fifty_thousand_files_of_one_name_are_not_searched_one_by_one() -> None:
    paths = [f"f{n:05}/index.md" for n in range(50_000)]
    names = Names.of(paths)

    ends = [
        names.resolve(target, NotePath(f"{folder}/S.md"))
        for n in range(0, 50_000, 5)
        for target, folder in [
            ("index", f"f{n:05}"),
            ("index", f"g{n}"),
            (f"f{n:05}/index", "x"),
        ]
    ]

    assert ends[:3] == ["f00000/index.md", "f00000/index.md", "f00000/index.md"]
    assert ends[-3:] == ["f49995/index.md", "f00000/index.md", "f49995/index.md"]
    for path in paths:
        names.remove(path)
    assert names.resolve("index", SOURCE) is None


FEW_FILES = [
    f"{folder}{name}.md" for folder in ("", "x/", "y/", "x/y/") for name in "NM"
]
FEW_TARGETS = ["N", "n.md", "M", "x/N", "./N", "../N", "/N", "", "O"]


@given(st.sets(st.sampled_from(FEW_FILES)), st.permutations(FEW_FILES), st.booleans())
def test_ends_that_are_remembered_are_those_that_would_be_found_anew(
    files: set[str], sources: list[str], markdown_first: bool
) -> None:
    ids = {NotePath(path): at for at, path in enumerate(sorted(files))}
    ends, names = LinkTargets.of(ids), Names.of(ids)

    for source, target in product(map(NotePath, sources), FEW_TARGETS):
        for markdown in (markdown_first, not markdown_first):
            kind = "markdown" if markdown else "wikilink"
            link = UndecidedLink(-1, 0, source, kind, target, name_key(target))
            found = names.resolve(target, source, markdown=markdown)
            anew = -1 if not target else None if found is None else ids[found]
            assert ends.of_link(link) == anew
