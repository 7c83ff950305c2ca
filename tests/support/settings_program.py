"""Opens vaults with random settings files and reports every socket and stray path.

Started as `python settings_program.py SEED COUNT ROOT`. An audit hook watches the whole
process, so this runs in a process of its own. Prints one JSON object.
"""

import json
import os
import random
import shutil
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

from glassmind.config import load_config
from glassmind.config.settings import SETTINGS
from glassmind.config.sources import as_toml
from glassmind.config.values import Setting
from glassmind.engine import engine_for
from glassmind.model.access import EVERY_AGENT
from glassmind.serve.http.app import make_app
from glassmind.serve.http.guard import AccessRules
from glassmind.serve.mcp.server import make_server

URLS = ("http://127.0.0.1:9", "http://collector.example", "https://[::1]:9/v1")
WORDS = ("", ".", "..", "/", "~", "Notes", "\u202etxt", "a" * 5000, "*", "127.0.0.1")

SYSTEM = ("/proc", "/sys", "/dev", "/etc", "/usr", "/lib")
"""Where Python and its libraries may look for facts about the machine."""


class Watcher:
    """Keeps what the process does with sockets and files."""

    def __init__(self, allowed: list[str]) -> None:
        self.allowed, self.violations, self.seen = allowed, set[str](), 0
        self.active = False

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.active:
            return
        self.seen += 1
        if event.startswith("socket.") and event != "socket.gethostname":
            self.violations.add(f"{event} {args[1:]}")
        elif event in {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"}:
            self.violations.add(f"{event} {args[:1]}")
        elif event in PATH_EVENTS:
            for path in args[: PATH_EVENTS[event]]:
                self._check(event, path, args)

    def _check(self, event: str, path: object, args: tuple[Any, ...]) -> None:
        if not isinstance(path, str | bytes):
            return  # a descriptor that was opened before
        if args[-1] not in (None, -1) and event not in {"open", "os.listdir"}:
            return  # relative to a folder that was opened before
        real = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - links are not followed
        if event == "open" and real == "/":
            return  # asks the system whether it can refuse links
        if not any(real == top or real.startswith(f"{top}/") for top in self.allowed):
            self.violations.add(f"{event} {real}")


PATH_EVENTS = {
    "open": 1,
    "os.listdir": 1,
    "os.scandir": 1,
    "os.mkdir": 1,
    "os.remove": 1,
    "os.rmdir": 1,
    "os.rename": 2,
    "os.link": 2,
    "os.symlink": 2,
    "os.truncate": 1,
    "os.chmod": 1,
    "shutil.rmtree": 1,
    "sqlite3.connect": 1,
}
"""Audit events and how many of their arguments are paths."""


def random_value(key: Setting, chance: random.Random, trap: str) -> object:
    """Return a value for a setting: fitting, hostile or of a wrong type."""
    texts = [*URLS, *WORDS, trap, f"../{Path(trap).name}", f"{trap}/model.onnx"]
    texts += list(key.choices) * 3
    makers: list[Callable[[], object]] = [
        lambda: chance.choice(texts),
        lambda: chance.choice([-1, 0, 1, 9, 7331, 65535, 10**12]),
        lambda: chance.choice([0.0, 0.5, -1.5, 1e300]),
        lambda: chance.random() < 0.5,
        lambda: [chance.choice(texts) for _ in range(chance.randrange(4))],
    ]
    usual: dict[type, int] = {str: 0, int: 1, float: 2, bool: 3, tuple: 4}
    fitting = makers[usual.get(type(key.default), 0)]
    return (fitting if chance.random() < 0.8 else chance.choice(makers))()


def random_toml(chance: random.Random, trap: str) -> str:
    tables: dict[str, list[str]] = {}
    for key in chance.sample(list(SETTINGS.values()), chance.randrange(1, 25)):
        value = random_value(key, chance, trap)
        tables.setdefault(key.section, []).append(f"{key.name} = {as_toml(value)}")
    if chance.random() < 0.2:
        tables["unknown"] = ["x = 1"]
    text = "".join(
        f"[{name}]\n" + "\n".join(own) + "\n" for name, own in tables.items()
    )
    return text if chance.random() < 0.95 else text[: chance.randrange(len(text) + 1)]


def random_env(chance: random.Random, trap: str) -> str:
    names = [name for key in SETTINGS.values() for name in (key.variable, *key.aliases)]
    lines = []
    for name in chance.sample(names, chance.randrange(1, 10)):
        value = chance.choice([*URLS, *WORDS, trap, "http", "0.0.0.0", "9", "allow"])  # noqa: S104
        lines.append(f"{name.removeprefix('!')}={value}\n")
    return "".join(lines)


def random_obsidian(chance: random.Random, trap: str) -> str:
    names = ("attachmentFolderPath", "newFileFolderPath", "trashOption", "folder")
    values: list[object] = [*WORDS, trap, "../..", 3, None, ["x"], {"a": 1}]
    chosen: dict[str, object] = {name: chance.choice(values) for name in names}
    chosen["userIgnoreFilters"] = [chance.choice(["(a+)+$", "/(a|a)*b/", trap, 3])]
    return json.dumps(chosen)


def write_vault(vault: Path, chance: random.Random, trap: str) -> None:
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "Tea.md").write_text("# Tea\n\nOolong rests. [[Cup]]\n", "utf-8")
    (vault / "Cup.md").write_text("---\ntags: [pot]\n---\nA cup of tea.\n", "utf-8")
    name = "glassmind.toml"
    (vault / name).write_text(random_toml(chance, trap), "utf-8")
    if chance.random() < 0.5:
        (vault / name).with_name(".env").write_text(random_env(chance, trap), "utf-8")
    for file in ("app.json", "daily-notes.json", "templates.json"):
        if chance.random() < 0.3:
            text = random_obsidian(chance, trap)
            (vault / ".obsidian" / file).write_text(text, "utf-8")


