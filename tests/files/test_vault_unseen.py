"""What a scan cannot see stays known; only what is surely gone is missing."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest

from glassmind.errors import VaultMissing
from glassmind.files import scan as scan_module
from glassmind.files.ignore import IgnoreRules
from glassmind.files.scan import Scan, scan
from glassmind.model import NotePath
from glassmind.model.index import Skipped

posix = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX file system")
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs sparse files")
RULES = IgnoreRules()


def write(root: Path, *paths: str) -> None:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(path.encode())


def stamps(found: Scan) -> dict[NotePath, int]:
    return {file.path: file.stamp for file in found.changed}


@pytest.fixture(params=["by_descriptor", "by_name"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of listing a folder that some system uses."""
    if request.param == "by_name":
        monkeypatch.setattr(scan_module, "_BY_DESCRIPTOR", False)
    elif os.name == "nt":
        pytest.skip("Windows lists by name only")
    return str(request.param)


def test_what_icloud_took_away_is_unknown_rather_than_missing(tmp_path: Path) -> None:
    write(tmp_path, "x/Tea.md", "x/Café.md")
    known = stamps(scan(tmp_path, RULES, {}))
    for name in ["Tea.md", "Café.md"]:
        (tmp_path / "x" / name).rename(
            tmp_path / "x" / normalize("NFD", f".{name}.icloud")
        )
    write(tmp_path, "x/.New.md.icloud", "x/.secret.pem.icloud")

    found = scan(tmp_path, RULES, known)

    assert found.unknown == ["x/Café.md", "x/Tea.md"]
    assert not found.missing
    assert [(entry.path, entry.unknown) for entry in found.skipped] == [
        ("x/Café.md", True),
        ("x/New.md", True),
        ("x/Tea.md", True),
    ]


@linux
def test_a_file_without_blocks_is_unknown_and_not_opened(tmp_path: Path) -> None:
    write(tmp_path, "Cloud.md")
    known = stamps(scan(tmp_path, RULES, {}))
    (tmp_path / "Cloud.md").unlink()
    with (tmp_path / "Cloud.md").open("wb") as file:
        file.truncate(1_000_000)

    found = scan(tmp_path, RULES, known)

    assert found.unknown == ["Cloud.md"]
    assert not found.changed
    assert found.skipped[0].unknown
    assert "not downloaded" in found.skipped[0].reason


def scan_unprivileged(root: Path, known: dict[NotePath, int]) -> dict[str, Any]:
    """Scan as a user whom permissions bind: the superuser passes every one."""
    code = """
import json, os, sys
from msgspec import to_builtins
from pathlib import Path
from glassmind.files.ignore import IgnoreRules
from glassmind.files.scan import scan
known = json.load(sys.stdin)
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
print(json.dumps(to_builtins(scan(Path("."), IgnoreRules(), known))))
"""
    shown = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        input=json.dumps(known).encode(),
        capture_output=True,
        check=True,
        timeout=60,
    )
    found: dict[str, Any] = json.loads(shown.stdout)
    return found


@posix
@pytest.mark.parametrize("mode", [0o000, 0o444])
def test_what_stands_in_an_unreadable_folder_is_unknown(
    tmp_path: Path, mode: int
) -> None:
    root = tmp_path / "vault"
    write(root, "a.md", "shut/b.md", "shut/deep/c.md", "shutter/d.md")
    known = stamps(scan(root, RULES, {}))
    (root / "shutter" / "d.md").unlink()
    root.chmod(0o755)
    (root / "shut").chmod(mode)

    try:
        found = scan_unprivileged(root, known)
    finally:
        (root / "shut").chmod(0o755)

    assert found["unknown"] == ["shut/b.md", "shut/deep/c.md"]
    assert found["missing"] == ["shutter/d.md"]
    assert all(entry["unknown"] for entry in found["skipped"])
    assert found["skipped"]


@pytest.mark.parametrize("name", ["nowhere", "file"])
def test_a_vault_that_is_not_there_is_an_error_not_an_empty_vault(
    tmp_path: Path, way: str, name: str
) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(VaultMissing):
        scan(tmp_path / name, RULES, {NotePath("a.md"): 1})


def test_a_folder_that_vanishes_while_scanned_is_gone(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "x/a.md", "b.md")
    known = stamps(scan(tmp_path, RULES, {}))
    judge = scan_module._Walk.judge_folder

    def vanish(self: Any, path: str, name: str, above: Any) -> None:
        judge(self, path, name, above)
        shutil.rmtree(tmp_path / "x")

    monkeypatch.setattr(scan_module._Walk, "judge_folder", vanish)

    found = scan(tmp_path, RULES, known)

    assert found.missing == ["x/a.md"]
    assert not found.skipped


class Entry:
    """An entry whose facts cannot be had."""

    def __init__(self, name: str, fault: OSError) -> None:
        self.name, self._fault = name, fault

    def is_symlink(self) -> bool:
        return False

    def is_dir(self, **_: bool) -> bool:
        return False

    def is_file(self, **_: bool) -> bool:
        return True

    def stat(self, **_: bool) -> os.stat_result:
        raise self._fault


class Listing:
    """What `os.scandir` returns, of our making."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = entries

    def __enter__(self) -> Iterable[Entry]:
        return self._entries

    def __exit__(self, *_: object) -> None: ...


def test_a_file_that_cannot_be_looked_at_is_unknown_and_one_just_deleted_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [
        Entry("broken.md", OSError(5, "Input/output error")),
        Entry("deleted.md", FileNotFoundError(2, "No such file")),
    ]
    monkeypatch.setattr(os, "scandir", lambda _: Listing(entries))
    known = {NotePath("broken.md"): 1, NotePath("deleted.md"): 2}

    found = scan(tmp_path, RULES, known)

    assert found.unknown == ["broken.md"]
    assert found.missing == ["deleted.md"]
    expected = Skipped(NotePath("broken.md"), "Input/output error", unknown=True)
    assert found.skipped == [expected]
