"""What can go wrong when another program is connected."""

from glassmind.errors import ConfigError


class EntryTaken(ConfigError):
    """A server that is not ours goes by the name that was asked for."""

    def __init__(self, file: str, name: str) -> None:
        super().__init__(
            f"{file} has an entry {name!r} that does not start glassmind; nothing was "
            "changed: choose another name (--name), or use --force"
        )
        self.file, self.name = file, name