def use_vault(vault: Path, env: dict[str, str]) -> int:
    """Open it, index it, search it once and build both servers; return the hits."""
    config = load_config(flags={"vault.path": vault}, env=env, cwd=vault)
    with engine_for(config) as engine:
        engine.index()
        hits = engine.search("oolong").hits
        make_server(engine.seen_by(EVERY_AGENT))
        make_app(engine, AccessRules(frozenset(["127.0.0.1:1"]), "x" * 32))
    return len(hits)


def main(seed: int, count: int, root: Path) -> None:
    """Use `count` vaults and print what was seen."""
    home, trap = root / "home", root / "trap"
    home.mkdir(parents=True)
    (root / "vault").mkdir()
    os.chdir(root / "vault")  # names in open folders are seen without their folder
    env = {
        "HOME": str(home),
        "OPENAI_API_KEY": "sk-user",
        "HINDSIGHT_TOKEN": "token",
        "GLASSMIND_LLM_API_KEY": "sk-llm",
    }
    os.environ.clear()
    os.environ.update(env, TMPDIR=str(home))
    source = Path(load_config.__code__.co_filename).parents[2]
    libraries = [sys.prefix, sys.base_prefix, *sysconfig.get_paths().values()]
    libraries += [entry for entry in sys.path if entry]
    own = [str(root / "vault"), str(home), str(source)]
    watcher = Watcher([*SYSTEM, *libraries, *own])
    sys.addaudithook(watcher)
    failures, answered = {}, 0
    for number in range(count):
        vault = root / "vault" / f"{seed}-{number}" / "Notes"
        write_vault(vault, random.Random(seed * 1_000_003 + number), str(trap))
        watcher.active = True
        try:
            answered += use_vault(vault, env) > 0
        except Exception as error:  # noqa: BLE001 - reported with its number
            failures[number] = repr(error)[:300]
        finally:
            watcher.active = False
        shutil.rmtree(vault.parent)
        shutil.rmtree(home / ".local", ignore_errors=True)
    stray = sorted(path.name for path in root.iterdir())
    print(  # noqa: T201 - what it is started for
        json.dumps(
            {
                "used": count,
                "answered": answered,
                "events": watcher.seen,
                "violations": sorted(watcher.violations),
                "failures": failures,
                "beside": stray,
            }
        )
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
