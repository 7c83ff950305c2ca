"""What stands around a note, between two, above others, and how it came about."""
