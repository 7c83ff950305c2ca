"""Obsidian text to values: what a note says, where, and how it splits into passages."""
