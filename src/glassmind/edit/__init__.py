"""Changing notes: edits of a text, moves that carry their links, changesets."""
