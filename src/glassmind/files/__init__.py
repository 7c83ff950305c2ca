"""The only package that touches notes on disk: scan, read, resolve, find by name."""
