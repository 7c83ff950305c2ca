"""Where changesets are kept: whole, private, by state, and not for ever."""

import os
import stat
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.errors import (
    ChangesetUnknown,
    EditRefused,
    NowhereToKeep,
    WriteFailed,
)
from glassmind.model import NotePath
from glassmind.model.edits import Changeset, ChangeState, Draft, FileStep, Rewritten
from glassmind.store.changesets import ChangesetFolder, packed, unpacked

WHEN = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
EDIT = FileStep(NotePath("Tea.md"), NotePath("Tea.md"), b"oolong\r\n", b"sencha\r\n")
DRAFT = Draft(
    "move",
    "Tea.md to Drinks/Tea.md",
    (
        EDIT,
        FileStep(NotePath("Old"), NotePath("New"), None, b"", folder=True),
        FileStep(None, NotePath("Caf\u00e9.md"), None, b"\0\xff"),
    ),
    Rewritten(3, 2),
    1,
    ("a risk",),
    {"similarity": 0.9},
)


def book_in(folder: Path, when: datetime = WHEN) -> ChangesetFolder:
    return ChangesetFolder(folder, now=lambda: when)


def kept(
    book: ChangesetFolder, state: ChangeState = "applied", draft: Draft = DRAFT
) -> Changeset:
    changeset = book.made(draft, state, client="test")
    book.keep(changeset)
    return changeset


def file_of(folder: Path, changeset: Changeset) -> Path:
    return folder / "changesets" / changeset.state / f"{changeset.id}.change"


def ids(changesets: Sequence[Changeset]) -> list[str]:
    return [changeset.id for changeset in changesets]


def test_what_is_kept_comes_back_as_it_was(tmp_path: Path) -> None:
    made = kept(book_in(tmp_path), "proposed")

    assert made.id.startswith("20240506-")
    assert made.created == "2024-05-06T07:08:09.000+00:00"
    assert book_in(tmp_path).get(made.id) == made


@given(
    st.lists(
        st.tuples(st.none() | st.binary(max_size=50), st.binary(max_size=50)),
        max_size=5,
    ),
    st.text(st.characters(), max_size=20),
)
def test_any_content_and_any_name_is_read_as_it_was_written(
    contents: list[tuple[bytes | None, bytes]], name: str
) -> None:
    steps = tuple(
        FileStep(
            None if before is None else NotePath(name), NotePath(name), before, after
        )
        for before, after in contents
    )
    made = Changeset("20240506-abcde", "applied", "", name, Draft("edit", name, steps))

    assert unpacked(made.id, packed(made), "applied", "") == made


def test_a_list_has_no_content_and_the_newest_first(tmp_path: Path) -> None:
    for hours in (0, 2, 1, 49):
        kept(book_in(tmp_path, WHEN + timedelta(hours=hours)))
    book = book_in(tmp_path)

    listed, total = book.listed(("applied",))

    assert total == 4
    days = [changeset.created[:13] for changeset in listed]
    assert days == ["2024-05-08T08", "2024-05-06T09", "2024-05-06T08", "2024-05-06T07"]
    assert listed[0].draft.steps[0] == EDIT._replace(before=b"", after=b"")
    assert listed[0].draft.rewritten == Rewritten(3, 2)
    assert ids(book.listed((), limit=2)[0]) == ids(listed[:2])
    assert book.listed(("proposed",)) == ([], 0)


def test_another_state_is_told_with_its_reason_and_no_other(tmp_path: Path) -> None:
    book = book_in(tmp_path)
    made = book.made(DRAFT, "proposed", client="test", reason="a rule asks for it")
    book.keep(made)

    shifted = book.shift(made.id, "failed", reason="the disk is full")

    assert (shifted.state, shifted.reason) == ("failed", "the disk is full")
    assert book.get(made.id) == replace(made, state="failed", reason="the disk is full")
    assert book.shift(made.id, "applied").reason == ""
    assert book.get(made.id).reason == ""
    assert book.listed()[1] == 1


