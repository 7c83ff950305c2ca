"""Glassmind: a local retrieval and memory layer for Obsidian vaults."""
