"""A name is found in the rows as it is found among all names, and says the same."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from vault_harness import VaultHarness

from glassmind.errors import AmbiguousName, NoteNotFound
from glassmind.files.names import NamedNote, guessed_note, kept_note, sure_note
from glassmind.model import NotePath
from glassmind.store.sqlite.store import SqliteStore


def find_note(name: str, notes: Sequence[NamedNote]) -> NotePath:
    return sure_note(name, notes) or guessed_note(name, notes)


NOTES: dict[str, str | bytes] = {
    "Tea.md": "---\naliases: [Brew, tea leaves]\n---\n",
    "tea.md.md": "a note of the file name tea.md",
    "drinks/Tea.md": "",
    "drinks/Oolong.md": "---\naliases: [Wulong, TEA]\n---\n",
    "drinks/ Mate.md": "",
    " Tea.md": "a blank before it",
    "a/Index.md": "---\naliases: [Contents]\n---\n",
    "b/Index.md": "---\naliases: [Contents]\n---\n",
    "b/c/index.MD.md": "",
    "Café.md": "---\naliases: [ÉCLAIR]\n---\n",
    "ΟΔΟΣ.md": "",
    "İzmir.md": "",
    "Boards/Plan.canvas": '{"nodes": [], "edges": []}',
    "Boards/Views.base": "views: []",
    "Views.md": "",
    "pictures/Kettle.png": b"png",
    "100%/it's #1.md": "",
    "log/2024-01-02.md": "",
}

WORDS = sorted(
    {part for path in NOTES for part in (path, *path.split("/"), path[:-3])}
    | {"tea leaves", "Contents", "οδος", "éclair", "[[Tea|x]]", "Brew", "Plan"}
)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultHarness]:
    harness = VaultHarness(tmp_path_factory.mktemp("names"))
    harness.indexed(NOTES)
    yield harness
    harness.close()


names = st.one_of(
    st.sampled_from(WORDS),
    st.builds(
        lambda before, word, change, after: before + change(word) + after,
        st.sampled_from(["", "/", "./", " ", "a/", "drinks/"]),
        st.sampled_from(WORDS),
        st.sampled_from([str, str.lower, str.upper, str.title]),
        st.sampled_from(["", ".md", ".MD", " ", "#x", "\0", "/", "\udcff"]),
    ),
    st.text(max_size=12),
)


def every_name(shelf: VaultHarness) -> list[NamedNote]:
    known = SqliteStore(shelf.folder).rows().notes()
    return [NamedNote(note.path, note.title, note.aliases) for note in known]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=names)
def test_a_name_means_the_same_with_and_without_a_look_at_every_note(
    shelf: VaultHarness, name: str
) -> None:
    def answer(find: str) -> str:
        try:
            if find == "rows":
                return shelf.engine.links(name).note.path
            return find_note(name, every_name(shelf))
        except (NoteNotFound, AmbiguousName) as fault:
            return str(fault)

    assert answer("rows") == answer("every name")


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("drinks/Oolong.md", "drinks/Oolong.md"),
        ("drinks/Oolong", "drinks/Oolong.md"),
        ("Oolong", "drinks/Oolong.md"),
        ("Oolong.md", "drinks/Oolong.md"),
        ("DRINKS/OOLONG", "drinks/Oolong.md"),
        ("Plan.canvas", "Boards/Plan.canvas"),
        ("İzmir", "İzmir.md"),
        ("Wulong", None),
        ("Oolnog", None),
        ("", None),
    ],
)
def test_most_names_need_no_look_at_every_note(
    shelf: VaultHarness, name: str, path: str | None
) -> None:
    assert kept_note(name, SqliteStore(shelf.folder).rows().notes) == path


def test_two_notes_of_a_title_are_listed_without_a_look_at_every_note(
    shelf: VaultHarness,
) -> None:
    with pytest.raises(AmbiguousName) as caught:
        kept_note("Index", SqliteStore(shelf.folder).rows().notes)

    assert caught.value.candidates == ("a/Index.md", "b/Index.md")


def test_a_whole_path_on_disk_is_found(shelf: VaultHarness) -> None:
    file = Path(shelf.root, "drinks", "Oolong.md")

    assert shelf.engine.links(str(file)).note.path == "drinks/Oolong.md"
