"""Vectors on disk: a memory-mapped matrix for each embedding space, scanned exactly."""
