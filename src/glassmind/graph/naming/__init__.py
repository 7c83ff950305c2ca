"""Which note a text names, and what a note names."""
