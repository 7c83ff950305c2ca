"""A scan sees what changed and what is gone, and never mistakes unseen for gone."""

import json
import os
import socket
import sys
from pathlib import Path
from unicodedata import normalize

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from glassmind.files import scan as scan_module
from glassmind.files.ignore import IgnoreRules, load_rules
from glassmind.files.read import read_file
from glassmind.files.scan import Scan, kind_of, scan, stamp_of, storable_time
from glassmind.model import NotePath

posix = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX file system")
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs names of any bytes")
RULES = IgnoreRules()


def write(root: Path, *paths: str) -> None:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(path.encode())


def stamps(found: Scan) -> dict[NotePath, int]:
    return {file.path: file.stamp for file in found.changed}


def paths(found: Scan) -> list[str]:
    return [file.path for file in found.changed]


def reasons(found: Scan) -> dict[str, str]:
    return {entry.path: entry.reason for entry in found.skipped}


@pytest.fixture(params=["by_descriptor", "by_name"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of listing a folder that some system uses."""
    if request.param == "by_name":
        monkeypatch.setattr(scan_module, "_BY_DESCRIPTOR", False)
    elif os.name == "nt":
        pytest.skip("Windows lists by name only")
    return str(request.param)


def test_a_first_scan_finds_every_file_in_order_with_its_facts(
    tmp_path: Path, way: str
) -> None:
    write(tmp_path, "b/Tea.md", "a.MD", "b/c/Plan.canvas", "b/T.base", "img.png")

    found = scan(tmp_path, RULES, {})

    assert [(file.path, file.kind) for file in found.changed] == [
        ("a.MD", "markdown"),
        ("b/T.base", "base"),
        ("b/Tea.md", "markdown"),
        ("b/c/Plan.canvas", "canvas"),
        ("img.png", "attachment"),
    ]
    facts = (tmp_path / "b" / "Tea.md").stat()
    tea = found.changed[2]
    assert (tea.size, tea.mtime_ns) == (facts.st_size, facts.st_mtime_ns)
    assert tea.stamp == stamp_of(facts, RULES.seed)
    assert tea.disk_path is None
    assert found.seen == 5
    assert not found.missing


def test_an_unchanged_vault_has_nothing_to_say(tmp_path: Path, way: str) -> None:
    write(tmp_path, "a.md", "b/c.md")
    known = stamps(scan(tmp_path, RULES, {}))

    assert scan(tmp_path, RULES, known) == Scan([], [], [], 2, [])


def test_added_changed_and_missing_files_are_told_apart(
    tmp_path: Path, way: str
) -> None:
    write(tmp_path, "same.md", "changed.md", "x/gone.md")
    known = stamps(scan(tmp_path, RULES, {}))
    (tmp_path / "changed.md").write_bytes(b"longer than it was before")
    (tmp_path / "x" / "gone.md").unlink()
    write(tmp_path, "new.md")

    found = scan(tmp_path, RULES, known)

    assert paths(found) == ["changed.md", "new.md"]
    assert found.missing == ["x/gone.md"]
    assert not found.unknown
    assert found.seen == 3


def test_a_modification_time_that_goes_back_is_a_change(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    known = stamps(scan(tmp_path, RULES, {}))
    os.utime(tmp_path / "a.md", ns=(10**18, 10**18))

    assert paths(scan(tmp_path, RULES, known)) == ["a.md"]


@posix
def test_new_content_of_equal_size_and_time_is_a_change(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    known = stamps(scan(tmp_path, RULES, {}))
    before = (tmp_path / "a.md").stat()
    (tmp_path / "new").write_bytes(b"b.md")
    (tmp_path / "new").replace(tmp_path / "a.md")
    os.utime(tmp_path / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))

    assert paths(scan(tmp_path, RULES, known)) == ["a.md"]


def test_a_stamp_of_zero_means_look_again(tmp_path: Path) -> None:
    write(tmp_path, "a.md")

    assert paths(scan(tmp_path, RULES, {NotePath("a.md"): 0})) == ["a.md"]


def test_a_file_the_rules_newly_exclude_is_missing_and_listed(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "Archive/b.md", ".agent/m.md")
    known = stamps(scan(tmp_path, load_rules(tmp_path), {}))
    (tmp_path / ".glassmindignore").write_text("a.md\n")

    rules = load_rules(tmp_path, ignore_dirs=["Archive"], include_agent_dir=False)
    found = scan(tmp_path, rules, known)

    assert found.missing == [".agent/m.md", "Archive/b.md", "a.md"]
    assert list(reasons(found)) == ["Archive", "a.md"]
    assert found.seen == 0


def test_leftovers_are_listed_and_hidden_entries_are_not(tmp_path: Path) -> None:
    write(
        tmp_path,
        ".git/config",
        ".obsidian/app.json",
        ".hidden.md",
        ".env",
        ".agent/cache/x.md",
        ".agent/memory/y.md",
        "node_modules/p/README.md",
        "Note (Conflicted copy PHONE 202401011200).md",
        "x/Note.sync-conflict-20240101-120000-ABCDEFG.md",
    )

    found = scan(tmp_path, load_rules(tmp_path), {})

    assert paths(found) == [".agent/memory/y.md"]
    assert list(reasons(found)) == [
        ".env",
        "Note (Conflicted copy PHONE 202401011200).md",
        "node_modules",
        "x/Note.sync-conflict-20240101-120000-ABCDEFG.md",
    ]


@posix
def test_links_pipes_and_sockets_are_listed_and_never_followed(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "vault"
    write(root, "a.md")
    write(tmp_path, "outside/secret.md")
    (root / "parent").symlink_to(root)
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "Link.md").symlink_to("a.md")
    (root / "Dangling.md").symlink_to("nowhere")
    (root / ".hidden").symlink_to("a.md")
    os.mkfifo(root / "Pipe.md")
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("Socket.md")
        found = scan(root, RULES, {})

    assert paths(found) == ["a.md"]
    listed = reasons(found)
    assert list(listed) == [
        "Dangling.md",
        "Link.md",
        "Pipe.md",
        "Socket.md",
        "out",
        "parent",
    ]
    assert "symbolic link" in listed["out"]
    assert "not a regular file" in listed["Pipe.md"]
    assert not any(entry.unknown for entry in found.skipped)


@posix
def test_a_known_file_replaced_by_a_link_is_missing(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md")
    known = stamps(scan(tmp_path, RULES, {}))
    (tmp_path / "a.md").unlink()
    (tmp_path / "a.md").symlink_to("b.md")

    found = scan(tmp_path, RULES, known)

    assert found.missing == ["a.md"]
    assert found.seen == 1


@posix
def test_a_vault_may_itself_be_a_link(tmp_path: Path, way: str) -> None:
    write(tmp_path, "vault/a.md")
    (tmp_path / "link").symlink_to("vault")

    assert paths(scan(tmp_path / "link", RULES, {})) == ["a.md"]


def test_an_empty_vault_has_lost_all_its_files(tmp_path: Path) -> None:
    assert scan(tmp_path, RULES, {NotePath("a.md"): 1}).missing == ["a.md"]


@linux
def test_names_are_composed_and_stay_readable(tmp_path: Path, way: str) -> None:
    spelled = normalize("NFD", "Büro/Café.md")
    write(tmp_path, spelled, "Büro2/Thé.md")

    found = scan(tmp_path, RULES, {})

    assert paths(found) == ["Büro/Café.md", "Büro2/Thé.md"]
    assert [file.disk_path for file in found.changed] == [spelled, None]
    assert read_file(tmp_path, "Büro/Café.md") == spelled.encode()
    assert scan(tmp_path, RULES, stamps(found)) == Scan([], [], [], 2, [])


@linux
def test_of_two_spellings_of_one_name_the_composed_one_is_read(tmp_path: Path) -> None:
    write(tmp_path, "Café.md", normalize("NFD", "Café.md"))
    write(tmp_path, "Büro/a.md", normalize("NFD", "Büro/b.md"))

    found = scan(tmp_path, RULES, {})

    assert paths(found) == ["Büro/a.md", "Café.md"]
    assert found.changed[1].disk_path is None
    assert list(reasons(found)) == ["Büro", "Café.md"]
    again = scan(tmp_path, RULES, stamps(found))
    assert (again.changed, again.missing, again.seen) == ([], [], 2)


@linux
def test_names_nobody_can_type_are_listed_in_letters_everybody_can(
    tmp_path: Path,
) -> None:
    root = os.fsencode(tmp_path)
    for name in [b"caf\xe9.md", b"two\nlines.md", b"back\\slash.md"]:
        Path(os.fsdecode(root + b"/" + name)).touch()
    Path(os.fsdecode(root + b"/fol\xff")).mkdir()

    found = scan(tmp_path, RULES, {})

    assert not found.changed
    assert list(reasons(found)) == [
        "back\\slash.md",
        "caf\\udce9.md",
        "fol\\udcff",
        "two\\nlines.md",
    ]
    assert json.dumps(reasons(found)).isascii()


@linux
def test_names_that_differ_in_case_are_two_files(tmp_path: Path) -> None:
    write(tmp_path, "Note.md", "note.md")

    assert paths(scan(tmp_path, RULES, {})) == ["Note.md", "note.md"]


@pytest.mark.parametrize(
    ("path", "kind"),
    [("a.md", "markdown"), ("a.CANVAS", "canvas"), ("x.y/README", "attachment")],
)
def test_the_suffix_says_what_a_file_is(path: str, kind: str) -> None:
    assert kind_of(path) == kind


NAMES = st.sampled_from(["a.md", "b.md", "x/a.md", "x/y/c.png", "z/d.canvas"])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=st.sets(NAMES), after=st.sets(NAMES))
def test_applying_what_a_scan_says_leads_to_what_stands_on_disk(
    tmp_path_factory: pytest.TempPathFactory, before: set[str], after: set[str]
) -> None:
    root = tmp_path_factory.mktemp("vault")
    write(root, *before)
    known = stamps(scan(root, RULES, {}))
    for path in before - after:
        (root / path).unlink()
    write(root, *(after - before))

    found = scan(root, RULES, known)

    gone = set(found.missing)
    kept = {path: stamp for path, stamp in known.items() if path not in gone}
    assert kept | stamps(found) == stamps(scan(root, RULES, {}))
    assert found.seen == len(after)


@given(st.integers(-(2**70), 2**70))
def test_a_time_is_kept_where_a_row_can_hold_it(time_ns: int) -> None:
    kept = storable_time(time_ns)

    assert -(2**63) < kept < 2**63
    assert kept == time_ns or abs(time_ns) > abs(kept)
