"""The rows of the index in SQLite: the one truth that every sidecar follows."""
