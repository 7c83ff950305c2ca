"""The adapters of a guest: what it asks the resident of its vault.

A part of `wiring` that nobody needs where there is no resident.
"""
