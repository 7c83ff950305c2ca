"""What the system tells of a vault, and what of it matters."""

import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from watch_harness import until
from watchfiles import Change

from glassmind.errors import VaultMissing
from glassmind.files import watch
from glassmind.files.ignore import load_rules
from glassmind.files.watch import (
    EACH_FOLDER,
    VaultChanges,
    VaultEvents,
    folders_of,
    judged,
    reason_of,
)

each_folder = pytest.mark.skipif(not EACH_FOLDER, reason="this system watches trees")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = Path(os.path.realpath(tmp_path)) / "Notes"
    (made / ".obsidian").mkdir(parents=True)
    return made


def heard_of(root: Path, path: str, change: Change = Change.modified) -> VaultChanges:
    apart = str(root / "own index")
    return judged([(change, str(root / path))], str(root), apart, load_rules(root))


def put(root: Path, path: str, text: str = "text") -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


@pytest.mark.parametrize(
    "path",
    [
        ".git/index",
        ".obsidian/workspace.json",
        "node_modules/a/readme.md",
        "deep/node_modules/readme.md",
        ".trash/Old.md",
        ".agent/cache/index.db",
        ".agent/logs/today.md",
        ".Tea.md.swp",
        "deep/.DS_Store",
        "own index/index.db",
        "own index/index.db-wal",
    ],
)
def test_what_is_ignored_wakes_nobody(root: Path, path: str) -> None:
    put(root, path)

    assert not heard_of(root, path)
    assert not heard_of(root, path, Change.added)
    (root / path).unlink()
    assert not heard_of(root, path, Change.deleted)


@pytest.mark.parametrize(
    "path", ["Tea.md", "deep/Plan.canvas", "picture.png", ".agent/memory.md", "Tea.md~"]
)
def test_what_the_index_tells_of_is_heard(root: Path, path: str) -> None:
    put(root, path)

    assert heard_of(root, path) == VaultChanges(changed=frozenset({path}))
    (root / path).unlink()
    assert heard_of(root, path, Change.deleted) == VaultChanges(gone=frozenset({path}))


@pytest.mark.parametrize("path", [".glassmindignore", ".obsidian/app.json"])
def test_another_rule_concerns_the_whole_vault(root: Path, path: str) -> None:
    put(root, path, "{}")

    assert heard_of(root, path).whole


def test_a_folder_that_came_concerns_the_whole_vault(root: Path) -> None:
    put(root, "new/Tea.md")

    assert heard_of(root, "new", Change.added).whole
    assert heard_of(root, "new") == VaultChanges(changed=frozenset({"new/"}))


def test_the_root_itself_concerns_the_whole_vault(root: Path) -> None:
    assert heard_of(root, "", Change.deleted).whole


def test_rules_of_the_vault_are_followed(root: Path) -> None:
    put(root, ".obsidian/app.json", json.dumps({"userIgnoreFilters": ["Archive/"]}))
    put(root, ".glassmindignore", "Drafts/\n")
    for path in ("Archive/Old.md", "Drafts/New.md"):
        put(root, path)
        assert not heard_of(root, path)


def test_a_place_behind_a_link_is_none_of_ours(root: Path, tmp_path: Path) -> None:
    put(tmp_path, "outside/Secret.md")
    (root / "link").symlink_to(tmp_path / "outside", target_is_directory=True)

    assert not heard_of(root, "link/Secret.md")
    assert heard_of(root, "link", Change.added) == VaultChanges(
        changed=frozenset({"link"})
    )


def test_a_name_is_heard_in_the_form_that_the_index_has(root: Path) -> None:
    put(root, "Cafe\u0301.md")

    assert heard_of(root, "Cafe\u0301.md").changed == {"Caf\u00e9.md"}


def test_only_folders_that_are_read_are_watched(root: Path, tmp_path: Path) -> None:
    for path in ("a/b/x.md", ".git/hooks/x", "node_modules/p/x", ".agent/cache/x"):
        put(root, path)
    (root / "loop").symlink_to(root, target_is_directory=True)
    (root / "out").symlink_to(tmp_path, target_is_directory=True)

    found = folders_of(str(root), load_rules(root))

    wanted = {"", "a", "a/b", ".agent", ".obsidian"}
    assert set(found) == {str(root / path) if path else str(root) for path in wanted}


