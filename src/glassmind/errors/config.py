"""What can go wrong in choosing a vault and in configuring it."""

from glassmind.errors.base import NOT_ALLOWED, GlassmindError, way_in

ELSEWHERE = "; name another file: --config FILE, or the variable GLASSMIND_CONFIG"


class ConfigError(GlassmindError):
    """Something in the configuration cannot be used."""


class NoVault(ConfigError):
    """Nothing says which vault is meant; `looked` where Obsidian's list was read."""

    def __init__(self, *, looked: bool = False) -> None:
        others = (
            "name the folder of your notes: glassmind init FOLDER (Obsidian lists no "
            "vault on this machine)"
        )
        ways = (
            "run glassmind init, which finds those of Obsidian, or glassmind init "
            "FOLDER; or pass --vault FOLDER, set GLASSMIND_VAULT_PATH, or stand in a "
            "vault (a folder with .obsidian)"
        )
        super().__init__(f"no vault is chosen: {others if looked else ways}")


class VaultAbsent(ConfigError):
    """The vault that was named is not a folder on this machine."""

    def __init__(self, path: str, origin: str, hint: str = "") -> None:
        usual = (
            "; check the path, and that its disk is there, or choose another: "
            "glassmind init FOLDER"
        )
        super().__init__(
            f"the vault {path} (from {origin}) is not a folder{hint or usual}"
        )
        self.path, self.origin = path, origin


class VaultClosed(VaultAbsent):
    """The vault that was named does not let us look."""

    def __init__(self, path: str, origin: str, reason: str) -> None:
        remedy = way_in(reason, "check that its disk is there")
        ConfigError.__init__(
            self,
            f"the vault {path} (from {origin}) cannot be read ({reason}); {remedy}",
        )
        self.path, self.origin, self.reason = path, origin, reason


class BadConfigFile(ConfigError):
    """A configuration file cannot be read; `line` is 0 when no line is to blame."""

    def __init__(self, file: str, line: int, problem: str) -> None:
        place = f"{file}:{line}" if line else file
        then = ELSEWHERE if problem in NOT_ALLOWED else ""
        super().__init__(f"{place} cannot be read as configuration: {problem}{then}")
        self.file, self.line, self.problem = file, line, problem


class BadSetting(ConfigError):
    """A setting has a value that it cannot have; `origin` names the file and line."""

    def __init__(self, key: str, origin: str, problem: str) -> None:
        super().__init__(f"{key} (from {origin}) {problem}")
        self.key, self.origin, self.problem = key, origin, problem
