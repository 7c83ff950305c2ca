"""Vaults whose links fall into groups that a test knows."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from vault_harness import VaultHarness

from glassmind.model.graph import Themes


def group(
    names: Sequence[str], also: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return notes that all link to each other; `also` is added to some of them."""
    more = also or {}
    return {
        f"{name}.md": "".join(f"[[{other}]]\n" for other in names if other != name)
        + more.get(name, "")
        for name in names
    }


def numbered(name: str, count: int) -> list[str]:
    """Return names such as `tea 01`."""
    return [f"{name} {number:02}" for number in range(1, count + 1)]


TEA, BREAD, WOOD = numbered("tea", 6), numbered("bread", 5), numbered("wood", 4)


def three_groups(**also: str) -> dict[str, str]:
    """Return three groups of 6, 5 and 4 notes, hardly tied to each other.

    `also` is added to a note, named with `_` for the blank.
    """
    more = {name.replace("_", " "): text for name, text in also.items()}
    ties = {"tea 01": "[[bread 01]]\n", "bread 02": "[[wood 01]]\n"}
    for name, text in ties.items():
        more[name] = text + more.get(name, "")
    return {**group(TEA, more), **group(BREAD, more), **group(WOOD, more)}


def paths_of(themes: Themes) -> dict[int, set[str]]:
    """Return which notes are of which theme."""
    return {
        theme.id: {member.path for member in theme.members} for theme in themes.themes
    }


def files(names: Iterable[str]) -> set[str]:
    """Return the paths of notes of these names."""
    return {f"{name}.md" for name in names}


def told_of(vault: VaultHarness, **wanted: object) -> dict[int, set[str]]:
    """Return what the vault's themes are, asked anew."""
    found = vault.engine.knowledge.themes(**wanted)  # type: ignore[arg-type]
    return paths_of(found)


def everything(themes: Themes) -> str:
    """Return every word that themes say."""
    said = chain.from_iterable(
        (
            theme.label,
            theme.summary,
            theme.hub or "",
            *(f"{m.path} {m.title}" for m in theme.members),
        )
        for theme in themes.themes
    )
    return "\n".join(said)
