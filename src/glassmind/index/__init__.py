"""What changed in the vault, and what to do about it."""
