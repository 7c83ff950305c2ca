"""Where notes do not agree: what they state, of which thing, and when two differ."""
