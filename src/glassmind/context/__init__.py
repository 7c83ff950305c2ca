"""Bundles: what of a vault matters for a question, packed within a budget."""
