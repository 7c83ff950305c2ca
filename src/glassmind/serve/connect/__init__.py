"""Connecting other programs: entries in their files, and how they start us."""
