"""Reading never leaves the vault, never blocks, and says what went wrong."""

import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassmind.errors import (
    FileGone,
    FileTooLarge,
    FileUnreadable,
    PathOutsideVault,
    VaultError,
    VaultMissing,
)
from glassmind.files import read
from glassmind.files.read import VaultFiles, read_file, safe_path
from glassmind.model import NotePath

posix = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX file system")
CANARY = b"the canary outside"


@pytest.fixture(params=["in_steps", "by_name"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every way of opening that some system uses."""
    match request.param:
        case "in_steps" if os.name == "nt":
            pytest.skip("Windows opens by name only")
        case "by_name":
            monkeypatch.setattr(read, "_BY_DESCRIPTOR", False)
    return str(request.param)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "b" / "Tea.md").write_bytes(b"oolong")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "Tea.md").write_bytes(CANARY)
    return root


def test_a_file_is_read_and_measured(vault: Path, way: str) -> None:
    with VaultFiles(vault) as files:
        assert files.read("a/b/Tea.md") == b"oolong"
        assert files.stat("a/b/Tea.md").st_size == 6
    assert read_file(vault, "a/b/Tea.md") == b"oolong"


def test_an_empty_file_is_read(vault: Path, way: str) -> None:
    (vault / "Empty.md").touch()

    assert read_file(vault, "Empty.md") == b""


@pytest.mark.parametrize("path", ["None.md", "x/None.md", "a/b/Tea.md/x", "n" * 300])
def test_a_file_that_is_not_there_is_gone(vault: Path, way: str, path: str) -> None:
    with VaultFiles(vault) as files:
        with pytest.raises(FileGone):
            files.read(path)
        with pytest.raises(FileGone):
            files.stat(path)


def test_a_file_above_the_limit_is_not_read(vault: Path, way: str) -> None:
    assert read_file(vault, "a/b/Tea.md", limit_bytes=6) == b"oolong"
    with pytest.raises(FileTooLarge, match="5 bytes"):
        read_file(vault, "a/b/Tea.md", limit_bytes=5)


def test_a_file_that_grows_past_the_limit_while_read_is_given_up(vault: Path) -> None:
    file = os.open(vault / "a" / "b" / "Tea.md", os.O_RDONLY)

    raw = read.read_all(file, 2, 4)
    os.close(file)

    assert len(raw) == 5


def test_a_file_that_shrinks_while_read_is_read_to_its_end(vault: Path) -> None:
    file = os.open(vault / "a" / "b" / "Tea.md", os.O_RDONLY)

    raw = read.read_all(file, 100, 1000)
    os.close(file)

    assert raw == b"oolong"


def test_a_folder_is_not_a_file(vault: Path, way: str) -> None:
    with pytest.raises(FileUnreadable):
        read_file(vault, "a/b")


@pytest.mark.parametrize(
    "path",
    ["../outside/Tea.md", "a/../../outside/Tea.md", "", ".", "a//b", "/a", "a\0"],
)
def test_a_path_that_climbs_is_refused(vault: Path, way: str, path: str) -> None:
    with VaultFiles(vault) as files:
        with pytest.raises(PathOutsideVault):
            files.read(path)
        with pytest.raises(PathOutsideVault):
            files.stat(path)


@posix
def test_symbolic_links_are_refused_wherever_they_stand(vault: Path, way: str) -> None:
    (vault / "Out.md").symlink_to(vault.parent / "outside" / "Tea.md")
    (vault / "In.md").symlink_to("a/b/Tea.md")
    (vault / "out").symlink_to(vault.parent / "outside")
    (vault / "loop").symlink_to("loop")

    with VaultFiles(vault) as files:
        for path in ["Out.md", "In.md", "out/Tea.md", "loop", "loop/Tea.md"]:
            with pytest.raises(PathOutsideVault, match="symbolic link"):
                files.read(path)
            with pytest.raises(PathOutsideVault, match="symbolic link"):
                files.stat(path)


@posix
@pytest.mark.timeout(30)
def test_pipes_and_sockets_do_not_block_and_are_refused(
    vault: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(vault / "Pipe.md")
    monkeypatch.chdir(vault)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("Socket.md")

        for name in ["Pipe.md", "Socket.md"]:
            with pytest.raises(FileUnreadable):
                read_file(vault, name)


@posix
def test_a_file_that_is_not_downloaded_is_not_read(vault: Path, way: str) -> None:
    with (vault / "Cloud.md").open("wb") as file:
        file.truncate(1_000_000)

    with pytest.raises(FileUnreadable, match="not downloaded"):
        read_file(vault, "Cloud.md")


def spin(swap: Callable[[], None], stop: threading.Event) -> threading.Thread:
    def turn() -> None:
        while not stop.is_set():
            swap()

    thread = threading.Thread(target=turn)
    thread.start()
    return thread


@posix
@pytest.mark.timeout(60)
def test_a_folder_swapped_for_a_link_never_shows_what_is_outside(
    vault: Path, way: str
) -> None:
    inner, aside = vault / "a" / "b", vault / "a" / "c"
    seen = set()

    def swap() -> None:
        inner.rename(aside)
        inner.symlink_to(vault.parent / "outside")
        inner.unlink()
        aside.rename(inner)

    stop = threading.Event()
    thread = spin(swap, stop)
    try:
        with VaultFiles(vault) as files:
            for _ in range(1500):
                try:
                    seen.add(files.read("a/b/Tea.md"))
                except VaultError as fault:
                    seen.add(type(fault).__name__.encode())
    finally:
        stop.set()
        thread.join(timeout=30)

    assert CANARY not in seen
    assert read_file(vault, "a/b/Tea.md") == b"oolong"


@posix
@pytest.mark.parametrize(
    "spelled",
    [
        normalize("NFD", "Büro/Café.md"),
        "Büro/" + normalize("NFD", "Café.md"),
        normalize("NFD", "Büro") + "/Café.md",
    ],
)
def test_a_file_that_the_disk_spells_otherwise_is_found(
    vault: Path, way: str, spelled: str
) -> None:
    file = vault / spelled
    file.parent.mkdir()
    file.write_bytes(b"espresso")

    with VaultFiles(vault) as files:
        assert files.read("Büro/Café.md") == b"espresso"
        assert files.read(spelled) == b"espresso"
        assert files.stat("Büro/Café.md").st_size == 8
        with pytest.raises(FileGone):
            files.read("Büro/Thé.md")


def test_a_root_that_is_not_there_is_a_missing_vault(tmp_path: Path, way: str) -> None:
    (tmp_path / "file").touch()

    for root in [tmp_path / "none", tmp_path / "file"]:
        with pytest.raises(VaultMissing, match="mounted"):
            VaultFiles(root)


def test_closing_twice_changes_nothing(vault: Path) -> None:
    files = VaultFiles(vault)
    files.close()
    files.close()


HOSTILE = [
    "",
    "/etc/passwd",
    "//server/share/x.md",
    "../x.md",
    "a/../../x.md",
    "a/..",
    "..",
    ".",
    "./x.md",
    "a/./x.md",
    "a//x.md",
    "a/",
    "~/x.md",
    "~root/x.md",
    "C:\\x.md",
    "C:/x.md",
    "c:",
    "\\\\server\\share\\x.md",
    "a\\..\\x.md",
    "file:///etc/passwd",
    "file:x.md",
    "https://example.com/x.md",
    "%2e%2e/x.md",
    "%2e%2e%2fx.md",
    "%252e%252e%252fx.md",
    "..%5cx.md",
    "%2fetc/passwd",
    "a%00.md",
    "a\0.md",
    "a\n.md",
    "a.md:stream",
    "a.md::$DATA",
    "\uff0e\uff0e/x.md",
    "\uff0e\uff0e\uff0fx.md",
    "\udce9.md",
    "x" * 5000,
    "a/" * 2500 + "x.md",
    "n" * 800 + ".md",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_path_that_does_not_stay_inside_is_refused(text: str) -> None:
    with pytest.raises(PathOutsideVault, match="no path inside the vault") as caught:
        safe_path(text)

    assert len(str(caught.value)) < 1500


@pytest.mark.parametrize(
    "text", [*HOSTILE, "CON", "a/nul.md", "a.md.", "a.md ", "a:b.md"]
)
def test_on_windows_names_with_another_meaning_are_refused_too(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr("glassmind.files.read._ON_WINDOWS", True)

    with pytest.raises(PathOutsideVault):
        safe_path(text)


@pytest.mark.parametrize(
    "text",
    [
        "Note.md",
        "a/b/Note.md",
        "100%.md",
        "50%2F50.md",
        "Q\uff0fA.md",
        "v1.2.md",
        "…/x.md",
        "...md",
        "日本/語.md",
        ".agent/memory/x.md",
    ],
)
def test_a_path_inside_comes_back_as_given(text: str) -> None:
    assert safe_path(text) == text


def test_a_path_comes_back_composed() -> None:
    assert safe_path("Cafe\u0301.md") == "Café.md"


@given(st.text(alphabet="./\\~%2eaC:\0\uff0e", max_size=12))
def test_whatever_is_accepted_has_only_plain_parts(text: str) -> None:
    try:
        path: NotePath = safe_path(text)
    except PathOutsideVault:
        return

    assert {"", ".", ".."}.isdisjoint(path.split("/"))
    assert not Path(path).is_absolute()


@posix
def test_no_descriptor_is_left_open(vault: Path) -> None:
    (vault / "out").symlink_to(vault.parent)
    root = os.open(vault, os.O_RDONLY)
    before = _open_beneath(vault)

    for path in ["a/b/Tea.md", "a/b/None.md", "out/x", "a/b/Tea.md/x"] * 5:
        try:
            os.close(read.open_in_steps(root, path, os.O_RDONLY))
        except OSError:
            continue

    after = _open_beneath(vault)
    os.close(root)
    assert after == before == [vault.stat().st_ino]


def _open_beneath(folder: Path) -> list[int]:
    """Return the files at a folder and beneath it that are open in this process.

    Others that it opens and closes meanwhile, in threads of other tests, do not count.
    """
    beneath_it = [folder.parent, folder, *folder.rglob("*")]
    inside = {(at := path.lstat()).st_ino: at.st_dev for path in beneath_it}
    held = list[int]()
    for handle in Path("/dev/fd").iterdir():
        with suppress(OSError):  # the listing itself was one of them
            at = os.fstat(int(handle.name))
            if inside.get(at.st_ino) == at.st_dev:
                held.append(at.st_ino)
    return sorted(held)


@pytest.mark.usefixtures("way")
def test_the_end_of_a_file_is_read_and_what_stands_before_is_counted(
    tmp_path: Path,
) -> None:
    (tmp_path / "log.jsonl").write_bytes(b"0123456789")

    with VaultFiles(tmp_path) as files:
        assert files.tail("log.jsonl", limit_bytes=4) == (b"6789", 6)
        assert files.tail("log.jsonl", limit_bytes=100) == (b"0123456789", 0)
        with pytest.raises(FileGone):
            files.tail("none.jsonl", limit_bytes=4)


@posix
@pytest.mark.usefixtures("way")
def test_the_names_in_a_folder_are_told_in_order_and_never_those_outside(
    tmp_path: Path,
) -> None:
    root = tmp_path / "Notes"
    (root / "inbox").mkdir(parents=True)
    for name in ("b.md", "a.md", normalize("NFD", "é.md")):
        (root / "inbox" / name).write_bytes(b"")
    (root / "out").symlink_to(tmp_path)

    with VaultFiles(root) as files:
        assert files.names("inbox") == ["a.md", "b.md", "é.md"]
        assert files.names("none") == []
        assert files.names("inbox/a.md") == []
        with pytest.raises(PathOutsideVault):
            files.names("out")
        with pytest.raises(PathOutsideVault):
            files.names("../")
