"""Values put in words: the one place that makes JSON shapes and plain text."""
