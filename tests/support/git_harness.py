"""Histories written with known days, by a git that listens to nobody else."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

WHO = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.invalid",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.invalid",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


class GitHarness:
    """One repository; every commit takes in all there is."""

    def __init__(self, root: Path) -> None:
        self.root = root
        if shutil.which("git") is None:
            pytest.skip("git is not installed")
        self.git("init", "-q")

    def git(self, *arguments: str, day: str = "2024-01-01") -> str:
        """Run git and return what it prints; a day may have a time with its offset."""
        when = day if "T" in day else f"{day}T12:00:00+02:00"
        done = subprocess.run(
            ["git", "-C", str(self.root), *arguments],
            env={**os.environ, **WHO, "GIT_AUTHOR_DATE": when,
                 "GIT_COMMITTER_DATE": when},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )  # fmt: skip
        return done.stdout.strip()

    def commit(self, day: str) -> str:
        """Commit everything on a day and return the id of that."""
        self.git("add", "--all", ".")
        self.git("commit", "-qm", "notes", day=day)
        return self.git("rev-parse", "HEAD")
