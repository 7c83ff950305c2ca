"""What a changeset does to each file, as people read it."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassmind.edit.diffs import MOST_SHOWN, MOST_SHOWN_IN_ALL, changed, file_diff
from glassmind.files.read import digest_of
from glassmind.model import NotePath
from glassmind.model.edits import Changeset, Draft, FileStep

TEA = NotePath("Tea.md")


def edit(before: bytes, after: bytes) -> FileStep:
    return FileStep(TEA, TEA, before, after)


def test_a_diff_shows_what_changes_and_three_lines_around_it() -> None:
    before = b"".join(b"%d\n" % at for at in range(1, 21))
    after = before.replace(b"\n10\n", b"\nten\nand more\n")

    found = file_diff(edit(before, after))

    assert (found.added, found.removed) == (2, 1)
    assert (found.before, found.after) == (digest_of(before), digest_of(after))
    assert found.diff == (
        "--- a/Tea.md\n+++ b/Tea.md\n@@ -7,7 +7,8 @@\n"
        " 7\n 8\n 9\n-10\n+ten\n+and more\n 11\n 12\n 13\n"
    )


def test_a_new_file_comes_from_nowhere() -> None:
    found = file_diff(FileStep(None, TEA, None, b"oolong"))

    assert found.before is None
    assert found.diff == (
        "--- /dev/null\n+++ b/Tea.md\n@@ -0,0 +1 @@\n+oolong\n"
        "\\ No newline at end of file\n"
    )


def test_a_move_is_told() -> None:
    found = file_diff(FileStep(TEA, NotePath("a/Tea.md"), b"x\n", b"x\n"))

    assert found.diff == "rename from Tea.md\nrename to a/Tea.md\n"
    assert (found.added, found.removed) == (0, 0)


def test_a_move_that_changes_the_text_shows_both() -> None:
    found = file_diff(FileStep(TEA, NotePath("a/Tea.md"), b"x\n", b"y\n"))

    assert found.diff.startswith("rename from Tea.md\nrename to a/Tea.md\n--- a/Tea.md")
    assert (found.added, found.removed) == (1, 1)


def test_a_folder_that_is_moved_is_told() -> None:
    step = FileStep(NotePath("a"), NotePath("b"), None, b"", folder=True)

    assert file_diff(step).diff == "rename from a/\nrename to b/\n"


def test_what_goes_to_the_trash_is_told_as_deleted() -> None:
    found = file_diff(FileStep(TEA, NotePath(".trash/Tea.md"), b"x\n", b"x\n"))

    assert found.diff == "deleted Tea.md\nkept as .trash/Tea.md\n"


def test_a_file_that_is_no_text_is_a_sentence() -> None:
    found = file_diff(edit(b"\x89PNG\0\0", b"\x89PNG\0\0\0"))

    assert found.diff == "It is not a text file: 6 bytes before, 7 bytes after.\n"


def test_a_huge_file_is_a_sentence_with_counts() -> None:
    before = b"line\n" * 500_000

    found = file_diff(edit(before, before + b"more\n"))

    assert (found.added, found.removed) == (1, 0)
    assert found.diff.startswith("It is too large to be shown: 2,500,000 bytes before")


def test_a_text_in_another_encoding_is_shown_as_text() -> None:
    found = file_diff(
        edit("caf\u00e9\n".encode("utf-16"), "th\u00e9\n".encode("utf-16"))
    )

    assert "-caf\u00e9\n+th\u00e9\n" in found.diff


def test_a_long_diff_is_cut_and_says_so() -> None:
    found = file_diff(edit(b"", b"word\n" * 100_000))

    assert found.added == 100_000
    assert len(found.diff) < MOST_SHOWN + 100
    assert found.diff.endswith(" more lines of this diff are not shown\n")


def test_many_long_diffs_are_cut_in_all() -> None:
    steps = (edit(b"", b"word\n" * 20_000),) * 30
    made = Changeset("20240506-abcde", "applied", "", "", Draft("edit", "t", steps))

    found = changed(made, notices=["n"])

    assert sum(len(file.diff) for file in found.files) < MOST_SHOWN_IN_ALL * 1.1
    assert [file.added for file in found.files] == [20_000] * 30
    assert found.applied
    assert found.notices == ("n",)


TEXTS = st.builds(
    lambda lines, last: "".join(line + "\n" for line in lines) + last,
    st.lists(st.sampled_from(["a", "b", "caf\u00e9", "", "d"]), max_size=30),
    st.sampled_from(["", "end"]),
)


@pytest.mark.skipif(shutil.which("patch") is None, reason="patch is not installed")
@settings(max_examples=40, deadline=None)
@given(before=TEXTS, after=TEXTS)
def test_a_program_that_applies_diffs_makes_the_new_text_of_the_old(
    tmp_path_factory: pytest.TempPathFactory, before: str, after: str
) -> None:
    folder: Path = tmp_path_factory.mktemp("patch")
    old, new = before.encode(), after.encode()
    if not old or old == new or not new:
        return  # patch deletes a file that becomes empty
    (folder / "Tea.md").write_bytes(old)

    found = file_diff(edit(old, new))
    subprocess.run(
        ["patch", "-s", "-p1", "-d", str(folder)],
        input=found.diff.encode(),
        check=True,
        timeout=30,
    )

    assert (folder / "Tea.md").read_bytes() == new
