"""Vaults made up from a seed, and ways to change them."""

import os
import random
from pathlib import Path

WORDS = (
    "harbour",
    "lantern",
    "oolong",
    "sencha",
    "ledger",
    "orchard",
    "violin",
    "glacier",
    "compass",
    "anvil",
    "meadow",
    "cipher",
    "walnut",
    "ferry",
    "granite",
    "saffron",
    "tunnel",
    "beacon",
    "copper",
    "marble",
    "thistle",
    "quarry",
    "velvet",
    "timber",
    "raven",
    "cobalt",
    "willow",
    "ember",
    "juniper",
    "slate",
)
FOLDERS = ("", "Projects/", "Projects/Deep/", "Daily/", "Ideen ü/")
OLD_S = 1_700_000_000
"""A modification time long past, so that no file counts as young."""


def note_text(rng: random.Random, known: list[str]) -> str:
    """Return the text of a note: properties, headings, links, tags and tasks."""
    tag, status = rng.choice(WORDS), rng.choice(["open", "done"])
    lines = ["---", f"tags: [{tag}, area/{rng.choice(WORDS)}]"]
    lines += [f"status: {status}", f"rank: {rng.randrange(9)}", "---", ""]
    for _ in range(rng.randrange(1, 4)):
        lines += [f"## {' '.join(rng.sample(WORDS, 2))}", ""]
        lines += [" ".join(rng.choices(WORDS, k=rng.randrange(20, 90))), ""]
        if known:
            target = rng.choice(known).removesuffix(".md")
            lines += [f"See [[{target.rpartition('/')[2]}]] and [[{target}|so]].", ""]
        lines += [f"- [ ] {rng.choice(WORDS)} #{rng.choice(WORDS)}", ""]
    return "\n".join(lines) + f"[[Ghost {rng.choice(WORDS)}]] {rng.random()}\n"


def make_vault(root: Path, count: int, seed: int) -> list[str]:
    """Write `count` old notes and a picture; return the notes' paths."""
    rng = random.Random(seed)
    (root / ".obsidian").mkdir(parents=True, exist_ok=True)
    paths = [
        f"{rng.choice(FOLDERS)}Note {i} {rng.choice(WORDS)}.md" for i in range(count)
    ]
    for path in paths:
        write(root, path, note_text(rng, paths))
        os.utime(root / path, (OLD_S, OLD_S))
    picture = write(root, "Projects/Plan.png", "no picture")
    os.utime(picture, (OLD_S, OLD_S))
    return paths


def write(root: Path, path: str, content: str | bytes) -> Path:
    """Write one file, making its folder."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def age(root: Path) -> None:
    """Make every note an old one."""
    for path in notes_of(root):
        os.utime(root / path, (OLD_S, OLD_S))


def notes_of(root: Path) -> list[str]:
    """Return the paths of the vault's notes."""
    found = (file.relative_to(root).as_posix() for file in root.rglob("*.md"))
    return sorted(found)


def edit(root: Path, rng: random.Random, *, steps: int) -> list[str]:
    """Add, change, move, swap and delete notes at random; return what was done."""
    log = []
    for _ in range(steps):
        paths = notes_of(root)
        kind = rng.choice(["add", "change", "move", "swap", "delete", "rewrite"])
        path = rng.choice(paths)
        match kind:
            case "add":
                path = f"{rng.choice(FOLDERS)}New {rng.randrange(10**6)}.md"
                write(root, path, note_text(rng, paths))
            case "change":
                with (root / path).open("a", encoding="utf-8") as file:
                    file.write(f"\nmore {rng.choice(WORDS)} [[{rng.choice(WORDS)}]]\n")
            case "rewrite":
                write(root, path, note_text(rng, paths))
            case "move":
                folder, name = rng.choice(FOLDERS), rng.choice([path, "Moved"])
                name = name.rpartition("/")[2].removesuffix(".md")
                target = f"{folder}{name} {rng.randrange(10**6)}.md"
                (root / folder).mkdir(parents=True, exist_ok=True)
                (root / path).rename(root / target)
            case "swap":
                other = rng.choice(paths)
                one, two = (root / path).read_bytes(), (root / other).read_bytes()
                write(root, path, two)
                write(root, other, one)
            case _ if len(paths) > 10:
                (root / path).unlink()
        log.append(f"{kind} {path}")
    return log
