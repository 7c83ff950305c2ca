"""Notes that are alike and that no link joins."""