def test_what_is_being_applied_is_found_at_one_look(tmp_path: Path) -> None:
    book = book_in(tmp_path)
    assert book.unfinished() == []
    made = kept(book, "applying")

    assert book.unfinished() == [made.id]

    book.shift(made.id, "applied")
    assert book.unfinished() == []


def test_what_was_being_applied_is_applied_wherever_it_has_got_to(
    tmp_path: Path,
) -> None:
    book = book_in(tmp_path)
    made, moved = kept(book, "applying"), kept(book, "proposed")

    book.shift(made.id, "applied")
    book.shift(made.id, "applied")
    book.shift(moved.id, "applied")

    assert book.unfinished() == []
    assert {one.state for one in book.listed()[0]} == {"applied"}
    assert book.get(made.id) == replace(made, state="applied")
    with pytest.raises(ChangesetUnknown):
        book.shift("20260101-aaaaa", "applied")


def test_nobody_else_can_read_what_is_kept(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        made = kept(book_in(tmp_path))
        book_in(tmp_path).shift(made.id, "failed", reason="r")
    finally:
        os.umask(old)

    modes = {
        stat.S_IMODE(path.stat().st_mode)
        for path in (tmp_path / "changesets").rglob("*")
    }
    assert stat.S_IMODE((tmp_path / "changesets").stat().st_mode) == 0o700
    assert modes == {0o700, 0o600}


def test_an_id_may_be_shortened_while_it_is_the_only_one(tmp_path: Path) -> None:
    book = book_in(tmp_path)
    one = kept(book)

    assert book.get(one.id[:10].upper()).id == one.id

    other = kept(book)
    with pytest.raises(ChangesetUnknown) as raised:
        book.get("20240506")
    assert raised.value.nearest == tuple(sorted([one.id, other.id]))


@pytest.mark.parametrize("odd", ["", " ", "../applied/x", "20240506-zzzzz", "\0", "-"])
def test_an_id_that_is_none_is_unknown(tmp_path: Path, odd: str) -> None:
    kept(book_in(tmp_path))

    with pytest.raises(ChangesetUnknown):
        book_in(tmp_path).get(odd)


def test_an_unknown_id_names_the_nearest(tmp_path: Path) -> None:
    made = kept(book_in(tmp_path))
    typo = made.id[:-1] + ("a" if made.id[-1] != "a" else "b")

    with pytest.raises(ChangesetUnknown, match=f"did you mean {made.id}"):
        book_in(tmp_path).shift(typo, "failed")


def read_or_refused(book: ChangesetFolder, made: Changeset) -> str:
    try:
        found = book.get(made.id)
    except EditRefused as fault:
        return str(fault).partition("cannot be read: ")[2].partition(" is damaged")[0]
    return "as it was" if found == made else "another"


def test_a_file_cut_at_any_byte_is_told_and_never_raises(tmp_path: Path) -> None:
    book = book_in(tmp_path)
    made = kept(book)
    file = file_of(tmp_path, made)
    raw = file.read_bytes()

    for size in range(0, len(raw), 3):
        file.write_bytes(raw[:size])
        (listed,), _ = book.listed()
        assert listed.id == made.id
        if size <= raw.index(b"\n"):
            assert listed.reason.startswith(f"changeset {made.id} cannot be read")
        result = read_or_refused(book, made)
        assert result != "another"
        # the content needs none of the last bytes: they only check it, as we do
        if size < len(raw) - 8:
            assert result != "as it was"


def test_damaged_content_never_comes_back(tmp_path: Path) -> None:
    book = book_in(tmp_path)
    made = kept(book)
    file = file_of(tmp_path, made)
    raw = file.read_bytes()

    for at in range(raw.index(b"\n") + 1, len(raw)):
        file.write_bytes(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
        assert read_or_refused(book, made) in {"as it was", "what it holds of a file"}


@pytest.mark.parametrize(
    "line", [b"{}\n", b"[1]\n", b"null\n", b'{"format":2}\n', b'{"format":1}\n', b"\n"]
)
def test_a_first_line_of_another_kind_is_told(tmp_path: Path, line: bytes) -> None:
    book = book_in(tmp_path)
    made = kept(book)
    file_of(tmp_path, made).write_bytes(line)

    (listed,), total = book.listed()

    assert total == 1
    assert "cannot be read" in listed.reason
    assert book.shift(made.id, "failed").state == "failed"


def test_other_files_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    book = book_in(tmp_path)
    kept(book)
    odd = tmp_path / "changesets" / "applied" / "notes.change"
    odd.write_text("mine")

    assert book.listed()[1] == 1


def test_only_the_latest_previews_stay_and_none_for_long(tmp_path: Path) -> None:
    kept(book_in(tmp_path, datetime.now(UTC) - timedelta(days=2)))
    book = ChangesetFolder(tmp_path)
    old = kept(book, "previewed")
    times = [file_of(tmp_path, old)]
    for _ in range(54):
        times.append(file_of(tmp_path, kept(book, "previewed")))
        assert times[-1].exists()

    assert book.listed(("previewed",))[1] == 50

    there = [file for file in times if file.exists()]
    for file in there[:20]:
        os.utime(file, (0, 0))
    last = kept(book, "previewed")
    assert book.listed(("previewed",))[1] == 31
    assert book.get(last.id) == last


def test_what_is_old_goes_when_something_is_kept(tmp_path: Path) -> None:
    early = book_in(tmp_path)
    done, waits = kept(early), kept(early, "proposed")
    early.shift(waits.id, "rejected", reason="no")
    unsettled = kept(early, "applying")
    part = tmp_path / "changesets" / "applied" / "20240506-aaaaa-00.part"
    part.write_bytes(b"half")
    os.utime(part, (0, 0))

    within = book_in(tmp_path, WHEN + timedelta(days=90))
    kept(within)
    assert within.get(done.id) == done

    late = book_in(tmp_path, WHEN + timedelta(days=91))
    kept(late)
    for gone in (done, waits):
        with pytest.raises(ChangesetUnknown):
            late.get(gone.id)
    assert late.get(unsettled.id) == unsettled
    assert not part.exists()
    assert list((tmp_path / "changesets" / "rejected").iterdir()) == []


def test_without_a_folder_nothing_is_kept_and_nothing_is_there() -> None:
    book = ChangesetFolder(None)
    made = book.made(DRAFT, "applied", client="test")

    with pytest.raises(NowhereToKeep):
        book.keep(made)
    with pytest.raises(ChangesetUnknown):
        book.get(made.id)
    assert book.listed() == ([], 0)
    assert book.unfinished() == []


def test_a_disk_that_refuses_is_told(tmp_path: Path) -> None:
    (tmp_path / "changesets").write_text("a file where the folder should be")
    book = book_in(tmp_path)

    with pytest.raises(WriteFailed, match="was not written"):
        kept(book)


KEEPER = dedent(
    """
    import sys
    from pathlib import Path
    from glassmind.errors import ChangesetUnknown
    from glassmind.store.changesets import ChangesetFolder
    from glassmind.model.edits import Draft, FileStep

    book = ChangesetFolder(Path(sys.argv[1]))
    shared = sys.argv[2]
    for at in range(25):
        made = book.made(Draft("edit", str(at), (FileStep("a", "a", b"x", b"y"),)),
                         "applying", client=sys.argv[3])
        book.keep(made)
        book.shift(made.id, "applied")
        book.shift(shared, "failed" if at % 2 else "proposed", reason=str(at))
        assert book.get(shared).draft.title == "shared"
        assert all(one.draft.facts == {} for one in book.listed()[0])
    """
)


def test_many_keep_and_shift_at_once_and_lose_nothing(tmp_path: Path) -> None:
    book = ChangesetFolder(tmp_path)
    draft = Draft("edit", "shared", (EDIT,))
    shared = kept(book, "proposed", draft)

    arguments = [sys.executable, "-c", KEEPER, str(tmp_path), shared.id]
    running = [subprocess.Popen([*arguments, str(at)]) for at in range(3)]
    codes = [one.wait(timeout=60) for one in running]

    assert codes == [0, 0, 0]
    assert book.listed(("applied",))[1] == 75
    assert book.get(shared.id).draft == draft
    assert book.unfinished() == []
