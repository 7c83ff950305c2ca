"""Which edit of a call found no match: for tools of obsidian-brain."""

from glassmind.operations.text_edits import looser_helps

__all__ = ["looser_helps"]
