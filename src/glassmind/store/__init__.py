"""Derived data: the rows of the index, and the sidecars that follow them."""
