"""Scan, read, watch, name and write the files of a vault; only this package does."""