@pytest.mark.parametrize("agent", [".agent", ".mind", "Agents"])
def test_of_the_agents_folder_what_is_ours_alone_is_not_watched(
    root: Path, agent: str
) -> None:
    ours = ("cache/x.md", "logs/writes.jsonl", ".trash/memories/x.md", "pinned.txt",
            "dismissed.txt", "memories/.glassmind-00.part")  # fmt: skip
    for path in (*ours, "memories/x.md", "inbox/x.md"):
        put(root, f"{agent}/{path}")
    rules = load_rules(root, agent_dir=agent)

    found = folders_of(str(root), rules)
    events = [(Change.modified, str(root / agent / path)) for path in ours]
    heard = judged(events, str(root), str(root / "own index"), rules)

    wanted = {".obsidian", agent, f"{agent}/inbox", f"{agent}/memories"}
    assert set(found) == {str(root), *(str(root / path) for path in wanted)}
    assert not heard.changed
    kept = [(Change.modified, str(root / agent / "memories/x.md"))]
    told = judged(kept, str(root), str(root / "own index"), rules)
    assert told.changed == {f"{agent}/memories/x.md"}


class Ears:
    """The events of a vault as they come in."""

    def __init__(self, root: Path) -> None:
        self.root, self.heard = root, list[VaultChanges]()
        self.events = VaultEvents(
            root, root / "own index", lambda: load_rules(root), self.heard.append
        )

    def hears(
        self, change: Callable[[], object], wanted: Callable[[VaultChanges], bool]
    ) -> None:
        """Change something, and wait until it is heard of."""
        self.heard.clear()
        change()
        until(lambda: any(wanted(one) for one in self.heard), "an event")


@pytest.fixture
def ears(root: Path) -> Iterator[Ears]:
    made = Ears(root)
    yield made
    made.events.close()


def test_a_change_is_heard(ears: Ears) -> None:
    assert ears.events.listen() == ""

    ears.hears(lambda: put(ears.root, "Tea.md"), lambda h: "Tea.md" in h.changed)
    ears.hears((ears.root / "Tea.md").unlink, lambda h: "Tea.md" in h.gone)


def test_after_standing_still_what_is_heard_means_a_look_at_everything(
    ears: Ears, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "STOOD_STILL_S", 60.0)
    ears.events.listen()
    ears.hears(lambda: put(ears.root, "Tea.md"), lambda h: bool(h) and not h.whole)

    monkeypatch.setattr(watch, "STOOD_STILL_S", 0.0)  # so that every pause is one

    ears.hears(lambda: put(ears.root, ".x.swp"), lambda h: h.whole)


def test_a_new_folder_is_heard_of_and_in_it_after_listening_again(ears: Ears) -> None:
    ears.events.listen()

    ears.hears(lambda: put(ears.root, "new/deep/One.md"), lambda h: h.whole)
    ears.events.listen()

    ears.hears(
        lambda: put(ears.root, "new/deep/Two.md"),
        lambda h: "new/deep/Two.md" in h.changed,
    )


def test_a_vault_put_in_the_place_of_another_is_heard(ears: Ears, root: Path) -> None:
    ears.events.listen()
    root.rename(root.with_name("away"))
    (root / ".obsidian").mkdir(parents=True)

    assert ears.events.listen() == ""

    ears.hears(lambda: put(root, "Tea.md"), lambda h: "Tea.md" in h.changed)


def test_a_vault_that_is_not_there_cannot_be_heard(ears: Ears, root: Path) -> None:
    shutil.rmtree(root)

    with pytest.raises(VaultMissing):
        ears.events.listen()


def test_a_fault_of_ours_does_not_leave_one_deaf_unawares(
    ears: Ears, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    monkeypatch.setattr(ears.events, "_hear", _break)
    ears.events.listen()

    put(ears.root, "Tea.md")
    until(lambda: ears.events.failure, "a sign")
    monkeypatch.undo()

    assert ears.events.listen() == ""
    ears.hears(lambda: put(ears.root, "New.md"), lambda h: "New.md" in h.changed)


def _break(_: VaultChanges) -> None:
    raise LookupError("a bug")


@each_folder
def test_what_is_ignored_takes_no_watch(ears: Ears, root: Path) -> None:
    put(root, "node_modules/p/readme.md")
    ears.events.listen()

    put(root, "node_modules/p/readme.md", "again")
    put(root, "node_modules/p/deeper/readme.md", "again")

    ears.hears(lambda: put(root, "Last.md"), lambda h: "Last.md" in h.changed)
    assert not any(one.whole for one in ears.heard)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (OSError('OS file watch limit reached. about ["x"]'), "max_user_watches"),
        (OSError("Too many open files (os error 24)"), "max_user_instances"),
        (RuntimeError("something else"), "gives no events (something else)"),
    ],
)
def test_a_refusal_says_what_would_help(fault: Exception, said: str) -> None:
    assert said in reason_of(fault)
