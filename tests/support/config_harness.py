"""A home and a vault to load configurations from."""

from collections.abc import Mapping
from pathlib import Path

from glassmind.config import Config, load_config


class Harness:
    """A user's home and a vault, both empty."""

    def __init__(self, root: Path) -> None:
        self.home, self.vault = root / "home", root / "Notes"
        self.home.mkdir()
        (self.vault / ".obsidian").mkdir(parents=True)
        self.settings = self.home / ".config/glassmind"
        self.settings.mkdir(parents=True)
        self.env = {"HOME": str(self.home)}

    def load(
        self,
        *,
        flags: Mapping[str, object] | None = None,
        cwd: Path | None = None,
        need_vault: bool = True,
        env: Mapping[str, str] | None = None,
        **variables: str,
    ) -> Config:
        return load_config(
            flags=flags or {},
            env={**self.env, **(env or {}), **variables},
            cwd=cwd or self.vault,
            need_vault=need_vault,
        )

    def user_says(self, text: str, name: str = "glassmind.toml") -> Path:
        file = self.settings / name
        file.write_text(text, "utf-8")
        return file

    def vault_says(self, text: str) -> Path:
        file = self.vault / "glassmind.toml"
        file.write_text(text, "utf-8")
        return file
