"""Groups of notes that links hold together, kept and known again."""
