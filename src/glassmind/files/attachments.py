"""Which files are shown in notes rather than read as notes."""

SUFFIXES = frozenset(
    [
        "avif", "bmp", "gif", "jpeg", "jpg", "png", "svg", "webp", "flac", "m4a", "mp3",
        "ogg", "wav", "3gp", "mkv", "mov", "mp4", "ogv", "webm", "pdf",
    ]
)  # fmt: skip
"""What Obsidian shows in a note; other files are in a vault for other reasons."""


def is_attachment(path: str) -> bool:
    """Whether a file of this name is a picture, a sound, a film or a printed page."""
    return path.rpartition(".")[2].lower() in SUFFIXES
